//! Starting agents and stored commands, and what has to be allowed first.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use engine::{SessionId, StopRequest};
use ops::{Call, Caller, Context, ErrorKind, Faces, Role};
use project::{
    Entrance, Identities, ProjectEvent, Settings,
    settings::FreeCommands,
    trust::{HumanAnswer, SubjectKind},
};
use serde_json::{Value, json};
use testkit::Script;

use crate::stage::{Setting, Stage, id, line, until};

/// Lets agents in by a file that holds their number, and remembers what it was told.
#[derive(Debug)]
pub(crate) struct Doors {
    folder: tempfile::TempDir,
    next: AtomicU64,
    open: Mutex<Vec<(u64, Option<Caller>)>>,
}

impl Doors {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Doors { folder: tempfile::tempdir().unwrap(), next: AtomicU64::new(1), open: Mutex::default() })
    }

    fn callers(&self) -> Vec<Option<Caller>> {
        self.open.lock().unwrap().iter().map(|(_, caller)| caller.clone()).collect()
    }

    fn file(&self, number: u64) -> PathBuf {
        self.folder.path().join(number.to_string())
    }
}

impl Identities for Doors {
    fn resolve(&self, token: &str) -> Option<Caller> {
        let number: u64 = token.parse().ok()?;
        self.open.lock().unwrap().iter().find(|(known, _)| *known == number)?.1.clone()
    }

    fn open(&self) -> std::io::Result<Entrance> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        std::fs::write(self.file(number), number.to_string())?;
        self.open.lock().unwrap().push((number, None));
        Ok(Entrance { number, connect_file: self.file(number) })
    }

    fn assign(&self, entrance: &Entrance, caller: Caller) {
        let mut open = self.open.lock().unwrap();
        open.iter_mut().find(|(number, _)| *number == entrance.number).unwrap().1 = Some(caller);
    }

    fn close(&self, entrance: &Entrance) {
        self.open.lock().unwrap().retain(|(number, _)| *number != entrance.number);
    }

    fn forget(&self, session: SessionId) {
        let of_it = |caller: &Option<Caller>| caller.as_ref().is_some_and(|caller| caller.session == Some(session));
        self.open.lock().unwrap().retain(|(_, caller)| !of_it(caller));
    }
}

fn words(script: Script) -> Vec<String> {
    script.argv().into_iter().map(|word| word.into_string().unwrap()).collect()
}

fn write_preset(folder: &Path, kind: &str, name: &str, preset: &Value) {
    let folder = folder.join("presets").join(kind);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{name}.json")), preset.to_string()).unwrap();
}

/// Shows where it may connect, and then what it is told.
fn parrot() -> Value {
    json!({
        "argv": words(Script::new().print_env("CONNECT").print("\nparrot> ").cat()),
        "env": {"CONNECT": "${connect}"},
        "chrome_trim_hints": ["^parrot>"],
    })
}

async fn stage(setting: Setting) -> Stage {
    let stage = Stage::with(setting);
    write_preset(&stage.root().join("config"), "agents", "parrot", &parrot());
    write_preset(
        &stage.root().join("config"),
        "processes",
        "dev",
        &json!({"argv": words(Script::new().print("up\n").hang())}),
    );
    write_preset(&stage.root().join("project/.patterm"), "agents", "theirs", &parrot());
    stage.project.presets().reload();
    stage
}

