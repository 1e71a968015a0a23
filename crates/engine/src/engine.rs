//! The engine: a handle to all sessions of one program.

use std::sync::Arc;
use std::time::Duration;

use pty::Signal;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, broadcast};
use tokio::task::JoinSet;

use crate::directory::Directory;
use crate::error::{Error, Result};
use crate::io::freed_memory::FreedMemory;
use crate::io::parser_thread::ParserSlots;
use crate::lifecycle::leftovers::LeftoverFinder;
use crate::lifecycle::{StopRequest, blocking, deadline, end_run, orphans, supervisor, to_the_end};
use crate::names::SessionId;
use crate::notices::{EngineEvent, NoticeBus};
use crate::options::{EngineOptions, NewSession};
use crate::runtime::STARTS_AT_ONCE;
use crate::session::Session;
use crate::session::shared::SessionShared;

/// Cheap to clone. Dropping the last handle, sessions included, kills all running programs; use [`Engine::shutdown`]
/// for an orderly end.
#[derive(Clone, Debug)]
pub struct Engine {
    inner: Arc<EngineInner>,
}

#[derive(Debug)]
pub(crate) struct EngineInner {
    pub(crate) options: EngineOptions,
    pub(crate) directory: Directory,
    pub(crate) notices: NoticeBus,
    pub(crate) leftovers: LeftoverFinder,
    pub(crate) parser_threads: ParserSlots,
    pub(crate) freed_memory: FreedMemory,
    /// Programs are started on its threads: the kernel kills a child when the thread that started it ends, and these
    /// threads live as long as the engine.
    pub(crate) runtime: Handle,
    pub(crate) starts: Semaphore,
}

impl Engine {
    /// Must be called in a tokio runtime, for the supervisor's task, timers and starts. Programs end with the runtime
    /// at the latest.
    pub fn new(options: EngineOptions) -> Self {
        let (notices, ended) = NoticeBus::new();
        let inner = Arc::new(EngineInner {
            directory: Directory::new(options.limits.sessions),
            runtime: Handle::current(),
            starts: Semaphore::new(STARTS_AT_ONCE),
            leftovers: LeftoverFinder::default(),
            parser_threads: ParserSlots::new(options.parser_threads),
            freed_memory: FreedMemory::watch(),
            notices,
            options,
        });
        tokio::spawn(supervisor::run(Arc::downgrade(&inner), ended));
        if inner.options.inherits_orphans {
            tokio::spawn(orphans::reap(Arc::downgrade(&inner)));
        }
        Engine { inner }
    }

    /// Another engine with the same options and no sessions, for a program that is no session of anybody's. Its sessions
    /// are in no list of this one; shut it down when it has served.
    pub fn aside(&self) -> Engine {
        Engine::new(EngineOptions { inherits_orphans: false, ..self.inner.options.clone() })
    }

    /// An id that no session of this engine gets, for one that runs elsewhere and is shown beside this engine's.
    pub fn foreign_id(&self) -> SessionId {
        self.inner.directory.foreign_id()
    }

    pub fn clock(&self) -> &crate::clock::Clock {
        &self.inner.options.clock
    }

    pub fn limits(&self) -> &crate::options::EngineLimits {
        &self.inner.options.limits
    }

    /// Starts a session. On an error nothing is left behind. Dropping the future does not undo a start: the session is
    /// then in the list.
    pub async fn spawn(&self, new: NewSession) -> Result<Session> {
        let inner = self.inner.clone();
        self.inner.clone().start_program(move || inner.spawn_now(new)).await
    }

    /// By id or by name.
    pub fn find(&self, id_or_name: &str) -> Result<Session> {
        Ok(self.session(self.inner.directory.find(id_or_name)?))
    }

    pub fn get(&self, id: SessionId) -> Result<Session> {
        let shared = self.inner.directory.get(id).ok_or(Error::no_session(id))?;
        Ok(self.session(shared))
    }

    /// In order of creation.
    pub fn list(&self) -> Vec<Session> {
        self.inner.directory.all().into_iter().map(|shared| self.session(shared)).collect()
    }

    pub fn children_of(&self, parent: SessionId) -> Vec<Session> {
        self.inner.directory.children_of(parent).into_iter().map(|shared| self.session(shared)).collect()
    }

    /// Changes of the list of sessions from now on.
    pub fn events(&self) -> broadcast::Receiver<EngineEvent> {
        self.inner.notices.listen()
    }

    /// Ends every session and refuses new ones. Afterwards no process, thread or descriptor of this engine is left, but
    /// its sessions can still be read.
    pub async fn shutdown(&self, grace: Duration) {
        // Takes effect with the call itself, however late the rest is scheduled.
        self.inner.directory.close();
        to_the_end(self.inner.clone().end_all(grace)).await;
    }

    fn session(&self, shared: Arc<SessionShared>) -> Session {
        Session::new(self.inner.clone(), shared)
    }
}

impl EngineInner {
    async fn end_all(self: Arc<Self>, grace: Duration) {
        let until = deadline(grace);
        let request = StopRequest { signal: None, grace: Some(grace) };
        let all = self.directory.all();
        let mut ends = JoinSet::new();
        for shared in all.clone() {
            ends.spawn(async move { end_run(&shared, &request, until).await });
        }
        while ends.join_next().await.is_some() {}
        let processes = all.iter().filter_map(|shared| shared.record().process.clone()).collect();
        self.leftovers.sweep(processes, until).await;
        blocking(move || {
            for shared in all {
                shared.join_thread();
                let process = shared.record().process.take();
                drop(process);
            }
        })
        .await;
    }
}

impl Drop for EngineInner {
    fn drop(&mut self) {
        for shared in self.directory.all() {
            let run = shared.record().run.clone();
            if let Some(run) = run {
                // Its I/O thread notices the exit and ends.
                let _ = run.process.signal(Signal::KILL);
            }
        }
    }
}
