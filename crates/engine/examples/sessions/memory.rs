//! Resident memory of sessions whose history is full.

use std::time::Duration;

use testkit::Script;

use crate::proc;

const LINES: u64 = 11_000;

pub(crate) async fn run(count: usize) {
    measure("log lines of 100 columns", count, |script| script.flood_lines(LINES * 101, 101)).await;
    measure("lines with 12 colour changes", count, |script| {
        // One line, printed by a shell's loop would be slow: the script repeats a block instead.
        let line: String =
            (0..12).map(|part| format!("\x1b[3{};1mword{part:02}\x1b[0m ", part % 8)).collect::<String>() + "\r\n";
        let block = line.repeat(50);
        (0..LINES / 50).fold(script, |script, _| script.print(&block))
    })
    .await;
}

async fn measure(name: &str, count: usize, fill: impl Fn(Script) -> Script) {
    let engine = crate::engine();
    // The first session pays for what all share.
    let mut sessions = vec![filled(&engine, &fill).await];
    let before = proc::resident();
    for _ in 0..count {
        sessions.push(filled(&engine, &fill).await);
    }
    let each = (proc::resident() - before) as f64 / count as f64;
    let kept = sessions[0].with_screen(|screen| screen.lines());
    println!("{name}: {:.2} MB each ({count} sessions, {} lines kept)", each / 1e6, kept.end - kept.start);
    engine.shutdown(Duration::ZERO).await;
}

async fn filled(engine: &engine::Engine, fill: &impl Fn(Script) -> Script) -> engine::Session {
    let script = fill(Script::new().raw()).print("\r\nfull\r\n").hang();
    let session = engine.spawn(crate::command(script)).await.unwrap();
    crate::line(&session, "^full$").await;
    session
}
