//! Converts the engine's and the operations' types to messages, and back.

mod input;
mod screen;
mod session;

use std::{
    ops::RangeInclusive,
    time::{Duration, SystemTime},
};

use ops::OpError;
use prost_types::Timestamp;

pub(crate) use self::{
    input::attach_input,
    screen::{frame_update, history_line, screen},
    session::{exited, session},
};

pub(crate) fn timestamp(at: SystemTime) -> Timestamp {
    at.into()
}

pub(crate) fn rgb(vt::Rgb { r, g, b }: vt::Rgb) -> u32 {
    u32::from_be_bytes([0, r, g, b])
}

/// An empty text means "absent" in proto3.
pub(crate) fn given(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

pub(crate) fn seconds(field: &str, duration: Option<prost_types::Duration>) -> Result<Option<f64>, OpError> {
    let Some(prost_types::Duration { seconds, nanos }) = duration else { return Ok(None) };
    match (u64::try_from(seconds), u32::try_from(nanos)) {
        (Ok(seconds), Ok(nanos @ ..1_000_000_000)) => Ok(Some(Duration::new(seconds, nanos).as_secs_f64())),
        _ => Err(OpError::invalid_args(format!("{field} has {seconds} seconds and {nanos} nanos"))
            .with_hint("give 0 or more seconds and 0 to 999999999 nanos")),
    }
}

/// Validates an enum value. prost maps unknown values to the first one, which is not what was requested.
pub(crate) fn known<E: TryFrom<i32>>(field: &str, value: i32) -> Result<E, OpError> {
    E::try_from(value).map_err(|_| {
        OpError::invalid_args(format!("{field} is {value}, which means nothing here"))
            .with_hint("use a value that proto/vtr.proto lists; a newer one may need a newer server")
    })
}

/// A number of columns or rows; 0 means "absent".
pub(crate) fn extent(field: &str, value: i32, allowed: RangeInclusive<u16>) -> Result<Option<u16>, OpError> {
    match u16::try_from(value) {
        Ok(0) => Ok(None),
        Ok(value) if allowed.contains(&value) => Ok(Some(value)),
        _ => {
            let (least, most) = allowed.into_inner();
            Err(OpError::invalid_args(format!("{field} is {value}")).with_hint(format!("use {least} to {most}")))
        }
    }
}

/// Valid column counts of a terminal.
pub(crate) const COLS: RangeInclusive<u16> = vt::Size::MIN.cols..=vt::Size::MAX.cols;
/// Valid row counts of a terminal.
pub(crate) const ROWS: RangeInclusive<u16> = vt::Size::MIN.rows..=vt::Size::MAX.rows;

pub(crate) fn count(field: &str, value: i32) -> Result<u32, OpError> {
    u32::try_from(value).map_err(|_| OpError::invalid_args(format!("{field} is {value}")).with_hint("give 0 or more"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::WaitScope;

    #[test]
    fn durations_are_taken_as_the_standard_writes_them() {
        let read = |parts: (i64, i32)| seconds("t", Some(prost_types::Duration { seconds: parts.0, nanos: parts.1 }));
        assert_eq!(seconds("t", None), Ok(None));
        assert_eq!(read((1, 500_000_000)), Ok(Some(1.5)));
        for wrong in [(-1, 0), (1, -1), (0, -1), (-1, -1), (0, 1_000_000_000), (1, i32::MAX)] {
            assert_eq!(read(wrong).unwrap_err().kind, ops::ErrorKind::InvalidArgs, "{wrong:?}");
        }
    }

    #[test]
    fn enums_take_only_what_they_list() {
        assert_eq!(known("scope", 2), Ok(WaitScope::Grid));
        for wrong in [99, -1] {
            assert_eq!(known::<WaitScope>("scope", wrong).unwrap_err().kind, ops::ErrorKind::InvalidArgs);
        }
    }
}
