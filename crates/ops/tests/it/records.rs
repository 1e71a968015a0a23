//! Recording sessions to files.

use std::{
    fs::File,
    io::BufReader,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use cast::{AsciicastVersion, CastReader, EventData};
use ops::{Call, Caller, Context, ErrorKind, NewRecording};
use serde_json::{Value, json};
use testkit::Script;

use crate::stage::{Stage, TestHost, ended, id, line, soon, until};

struct Studio {
    stage: Stage,
    home: tempfile::TempDir,
}

impl Studio {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let host = TestHost { recordings: Some(home.path().join("recordings")) };
        Studio { stage: Stage::with(host), home }
    }

    async fn record(&self, session: &engine::Session, more: Value) -> Value {
        let mut args = json!({"process_id": id(session)});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.stage.json("record_process", args).await.unwrap()
    }

    async fn refused(&self, session: &engine::Session, more: Value) -> ErrorKind {
        let mut args = json!({"process_id": id(session)});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.stage.refusal("record_process", args).await
    }

    /// After the end of the session: its recorder has closed the file.
    async fn closed(&self, session: &engine::Session) -> Value {
        soon("the recording is over", async {
            loop {
                let status = self.record(session, json!({"action": "status"})).await;
                if status["recording"] == false {
                    return status;
                }
                tokio::task::yield_now().await;
            }
        })
        .await
    }

    /// As a face does it for a session that it has just started.
    async fn record_new(&self, session: &engine::Session) -> PathBuf {
        let call = Call::new(self.stage.context.clone(), Caller::operator());
        let recordings = self.stage.context.recordings();
        let status = recordings.start_new(&call, session, NewRecording::default()).await.unwrap();
        status.file.unwrap().into()
    }

    async fn close(self) {
        self.stage.close().await;
    }
}

fn events(file: &Path) -> (AsciicastVersion, Vec<EventData>) {
    let mut reader = CastReader::new(BufReader::new(File::open(file).unwrap())).unwrap();
    let events = reader.by_ref().map(|event| event.unwrap().data).collect();
    assert!(!reader.was_cut());
    (reader.format(), events)
}

/// The screen that a player ends on.
fn replay(file: &Path) -> vt::Terminal {
    let mut reader = CastReader::new(BufReader::new(File::open(file).unwrap())).unwrap();
    let size = vt::Size { cols: reader.header().cols, rows: reader.header().rows };
    let mut terminal = vt::Terminal::new(vt::TerminalOptions { size, ..vt::TerminalOptions::default() });
    for event in &mut reader {
        match event.unwrap().data {
            EventData::Output(text) => terminal.feed(text.as_bytes()),
            EventData::Resize { cols, rows } => terminal.resize(vt::Size { cols, rows }),
            _ => {}
        }
    }
    terminal
}

fn assert_same_screen(file: &Path, session: &engine::Session) {
    let mut played = replay(file);
    let live = session.frame().frame;
    let played = played.frame();
    assert_eq!(played.text(), live.text());
    assert_eq!((played.size, played.cursor), (live.size, live.cursor));
    assert_eq!(played.damage(&live).collect::<Vec<_>>(), [0u16; 0], "the look of these rows differs");
}

#[tokio::test]
async fn a_recording_replays_to_the_live_screen() {
    for format in ["v2", "v3"] {
        let studio = Studio::new();
        let script = Script::new().no_echo().print("before \x1b[32mgreen\x1b[0m\n").read_line();
        let script = script.print("\x1b[2J\x1b[5;7H\x1b[1;44m漢字 caf\u{e9}\x1b[0m").read_line().print("\r\nafter\n");
        let session = studio.stage.spawn(script.exit(3)).await;
        line(&session, "green").await;
        let reply = studio.record(&session, json!({"action": "start", "format": format})).await;
        assert_eq!(reply["recording"], true);
        let file = PathBuf::from(reply["file"].as_str().unwrap());
        let enter = json!({"process_id": id(&session), "text": ""});
        studio.stage.json("send_input", enter.clone()).await.unwrap();
        line(&session, "漢字").await;
        studio.stage.json("resize_process", json!({"process_id": id(&session), "cols": 60, "rows": 12})).await.unwrap();
        studio.stage.json("send_input", enter).await.unwrap();
        ended(&session).await;
        let status = studio.closed(&session).await;
        assert_same_screen(&file, &session);

        let (written, events) = events(&file);
        assert_eq!(written, if format == "v2" { AsciicastVersion::V2 } else { AsciicastVersion::V3 });
        assert_eq!(events.contains(&EventData::Exit(3)), format == "v3", "{events:?}");
        assert!(events.contains(&EventData::Resize { cols: 60, rows: 12 }), "{events:?}");
        assert!(!events.iter().any(|event| matches!(event, EventData::Input(_))), "{events:?}");
        assert!(matches!(&events[0], EventData::Output(first) if first.contains("before")), "{events:?}");
        assert_eq!(status["events"], events.len());
        assert_eq!((&status["gaps"], &status["file"]), (&json!(0), &json!(file)));
        assert_eq!(status["bytes"], std::fs::metadata(&file).unwrap().len());
        assert!(status["since"].as_str().unwrap().ends_with('Z') && status.get("error").is_none(), "{status}");
        studio.close().await;
    }
}

