//! Everything the loop waits for, and what woke it.

use std::{future::poll_fn, task::Poll, time::Instant};

use engine::{EngineEvent, Pulse, SessionEvent, SessionId};
use ops::{Context, RecordingEvent};
use project::{Project, ProjectEvent};
use tokio::{
    signal::unix::Signal,
    sync::{broadcast, mpsc, watch},
};

use super::model::LoopTask;
use program::EndWatch;

/// Everything the loop waits for.
pub(super) struct EventSources {
    /// The project's, if there is one.
    pub(super) project: Option<ProjectSources>,
    pub(super) loop_tasks: mpsc::UnboundedReceiver<LoopTask>,
    pub(super) wishes: EndWatch,
    pub(super) resized: Signal,
    pub(super) continued: Signal,
    /// The pulse of the session that has the keyboard.
    pub(super) pulse: Option<(SessionId, watch::Receiver<Pulse>)>,
    /// The pulses of the other sessions in sight.
    pub(super) beside: Vec<(SessionId, watch::Receiver<Pulse>)>,
    pub(super) child: Option<broadcast::Receiver<SessionEvent>>,
}

/// What a project with its engine tells.
pub(super) struct ProjectSources {
    pub(super) engine: broadcast::Receiver<EngineEvent>,
    pub(super) project: broadcast::Receiver<ProjectEvent>,
    pub(super) recordings: broadcast::Receiver<RecordingEvent>,
}

impl ProjectSources {
    pub(super) fn of(project: &Project) -> Self {
        ProjectSources {
            engine: project.engine().events(),
            project: project.events(),
            recordings: project.recordings().events(),
        }
    }
}

/// What woke the loop.
pub(super) enum LoopEvent {
    /// `None`: the host terminal is gone.
    Input(Option<Vec<u8>>),
    Engine,
    Project(Option<ProjectEvent>),
    Recording(RecordingEvent),
    Task(LoopTask),
    /// The session that has the keyboard has printed.
    Output,
    /// Another session in sight has printed.
    OutputBeside,
    Child(SessionEvent),
    Resized,
    Continued,
    /// The end was requested, and why.
    End(&'static str),
    Time,
}

impl EventSources {
    /// Waits for the first event; the host's input takes precedence over sessions' output. Cancel-safe. `input` is the
    /// host's input; while a frame is due anyway (`dirty`), more output changes nothing, except for an `echo`.
    pub(super) async fn listen(
        &mut self,
        input: impl Future<Output = Option<Vec<u8>>>,
        until: Instant,
        dirty: bool,
        echo: bool,
    ) -> LoopEvent {
        let EventSources { project, loop_tasks, wishes, resized, continued, pulse, beside, child } = self;
        tokio::select! {
            biased;
            why = wishes.leaving() => LoopEvent::End(why),
            bytes = input => LoopEvent::Input(bytes),
            _ = resized.recv() => LoopEvent::Resized,
            _ = continued.recv() => LoopEvent::Continued,
            Some(task) = loop_tasks.recv() => LoopEvent::Task(task),
            event = project_event(project) => event,
            () = moved(pulse), if !dirty || echo => LoopEvent::Output,
            () = any_moved(beside), if !dirty => LoopEvent::OutputBeside,
            event = said(child) => LoopEvent::Child(event),
            () = tokio::time::sleep_until(until.into()) => LoopEvent::Time,
        }
    }
}

/// The next event of the project. Never completes if there is none.
async fn project_event(sources: &mut Option<ProjectSources>) -> LoopEvent {
    let Some(ProjectSources { engine, project, recordings }) = sources else { return std::future::pending().await };
    tokio::select! {
        biased;
        _ = engine.recv() => {
            // All of them at once: a hundred sessions that end cost one refresh.
            while engine.try_recv().is_ok() {}
            LoopEvent::Engine
        }
        event = project.recv() => LoopEvent::Project(event.ok()),
        Ok(event) = recordings.recv() => LoopEvent::Recording(event),
    }
}

/// One of the sessions printed something. Never completes if there is none.
async fn any_moved(pulses: &mut [(SessionId, watch::Receiver<Pulse>)]) {
    let mut changes: Vec<_> = pulses.iter_mut().map(|(_, pulse)| Box::pin(pulse.changed())).collect();
    poll_fn(|context| {
        let mut moved = false;
        // A session that is gone is not asked again.
        changes.retain_mut(|change| match change.as_mut().poll(context) {
            _ if moved => true,
            Poll::Pending => true,
            Poll::Ready(changed) => {
                moved = changed.is_ok();
                false
            }
        });
        if moved { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// The session that has the keyboard printed something. Never completes if there is none.
async fn moved(pulse: &mut Option<(SessionId, watch::Receiver<Pulse>)>) {
    match pulse {
        // The engine reports separately that a session is gone.
        Some((_, receiver)) => {
            if receiver.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
        None => std::future::pending().await,
    }
}

/// The next event of the session in sight.
async fn said(child: &mut Option<broadcast::Receiver<SessionEvent>>) -> SessionEvent {
    loop {
        match child {
            Some(receiver) => match receiver.recv().await {
                Ok(event) => return event,
                // Missed events no longer matter.
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => *child = None,
            },
            None => std::future::pending().await,
        }
    }
}
