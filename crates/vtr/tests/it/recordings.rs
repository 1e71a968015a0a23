//! Recording, playing, exporting and searching, as a person does it.

use std::{os::unix::fs::PermissionsExt, path::Path, process::Stdio};

use testkit::{wait_until, wait_until_some};

use crate::{
    attach::Attached,
    stage::{FinishedCommand, Stage, TestChild},
};

/// A recording that is known to the last byte: ten seconds, with a mark, a resize and an end.
fn known(stage: &Stage) -> String {
    let file = stage.path("known.cast");
    let lines = r#"{"version":3,"term":{"cols":40,"rows":5},"title":"a <title>"}
[1.0, "o", "first screen\r\n"]
[2.0, "o", "\u001b[31mred error\u001b[m\r\n"]
[1.0, "m", "here"]
[0.0, "r", "50x6"]
[2.0, "o", "\u001b[2J\u001b[Hsecond screen"]
[4.0, "x", "3"]
"#;
    std::fs::write(&file, lines).unwrap();
    file.to_str().unwrap().to_owned()
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .map(|entries| entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect())
        .unwrap_or_default();
    names.sort();
    names
}

/// Waits until the recorder has written the end.
fn closed(stage: &Stage, session: &str) -> serde_json::Value {
    wait_until_some("the recording is over", || {
        let status = stage.vtr(&["record", session, "status", "--json"]).json();
        (status["recording"] == false).then_some(status)
    })
}

#[test]
fn a_session_is_recorded_from_its_first_byte() {
    let stage = Stage::new();
    // Ends before anyone could ask for a recording.
    stage.vtr(&["spawn", "quick", "--record", "--", "printf", "gone in a moment"]).ok();
    stage.see_end("quick");
    let status = closed(&stage, "quick");
    let file = status["file"].as_str().unwrap().to_owned();
    assert!(file.contains("recordings/quick-") && file.ends_with(".cast"), "{file}");
    assert_eq!(stage.vtr(&["export", &file, "--format", "txt"]).ok(), "gone in a moment\n");
    let cast = std::fs::read_to_string(&file).unwrap();
    assert!(cast.trim_end().ends_with("\"x\", \"0\"]"), "{cast}");

    stage.vtr(&["spawn", "named", "--record=named.cast", "--cmd", "echo started; exec cat"]).ok();
    stage.see("named", "started");
    let dump = stage.vtr(&["record", "named", "dump"]).ok();
    assert!(dump.starts_with("{\"version\":3") && dump.contains("started"), "{dump}");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&stage.path("named.cast")), 0o600);
    assert_eq!(mode(&stage.path("state/vtr/recordings")), 0o700);
    // A session that can't be recorded as requested is removed.
    stage.vtr(&["spawn", "other", "--record=named.cast", "--", "cat"]).failed(5, &["exists already"]);
    stage.vtr(&["info", "other"]).failed(1, &["other"]);
    stage.vtr(&["record", "nobody", "dump"]).failed(1, &["nobody"]);
}

#[test]
fn a_coordinator_may_record_all_and_keep_few() {
    let mut stage = Stage::empty();
    let config = stage.path("server.toml");
    let folder = stage.path("casts");
    let text = format!("[recording]\nfolder = \"{}\"\nalways = true\nkeep = 2\nformat = \"v2\"\n", folder.display());
    std::fs::write(&config, text).unwrap();
    stage.serve("a", &["--config", config.to_str().unwrap(), "--record-max-size", "100kB"]);
    for name in ["one", "two", "three"] {
        stage.vtr(&["spawn", name, "--", "echo", "hello from", name]).ok();
        stage.see_end(name);
        closed(&stage, name);
    }
    let left = files(&folder);
    assert_eq!(left.len(), 2, "{left:?}");
    assert!(left.iter().all(|name| !name.starts_with("one-")), "{left:?}");
    let cast = std::fs::read_to_string(folder.join(&left[0])).unwrap();
    assert!(cast.starts_with("{\"version\":2") && cast.contains("hello from"), "{cast}");
    // A recording that grows too large is ended, with a message; the session goes on.
    stage.vtr(&["spawn", "flood", "--cmd", "yes | head -c 2000000; echo over; exec cat"]).ok();
    stage.see("flood", "over");
    let status = closed(&stage, "flood");
    assert!(status["error"].as_str().unwrap().contains("100000 bytes"), "{status}");
    assert!(status["bytes"].as_u64().unwrap() < 300_000, "{status}");
    assert_eq!(stage.vtr(&["info", "flood", "--json"]).json()["status"], "running");
}

