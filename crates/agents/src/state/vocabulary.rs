//! The words for what a session is doing.

use std::fmt;
use std::str::FromStr;
use std::time::{Instant, SystemTime};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::preset::DecisionKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Runs, but has not shown yet what it does.
    Starting,
    /// Waits for a prompt.
    Idle,
    Working,
    /// Waits for a decision: a permission prompt, or any dialog.
    Blocked,
    Exited,
    /// There is no evidence.
    Unknown,
}

/// Where evidence comes from, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// What we know ourselves: it has ended, has just begun, or was just sent a prompt.
    Process,
    /// The agent's own word: OSC 7501, or its hooks.
    SelfReport,
    /// Title, progress and other sequences beside the screen.
    Osc,
    Screen,
    /// How the terminal treats input.
    Tty,
    /// No output for a while.
    Silence,
}

/// What a session is doing, since when, and how that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentStatus {
    pub state: State,
    /// By the engine's clock.
    pub since: Instant,
    pub since_time: SystemTime,
    /// `None` where there is no evidence.
    pub source: Option<Source>,
    /// The rule that decides.
    pub rule: Option<String>,
    /// What kind of decision a blocked agent waits for.
    pub kind: Option<DecisionKind>,
    /// The CLI's own mode that decides what it asks for, where its preset can tell.
    pub mode: Option<String>,
    /// One line for people.
    pub detail: String,
    /// Counts the changes of `state`: tells "idle again" from "still idle".
    pub changes: u64,
}

impl State {
    pub const ALL: [State; 6] =
        [State::Starting, State::Idle, State::Working, State::Blocked, State::Exited, State::Unknown];

    pub fn as_str(self) -> &'static str {
        match self {
            State::Starting => "starting",
            State::Idle => "idle",
            State::Working => "working",
            State::Blocked => "blocked",
            State::Exited => "exited",
            State::Unknown => "unknown",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for State {
    type Err = StateError;

    fn from_str(text: &str) -> Result<Self, StateError> {
        State::ALL.into_iter().find(|state| state.as_str() == text).ok_or(StateError)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a state is one of starting, idle, working, blocked, exited, unknown")]
pub struct StateError;

impl Source {
    pub fn as_str(self) -> &'static str {
        match self {
            Source::Process => "process",
            Source::SelfReport => "self_report",
            Source::Osc => "osc",
            Source::Screen => "screen",
            Source::Tty => "tty",
            Source::Silence => "silence",
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
