//! When the loop wakes though nothing happens: with each minute of the clock on the wall, so that a clock on the screen
//! changes with it.

use std::time::{Duration, Instant, SystemTime};

const MINUTE: Duration = Duration::from_secs(60);
/// A clock that is read a moment too early shows the minute before.
const PAST: Duration = Duration::from_millis(20);

/// The beginning of the next minute.
pub(super) fn next(now: Instant) -> Instant {
    now + until_next(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default())
}

fn until_next(since_epoch: Duration) -> Duration {
    let seconds = Duration::from_secs(since_epoch.as_secs() % MINUTE.as_secs());
    MINUTE - seconds - Duration::from_nanos(since_epoch.subsec_nanos().into()) + PAST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_just_past_the_minute_and_at_most_one_away() {
        let at = |millis| until_next(Duration::from_millis(millis)).as_millis();
        assert_eq!([at(0), at(1), at(59_999), at(60_000), at(90_500)], [60_020, 60_019, 21, 60_020, 29_520]);
    }
}
