//! Recordings from the palette: made, played, searched by time and exported, with the same code as in `vtr`.

use std::{ffi::OsString, fs, path::PathBuf};

use vt::Size;

use crate::{
    screen_stage::{Face, face_argv},
    stage::Stage,
};

const SIZE: Size = Size { cols: 124, rows: 22 };

/// Sixty seconds, so that nothing moves while one looks: with a mark, a resize and an end.
const KNOWN: &str = r#"{"version":3,"term":{"cols":40,"rows":5},"title":"a title"}
[0.0, "o", "first screen\r\n"]
[20.0, "o", "\u001b[31mred error\u001b[m\r\n"]
[10.0, "m", "he\u001b[2Jre"]
[0.0, "r", "50x6"]
[20.0, "o", "\u001b[2J\u001b[Hsecond screen"]
[10.0, "x", "3"]
"#;

/// The folder of the project's recordings.
fn folder(stage: &Stage) -> PathBuf {
    let projects = stage.path("data/patterm/projects");
    let project = fs::read_dir(projects).unwrap().next().unwrap().unwrap().path();
    project.join("recordings")
}

fn with_recordings(stage: &Stage) -> Face {
    let face = Face::open(stage, SIZE, &[]);
    face.shows("the empty state", "to spawn an agent");
    let folder = folder(stage);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("known.cast"), KNOWN).unwrap();
    face
}

#[test]
fn one_is_made_and_played_with_all_keys() {
    let stage = Stage::new();
    let face = with_recordings(&stage);
    face.operator(&stage).spawn(&["sh", "-c", "echo a session; exec cat"]);
    face.shows("a session", "a session");
    face.command(":play-recording", "Play a recording");
    face.shows("they are listed", "known\\.cast +\\d+ bytes, \\d+s ago");
    face.compare("recordings", &[("\\d+s ago", "Ns ago"), (" +\\d+s\\b", "Ns")]);
    face.press("enter");
    face.shows("its first screen", "first screen");
    face.press("space");
    face.shows("it stands", "‖ 0:0\\d\\.\\d+ / 1:00\\.000  1x");
    face.press(".");
    face.shows("the next step", "(?s)red error.*‖ 0:20\\.000");
    face.press("+ ]");
    face.shows("a mark, which can do nothing", "‖ 0:30\\.000 / 1:00\\.000  2x  he.\\[2Jre");
    face.press("G");
    face.shows("the end", "(?s)second screen.*1:00\\.000 / 1:00\\.000");
    face.press("left");
    face.shows("five seconds back", "0:55\\.000 / 1:00\\.000");
    face.press("/");
    face.type_text("red err");
    face.press("enter");
    face.shows("from there on it is not found again", "no more matches that way");
    face.press("N");
    face.shows("it was there before", "(?s)red error.*‖ 0:20\\.000 / 1:00\\.000  2x  1 of 1");
    face.compare("recording-player", &[(" +\\d+s\\b", "Ns")]);
    face.press("q");
    face.shows("back where one was", "a session");
}

#[test]
fn a_session_is_recorded_and_found_again() {
    let stage = Stage::new();
    let face = Face::open(&stage, SIZE, &[]);
    let mut operator = face.operator(&stage);
    operator.spawn(&["sh", "-c", "echo before; read line; echo \"said $line\"; exec cat"]);
    face.shows("the session", "before");
    face.command(":play-recording", "Play a recording");
    face.shows("there is none yet", "no recordings yet");
    face.command("record_process", "Record session");
    face.shows("which one", "command-1");
    face.press("enter");
    face.shows("what else", "(?i)action");
    face.type_text("action");
    face.press("enter");
    face.type_text("start");
    face.press("enter");
    face.shows("enough", "Run it now");
    face.press("enter");
    face.hides("the form is closed", "Run it now");
    testkit::wait_until("the file is there", || fs::read_dir(folder(&stage)).is_ok_and(|mut all| all.next().is_some()));
    let file = fs::read_dir(folder(&stage)).unwrap().next().unwrap().unwrap().path();
    face.type_text("words\r");
    face.shows("it answers", "said words");
    testkit::wait_until("it is recorded", || fs::read_to_string(&file).unwrap().contains("said words"));
    face.command(":search-recording", "Find when text was on screen");
    face.shows("which one", "command-1-.*\\.cast");
    face.press("enter");
    face.shows("what", "text that was on screen");
    face.type_text("said \\w+");
    face.press("enter");
    face.shows("when", "0:\\d\\d\\.\\d+ – end  said words");
    face.press("enter");
    face.shows("it is played from there", "(?s)said words.*‖ 0:\\d\\d\\.\\d+ .*1 of 1");
    face.press("esc");
    face.shows("the session is in sight again", "said words");
}

