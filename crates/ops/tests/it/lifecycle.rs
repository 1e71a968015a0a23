//! Starting, ending and naming sessions.

use std::{path::PathBuf, sync::Arc};

use ops::{Call, Caller, Context, ErrorKind, Host, OpError, Preset, RecordingEvent, RecordingRules, StartRequest};
use serde_json::{Value, json};
use testkit::Script;
use tokio::sync::Notify;

use crate::stage::{Stage, ended, id, line, soon};

fn words(script: Script) -> Vec<String> {
    script.argv().into_iter().map(|word| word.into_string().unwrap()).collect()
}

async fn status(stage: &Stage, session: &str) -> Value {
    stage.json("get_process_status", json!({"process_id": session})).await.unwrap()
}

#[tokio::test]
async fn a_command_runs_where_and_how_it_is_told() {
    let stage = Stage::new();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let argv = words(Script::new().cwd().size().print_env("COLOUR").exit(7));
    let args = json!({
        "argv": argv, "name": "task", "working_dir": folder, "env": {"COLOUR": "green"}, "cols": 100, "rows": 33,
    });
    let reply = stage.json("spawn_process", args).await.unwrap();
    assert_eq!(reply["name"], "task");
    let session = stage.engine().find("task").unwrap();
    assert_eq!(reply["process_id"], id(&session));
    ended(&session).await;
    let text = session.grid_text().1;
    for expected in [folder.to_str().unwrap(), "100", "33", "green"] {
        assert!(text.replace('\n', "").contains(expected), "{expected} in {text}");
    }
    let status = status(&stage, "task").await;
    assert_eq!(
        (&status["status"], &status["exit_code"], &status["kind"]),
        (&json!("exited"), &json!(7), &json!("command"))
    );
    assert_eq!((&status["cols"], &status["rows"]), (&json!(100), &json!(33)));
    assert_eq!((&status["idle_state"], &status["argv"]), (&json!("exited"), &json!(argv)));
    assert_eq!(status["working_dir"], folder.to_str().unwrap());
    assert!(status.get("signal").is_none() && status.get("pid").is_none(), "{status}");
    for time in ["created_at", "started_at", "exited_at"] {
        assert!(status[time].as_str().is_some_and(|time| time.ends_with('Z')), "{time} in {status}");
    }
    // The environment is nobody's business.
    assert!(!status.to_string().contains("green"), "{status}");
    stage.close().await;
}

#[tokio::test]
async fn kinds_and_names_have_defaults() {
    let stage = Stage::new();
    let terminal = stage.json("spawn_process", json!({})).await.unwrap();
    assert_eq!(terminal["name"], "terminal-1");
    assert_eq!(status(&stage, "terminal-1").await["kind"], "terminal");
    let shell =
        stage.json("spawn_process", json!({"argv": ["echo", "one;", "echo", "$0"], "shell": true})).await.unwrap();
    assert_eq!(shell["name"], "command-1");
    let session = stage.engine().find("command-1").unwrap();
    assert_eq!(line(&session, "^one$").await, "one");
    assert_eq!(status(&stage, "command-1").await["argv"], json!(["sh", "-lc", "echo one; echo $0"]));
    stage.close().await;
}

#[tokio::test]
async fn wrong_starts_are_refused_and_leave_nothing() {
    let stage = Stage::new();
    stage.json("spawn_process", json!({"name": "taken"})).await.unwrap();
    use ErrorKind::*;
    for (args, kind) in [
        (json!({"name": "taken"}), AlreadyExists),
        (json!({"name": "a b"}), InvalidArgs),
        (json!({"kind": "command"}), InvalidArgs),
        (json!({"kind": "agent"}), InvalidKind),
        (json!({"kind": "zzz"}), InvalidKind),
        (json!({"preset": "dev", "shell": true}), InvalidArgs),
        (json!({"argv": []}), InvalidArgs),
        (json!({"shell": true}), InvalidArgs),
        (json!({"preset": "dev"}), NotFound),
        (json!({"preset": "dev", "argv": ["x"]}), InvalidArgs),
        (json!({"argv": ["/no/such/program"]}), SpawnFailed),
        (json!({"argv": ["true"], "working_dir": "/no/such/folder"}), InvalidArgs),
        (json!({"nonsense": 1}), InvalidArgs),
        (json!({"cols": -1}), InvalidArgs),
    ] {
        assert_eq!(stage.refusal("spawn_process", args.clone()).await, kind, "{args}");
    }
    assert_eq!(stage.engine().list().len(), 1);
    stage.close().await;
}

#[tokio::test]
async fn every_operation_on_a_session_says_when_there_is_none() {
    let stage = Stage::new();
    for entry in ops::operations::entries::<ops::SessionContext>() {
        let needs_session = entry.args_schema().get("properties").is_some_and(|all| all.get("process_id").is_some());
        if !needs_session {
            continue;
        }
        let args = json!({
            "process_id": "ghost", "pattern": "x", "name": "n", "cols": 1, "rows": 1, "text": "t",
        });
        // Only what the operation knows.
        let known = entry.args_schema().get("properties").unwrap().clone();
        let args: serde_json::Map<String, Value> =
            args.as_object().unwrap().clone().into_iter().filter(|(name, _)| known.get(name).is_some()).collect();
        assert_eq!(stage.refusal(entry.name(), Value::Object(args)).await, ErrorKind::NotFound, "{}", entry.name());
    }
    stage.close().await;
}

