//! A caller's deadline, enforced where the call is handled: when it passes, the call's work is dropped.

use std::{future::Future, time::Duration};

use tonic::{Status, metadata::MetadataMap};

/// The result of `work`, or DEADLINE_EXCEEDED if the caller's time is up first.
pub(super) async fn within<T>(
    limit: Option<Duration>,
    work: impl Future<Output = Result<T, Status>>,
) -> Result<T, Status> {
    let Some(limit) = limit else { return work.await };
    match tokio::time::timeout(limit, work).await {
        Ok(done) => done,
        Err(_) => Err(Status::deadline_exceeded(format!("the call's own deadline of {limit:?} has passed"))),
    }
}

/// The `grpc-timeout` of a call; an invalid one is ignored.
pub(super) fn of(metadata: &MetadataMap) -> Option<Duration> {
    parse(metadata.get("grpc-timeout")?.to_str().ok()?)
}

/// At most eight digits and a unit.
fn parse(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if number.len() > 8 || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: u64 = number.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(number * 3600)),
        "M" => Some(Duration::from_secs(number * 60)),
        "S" => Some(Duration::from_secs(number)),
        "m" => Some(Duration::from_millis(number)),
        "u" => Some(Duration::from_micros(number)),
        "n" => Some(Duration::from_nanos(number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_that_outlasts_the_deadline_is_dropped() {
        let (held, dropped) = tokio::sync::oneshot::channel::<()>();
        let work = async move {
            let _held = held;
            std::future::pending::<Result<(), Status>>().await
        };
        let status = within(Some(Duration::ZERO), work).await.unwrap_err();
        assert_eq!(status.code(), tonic::Code::DeadlineExceeded);
        assert!(dropped.await.is_err());
        assert_eq!(within(None, async { Ok(7) }).await.unwrap(), 7);
    }

    #[test]
    fn timeouts_are_read_as_grpc_writes_them() {
        assert_eq!(parse("2S"), Some(Duration::from_secs(2)));
        assert_eq!(parse("99999999H"), Some(Duration::from_secs(99_999_999 * 3600)));
        assert_eq!(parse("250m"), Some(Duration::from_millis(250)));
        assert_eq!(parse("1u"), Some(Duration::from_micros(1)));
        for wrong in ["", "S", "1", "1s", "123456789S", "-1S", "1é"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