#[tokio::test]
async fn an_agent_is_started_let_in_and_given_its_first_prompt() {
    let doors = Doors::new();
    let stage = stage(Setting { identities: doors.clone(), told: false, ..Setting::default() }).await;
    let args = json!({"agent": "parrot", "agent_instructions": "say\nhello", "name": "polly"});
    let root = stage.json("spawn_agent", args).await.unwrap();
    assert_eq!(root["name"], "polly");
    let session = stage.engine().find("polly").unwrap();
    let caller = Caller { role: Role::Orchestrator, session: Some(session.id()) };
    assert_eq!(doors.callers(), [Some(caller.clone())]);
    line(&session, &regex_of(doors.file(1).to_str().unwrap())).await;
    // No preface for a root.
    line(&session, "^parrot> say hello").await;
    let waited = json!({"process_id": "polly", "turn_id": root["turn_id"], "timeout_seconds": 60});
    let waited = stage.json("wait_for_state", waited).await.unwrap();
    assert_eq!((&waited["reached"], &waited["delivery"]["state"]), (&json!(true), &json!("submitted")), "{waited}");
    assert_eq!(waited["state"]["name"], "idle");

    let child =
        stage.json_as(&caller, "spawn_agent", json!({"agent": "parrot", "agent_instructions": "go"})).await.unwrap();
    assert_eq!(child["name"], "parrot-1");
    assert!(["queued", "submitted"].contains(&child["delivery"].as_str().unwrap()), "{child}");
    let below = stage.engine().find("parrot-1").unwrap();
    assert_eq!(below.parent(), Some(session.id()));
    line(&below, r"^parrot> go +\[system\] You run as a sub-agent").await;
    let status = stage.json_as(&caller, "get_process_status", json!({"process_id": "parrot-1"})).await.unwrap();
    assert_eq!((&status["kind"], &status["owner"]), (&json!("agent"), &json!("orchestrator")), "{status}");
    assert!(status["state"]["name"].is_string() && status["state"]["since"].is_string(), "{status}");
    assert!(status.get("trusted").is_none(), "the human's own agents need no trust: {status}");
    let grid = stage.json("get_process_output", json!({"process_id": "parrot-1"})).await.unwrap();
    assert!(!grid["content"].as_str().unwrap().contains("parrot>"), "the chrome is trimmed: {grid}");
    let why = stage.json("explain_state", json!({"process_id": "parrot-1"})).await.unwrap();
    assert!(!why["votes"].as_array().unwrap().is_empty(), "{why}");

    let sub_agent = Caller { role: Role::SubAgent, session: Some(below.id()) };
    let deeper = stage.json_as(&sub_agent, "spawn_agent", json!({"agent": "parrot"})).await.unwrap_err();
    assert!(deeper.kind == ErrorKind::RoleForbidden && deeper.hint.contains("send_message"), "{deeper:?}");
    stage.json_as(&caller, "close_process", json!({"process_id": "parrot-1"})).await.unwrap();
    until("the child's way in is closed", || doors.callers() == [Some(caller.clone())]).await;
    stage.close().await;
}

