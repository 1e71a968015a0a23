//! What the page and the server say to each other over the WebSocket, as JSON. `page/types.d.ts` is the other side.

use grpc::proto::Session;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    directory::{Place, Standing},
    frame::FrameMessage,
};

/// A view of the page: one session or recording. The page picks the number.
pub(crate) type ViewId = u32;

#[derive(Debug, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case")]
pub(crate) enum FromPage {
    /// Opens a view of a session, by id, or by name should the id be gone.
    Watch {
        view: ViewId,
        coordinator: String,
        session: String,
        #[serde(default)]
        name: String,
        /// Milliseconds between two frames, at least.
        pace: u32,
    },
    /// Opens a view of a recording.
    Play {
        view: ViewId,
        recording: String,
    },
    Close {
        view: ViewId,
    },
    Pace {
        view: ViewId,
        pace: u32,
    },
    /// Cells that fit into the view; none when the view must not matter.
    Size {
        view: ViewId,
        cols: i32,
        rows: i32,
    },
    /// A frame was drawn.
    Ack {
        view: ViewId,
        version: u64,
    },
    /// Asks a recording for its frame at a time.
    At {
        view: ViewId,
        ms: u64,
    },
    Key {
        view: ViewId,
        #[serde(default)]
        key: String,
        #[serde(default)]
        text: String,
        /// As the proto's KeyAction.
        #[serde(default)]
        action: i32,
    },
    Paste {
        view: ViewId,
        text: String,
    },
    Mouse {
        view: ViewId,
        /// As the proto's.
        action: i32,
        button: i32,
        x: i32,
        y: i32,
        #[serde(default)]
        modifiers: u32,
    },
    Focus {
        view: ViewId,
        gained: bool,
    },
    Ask {
        number: u32,
        #[serde(flatten)]
        ask: Ask,
    },
    Ping {},
}

/// Something that is done once and answered.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub(crate) enum Ask {
    Spawn {
        coordinator: String,
        #[serde(default)]
        name: String,
        #[serde(default)]
        command: String,
        #[serde(default)]
        working_dir: String,
        #[serde(default)]
        cols: i32,
        #[serde(default)]
        rows: i32,
    },
    Kill {
        coordinator: String,
        session: String,
        signal: String,
    },
    Remove {
        coordinator: String,
        session: String,
    },
    Rename {
        coordinator: String,
        session: String,
        name: String,
    },
    /// `start`, `stop` or `status`.
    Record {
        coordinator: String,
        session: String,
        action: String,
    },
    /// Lines above the screen, with their looks, and the screen; only those before a line, to go further back.
    History {
        coordinator: String,
        session: String,
        #[serde(default)]
        before: Option<u64>,
    },
    Recordings {},
    Share {
        may_type: bool,
    },
    /// Ends this login: here, and in the browser's other tabs.
    LogOut {},
}

#[derive(Debug, Serialize)]
#[serde(tag = "t", rename_all = "snake_case")]
pub(crate) enum ToPage {
    /// First.
    Hello {
        version: String,
        read_only: bool,
    },
    /// Those that changed, and the order of all.
    Coordinators {
        order: Vec<String>,
        changed: Vec<PlaceMessage>,
    },
    Frame {
        view: ViewId,
        #[serde(flatten)]
        frame: Box<FrameMessage>,
    },
    /// What a recording holds, before its first frame.
    Recording {
        view: ViewId,
        #[serde(flatten)]
        about: crate::recordings::About,
    },
    /// The program has ended.
    Exited {
        view: ViewId,
        code: i32,
        signal: String,
    },
    /// No frames for the moment; the server tries again by itself.
    Away {
        view: ViewId,
        reason: String,
    },
    /// There is no such session any more.
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
        #[serde(skip_serializing_if = "Value::is_null")]
        value: Value,
    },
    Pong {},
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct AnswerError {
    pub(crate) message: String,
    pub(crate) hint: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct PlaceMessage {
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

impl From<&Place> for PlaceMessage {
    fn from(place: &Place) -> Self {
        let (standing, reason) = match &place.standing {
            Standing::Connecting => ("connecting", String::new()),
            Standing::Up(_) => ("up", String::new()),
            Standing::Away(reason) => ("away", reason.clone()),
        };
        let mut oldest_first: Vec<&Session> = place.sessions.values().collect();
        oldest_first.sort_by_key(|session| session.created_at.as_ref().map(|time| (time.seconds, time.nanos)));
        let sessions = oldest_first.into_iter().map(SessionMessage::from).collect();
        PlaceMessage { key: place.key.clone(), address: place.address.clone(), standing, reason, sessions }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pages_say_is_read() {
        let read = |text: &str| serde_json::from_str::<FromPage>(text);
        let ask = read(r#"{"t":"ask","number":3,"ask":"kill","coordinator":"a","session":"p_1","signal":"TERM"}"#);
        assert!(matches!(ask.unwrap(), FromPage::Ask { number: 3, ask: Ask::Kill { .. } }));
        assert!(matches!(read(r#"{"t":"key","view":1,"key":"ctrl+c"}"#).unwrap(), FromPage::Key { action: 0, .. }));
        assert!(matches!(read(r#"{"t":"ping"}"#).unwrap(), FromPage::Ping {}));
        for wrong in [r#"{"t":"key"}"#, r#"{"t":"what"}"#, "[]", r#"{"t":"ask","number":1,"ask":"format"}"#] {
            read(wrong).unwrap_err();
        }
    }
}
