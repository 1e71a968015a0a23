//! The real program in a terminal that is our own engine, driven like a person would: keys, mouse, paste, and looking
//! at the screen. Every wait says what it waits for, and a failure shows the screen.
//!
//! ```text
//! let stage = Stage::new();
//! stage.install_fake("claude", "echo");
//! let face = Face::empty(&stage, Size::new(100, 30));
//! face.command("spawn", "Spawn agent: claude");
//! face.shows("the second step", "first prompt");
//! face.compare("first-prompt", &[]);
//! face.end();
//! ```

#![allow(dead_code, reason = "a stage offers what tests may need")]

use std::{ffi::OsString, fs, path::PathBuf, sync::Arc, time::Duration};

use engine::{Engine, EngineOptions, ExitStatus, Input, Kind, NewSession, Origin, Session, SessionEvent};
use regex::Regex;
use rustix::process::{Pid, Signal, kill_process};
use testkit::DEADLINE;
use tokio::{runtime::Runtime, sync::broadcast, time::timeout};
use vt::{
    Effect, Frame, Position, Size,
    input::{FocusChange, Modifiers, MouseButton, MouseEvent, MouseEventKind, WheelDirection},
};

use crate::{
    client::Client,
    stage::{PATTERM, Stage},
};

/// The command line and the environment of a patterm on a terminal, with `more` variables.
pub(crate) fn face_argv(
    stage: &Stage,
    flags: &[&str],
    more: &[(&str, &str)],
) -> (Vec<OsString>, Vec<(OsString, OsString)>) {
    let command = stage.command(flags);
    let mut argv: Vec<OsString> = vec!["env".into()];
    // Our variables must not look like a pane of patterm, and sessions inherit no variable of that name.
    argv.extend(["-u", "PATTERM", "-u", "PATTERM_PROCESS_ID"].map(OsString::from));
    argv.extend(more.iter().map(|(name, value)| format!("{name}={value}").into()));
    argv.push(PATTERM.into());
    // Tests read it with the person's own tools.
    argv.push("--operator-file".into());
    argv.extend(command.get_args().map(OsString::from));
    let environment = command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
    let terminal = [("LANG", "C.UTF-8"), ("TERM", "xterm-256color"), ("COLORTERM", "truecolor")];
    let terminal = terminal.map(|(name, value)| (name.into(), value.into()));
    (argv, environment.chain(terminal).collect())
}

/// A patterm with a screen.
pub(crate) struct Face {
    // Dropped in this order: the engine's end needs the runtime.
    pub(crate) session: Session,
    events: broadcast::Receiver<SessionEvent>,
    engine: Engine,
    runtime: Runtime,
}

impl Face {
    /// Starts it in the stage's project. The caller waits for its first screen.
    #[track_caller]
    pub(crate) fn open(stage: &Stage, size: Size, flags: &[&str]) -> Self {
        Self::open_with(stage, size, flags, &[])
    }

    /// With additional environment variables.
    #[track_caller]
    pub(crate) fn open_with(stage: &Stage, size: Size, flags: &[&str], more: &[(&str, &str)]) -> Self {
        let (argv, environment) = face_argv(stage, flags, more);
        Self::run(argv, environment, stage.path("project"), size)
    }

    /// Starts it, and waits for the screen without any session.
    #[track_caller]
    pub(crate) fn empty(stage: &Stage, size: Size) -> Self {
        let face = Self::open(stage, size, &[]);
        face.shows("the empty state", "to spawn an agent");
        face
    }

    /// Starts it, with a shell in its first tab.
    #[track_caller]
    pub(crate) fn in_a_shell(stage: &Stage, size: Size) -> Self {
        let face = Self::empty(stage, size);
        face.command("new terminal", "New terminal");
        face.shows("a shell", r"(?m)^\$");
        face
    }

    /// Opens the palette and types, until it shows an entry.
    #[track_caller]
    pub(crate) fn seek(&self, typed: &str, entry: &str) {
        self.press("ctrl-k");
        self.shows("the palette", "commands [─-]");
        self.type_text(typed);
        // Until all of the text has arrived, the list matches only what was typed so far.
        self.shows("the query", &format!("> {}", regex::escape(typed)));
        self.shows("the entry", entry);
    }

