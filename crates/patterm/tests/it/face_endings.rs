//! However it ends, nothing that was started goes on, the terminal is restored, and no scratchpad is half written.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
};

use engine::ExitStatus;
use pty::{Pty, ReadOutcome, SpawnRequest};
use rustix::process::Signal;
use serde_json::json;
use testkit::{wait_until, wait_until_some};
use vt::{Effect, Size};

use crate::{
    client::Client,
    screen_stage::{Face, face_argv},
    stage::{Stage, is_gone},
};

const SIZE: Size = Size { cols: 124, rows: 20 };

/// Prints its process id, and only ends when it is killed.
const STUBBORN: &str = "trap '' TERM HUP INT; echo pid $$; while :; do sleep 1000; done";

fn stage() -> Stage {
    let stage = Stage::new();
    stage.write_config(r#"{ "grace_seconds": 0.5 }"#);
    stage
}

fn pid_of(operator: &mut Client, session: &str) -> i64 {
    operator.see(session, "pid [0-9]+");
    let output = operator.call("get_process_output", json!({ "process_id": session, "mode": "grid" }));
    let text = output["content"].as_str().unwrap().to_owned();
    text.lines().find_map(|line| line.trim().strip_prefix("pid ")).unwrap().parse().unwrap()
}

fn start(stage: &Stage) -> (Face, Client, i64) {
    let face = Face::open_with(stage, SIZE, &["--share"], &[("PATTERM_PANIC_ON", "f9")]);
    let mut operator = face.operator(stage);
    let session = operator.spawn(&["sh", "-c", STUBBORN]);
    let pid = pid_of(&mut operator, &session);
    face.shows("the session", "pid [0-9]+");
    (face, operator, pid)
}

#[test]
fn signals_end_everything_and_leave_a_sane_terminal() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let stage = stage();
        let (face, mut operator, pid) = start(&stage);
        let jobs = DeafJobs::start(&mut operator);
        operator.call("scratchpad_write", json!({ "name": "kept", "content": "as it was\n" }));
        face.signal(signal);
        assert_eq!(face.ended(), ExitStatus::Code(0), "{signal:?}\n{}", face.text());
        assert!(is_gone(pid), "{signal:?} reaches everything");
        jobs.are_gone();
        face.is_sane();
        assert_eq!(stage.left_in_run(), Vec::<String>::new());
        assert_eq!(stage.scratchpad("kept"), "as it was\n");
    }
}

/// patterm in a window that can be closed.
struct Window {
    terminal: Pty,
    patterm: pty::ChildProcess,
}

impl Window {
    fn open(stage: &Stage) -> Self {
        let (argv, env) = face_argv(stage, &[], &[]);
        let size = pty::PtySize { cols: SIZE.cols, rows: SIZE.rows };
        let request = SpawnRequest { argv, env, working_dir: Some(stage.path("project")), size };
        let (terminal, patterm) = pty::spawn(request).unwrap();
        let mut screen = vt::Terminal::new(vt::TerminalOptions { size: SIZE, ..vt::TerminalOptions::default() });
        wait_until("it is drawn", || {
            let mut bytes = [0; 4096];
            if let ReadOutcome::Bytes(count) = terminal.read(&mut bytes).unwrap() {
                screen.feed(&bytes[..count]);
            }
            for effect in screen.take_effects() {
                if let Effect::Reply(reply) = effect {
                    terminal.write(&reply).unwrap();
                }
            }
            screen.frame().text().contains("to spawn an agent")
        });
        Window { terminal, patterm }
    }

    fn operator(&self, stage: &Stage) -> Client {
        Client::behind_proxy(&stage.path(&format!("run/patterm/{}/operator-1.json", self.patterm.pid())))
    }

    /// The system hangs up on patterm, and the shell that started it would do so again.
    fn close(self) -> ExitStatus {
        let Window { terminal, mut patterm } = self;
        drop(terminal);
        patterm.signal_group(pty::Signal::HUP).unwrap();
        wait_until_some("it has ended", || patterm.try_wait().unwrap())
    }
}

