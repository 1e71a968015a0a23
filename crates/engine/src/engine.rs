//! The engine: a handle to all sessions of one program.

use std::collections::HashSet;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use pty::{Pid, Signal};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, broadcast};
use tokio::task::JoinSet;

use crate::directory::Directory;
use crate::environment::{check_size, child_environment};
use crate::error::{Error, InvalidArgs, Result};
use crate::freed_memory::FreedMemory;
use crate::leftovers::Leftovers;
use crate::lifecycle::{StopRequest, blocking, deadline, end_run, launch, to_the_end, unwrap_task};
use crate::names::SessionId;
use crate::notices::{EngineEvent, Notices};
use crate::options::{EngineOptions, NewSession};
use crate::orphans;
use crate::runtime::STARTS_AT_ONCE;
use crate::second_thread::Slots;
use crate::session::Session;
use crate::shared::{Birth, Command, Shared};
use crate::status::{Kind, Origin, Owner};
use crate::supervisor;

/// Cheap to clone. Dropping the last handle, sessions included, kills what still runs; use
/// [`Engine::shutdown`] to end it in order.
#[derive(Clone, Debug)]
pub struct Engine {
    inner: Arc<EngineInner>,
}

#[derive(Debug)]
pub(crate) struct EngineInner {
    pub(crate) options: EngineOptions,
    pub(crate) directory: Directory,
    pub(crate) notices: Notices,
    pub(crate) leftovers: Leftovers,
    second_threads: Slots,
    freed_memory: FreedMemory,
    /// Its threads start the programs: the system ends a program with the thread that started it, and these live as long
    /// as this engine.
    runtime: Handle,
    starts: Semaphore,
}