#[test]
fn the_session_in_sight_is_recorded_by_one_command() {
    let stage = Stage::new();
    let face = Face::empty(&stage, SIZE);
    let offers = |what: &str, offered: &str, missing: &str| {
        face.seek("recor", offered);
        face.hides(what, missing);
        face.press("esc");
        face.hides("the palette is closed", "commands [─-]");
    };
    face.operator(&stage).spawn(&["sh", "-c", "echo before; read line; echo \"said $line\"; exec cat"]);
    face.shows("the session", "before");
    offers("nothing to stop", "Record this session", "Stop recording");
    face.command(":record", "Record this session");
    face.shows("where it goes", "(?s)recording command-1 to.*command-1-[^ ]*\\.cast");
    face.shows("that it is on", "● REC");
    offers("only one at a time", "Stop recording", "Record this session");
    face.type_text("words\r");
    face.shows("it answers", "said words");
    face.command(":stop-recording", "Stop recording");
    face.shows("where it went", "(?s)recorded command-1, \\d+ bytes:.*command-1-[^ ]*\\.cast");
    face.hides("it is over", "REC");
    let files: Vec<PathBuf> = fs::read_dir(folder(&stage)).unwrap().map(|file| file.unwrap().path()).collect();
    let [file] = files.as_slice() else { panic!("one file: {files:?}") };
    assert!(fs::read_to_string(file).unwrap().contains("said words"));
    face.command(":play-recording", "Play a recording");
    // The list, not the notice that also names the file.
    face.shows("it is listed", "(?s)play a recording ─.*command-1-[^ ]*\\.cast");
    face.press("enter");
    face.shows("its first screen is that of the start", "(?s)before.* / 0:0\\d\\.\\d+");
    face.press("G");
    face.shows("its last one that of the end", "(?s)before.*said words.* / 0:0\\d\\.\\d+");
    face.press("q");
    face.shows("the session is in sight again", "you have control");
}

#[test]
fn a_recording_that_cannot_be_made_is_complained_of() {
    let stage = Stage::new();
    let face = Face::empty(&stage, SIZE);
    face.operator(&stage).spawn(&["sh", "-c", "echo a session; exec cat"]);
    face.shows("a session", "a session");
    fs::write(folder(&stage), "in the way").unwrap();
    face.command(":record", "Record this session");
    face.shows("why not", "(?s)× .*already");
    face.hides("nothing is recorded", "REC");
}