#[tokio::test]
async fn stop_start_restart_and_close() {
    let stage = Stage::new();
    let session = stage.spawn(Script::new().print("up\n").hang()).await;
    let args = json!({"process_id": id(&session)});
    line(&session, "up").await;
    let first = session.info().pid;
    let reply = stage.json("start_process", args.clone()).await.unwrap();
    assert_eq!((reply["status"].as_str(), session.info().pid), (Some("running"), first));
    let reply = stage.json("stop_process", args.clone()).await.unwrap();
    assert_eq!(reply, json!({"process_id": id(&session), "status": "stopped"}));
    assert_eq!(status(&stage, &id(&session)).await["signal"], "SIGTERM");
    assert_eq!(stage.json("stop_process", args.clone()).await.unwrap()["status"], "stopped");
    assert_eq!(stage.json("start_process", args.clone()).await.unwrap()["status"], "running");
    let second = session.info().pid;
    assert!(second.is_some() && second != first);
    let restart = json!({"process_id": id(&session), "signal": 9});
    assert_eq!(stage.json("restart_process", restart).await.unwrap()["status"], "running");
    assert_ne!(session.info().pid, second);
    assert_eq!(stage.json("close_process", args.clone()).await.unwrap(), json!({}));
    assert_eq!(stage.refusal("close_process", args).await, ErrorKind::NotFound);
    stage.close().await;
}

#[tokio::test]
async fn only_commands_start_again() {
    let stage = Stage::new();
    let (agent, _) = stage.agent(None).await;
    let args = json!({"process_id": id(&agent)});
    assert_eq!(stage.refusal("start_process", args.clone()).await, ErrorKind::WrongKind);
    stage.json("restart_process", args.clone()).await.unwrap();
    stage.json("stop_process", args.clone()).await.unwrap();
    assert_eq!(stage.refusal("restart_process", args).await, ErrorKind::WrongKind);
    stage.close().await;
}

#[tokio::test]
async fn kill_signals_and_nothing_more() {
    let stage = Stage::new();
    let session = stage.spawn(Script::new().ignore("TERM").print("deaf\n").hang()).await;
    let kill = |signal: Value| json!({"process_id": id(&session), "signal": signal});
    line(&session, "deaf").await;
    let reply = stage.json("kill_process", json!({"process_id": id(&session)})).await.unwrap();
    assert_eq!(reply["status"], "running");
    assert_eq!(stage.refusal("kill_process", kill(json!("NOPE"))).await, ErrorKind::InvalidArgs);
    assert_eq!(stage.refusal("stop_process", kill(json!(0))).await, ErrorKind::InvalidArgs);
    let wait = |signal: &str, wait_ms: u64| json!({"process_id": id(&session), "signal": signal, "wait_ms": wait_ms});
    // Whoever waits for the end is told that there is none, and has it when there is.
    assert_eq!(stage.json("kill_process", wait("TERM", 1)).await.unwrap()["status"], "running");
    assert_eq!(stage.refusal("kill_process", wait("TERM", 600_001)).await, ErrorKind::InvalidArgs);
    assert_eq!(stage.json("kill_process", wait("SIGKILL", 60_000)).await.unwrap()["status"], "exited");
    let status = status(&stage, &id(&session)).await;
    // Nobody asked it to stop: it exited by itself, by a signal.
    assert_eq!((&status["status"], &status["signal"]), (&json!("exited"), &json!("SIGKILL")));
    assert!(status.get("exit_code").is_none(), "{status}");
    assert_eq!(stage.refusal("kill_process", kill(json!("TERM"))).await, ErrorKind::NotRunning);
    stage.close().await;
}

#[tokio::test]
async fn names_change_and_ids_stay() {
    let stage = Stage::new();
    let session = stage.spawn(Script::new().hang()).await;
    stage.json("spawn_process", json!({"name": "other"})).await.unwrap();
    let rename = |name: &str| json!({"process_id": id(&session), "name": name});
    let reply = stage.json("rename_process", rename("build.1")).await.unwrap();
    assert_eq!(reply, json!({"process_id": id(&session), "name": "build.1"}));
    assert_eq!(status(&stage, "build.1").await["process_id"], id(&session));
    assert_eq!(stage.refusal("rename_process", rename("other")).await, ErrorKind::AlreadyExists);
    assert_eq!(stage.refusal("rename_process", rename("not: good")).await, ErrorKind::InvalidArgs);
    stage.close().await;
}

