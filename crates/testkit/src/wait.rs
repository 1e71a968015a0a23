//! Waiting for what another thread or process does.

use std::time::{Duration, Instant};

/// How long a test waits before it calls something broken: far beyond what a loaded machine needs,
/// since it is only ever used up by a failure.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// Between two looks. It decides nothing but how soon a test goes on.
const PAUSE: Duration = Duration::from_millis(1);

/// Waits until `condition` holds; panics with the reason after [`DEADLINE`].
#[track_caller]
pub fn wait_until(reason: &str, condition: impl FnMut() -> bool) {
    wait_until_with(reason, condition, String::new);
}

/// Like [`wait_until`], and the panic also tells what `state` says at the end.
#[track_caller]
pub fn wait_until_with(reason: &str, mut condition: impl FnMut() -> bool, state: impl FnOnce() -> String) {
    let look = || condition().then_some(());
    if look_until(DEADLINE, look).is_none() {
        let state = state();
        let state = if state.is_empty() { state } else { format!("; the last state: {state}") };
        panic!("waited {DEADLINE:?} in vain until {reason}{state}");
    }
}

/// Waits until `look` finds something.
#[track_caller]
pub fn wait_until_some<T>(reason: &str, look: impl FnMut() -> Option<T>) -> T {
    match look_until(DEADLINE, look) {
        Some(found) => found,
        None => panic!("waited {DEADLINE:?} in vain until {reason}"),
    }
}

/// Always looks once more after the time is up: on a stalled machine the two may be far apart.
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