#[tokio::test]
async fn a_wait_that_names_a_turn_is_not_satisfied_by_an_earlier_one() {
    let doors = Doors::new();
    let stage = stage(Setting { identities: doors.clone(), told: false, ..Setting::default() }).await;
    let root = stage.json("spawn_agent", json!({"agent": "parrot", "name": "root"})).await.unwrap();
    let root_session = stage.engine().find("root").unwrap();
    let caller = Caller { role: Role::Orchestrator, session: Some(root_session.id()) };
    assert!(root.get("turn_id").is_none(), "{root}");
    let first = json!({"agent": "parrot", "name": "polly", "agent_instructions": "one"});
    let first = stage.json_as(&caller, "spawn_agent", first).await.unwrap()["turn_id"].clone();
    let wait = |turn: &Value, states: Value| {
        let args = json!({"process_id": "polly", "turn_id": turn, "states": states, "timeout_seconds": 60});
        stage.json_as(&caller, "wait_for_state", args)
    };
    let settled = wait(&first, json!(["idle"])).await.unwrap();
    assert_eq!((&settled["reached"], &settled["reason"]), (&json!(true), &json!("reached")), "{settled}");
    for time in ["queued_at", "written_at", "accepted_at", "settled_at"] {
        assert!(settled["turn"][time].is_string(), "{time}: {settled}");
    }
    let message = json!({"target_process_id": "polly", "message": "two"});
    let second = stage.json_as(&caller, "send_message", message).await.unwrap()["turn_id"].clone();
    assert_ne!(first, second);
    let over = wait(&second, json!(["idle"])).await.unwrap();
    let time = |reply: &Value, name: &str| reply["turn"][name].as_str().unwrap().to_owned();
    assert!(time(&settled, "settled_at") <= time(&over, "written_at"), "{settled} {over}");
    assert!(time(&over, "accepted_at") <= time(&over, "settled_at"), "{over}");
    // What is over stays so, and what never came in it does not come any more.
    assert_eq!(wait(&first, json!(["idle"])).await.unwrap()["turn"], settled["turn"]);
    assert_eq!(wait(&first, json!(["blocked"])).await.unwrap()["reason"], "turn_over");
    let status = stage.json("get_process_status", json!({"process_id": "polly"})).await.unwrap();
    assert_eq!(status["turn"]["turn_id"], second, "{status}");

    let timer = json!({"watched": [first], "body": "done"});
    let timer = stage.json_as(&caller, "timer_fire_when_idle_any", timer).await.unwrap();
    assert_eq!((&timer["already_satisfied"], &timer["already_idle"]), (&json!(true), &json!([first])), "{timer}");
    let third = json!({"target_process_id": "polly", "message": "three"});
    let third = stage.json_as(&caller, "send_message", third).await.unwrap()["turn_id"].clone();
    let timer = json!({"watched": [third], "body": "the third is done"});
    stage.json_as(&caller, "timer_fire_when_idle_all", timer).await.unwrap();
    line(&root_session, r"\[system\] the third is done").await;
    assert_eq!(wait(&third, json!(["idle"])).await.unwrap()["reached"], true);

    let unknown = first.as_str().unwrap().replace("_1", "_99");
    for (operation, args) in [
        ("wait_for_state", json!({"process_id": "polly", "turn_id": unknown})),
        ("wait_for_state", json!({"process_id": "root", "turn_id": first})),
        ("wait_for_state", json!({"process_id": "polly", "turn_id": "nonsense"})),
        ("timer_fire_when_idle_any", json!({"watched": [unknown], "body": "x"})),
    ] {
        assert_eq!(stage.refusal(&caller, operation, args.clone()).await, ErrorKind::NotFound, "{operation} {args}");
    }
    stage.close().await;
}

fn regex_of(text: &str) -> String {
    text.chars()
        .map(|one| if one.is_alphanumeric() || one == '/' { one.to_string() } else { format!("\\{one}") })
        .collect()
}

#[tokio::test]
async fn a_start_that_fails_leaves_nothing() {
    let doors = Doors::new();
    let stage = stage(Setting { identities: doors.clone(), ..Setting::default() }).await;
    write_preset(&stage.root().join("config"), "agents", "broken", &json!({"argv": ["/no/such/program"]}));
    stage.project.presets().reload();
    let operator = Caller::operator();
    let unknown = stage.json("spawn_agent", json!({"agent": "nobody"})).await.unwrap_err();
    assert!(unknown.kind == ErrorKind::UnknownAgent && unknown.hint.contains("parrot"), "{unknown:?}");
    assert_eq!(stage.refusal(&operator, "spawn_agent", json!({"agent": "broken"})).await, ErrorKind::SpawnFailed);
    let bad = json!({"agent": "parrot", "name": "[system]"});
    assert_eq!(stage.refusal(&operator, "spawn_agent", bad).await, ErrorKind::InvalidArgs);
    stage.json("spawn_agent", json!({"agent": "parrot", "name": "taken"})).await.unwrap();
    let again = json!({"agent": "parrot", "name": "taken"});
    assert_eq!(stage.refusal(&operator, "spawn_agent", again).await, ErrorKind::AlreadyExists);
    assert_eq!(doors.callers().len(), 1, "{:?}", doors.callers());
    let launches = || std::fs::read_dir(stage.root().join("run")).unwrap().count();
    assert_eq!(launches(), 1);
    stage.json("close_process", json!({"process_id": "taken"})).await.unwrap();
    until("the launch's files go with the session", || launches() == 0).await;
    stage.close().await;
}

