//! Where the sessions on the screen come from: this program's engine, or a coordinator elsewhere.
//!
//! The rest of the interface knows a session only as a [`SourceSession`]. None of the methods waits for anybody, unless
//! it says so.

mod local;
mod remote;

use std::{ffi::OsString, fmt, future::Future, path::PathBuf, pin::Pin, sync::Arc};

use engine::{
    AgedReport, ExitStatus, Input, Kind, Owner, Pulse, SearchRequest, SearchResult, SessionEvent, SessionId, Status,
};
use ops::OpError;
use serde_json::Value;
use tokio::sync::{broadcast, watch};
use vt::{Frame, InputModes, Line, Size, Theme};

pub(crate) use remote::{
    AttachManner, CHANGES_ARE_OFF, CoordinatorWay, RemoteEvent, RemoteNews, RemoteSession, clean_name, clean_text,
};

/// What was asked of a session, under way.
pub(crate) type SourceCall = Pin<Box<dyn Future<Output = Result<Value, OpError>> + Send>>;

/// A session on the screen, wherever it runs. Cheap to clone.
pub(crate) type SessionHandle = Arc<dyn SourceSession>;

pub(crate) trait SourceSession: fmt::Debug + Send + Sync {
    /// What the interface knows it by; of no use at a coordinator.
    fn id(&self) -> SessionId;
    /// `None` after it was removed.
    fn name(&self) -> Option<String>;
    fn kind(&self) -> Kind;
    fn parent(&self) -> Option<SessionId>;
    fn argv(&self) -> Vec<OsString>;
    /// Where it was started, or where its program is now if somebody tells.
    fn folder(&self) -> Option<PathBuf>;
    /// The program that reads the keyboard, where somebody tells.
    fn foreground(&self) -> Option<String>;
    fn status(&self) -> Status;
    fn exit(&self) -> Option<ExitStatus>;
    /// Its first start is left for the person.
    fn waits_for_start(&self) -> bool;
    fn owner(&self) -> Owner;
    /// What its program reports of its own work.
    fn reports(&self) -> Vec<AgedReport>;
    /// For a session of a coordinator: which one, and how it is connected.
    fn remote(&self) -> Option<RemoteStanding>;

    fn frame(&self) -> Arc<Frame>;
    fn screen_text(&self) -> String;
    fn title(&self) -> String;
    fn input_modes(&self) -> InputModes;
    fn pulse(&self) -> watch::Receiver<Pulse>;
    fn events(&self) -> broadcast::Receiver<SessionEvent>;
    /// The newest frame is on the person's screen.
    fn drawn(&self);

    /// Types or clicks as the person; an error says why that was not possible.
    fn send(&self, input: Input) -> Result<(), String>;
    /// Gives control back to whoever started it.
    fn release(&self);
    /// Whether the size was taken.
    fn resize(&self, size: Size) -> bool;
    /// The host's colours, for programs that ask.
    fn set_theme(&self, theme: &Theme);

    /// All of its text, if that is at hand.
    fn text(&self) -> Option<SessionText>;
    /// All of its text. Waits for it: for tasks that may block.
    fn fetch_text(&self) -> Result<SessionText, String>;
    /// The whole history without looks, for an editor. May wait.
    fn history_text(&self) -> Result<String, String>;
    /// May wait.
    fn search(&self, request: &SearchRequest) -> SearchResult;

    /// Does what an operation of this name does, where the session is not one of the project's.
    fn call(&self, operation: &str, arguments: &Value) -> Option<SourceCall>;
}

/// A snapshot of a session's text.
#[derive(Clone, Debug)]
pub(crate) struct SessionText {
    /// The number of the first line.
    pub(crate) first: u64,
    pub(crate) lines: Vec<Arc<Line>>,
    /// What is above the screen of the line that its first row continues.
    pub(crate) open: Option<Arc<Line>>,
    pub(crate) frame: Arc<Frame>,
}

/// A session of a coordinator, as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RemoteStanding {
    /// Its name, for people.
    pub(crate) coordinator: String,
    pub(crate) connection: SourceConnection,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SourceConnection {
    Connecting,
    Live,
    /// Keys were typed, and the coordinator does not answer.
    Silent,
    /// The connection is lost, and why; it is tried again.
    Lost(String),
    /// The session no longer exists there, and why.
    Gone(String),
}