#[test]
fn closing_the_window_ends_everything() {
    let stage = stage();
    let window = Window::open(&stage);
    let mut operator = window.operator(&stage);
    let session = operator.spawn(&["sh", "-c", STUBBORN]);
    let pid = pid_of(&mut operator, &session);
    let jobs = DeafJobs::start(&mut operator);
    assert_eq!(window.close(), ExitStatus::Code(0));
    assert!(is_gone(pid));
    jobs.are_gone();
    assert_eq!(stage.left_in_run(), Vec::<String>::new());
}

/// Jobs in process groups of their own, which only KILL ends.
pub(crate) struct DeafJobs([i64; 3]);

impl DeafJobs {
    pub(crate) fn start(operator: &mut Client) -> Self {
        let script = "set -m; trap '' TERM HUP INT; sleep 1000 & a=$!; nohup sleep 1000 >/dev/null 2>&1 & b=$!; \
            echo jobs $a $b $$; wait";
        let session = operator.spawn(&["sh", "-c", script]);
        operator.see(&session, "jobs( [0-9]+){3}");
        let output = operator.call("get_process_output", json!({ "process_id": session, "mode": "grid" }));
        let text = output["content"].as_str().unwrap().to_owned();
        let numbers = text.lines().find_map(|line| line.trim().strip_prefix("jobs ")).unwrap();
        let numbers: Vec<i64> = numbers.split(' ').map(|number| number.parse().unwrap()).collect();
        assert!(numbers.iter().all(|pid| !is_gone(*pid)));
        DeafJobs(numbers.try_into().unwrap())
    }

    #[track_caller]
    pub(crate) fn are_gone(&self) {
        assert!(self.0.iter().all(|pid| is_gone(*pid)), "{:?}", self.0);
    }
}

/// Cleans up for a second when it is asked to end.
struct TidyProgram {
    log: PathBuf,
}

impl TidyProgram {
    fn start(stage: &Stage, operator: &mut Client) -> Self {
        let log = stage.path("log");
        let script = format!(
            "trap 'sleep 1; echo cleaned >> {}; exit' TERM; echo ready; while :; do sleep 0.05; done",
            log.display()
        );
        let session = operator.spawn(&["sh", "-c", &script]);
        operator.see(&session, "ready");
        TidyProgram { log }
    }

    #[track_caller]
    fn has_cleaned_up(&self) {
        assert_eq!(fs::read_to_string(&self.log).unwrap_or_default(), "cleaned\n");
    }
}

#[test]
fn whatever_ends_it_programs_get_their_grace() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let stage = Stage::new();
        stage.write_config(r#"{ "grace_seconds": 60 }"#);
        let face = Face::empty(&stage, SIZE);
        let program = TidyProgram::start(&stage, &mut face.operator(&stage));
        face.signal(signal);
        assert_eq!(face.ended(), ExitStatus::Code(0), "{signal:?}\n{}", face.text());
        program.has_cleaned_up();
    }
    let stage = Stage::new();
    stage.write_config(r#"{ "grace_seconds": 60 }"#);
    let window = Window::open(&stage);
    let program = TidyProgram::start(&stage, &mut window.operator(&stage));
    assert_eq!(window.close(), ExitStatus::Code(0));
    program.has_cleaned_up();
}

