//! What the tasks behind the screen tell it.

use std::time::Instant;

use grpc::{
    client::CoordinatorClient,
    proto::{GetHistoryResponse, Session, WatchSessionsEvent},
};
use tokio::sync::mpsc;

use super::{
    app::EndChoice,
    link::{LinkEvent, LinkNumber},
};

#[derive(Debug)]
pub(crate) enum AttachNews {
    Link(LinkNumber, LinkEvent),
    /// Of the coordinator at this place of the roster.
    Roster(usize, RosterEvent),
    History(LinkNumber, Box<GetHistoryResponse>),
    /// What was asked for at this time.
    Info(LinkNumber, Instant, Box<Session>),
    /// The coordinator was asked at this time, and is slow to answer.
    Unanswered(LinkNumber, Instant),
    /// A session was started there, to be shown.
    Created(usize, Box<Session>),
    /// All sessions as they are now, for finding one with new output.
    Versions(Vec<(usize, Session)>),
    /// Its program got a signal, which it may heed or not.
    ToldToEnd(LinkNumber, EndChoice),
    /// Something was done; a word on it.
    Done(String),
    Failed(String),
}

#[derive(Debug)]
pub(crate) enum RosterEvent {
    /// It answers.
    Here(Box<CoordinatorClient>),
    Change(Box<WatchSessionsEvent>),
    Silent(String),
}

pub(crate) type Sender = mpsc::Sender<AttachNews>;

/// Frames are asked for one by one, so few wait at any time.
pub(crate) const WAITING_NEWS: usize = 256;