#[test]
fn a_crash_leaves_a_recording_that_plays() {
    let mut stage = Stage::new();
    stage.vtr(&["spawn", "one", "--record=one.cast", "--cmd", "echo before the crash; exec cat"]).ok();
    stage.see("one", "before the crash");
    let file = stage.path("one.cast");
    wait_until_some("it is written", || {
        // After the header, which contains the words as part of the command. They are in the keyframe if the program
        // was quicker than the recording, and then end differently there.
        let text = std::fs::read_to_string(&file).unwrap();
        let whole = |event: &str| event.contains("before the crash") && event.ends_with(']');
        text.lines().skip(1).any(whole).then_some(())
    });
    stage.server().signal(rustix::process::Signal::KILL);
    stage.server().wait();
    let file = file.to_str().unwrap();
    assert!(stage.vtr(&["export", file, "--format", "txt"]).ok().contains("before the crash"));
    // Even a recording that was cut in the middle of a line.
    let whole = std::fs::read(file).unwrap();
    std::fs::write(file, &whole[..whole.len() - 3]).unwrap();
    let ran = stage.vtr(&["export", file, "--format", "v2"]);
    assert!(ran.stderr.contains("cut off"), "{ran:?}");
    ran.ok();
}

#[test]
fn a_damaged_recording_is_read_up_to_the_damage() {
    let stage = Stage::empty();
    let file = known(&stage);
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("[1.0, \"m\"", "nonsense")).unwrap();
    let ran = stage.vtr(&["export", &file, "--format", "txt"]);
    assert!(ran.stderr.contains("up to its damage") && ran.stderr.contains("line 4"), "{ran:?}");
    assert_eq!(ran.ok(), "first screen\nred error\n");
    let ran = stage.vtr(&["record", "grep", "screen", &file]);
    assert!(ran.stderr.contains("up to its damage"), "{ran:?}");
    assert_eq!(ran.ok(), "0:01.000-end: first screen\n");
}

#[test]
fn what_is_typed_is_recorded_only_if_asked_and_never_secrets() {
    let stage = Stage::new();
    let script = "echo ready; read line; stty -echo; echo secret?; read secret; stty echo; echo thanks; exec cat";
    stage.vtr(&["spawn", "one", "--cmd", script]).ok();
    stage.see("one", "ready");
    stage.vtr(&["record", "one", "start", "--file", "one.cast", "--input"]).ok();
    stage.vtr(&["send", "one", "plain\n"]).ok();
    stage.see("one", "secret\\?");
    stage.vtr(&["send", "one", "hunter2\n"]).ok();
    stage.see("one", "thanks");
    stage.vtr(&["record", "one", "stop"]).ok();
    let cast = std::fs::read_to_string(stage.path("one.cast")).unwrap();
    assert!(cast.contains("\"i\", \"plain") && !cast.contains("hunter2"), "{cast}");
}