#[tokio::test]
async fn agents_of_the_project_need_the_humans_word() {
    let doors = Doors::new();
    let mut stage = stage(Setting { identities: doors, ..Setting::default() }).await;
    let operator = Caller::operator();
    let spawn = json!({"agent": "theirs"});
    assert_eq!(stage.refusal(&operator, "spawn_agent", spawn.clone()).await, ErrorKind::NeedsTrust);
    while stage.event().await != ProjectEvent::TrustPending {}
    let [question] = &stage.project.trust().questions()[..] else { panic!("one question") };
    let sets = question.subject.facts.iter().any(|fact| fact.label == "sets CONNECT");
    assert!(question.subject.of_project && sets, "{question:?}");
    stage.project.trust().answer(&question.id, HumanAnswer::Once).await.unwrap();
    stage.json("spawn_agent", spawn.clone()).await.unwrap();
    assert_eq!(stage.refusal(&operator, "spawn_agent", spawn.clone()).await, ErrorKind::NeedsTrust);
    // Once was once: not for a restart either.
    assert_eq!(
        stage.refusal(&operator, "restart_process", json!({"process_id": "theirs-1"})).await,
        ErrorKind::NeedsTrust
    );
    stage.close().await;
}

#[tokio::test]
async fn stored_commands_ask_once_and_again_when_they_are_edited() {
    let stage = stage(Setting::default()).await;
    let (root, agent) = stage.agent(None).await;
    let spawn = json!({"preset": "dev"});
    let refused = stage.json_as(&agent, "spawn_process", spawn.clone()).await.unwrap_err();
    assert!(refused.kind == ErrorKind::NeedsTrust && !refused.hint.is_empty(), "{refused:?}");
    let question = stage.project.trust().questions()[0].clone();
    assert_eq!((question.asked_by, &question.changes), (Some(root.id()), &None));
    stage.project.trust().answer(&question.id, HumanAnswer::Always).await.unwrap();
    let started = stage.json_as(&agent, "spawn_process", spawn.clone()).await.unwrap();
    assert_eq!(started["name"], "dev-1");
    let listed = stage.json_as(&agent, "get_process_status", json!({"process_id": "dev-1"})).await.unwrap();
    assert_eq!(listed["trusted"], true);
    let dev = stage.engine().find("dev-1").unwrap();
    dev.stop(StopRequest::default()).await.unwrap();
    stage.json_as(&agent, "start_process", json!({"process_id": "dev-1"})).await.unwrap();

    write_preset(&stage.root().join("config"), "processes", "dev", &json!({"argv": ["sh", "-c", "rm -rf ~"]}));
    stage.project.presets().reload();
    assert_eq!(stage.refusal(&agent, "spawn_process", spawn.clone()).await, ErrorKind::NeedsTrust);
    let changes = stage.project.trust().questions()[0].changes.clone().unwrap();
    assert!(changes.iter().any(|change| change.contains("rm -rf")), "{changes:?}");
    // What runs already is what was allowed.
    stage.json_as(&agent, "restart_process", json!({"process_id": "dev-1"})).await.unwrap();
    stage.project.trust().revoke(None, "dev".into()).await.unwrap();
    for operation in ["restart_process", "start_process"] {
        let kind = stage.refusal(&agent, operation, json!({"process_id": "dev-1"})).await;
        assert_eq!(kind, ErrorKind::NeedsTrust, "{operation}");
    }
    let missing = stage.json_as(&agent, "spawn_process", json!({"preset": "nope"})).await.unwrap_err();
    assert!(missing.kind == ErrorKind::NotFound && missing.hint.contains("dev"), "{missing:?}");
    // A command line of its own needs nobody's word and leaves no trace in trust.json.
    let freeform = json!({"argv": words(Script::new().hang()), "name": "own"});
    stage.json_as(&agent, "spawn_process", freeform).await.unwrap();
    let own = stage.json("get_process_status", json!({"process_id": "own"})).await.unwrap();
    assert!(own.get("trusted").is_none() && stage.project.trust().grants().all().unwrap().is_empty(), "{own}");
    stage.json_as(&agent, "restart_process", json!({"process_id": "own"})).await.unwrap();
    stage.close().await;
}

