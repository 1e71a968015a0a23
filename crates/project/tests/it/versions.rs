//! The version of an agent's CLI: asked once a file, told where it may explain what people see.

use std::{os::unix::fs::PermissionsExt, path::Path};

use ops::ErrorKind;
use project::ProjectEvent;
use serde_json::{Value, json};

use crate::{
    spawning::Doors,
    stage::{Setting, Stage, until},
};

/// A program that tells its version, notes that it was asked, and otherwise draws a prompt.
fn cli(stage: &Stage, version: &str) {
    let file = stage.root().join("cli.sh");
    let asked = stage.root().join("asked");
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && {{ echo x >> {}; echo \"cli {version} (of a test)\"; exit 0; }}\n\
         printf 'prompt> '; read line; echo \"$line\"; read line\n",
        asked.display()
    );
    // In place, so that the file is another one by its time and size.
    std::fs::write(&file, script).unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).unwrap();
}

fn preset(stage: &Stage, name: &str, versions: &Value) {
    let folder = stage.root().join("config/presets/agents");
    std::fs::create_dir_all(&folder).unwrap();
    let program = stage.root().join("cli.sh").display().to_string();
    let preset = json!({"argv": [program, "--interactive"], "install": "get it", "versions": versions,
        "rules": [{"name": "prompt", "when": {"screen": "prompt> "}, "state": "idle"}]});
    std::fs::write(folder.join(format!("{name}.json")), preset.to_string()).unwrap();
    stage.project.presets().reload();
}

fn stage() -> Stage {
    Stage::with(Setting { identities: Doors::new(), told: false, ..Setting::default() })
}

fn times_asked(root: &Path) -> usize {
    std::fs::read_to_string(root.join("asked")).unwrap_or_default().lines().count()
}

async fn started(stage: &Stage, preset: &str) -> String {
    let reply = stage.json("spawn_agent", json!({"agent": preset})).await.unwrap();
    reply["process_id"].as_str().unwrap().to_owned()
}

async fn version(stage: &Stage, id: &str) -> Value {
    let project = stage.project.clone();
    let session = stage.engine().find(id).unwrap().id();
    until("its version is known", || project.crew().version(session).is_some()).await;
    stage.json("explain_state", json!({"process_id": id})).await.unwrap()["version"].clone()
}

async fn note(stage: &mut Stage) -> String {
    loop {
        if let ProjectEvent::VersionNote { note, .. } = stage.event().await {
            return note;
        }
    }
}

#[tokio::test]
async fn a_version_is_asked_once_a_file_and_a_newer_one_is_told_once() {
    let mut stage = stage();
    cli(&stage, "1.0.0");
    preset(&stage, "cli", &json!({"tested": ["1.0.0"]}));
    for _ in 0..2 {
        let id = started(&stage, "cli").await;
        assert_eq!(version(&stage, &id).await, json!({"found": "1.0.0", "fit": "tested"}));
    }
    assert_eq!(times_asked(stage.root()), 1);
    cli(&stage, "1.2.3-rc.1");
    for _ in 0..2 {
        let id = started(&stage, "cli").await;
        let told = version(&stage, &id).await;
        assert_eq!((&told["found"], &told["fit"]), (&json!("1.2.3-rc.1"), &json!("newer")), "{told}");
        assert!(told["note"].as_str().unwrap().starts_with("cli 1.2.3-rc.1 is newer than 1.0.0"), "{told}");
    }
    assert_eq!(times_asked(stage.root()), 2);
    assert!(note(&mut stage).await.contains("newer than 1.0.0"));
    cli(&stage, "2.0.0 and more");
    started(&stage, "cli").await;
    assert!(note(&mut stage).await.starts_with("cli 2.0.0 is newer"), "the second of one version was not told again");
    stage.close().await;
}

#[tokio::test]
async fn an_agent_that_ended_says_that_its_cli_is_too_old() {
    let mut stage = stage();
    cli(&stage, "0.9.1");
    preset(&stage, "cli", &json!({"oldest": "1.0"}));
    let args = json!({"agent": "cli", "agent_instructions": "go"});
    let reply = stage.json("spawn_agent", args).await.unwrap();
    let sentence = "cli 0.9.1 is older than 1.0, the oldest version that its preset works with; update it: get it";
    assert_eq!(note(&mut stage).await, sentence);
    let id = reply["process_id"].clone();
    version(&stage, id.as_str().unwrap()).await;
    stage.json("stop_process", json!({"process_id": id})).await.unwrap();
    let waited = json!({"process_id": id, "states": ["exited"]});
    let waited = stage.json("wait_for_state", waited).await.unwrap();
    assert!(waited["state"]["detail"].as_str().unwrap().ends_with(sentence), "{waited}");
    stage.close().await;
}

#[tokio::test]
async fn programs_that_tell_nothing_are_asked_no_more_and_agents_run_all_the_same() {
    let stage = stage();
    cli(&stage, "unknown");
    preset(&stage, "cli", &json!({"tested": ["1.0"]}));
    preset(&stage, "silent", &Value::Null);
    let id = started(&stage, "cli").await;
    let asked = stage.root().to_owned();
    until("it was asked", || times_asked(&asked) == 1).await;
    for preset in ["cli", "silent"] {
        started(&stage, preset).await;
    }
    let explained = stage.json("explain_state", json!({"process_id": id})).await.unwrap();
    assert_eq!(explained.get("version"), None, "{explained}");
    let args = json!({"process_id": id, "seconds": 0});
    assert_eq!(stage.refusal(&ops::Caller::operator(), "report_state", args).await, ErrorKind::InvalidArgs);
    stage.close().await;
}

#[tokio::test]
async fn a_report_is_written_for_the_person_alone() {
    let stage = stage();
    cli(&stage, "1.0.0");
    preset(&stage, "cli", &json!({"tested": ["1.0.0"]}));
    let id = started(&stage, "cli").await;
    version(&stage, &id).await;
    let session = stage.engine().find(&id).unwrap();
    crate::stage::line(&session, "^prompt>").await;
    let reply = stage.json("report_state", json!({"process_id": id, "should_be": "working"})).await.unwrap();
    let file = reply["file"].as_str().unwrap();
    assert!(file.contains("/reports/cli-1.0.0-p_") && file.ends_with(".report.json"), "{reply}");
    assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    let report = agents::report::StateReport::parse(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!((report.agent.as_str(), report.version.as_deref()), ("cli", Some("1.0.0")));
    assert_eq!(report.should_be, Some(agents::State::Working));
    let (agent, _) = stage.agent(None).await;
    let args = json!({"process_id": agent.id().to_string()});
    assert_eq!(stage.refusal(&ops::Caller::operator(), "report_state", args).await, ErrorKind::WrongKind);
    stage.close().await;
}
