//! Completion scripts, and completed names.

use crate::stage::{Stage, run};

#[test]
fn every_shell_has_a_script() {
    let stage = Stage::empty();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stage.vtr(&["completions", shell]).ok();
        assert!(script.contains("VTR_COMPLETE"), "{shell}: {script}");
    }
    stage.vtr(&["completions", "tcsh"]).failed(2, &["tcsh"]);
}

/// The request of the bash script when TAB is pressed on the last word.
fn candidates(stage: &Stage, words: &[&str]) -> Vec<String> {
    let mut command = stage.command(&["--"]);
    command.env("VTR_COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", words.len().to_string()).env("_CLAP_IFS", "\n");
    command.env("_CLAP_COMPLETE_COMP_TYPE", "9").env("_CLAP_COMPLETE_SPACE", "true");
    run(command.arg("vtr").args(words)).ok().lines().map(str::to_owned).collect()
}

#[test]
fn session_names_complete_live() {
    let stage = Stage::new();
    stage.spawn_cat("codex");
    stage.spawn_cat("compile");
    stage.spawn_cat("shell");
    assert_eq!(candidates(&stage, &["screen", "co"]), ["codex", "compile"]);
    assert_eq!(candidates(&stage, &["info", "a:s"]), ["a:shell"]);
    assert_eq!(candidates(&stage, &["rm", "codex", "sh"]), ["shell"]);
    assert!(candidates(&stage, &["sc"]).contains(&"screen".to_owned()));
    assert_eq!(candidates(&stage, &["key", "shell", "page"]), ["pageup", "pagedown"]);
    assert_eq!(candidates(&stage, &["kill", "shell", "--signal", "H"]), ["HUP"]);
    assert_eq!(candidates(&stage, &["mcp", ""])[..1], ["a"]);
    assert!(!candidates(&stage, &["export", "x.cast", "--format", ""]).contains(&"gif".to_owned()));
}

#[test]
fn the_socket_that_is_typed_is_asked() {
    let mut stage = Stage::new();
    stage.serve("b", &[]);
    stage.spawn_cat("here");
    let other = stage.path("run/b.sock");
    let other = other.to_str().unwrap();
    stage.by_config(&["spawn", "there", "--socket", other, "--", "cat"]).ok();
    assert_eq!(candidates(&stage, &["screen", "--socket", other, "t"]), ["there"]);
    assert_eq!(candidates(&stage, &[&format!("--socket={other}"), "screen", "t"]), ["there"]);
}

/// Bash itself runs its script, with its own word splitting.
#[test]
fn bash_completes_behind_a_colon() {
    let stage = Stage::new();
    stage.spawn_cat("codex");
    stage.spawn_cat("compile");
    let script = stage.vtr(&["completions", "bash"]).ok();
    let complete = |words: &str, at: usize| {
        let ask = format!("{script}\nCOMP_WORDS=({words}) COMP_CWORD={at} COMP_TYPE=9\n");
        let mut bash = std::process::Command::new("bash");
        bash.env("VTR_SOCKET", stage.socket()).args(["--norc", "-c"]);
        run(bash.arg(format!("{ask}_vtr vtr '' ''\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""))).ok()
    };
    assert_eq!(complete("vtr screen a : co", 4), "codex\ncompile\n");
    assert_eq!(complete("vtr screen a :", 3), "codex\ncompile\n");
    assert_eq!(complete("vtr rm a : codex com", 5), "compile\n");
    assert_eq!(complete("vtr screen cod", 2), "codex\n");
    assert!(complete("vtr sc", 1).starts_with("screen"));
}

#[test]
fn completing_without_a_coordinator_is_silent() {
    let stage = Stage::empty();
    assert!(candidates(&stage, &["screen", "zz"]).is_empty());
}
