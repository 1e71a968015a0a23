//! The command line except for runs: help, version, completions, manual pages.

use rustix::process::Signal;

use crate::stage::{Stage, run};

#[test]
fn without_a_terminal_it_says_what_there_is() {
    let stage = Stage::new();
    stage.patterm(&[]).failed(3, &["needs a terminal", "--headless"]);
    let ran = stage.patterm(&["--json"]).failed(3, &["no_terminal"]);
    let error: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
    assert!(error["error"]["hint"].as_str().unwrap().contains("--headless"));
}

#[test]
fn commands_of_the_screen_are_listed_with_their_keys() {
    let stage = Stage::new();
    let config = r#"{ "keymap": [{ "keys": "alt-q", "command": "quit" }, { "keys": "f2", "command": "nope" }] }"#;
    std::fs::write(stage.path("config/patterm/config.json"), config).unwrap();
    let ran = stage.patterm(&["keys"]);
    assert!(ran.stderr.contains("'nope', which is not a command"), "{ran:?}");
    let lines = ran.ok();
    assert!(lines.lines().any(|line| line.starts_with("quit") && line.contains("alt+q")), "{lines}");
    assert!(lines.lines().any(|line| line.starts_with("palette") && line.contains("ctrl+k")), "{lines}");
    let all = stage.patterm(&["keys", "--json"]).json();
    assert!(all.as_array().unwrap().len() > 20, "{all}");
}

#[test]
fn help_version_completions_and_pages() {
    let stage = Stage::new();
    let help = stage.patterm(&["--help"]).ok();
    for word in ["--headless", "--mcp-http", "--debug", "--profile", "Exit codes", "mcp-stdio"] {
        assert!(help.contains(word), "{word}");
    }
    assert!(stage.patterm(&["--version"]).ok().starts_with("patterm "));
    for shell in ["bash", "zsh", "fish"] {
        assert!(stage.patterm(&["completions", shell]).ok().contains("headless"), "{shell}");
    }
    stage.patterm(&["man", "pages"]).ok();
    assert!(std::fs::read_to_string(stage.path("project/pages/patterm.1")).unwrap().contains("headless"));
    stage.patterm(&["--wrong"]).failed(2, &["--wrong"]);
}

#[test]
fn rules_are_checked_compared_and_used_when_they_are_newer() {
    let stage = Stage::new();
    let patterm = |words: &[&str]| run(stage.command(words).env("PATH", stage.path("bin")));
    let rules = |version: &str, more: &str| {
        let text = format!(
            r#"{{ "preset": "claude", "rules_version": {version}, {more}
                "rules": [{{ "name": "mine", "when": {{ "screen": "x" }}, "state": "idle" }}] }} // sent by mail"#
        );
        std::fs::write(stage.path("project/new.json"), text).unwrap();
    };
    assert!(patterm(&["rules", "check"]).ok().contains("0 files, 0 problems"));
    rules("1", "\"argv\": [\"sh\"],");
    patterm(&["rules", "update", "new.json"]).failed(1, &["new.json:1", "argv"]);
    rules("0", "");
    patterm(&["rules", "update", "new.json"]).failed(1, &["nothing to do"]);
    rules("99999999999", "");
    assert!(patterm(&["rules", "check", "new.json"]).ok().contains("newer: can be installed"));
    assert!(patterm(&["rules", "diff", "new.json"]).ok().contains("\"mine\""));
    let updated = patterm(&["rules", "update", "new.json", "--json"]).json();
    assert_eq!(updated["preset"], "claude");
    let shown = patterm(&["presets", "show", "claude", "--json"]).json();
    assert_eq!(shown["preset"]["rules"][0]["name"], "mine", "{shown}");
    assert!(patterm(&["rules", "check"]).ok().contains("for claude, in use"));
    patterm(&["rules", "diff", "new.json"]).failed(1, &["nothing to do"]);
    assert!(patterm(&["rules", "schema"]).ok().contains("rules_version"));
    patterm(&["report", "claude-1", "--should-be", "asleep"]).failed(2, &["starting, idle, working"]);
    patterm(&["report", "claude-1"]).failed(4, &["none of your running patterms"]);
}