#[test]
fn a_second_signal_kills_what_is_left_at_once() {
    let stage = Stage::new();
    stage.write_config(r#"{ "grace_seconds": 300 }"#);
    let face = Face::empty(&stage, SIZE);
    let jobs = DeafJobs::start(&mut face.operator(&stage));
    face.signal(Signal::HUP);
    face.shows("it waits for them", "ending all sessions");
    face.signal(Signal::TERM);
    assert_eq!(face.ended(), ExitStatus::Code(0), "{}", face.text());
    jobs.are_gone();
}

#[test]
fn a_panic_of_the_interface_ends_everything_and_leaves_a_sane_terminal() {
    if !cfg!(debug_assertions) {
        // A release build can't be made to panic.
        return;
    }
    let stage = stage();
    let (face, _operator, pid) = start(&stage);
    face.press("f9");
    assert_eq!(face.ended(), ExitStatus::Code(5), "{}", face.text());
    face.is_sane();
    assert!(is_gone(pid));
    let text = face.text();
    assert!(text.contains("asked to panic") && text.contains("please report it"), "it can be read: {text}");
    assert_eq!(stage.left_in_run(), Vec::<String>::new());
}

/// The watchdog that this patterm has started.
fn watchdog_of(patterm: i32) -> i64 {
    let of_thread = |task: fs::DirEntry| fs::read_to_string(task.path().join("children")).unwrap_or_default();
    wait_until_some("its watchdog has its name", || {
        let children: String =
            fs::read_dir(format!("/proc/{patterm}/task")).unwrap().flatten().map(of_thread).collect();
        children.split_whitespace().find_map(|pid| {
            let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            (name == "session-watch\n").then(|| pid.parse().unwrap())
        })
    })
}

#[test]
fn killed_without_a_word_it_leaves_no_jobs_and_no_watchdog() {
    let stage = stage();
    let face = Face::empty(&stage, SIZE);
    let mut operator = face.operator(&stage);
    let jobs = DeafJobs::start(&mut operator);
    let log = stage.path("log");
    let tidy = format!("trap 'echo cleaned >> {}; exit' TERM; echo up; while :; do sleep 0.05; done", log.display());
    stage.install_program("tidy", &tidy);
    let shell = operator.spawn(&["sh", "-c", "set -m; nohup tidy & exec sleep 1000"]);
    // nohup keeps the job's output in a file.
    wait_until("the job runs", || fs::read_to_string(stage.path("project/nohup.out")).is_ok_and(|text| text == "up\n"));
    let ended = operator.spawn(&["sh", "-c", "trap '' HUP TERM; sleep 1000 & echo pid $!"]);
    let left_behind = pid_of(&mut operator, &ended);
    operator.call("wait_for_state", json!({ "process_id": ended, "states": ["exited"] }));
    assert!(!is_gone(left_behind), "{shell}");
    let watchdog = watchdog_of(face.pid());
    face.signal(Signal::KILL);
    assert_eq!(face.ended(), ExitStatus::Signal(9));
    wait_until("the watchdog is done", || is_gone(watchdog));
    jobs.are_gone();
    assert!(is_gone(left_behind));
    assert_eq!(fs::read_to_string(&log).unwrap(), "cleaned\n");
}

#[test]
fn the_watchdog_keeps_away_from_the_terminal_and_goes_with_patterm() {
    let stage = stage();
    let face = Face::empty(&stage, SIZE);
    let mut operator = face.operator(&stage);
    let watchdog = watchdog_of(face.pid());
    let pid = rustix::process::Pid::from_raw(i32::try_from(watchdog).unwrap()).unwrap();
    assert_eq!(rustix::process::getsid(Some(pid)).unwrap(), pid, "a session of its own");
    for number in 0..3 {
        let target = fs::read_link(format!("/proc/{watchdog}/fd/{number}")).unwrap();
        assert!(!target.starts_with("/dev/pts"), "{number}: {}", target.display());
    }
    assert_eq!(fs::read_link(format!("/proc/{watchdog}/cwd")).unwrap(), Path::new("/"));
    assert_eq!(operator.call("list_processes", json!({}))["processes"], json!([]));
    face.signal(Signal::TERM);
    assert_eq!(face.ended(), ExitStatus::Code(0), "{}", face.text());
    assert!(is_gone(watchdog));
}

#[test]
fn killed_in_the_middle_of_writing_no_scratchpad_is_half() {
    let stage = stage();
    let (face, mut operator, pid) = start(&stage);
    let texts = ["a", "b"].map(|letter| format!("{}\n", letter.repeat(200_000)));
    operator.call("scratchpad_write", json!({ "name": "big", "content": texts[0] }));
    let writer = thread::spawn({
        let texts = texts.clone();
        move || {
            for text in texts.iter().cycle() {
                let call = json!({ "name": "scratchpad_write", "arguments": { "name": "big", "content": text } });
                let message = json!({ "jsonrpc": "2.0", "id": 1000, "method": "tools/call", "params": call });
                if operator.try_write(&format!("{message}\n")).is_err() || operator.try_next().is_none() {
                    return;
                }
            }
        }
    });
    wait_until("it is being written", || stage.scratchpad("big") == texts[1]);
    face.signal(Signal::KILL);
    assert_eq!(face.ended(), ExitStatus::Signal(9));
    writer.join().unwrap();
    wait_until("its sessions die with it", || is_gone(pid));
    let found = stage.scratchpad("big");
    assert!(texts.contains(&found), "{} bytes of neither", found.len());
    // The next run is not affected.
    let _next = Face::empty(&stage, SIZE);
    assert_eq!(stage.left_in_run().len(), 2, "only its own socket and folder: {:?}", stage.left_in_run());
}

#[test]
fn leaving_with_live_sessions_asks_and_lists_them() {
    let stage = stage();
    let (face, mut operator, pid) = start(&stage);
    operator.spawn(&["true"]);
    face.shows("one that has ended", "command-2");
    let quit = || {
        face.command(":quit", "Quit");
        face.shows("the question", "Quit patterm\\?");
    };
    quit();
    face.compare("quitting", &[("pid \\d+", "pid N"), (" +\\d+s\\b", "Ns"), ("as patterm-\\d+", "as patterm-N")]);
    face.press("c");
    face.hides("nothing happened", "Quit patterm");
    assert!(!is_gone(pid));
    quit();
    face.press("q");
    assert_eq!(face.ended(), ExitStatus::Code(0));
    assert!(is_gone(pid));
    face.is_sane();
}

#[test]
fn the_status_line_says_that_it_is_shared() {
    let stage = stage();
    let (face, ..) = start(&stage);
    face.shows("the socket", &format!("shared as patterm-{} ", face.pid()));
}

#[test]
fn closing_a_lead_asks_while_something_below_it_runs() {
    let stage = stage();
    stage.install_scripted(
        "claude",
        r#"{ "reactions": [{ "do": [
            { "call": { "tool": "spawn_process", "args": { "kind": "terminal", "name": "tests" } } },
            { "say": "STARTED" }
        ] }] }"#,
    );
    let face = Face::open(&stage, SIZE, &[]);
    let mut operator = face.operator(&stage);
    operator.spawn_agent("claude", "lead", "start it");
    face.shows("its child", "└─ . tests");
    for (typed, entry, title) in [
        ("close this", "Close this session", "Close lead\\?"),
        ("stop this", "Stop this session's program", "Stop lead\\?"),
    ] {
        face.command(typed, entry);
        face.shows("the question", title);
        face.shows("what would end", "1 session below it is still running and will be ended");
        // Enter always takes a harmless answer.
        face.press("enter");
        face.hides("the question", title);
        face.shows("the child", "└─ . tests");
    }
    // The same through the operation, with its arguments asked one by one.
    face.command("close_process", "Close session");
    face.shows("which one", "lead");
    face.type_text("lead");
    face.press("enter");
    face.shows("the question", "Close lead\\?");
    face.press("e");
    face.shows("all of it is gone", "to spawn an agent");
    // A session without children is closed at once.
    operator.spawn(&["cat"]);
    face.shows("another session", "command-1 running");
    face.command("close this", "Close this session");
    face.shows("nothing is left", "to spawn an agent");
}
