//! The results and events that background tasks send to the interface.

use std::time::Instant;

use fleet::{LinkNumber, LinkReport, RosterReport};
use grpc::proto::{GetHistoryResponse, Session};
use tokio::sync::mpsc;

use super::app::EndChoice;

#[derive(Debug)]
pub(crate) enum AttachNews {
    Link(LinkReport),
    Roster(RosterReport),
    History(LinkNumber, Box<GetHistoryResponse>),
    /// The facts that were requested at this time.
    Info(LinkNumber, Instant, Box<Session>),
    /// The coordinator was asked at this time, and has not answered yet.
    Unanswered(LinkNumber, Instant),
    /// A session was started there, to be shown.
    Created(usize, Box<Session>),
    /// The current state of all sessions, to find one with new output.
    Versions(Vec<(usize, Session)>),
    /// A signal was sent to its program, which may ignore it.
    ToldToEnd(LinkNumber, EndChoice),
    /// An action succeeded; the text says which.
    Done(String),
    Failed(String),
}

impl From<LinkReport> for AttachNews {
    fn from(report: LinkReport) -> Self {
        AttachNews::Link(report)
    }
}

impl From<RosterReport> for AttachNews {
    fn from(report: RosterReport) -> Self {
        AttachNews::Roster(report)
    }
}

pub(crate) type Sender = mpsc::Sender<AttachNews>;

/// Frames are requested one by one, so the queue stays short.
pub(crate) const WAITING_NEWS: usize = 256;
