//! Sessions of coordinators beside our own: shown, driven, lost, found again, and never ended with us.

use std::{
    io,
    net::Shutdown,
    os::unix::net::{UnixListener, UnixStream},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use rustix::process::Signal;
use serde_json::json;
use testkit::wait_until;
use vt::Size;

use crate::{
    client::Client,
    screen_stage::Face,
    stage::{Headless, Stage, sleeps},
};

const SIZE: Size = Size { cols: 100, rows: 24 };

/// A coordinator: a patterm without a screen that shares its sessions.
struct FarCoordinator {
    patterm: Headless,
    operator: Client,
    _stage: Stage,
}

impl FarCoordinator {
    fn start(socket: &Path) -> Self {
        let stage = Stage::new();
        let patterm = stage.headless(&[&format!("--share={}", socket.display())]);
        let operator = patterm.operator();
        FarCoordinator { patterm, operator, _stage: stage }
    }

    fn spawn(&mut self, name: &str, script: &str) -> String {
        let arguments = json!({ "kind": "command", "argv": ["sh", "-c", script], "name": name });
        self.operator.call("spawn_process", arguments)["process_id"].as_str().unwrap().to_owned()
    }

    fn kill(mut self) {
        self.patterm.signal(Signal::KILL);
        self.patterm.wait();
    }
}

/// A stage whose vtr config names one coordinator at a socket.
fn stage_with(socket: &Path) -> Stage {
    let stage = Stage::new();
    let config = format!("[[coordinators]]\nname = \"far\"\npath = \"{}\"\n", socket.display());
    stage.write_vtr_config(&config);
    stage
}

fn open(face: &Face, name: &str) {
    face.command("open remote", "Open remote session…");
    face.shows("the coordinator has answered", &format!("far:{name}"));
    face.type_text(name);
    face.shows("it is sought", &format!("> {name}"));
    face.press("enter");
    face.shows("where it runs", "runs at far");
}

/// Passes connections on to a socket until they are cut.
struct SocketRelay {
    cut: Arc<Mutex<Vec<UnixStream>>>,
}

impl SocketRelay {
    fn between(here: PathBuf, there: PathBuf) -> Self {
        let listener = UnixListener::bind(here).unwrap();
        let cut = Arc::<Mutex<Vec<UnixStream>>>::default();
        let streams = Arc::clone(&cut);
        thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let Ok(far) = UnixStream::connect(&there) else { continue };
                let mut streams = streams.lock().unwrap();
                streams.extend([near.try_clone().unwrap(), far.try_clone().unwrap()]);
                for (mut from, mut to) in [(near.try_clone().unwrap(), far.try_clone().unwrap()), (far, near)] {
                    thread::spawn(move || {
                        let _ = io::copy(&mut from, &mut to);
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
            }
        });
        SocketRelay { cut }
    }

    fn cut(&self) {
        for stream in self.cut.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

#[test]
fn one_is_shown_typed_to_looked_back_on_and_goes_on_when_we_leave() {
    let place = tempfile::tempdir().unwrap();
    let socket = place.path().join("far.sock");
    let mut far = FarCoordinator::start(&socket);
    let id = far.spawn("web", "seq 1 200; echo hello from far; exec sh");
    let stage = stage_with(&socket);
    let face = Face::empty(&stage, SIZE);
    open(&face, "web");
    face.shows("its screen", "hello from far");
    face.shows("its tab names the coordinator", "far:web");
    face.type_text("echo typed $((6 * 7))\r");
    face.shows("what it answered", "(?m)^typed 42");

    face.command("look back", "Look back and copy");
    face.shows("copy mode", "copy mode");
    face.press("g");
    face.shows("its oldest line", "(?m)^1 +█");
    face.press("q");
    face.hides("back", "copy mode");

    face.command("find in all", "Find in all sessions…");
    face.type_text("hello from");
    face.shows("found there too", "far:web.*hello from far");
    face.press("esc");

    face.command("rename", "Rename this session…");
    face.shows("the name it has there", r"│ web *│");
    face.press("ctrl-u");
    face.type_text("shop\r");
    face.shows("its new name", "far:shop");
    assert_eq!(far.operator.call("get_process_status", json!({ "process_id": id }))["name"], "shop");

    face.command("restart", "Restart this session's program");
    face.shows("what can't be done from here", "far:shop runs at a coordinator");

    face.command("quit", "› Quit");
    assert_eq!(face.ended(), engine::ExitStatus::Code(0), "nothing of ours runs, so nothing is asked");
    assert_eq!(far.operator.call("get_process_status", json!({ "process_id": id }))["status"], "running");
}

#[test]
fn a_coordinator_that_was_killed_is_lost_and_a_session_of_the_same_name_is_another() {
    let place = tempfile::tempdir().unwrap();
    let socket = place.path().join("far.sock");
    let mut far = FarCoordinator::start(&socket);
    far.spawn("web", "echo the first; exec cat");
    let stage = stage_with(&socket);
    stage.write_config(r#"{ "rail": { "visible": false } }"#);
    let face = Face::empty(&stage, SIZE);
    open(&face, "web");
    face.shows("its screen", "the first");
    face.command("split right", "Split right: new terminal");
    face.shows("beside a terminal of our own", r"─ . far:web running .*│─ . terminal-1 running ");
    far.kill();
    face.shows("it is lost, and its screen stays", r"─ × far:web LOST .*│─ . terminal-1 running ");
    face.shows("its last screen", "(?m)^the first");
    face.type_text("echo ours $((6 * 7))\r");
    face.shows("nothing else is disturbed", "│ours 42");

    let mut far = FarCoordinator::start(&socket);
    far.spawn("web", "echo the second; exec cat");
    face.shows("it is gone with its coordinator", "far:web GONE");
    face.press("alt-shift-h");
    face.shows("another has its name", "another session has its name now · Enter shows that one");
    face.type_text("not meant for that one\r");
    face.shows("a line for the one that is gone", "this line was not sent");
    face.shows("it is still in sight", "far:web GONE");
    face.until("an Enter of its own shows the other", |screen| {
        let shown = screen.contains("far:web running");
        if !shown {
            face.press("enter");
        }
        shown
    });
    face.shows("in its place", r"─ . far:web running .*│─ . terminal-1 running ");
    face.shows("the other one", "(?m)^the second");
    face.type_text("meant\r");
    face.shows("typed there", "(?m)^meant *│");
    assert!(!face.text().contains("not meant"), "{}", face.text());
    face.command("close this session", "Close this session");
    face.shows("closed only here", "far:web goes on there");
    face.hides("its pane", "far:web running");
    face.end();
}

#[test]
fn a_connection_that_broke_is_found_again_and_one_that_hangs_is_told_of() {
    let place = tempfile::tempdir().unwrap();
    let (socket, near) = (place.path().join("far.sock"), place.path().join("near.sock"));
    let mut far = FarCoordinator::start(&socket);
    let id = far.spawn("web", "echo ready; exec cat");
    let relay = SocketRelay::between(near.clone(), socket);
    let stage = stage_with(&near);
    let face = Face::empty(&stage, SIZE);
    open(&face, "web");
    face.shows("its screen", "ready");
    relay.cut();
    face.shows("it was found again", "far:web: connected again");
    face.type_text("after\r");
    face.shows("the same session", "(?m)^after");

    far.patterm.signal(Signal::STOP);
    face.type_text("x");
    face.shows("it does not answer", "far does not answer");
    face.shows("in the status line", "DOES NOT ANSWER");
    far.patterm.signal(Signal::CONT);
    face.shows("it answers again", "runs at far");
    face.shows("what was typed has come", "(?m)^x");

    // The list of sessions, which the broken connection took along, is there again.
    face.command("open remote", "Open remote session…");
    face.shows("it is listed", r"▸ far:web +\(here\)");
    face.press("esc");
    face.hides("the list", "Sessions ─");
    far.operator.call("close_process", json!({ "process_id": id }));
    face.shows("somebody removed it", "GONE: it was removed · Enter closes it");
    face.press("enter");
    face.shows("nothing is left", "to spawn an agent");
    face.end();
}

#[test]
fn coordinators_that_are_not_there_are_listed_with_the_reason() {
    let place = tempfile::tempdir().unwrap();
    let stage = stage_with(&place.path().join("nobody.sock"));
    let face = Face::empty(&stage, SIZE);
    face.command("open remote", "Open remote session…");
    face.shows("why", "× far");
    face.press("enter");
    face.shows("in full", "far: .*nobody.sock");
    stage.write_vtr_config("coordinators = 3");
    face.command("open remote", "Open remote session…");
    face.shows("a mistake in the config", "config.toml");
    face.end();
}

#[test]
fn the_picker_filters_and_shows_what_the_session_under_the_cursor_prints() {
    let place = tempfile::tempdir().unwrap();
    let socket = place.path().join("far.sock");
    let mut far = FarCoordinator::start(&socket);
    far.spawn("clock", "n=0; while :; do n=$((n + 1)); echo tick $n $(stty size); sleep 0.05; done");
    far.spawn("web", "echo the web server; exec cat");
    far.spawn("done", "exit 3");
    let stage = stage_with(&socket);
    let face = Face::empty(&stage, SIZE);
    face.command("open remote", "Open remote session…");
    face.shows("all of them", "(?s)▸ far:clock.*▸ far:web.*× far:done +exited 3");
    face.shows("what the first prints", "(?s)╭ clock ─.*tick [0-9]+");
    // Nothing but the preview changes meanwhile.
    let ticks = |screen: &str| screen.rsplit("tick ").next()?.split_whitespace().next()?.parse::<u32>().ok();
    let before = ticks(&face.text());
    face.until("more of it", |screen| ticks(screen) > before.map(|ticks| ticks + 5));
    face.shows("it kept its size", "tick [0-9]+ 40 120");
    face.press("down");
    face.shows("the next one", "(?s)╭ web ─.*the web server");
    face.hides("the one before", "tick");
    face.type_text("clo");
    face.hides("what does not match", "far:web");
    face.shows("the one that matches", "tick");
    face.press("esc");
    face.shows("nothing was opened", "to spawn an agent");
    open(&face, "web");
    face.shows("its screen", "(?m)^the web server");
    face.command("open remote", "Open remote session…");
    face.shows("it is open here", r"▸ far:web +\(here\) sh");
    face.type_text("web");
    face.press("enter");
    face.hides("the list", "Sessions ─");
    face.shows("the same tab", r"^ . far:web  \+");
    face.end();
}

#[test]
fn ten_idle_ones_wake_nobody() {
    let place = tempfile::tempdir().unwrap();
    let socket = place.path().join("far.sock");
    let mut far = FarCoordinator::start(&socket);
    (0..10).for_each(|number| drop(far.spawn(&format!("quiet-{number}"), "echo ready; exec cat")));
    let stage = stage_with(&socket);
    let face = Face::empty(&stage, SIZE);
    for number in 0..10 {
        open(&face, &format!("quiet-{number}"));
        face.shows("its screen", "ready");
    }
    wait_until("nothing wakes for two seconds", || {
        let before = sleeps(face.pid());
        thread::sleep(Duration::from_secs(2));
        sleeps(face.pid()) == before
    });
    face.end();
}
