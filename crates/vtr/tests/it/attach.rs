//! `vtr attach` in a real terminal, which is our own engine.

use std::time::Duration;

use engine::{
    Engine, EngineOptions, Input, Kind, NewSession, Origin, Pattern, PatternScope, Session, WaitOutcome, WaitRequest,
};
use testkit::{DEADLINE, wait_until_with};
use vt::{
    Size,
    input::{Modifiers, MouseButton, MouseEvent, MouseEventKind, WheelDirection},
};

use crate::stage::{Stage, VTR};

const SIZE: Size = Size { cols: 80, rows: 24 };

/// A terminal with `vtr attach` in it.
pub(crate) struct Attached {
    engine: Engine,
    pub(crate) terminal: Session,
}

impl Attached {
    pub(crate) async fn start(stage: &Stage, words: &[&str]) -> Self {
        Self::start_in(stage, words, SIZE).await
    }

    pub(crate) async fn start_in(stage: &Stage, words: &[&str], size: Size) -> Self {
        let words: Vec<&str> = ["attach"].into_iter().chain(words.iter().copied()).collect();
        Self::launch(stage, &stage.command(&[]), &words, size).await
    }

    /// Any command that draws on the terminal.
    pub(crate) async fn run(stage: &Stage, words: &[&str]) -> Self {
        Self::run_like(stage, &stage.command(&[]), words).await
    }

    /// In the stage's environment.
    pub(crate) async fn run_like(stage: &Stage, like: &std::process::Command, words: &[&str]) -> Self {
        Self::launch(stage, like, words, SIZE).await
    }

    /// With the coordinators of the config file.
    pub(crate) async fn by_config(stage: &Stage, words: &[&str]) -> Self {
        let words: Vec<&str> = ["attach"].into_iter().chain(words.iter().copied()).collect();
        Self::launch(stage, &stage.bare(), &words, SIZE).await
    }

    async fn launch(stage: &Stage, like: &std::process::Command, words: &[&str], size: Size) -> Self {
        let base_env = like
            .get_envs()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
            .chain([("TZ".into(), "UTC".into())])
            .collect();
        let engine = Engine::new(EngineOptions { base_env, ..EngineOptions::default() });
        let argv: Vec<&str> = [VTR].into_iter().chain(words.iter().copied()).collect();
        let mut new = NewSession::new(Kind::Command, argv);
        new.size = size;
        new.working_dir = Some(stage.path(""));
        let terminal = engine.spawn(new).await.unwrap();
        Attached { engine, terminal }
    }

    /// Waits until the whole screen matches.
    #[track_caller]
    pub(crate) fn shows(&self, pattern: &str) -> impl Future<Output = ()> + use<'_> {
        let caller = std::panic::Location::caller();
        let pattern = pattern.to_owned();
        async move {
            let request =
                WaitRequest { pattern: Pattern::new(&pattern).unwrap(), scope: PatternScope::Grid, timeout: DEADLINE };
            match self.terminal.wait_for_pattern(request).await {
                WaitOutcome::Matched(_) => {}
                other => panic!("{caller}: {pattern:?} is not shown: {other:?}\n{}", self.text()),
            }
        }
    }

    pub(crate) fn text(&self) -> String {
        self.terminal.grid_text().1
    }

    #[track_caller]
    pub(crate) fn until(&self, reason: &str, mut holds: impl FnMut(&str) -> bool) {
        wait_until_with(reason, || holds(&self.text()), || format!("\n{}", self.text()));
    }

    pub(crate) fn press(&self, keys: &str) {
        for key in keys.split(' ') {
            self.terminal.send(Input::Key(key.parse().unwrap()), Origin::Human).unwrap();
        }
    }

    pub(crate) fn type_text(&self, text: &str) {
        self.terminal.send(Input::Text(text.into()), Origin::Human).unwrap();
    }

    /// The modes of the terminal's program.
    pub(crate) fn pid(&self) -> i32 {
        self.terminal.info().pid.expect("it runs").as_raw()
    }

    fn mouse(&self, kind: MouseEventKind, col: u16, row: u16) {
        let event = MouseEvent { kind, col, row, pixel: None, modifiers: Modifiers::empty() };
        self.terminal.send(Input::Mouse(event), Origin::Human).unwrap();
    }

    /// Waits for its end, checks that the terminal was restored, and returns the last output.
    pub(crate) async fn end(self) -> (Option<engine::ExitStatus>, String) {
        self.terminal.wait_for_exit(DEADLINE).await.expect("it ends");
        let (modes, alternate, cursor) =
            self.terminal.with_screen(|screen| (screen.input_modes(), screen.alternate_screen(), screen.cursor()));
        assert!(!alternate && cursor.visible, "the terminal is put back");
        assert_eq!(modes, vt::Terminal::new(vt::TerminalOptions::default()).input_modes());
        let status = self.terminal.info().ending.and_then(|ending| ending.exit);
        let text = self.text();
        self.engine.shutdown(Duration::ZERO).await;
        (status, text)
    }

    pub(crate) async fn detach(self) -> String {
        self.press("ctrl-b d");
        let (status, text) = self.end().await;
        assert_eq!(status, Some(engine::ExitStatus::Code(0)), "{text}");
        text
    }
}

