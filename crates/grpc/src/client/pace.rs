//! Staying awake for an answer: most calls are answered sooner than a processor that went to sleep is awake again.

use std::{
    future::Future,
    pin::pin,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use futures_util::FutureExt;

/// After a call was sent.
const STAY_AWAKE: Duration = Duration::from_micros(200);
/// After an answer that took longer, the next one is not stayed awake for: whoever makes it needs the processor.
const PROMPT: Duration = Duration::from_micros(400);

/// How soon answers have come.
#[derive(Debug, Default)]
pub(super) struct Pace {
    slow: AtomicBool,
}

impl Pace {
    pub(super) async fn answer<T>(&self, answer: impl Future<Output = T>) -> T {
        let asked = Instant::now();
        let mut answer = pin!(answer);
        let mut answered = None;
        if !self.slow.load(Ordering::Relaxed) {
            while answered.is_none() && asked.elapsed() < STAY_AWAKE {
                answered = answer.as_mut().now_or_never();
                if answered.is_none() {
                    // Others of this thread, then others of this processor.
                    tokio::task::yield_now().await;
                    std::thread::yield_now();
                }
            }
        }
        let answered = match answered {
            Some(answered) => answered,
            None => answer.await,
        };
        self.slow.store(asked.elapsed() > PROMPT, Ordering::Relaxed);
        answered
    }
}
