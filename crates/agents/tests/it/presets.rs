//! Preset files: what is read, what is wrong with them, and following their folders.

use std::fs;
use std::path::{Path, PathBuf};

use agents::preset::{
    AgentPreset, Catalog, MAX_PRESET_BYTES, Place, PresetContent, PresetFolders, PresetStore, Problem, Severity,
    agent_schema, install_shipped, parse_agent, parse_process, process_schema,
};
use testkit::{DEADLINE, wait_until};

struct Stage {
    _root: tempfile::TempDir,
    folders: PresetFolders,
}

fn stage() -> Stage {
    let root = tempfile::tempdir().unwrap();
    let folders =
        PresetFolders { global: root.path().join("global"), project: Some(root.path().join("project/presets")) };
    Stage { _root: root, folders }
}

impl Stage {
    fn global(&self, path: &str, text: &str) -> PathBuf {
        write(&self.folders.global.join(path), text)
    }

    fn project(&self, path: &str, text: &str) -> PathBuf {
        write(&self.folders.project.as_ref().unwrap().join(path), text)
    }

    fn scan(&self) -> Catalog {
        Catalog::scan(&self.folders)
    }
}

fn write(path: &Path, text: &str) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    path.to_owned()
}

fn agent_problem(text: &str) -> Problem {
    parse_agent(Path::new("x.json"), text).map(|parsed| parsed.preset).expect_err("the preset is wrong")
}

fn agent(text: &str) -> AgentPreset {
    parse_agent(Path::new("x.json"), text).unwrap_or_else(|problem| panic!("{problem}")).preset
}

#[test]
fn comments_and_trailing_commas_are_welcome() {
    let preset = agent("\u{feff}// mine\n{ /* all of it */ \"argv\": [\"a\", \"b\",], }\n");
    assert_eq!((preset.name.as_str(), preset.argv.len()), ("x", 2));
    assert_eq!((preset.idle_ms, preset.sub_agent_preface), (1000, true));
}

#[test]
fn a_mistake_is_named_with_its_place() {
    for (text, line, column, words) in [
        ("{\n  \"argv\": [\"a\"],\n  \"argvv\": []\n}", 3, 3, "argvv"),
        ("{\n  \"argv\": \"a\"\n}", 2, 11, "sequence"),
        ("{ \"argv\": [\"a\" }", 1, 16, ""),
        ("{\n\"argv\": [\"a\"],\n\"rules\": [{\"name\": \"r\", \"state\": \"busy\", \"when\": {}}]}", 3, 34, "busy"),
        (
            "{\n\"argv\": [\"a\"],\n\"rules\": [{\"name\": \"r\", \"state\": \"idle\",\n \"when\": {\"title\": \"(\"}}]}",
            4,
            20,
            "regular expression",
        ),
        ("{\"argv\": [\"a\"], \"mcp_injection\": {\"kind\": \"magic\"}}", 1, 43, "magic"),
        ("{\"argv\": [\"a\"], \"env\": {\"A\": 1}}", 1, 30, "string"),
    ] {
        let problem = agent_problem(text);
        assert!(problem.message.contains(words), "{problem} should name {words}");
        assert_eq!(problem.line, Some(line), "{problem}");
        // At the end of what is wrong.
        assert!(problem.column.is_some_and(|found| (column..column + 12).contains(&found)), "{problem}, not {column}");
        assert!(problem.to_string().starts_with(&format!("x.json:{line}:")), "{problem}");
    }
}

#[test]
fn what_can_be_read_but_not_used_says_what_to_do() {
    for (text, words) in [
        ("{\"argv\": []}", "names no program"),
        ("{\"argv\": [\"\"]}", "names no program"),
        ("[1]", "one JSON object"),
        ("", "one JSON object"),
        ("{\"argv\": [\"a\"], \"name\": \" x\"}", "blank"),
        ("{\"argv\": [\"a\"], \"env\": {\"A=B\": \"1\"}}", "name of a variable"),
        ("{\"argv\": [\"${nope}\"]}", "no placeholder `nope`"),
        ("{\"argv\": [\"a\"], \"mcp_injection\": {\"kind\": \"args\", \"args\": [\"${file}\"]}}", "renders no file"),
        (
            "{\"argv\": [\"a\"], \"mcp_injection\": {\"kind\": \"args\", \"args\": [], \"files\": {\"../x\": \"\"}}}",
            "not a plain file name",
        ),
        ("{\"argv\": [\"a\"], \"hooks_injection\": {\"kind\": \"env_file\", \"var\": \"X\"}}", "add `content`"),
        (
            "{\"argv\": [\"a\"], \"rules\": [{\"name\": \"r\", \"state\": \"idle\", \"when\": {\"screen\": \"x\", \"region\": \"end\"}}]}",
            "region 'end'",
        ),
        ("{\"argv\": [\"a\"], \"rules\": [{\"name\": \"r\", \"state\": \"idle\", \"when\": {}}]}", "empty `when`"),
        ("{\"argv\": [\"a\"], \"submit\": {\"input_box\": \"^> .*\"}}", "group named text"),
    ] {
        let problem = agent_problem(text);
        assert!(problem.message.contains(words), "{text}: {problem}");
        assert_eq!(problem.severity, Severity::Error);
    }
    let long = format!("{{\"argv\": [\"{}\"]}}", "a".repeat(MAX_PRESET_BYTES));
    assert!(agent_problem(&long).message.contains("at most"));
    let deep = "[".repeat(200_000);
    assert!(!agent_problem(&deep).message.is_empty());
}

