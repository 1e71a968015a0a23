//! The engine's terms in the form that callers read and write.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What runs in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProcessKind {
    Agent,
    Terminal,
    Command,
}

impl From<engine::Kind> for ProcessKind {
    fn from(kind: engine::Kind) -> Self {
        match kind {
            engine::Kind::Agent => ProcessKind::Agent,
            engine::Kind::Terminal => ProcessKind::Terminal,
            engine::Kind::Command => ProcessKind::Command,
        }
    }
}

impl From<ProcessKind> for engine::Kind {
    fn from(kind: ProcessKind) -> Self {
        match kind {
            ProcessKind::Agent => engine::Kind::Agent,
            ProcessKind::Terminal => engine::Kind::Terminal,
            ProcessKind::Command => engine::Kind::Command,
        }
    }
}

/// The stage of a session's life: `stopped` was asked to end, `exited` ended by itself, `errored` could not be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProcessLife {
    Starting,
    Running,
    Stopped,
    Exited,
    Errored,
}

impl From<engine::Status> for ProcessLife {
    fn from(status: engine::Status) -> Self {
        match status {
            engine::Status::Starting => ProcessLife::Starting,
            engine::Status::Running => ProcessLife::Running,
            engine::Status::Stopped => ProcessLife::Stopped,
            engine::Status::Exited => ProcessLife::Exited,
            engine::Status::Errored => ProcessLife::Errored,
        }
    }
}

/// Who drives a session. Only an indication, not a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProcessOwner {
    User,
    Orchestrator,
}

impl From<engine::Owner> for ProcessOwner {
    fn from(owner: engine::Owner) -> Self {
        match owner {
            engine::Owner::User => ProcessOwner::User,
            engine::Owner::Orchestrator => ProcessOwner::Orchestrator,
        }
    }
}

/// Full-screen programs draw on the alternate screen, which has no history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActiveScreen {
    Main,
    Alternate,
}

impl ActiveScreen {
    pub fn of(frame: &vt::Frame) -> Self {
        if frame.alternate_screen { ActiveScreen::Alternate } else { ActiveScreen::Main }
    }
}

/// Column and row of the cursor, counted from zero at the top left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CursorPosition {
    pub x: u16,
    pub y: u16,
}

impl From<vt::Cursor> for CursorPosition {
    fn from(cursor: vt::Cursor) -> Self {
        CursorPosition { x: cursor.position.col, y: cursor.position.row }
    }
}

/// A signal by name (`TERM`, `SIGINT`, `hup`) or number.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SignalArg {
    Number(i32),
    Name(String),
}

impl SignalArg {
    pub fn parse(&self) -> Result<engine::Signal, crate::OpError> {
        match self {
            SignalArg::Number(number) => engine::Signal::try_from(*number),
            SignalArg::Name(name) => name.parse(),
        }
        .map_err(|error| crate::OpError::from_text(crate::ErrorKind::InvalidArgs, error.to_string()))
    }
}

impl From<&str> for SignalArg {
    fn from(name: &str) -> Self {
        SignalArg::Name(name.to_owned())
    }
}

/// A moment as RFC 3339, in UTC, to the millisecond.
pub fn rfc3339(at: std::time::SystemTime) -> String {
    use jiff::{Timestamp, Unit};
    // A time beyond jiff's range can't be a session's.
    let at = Timestamp::try_from(at).unwrap_or(Timestamp::UNIX_EPOCH);
    format!("{:.3}", at.round(Unit::Millisecond).unwrap_or(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn times_are_rfc_3339_to_the_millisecond() {
        assert_eq!(rfc3339(UNIX_EPOCH), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(UNIX_EPOCH + Duration::from_micros(1_789_000_000_123_456)), "2026-09-10T00:26:40.123Z");
    }

    #[test]
    fn words_are_spelled_as_the_engine_spells_them() {
        for kind in engine::Kind::ALL {
            assert_eq!(serde_json::to_value(ProcessKind::from(kind)).unwrap(), kind.as_str());
            assert_eq!(engine::Kind::from(ProcessKind::from(kind)), kind);
        }
        use engine::Status::*;
        for status in [Starting, Running, Stopped, Exited, Errored] {
            assert_eq!(serde_json::to_value(ProcessLife::from(status)).unwrap(), status.as_str());
        }
        for owner in [engine::Owner::User, engine::Owner::Orchestrator] {
            assert_eq!(serde_json::to_value(ProcessOwner::from(owner)).unwrap(), owner.as_str());
        }
    }

    #[test]
    fn signals_come_by_name_and_number() {
        let parse = |text: &str| serde_json::from_str::<SignalArg>(text).unwrap().parse();
        assert_eq!(parse("\"int\""), Ok(engine::Signal::INT));
        assert_eq!(parse("9"), Ok(engine::Signal::KILL));
        assert_eq!(parse("\"9\""), Ok(engine::Signal::KILL));
        let error = parse("\"NOPE\"").unwrap_err();
        assert_eq!(error.kind, crate::ErrorKind::InvalidArgs);
        assert!(error.hint.contains("TERM"), "{error:?}");
    }
}