    /// Takes an entry of the palette.
    #[track_caller]
    pub(crate) fn command(&self, typed: &str, entry: &str) {
        self.seek(typed, entry);
        self.press("enter");
        self.hides("the palette", "commands [─-]");
    }

    /// Any other program in the same surroundings: to compare with, or one that starts patterm itself.
    #[track_caller]
    pub(crate) fn run(
        argv: Vec<OsString>,
        environment: Vec<(OsString, OsString)>,
        working_dir: PathBuf,
        size: Size,
    ) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (engine, session, events) = runtime.block_on(async {
            let engine = Engine::new(EngineOptions { base_env: environment, ..EngineOptions::default() });
            let new = NewSession { size, working_dir: Some(working_dir), ..NewSession::new(Kind::Command, argv) };
            let session = engine.spawn(new).await.unwrap();
            let events = session.events();
            (engine, session, events)
        });
        Face { session, events, engine, runtime }
    }

    /// Presses a key again and again until the screen is as wanted: for what takes keys only after a while.
    #[track_caller]
    pub(crate) fn press_until(&self, key: &str, what: &str, holds: impl Fn(&str) -> bool) {
        self.again_until(what, holds, || self.press(key));
    }

    /// Does something again and again until the screen is as wanted.
    #[track_caller]
    pub(crate) fn again_until(&self, what: &str, holds: impl Fn(&str) -> bool, act: impl Fn()) {
        let start = std::time::Instant::now();
        while !holds(&self.text()) {
            assert!(start.elapsed() < DEADLINE, "{what}: not within {DEADLINE:?}\n{}", self.text());
            act();
            let mut pulse = self.session.pulse();
            let seen = async { while !holds(&self.text()) && pulse.changed().await.is_ok() {} };
            let _ = self.runtime.block_on(async { timeout(Duration::from_secs(1), seen).await });
        }
    }

    /// One key after the other, in the key grammar: `ctrl-k`, `a`, `enter`, separated by blanks.
    pub(crate) fn press(&self, keys: &str) {
        for key in keys.split_whitespace() {
            self.send(Input::Key(key.parse().unwrap_or_else(|error| panic!("{key:?}: {error}"))));
        }
    }

    /// Character by character, as from a keyboard.
    pub(crate) fn type_text(&self, text: &str) {
        self.send(Input::Text(text.into()));
    }

    pub(crate) fn paste(&self, text: &str) {
        self.send(Input::Paste(text.into()));
    }

    /// The window gets or loses the focus.
    pub(crate) fn focus(&self, focus: FocusChange) {
        self.send(Input::Focus(focus));
    }

    pub(crate) fn click(&self, at: Position) {
        self.mouse(MouseEventKind::Press(MouseButton::Left), at);
        self.mouse(MouseEventKind::Release(MouseButton::Left), at);
    }

    /// Clicks on the first character of the text on the screen.
    #[track_caller]
    pub(crate) fn click_on(&self, pattern: &str) {
        self.click(self.find(pattern));
    }

    pub(crate) fn drag(&self, from: Position, to: Position) {
        self.mouse(MouseEventKind::Press(MouseButton::Left), from);
        self.mouse(MouseEventKind::Motion(Some(MouseButton::Left)), to);
        self.mouse(MouseEventKind::Release(MouseButton::Left), to);
    }

    pub(crate) fn wheel(&self, direction: WheelDirection, at: Position) {
        self.mouse(MouseEventKind::Wheel(direction), at);
    }

    pub(crate) fn mouse(&self, kind: MouseEventKind, at: Position) {
        let event = MouseEvent { kind, col: at.col, row: at.row, pixel: None, modifiers: Modifiers::empty() };
        self.send(Input::Mouse(event));
    }

    #[track_caller]
    pub(crate) fn send(&self, input: Input) {
        self.session.send(input, Origin::Human).unwrap_or_else(|error| panic!("{error}\n{}", self.text()));
    }

    pub(crate) fn resize(&self, size: Size) {
        self.session.resize(size).unwrap();
    }

    /// The screen, one line per row, without trailing blanks.
    pub(crate) fn text(&self) -> String {
        self.session.grid_text().1
    }

    pub(crate) fn frame(&self) -> Arc<Frame> {
        self.session.frame().frame
    }

    /// The position of the first match on the screen.
    #[track_caller]
    pub(crate) fn find(&self, pattern: &str) -> Position {
        let regex = Regex::new(pattern).unwrap();
        let frame = self.frame();
        for (row, line) in frame.rows.iter().enumerate() {
            let Some(found) = regex.find(line.trimmed()) else { continue };
            let mut bytes = 0;
            for cell in line.cells() {
                if bytes >= found.start() {
                    return Position { row: row as u16, col: cell.col as u16 };
                }
                bytes += cell.text.len();
            }
        }
        panic!("{pattern:?} is not shown:\n{}", self.text());
    }

    /// Waits until the screen matches. `(?s)` and `(?m)` work across rows.
    #[track_caller]
    pub(crate) fn shows(&self, what: &str, pattern: &str) {
        let regex = Regex::new(pattern).unwrap();
        self.until(&format!("{what}: {pattern:?} is shown"), |screen| regex.is_match(screen));
    }

    /// Waits until the screen does not match.
    #[track_caller]
    pub(crate) fn hides(&self, what: &str, pattern: &str) {
        let regex = Regex::new(pattern).unwrap();
        self.until(&format!("{what}: {pattern:?} is gone"), |screen| !regex.is_match(screen));
    }

    #[track_caller]
    pub(crate) fn until(&self, what: &str, holds: impl Fn(&str) -> bool) {
        let mut pulse = self.session.pulse();
        let looked = self.within(async {
            loop {
                pulse.borrow_and_update();
                if holds(&self.text()) {
                    return true;
                }
                if self.session.status().has_ended() {
                    // By now its last output is on the screen.
                    return holds(&self.text());
                }
                let _ = timeout(Duration::from_millis(500), pulse.changed()).await;
            }
        });
        match looked {
            Some(true) => {}
            Some(false) => panic!("{what}: it has ended\n{}", self.text()),
            None => panic!("{what}: not within {DEADLINE:?}\n{}", self.text()),
        }
    }

    fn within<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        // A timeout has to be created inside the runtime.
        self.runtime.block_on(async { timeout(DEADLINE, work).await.ok() })
    }

    /// Waits for a request to the terminal: a notification, a clipboard, a title.
    #[track_caller]
    pub(crate) fn asks<T>(&mut self, what: &str, wanted: impl Fn(Effect) -> Option<T>) -> T {
        let Face { events, runtime, .. } = self;
        let listen = async {
            loop {
                match events.recv().await {
                    Ok(SessionEvent::Child(effect)) => {
                        if let Some(found) = wanted(effect) {
                            return Some(found);
                        }
                    }
                    Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => return None,
                }
            }
        };
        let heard = runtime.block_on(async { timeout(DEADLINE, listen).await });
        heard.ok().flatten().unwrap_or_else(|| panic!("{what}: it was not asked for\n{}", self.text()))
    }

    /// Compares the screen with `tests/snapshots/NAME.txt`, after each of `hidden` (a pattern and what stands for it)
    /// has been replaced, in the same columns: to the right if the pattern takes blanks in front. What is still on its
    /// way may come. `PATTERM_BLESS=1` writes the file instead, as it is at once.
    #[track_caller]
    pub(crate) fn compare(&self, name: &str, hidden: &[(&str, &str)]) {
        let path = snapshot(name);
        if std::env::var_os("PATTERM_BLESS").is_some() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, without(&self.text(), hidden)).unwrap();
        }
        let wanted = fs::read_to_string(&path).unwrap_or_else(|error| {
            let seen = without(&self.text(), hidden);
            panic!("{}: {error}; look at this and keep it with PATTERM_BLESS=1:\n{seen}", path.display())
        });
        let what = format!("the screen is {name}.txt, which PATTERM_BLESS=1 writes anew:\n{wanted}\nnow");
        self.until(&what, |screen| without(screen, hidden) == wanted);
    }

    /// A client with the tools of the person at the screen.
    #[track_caller]
    pub(crate) fn operator(&self, stage: &Stage) -> Client {
        operator_of(stage, self.pid())
    }

    /// The program's process.
    pub(crate) fn pid(&self) -> i32 {
        self.session.info().pid.expect("it runs").as_raw()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_raw(self.pid()).unwrap(), signal).unwrap();
    }

    /// Waits for its end.
    #[track_caller]
    pub(crate) fn ended(&self) -> ExitStatus {
        let over = self.runtime.block_on(self.session.wait_for_exit(DEADLINE));
        let (_, ending) = over.unwrap_or_else(|| panic!("it has not ended within {DEADLINE:?}\n{}", self.text()));
        ending.and_then(|ending| ending.exit).expect("it ran")
    }

    /// Everything that the program may change of a terminal is restored: modes, screen, cursor, keyboard.
    #[track_caller]
    pub(crate) fn is_sane(&self) {
        let fresh = vt::Terminal::new(vt::TerminalOptions::default());
        let (modes, alternate, cursor) =
            self.session.with_screen(|screen| (screen.input_modes(), screen.alternate_screen(), screen.cursor()));
        assert_eq!(modes, fresh.input_modes(), "modes are put back");
        assert!(!alternate, "it is the main screen again");
        assert_eq!((cursor.visible, cursor.shape), (true, fresh.cursor().shape), "the cursor is put back");
    }

    /// Asks it to end, like a shutdown of the machine, and waits until nothing is left. Dropping does the same.
    pub(crate) fn end(self) {}
}