#[test]
fn a_copied_configuration_that_nothing_names_is_a_warning() {
    let text = r#"{"argv": ["codex"], "mcp_injection":
        {"kind": "config_file", "path": "~/.codex/config.toml", "merge_key": "mcp_servers"}}"#;
    let parsed = parse_agent(Path::new("x.json"), text).unwrap();
    assert_eq!(parsed.warnings.len(), 1);
    assert_eq!(parsed.warnings[0].severity, Severity::Warning);
}

#[test]
fn the_forms_of_the_first_specification_are_read() {
    for injection in [
        r#"{ "kind": "flag", "flag": "--mcp-config", "config_path": "..." }"#,
        r#"{ "kind": "config_file", "path": "~/.codex/config.toml", "merge_key": "mcp_servers" }"#,
        r#"{ "kind": "env_var", "var": "MCP_CONFIG_PATH" }"#,
    ] {
        agent(&format!("{{\"argv\": [\"a\"], \"mcp_injection\": {injection}}}"));
    }
    let process = r#"{"name": "bun run dev", "argv": ["bun", "run", "dev"], "shell": true, "env": {"A": "b"}}"#;
    let process = parse_process(Path::new("dev.json"), process).unwrap().preset;
    assert_eq!(process.command(), ["sh", "-lc", "bun run dev"]);
}

#[test]
fn a_bad_file_hides_no_other() {
    let stage = stage();
    stage.global("agents/good.json", "{\"argv\": [\"a\"]}");
    let bad = stage.global("agents/bad.json", "{");
    stage.global("agents/.hidden.json", "{");
    stage.global("agents/notes.txt", "{");
    stage.global("processes/dev.json", "{\"argv\": [\"make\"], \"name\": \"make dev\"}");
    let catalog = stage.scan();
    assert_eq!(catalog.agents().map(|found| found.preset.name.as_str()).collect::<Vec<_>>(), ["good"]);
    assert!(catalog.process("make dev").is_some());
    assert_eq!(catalog.problems.iter().map(|problem| &problem.file).collect::<Vec<_>>(), [&bad]);
}

#[test]
fn odd_files_are_reported_and_never_waited_for() {
    let stage = stage();
    stage.global("agents/good.json", "{\"argv\": [\"a\"]}");
    let folder = stage.folders.global.join("agents");
    rustix::fs::mkfifoat(rustix::fs::CWD, folder.join("pipe.json"), rustix::fs::Mode::RWXU).unwrap();
    fs::create_dir(folder.join("folder.json")).unwrap();
    fs::write(folder.join("bytes.json"), [0xff, 0xfe]).unwrap();
    fs::write(folder.join("long.json"), vec![b' '; MAX_PRESET_BYTES + 1]).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.join("dangling.json")).unwrap();
    let catalog = stage.scan();
    assert_eq!(catalog.agents().len(), 1);
    let mut files: Vec<_> =
        catalog.problems.iter().map(|problem| problem.file.file_name().unwrap().to_str().unwrap()).collect();
    files.sort_unstable();
    assert_eq!(files, ["bytes.json", "folder.json", "long.json", "pipe.json"]);
}

#[test]
fn the_projects_presets_override_by_name_and_are_marked() {
    let stage = stage();
    stage.global("agents/claude.json", "{\"argv\": [\"claude\"]}");
    stage.global("agents/codex.json", "{\"argv\": [\"codex\"]}");
    stage.project("agents/mine.json", "{\"name\": \"claude\", \"argv\": [\"other\"]}");
    stage.project("agents/extra.json", "{\"argv\": [\"extra\"]}");
    let catalog = stage.scan();
    let place = |name: &str| catalog.agent(name).map(|found| (found.place, found.preset.argv[0].as_str()));
    assert_eq!(place("claude"), Some((Place::Project { overrides: true }, "other")));
    assert_eq!(place("extra"), Some((Place::Project { overrides: false }, "extra")));
    assert_eq!(place("codex"), Some((Place::Global, "codex")));
    assert_eq!(catalog.problems, []);
}

