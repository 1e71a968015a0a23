//! Messages to a page over the WebSocket, as JSON. `page/types.d.ts` is the other side.

use grpc::proto::Session;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;

use crate::{
    budget::BudgetPermit,
    directory::{CoordinatorEntry, CoordinatorStatus},
    frame::{FrameMessage, RunMessage},
    from_page::ViewId,
};

#[derive(Debug, Serialize)]
#[serde(tag = "t", rename_all = "snake_case")]
pub(crate) enum ToPage {
    /// The first message.
    Hello {
        version: String,
        read_only: bool,
    },
    /// The coordinators that changed, and the order of all.
    Coordinators {
        order: Vec<String>,
        changed: Vec<CoordinatorMessage>,
        /// Held until the page has received the message.
        #[serde(skip)]
        turn: OwnedSemaphorePermit,
    },
    Frame {
        view: ViewId,
        #[serde(flatten)]
        frame: Box<FrameMessage>,
    },
    /// A recording's details, sent before its first frame.
    Recording {
        view: ViewId,
        #[serde(flatten)]
        about: crate::recordings::RecordingDetails,
    },
    /// The program has ended.
    Exited {
        view: ViewId,
        code: i32,
        signal: String,
    },
    /// No frames at present; the server retries by itself.
    Away {
        view: ViewId,
        reason: String,
    },
    /// The session no longer exists.
    Gone {
        view: ViewId,
        reason: String,
    },
    Refusal {
        view: ViewId,
        message: String,
        hint: String,
    },
    Bell {
        view: ViewId,
    },
    Answer {
        number: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<AnswerError>,
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<AnswerValue>,
        /// Held until the page has received the message.
        #[serde(skip)]
        held: Option<BudgetPermit>,
    },
    Pong {},
}

impl ToPage {
    /// The permit to hold until the page has received the message; the rest is dropped.
    pub(crate) fn into_held(self) -> Option<HeldPermit> {
        match self {
            ToPage::Answer { held, .. } => held.map(|taken| HeldPermit::Taken { _taken: taken }),
            ToPage::Coordinators { turn, .. } => Some(HeldPermit::Turn { _turn: turn }),
            _ => None,
        }
    }
}

/// Returned on drop.
#[derive(Debug)]
pub(crate) enum HeldPermit {
    Taken { _taken: BudgetPermit },
    Turn { _turn: OwnedSemaphorePermit },
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum AnswerValue {
    Small(Value),
    /// Serialised directly: as a tree of JSON values it would take several times the memory.
    History(Box<HistoryMessage>),
}

#[derive(Debug, Serialize)]
pub(crate) struct HistoryMessage {
    pub(crate) lines: Vec<Vec<RunMessage>>,
    pub(crate) first: u64,
    pub(crate) more: bool,
    pub(crate) open: Option<Vec<RunMessage>>,
    pub(crate) screen: Option<FrameMessage>,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct AnswerError {
    pub(crate) message: String,
    pub(crate) hint: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct CoordinatorMessage {
    key: String,
    address: String,
    /// `connecting`, `up` or `away`.
    standing: &'static str,
    reason: String,
    sessions: Vec<SessionMessage>,
}

#[derive(Debug, Serialize)]
struct SessionMessage {
    id: String,
    name: String,
    kind: String,
    state: String,
    running: bool,
    exit_code: i32,
    signal: String,
    cols: i32,
    rows: i32,
    title: String,
    command: String,
    working_dir: String,
    /// Seconds since 1970.
    created: i64,
}

impl From<&CoordinatorEntry> for CoordinatorMessage {
    fn from(place: &CoordinatorEntry) -> Self {
        let (standing, reason) = match &place.standing {
            CoordinatorStatus::Connecting => ("connecting", String::new()),
            CoordinatorStatus::Up(_) => ("up", String::new()),
            CoordinatorStatus::Away(reason) => ("away", reason.clone()),
        };
        let mut oldest_first: Vec<&Session> = place.sessions.values().collect();
        oldest_first.sort_by_key(|session| session.created_at.as_ref().map(|time| (time.seconds, time.nanos)));
        let sessions = oldest_first.into_iter().map(SessionMessage::from).collect();
        CoordinatorMessage { key: place.key.clone(), address: place.address.clone(), standing, reason, sessions }
    }
}

impl From<&Session> for SessionMessage {
    fn from(session: &Session) -> Self {
        SessionMessage {
            id: session.id.clone(),
            name: session.name.clone(),
            kind: session.kind.clone(),
            state: session.state.clone(),
            running: is_running(session),
            exit_code: session.exit_code,
            signal: session.signal.clone(),
            cols: session.cols,
            rows: session.rows,
            title: session.title.clone(),
            command: session.argv.join(" "),
            working_dir: session.working_dir.clone(),
            created: session.created_at.as_ref().map_or(0, |time| time.seconds),
        }
    }
}

pub(crate) fn is_running(session: &Session) -> bool {
    session.status() != grpc::proto::SessionStatus::Exited
}
