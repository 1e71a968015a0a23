//! The engine's and the operations' types as messages, and back.

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

/// proto3's way to leave a text out.
pub(crate) fn given(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

pub(crate) fn seconds(field: &str, duration: Option<prost_types::Duration>) -> Result<Option<f64>, OpError> {
    let duration: Option<Result<Duration, _>> = duration.map(TryInto::try_into);
    match duration {
        None => Ok(None),
        Some(Ok(duration)) => Ok(Some(duration.as_secs_f64())),
        Some(Err(_)) => Err(OpError::invalid_args(format!("{field} is negative")).with_hint("give 0 or more")),
    }
}

/// A number of columns or rows; 0 leaves it out.
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

/// Columns that a terminal can have.
pub(crate) const COLS: RangeInclusive<u16> = vt::Size::MIN.cols..=vt::Size::MAX.cols;
/// Rows that a terminal can have.
pub(crate) const ROWS: RangeInclusive<u16> = vt::Size::MIN.rows..=vt::Size::MAX.rows;

pub(crate) fn count(field: &str, value: i32) -> Result<u32, OpError> {
    u32::try_from(value).map_err(|_| OpError::invalid_args(format!("{field} is {value}")).with_hint("give 0 or more"))
}