#[test]
fn a_search_is_given_up_at_once() {
    let stage = Stage::new();
    let face = with_recordings(&stage);
    // Far more than can be searched before a key is pressed: each event means checking a large screen.
    let mut long = "{\"version\":2,\"width\":200,\"height\":100}\n".to_owned();
    for number in 0..200_000 {
        long += &format!("[{}.0,\"o\",\"number {number}\\r\\n\"]\n", number / 10);
    }
    fs::write(folder(&stage).join("long.cast"), long).unwrap();
    let search = |name: &str, text: &str| {
        face.command(":search-recording", "Find when text was on screen");
        face.shows("they are listed", "(?s)find in a recording ─.*known\\.cast");
        face.type_text(name);
        face.shows("the query", &format!("> {name}"));
        face.press("enter");
        face.shows("what", "text that was on screen");
        face.type_text(text);
        face.press("enter");
    };
    search("long", "number 199999");
    face.shows("how far it is", "(?s)searching long\\.cast.* [1-9]\\d* %  Esc ends it");
    face.press("esc");
    face.shows("it is over", "the search in long\\.cast was cancelled");
    face.hides("and nothing of it is left", "Esc ends it|when it was on screen");
    // The next search is not delayed by it, and ends by itself if there is no match.
    search("known", "no such text");
    face.shows("nothing is found", "nothing on the screens of known\\.cast matches");
    face.hides("nothing is in the way", "Esc ends it");
    search("known", "red");
    face.shows("when", "0:20\\.000 – 0:50\\.000 +red error");
    face.press("esc");
    face.shows("back where one was", "to spawn an agent");
}

#[test]
fn one_is_exported_and_never_over_a_file() {
    let stage = Stage::new();
    let face = with_recordings(&stage);
    let export = |form: &str, file: &str| {
        face.command(":export-recording", "Export a recording");
        face.shows("which one", "known\\.cast");
        face.press("enter");
        face.shows("as what", "export as");
        face.type_text(form);
        face.press("enter");
        face.shows("where to", &format!("project's folder.*\n.*{file}"));
        face.press("enter");
    };
    export("SVG", "known\\.svg");
    face.shows("it is written", "known\\.svg is written");
    assert!(fs::read_to_string(stage.path("project/known.svg")).unwrap().contains("second screen"));
    export("text", "known\\.txt");
    face.shows("it is written", "known\\.txt is written");
    assert_eq!(
        fs::read_to_string(stage.path("project/known.txt")).unwrap(),
        "first screen\nred error\nsecond screen\n"
    );
    export("text", "known\\.txt");
    face.shows("it stays as it is", "exists already");
    export("version 2", "known-v2\\.cast");
    face.shows("it is written", "known-v2\\.cast is written");
    assert!(fs::read_to_string(stage.path("project/known-v2.cast")).unwrap().starts_with("{\"version\":2"));
}

#[test]
fn what_is_broken_is_told_and_hurts_nobody() {
    let stage = Stage::new();
    let face = with_recordings(&stage);
    fs::remove_file(folder(&stage).join("known.cast")).unwrap();
    fs::write(folder(&stage).join("none.cast"), "no recording at all").unwrap();
    fs::write(folder(&stage).join("half.cast"), format!("{KNOWN}nonsense\n")).unwrap();
    let play = |name: &str| {
        face.command(":play-recording", "Play a recording");
        face.shows("they are listed", "half\\.cast");
        face.type_text(name);
        face.press("enter");
    };
    play("none");
    face.shows("it is no recording", "none\\.cast: the first line");
    play("half");
    face.shows("it is read up to there", "the recording is read");
    face.shows("and played", "first screen");
    face.press("q");
    face.shows("all is well", "to spawn an agent");
}

#[test]
fn a_recording_that_ends_early_is_announced() {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let stage = Stage::new();
    // Beyond the limit below the system sends a signal; if that is ignored, the write fails.
    let (argv, environment) = face_argv(&stage, &[], &[]);
    let shell = ["sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh"].map(OsString::from);
    let argv = shell.into_iter().chain(argv).collect();
    let face = Face::run(argv, environment, stage.path("project"), SIZE);
    face.shows("the empty state", "to spawn an agent");
    face.operator(&stage).spawn(&["sh", "-c", "echo a session; exec cat"]);
    face.shows("a session", "a session");
    face.command(":record", "Record this session");
    face.shows("it is recorded", "recording command-1 to");
    let patterm = Pid::from_raw(face.session.info().pid.unwrap().as_raw());
    prlimit(patterm, Resource::Fsize, Rlimit { current: Some(0), maximum: None }).unwrap();
    face.type_text("words");
    face.shows("it is told", "the recording of command-1\\s+ended early");
}