#[tokio::test]
async fn files_are_private() {
    let studio = Studio::new();
    let session = studio.stage.spawn(Script::new().hang()).await;
    let file = studio.record(&session, json!({"action": "start"})).await["file"].as_str().unwrap().to_owned();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(Path::new(&file)), 0o600);
    assert_eq!(mode(Path::new(&file).parent().unwrap()), 0o700);
    assert!(file.contains("command-1-") && file.ends_with(".cast"), "{file}");
    studio.close().await;
}

#[tokio::test]
async fn a_stop_keeps_what_was_printed_before_it() {
    let studio = Studio::new();
    let session = studio
        .stage
        .spawn(Script::new().no_echo().read_line().print("seen\n").read_line().print("unseen\n").hang())
        .await;
    let file = studio.home.path().join("a.cast");
    studio.record(&session, json!({"action": "start", "file": file})).await;
    let enter = json!({"process_id": id(&session), "text": ""});
    studio.stage.json("send_input", enter.clone()).await.unwrap();
    line(&session, "^seen").await;
    let reply = studio.record(&session, json!({"action": "stop"})).await;
    assert_eq!(reply["recording"], false);
    studio.stage.json("send_input", enter).await.unwrap();
    line(&session, "unseen").await;
    let text = replay(&file).frame().text();
    assert!(text.contains("seen") && !text.contains("unseen"), "{text}");
    assert!(!events(&file).1.iter().any(|event| matches!(event, EventData::Exit(_))));
    // The session can be recorded again, to another file.
    assert_eq!(studio.refused(&session, json!({"action": "stop"})).await, ErrorKind::NotFound);
    assert_eq!(studio.refused(&session, json!({"action": "start", "file": file})).await, ErrorKind::AlreadyExists);
    studio.record(&session, json!({"action": "start", "file": "b.cast"})).await;
    assert!(studio.home.path().join("recordings/b.cast").exists());
    studio.close().await;
}