#[test]
fn presets_are_listed_shown_checked_and_found() {
    let stage = Stage::new();
    // Presets of further CLIs are installed along with their programs: there are none on this path.
    let patterm = |words: &[&str]| run(stage.command(words).env("PATH", stage.path("bin")));
    let listed = patterm(&["presets", "ls", "--json"]).json();
    let names: Vec<_> = listed["presets"].as_array().unwrap().iter().map(|preset| preset["name"].clone()).collect();
    assert_eq!(names, ["claude", "codex", "opencode"], "those that come with the program");
    let folder = stage.path("project/.patterm/presets/processes");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("dev.json"), r#"{ "name": "dev", "argv": ["make", "dev"] } // mine"#).unwrap();
    std::fs::write(folder.join("bad.json"), "{\n  \"name\": \"bad\",\n  \"argv\": 7 }").unwrap();
    let ran = patterm(&["presets", "ls"]);
    assert!(ran.stdout.contains("make dev") && ran.stdout.contains("project's"), "{ran:?}");
    assert!(ran.stderr.contains("bad.json:3"), "{ran:?}");
    assert!(patterm(&["presets", "show", "dev"]).ok().contains("\"make\""));
    patterm(&["presets", "show", "nothing"]).failed(1, &["no preset 'nothing'"]);
    let checked = patterm(&["presets", "check"]);
    assert_eq!(checked.code, Some(1), "{checked:?}");
    std::fs::remove_file(folder.join("bad.json")).unwrap();
    assert!(patterm(&["presets", "check"]).ok().contains("4 can be used"));
    std::fs::write(stage.path("project/long.json"), " ".repeat((1 << 20) + 1)).unwrap();
    patterm(&["presets", "check", "long.json"]).failed(5, &["long.json", "longer than 1 MiB"]);
    assert!(patterm(&["presets", "path"]).ok().contains(".patterm/presets"));
    assert!(patterm(&["presets", "schema", "agent"]).ok().contains("mcp_injection"));
}

#[test]
fn trust_is_granted_listed_and_taken_back_by_content() {
    let stage = Stage::new();
    let folder = stage.path("config/patterm/presets/processes");
    std::fs::create_dir_all(&folder).unwrap();
    let write = |argv: &str| {
        std::fs::write(folder.join("dev.json"), format!(r#"{{ "name": "dev", "argv": ["make", "{argv}"] }}"#)).unwrap();
    };
    write("dev");
    assert!(stage.patterm(&["trust", "ls"]).ok().contains("nothing is trusted"));
    let shown = stage.patterm(&["trust", "show", "dev"]).ok();
    assert!(shown.contains("dev is not trusted") && shown.contains("command  make dev"), "{shown}");
    assert!(stage.patterm(&["trust", "grant", "dev"]).ok().contains("make dev"));
    let listed = stage.patterm(&["trust", "ls", "--json"]).json();
    assert_eq!((&listed["grants"][0]["preset"], &listed["grants"][0]["current"]), (&"dev".into(), &true.into()));
    write("other");
    let listed = stage.patterm(&["trust", "ls", "--json"]).json();
    assert_eq!(listed["grants"][0]["current"], false, "an edited preset is another one");
    assert!(stage.patterm(&["trust", "grant", "dev"]).ok().contains("argv[1]"), "what changed is shown");
    stage.patterm(&["trust", "revoke", "dev"]).ok();
    stage.patterm(&["trust", "revoke", "dev"]).failed(1, &["not trusted"]);
    stage.patterm(&["trust", "grant", "nothing"]).failed(1, &["no preset"]);
}

#[test]
fn the_config_is_found_checked_and_explained() {
    let stage = Stage::new();
    let file = stage.path("config/patterm/config.json");
    assert_eq!(stage.patterm(&["config", "path"]).ok().trim(), file.to_str().unwrap());
    assert!(stage.patterm(&["config", "check"]).ok().contains("default"));
    let text = stage.patterm(&["config", "default"]).ok();
    std::fs::write(&file, &text).unwrap();
    stage.patterm(&["config", "check"]).ok();
    std::fs::write(&file, "{ \"max_deph\": 3 }").unwrap();
    let ran = stage.patterm(&["config", "check"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("max_deph"), "{ran:?}");
    let told = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let ran = stage.patterm(&["config", "check"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.stdout
    };
    assert!(told("{ \"max_deph\": 3 }").ends_with(": 1 warning\n"));
    assert!(told(r#"{ "keymap": [{ "keys": "f5", "command": "nope" }] }"#).contains("'nope', which is not a command"));
    let twice = r#"{ "keymap": [{ "keys": "f5", "command": "quit" }, { "keys": "f5", "command": "next-tab" }] }"#;
    assert!(told(twice).contains("binds f5 twice"));
    assert!(told(r#"{ "theme": "blue" }"#).contains("there is no theme 'blue'"));
    assert!(told(r#"{ "signs": "runes" }"#).contains("signs must be unicode or ascii, not \"runes\""));
    // It is no reason not to start.
    let (status, _, told) = stage.headless(&[]).end(Signal::TERM);
    assert!(status.success() && told.contains("signs must be"), "{status} {told}");
    std::fs::write(&file, "{ oops").unwrap();
    stage.patterm(&["config", "check"]).failed(2, &["line 1", "config default"]);
    stage.patterm(&["--headless"]).failed(2, &["line 1"]);
}
