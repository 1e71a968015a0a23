//! The demo, run as a person runs it: inside a terminal, which is our own engine.

use std::{env, fs, path::PathBuf};

use engine::{
    Engine, EngineOptions, Input, Kind, NewSession, Origin, Pattern, PatternScope, Session, WaitOutcome, WaitRequest,
};
use testkit::DEADLINE;
use tui::Rect;
use vt::Size;

use crate::screen::{assert_same, of_frame, part, terminal};

/// Vim with its window split.
const BYTES: usize = 13_614;
const SIZE: Size = Size { cols: 110, rows: 30 };
const PANE: Rect = Rect::new(0, 1, 86, 28);

fn demo() -> PathBuf {
    let target = env::current_exe().unwrap().parent().unwrap().parent().unwrap().to_owned();
    let demo = target.join("examples/demo");
    assert!(demo.exists(), "the demo is not built: run `cargo test -p tui`, or `cargo build -p tui --example demo`");
    demo
}

fn recording() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recordings/programs/vim.raw")
}

async fn start(engine: &Engine) -> Session {
    let bytes = BYTES.to_string();
    let mut new = NewSession::new(Kind::Command, [demo().into_os_string(), recording().into_os_string(), bytes.into()]);
    new.size = SIZE;
    let session = engine.spawn(new).await.unwrap();
    shows(&session, "ctrl\\+k palette").await;
    session
}

async fn shows(session: &Session, text: &str) {
    let request = WaitRequest { pattern: Pattern::new(text).unwrap(), scope: PatternScope::Grid, timeout: DEADLINE };
    match session.wait_for_pattern(request).await {
        WaitOutcome::Matched(_) => {}
        other => panic!("{text:?} is not shown: {other:?}\n{}", session.grid_text().1),
    }
}

fn press(session: &Session, keys: &str) {
    for key in keys.split(' ') {
        session.send(Input::Key(key.parse().unwrap()), Origin::Human).unwrap();
    }
}

fn engine() -> Engine {
    let base_env = vec![("TERM".into(), "xterm-256color".into()), ("COLORTERM".into(), "truecolor".into())];
    Engine::new(EngineOptions { base_env, ..EngineOptions::default() })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_uses_it() {
    let engine = engine();
    let session = start(&engine).await;
    let mut bare = terminal(PANE.size());
    bare.feed(&fs::read(recording()).unwrap()[..BYTES]);
    assert!(bare.frame().text().lines().filter(|line| !line.is_empty()).count() > 20, "there is something to show");
    let shown = session.frame().frame;
    assert_same(&part(&of_frame(&shown), PANE), &of_frame(&bare.frame()), "the pane");
    let rows: Vec<String> = shown.text().lines().map(str::to_owned).collect();
    assert!(rows[0].starts_with(" ● claude-1  ▲ codex-1!  +"), "{}", rows[0]);
    for (row, item) in rows[1..].iter().zip(["▶ ● claude-1", "├─ ○ codex-2", "│  └─ × tests", "└─ ▸ server"])
    {
        assert!(row.ends_with(item), "{row}");
    }

    press(&session, "x");
    shows(&session, "(?m)^ x ").await;
    press(&session, "ctrl-k");
    shows(&session, "palette ─").await;
    press(&session, "t r u");
    shows(&session, "> tru").await;
    press(&session, "enter");
    shows(&session, "Run this command\\?").await;
    shows(&session, "\\+ argv: make test").await;
    press(&session, "o");
    shows(&session, "(?m)^ answer 1").await;
    assert_same(&part(&of_frame(&session.frame().frame), PANE), &of_frame(&bare.frame()), "the pane, uncovered");

    press(&session, "f1");
    shows(&session, "any key closes").await;
    press(&session, "q ctrl-k");
    shows(&session, "palette ─").await;
    press(&session, "c o p y enter");
    shows(&session, "row \\d+ of 28").await;
    press(&session, "g v $ y");
    shows(&session, "(?m)^ copied ").await;

    press(&session, "ctrl-q");
    session.wait_for_exit(DEADLINE).await.expect("it ends");
    assert!(!session.with_screen(|screen| screen.alternate_screen()), "the terminal is put back");
    engine.shutdown(std::time::Duration::ZERO).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_panic_leaves_the_terminal_sane() {
    let engine = engine();
    let session = start(&engine).await;
    press(&session, "ctrl-k");
    shows(&session, "palette ─").await;
    press(&session, "p a n i c enter");
    session.wait_for_exit(DEADLINE).await.expect("it ends");
    let (modes, alternate, cursor) =
        session.with_screen(|screen| (screen.input_modes(), screen.alternate_screen(), screen.cursor()));
    assert!(!alternate && cursor.visible);
    assert_eq!(modes, vt::Terminal::new(vt::TerminalOptions::default()).input_modes());
    assert!(session.grid_text().1.contains("asked to"), "the message is readable: {}", session.grid_text().1);
    engine.shutdown(std::time::Duration::ZERO).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_storm_of_sizes_is_survived() {
    let engine = engine();
    let session = start(&engine).await;
    for step in 0..20u16 {
        let size = if step % 2 == 0 { Size::new(300 - step, 100 - step) } else { Size::new(20 + step / 4, 5) };
        session.resize(size).unwrap();
        press(&session, "y");
    }
    // Another size than at the start: the demo looks now and then, and may have seen none of the others.
    session.resize(Size { cols: SIZE.cols - 1, ..SIZE }).unwrap();
    shows(&session, "ctrl\\+k palette").await;
    shows(&session, "server").await;
    press(&session, "ctrl-q");
    session.wait_for_exit(DEADLINE).await.expect("it ends");
    engine.shutdown(std::time::Duration::ZERO).await;
}
