//! Starts the watchdog of a run, and keeps it informed about the sessions.

use std::{
    collections::HashMap,
    io,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use engine::{Engine, EngineEvent, Pid, SessionId};
use tokio::{
    io::AsyncWriteExt,
    net::unix::pipe,
    sync::broadcast::{Receiver, error::RecvError},
    task::JoinHandle,
};

use crate::watchdog::{self, SessionWord};

/// A running watchdog. Dropping this does not stop it: if patterm fails, the watchdog has work to do.
#[derive(Debug)]
pub(super) struct WatchdogHandle {
    process: Child,
    telling: JoinHandle<()>,
}

impl WatchdogHandle {
    /// `program` is this program's path. Must be called inside a tokio runtime.
    pub(super) fn start(program: &Path, grace: Duration, engine: &Engine) -> io::Result<Self> {
        let events = engine.events();
        let mut process = Command::new(program)
            .arg(watchdog::COMMAND)
            .arg(grace.as_millis().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let pipe = process.stdin.take().expect("it was asked for above");
        let pipe = pipe::Sender::from_owned_fd(pipe.into())?;
        let telling = tokio::spawn(tell(engine.clone(), events, pipe));
        Ok(WatchdogHandle { process, telling })
    }

    /// Called when all sessions have ended in order, so that nothing is left to watch.
    pub(super) fn dismiss(mut self) {
        // Killed before its pipe closes, which it would take for our death.
        let _ = self.process.kill();
        let _ = self.process.wait();
        self.telling.abort();
    }
}

/// Reports every session until the watchdog is gone or this task is aborted.
async fn tell(engine: Engine, mut events: Receiver<EngineEvent>, mut pipe: pipe::Sender) {
    let mut told = WatchdogView::default();
    loop {
        let ids = match events.recv().await {
            Ok(EngineEvent::Status(id, _) | EngineEvent::Removed(id)) => vec![id],
            Ok(_) => continue,
            Err(RecvError::Lagged(_)) => {
                let known = told.sessions.keys().copied();
                known.chain(engine.list().iter().map(engine::Session::id)).collect()
            }
            Err(RecvError::Closed) => return,
        };
        let words: Vec<SessionWord> = ids.into_iter().flat_map(|id| told.news(&engine, id)).collect();
        let text: String = words.iter().map(|word| format!("{word}\n")).collect();
        if pipe.write_all(text.as_bytes()).await.is_err() {
            tracing::warn!("the watchdog is gone: if patterm is killed, jobs of its sessions may stay");
            return;
        }
    }
}

/// What the watchdog has been told.
#[derive(Default)]
struct WatchdogView {
    sessions: HashMap<SessionId, WatchedProcess>,
}

#[derive(Clone, Copy)]
struct WatchedProcess {
    program: Pid,
    ended: bool,
}

impl WatchdogView {
    /// The changes of a session since the last report.
    fn news(&mut self, engine: &Engine, id: SessionId) -> Vec<SessionWord> {
        let before = self.sessions.remove(&id);
        let session = engine.get(id).ok();
        let now = session.and_then(|session| {
            Some(WatchedProcess { program: session.last_program()?, ended: session.status().has_ended() })
        });
        self.sessions.extend(now.map(|now| (id, now)));
        let mut words = Vec::new();
        // A session that was restarted was swept before.
        if let Some(before) = before
            && now.is_none_or(|now| now.program != before.program)
        {
            words.push(SessionWord::Gone(before.program));
        }
        let known = before.filter(|before| now.is_some_and(|now| now.program == before.program));
        if let Some(now) = now {
            if known.is_none() {
                words.push(SessionWord::Began(now.program));
            }
            if now.ended && known.is_none_or(|known| !known.ended) {
                words.push(SessionWord::Ended(now.program));
            }
        }
        words
    }
}
