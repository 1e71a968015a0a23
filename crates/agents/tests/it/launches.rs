//! Launches: what an agent is started with, and what is left of it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use agents::preset::{ConversationId, MORE, SHIPPED, parse_agent};
use agents::{AgentLaunch, AgentPreset, LaunchError, LaunchFolder, LaunchRequest};
use serde_json::{Value, json};

const TOKEN: &str = "secret-token-0123456789";

struct Stage {
    root: tempfile::TempDir,
}

/// A launch with its lists as text, and the folder's own name replaced by FOLDER.
struct Made {
    launch: AgentLaunch,
    folder: PathBuf,
    argv: Vec<String>,
    env: BTreeMap<String, String>,
}

fn stage() -> Stage {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("home")).unwrap();
    fs::create_dir(root.path().join("project")).unwrap();
    Stage { root }
}

impl Stage {
    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn prepare(&self, preset: &AgentPreset) -> Result<AgentLaunch, LaunchError> {
        self.prepare_for(preset, None)
    }

    fn prepare_for(&self, preset: &AgentPreset, conversation: Option<&str>) -> Result<AgentLaunch, LaunchError> {
        let conversation = conversation.map(|id| ConversationId::new(id).unwrap());
        let folder = LaunchFolder::create_in(&self.path("run")).unwrap();
        let connect = folder.write("connect.json", format!("{{\"token\": \"{TOKEN}\"}}").as_bytes()).unwrap();
        AgentLaunch::prepare(LaunchRequest {
            preset,
            program: Path::new("/opt/patterm's/patterm"),
            connect_file: &connect,
            folder,
            project_root: &self.path("project"),
            home: &self.path("home"),
            cache: &self.path("home/.cache"),
            conversation: conversation.as_ref(),
        })
    }

    fn made(&self, preset: &AgentPreset) -> Made {
        let launch = self.prepare(preset).unwrap_or_else(|error| panic!("{error}"));
        let folder = launch.folder.path().to_owned();
        let place = folder.to_str().unwrap().to_owned();
        let text = |text: &OsString| text.to_str().unwrap().replace(&place, "FOLDER");
        let argv = launch.argv.iter().map(text).collect();
        let env = launch.env.iter().map(|(name, value)| (text(name), text(value))).collect();
        let made = Made { launch, folder, argv, env };
        made.check_privacy();
        made
    }
}

impl Made {
    fn text(&self, name: &str) -> String {
        let text = fs::read_to_string(self.folder.join(name)).unwrap();
        text.replace(self.folder.to_str().unwrap(), "FOLDER")
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).unwrap()
    }

    /// Whatever the preset: nobody else can read the files, and the token is in none of what is passed on.
    fn check_privacy(&self) {
        let mode = |path: &Path| fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&self.folder), 0o700);
        for entry in fs::read_dir(&self.folder).unwrap() {
            let path = entry.unwrap().path();
            assert_eq!(mode(&path), if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
            if path.is_file() && !path.ends_with("connect.json") {
                assert!(!fs::read_to_string(&path).unwrap().contains(TOKEN), "{}", path.display());
            }
        }
        let said = format!("{:?} {:?}", self.argv, self.env);
        assert!(!said.contains(TOKEN), "{said}");
        let debugged = format!("{:?}", self.launch);
        let told = |value: &String| value.len() > 3 && debugged.contains(value) && !self.argv.contains(value);
        assert!(!self.env.values().any(told), "values of variables in {debugged}");
    }
}

fn agent(text: &str) -> AgentPreset {
    parse_agent(Path::new("x.json"), text).unwrap_or_else(|problem| panic!("{problem}")).preset
}

fn with_injection(injection: &Value) -> AgentPreset {
    agent(&json!({"argv": ["cli", "--own", "--", "rest"], "mcp_injection": injection}).to_string())
}

fn shipped(name: &str) -> AgentPreset {
    let shipped = SHIPPED.iter().chain(MORE).find(|shipped| shipped.file_name == format!("{name}.json")).unwrap();
    parse_agent(Path::new(shipped.file_name), shipped.text).unwrap().preset
}

const SERVER: &str = "/opt/patterm's/patterm";

fn usual() -> Value {
    json!({"mcpServers": {"patterm": {"command": SERVER, "args": ["mcp-stdio", "--connect", "FOLDER/connect.json"]}}})
}

