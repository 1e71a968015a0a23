//! Waits in a task for an event in another task, thread or process.

use std::{future::Future, time::Duration};

use engine::{Pattern, PatternScope, Session, WaitOutcome, WaitRequest};

use crate::wait::DEADLINE;

/// Awaits `future`; panics with the reason after [`DEADLINE`].
pub async fn soon<T>(reason: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(DEADLINE, future).await {
        Ok(value) => value,
        Err(_) => panic!("waited {DEADLINE:?} in vain until {reason}"),
    }
}

/// Polls for something that nothing announces. The interval only affects how soon the test continues.
pub async fn until(reason: &str, mut condition: impl FnMut() -> bool) {
    soon(reason, async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await;
}

/// The line of the screen or its history that matches, as soon as there is one.
///
/// # Panics
///
/// If `pattern` is invalid, the session ends, or [`DEADLINE`] passes without such a line.
pub async fn line(session: &Session, pattern: &str) -> String {
    let request = WaitRequest {
        pattern: Pattern::new(pattern).expect("the test's pattern is one"),
        scope: PatternScope::Scrollback,
        timeout: DEADLINE,
    };
    match session.wait_for_pattern(request).await {
        WaitOutcome::Matched(found) => found.text,
        other => panic!("no line matches {pattern:?}: {other:?}\n{}", session.grid_text().1),
    }
}