/// Attached to a session that sends a query to its terminal, and then prints its input as hexadecimal digits.
async fn attached_to_hex(stage: &Stage, asked: &str) -> Attached {
    let script = testkit::Script::new().raw().print(&format!("{asked}ready\n")).hex().argv();
    let words = ["spawn", "one", "--"].into_iter().chain(script.iter().map(|word| word.to_str().unwrap()));
    stage.vtr(&words.collect::<Vec<_>>()).ok();
    let attached = Attached::start(stage, &["one"]).await;
    attached.shows("ready").await;
    attached
}

/// The clock changes meanwhile.
fn without_clock(text: &str) -> String {
    regex::Regex::new(r" \d\d:\d\d ").unwrap().replace(text, " HH:MM ").into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_in_its_frame() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "one", "--cwd", "/", "--cols", "40", "--rows", "6", "--", "cat"]).ok();
    let attached = Attached::start(&stage, &["one"]).await;
    attached.shows("a:one  cat  /").await;
    // Looking changes nothing.
    attached.shows("40x6").await;
    attached.type_text("hello\r");
    // Typing gives the session this client's size.
    attached.shows("80x22").await;
    attached.shows("(?ms)^hello$.*^hello$").await;
    let text = without_clock(&attached.text());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], format!("─ ▸ a:one running {}", "─".repeat(62)));
    assert_eq!(lines[1], "hello");
    assert_eq!(lines[23], " ▸ a:one  cat  /                                80x22  HH:MM  Ctrl-B : commands");
    assert_eq!(stage.vtr(&["info", "one", "--json"]).json()["cols"], 80);
    assert!(attached.detach().await.contains("[detached from a:one]"));
    stage.see("one", "hello");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_pastes_and_the_literal_leader_arrive_as_they_were() {
    let stage = Stage::new();
    let attached = attached_to_hex(&stage, "").await;
    for (keys, bytes) in
        [("ctrl-b ctrl-b", "02"), ("ctrl-c", "03"), ("up", "1b5b41"), ("é", "c3a9"), ("alt-x", "1b78"), ("A", "41")]
    {
        attached.press(keys);
        attached.shows(bytes).await;
    }
    attached.terminal.send(Input::Paste("p\nr".into()), Origin::Human).unwrap();
    attached.shows("700d72").await;
    // An unbound key is not typed.
    attached.press("ctrl-b x");
    attached.shows("ctrl\\+b x is not bound").await;
    attached.press("Z");
    attached.shows("5a").await;
    assert!(!attached.text().contains("785a"), "{}", attached.text());
    attached.detach().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_mouse_and_the_focus_go_to_a_program_that_asked() {
    let stage = Stage::new();
    let attached = attached_to_hex(&stage, "\x1b[?1002h\x1b[?1006h\x1b[?1004h").await;
    // The pane begins at column 0, row 1 of the host, and the protocol counts from 1: cell 3, 4.
    attached.mouse(MouseEventKind::Press(MouseButton::Left), 3, 5);
    // ESC [ < 0 ; 4 ; 5 M
    attached.shows("1b5b3c303b343b354d").await;
    attached.terminal.send(Input::Focus(vt::input::FocusChange::Lost), Origin::Human).unwrap();
    attached.shows("1b5b4f").await;
    // A click on the frame goes to nobody.
    attached.mouse(MouseEventKind::Press(MouseButton::Left), 0, 0);
    attached.press("Z");
    attached.shows("5a").await;
    assert_eq!(attached.text().matches("5b3c").count(), 1, "{}", attached.text());
    attached.detach().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_sessions_are_a_key_away() {
    let mut stage = Stage::new();
    stage.serve("b", &[]);
    stage.write_config(&format!("[[coordinators]]\npath = \"{}/*.sock\"\n", stage.path("run").display()));
    for (session, text) in [("a:one", "first"), ("a:two", "second"), ("b:three", "third")] {
        let command = format!("echo {text}; exec cat");
        crate::stage::run(stage.bare().args(["spawn", session, "--cmd", &command])).ok();
        crate::stage::run(stage.bare().args(["wait", session, text, "--scope", "scrollback"])).ok();
    }
    let attached = Attached::by_config(&stage, &["two"]).await;
    attached.shows("(?m)^second").await;
    // Both coordinators have told what they have.
    attached.press("ctrl-b w");
    attached.shows("(?s)Sessions.*b:three").await;
    attached.press("esc");
    attached.until("the list is gone", |text| !text.contains("Sessions"));
    attached.press("ctrl-b n");
    attached.shows("(?m)^third").await;
    attached.shows("b:three").await;
    attached.press("ctrl-b n");
    attached.shows("(?m)^first").await;
    attached.press("ctrl-b p");
    attached.shows("(?m)^third").await;

    // Unseen output: only "two" has printed something since.
    attached.press("ctrl-b o");
    attached.shows("no session has new output").await;
    crate::stage::run(stage.bare().args(["send", "two", "news\n"])).ok();
    crate::stage::run(stage.bare().args(["wait", "two", "news", "--scope", "scrollback"])).ok();
    attached.press("ctrl-b o");
    attached.shows("(?ms)^second.*^news").await;

    // The picker: filter, live preview, choice.
    attached.press("ctrl-b w");
    attached.shows("Sessions").await;
    for entry in ["a:one", "a:two", "b:three"] {
        attached.shows(entry).await;
    }
    attached.type_text("thr");
    attached.shows("(?s)> thr.*▸ b:three.*third").await;
    crate::stage::run(stage.bare().args(["send", "three", "moving\n"])).ok();
    attached.shows("moving").await;
    attached.press("enter");
    attached.shows("(?m)^moving").await;
    attached.until("the picker is gone", |text| !text.contains("Sessions"));
    attached.press("ctrl-b w");
    attached.shows("Sessions").await;
    attached.press("esc");
    attached.until("the picker is gone", |text| !text.contains("Sessions"));
    assert!(attached.detach().await.contains("[detached from b:three]"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_name_one_chooses_first() {
    let stage = Stage::new();
    stage.spawn_cat("one");
    let attached = Attached::start(&stage, &[]).await;
    attached.shows("(?s)Sessions.*▸ one").await;
    attached.press("enter");
    attached.shows("a:one  cat").await;
    attached.detach().await;
    let attached = Attached::start(&stage, &[]).await;
    attached.shows("Sessions").await;
    attached.press("esc");
    let (status, _) = attached.end().await;
    assert_eq!(status, Some(engine::ExitStatus::Code(0)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_are_made_renamed_and_ended() {
    let stage = Stage::new();
    stage.spawn_cat("one");
    let attached = Attached::start(&stage, &["one"]).await;
    attached.shows("a:one").await;
    attached.press("ctrl-b c");
    attached.shows("Start a session on a").await;
    attached.type_text("fresh\r");
    attached.shows("a:fresh").await;
    attached.type_text("echo $((6*7))\r");
    attached.shows("(?m)^42").await;

    attached.press("ctrl-b r");
    attached.shows("(?s)Name: .*│ fresh ").await;
    attached.press("ctrl-u");
    attached.type_text("better\r");
    attached.shows("(?s)▸ a:one  ▸ a:better .*\n ▸ a:better ").await;

    attached.press("ctrl-b k");
    attached.shows("End a:better\\?").await;
    attached.press("esc");
    attached.until("the question is gone", |text| !text.contains("End a:better?"));
    attached.type_text("exit 3\r");
    attached.shows("× EXITED 3 · Enter closes it").await;
    attached.shows("(?m)^42").await;
    attached.press("ctrl-b k");
    attached.shows("Remove a:better\\?").await;
    attached.press("r");
    attached.shows("GONE: it was removed · Enter closes it").await;
    attached.press("enter");
    attached.until("only the other is shown", |text| !text.contains("better  ") && text.contains("─ ▸ a:one running"));
    attached.press("ctrl-b k");
    attached.shows("End a:one\\?").await;
    attached.press("y");
    attached.shows("EXITED SIGTERM · Enter leaves").await;
    assert!(attached.detach().await.contains("[a:one exited SIGTERM]"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_frame_follows_what_others_do_to_the_session() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "one", "--", "sh"]).ok();
    let attached = Attached::start(&stage, &["one"]).await;
    attached.shows("─ ▸ a:one running ─").await;
    // An echo is drawn without the frame, which is unchanged; otherwise both are drawn together.
    let framed = async |sum: &str, command: &str, top: &str| {
        attached.type_text(command);
        attached.shows(&format!("(?m)^{sum}")).await;
        let text = attached.text();
        assert!(text.contains(top), "{text}");
    };
    framed("42", "echo $((6*7))\r", "─ ▸ a:one running ─").await;
    framed("48", "printf '\\033]2;a title\\007%d\\n' $((6*8))\r", "─ a title ─").await;
    stage.vtr(&["rename", "one", "other"]).ok();
    framed("54", "echo $((6*9))\r", "─ ▸ a:other running ─").await;
    attached.shows(" a:other").await;
    // The content below a closed dialog is drawn again.
    attached.press("ctrl-b w");
    attached.shows("Sessions").await;
    attached.type_text("\x1b");
    attached.until("the picker is gone", |text| !text.contains("Sessions"));
    framed("60", "echo $((6*10))\r", "─ ▸ a:other running ─").await;
    stage.vtr(&["resize", "other", "40", "10"]).ok();
    attached.shows("40x10").await;
    assert!(attached.detach().await.contains("[detached from a:other]"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn looking_back_loses_no_row_of_a_line_that_runs_on_into_the_screen() {
    let stage = Stage::new();
    // Five rows of 80 columns are one line; with 21 lines below and the cursor's row, three of them have left the
    // screen.
    let command =
        "for n in 1 2 3 4 5; do printf 'part %d of five%066d' $n 0; done; echo; seq -f 'line %g' 21; exec cat";
    stage.vtr(&["spawn", "one", "--cmd", command]).ok();
    stage.see("one", "line 21");
    let attached = Attached::start_in(&stage, &["one"], Size { cols: 100, rows: 40 }).await;
    attached.shows("line 21").await;
    let parts = |text: &str| {
        let count = |part: u8| text.matches(&format!("\npart {part} of five00")).count();
        [count(1), count(2), count(3), count(4), count(5)]
    };
    assert_eq!(parts(&attached.text()), [0, 0, 0, 1, 1], "{}", attached.text());
    attached.press("ctrl-b [");
    attached.shows("copy mode").await;
    attached.press("g");
    attached.shows("row 1 of 27").await;
    assert_eq!(parts(&attached.text()), [1, 1, 1, 1, 1], "{}", attached.text());
    attached.press("V y");
    attached.shows("copied 401 characters").await;
    attached.detach().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn looking_back_searches_and_copies() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "one", "--cmd", "seq -f 'line %g' 200; exec cat"]).ok();
    stage.see("one", "line 200");
    let attached = Attached::start(&stage, &["one"]).await;
    attached.shows("line 200").await;
    attached.press("ctrl-b [");
    attached.shows("copy mode").await;
    attached.press("g");
    attached.shows("(?m)^line 1 ").await;
    attached.type_text("/line 15\r");
    attached.shows("(?m)^line 15 ").await;
    attached.shows("of 11").await;
    attached.press("V y");
    attached.shows("copied 8 characters").await;
    let copied = attached.terminal.raw(0, 1 << 20).bytes;
    let written = "\x1b]52;c;bGluZSAxNQo=\x1b\\";
    assert!(String::from_utf8_lossy(&copied).contains(written), "the clipboard is written");
    attached.until("the live screen is back", |text| !text.contains("copy mode") && text.contains("line 200"));

    // The wheel starts and ends looking back.
    attached.mouse(MouseEventKind::Wheel(WheelDirection::Up), 10, 10);
    attached.shows("looking back").await;
    attached.mouse(MouseEventKind::Wheel(WheelDirection::Down), 10, 10);
    attached.mouse(MouseEventKind::Wheel(WheelDirection::Down), 10, 10);
    attached.until("the live screen is back", |text| !text.contains("looking back"));
    // Dragging the mouse over a word does so too.
    attached.mouse(MouseEventKind::Press(MouseButton::Left), 0, 2);
    attached.mouse(MouseEventKind::Motion(Some(MouseButton::Left)), 3, 2);
    attached.mouse(MouseEventKind::Release(MouseButton::Left), 3, 2);
    attached.shows("copied 4 characters").await;
    attached.detach().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn help_and_the_frame_and_other_keys() {
    let stage = Stage::new();
    stage.spawn_cat("one");
    stage.write_config("[attach]\nleader = \"ctrl-a\"\n[attach.keys]\nx = \"kill\"\nk = \"\"\n");
    let attached = Attached::start(&stage, &["one"]).await;
    attached.shows("a:one").await;
    attached.press("ctrl-a ?");
    attached.shows("(?s)help.*Ctrl-A w +Open remote session").await;
    attached.type_text("end or remove");
    attached.shows("Ctrl-A x +End or remove this remote session").await;
    attached.press("esc");
    attached.until("help is gone", |text| !text.contains("End or remove"));
    attached.press("ctrl-a");
    attached.shows("Ctrl-A… +d leave").await;
    attached.press("z");
    attached.until("the frame is gone", |text| !text.contains("a:one"));
    attached.type_text("wide\r");
    attached.shows("(?m)^wide").await;
    assert_eq!(stage.vtr(&["info", "one", "--json"]).json()["cols"], 80);
    attached.press("ctrl-a z");
    attached.shows("(?s)─ ▸ a:one running.*\nwide").await;
    attached.press("ctrl-a d");
    let (status, _) = attached.end().await;
    assert_eq!(status, Some(engine::ExitStatus::Code(0)));
    stage.write_config("[attach.keys]\nx = \"explode\"\n");
    stage.vtr(&["attach", "one"]).failed(2, &["explode", "look-back"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_shipped_themes_are_previewed() {
    let stage = Stage::new();
    stage.spawn_cat("one");
    let attached = Attached::start(&stage, &["one"]).await;
    attached.shows("a:one").await;
    let is_drawn_on = |what: &str, wanted: vt::Color| {
        attached.until(what, |_| {
            let frame = attached.terminal.frame().frame;
            let cell = frame.rows.last().and_then(|row| row.cells().next());
            cell.is_some_and(|cell| cell.run.style.background == wanted)
        });
    };
    let (dark, light) = (vt::Color::Rgb(0x26, 0x28, 0x2e), vt::Color::Rgb(0xe6, 0xe8, 0xec));
    for (end, left_in) in [("esc", dark), ("enter", light)] {
        attached.press("ctrl-b :");
        attached.shows("commands ─").await;
        attached.type_text("theme");
        attached.shows("› Theme…").await;
        attached.press("enter");
        attached.shows("(?s)theme ─.*auto .*terminal .*dark .*light .*high-contrast ").await;
        is_drawn_on("nothing is chosen yet", dark);
        attached.type_text("light");
        is_drawn_on("light is under the cursor", light);
        attached.press(end);
        attached.until("the list is gone", |text| !text.contains("theme ─"));
        is_drawn_on("what is left", left_in);
    }
    attached.detach().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recording_is_seen_whoever_began_it_and_one_key_stops_it() {
    let stage = Stage::new();
    stage.spawn_cat("one");
    stage.vtr(&["record", "one", "start"]).ok();
    let attached = Attached::start(&stage, &["one"]).await;
    attached.shows("● REC").await;
    attached.press("ctrl-b R");
    attached.shows("recorded a:one").await;
    attached.until("it is not recorded", |text| !text.contains("● REC"));
    assert_eq!(stage.vtr(&["record", "one", "status", "--json"]).json()["recording"], false);
    // The screen has to change for others' recordings to be noticed.
    stage.vtr(&["record", "one", "start"]).ok();
    attached.type_text("hello\r");
    attached.shows("● REC").await;
    attached.detach().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn read_only_types_nothing_and_no_resize_keeps_the_size() {
    let stage = Stage::new();
    stage.spawn_cat("one");
    let attached = Attached::start(&stage, &["one", "--read-only"]).await;
    attached.shows("READ ONLY").await;
    attached.press("x");
    attached.shows("typing is off").await;
    attached.detach().await;
    let attached = Attached::start_in(&stage, &["one", "--no-resize"], Size { cols: 60, rows: 12 }).await;
    attached.shows("80x24 cropped").await;
    attached.type_text("typed\r");
    attached.shows("(?m)^typed").await;
    attached.shows("80x24 cropped").await;
    attached.detach().await;
    assert_eq!(stage.vtr(&["info", "one", "--json"]).json()["cols"], 80);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sizes_are_survived() {
    let stage = Stage::new();
    stage.spawn_cat("one");
    let attached = Attached::start(&stage, &["one"]).await;
    attached.shows("a:one").await;
    for step in 0..10u16 {
        attached.terminal.resize(if step % 2 == 0 { Size::new(9, 3) } else { Size::new(200, 60) }).unwrap();
        attached.press("y");
    }
    attached.terminal.resize(Size::new(100, 30)).unwrap();
    attached.shows("a:one").await;
    attached.type_text("\r");
    attached.shows("100x28").await;
    attached.detach().await;
    stage.vtr(&["attach", "one"]).failed(2, &["not a terminal"]);
}

#[test]
fn a_session_knows_where_it_is_and_is_not_attached_to_itself() {
    let stage = Stage::new();
    let socket = stage.socket().display().to_string();
    let says = "echo \"in $VTR_SESSION on $VTR_SOCKET.\"";
    stage
        .vtr(&["spawn", "where", "--cols", "200", "--wait", &format!("in p_[0-9a-f]{{6}} on {socket}."), "--cmd", says])
        .ok();
    let attach = format!("'{VTR}' attach me; cat");
    stage.vtr(&["spawn", "me", "--wait", "this terminal is session me itself", "--cmd", &attach]).ok();
}
