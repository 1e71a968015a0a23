//! Times as people write them.

use std::time::Duration;

/// `0:07.250`, `12:00.000`, `1:02:03.004`.
pub fn clock(time: Duration) -> String {
    let (seconds, millis) = (time.as_secs(), time.subsec_millis());
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}.{millis:03}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}.{millis:03}"),
    }
}

/// Parses the output of [`clock`], plain seconds, and forms like `90s` or `1m 30s`.
pub fn parse_clock(text: &str) -> Result<Duration, String> {
    let wrong = || "write a time as 12.5, 1:30 or 90s".to_owned();
    if let Ok(duration) = humantime::parse_duration(text) {
        return Ok(duration);
    }
    let parts: Vec<&str> = text.split(':').collect();
    let (last, whole) = parts.split_last().ok_or_else(wrong)?;
    let seconds =
        last.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0).ok_or_else(wrong)?;
    let mut before: u64 = 0;
    for part in whole {
        let part: u64 = part.parse().map_err(|_| wrong())?;
        before = before.checked_mul(60).and_then(|before| before.checked_add(part)).ok_or_else(wrong)?;
    }
    if whole.len() > 2 {
        return Err(wrong());
    }
    let before = before.checked_mul(60).ok_or_else(wrong)?;
    Duration::try_from_secs_f64(seconds)
        .ok()
        .and_then(|seconds| seconds.checked_add(Duration::from_secs(before)))
        .ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_as_they_are_written() {
        for (millis, text) in [(7_250, "0:07.250"), (720_000, "12:00.000"), (3_723_004, "1:02:03.004")] {
            let time = Duration::from_millis(millis);
            assert_eq!((clock(time).as_str(), parse_clock(text)), (text, Ok(time)));
        }
        assert_eq!(parse_clock("12.5"), Ok(Duration::from_millis(12_500)));
        assert_eq!(parse_clock("1m 30s"), Ok(Duration::from_secs(90)));
        for wrong in ["", "x", "1:2:3:4", "-1", "1:-2", "inf", "99999999999999999999:0"] {
            assert!(parse_clock(wrong).is_err(), "{wrong}");
        }
    }
}