#[test]
fn two_files_of_one_name_are_a_problem_that_names_both() {
    let stage = stage();
    stage.global("agents/a.json", "{\"name\": \"x\", \"argv\": [\"first\"]}");
    stage.global("agents/b.json", "{\"name\": \"x\", \"argv\": [\"second\"]}");
    let catalog = stage.scan();
    assert_eq!(catalog.agent("x").unwrap().preset.argv, ["first"]);
    let [problem] = &catalog.problems[..] else { panic!("{:?}", catalog.problems) };
    assert!(problem.file.ends_with("b.json") && problem.message.contains("a.json"), "{problem}");
}

#[test]
fn comments_keep_the_hash_and_changes_are_shown() {
    let parse = |text: &str| parse_agent(Path::new("x.json"), text).unwrap().content;
    let old = parse("{\"argv\": [\"a\"], \"env\": {\"KEY\": \"secret\"}}");
    let same = parse("// new comment\n{\"env\": {\"KEY\": \"secret\"},\n \"argv\": [\"a\"]}");
    assert_eq!(old.hash(), same.hash());
    let new = parse("{\"argv\": [\"a\", \"--yolo\"], \"env\": {\"KEY\": \"other\"}}");
    let kept = PresetContent::from_canonical(&old.canonical()).unwrap();
    let lines: Vec<String> = new.changes_since(&kept).iter().map(ToString::to_string).collect();
    assert_eq!(lines, ["argv[1]: added \"--yolo\"", "env.KEY: changed"]);
}

#[test]
fn the_schemas_know_every_field() {
    let agent = serde_json::to_string(&agent_schema()).unwrap();
    for field in
        ["mcp_injection", "flag_file", "env_content", "ready_signal", "chrome_trim_hints", "idle_ms", "$schema"]
    {
        assert!(agent.contains(&format!("\"{field}\"")), "{field}");
    }
    let process = serde_json::to_value(process_schema()).unwrap();
    assert_eq!(process["additionalProperties"], false);
    assert!(process["properties"]["shell"].is_object());
}

/// Waits for the change a subscriber is told of.
fn wait_for(presets: &PresetStore, reason: &str, holds: impl Fn(&Catalog) -> bool) {
    let mut changes = presets.subscribe();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let waited =
        runtime.block_on(async { tokio::time::timeout(DEADLINE, changes.wait_for(|catalog| holds(catalog))).await });
    let catalog = presets.current();
    assert!(waited.is_ok(), "waited in vain until {reason}; problems: {:?}", catalog.problems);
}

#[test]
fn edits_are_followed_as_they_happen() {
    let stage = stage();
    install_shipped(&stage.folders.global).unwrap();
    let presets = PresetStore::open(stage.folders.clone());
    assert_eq!(presets.current().agents().len(), 3);

    let file = stage.global("agents/mine.json", "{\"argv\": [\"one\"]}");
    wait_for(&presets, "a new file is there", |catalog| catalog.agent("mine").is_some());
    let old = presets.current().agent("mine").unwrap().hash.clone();

    // As editors do: a new file takes the old one's place.
    let part = stage.global("agents/mine.json.tmp", "{\"argv\": [\"two\"]}");
    fs::rename(part, &file).unwrap();
    wait_for(&presets, "the edit is there", |catalog| catalog.agent("mine").unwrap().hash != old);

    fs::write(&file, "{").unwrap();
    wait_for(&presets, "the mistake is reported", |catalog| !catalog.problems.is_empty());
    assert!(presets.current().agent("mine").is_none());
    assert_eq!(presets.current().agents().len(), 3);

    fs::remove_file(&file).unwrap();
    wait_for(&presets, "the problem is gone with its file", |catalog| catalog.problems.is_empty());
}

#[test]
fn folders_that_are_made_later_or_come_back_are_followed() {
    let stage = stage();
    let presets = PresetStore::open(stage.folders.clone());
    assert_eq!(presets.current().agents().len(), 0);
    for round in 0..2 {
        stage.project("agents/late.json", &format!("{{\"argv\": [\"{round}\"]}}"));
        wait_for(&presets, "the project's preset is there", |catalog| catalog.agent("late").is_some());
        fs::remove_dir_all(stage.folders.project.as_ref().unwrap()).unwrap();
        wait_for(&presets, "it is gone", |catalog| catalog.agent("late").is_none());
    }
    stage.global("processes/dev.json", "{\"argv\": [\"make\"]}");
    wait_for(&presets, "the global one is there", |catalog| catalog.process("dev").is_some());
}

#[test]
fn dropping_the_presets_ends_their_threads() {
    let stage = stage();
    let presets = PresetStore::open(stage.folders.clone());
    let mut changes = presets.subscribe();
    drop(presets);
    wait_until("the watch has ended", || {
        changes.has_changed().is_err() && !testkit::threads().iter().any(|thread| thread.name == "presets")
    });
    assert_eq!(changes.borrow_and_update().agents().len(), 0);
}
