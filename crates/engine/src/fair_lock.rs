//! A mutex that a busy thread can't monopolise.
//!
//! The I/O thread of a flooding session locks the screen again a few microseconds after it released it. With a plain
//! mutex, a sleeping reader would repeatedly be woken too late. Here waiters queue up, and the flooding thread has to
//! queue behind them.

use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
pub(crate) struct FairMutex<T> {
    next: Mutex<()>,
    data: Mutex<T>,
}

impl<T> FairMutex<T> {
    pub(crate) fn new(data: T) -> Self {
        FairMutex { next: Mutex::new(()), data: Mutex::new(data) }
    }

    /// A panic of an earlier holder does not poison it: the thread that panicked ends its session, and the screen stays
    /// readable.
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        let _next = lock(&self.next);
        lock(&self.data)
    }
}

/// Locks a plain mutex, poisoned or not.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// One holder locks again at once; a second one must still get the lock. Only the test runner's time limit applies.
    #[test]
    fn a_greedy_holder_does_not_starve_others() {
        let shared = Arc::new(FairMutex::new(0u64));
        let done = Arc::new(AtomicBool::new(false));
        let greedy = std::thread::spawn({
            let (shared, done) = (shared.clone(), done.clone());
            move || {
                while !done.load(Ordering::Relaxed) {
                    let mut guard = shared.lock();
                    for _ in 0..1000 {
                        *guard = std::hint::black_box(*guard + 1);
                    }
                }
            }
        });
        for _ in 0..1000 {
            std::hint::black_box(*shared.lock());
        }
        done.store(true, Ordering::Relaxed);
        greedy.join().unwrap();
    }

    #[test]
    fn it_outlives_a_panicking_holder() {
        let shared = Arc::new(FairMutex::new(1));
        let other = shared.clone();
        let panicked = std::thread::spawn(move || {
            let _guard = other.lock();
            panic!("on purpose");
        });
        assert!(panicked.join().is_err());
        assert_eq!(*shared.lock(), 1);
    }
}
