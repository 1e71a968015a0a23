//! Nothing that a preset runs, sets or allows is left out of what a person is asked.

use std::collections::BTreeSet;
use std::path::Path;

use schemars::Schema;
use serde_json::{Value, json};

use super::*;
use crate::preset::{agent_schema, parse_agent, parse_process, process_schema};

fn agent(value: &Value) -> AgentPreset {
    parse_agent(Path::new("reviewer.json"), &value.to_string()).unwrap_or_else(|problem| panic!("{problem}")).preset
}

fn text(facts: &[RunFact]) -> String {
    facts.iter().map(|fact| format!("{}: {}\n", fact.label, fact.lines.join("\n  "))).collect()
}

fn properties(schema: &Schema) -> BTreeSet<String> {
    schema.as_value()["properties"].as_object().unwrap().keys().cloned().collect()
}

/// Words that stand for nothing, one for each place that something can be said in.
const AGENT: &str = r#"{
    "argv": ["prog", "SEEN-argv"],
    "working_dir": "SEEN-working_dir",
    "env": { "SEEN_ENV": "SEEN-env" },
    "env_unset": ["SEEN-env_unset"],
    "mcp_injection": { "kind": "flag_file", "flag": "--SEEN-flag", "value": "SEEN-value=${file}",
        "content": { "SEEN-content": "${connect}" }, "files": { "SEEN-name.sh": ["SEEN-file"] } },
    "strict_mcp": true, "strict_mcp_args": ["--SEEN-strict"],
    "resume": { "args": ["SEEN-resume", "${conversation}"], "open_file": "SEEN-open-(?<id>.)" },
    "defaults": [{ "args": ["--SEEN-default"], "files": ["SEEN-settings"], "key": "SEEN-key" }],
    "hooks_injection": { "kind": "env_content", "var": "SEEN_VAR", "content": { "hooks": "SEEN-hook" } },
    "permissions": { "allow": ["shell: SEEN-allow"], "answer_questions": true },
    "versions": { "ask": ["SEEN-ask"] }, "rules_version": 3,
    "regions": { "SEEN-region": { "from_row": 1 } },
    "prompts": [{ "name": "SEEN-prompt", "screen": "SEEN-screen", "choice": "SEEN-choice" }],
    "rules": [{ "name": "SEEN-rule", "when": { "title": "SEEN-title" }, "state": "idle" }],
    "modes": [{ "name": "SEEN-mode", "when": { "screen": "SEEN-mode-sign" } }],
    "ready_signal": { "when": { "title": "SEEN-ready" } },
    "submit": { "completion": "SEEN-completion" },
    "chrome_trim_hints": ["SEEN-trim"],
    "name": "x", "$schema": "x", "install": "x", "idle_ms": 5, "sub_agent_preface": false
}"#;

/// Fields without a word in the facts, each with a reason in `of_agent`.
const SILENT: [&str; 7] = ["$schema", "idle_ms", "install", "name", "rules_version", "strict_mcp", "sub_agent_preface"];

fn seen_words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c));
    words.filter(|word| word.trim_start_matches('-').starts_with("SEEN")).map(str::to_owned).collect()
}

#[test]
fn every_field_of_an_agent_preset_that_does_something_is_told() {
    let value: Value = serde_json::from_str(AGENT).unwrap();
    let given: BTreeSet<String> = value.as_object().unwrap().keys().cloned().collect();
    assert_eq!(given, properties(&agent_schema()), "a new field: say here what it looks like");
    let told = text(&of_agent(&agent(&value)));
    for word in seen_words(AGENT) {
        assert!(told.contains(&word), "{word} is not told:\n{told}");
    }
    for (field, value) in value.as_object().unwrap() {
        assert!(SILENT.contains(&field.as_str()) || value.to_string().contains("SEEN"), "{field} has no word");
    }
}

#[test]
fn every_field_of_a_process_preset_is_told() {
    let value = json!({
        "argv": ["SEEN-argv"], "shell": true, "env": { "PATH": "SEEN-env" }, "env_unset": ["SEEN-unset"],
        "working_dir": "SEEN-dir", "name": "x", "$schema": "x",
    });
    let given: BTreeSet<String> = value.as_object().unwrap().keys().cloned().collect();
    assert_eq!(given, properties(&process_schema()), "a new field: say here what it looks like");
    let preset = parse_process(Path::new("dev.json"), &value.to_string()).unwrap().preset;
    assert_eq!(
        text(&of_process(&preset)),
        "command: sh -lc SEEN-argv\nfolder: SEEN-dir\nsets PATH: SEEN-env\ntakes away: SEEN-unset\n"
    );
}

#[test]
fn every_kind_of_injection_is_told() {
    let content = json!({ "SEEN-content": 1 });
    let files = json!({ "SEEN-name.sh": "SEEN-file" });
    for injection in [
        json!({ "kind": "flag_file", "flag": "--SEEN-flag", "content": content, "files": files }),
        json!({ "kind": "flag_file", "flag": "--SEEN-flag", "content": content, "format": "toml" }),
        json!({ "kind": "args", "args": ["SEEN-arg"], "files": files }),
        json!({ "kind": "env_content", "var": "SEEN_VAR", "content": content, "files": files }),
        json!({ "kind": "env_file", "var": "SEEN_VAR", "content": content, "files": files }),
        json!({ "kind": "config_file", "path": "~/SEEN-path.toml", "merge_key": "SEEN-key", "content": content,
                "flag": "--SEEN-flag", "var": "SEEN_VAR", "points_to": "folder", "files": files }),
        json!({ "kind": "flag", "flag": "--SEEN-flag", "config_path": "SEEN-name.json" }),
        json!({ "kind": "env_var", "var": "SEEN_VAR" }),
    ] {
        for field in ["mcp_injection", "hooks_injection"] {
            let value = json!({ "argv": ["prog"], field: injection });
            let Ok(parsed) = parse_agent(Path::new("x.json"), &value.to_string()) else {
                // Hooks need a content.
                assert!(field == "hooks_injection" && injection.get("content").is_none(), "{injection}");
                continue;
            };
            let told = text(&of_agent(&parsed.preset));
            for word in seen_words(&injection.to_string()) {
                assert!(told.contains(&word), "{word} is not told of {injection}:\n{told}");
            }
        }
    }
}

#[test]
fn the_command_is_the_one_that_runs() {
    let value = json!({
        "argv": ["nice"],
        "mcp_injection": { "kind": "args", "args": ["sh", "-c", "id > 'PWNED'; sleep 300"] },
    });
    let facts = of_agent(&agent(&value));
    assert_eq!(text(&facts), "command: nice sh -c 'id > '\\''PWNED'\\''; sleep 300'\nfolder: the project's\n");
    assert!(!format!("{facts:?}").contains("PWNED"), "Debug shows no values");
}

#[test]
fn borders_of_words_can_be_seen() {
    for (word, seen) in [("cargo", "cargo"), ("a b", "'a b'"), ("", "''"), ("a\nb", r"'a\nb'"), ("it's", r"'it'\''s'")]
    {
        assert_eq!(quoted(word), seen);
    }
}