#[test]
fn a_recording_is_exported_and_searched() {
    let stage = Stage::empty();
    let file = known(&stage);
    let export = |words: &[&str]| -> FinishedCommand {
        let words: Vec<&str> = ["export", &file].into_iter().chain(words.iter().copied()).collect();
        stage.vtr(&words)
    };
    assert_eq!(export(&["--format", "txt", "--at", "3s"]).ok(), "first screen\nred error\n");
    // Cleared text had been printed all the same.
    assert_eq!(export(&["--format", "txt"]).ok(), "first screen\nred error\nsecond screen\n");
    let v2 = export(&["--format", "v2"]).ok();
    let lines: Vec<&str> = v2.lines().collect();
    assert_eq!(lines[0], r#"{"version":2,"width":40,"height":5,"title":"a <title>"}"#);
    assert_eq!(
        lines[3..],
        [
            r#"[4.000000, "m", "here"]"#,
            r#"[4.000000, "r", "50x6"]"#,
            r#"[6.000000, "o", "\u001b[2J\u001b[Hsecond screen"]"#
        ]
    );
    std::fs::write(stage.path("again.cast"), &v2).unwrap();
    let again = stage.vtr(&["export", "again.cast", "--format", "v3"]).ok();
    assert_eq!(again.lines().nth(1), Some(r#"[1.000000, "o", "first screen\r\n"]"#));
    for (name, part) in [("still.svg", "a &lt;title&gt;"), ("still.html", "error</span>")] {
        let said = export(&["--output", name, "--at", "3"]).ok();
        assert!(said.starts_with(name), "{said}");
        let text = std::fs::read_to_string(stage.path(name)).unwrap();
        assert!(text.contains("red") && text.contains(part), "{text}");
    }
    export(&["--output", "still.svg"]).failed(5, &["exists already", "--force"]);
    export(&["--output", "still.svg", "--force"]).ok();
    export(&["--format", "gif"]).failed(5, &["GIF is not supported", "agg"]);
    export(&[]).failed(2, &["--format"]);
    stage.vtr(&["export", "nothing.cast", "--format", "txt"]).failed(1, &["nothing.cast"]);
    std::fs::write(stage.path("bad.cast"), "hello\n").unwrap();
    stage.vtr(&["export", "bad.cast", "--format", "txt"]).failed(2, &["not an asciicast header"]);

    assert_eq!(
        stage.vtr(&["record", "grep", "screen|error", &file]).ok(),
        "0:01.000-0:06.000: first screen\n0:03.000-0:06.000: red error\n0:06.000-end: second screen\n"
    );
    let json = stage.vtr(&["record", "grep", "second", &file, "--json"]).json();
    assert_eq!(json["matches"][0]["from_seconds"], 6.0);
    stage.vtr(&["record", "grep", "nowhere", &file]).failed(1, &[]);
    stage.vtr(&["record", "grep", "(", &file]).failed(2, &["pattern"]);
    stage.vtr(&["play", &file]).failed(2, &["not a terminal", "txt"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recording_is_played() {
    let stage = Stage::empty();
    let file = known(&stage);
    let played = Attached::run(&stage, &["play", &file, "--speed", "1000"]).await;
    played.shows("(?s)second screen.*‖ 0:10.000 / 0:10.000").await;
    played.shows("the end").await;
    // Back in time, by steps and jumps.
    played.press(",");
    played.shows("(?s)first screen.*red error").await;
    played.press("g ]");
    played.shows("(?s)red error.*0:04.000.*here").await;
    played.press("g . .");
    played.shows("(?s)red error.*0:03.000").await;
    played.press(",");
    played.until("only the first line is left", |text| text.contains("first screen") && !text.contains("red error"));
    played.type_text("/second\r");
    played.shows("(?s)second screen.*0:06.000.*1 of 1").await;
    played.press("n");
    played.shows("no more matches that way").await;
    played.press("left");
    played.shows("(?s)first screen.*0:01.000").await;
    played.press("- - -");
    played.shows("8x").await;
    played.press("q");
    let (status, _) = played.end().await;
    assert_eq!(status, Some(engine::ExitStatus::Code(0)));
    let short = Attached::run(&stage, &["play", &file, "--idle-limit", "500ms", "--start", "2s"]).await;
    short.shows("/ 0:02.500").await;
    short.press("q");
    short.end().await;
}

/// A coordinator whose disk becomes full on request: no file may grow beyond this many bytes.
struct SmallDisk {
    stage: Stage,
    process: TestChild,
}

impl SmallDisk {
    fn new(flags: &[&str]) -> Self {
        let stage = Stage::empty();
        let environment: Vec<_> = stage.bare().get_envs().map(|(k, v)| (k.to_owned(), v.unwrap().to_owned())).collect();
        // Beyond the limit the system sends a signal; if that is ignored, the write fails.
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\"", crate::stage::VTR, "serve", "--socket", "run/a.sock"]);
        shell.args(flags).env_clear().envs(environment).current_dir(stage.path(""));
        let log = std::fs::File::create(stage.path("a.log")).unwrap();
        let process = TestChild::start(shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log));
        let disk = SmallDisk { stage, process };
        wait_until("it serves", || disk.vtr(&["ls"]).code == Some(0));
        disk
    }

    fn vtr(&self, words: &[&str]) -> FinishedCommand {
        self.stage.vtr(&[&["--socket", "run/a.sock"], words].concat())
    }

    fn fill(&self, bytes: u64) {
        use rustix::process::{Resource, Rlimit, prlimit};
        let limit = Rlimit { current: Some(bytes), maximum: None };
        prlimit(Some(self.process.pid()), Resource::Fsize, limit).unwrap();
    }

    fn end(mut self) {
        self.vtr(&["serve", "--stop"]).ok();
        assert!(self.process.ended().success());
    }
}

#[test]
fn a_full_disk_is_said_to_whoever_records() {
    let disk = SmallDisk::new(&[]);
    disk.vtr(&["spawn", "x", "--", "cat"]).ok();
    disk.fill(0);
    let folder = disk.stage.path("state/vtr/recordings");
    disk.vtr(&["record", "x", "start"]).failed(5, &["nothing is recorded", "File too large", "make room"]);
    assert_eq!(files(&folder), Vec::<String>::new(), "nothing is left of it");
    assert_eq!(disk.vtr(&["record", "x", "status"]).ok(), "not recorded\n");
    disk.vtr(&["spawn", "y", "--record", "--", "cat"]).failed(5, &["nothing is recorded"]);
    disk.end();
}

#[test]
fn a_recording_that_ends_early_is_in_the_log() {
    let disk = SmallDisk::new(&[]);
    disk.vtr(&["spawn", "x", "--", "cat"]).ok();
    disk.vtr(&["record", "x", "start"]).ok();
    let log = disk.stage.path("log-so-far");
    std::fs::copy(disk.stage.path("a.log"), &log).unwrap();
    // The log is a file as well, and may grow a little.
    disk.fill(std::fs::metadata(&log).unwrap().len() + 4096);
    disk.vtr(&["send", "x", &"words ".repeat(2000)]).ok();
    wait_until("the log tells of it", || {
        std::fs::read_to_string(disk.stage.path("a.log")).unwrap().contains("a recording ended early")
    });
    let status = disk.vtr(&["record", "x", "status"]).ok();
    assert!(status.contains("ended early: File too large"), "{status}");
    disk.end();
}

#[test]
fn a_session_that_should_be_recorded_and_is_not_comes_with_a_warning() {
    let disk = SmallDisk::new(&["--record-always"]);
    disk.fill(0);
    let ran = disk.vtr(&["spawn", "x", "--", "cat"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "x\n"));
    let warnings = ran.stderr.lines().filter(|line| line.contains("not recorded")).count();
    assert_eq!(warnings, 1, "{ran:?}");
    disk.end();
}

#[test]
fn what_is_typed_into_a_shell_is_recorded_and_a_password_is_not() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "one", "--", "bash", "--norc", "--noprofile"]).ok();
    stage.see("one", r"\$ ");
    stage.vtr(&["record", "one", "start", "--input", "--file", stage.path("typed.cast").to_str().unwrap()]).ok();
    stage.vtr(&["send", "one", "--enter", "echo $((6*7)); read -s -p 'password? ' word; echo; echo $((6*8))"]).ok();
    stage.see("one", r"(?m)^password\? ");
    stage.vtr(&["send", "one", "--enter", "hunter2"]).ok();
    stage.see("one", "(?m)^48");
    stage.vtr(&["send", "one", "--enter", "exit"]).ok();
    stage.see_end("one");
    closed(&stage, "one");
    let cast = std::fs::read_to_string(stage.path("typed.cast")).unwrap();
    let typed: String = cast.lines().filter(|line| line.contains(", \"i\", ")).collect();
    assert!(typed.contains("6*7") && typed.contains("exit") && !cast.contains("hunter2"), "{cast}");
}

#[test]
fn text_is_all_that_was_printed_and_what_is_not_in_it_is_told() {
    let stage = Stage::new();
    let command = "seq 1 30000; printf '\\033[?1049hfull screen\\033[?1049l\\033[H\\033[2J\\033[3J'; echo end";
    stage.vtr(&["spawn", "one", "--record=one.cast", "--cmd", command]).ok();
    stage.see_end("one");
    closed(&stage, "one");
    let ran = stage.vtr(&["export", "one.cast", "--format", "txt"]);
    assert!(ran.stderr.contains("a full-screen program was run once"), "{}", ran.stderr);
    let text = ran.ok();
    let lines: Vec<&str> = text.lines().collect();
    let expected: Vec<String> = (1..=30_000).map(|line| line.to_string()).chain(["end".to_owned()]).collect();
    assert!(lines == expected, "{} lines, from {:?} to {:?}", lines.len(), lines.first(), lines.last());
    stage.vtr(&["export", "one.cast", "--output", "one.txt"]).ok();
    let written = std::fs::metadata(stage.path("one.txt")).unwrap();
    assert_eq!((written.permissions().mode() & 0o777, written.len()), (0o600, text.len() as u64));
}