#[tokio::test]
async fn typing_is_recorded_only_if_asked_for_and_never_a_password() {
    let studio = Studio::new();
    let script = Script::new().print("name:").read_line().no_echo().print("password:").read_line().print("done\n");
    let session = studio.stage.spawn(script.hang()).await;
    line(&session, "name:").await;
    let file = studio.home.path().join("typed.cast");
    studio.record(&session, json!({"action": "start", "file": file, "input": true})).await;
    let send = |text: &str| studio.stage.json("send_input", json!({"process_id": id(&session), "text": text}));
    send("alice").await.unwrap();
    line(&session, "password:").await;
    send("hunter2").await.unwrap();
    line(&session, "done").await;
    studio.record(&session, json!({"action": "stop"})).await;
    let typed: String = events(&file)
        .1
        .iter()
        .filter_map(|event| match event {
            EventData::Input(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(typed, "alice\r");
    studio.close().await;
}

#[tokio::test]
async fn wrong_recordings_are_refused_and_leave_no_file() {
    let studio = Studio::new();
    let session = studio.stage.spawn(Script::new().hang()).await;
    let start = |file: &str| json!({"action": "start", "file": file});
    assert_eq!(studio.record(&session, json!({})).await, json!({"recording": false}));
    assert_eq!(studio.refused(&session, json!({"action": "stop"})).await, ErrorKind::NotFound);
    assert_eq!(studio.refused(&session, start("../up.cast")).await, ErrorKind::InvalidArgs);
    let nowhere = studio.home.path().join("nowhere/a.cast");
    assert_eq!(studio.refused(&session, start(nowhere.to_str().unwrap())).await, ErrorKind::NotFound);
    studio.record(&session, start("one.cast")).await;
    assert_eq!(studio.refused(&session, start("two.cast")).await, ErrorKind::AlreadyExists);
    assert_eq!(studio.refused(&session, json!({"action": "start", "format": "v1"})).await, ErrorKind::InvalidArgs);
    studio.stage.json("stop_process", json!({"process_id": id(&session)})).await.unwrap();
    studio.closed(&session).await;
    assert_eq!(studio.refused(&session, start("three.cast")).await, ErrorKind::NotRunning);
    let left: Vec<_> = std::fs::read_dir(studio.home.path().join("recordings"))
        .unwrap()
        .map(|file| file.unwrap().file_name())
        .collect();
    assert_eq!(left, ["one.cast"]);
    studio.close().await;

    let without_folder = Stage::new();
    let session = without_folder.spawn(Script::new().hang()).await;
    let args = json!({"process_id": id(&session), "action": "start"});
    assert_eq!(without_folder.refusal("record_process", args).await, ErrorKind::InvalidArgs);
    without_folder.close().await;
}

#[tokio::test]
async fn a_signal_is_told_as_a_shell_tells_it() {
    let studio = Studio::new();
    let session = studio.stage.spawn(Script::new().print("up\n").hang()).await;
    line(&session, "up").await;
    let file = studio.home.path().join("killed.cast");
    studio.record(&session, json!({"action": "start", "file": file})).await;
    studio.stage.json("kill_process", json!({"process_id": id(&session), "signal": "KILL"})).await.unwrap();
    ended(&session).await;
    studio.closed(&session).await;
    assert_eq!(events(&file).1.last(), Some(&EventData::Exit(137)));
    studio.close().await;
}

/// What `outputs` of a recording hold together.
fn output(file: &Path) -> String {
    let of = |event| if let EventData::Output(text) = event { Some(text) } else { None };
    events(file).1.into_iter().filter_map(of).collect()
}

#[tokio::test]
async fn what_left_the_screen_before_the_recording_began_is_in_it() {
    let studio = Studio::new();
    let session = studio.stage.shell("seq 1 1000; read go; seq 1001 2000").await;
    line(&session, "1000").await;
    let file = studio.record_new(&session).await;
    studio.stage.json("send_input", json!({"process_id": id(&session), "text": "\n"})).await.unwrap();
    ended(&session).await;
    studio.closed(&session).await;
    let printed = output(&file).replace('\r', "");
    let lines: Vec<&str> = printed.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, (1..=2000).map(|line| line.to_string()).collect::<Vec<_>>());
    assert_same_screen(&file, &session);
    studio.close().await;
}

#[tokio::test]
async fn a_recording_of_a_new_run_holds_nothing_of_the_last_one() {
    for ends in [false, true] {
        let studio = Studio::new();
        let script = Script::new().print("run\n");
        let session = studio.stage.spawn(if ends { script.exit(0) } else { script.hang() }).await;
        line(&session, "run").await;
        session.restart(engine::StopRequest::default()).await.unwrap();
        line(&session, "run").await;
        if ends {
            ended(&session).await;
        }
        let file = studio.record_new(&session).await;
        session.stop(engine::StopRequest::default()).await.ok();
        studio.closed(&session).await;
        assert_eq!(output(&file).matches("run").count(), 1, "{ends}");
        studio.close().await;
    }
}

#[tokio::test]
async fn what_was_printed_before_a_recording_and_is_lost_is_a_gap() {
    let studio = Studio::new();
    let session = studio.stage.spawn(Script::new().flood(2_000_000).print("\r\nfull").hang()).await;
    line(&session, "full").await;
    let file = studio.record_new(&session).await;
    session.stop(engine::StopRequest::default()).await.unwrap();
    assert_eq!(studio.closed(&session).await["gaps"], 1);
    let gap = |event: &EventData| matches!(event, EventData::Marker(label) if label.starts_with("gap: "));
    assert!(events(&file).1.iter().any(gap));
    assert_same_screen(&file, &session);
    studio.close().await;
}

#[tokio::test]
async fn a_flood_is_not_held_up_and_ends_on_the_right_screen() {
    let studio = Studio::new();
    let session = studio.stage.spawn(Script::new().no_echo().read_line().flood(30_000_000).exit(0)).await;
    let file = studio.home.path().join("flood.cast");
    studio.record(&session, json!({"action": "start", "file": file})).await;
    studio.stage.json("send_input", json!({"process_id": id(&session), "text": ""})).await.unwrap();
    ended(&session).await;
    let status = studio.closed(&session).await;
    assert_same_screen(&file, &session);
    // However many gaps there were, each is marked.
    let (_, events) = events(&file);
    let marked =
        events.iter().filter(|event| matches!(event, EventData::Marker(label) if label.starts_with("gap"))).count();
    assert_eq!(status["gaps"], marked);
    assert_eq!(events.last(), Some(&EventData::Exit(0)));
    studio.close().await;
}

#[tokio::test]
async fn a_closed_program_leaves_whole_files() {
    let studio = Studio::new();
    let (mut files, mut recorders) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        let session = studio.stage.spawn(Script::new().print("up\n").hang()).await;
        line(&session, "up").await;
        let file = studio.record(&session, json!({"action": "start"})).await["file"].as_str().unwrap().to_owned();
        files.push(PathBuf::from(file));
        recorders.push(format!("record-{}", session.id()));
    }
    let Studio { stage, home } = studio;
    stage.close().await;
    for file in files {
        let (_, events) = events(&file);
        assert!(matches!(events.last(), Some(EventData::Exit(_))), "{events:?}");
    }
    let left = || testkit::threads().iter().any(|thread| recorders.contains(&thread.name));
    until("the recorders are gone", || !left()).await;
    drop(home);
}

/// Runs a program at a size that full-screen programs like, and records it from its start.
async fn recorded(studio: &Studio, argv: &[&str]) -> (engine::Session, PathBuf) {
    let mut new = engine::NewSession::new(engine::Kind::Command, argv.iter().copied());
    new.size = vt::Size { cols: 120, rows: 40 };
    let session = studio.stage.engine().spawn(new).await.unwrap();
    let reply = studio.record(&session, json!({"action": "start"})).await;
    (session, PathBuf::from(reply["file"].as_str().unwrap()))
}

/// Stops the program where it is, then the recording: no screen moves between the two looks.
async fn assert_replays_as_it_stands(studio: &Studio, session: &engine::Session, file: &Path) {
    let group = session.info().pid.unwrap().as_raw();
    let stopped = std::process::Command::new("kill").args(["-STOP", "--", &format!("-{group}")]).status().unwrap();
    assert!(stopped.success());
    let state = || std::fs::read_to_string(format!("/proc/{group}/stat")).unwrap();
    until("the program stands still", || state().rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T')))
        .await;
    // What it wrote before is read within the time the recording takes to end; a look that finds the screen moved
    // looks again.
    let mut version = 0;
    until("the screen stands still", || {
        std::mem::replace(&mut version, session.frame().version) == session.frame().version
    })
    .await;
    studio.record(session, json!({"action": "stop"})).await;
    assert_same_screen(file, session);
}

#[tokio::test]
async fn recordings_of_agents_replay_to_the_live_screen() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recordings/agents");
    let mut streams: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "raw"))
        .collect();
    streams.sort();
    assert!(streams.len() > 20, "{}", streams.len());
    let studio = Studio::new();
    for stream in streams {
        // Raw from the start: a line end in a recording is one already. The key says that the recorder listens.
        let command = format!("stty raw -echo; printf ready; head -c 1 >/dev/null; cat '{}'", stream.display());
        let (session, file) = recorded(&studio, &["/bin/sh", "-c", &command]).await;
        line(&session, "ready").await;
        session.send(engine::Input::Text("x".into()), engine::Origin::Human).unwrap();
        ended(&session).await;
        let status = studio.closed(&session).await;
        assert_eq!(status["gaps"], 0, "{}", stream.display());
        assert_same_screen(&file, &session);
    }
    studio.close().await;
}