#[tokio::test]
async fn deeper_trees_are_a_setting() {
    let doors = Doors::new();
    let settings = Settings { max_depth: 3, ..Settings::default() };
    let stage = stage(Setting { identities: doors, settings, ..Setting::default() }).await;
    let mut caller = Caller::operator();
    for level in 0..3 {
        let offered = stage.project.table().offered(Faces::MCP, caller.role).any(|entry| entry.name() == "spawn_agent");
        assert!(offered, "level {level}");
        let started = stage.json_as(&caller, "spawn_agent", json!({"agent": "parrot"})).await.unwrap();
        assert!(started.get("turn_id").is_none(), "{started}");
        let session = stage.engine().find(started["process_id"].as_str().unwrap()).unwrap();
        let role = if level == 0 { Role::Orchestrator } else { Role::SubAgent };
        caller = Caller { role, session: Some(session.id()) };
    }
    assert_eq!(stage.refusal(&caller, "spawn_agent", json!({"agent": "parrot"})).await, ErrorKind::RoleForbidden);
    stage.close().await;
}

/// A timer that is set right after the task was given must not fire before the task has begun.
#[tokio::test]
async fn a_prompt_on_its_way_is_no_rest() {
    let doors = Doors::new();
    let stage = stage(Setting { identities: doors, told: false, ..Setting::default() }).await;
    let root = stage.json("spawn_agent", json!({"agent": "parrot"})).await.unwrap();
    let root = stage.engine().find(root["process_id"].as_str().unwrap()).unwrap();
    let caller = Caller { role: Role::Orchestrator, session: Some(root.id()) };
    let child = json!({"agent": "parrot", "agent_instructions": "work"});
    let child = stage.json_as(&caller, "spawn_agent", child).await.unwrap();
    let watched = child["process_id"].clone();
    let timer = json!({"watched": [watched], "body": "the child rests"});
    let set = stage.json_as(&caller, "timer_fire_when_idle_any", timer).await.unwrap();
    assert_eq!((&set["already_satisfied"], &set["already_idle"]), (&json!(false), &json!([])));
    line(&root, r"\[system\] the child rests").await;
    let below = stage.engine().find(watched.as_str().unwrap()).unwrap();
    assert!(below.grid_text().1.contains("work"), "it rested before it was told:\n{}", below.grid_text().1);
    assert_eq!(id(&below), watched);
    stage.close().await;
}

fn free(policy: FreeCommands) -> Settings {
    let mut settings = Settings::default();
    settings.agents.free_commands = policy;
    settings
}

/// Every way to start something that no preset says as it is.
fn composed() -> [Value; 5] {
    [
        json!({"argv": ["sh", "-c", "exec cat"]}),
        json!({"argv": ["exec cat"], "shell": true}),
        json!({"kind": "terminal"}),
        json!({"preset": "dev", "env": {"PATH": "/evil"}}),
        json!({"preset": "dev", "working_dir": "/"}),
    ]
}

#[tokio::test]
async fn commands_of_their_own_can_be_denied_to_agents_and_never_to_the_human() {
    let stage = stage(Setting { settings: free(FreeCommands::Deny), ..Setting::default() }).await;
    let (agent, caller) = stage.agent(None).await;
    for args in composed() {
        assert_eq!(stage.refusal(&caller, "spawn_process", args.clone()).await, ErrorKind::NeedsTrust, "{args}");
    }
    assert!(stage.project.trust().questions().is_empty(), "nobody is asked");
    stage.json("spawn_process", json!({"argv": ["cat"]})).await.unwrap();
    drop(agent);
    stage.close().await;
}

