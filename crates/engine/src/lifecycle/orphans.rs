//! Orphaned processes that the kernel gives to this program because it is the first process of a container: it has to
//! collect their exit statuses, or they stay in the process table for ever.

use std::sync::Weak;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

use crate::engine::EngineInner;

/// A start takes some hundred microseconds.
const NEXT_TRY: Duration = Duration::from_millis(10);

/// Reaps them whenever a process has ended, until the engine is gone.
pub(crate) async fn reap(engine: Weak<EngineInner>) {
    // Refused only where no signal can be handled: then a program could not be ended either.
    let Ok(mut ends) = signal(SignalKind::child()) else { return };
    loop {
        let Some(engine) = engine.upgrade() else { return };
        // A program that is being started may end before the directory knows its pid: its status is not an orphan's.
        while engine.between_starts(|own| pty::processes::reap_orphans(&own)).is_none() {
            tokio::time::sleep(NEXT_TRY).await;
        }
        drop(engine);
        ends.recv().await;
    }
}
