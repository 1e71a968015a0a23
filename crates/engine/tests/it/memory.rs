//! What is kept of sessions that are gone: nothing.

use engine::{Kind, NewSession};
use testkit::{in_own_process, wait_until_with};

use crate::stage::*;

/// Bytes of this process in memory.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * rustix::param::page_size()
}

#[test]
fn what_full_histories_took_goes_back_to_the_system() {
    in_own_process("memory::what_full_histories_took_goes_back_to_the_system", || {
        let runtime = engine::build_runtime("task").unwrap();
        let before = runtime.block_on(async {
            let engine = engine();
            // Whatever is needed once is there.
            flood(&engine, 1).await;
            let before = resident();
            let full = flood(&engine, 25).await;
            assert!(full > before + (30 << 20), "{full} bytes are no flood");
            close(engine).await;
            before
        });
        let given_back = || resident() < 2 * before;
        wait_until_with("memory is given back", given_back, || format!("{} of {before} at first", resident()));
    });
}

/// Fills the histories of so many sessions with coloured lines and removes them; answers what that took.
async fn flood(engine: &engine::Engine, count: usize) -> usize {
    let awk = r#"BEGIN { for (i = 0; i < 6000; i++) { line = ""; for (j = 0; j < 12; j++)
        line = line sprintf("\\033[38;2;%d;%d;%dmword%02d ", (i * 7 + j) % 256, j * 13, i % 256, j); print line } print "END" }"#;
    let mut sessions = Vec::new();
    for _ in 0..count {
        sessions.push(engine.spawn(NewSession::new(Kind::Command, ["awk", awk])).await.unwrap());
    }
    for session in &sessions {
        line(session, "END").await;
    }
    let full = resident();
    for session in sessions {
        session.remove(AT_ONCE).await.unwrap();
    }
    full
}
