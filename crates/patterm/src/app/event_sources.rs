//! Everything the loop listens to, and what woke it.

use std::time::Instant;

use engine::{EngineEvent, Pulse, SessionEvent, SessionId};
use ops::RecordingEvent;
use project::ProjectEvent;
use tokio::{
    signal::unix::Signal,
    sync::{broadcast, mpsc, watch},
};

use super::model::LoopTask;
use crate::run::ending::EndWatch;

/// Everything the loop listens to.
pub(super) struct EventSources {
    pub(super) engine: broadcast::Receiver<EngineEvent>,
    pub(super) project: broadcast::Receiver<ProjectEvent>,
    pub(super) recordings: broadcast::Receiver<RecordingEvent>,
    pub(super) loop_tasks: mpsc::UnboundedReceiver<LoopTask>,
    pub(super) wishes: EndWatch,
    pub(super) resized: Signal,
    pub(super) continued: Signal,
    /// Of the session in sight.
    pub(super) pulse: Option<(SessionId, watch::Receiver<Pulse>)>,
    pub(super) child: Option<broadcast::Receiver<SessionEvent>>,
}

/// What woke the loop.
pub(super) enum LoopEvent {
    /// `None`: the host is gone.
    Input(Option<Vec<u8>>),
    Engine,
    Project(Option<ProjectEvent>),
    Recording(RecordingEvent),
    Task(LoopTask),
    Output,
    Child(SessionEvent),
    Resized,
    Continued,
    End,
    Time,
}

impl EventSources {
    /// Waits for what comes first: what the host says goes before what sessions print. Nothing is lost when the future
    /// is dropped. `input` is what the host says; while a frame is due anyway (`dirty`), more output changes nothing.
    pub(super) async fn listen(
        &mut self,
        input: impl Future<Output = Option<Vec<u8>>>,
        until: Instant,
        dirty: bool,
    ) -> LoopEvent {
        let EventSources { engine, project, recordings, loop_tasks, wishes, resized, continued, pulse, child } = self;
        tokio::select! {
            biased;
            _ = wishes.leaving() => LoopEvent::End,
            bytes = input => LoopEvent::Input(bytes),
            _ = resized.recv() => LoopEvent::Resized,
            _ = continued.recv() => LoopEvent::Continued,
            Some(task) = loop_tasks.recv() => LoopEvent::Task(task),
            _ = engine.recv() => LoopEvent::Engine,
            event = project.recv() => LoopEvent::Project(event.ok()),
            Ok(event) = recordings.recv() => LoopEvent::Recording(event),
            () = moved(pulse), if !dirty => LoopEvent::Output,
            event = said(child) => LoopEvent::Child(event),
            () = tokio::time::sleep_until(until.into()) => LoopEvent::Time,
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
