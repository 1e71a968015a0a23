//! Work on files under a lock that another process may hold: outside of the async tasks, and with a limited wait.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    time::Duration,
};

const WAITING: u8 = 0;
const WORKING: u8 = 1;
const GIVEN_UP: u8 = 2;

/// Shared by the caller and the thread that does the work: either the work begins or it is given up, never both. A
/// default one waits without limit.
#[derive(Clone, Debug, Default)]
pub struct FileLockTurn {
    state: Arc<AtomicU8>,
}

/// The work was given up while it waited for the lock.
#[derive(Debug)]
pub(crate) struct GivenUp;

impl FileLockTurn {
    /// Called with the lock held, before anything is changed.
    pub(crate) fn begin(&self) -> Result<(), GivenUp> {
        self.settle(WORKING).then_some(()).ok_or(GivenUp)
    }

    /// `false` if the work has begun.
    fn give_up(&self) -> bool {
        self.settle(GIVEN_UP)
    }

    fn settle(&self, state: u8) -> bool {
        self.state.compare_exchange(WAITING, state, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

/// Runs `work` on a blocking thread. If it can't begin within `patience`, it never will, and the result is `None`.
pub(crate) async fn in_turn<T: Send + 'static>(
    patience: Duration,
    work: impl FnOnce(&FileLockTurn) -> T + Send + 'static,
) -> Option<T> {
    let turn = FileLockTurn::default();
    let mut done = tokio::task::spawn_blocking({
        let turn = turn.clone();
        move || work(&turn)
    });
    let done = match tokio::time::timeout(patience, &mut done).await {
        Ok(done) => done,
        Err(_) if turn.give_up() => return None,
        Err(_) => done.await,
    };
    match done.map_err(tokio::task::JoinError::try_into_panic) {
        Ok(done) => Some(done),
        Err(Ok(panic)) => std::panic::resume_unwind(panic),
        // The runtime is shutting down and will not poll this future again.
        Err(Err(_)) => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[tokio::test]
    async fn work_that_could_not_begin_never_does() {
        let (release, locked) = mpsc::channel::<()>();
        let (told, result) = mpsc::channel();
        let answer = in_turn(Duration::ZERO, move |turn| {
            // Simulates the lock of another process.
            let _ = locked.recv();
            let _ = told.send(turn.begin().is_ok());
        });
        assert_eq!(answer.await, None);
        drop(release);
        assert!(!result.recv().unwrap(), "it began after it was given up");
    }

    #[tokio::test(start_paused = true)]
    async fn work_that_has_begun_is_waited_for() {
        let (began, seen) = tokio::sync::oneshot::channel();
        let (release, go_on) = mpsc::channel::<()>();
        let patience = Duration::from_secs(10);
        let work = tokio::spawn(in_turn(patience, move |turn| {
            let begun = turn.begin().is_ok();
            let _ = began.send(());
            let _ = go_on.recv();
            begun
        }));
        seen.await.unwrap();
        tokio::time::advance(2 * patience).await;
        tokio::task::yield_now().await;
        assert!(!work.is_finished());
        drop(release);
        assert_eq!(work.await.unwrap(), Some(true));
    }
}
