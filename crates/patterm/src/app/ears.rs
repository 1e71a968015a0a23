//! Everything the loop listens to, and what woke it.

use std::time::Instant;

use engine::{EngineEvent, Pulse, SessionEvent, SessionId};
use ops::RecordingEvent;
use project::ProjectEvent;
use tokio::{
    signal::unix::Signal,
    sync::{broadcast, mpsc, watch},
};

use super::model::Notice;
use crate::run::ending::Wishes;

/// Everything the loop listens to.
pub(super) struct Ears {
    pub(super) engine: broadcast::Receiver<EngineEvent>,
    pub(super) project: broadcast::Receiver<ProjectEvent>,
    pub(super) recordings: broadcast::Receiver<RecordingEvent>,
    pub(super) notices: mpsc::UnboundedReceiver<Notice>,
    pub(super) wishes: Wishes,
    pub(super) resized: Signal,
    pub(super) continued: Signal,
    /// Of the session in sight.
    pub(super) pulse: Option<(SessionId, watch::Receiver<Pulse>)>,
    pub(super) child: Option<broadcast::Receiver<SessionEvent>>,
}

/// What woke the loop.
pub(super) enum Wake {
    /// `None`: the host is gone.
    Input(Option<Vec<u8>>),
    Engine,
    Project(Option<ProjectEvent>),
    Recording(RecordingEvent),
    Notice(Notice),
    Output,
    Child(SessionEvent),
    Resized,
    Continued,
    End,
    Time,
}

impl Ears {
    /// Waits for what comes first: what the host says goes before what sessions print. Nothing is lost when the future
    /// is dropped. `input` is what the host says; while a frame is due anyway (`dirty`), more output changes nothing.
    pub(super) async fn listen(
        &mut self,
        input: impl Future<Output = Option<Vec<u8>>>,
        until: Instant,
        dirty: bool,
    ) -> Wake {
        let Ears { engine, project, recordings, notices, wishes, resized, continued, pulse, child } = self;
        tokio::select! {
            biased;
            _ = wishes.leaving() => Wake::End,
            bytes = input => Wake::Input(bytes),
            _ = resized.recv() => Wake::Resized,
            _ = continued.recv() => Wake::Continued,
            Some(notice) = notices.recv() => Wake::Notice(notice),
            _ = engine.recv() => Wake::Engine,
            event = project.recv() => Wake::Project(event.ok()),
            Ok(event) = recordings.recv() => Wake::Recording(event),
            () = moved(pulse), if !dirty => Wake::Output,
            event = said(child) => Wake::Child(event),
            () = tokio::time::sleep_until(until.into()) => Wake::Time,
        }
    }
}

/// The session in sight printed something; never, if there is none.
async fn moved(pulse: &mut Option<(SessionId, watch::Receiver<Pulse>)>) {
    match pulse {
        // A session that is gone is told of by the engine.
        Some((_, receiver)) => {
            if receiver.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
        None => std::future::pending().await,
    }
}

/// The session in sight asks or reports something.
async fn said(child: &mut Option<broadcast::Receiver<SessionEvent>>) -> SessionEvent {
    loop {
        match child {
            Some(receiver) => match receiver.recv().await {
                Ok(event) => return event,
                // What was missed is of no interest any more.
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => *child = None,
            },
            None => std::future::pending().await,
        }
    }
}