/// A client with the tools of the person at the screen of this patterm.
#[track_caller]
pub(crate) fn operator_of(stage: &Stage, patterm: i32) -> Client {
    let file = stage.path(&format!("run/patterm/{patterm}/operator-1.json"));
    testkit::wait_until("the connect file is whole", || {
        fs::read_to_string(&file).is_ok_and(|text| text.ends_with('\n'))
    });
    Client::behind_proxy(&file)
}

/// Where a screen is kept.
pub(crate) fn snapshot(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/snapshots/{name}.txt"))
}

/// A screen as it is kept, after each of `hidden` has been replaced in the same columns.
pub(crate) fn without(screen: &str, hidden: &[(&str, &str)]) -> String {
    let mut seen = screen.to_owned();
    for (pattern, instead) in hidden {
        let replaced = |found: &regex::Captures<'_>| {
            let cols = found[0].chars().count();
            match found[0].starts_with(' ') {
                true => format!("{instead:>cols$}"),
                false => format!("{instead:<cols$}"),
            }
        };
        seen = Regex::new(pattern).unwrap().replace_all(&seen, replaced).into_owned();
    }
    let trimmed = seen.lines().map(str::trim_end).collect::<Vec<_>>();
    format!("{}\n", trimmed.join("\n").trim_end_matches('\n'))
}