#[tokio::test]
async fn sizes_are_checked_and_told_to_the_child() {
    let stage = Stage::new();
    let session = stage.spawn(Script::new().read_line().size().hang()).await;
    let resize = |cols: u32, rows: u32| json!({"process_id": id(&session), "cols": cols, "rows": rows});
    assert_eq!(stage.json("resize_process", resize(132, 50)).await.unwrap(), json!({"cols": 132, "rows": 50}));
    stage.json("send_input", json!({"process_id": id(&session), "text": ""})).await.unwrap();
    let told = line(&session, "132").await;
    assert!(told.contains("50"), "{told}");
    for (cols, rows) in [(0, 10), (10, 0), (2001, 10), (10, 1001), (70_000, 10)] {
        assert_eq!(stage.refusal("resize_process", resize(cols, rows)).await, ErrorKind::InvalidArgs);
    }
    stage.json("stop_process", json!({"process_id": id(&session)})).await.unwrap();
    assert_eq!(stage.refusal("resize_process", resize(80, 24)).await, ErrorKind::NotRunning);
    stage.close().await;
}

/// A program that keeps one preset and trusts one command.
struct Careful;

impl Host for Careful {
    fn preset(&self, kind: engine::Kind, name: &str) -> Result<Preset, OpError> {
        match (kind, name) {
            (engine::Kind::Command, "dev") => Ok(Preset {
                name: "dev".to_owned(),
                argv: words(Script::new().print_env("MODE").print_env("MORE").hang()),
                env: [("MODE".to_owned(), "preset".to_owned()), ("MORE".to_owned(), "preset".to_owned())].into(),
                ..Preset::default()
            }),
            _ => Err(OpError::new(ErrorKind::NotFound, "no such preset").with_hint("there is only dev")),
        }
    }

    fn authorise_start(&self, request: &StartRequest<'_>) -> Result<(), OpError> {
        if request.preset.is_some_and(|preset| preset.name == "dev")
            || request.session.is_some_and(|session| session.kind() == engine::Kind::Terminal)
        {
            return Ok(());
        }
        Err(OpError::new(ErrorKind::NeedsTrust, "not trusted").with_hint("ask"))
    }

    fn default_size(&self) -> vt::Size {
        vt::Size { cols: 91, rows: 17 }
    }
}

#[tokio::test]
async fn the_program_decides_on_presets_trust_and_defaults() {
    let stage = Stage::with(Careful);
    let reply = stage.json("spawn_process", json!({"preset": "dev", "env": {"MORE": "caller"}})).await.unwrap();
    assert_eq!(reply["name"], "dev-1");
    let session = stage.engine().find("dev-1").unwrap();
    line(&session, "preset").await;
    line(&session, "caller").await;
    assert_eq!(status(&stage, "dev-1").await["cols"], 91);
    assert_eq!(stage.refusal("spawn_process", json!({"argv": ["true"]})).await, ErrorKind::NeedsTrust);
    assert_eq!(stage.refusal("spawn_process", json!({"preset": "nope"})).await, ErrorKind::NotFound);
    // What runs again is asked for again.
    let again = json!({"process_id": "dev-1"});
    assert_eq!(stage.refusal("restart_process", again.clone()).await, ErrorKind::NeedsTrust);
    assert_eq!(stage.refusal("start_process", again).await, ErrorKind::NeedsTrust);
    stage.close().await;
}

/// A program that records all and hears of every start.
struct Listening {
    folder: PathBuf,
    started: Arc<Notify>,
}

impl Host for Listening {
    fn started(&self, _: &engine::Session, _: &StartRequest<'_>) {
        self.started.notify_one();
    }

    fn recording_folder(&self) -> Option<PathBuf> {
        Some(self.folder.clone())
    }

    fn recording_rules(&self) -> RecordingRules {
        RecordingRules { always: true, ..RecordingRules::default() }
    }
}

#[tokio::test]
async fn what_a_caller_began_is_told_of_though_the_caller_goes_away() {
    let home = tempfile::tempdir().unwrap();
    let started = Arc::new(Notify::new());
    let stage = Stage::with(Listening { folder: home.path().join("recordings"), started: started.clone() });
    let mut recordings = stage.context.recordings().events();
    let plain = stage.spawn(Script::new().hang()).await;
    for (name, args) in [
        ("spawn_process", json!({"argv": words(Script::new().hang()), "name": "left"})),
        ("record_process", json!({"process_id": id(&plain), "action": "start"})),
    ] {
        let entry = stage.context.table().get(name).unwrap();
        tokio::select! {
            biased;
            answer = entry.run(Call::new(stage.context.clone(), Caller::operator()), args) => panic!("{name}: {answer:?}"),
            () = std::future::ready(()) => {}
        }
    }
    soon("the program is told of the start", started.notified()).await;
    let mut recorded = Vec::new();
    while recorded.len() < 2 {
        let event = soon("both recordings are told of", recordings.recv()).await.unwrap();
        let RecordingEvent::Started { session, .. } = event else { panic!("{event:?}") };
        recorded.push(session);
    }
    let left = stage.engine().find("left").unwrap().id();
    assert!(recorded.contains(&left) && recorded.contains(&plain.id()), "{recorded:?}");
    stage.close().await;
}