impl Engine {
    /// Needs a tokio runtime around it, for the supervisor's task, the timers and the starts: programs end with it at the
    /// latest.
    pub fn new(options: EngineOptions) -> Self {
        let (notices, ended) = Notices::new();
        let inner = Arc::new(EngineInner {
            directory: Directory::new(options.limits.sessions),
            runtime: Handle::current(),
            starts: Semaphore::new(STARTS_AT_ONCE),
            leftovers: Leftovers::default(),
            second_threads: Slots::new(options.second_threads),
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

    pub fn clock(&self) -> &crate::clock::Clock {
        &self.inner.options.clock
    }

    pub fn limits(&self) -> &crate::options::Limits {
        &self.inner.options.limits
    }

    /// Starts a session. When the program can't be started, the error says why and nothing is left.
    /// A future dropped early does not undo it: the session then is in the list.
    pub async fn spawn(&self, new: NewSession) -> Result<Session> {
        let inner = self.inner.clone();
        self.inner.clone().start_program(move || inner.spawn_now(new)).await
    }

    /// By id or by name.
    pub fn find(&self, id_or_name: &str) -> Result<Session> {
        Ok(self.session(self.inner.directory.find(id_or_name)?))
    }

    pub fn get(&self, id: SessionId) -> Result<Session> {
        let shared = self.inner.directory.get(id).ok_or(Error::NotFound { wanted: id.to_string() })?;
        Ok(self.session(shared))
    }

    /// In order of creation.
    pub fn list(&self) -> Vec<Session> {
        self.inner.directory.all().into_iter().map(|shared| self.session(shared)).collect()
    }

    pub fn children_of(&self, parent: SessionId) -> Vec<Session> {
        self.inner.directory.children_of(parent).into_iter().map(|shared| self.session(shared)).collect()
    }

    /// Changes to the list of sessions from now on.
    pub fn events(&self) -> broadcast::Receiver<EngineEvent> {
        self.inner.notices.listen()
    }

    /// Ends every session and refuses new ones. Afterwards no process, thread or descriptor of this
    /// engine is left, but its sessions can still be read.
    pub async fn shutdown(&self, grace: Duration) {
        // From the very call on, whenever the rest gets its turn.
        self.inner.directory.close();
        to_the_end(self.inner.clone().end_all(grace)).await;
    }

    fn session(&self, shared: Arc<Shared>) -> Session {
        Session::new(self.inner.clone(), shared)
    }
}

impl EngineInner {
    /// Has `start` done, when it is its turn, by one of the threads that may start programs. To its end, also when nobody
    /// waits for it any more.
    pub(crate) async fn start_program<T: Send + 'static>(
        self: Arc<Self>,
        start: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        let runtime = self.runtime.clone();
        let started = runtime.spawn(async move {
            // It is never closed: there is always a turn.
            let _turn = self.starts.acquire().await;
            start()
        });
        unwrap_task(started.await).await
    }

    /// Runs `look` with the processes of all sessions while no start is under way; `None` when one is.
    pub(crate) fn between_starts<T>(&self, look: impl FnOnce(HashSet<Pid>) -> T) -> Option<T> {
        let _turns = self.starts.try_acquire_many(u32::try_from(STARTS_AT_ONCE).expect("a small number")).ok()?;
        let all = self.directory.all();
        let own = all.iter().filter_map(|shared| Some(shared.record().process.as_ref()?.pid)).collect();
        Some(look(own))
    }

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

    /// Blocks for some hundred microseconds.
    fn spawn_now(self: Arc<Self>, new: NewSession) -> Result<Session> {
        check_size(&self.options.limits, &new.argv, &new.env)?;
        let command_line = match (new.argv.is_empty(), new.kind) {
            (false, _) => new.argv,
            (true, Kind::Terminal) => vec![self.options.default_shell.clone(), "-i".into()],
            (true, kind) => return Err(InvalidArgs::EmptyArgv { kind }.into()),
        };
        let parent = match new.parent {
            Some(id) => Some(self.directory.get(id).ok_or(Error::NotFound { wanted: id.to_string() })?),
            None => None,
        };
        let id = self.directory.reserve(&new.name, new.kind)?;
        let names_id = |name: &OsString| (name.clone(), OsString::from(id.to_string()));
        let extra: Vec<_> = self.options.id_variables.iter().map(names_id).chain(new.env).collect();
        let shared = Arc::new(Shared::new(Birth {
            id,
            kind: new.kind,
            parent: new.parent,
            command: Command {
                argv: command_line,
                env: child_environment(&self.options.base_env, &new.env_unset, &extra, id),
                working_dir: new.working_dir,
            },
            owner: if matches!(new.origin, Origin::Agent(_)) { Owner::Orchestrator } else { Owner::User },
            size: new.size.clamped(),
            theme: self.options.theme.clone(),
            limits: self.options.limits.clone(),
            clock: self.options.clock.clone(),
            notices: self.notices.clone(),
            second_threads: self.second_threads.clone(),
            freed_memory: self.freed_memory.clone(),
        }));
        self.directory.fill(shared.clone());
        self.notices.tell(EngineEvent::Added(id));
        // From here on the end of its parent reaches the session and waits for its start, so the
        // parent is looked at once more: whichever comes second sees the other.
        let started = check_parent(parent.as_deref(), new.origin).inspect_err(|_| shared.fail_start());
        match started.and_then(|()| launch(&self, &shared)) {
            Ok(()) => Ok(Session::new(self, shared)),
            Err(error) => {
                self.forget(&shared);
                Err(error)
            }
        }
    }
}

fn check_parent(parent: Option<&Shared>, origin: Origin) -> Result<()> {
    let Some(parent) = parent else { return Ok(()) };
    let record = parent.record();
    if record.removing {
        return Err(Error::NotFound { wanted: parent.id.to_string() });
    }
    // A person may go on in a tab whose agent has ended; an agent that has ended starts nothing.
    if record.status.has_ended() && record.restarts == 0 && matches!(origin, Origin::Agent(_)) {
        return Err(Error::NotRunning { id: parent.id, status: record.status });
    }
    Ok(())
}

impl Drop for EngineInner {
    fn drop(&mut self) {
        for shared in self.directory.all() {
            let run = shared.record().run.clone();
            if let Some(run) = run {
                // Its I/O thread sees the end and goes.
                let _ = run.process.signal(Signal::KILL);
            }
        }
    }
}
