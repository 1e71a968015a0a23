//! A busy-wait for answers: most calls are answered faster than a sleeping processor wakes up.

use std::{
    future::Future,
    pin::pin,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use futures_util::FutureExt;

/// After a call was sent, it is polled for this long before its task sleeps.
const LONGEST: Duration = Duration::from_micros(200);
/// After an answer that took longer, the next call sleeps at once: the server may need the processor.
const PROMPT: Duration = Duration::from_micros(400);

/// What is known of a connection's calls.
#[derive(Debug, Default)]
pub(super) struct BusyWait {
    in_flight: AtomicUsize,
    last_was_slow: AtomicBool,
}

impl BusyWait {
    pub(super) async fn answer<T>(&self, answer: impl Future<Output = T>) -> T {
        let asked = Instant::now();
        let mut answer = pin!(answer);
        let _counted = InFlight::count(&self.in_flight);
        if !self.last_was_slow.load(Ordering::Relaxed) {
            // With a second call in flight there is other work for this thread.
            while asked.elapsed() < LONGEST && self.in_flight.load(Ordering::Relaxed) == 1 {
                if let Some(answered) = answer.as_mut().now_or_never() {
                    return answered;
                }
                // Yields first to other tasks of this thread, then to other threads of this processor.
                tokio::task::yield_now().await;
                std::thread::yield_now();
            }
        }
        let answered = answer.await;
        self.last_was_slow.store(asked.elapsed() > PROMPT, Ordering::Relaxed);
        answered
    }
}

/// A call without an answer, counted until it is answered or dropped.
struct InFlight<'a>(&'a AtomicUsize);

impl<'a> InFlight<'a> {
    fn count(calls: &'a AtomicUsize) -> Self {
        calls.fetch_add(1, Ordering::Relaxed);
        InFlight(calls)
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use std::task::Poll;

    /// Ready at its `polls`-th poll. Never wakes its task: only a busy-wait gets there.
    fn ready_after(polls: usize) -> impl Future<Output = ()> {
        let mut seen = 0;
        poll_fn(move |_| {
            seen += 1;
            if seen >= polls { Poll::Ready(()) } else { Poll::Pending }
        })
    }

    /// Several tries: this thread may be descheduled for longer than it polls.
    async fn is_polled(wait: &BusyWait) -> bool {
        for _ in 0..20 {
            if tokio::time::timeout(PROMPT * 100, wait.answer(ready_after(2))).await.is_ok() {
                return true;
            }
        }
        false
    }

    #[tokio::test]
    async fn a_single_call_is_polled_and_a_second_one_sleeps() {
        let wait = BusyWait::default();
        assert!(is_polled(&wait).await);
        let first = InFlight::count(&wait.in_flight);
        assert!(wait.answer(ready_after(2)).now_or_never().is_none(), "it sleeps after one poll");
        drop(first);
        assert_eq!(wait.in_flight.load(Ordering::Relaxed), 0, "a call that was given up is not counted");
        assert!(is_polled(&wait).await);
    }

    #[tokio::test]
    async fn after_a_slow_answer_the_next_call_sleeps_at_once() {
        let wait = BusyWait::default();
        wait.answer(tokio::time::sleep(PROMPT * 2)).await;
        assert!(wait.answer(ready_after(2)).now_or_never().is_none());
    }
}