/// tmux's server, which would outlive its client.
pub(crate) struct TmuxServer(pub(crate) String);

impl TmuxServer {
    pub(crate) fn on(stage: &Stage) -> Self {
        TmuxServer(stage.path("tmp/tmux").display().to_string())
    }

    pub(crate) fn run(&self, words: &[&str]) -> String {
        crate::stage::run(std::process::Command::new("tmux").args(["-S", self.0.as_str()]).args(words)).ok()
    }
}

impl Drop for TmuxServer {
    fn drop(&mut self) {
        let _ = std::process::Command::new("tmux").args(["-S", self.0.as_str(), "kill-server"]).output();
    }
}

impl Drop for Face {
    fn drop(&mut self) {
        let Face { engine, runtime, .. } = self;
        runtime.block_on(engine.shutdown(Duration::from_secs(10)));
    }
}

#[test]
fn the_stage_itself() {
    let stage = Stage::new();
    let argv = [
        "sh",
        "-c",
        "stty -echo; echo ready; read line; echo \"got <$line>\"; read line; tput smcup; read line; exit 3",
    ];
    let environment = vec![("PATH".into(), std::env::var_os("PATH").unwrap()), ("TERM".into(), "xterm".into())];
    let face = Face::run(argv.map(OsString::from).into(), environment, stage.path("project"), Size::new(40, 5));
    face.shows("the first line", "(?m)^ready$");
    face.type_text("words");
    face.press("enter");
    face.shows("the answer", "got <words>");
    face.press("enter");
    face.until("the other screen", |screen| !screen.contains("ready"));
    face.resize(Size::new(50, 6));
    face.press("enter");
    assert_eq!(face.ended(), ExitStatus::Code(3));
    assert!(face.frame().alternate_screen, "it left the terminal as it was");
}