#[test]
fn a_flag_names_a_file() {
    let stage = stage();
    let made = stage.made(&with_injection(&json!({"kind": "flag_file", "flag": "--mcp-config"})));
    assert_eq!(made.argv, ["cli", "--own", "--mcp-config", "FOLDER/mcp.json", "--", "rest"]);
    assert_eq!(made.json("mcp.json"), usual());

    let at = json!({"kind": "flag_file", "flag": "--with=", "value": "@${file}", "content": {"me": "${file}"}});
    let made = stage.made(&with_injection(&at));
    assert_eq!(made.argv, ["cli", "--own", "--with=@FOLDER/mcp.json", "--", "rest"]);
    assert_eq!(made.json("mcp.json"), json!({"me": "FOLDER/mcp.json"}));

    let toml = json!({"kind": "flag_file", "flag": "-c", "format": "toml", "content": {"servers": {"p": {"args": ["${connect}"]}}}});
    let made = stage.made(&with_injection(&toml));
    let text = fs::read_to_string(made.folder.join("mcp.toml")).unwrap();
    assert!(text.contains("[servers.p]\nargs = [\""), "{text}");
}

#[test]
fn a_conversation_is_gone_on_with_at_the_end_of_the_command_line() {
    let stage = stage();
    let argv = |preset: &AgentPreset, conversation| {
        let launch = stage.prepare_for(preset, conversation).unwrap();
        launch.argv.iter().map(|word| word.to_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let own =
        agent(r#"{"argv": ["cli", "--own", "--", "rest"], "resume": {"args": ["--session", "${conversation}"]}}"#);
    assert_eq!(argv(&own, None), ["cli", "--own", "--", "rest"]);
    assert_eq!(argv(&own, Some("abc-1")), ["cli", "--own", "--session", "abc-1", "--", "rest"]);
    let without = agent(r#"{"argv": ["cli"]}"#);
    assert_eq!(argv(&without, Some("abc-1")), ["cli"], "it knows no way");
    for (name, words) in [("claude", "--resume abc-1"), ("codex", "resume abc-1"), ("opencode", "--session abc-1")] {
        assert!(argv(&shipped(name), Some("abc-1")).join(" ").ends_with(words), "{name}");
    }
}

#[test]
fn the_first_specifications_forms_have_the_usual_content() {
    let stage = stage();
    let flag = json!({"kind": "flag", "flag": "--mcp-config", "config_path": "/some/where/patterm-mcp.json"});
    let made = stage.made(&with_injection(&flag));
    assert_eq!(made.argv[2..4], ["--mcp-config", "FOLDER/patterm-mcp.json"]);
    assert_eq!(made.json("patterm-mcp.json"), usual());
    let odd = json!({"kind": "flag", "flag": "--mcp-config", "config_path": "..."});
    assert_eq!(stage.made(&with_injection(&odd)).argv[3], "FOLDER/mcp.json");
    let made = stage.made(&with_injection(&json!({"kind": "env_var", "var": "MCP_CONFIG_PATH"})));
    assert_eq!(made.env["MCP_CONFIG_PATH"], "FOLDER/mcp.json");
    assert_eq!(made.json("mcp.json"), usual());
}

#[test]
fn variables_hold_a_file_or_the_configuration_itself() {
    let stage = stage();
    let made = stage.made(&with_injection(&json!({"kind": "env_file", "var": "CONFIG", "content": {"a": 1}})));
    assert_eq!(made.env["CONFIG"], "FOLDER/mcp.json");
    assert_eq!(made.json("mcp.json"), json!({"a": 1}));
    assert_eq!(made.argv, ["cli", "--own", "--", "rest"]);

    let preset = json!({
        "argv": ["cli"],
        "env": {"CONFIG": "{\"theme\": \"mine\", \"plugin\": [\"own\"]}"},
        "mcp_injection": {"kind": "env_content", "var": "CONFIG", "content": {"mcp": {"command": ["${command}"]}}},
        "hooks_injection": {
            "kind": "env_content", "var": "CONFIG", "content": {"plugin": ["${folder:url}/p.js"]},
            "files": {"p.js": ["const connect = ${connect:json}", "`$${x}`"]},
        },
    });
    let made = stage.made(&agent(&preset.to_string()));
    let content: Value = serde_json::from_str(&made.env["CONFIG"]).unwrap();
    assert_eq!(
        content,
        json!({"theme": "mine", "plugin": ["own", "file://FOLDER/p.js"], "mcp": {"command": [SERVER]}})
    );
    let text = fs::read_to_string(made.folder.join("p.js")).unwrap();
    let connect = made.folder.join("connect.json");
    assert_eq!(text, format!("const connect = {}\n`${{x}}`\n", Value::from(connect.to_str().unwrap())));
}

#[test]
fn a_configuration_is_copied_and_the_persons_own_is_never_written() {
    let stage = stage();
    let own = stage.path("home/.codex/config.toml");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    let text = "# mine\nmodel = \"m\"\n[mcp_servers.mine]\ncommand = \"x\"\n";
    fs::write(&own, text).unwrap();
    fs::write(own.with_file_name("auth.json"), "{}").unwrap();
    fs::set_permissions(&own, fs::Permissions::from_mode(0o444)).unwrap();
    let injection = json!({
        "kind": "config_file", "path": "~/.codex/config.toml", "merge_key": "mcp_servers",
        "var": "CODEX_HOME", "points_to": "folder",
    });
    let made = stage.made(&with_injection(&injection));
    assert_eq!(made.env["CODEX_HOME"], "FOLDER/mcp-home");
    let copy = fs::read_to_string(made.folder.join("mcp-home/config.toml")).unwrap();
    assert!(copy.starts_with(text) && copy.contains("[mcp_servers.patterm]"), "{copy}");
    assert_eq!(fs::read_link(made.folder.join("mcp-home/auth.json")).unwrap(), own.with_file_name("auth.json"));
    made.launch.close().unwrap();
    assert_eq!(fs::read_to_string(&own).unwrap(), text);
    assert!(own.with_file_name("auth.json").exists(), "links go, what they point to stays");
}

#[test]
fn a_json_configuration_with_comments_is_copied_too_and_a_missing_one_is_empty() {
    let stage = stage();
    fs::write(stage.path("home/cli.json"), "{ // mine\n \"mcpServers\": {\"own\": {}}, }").unwrap();
    let injection =
        |path: &str| json!({"kind": "config_file", "path": path, "merge_key": "mcpServers", "flag": "--config"});
    let made = stage.made(&with_injection(&injection("~/cli.json")));
    assert_eq!(made.argv[2..4], ["--config", "FOLDER/cli.json"]);
    let servers = &made.json("cli.json")["mcpServers"];
    assert_eq!(servers["own"], json!({}));
    assert_eq!(servers["patterm"], usual()["mcpServers"]["patterm"]);
    let made = stage.made(&with_injection(&injection("~/nothing.json")));
    assert_eq!(made.json("nothing.json"), usual());

    fs::write(stage.path("home/cli.json"), "{").unwrap();
    let error = stage.prepare(&with_injection(&injection("~/cli.json"))).unwrap_err();
    assert!(matches!(&error, LaunchError::Config { .. }) && error.to_string().contains("cli.json"), "{error}");
}

#[test]
fn what_failed_or_ended_leaves_nothing() {
    let stage = stage();
    fs::write(stage.path("home/cli.json"), "[]").unwrap();
    let bad = json!({"kind": "config_file", "path": "~/cli.json", "flag": "-c"});
    stage.prepare(&with_injection(&bad)).unwrap_err();
    drop(stage.made(&shipped("claude")));
    stage.made(&shipped("opencode")).launch.close().unwrap();
    assert_eq!(fs::read_dir(stage.path("run")).unwrap().count(), 0);
    assert_eq!(fs::metadata(stage.path("run")).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn folders_and_environment_come_from_the_preset() {
    let stage = stage();
    let preset = agent(r#"{"argv": ["a"], "working_dir": "web", "env": {"P": "${project}/x"}, "env_unset": ["TMUX"]}"#);
    let made = stage.made(&preset);
    assert_eq!(made.launch.working_dir, stage.path("project/web"));
    assert_eq!(made.launch.env_unset, ["TMUX"]);
    assert_eq!(Path::new(&made.env["P"]), stage.path("project/x"));
}

#[test]
fn what_the_person_has_chosen_is_left_alone() {
    let stage = stage();
    let preset = |argv: &str| {
        let choice = r#"{"args": ["--mode", "careful"], "files": ["~/own.json", "local.json"], "key": "rules.mode"}"#;
        agent(&format!(r#"{{"argv": [{argv}], "defaults": [{choice}]}}"#))
    };
    let argv = |text: &str| stage.made(&preset(text)).argv;
    assert_eq!(argv(r#""a""#), ["a", "--mode", "careful"], "no file chooses");
    assert_eq!(argv(r#""a", "--mode", "bold""#), ["a", "--mode", "bold"], "the preset itself chooses");
    for (file, text, is_chosen) in [
        ("home/own.json", r#"{"rules": {"mode": "bold"}}"#, true),
        ("project/local.json", r#"{"rules": {"mode": "bold"}}"#, true),
        ("home/own.json", r#"{"rules": {"other": "x"}}"#, false),
        ("home/own.json", r#"{"rules": {"mode": null}}"#, false),
        ("home/own.json", "no JSON", false),
    ] {
        fs::write(stage.path(file), text).unwrap();
        assert_eq!(argv(r#""a""#).len() == 1, is_chosen, "{file}: {text}");
        assert_eq!(fs::read_to_string(stage.path(file)).unwrap(), text);
        fs::remove_file(stage.path(file)).unwrap();
    }
}

#[test]
fn the_persons_own_servers_stay_unless_the_preset_is_strict() {
    let stage = stage();
    let mut preset = shipped("claude");
    assert!(!stage.made(&preset).argv.contains(&"--strict-mcp-config".into()));
    preset.strict_mcp = true;
    assert!(stage.made(&preset).argv.contains(&"--strict-mcp-config".into()));
}

#[test]
fn claude_gets_its_servers_and_hooks_by_flags() {
    let stage = stage();
    let made = stage.made(&shipped("claude"));
    assert_eq!(
        made.argv,
        [
            "claude",
            "--allowedTools",
            "mcp__patterm",
            "--mcp-config",
            "FOLDER/mcp.json",
            "--settings",
            "FOLDER/hooks.json",
            "--permission-mode",
            "default",
        ]
    );
    let mut servers = usual();
    servers["mcpServers"]["patterm"]["alwaysLoad"] = true.into();
    assert_eq!(made.json("mcp.json"), servers, "or its model is not shown our tools");
    let hooks = &made.json("hooks.json")["hooks"];
    let command = hooks["Stop"][0]["hooks"][0]["command"].as_str().unwrap();
    assert_eq!(command, r#"sh "$AGENT_EVENT" Stop"#, "it is kept in transcripts: nothing of ours is in it");
    assert!(made.env["AGENT_EVENT"].ends_with("FOLDER/event.sh"), "{}", made.env["AGENT_EVENT"]);
    assert_eq!(
        made.text("event.sh"),
        "'/opt/patterm'\\''s/patterm' hook --connect 'FOLDER/connect.json' \"$1\" >/dev/null 2>&1 || true\n"
    );
    for event in ["UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "Notification"] {
        assert!(hooks[event][0]["hooks"][0]["command"].as_str().unwrap().contains(event));
    }
    // Its log of MCP servers goes with the launch; what it starts has the person's folder again.
    assert_eq!(made.env["XDG_CACHE_HOME"], "FOLDER/cache");
    let cache = stage.path("home/.cache");
    assert_eq!(made.json("hooks.json")["env"], json!({ "XDG_CACHE_HOME": cache }));
    assert_eq!(made.env["TERM_PROGRAM"], "ghostty");
    assert!(made.launch.env_unset.contains(&"CLAUDECODE".into()));
}

#[test]
fn codex_gets_its_server_by_arguments_that_are_toml() {
    let stage = stage();
    let made = stage.made(&shipped("codex"));
    assert_eq!(made.argv[..2], ["codex", "--no-alt-screen"]);
    let settings: Vec<&String> = made.argv[2..]
        .chunks(2)
        .map(|pair| {
            assert_eq!(pair[0], "-c");
            &pair[1]
        })
        .collect();
    // Each setting is a TOML assignment: codex reads its right side as TOML.
    let text = settings.iter().map(|setting| format!("{setting}\n")).collect::<String>();
    let document: toml_edit::DocumentMut = text.parse().unwrap();
    let server = &document["mcp_servers"]["patterm"];
    assert_eq!(server["command"].as_str(), Some(SERVER));
    let args: Vec<_> = server["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
    assert_eq!(args, ["mcp-stdio", "--connect", "FOLDER/connect.json"]);
    assert_eq!(server["default_tools_approval_mode"].as_str(), Some("approve"));
    assert_eq!(server["tool_timeout_sec"].as_integer(), Some(660));
    assert_eq!(document["log_dir"].as_str(), Some("FOLDER"), "its log goes with the launch");
    assert_eq!(document["check_for_update_on_startup"].as_bool(), Some(false), "it would ask whether it may update");
    assert!(made.env.is_empty());
}

#[test]
fn opencode_gets_server_and_plugin_in_one_variable() {
    let stage = stage();
    let made = stage.made(&shipped("opencode"));
    assert_eq!(made.argv, ["opencode", "--log-level", "WARN"]);
    let content: Value = serde_json::from_str(&made.env["OPENCODE_CONFIG_CONTENT"]).unwrap();
    assert_eq!(content["mcp"]["patterm"]["command"], json!([SERVER, "mcp-stdio", "--connect", "FOLDER/connect.json"]));
    assert_eq!(content["mcp"]["patterm"]["type"], "local");
    assert_eq!(content["plugin"], json!(["file://FOLDER/patterm-plugin.js"]));
    let plugin = fs::read_to_string(made.folder.join("patterm-plugin.js")).unwrap();
    assert!(plugin.contains(&Value::from(SERVER).to_string()), "{plugin}");
}

/// Whatever the CLI: the file that holds the token is named, never what is in it, and nothing is left at the end. That
/// files are private and without the token is looked at for each launch.
#[test]
fn every_shipped_preset_gives_our_server_and_leaves_nothing() {
    let stage = stage();
    for shipped_preset in SHIPPED.iter().chain(MORE) {
        let made = stage.made(&shipped(shipped_preset.program()));
        assert_eq!(made.argv[0], shipped_preset.program());
        let files = fs::read_dir(&made.folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let passed: String = files.filter(|name| name != "connect.json").map(|name| made.text(&name)).collect();
        let passed = format!("{passed} {:?} {:?}", made.argv, made.env);
        for part in ["mcp-stdio", "--connect", "FOLDER/connect.json"] {
            assert!(passed.contains(part), "{}: no {part} in {passed}", shipped_preset.program());
        }
        drop(made.launch);
        assert!(!made.folder.exists());
    }
}

#[test]
fn gemini_gets_its_server_in_the_place_of_the_machines_settings() {
    let stage = stage();
    let made = stage.made(&shipped("gemini"));
    assert_eq!(made.argv, ["gemini"]);
    assert_eq!(made.env["GEMINI_CLI_SYSTEM_SETTINGS_PATH"], "FOLDER/mcp.json");
    let server = &made.json("mcp.json")["mcpServers"]["patterm"];
    assert_eq!(server["command"], SERVER);
    assert_eq!(server["args"], usual()["mcpServers"]["patterm"]["args"]);
    assert_eq!((&server["trust"], &server["timeout"]), (&json!(true), &json!(660_000)));
}

#[test]
fn copilot_qwen_and_goose_get_their_server_by_flags() {
    let stage = stage();
    let made = stage.made(&shipped("copilot"));
    assert_eq!(made.argv, ["copilot", "--allow-tool", "patterm", "--additional-mcp-config", "@FOLDER/mcp.json"]);
    let server = &made.json("mcp.json")["mcpServers"]["patterm"];
    assert_eq!((&server["command"], &server["tools"]), (&json!(SERVER), &json!(["*"])));

    let made = stage.made(&shipped("qwen"));
    assert_eq!(made.argv, ["qwen", "--exclude-tools", "tool_search", "--mcp-config", "FOLDER/mcp.json"]);
    assert_eq!(made.json("mcp.json")["mcpServers"]["patterm"]["trust"], true);

    let made = stage.made(&shipped("goose"));
    assert_eq!(made.argv[..3], ["goose", "session", "--with-extension"]);
    assert_eq!(made.argv[3], "'/opt/patterm'\\''s/patterm' mcp-stdio --connect 'FOLDER/connect.json'");
}
