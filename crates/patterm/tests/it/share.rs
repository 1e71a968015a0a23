//! `--share`: vtr's access to patterm, for those who may open the socket.

use std::{
    fs,
    os::unix::{
        fs::MetadataExt,
        net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
    process::Command,
};

use grpc::{
    client::{CoordinatorClient, Endpoint, connect},
    proto::{GetScreenRequest, ListRequest, RemoveRequest, ScreenFormat, SendTextRequest, SpawnRequest},
};
use rustix::process::Signal;
use serde_json::json;

use crate::stage::{FinishedCommand, Headless, PATTERM, Stage, run};

fn socket_of(patterm: &Headless) -> PathBuf {
    patterm.hello["share"].as_str().unwrap().into()
}

async fn reach(socket: &Path) -> CoordinatorClient {
    connect(&Endpoint::Socket(socket.into())).await.unwrap()
}

#[test]
fn nothing_is_shared_unless_asked_for() {
    let stage = Stage::new();
    let patterm = stage.headless(&[]);
    assert_eq!(patterm.hello.get("share"), None);
    let folder = patterm.connect_file().parent().unwrap().to_owned();
    let files: Vec<_> = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(files, ["operator-1.json"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_of_vtr_and_an_mcp_client_see_the_same_sessions() {
    let stage = Stage::new();
    let patterm = stage.headless(&["--share"]);
    let socket = socket_of(&patterm);
    let pid = patterm.pid();
    assert_eq!(socket, stage.path(&format!("run/patterm/{pid}/patterm-{pid}.sock")));
    assert_eq!(socket.metadata().unwrap().mode() & 0o777, 0o600);
    let client = reach(&socket).await;
    let server = client.server().unwrap();
    assert_eq!((server.program.as_str(), server.pid), ("patterm", pid));
    let mut vtr = client.vtr();
    let made = vtr.spawn(SpawnRequest { name: "echo".into(), argv: vec!["cat".into()], ..Default::default() }).await;
    let made = made.unwrap().into_inner().session.unwrap();
    let mut operator = patterm.operator();
    let listed = operator.call("list_processes", json!({}));
    assert_eq!(
        (&listed["processes"][0]["process_id"], &listed["processes"][0]["name"]),
        (&json!(made.id), &json!("echo"))
    );
    assert_eq!(
        listed["processes"][0].get("parent_id").cloned().unwrap_or_default(),
        json!(null),
        "it is a tab of its own"
    );
    vtr.send_text(SendTextRequest { name: "echo".into(), text: "hello".into(), submit: true, ..Default::default() })
        .await
        .unwrap();
    operator.see("echo", "hello");
    let other = operator.spawn(&["sh", "-c", "echo made here; exec cat"]);
    operator.see(&other, "made here");
    let format = ScreenFormat::Runs.into();
    let screen = vtr.get_screen(GetScreenRequest { name: other.clone(), format }).await.unwrap();
    assert!(format!("{screen:?}").contains("made here"), "{screen:?}");
    vtr.remove(RemoveRequest { name: other }).await.unwrap();
    assert_eq!(vtr.list(ListRequest::default()).await.unwrap().into_inner().sessions.len(), 1);
    drop(operator);
    let (status, ..) = patterm.end(Signal::TERM);
    assert!(status.success());
    assert_eq!(stage.left_in_run(), Vec::<String>::new());
    vtr.list(ListRequest::default()).await.unwrap_err();
}

#[test]
fn a_socket_of_ones_own_choice_is_taken_over_only_when_nobody_lives_there() {
    let stage = Stage::new();
    let socket = stage.path("project/mine.sock");
    drop(UnixListener::bind(&socket).unwrap());
    let patterm = stage.headless(&["--share=mine.sock"]);
    assert_eq!(socket_of(&patterm), socket, "a stale one is no hindrance, and the path is as seen from here");
    UnixStream::connect(&socket).unwrap();
    stage.patterm(&["--headless", "--share=mine.sock"]).failed(5, &["already running", "another path"]);
    UnixStream::connect(&socket).unwrap();
    drop(patterm);
    assert!(!socket.exists());
    fs::write(&socket, "precious").unwrap();
    stage.patterm(&["--headless", "--share=mine.sock"]).failed(2, &["is not a socket"]);
    assert_eq!(fs::read_to_string(&socket).unwrap(), "precious");
    assert_eq!(stage.left_in_run(), Vec::<String>::new(), "who is refused leaves nothing");
}

fn vtr(stage: &Stage, socket: &Path, words: &[&str]) -> FinishedCommand {
    let program = Path::new(PATTERM).with_file_name("vtr");
    let mut command = Command::new(program);
    command.env_clear().env("PATH", std::env::var("PATH").unwrap()).env("HOME", stage.path("home"));
    run(command.env("VTR_SOCKET", socket).args(words))
}

#[test]
#[ignore = "needs the program vtr beside patterm, which a build of the whole workspace makes: run by .ci/run"]
fn the_commands_of_vtr_work() {
    let stage = Stage::new();
    let patterm = stage.headless(&["--share"]);
    let socket = socket_of(&patterm);
    let vtr = |words: &[&str]| vtr(&stage, &socket, words);
    assert_eq!(vtr(&["spawn", "shell"]).ok(), "shell\n");
    vtr(&["send", "shell", "-e", "pwd; echo done=$?"]).ok();
    assert_eq!(vtr(&["wait", "shell", "^done=0", "--scope", "scrollback", "--timeout", "60s"]).ok(), "done=0\n");
    let project = stage.path("project").canonicalize().unwrap();
    assert!(vtr(&["screen", "shell"]).ok().contains(project.to_str().unwrap()), "sessions start in the project");
    assert!(vtr(&["grep", "shell", "done="]).ok().contains("done=0"));
    assert_eq!(vtr(&["ls", "--json"]).json()["sessions"][0]["coordinator"], format!("patterm-{}", patterm.pid()));
    assert!(vtr(&["info", "shell"]).ok().contains("running"));
    vtr(&["resize", "shell", "60", "20"]).ok();
    vtr(&["rename", "shell", "other"]).ok();
    vtr(&["record", "other", "start"]).ok();
    vtr(&["key", "other", "ctrl+c"]).ok();
    vtr(&["raw", "other", "6c730d"]).ok();
    vtr(&["idle", "other", "--idle", "100ms", "--timeout", "60s"]).ok();
    let cast = vtr(&["record", "other", "stop", "--json"]).json()["file"].as_str().unwrap().to_owned();
    assert!(Path::new(&cast).starts_with(stage.path("data/patterm/projects").canonicalize().unwrap()), "{cast}");
    vtr(&["kill", "other", "--signal", "KILL"]).ok();
    vtr(&["rm", "other"]).ok();
    assert!(vtr(&["version", "--server"]).ok().contains("patterm"));
    assert_eq!(vtr(&["ls", "--json"]).json()["sessions"], json!([]));
}

#[test]
#[ignore = "needs the program vtr beside patterm, which a build of the whole workspace makes: run by .ci/run"]
fn vtr_mcp_gives_the_operators_tools() {
    let stage = Stage::new();
    let patterm = stage.headless(&["--share"]);
    let mut command = Command::new(Path::new(PATTERM).with_file_name("vtr"));
    command.arg("mcp").env("VTR_SOCKET", socket_of(&patterm));
    let mut client = crate::client::Client::behind(&mut command);
    client.initialize();
    assert_eq!(client.call("whoami", json!({}))["role"], "operator");
}
