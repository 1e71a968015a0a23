//! Waits for an event in another thread or process.

use std::time::{Duration, Instant};

/// How long a test waits before it reports a failure: far beyond what a loaded machine needs, since only failing tests
/// wait that long.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// Interval between two checks. It only affects how soon a test continues.
const PAUSE: Duration = Duration::from_millis(1);

/// Waits until `condition` holds; panics with the reason after [`DEADLINE`].
#[track_caller]
pub fn wait_until(reason: &str, condition: impl FnMut() -> bool) {
    wait_until_with(reason, condition, String::new);
}

/// Like [`wait_until`]; the panic message also includes the final `state`.
#[track_caller]
pub fn wait_until_with(reason: &str, mut condition: impl FnMut() -> bool, state: impl FnOnce() -> String) {
    let look = || condition().then_some(());
    if look_until(DEADLINE, look).is_none() {
        let state = state();
        let state = if state.is_empty() { state } else { format!("; the last state: {state}") };
        panic!("waited {DEADLINE:?} in vain until {reason}{state}");
    }
}

/// Waits until `look` returns a value.
#[track_caller]
pub fn wait_until_some<T>(reason: &str, look: impl FnMut() -> Option<T>) -> T {
    match look_until(DEADLINE, look) {
        Some(found) => found,
        None => panic!("waited {DEADLINE:?} in vain until {reason}"),
    }
}

/// Always checks once more after the deadline: on a stalled machine much time may pass between check and deadline.
fn look_until<T>(patience: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    loop {
        let last = start.elapsed() >= patience;
        match look() {
            Some(found) => return Some(found),
            None if last => return None,
            None => std::thread::sleep(PAUSE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_until_something_is_there() {
        let mut looks = 0;
        let found = wait_until_some("three looks", || {
            looks += 1;
            (looks == 3).then_some(looks)
        });
        assert_eq!(found, 3);
    }

    #[test]
    fn gives_up_when_the_time_is_over() {
        let mut looks = 0;
        let found = look_until(Duration::ZERO, || {
            looks += 1;
            None::<()>
        });
        assert_eq!((found, looks), (None, 1));
    }
}
