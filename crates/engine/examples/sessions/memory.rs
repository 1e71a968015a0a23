//! Resident memory of sessions whose history is full.

use std::time::Duration;

use engine::{Kind, NewSession};

use crate::proc;

const LINES: u64 = 11_000;

pub(crate) async fn run(count: usize) {
    let log = format!("{:0100}", 0);
    measure("log lines of 100 columns", count, &log).await;
    let coloured: String = (0..12).map(|part| format!("\x1b[3{};1mword{part:02}\x1b[0m ", part % 8)).collect();
    measure("lines with 12 colour changes", count, &coloured).await;
}

async fn measure(name: &str, count: usize, line: &str) {
    let engine = crate::engine();
    // The first session pays for what all share.
    let mut sessions = vec![filled(&engine, line).await];
    let before = proc::resident();
    for _ in 0..count {
        sessions.push(filled(&engine, line).await);
    }
    let each = (proc::resident() - before) as f64 / count as f64;
    let kept = sessions[0].with_screen(|screen| screen.lines());
    println!("{name}: {:.2} MB each ({count} sessions, {} lines kept)", each / 1e6, kept.end - kept.start);
    engine.shutdown(Duration::ZERO).await;
}

/// Lines differ, as those of a log do.
async fn filled(engine: &engine::Engine, line: &str) -> engine::Session {
    let script = format!(
        "awk -v line=\"$LINE\" 'BEGIN {{ for (n = 0; n < {LINES}; n++) print n, line; print \"full\" }}'; sleep 600"
    );
    let mut new = NewSession::new(Kind::Command, ["/bin/sh", "-c", &script]);
    new.size = vt::Size::new(120, 40);
    new.env = vec![("LINE".into(), line.into())];
    let session = engine.spawn(new).await.unwrap();
    crate::line(&session, "^full$").await;
    session
}