#[tokio::test]
async fn commands_of_their_own_are_asked_for_and_the_agent_is_told_the_answer() {
    let stage = stage(Setting { settings: free(FreeCommands::Ask), ..Setting::default() }).await;
    let (agent, caller) = stage.agent(None).await;
    for args in composed() {
        assert_eq!(stage.refusal(&caller, "spawn_process", args.clone()).await, ErrorKind::NeedsTrust, "{args}");
    }
    let trust = stage.project.trust().clone();
    let questions = trust.questions();
    assert_eq!(questions.len(), 5, "{questions:?}");
    assert!(questions.iter().all(|question| question.subject.kind == SubjectKind::Program));
    trust.answer(&questions[0].id, HumanAnswer::Once).await.unwrap();
    for question in &questions[1..] {
        trust.answer(&question.id, HumanAnswer::Deny).await.unwrap();
    }
    let told = stage.told.count(&agent, 1).await.remove(0);
    assert!(
        told.starts_with("[system] The human allowed the command 'sh' for one start") && told.contains("denied"),
        "{told}"
    );
    // That very command line, once.
    let other = json!({"argv": ["sh", "-c", "exec cat -"]});
    assert_eq!(stage.refusal(&caller, "spawn_process", other).await, ErrorKind::NeedsTrust);
    let started = stage.json_as(&caller, "spawn_process", composed()[0].clone()).await.unwrap();
    let id = started["process_id"].as_str().unwrap().parse().unwrap();
    assert_eq!(trust.free_program(id).as_deref(), Some("sh"));
    let again = json!({"process_id": started["process_id"]});
    assert_eq!(stage.refusal(&caller, "restart_process", again).await, ErrorKind::NeedsTrust);
    stage.close().await;
}

/// A call whose caller goes away as soon as it is under way.
async fn dropped(stage: &Stage, caller: &Caller, name: &str, args: Value) {
    let entry = stage.project.table().get(name).unwrap();
    tokio::select! {
        biased;
        answer = entry.run(Call::new(stage.project.clone(), caller.clone()), args) => panic!("{name} ended: {answer:?}"),
        () = std::future::ready(()) => {}
    }
}

#[tokio::test]
async fn a_start_whose_caller_went_away_is_known_to_trust() {
    let doors = Doors::new();
    let settings = free(FreeCommands::Ask);
    let stage = stage(Setting { settings, identities: doors.clone(), ..Setting::default() }).await;
    let (agent, caller) = stage.agent(None).await;
    let trust = stage.project.trust().clone();
    let command = json!({"argv": ["sh", "-c", "exec cat"], "name": "own"});
    let theirs = json!({"agent": "theirs", "name": "theirs"});
    for (name, args) in [("spawn_process", command), ("spawn_agent", theirs)] {
        assert_eq!(stage.refusal(&caller, name, args.clone()).await, ErrorKind::NeedsTrust);
        trust.answer(&trust.questions()[0].id, HumanAnswer::Once).await.unwrap();
        dropped(&stage, &caller, name, args).await;
    }
    let found = |name: &str| stage.engine().find(name).ok().map(|session| session.id());
    until("the command is noted down", || found("own").and_then(|own| trust.free_program(own)).is_some()).await;
    until("the agent is noted down", || found("theirs").and_then(|own| trust.of_session(own)).is_some()).await;
    assert_eq!(doors.callers(), [Some(Caller { role: Role::SubAgent, session: found("theirs") })]);
    // Once was once, and what nobody has noted down is not started again either.
    stage.spawn(engine::Kind::Command, Some(&agent), Script::new().hang()).await;
    for name in ["own", "theirs", "command-1"] {
        let again = json!({"process_id": name});
        assert_eq!(stage.refusal(&caller, "restart_process", again).await, ErrorKind::NeedsTrust, "{name}");
    }
    stage.close().await;
}