#[tokio::test]
#[ignore = "needs bash, vim and htop: run by .ci/run"]
async fn recordings_of_programs_replay_to_the_live_screen() {
    let studio = Studio::new();
    let send = |session: &engine::Session, text: &str| {
        session.send(engine::Input::Text(text.into()), engine::Origin::Human).unwrap();
    };
    let (bash, file) = recorded(&studio, &["bash", "--norc", "--noprofile"]).await;
    line(&bash, "bash").await;
    send(&bash, "ls -l --color=always /; echo do''ne\n");
    line(&bash, "^done").await;
    assert_replays_as_it_stands(&studio, &bash, &file).await;

    let (vim, file) = recorded(&studio, &["vim", "-n", "-u", "NONE", "-N"]).await;
    line(&vim, "~").await;
    send(&vim, ":set number\n:syntax on\niint main() {\n  return 漢字;\n}\x1b:vsplit\n:echo 'rea' . 'dy'\n");
    line(&vim, "ready").await;
    assert_replays_as_it_stands(&studio, &vim, &file).await;

    let (htop, file) = recorded(&studio, &["htop"]).await;
    line(&htop, "PID").await;
    send(&htop, "t");
    assert_replays_as_it_stands(&studio, &htop, &file).await;
    studio.close().await;
}

#[tokio::test]
async fn what_shells_mark_is_marked() {
    let studio = Studio::new();
    let script = Script::new().no_echo().read_line().print("\x1b]133;A\x07$ \x1b]133;C\x07out\n\x1b]133;D;3\x07");
    let session = studio.stage.spawn(script.exit(0)).await;
    let reply = studio.record(&session, json!({"action": "start"})).await;
    studio.stage.json("send_input", json!({"process_id": id(&session), "text": ""})).await.unwrap();
    ended(&session).await;
    studio.closed(&session).await;
    let (_, events) = events(Path::new(reply["file"].as_str().unwrap()));
    let marks: Vec<&str> = events
        .iter()
        .filter_map(|event| if let EventData::Marker(label) = event { Some(label.as_str()) } else { None })
        .collect();
    assert_eq!(marks, ["prompt", "command", "exit 3"]);
    studio.close().await;
}
