//! Starts a session's program, for the first time or again.
//!
//! A start is claimed in the session's record and then done by a thread of the runtime that lives as long as the
//! engine: the kernel kills a program with the thread that started it (docs/decisions/0015).

use std::collections::HashSet;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Instant;

use pty::{Pid, PollWaker, SpawnError, SpawnRequest};

use super::environment::{check_size, child_environment};
use super::{blocking, to_the_end, unwrap_task};
use crate::engine::EngineInner;
use crate::error::{Error, InvalidArgs, Result};
use crate::io::io_thread;
use crate::io::run::ProgramRun;
use crate::notices::EngineEvent;
use crate::options::NewSession;
use crate::runtime::STARTS_AT_ONCE;
use crate::session::Session;
use crate::session::shared::{SessionBirth, SessionCommand, SessionShared};
use crate::session::status::{Kind, Origin, Owner, RunEnding, Status};

/// The result of a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartOutcome {
    Now,
    /// It was running, or being started by someone else.
    Already,
}

impl Session {
    /// Runs the same command again, on an empty screen.
    pub async fn start(&self) -> Result<StartOutcome> {
        let session = self.clone();
        to_the_end(async move { session.start_now().await }).await
    }

    pub(super) async fn start_now(&self) -> Result<StartOutcome> {
        let (engine, shared) = (self.engine().clone(), self.shared().clone());
        if !shared.claim_start()? {
            return Ok(StartOutcome::Already);
        }
        shared.publish_life();
        // Leftover processes of the last run would keep its ports and files.
        self.sweep(Instant::now()).await;
        let before = shared.clone();
        blocking(move || before.join_thread()).await;
        engine.clone().start_program(move || launch(&engine, &shared)).await?;
        Ok(StartOutcome::Now)
    }
}

impl EngineInner {
    /// Creates a session and starts its program. Blocks for some hundred microseconds.
    pub(crate) fn spawn_now(self: Arc<Self>, new: NewSession) -> Result<Session> {
        check_size(&self.options.limits, &new.argv, &new.env)?;
        let command_line = match (new.argv.is_empty(), new.kind) {
            (false, _) => new.argv,
            (true, Kind::Terminal) => vec![self.options.default_shell.clone(), "-i".into()],
            (true, kind) => return Err(InvalidArgs::EmptyArgv { kind }.into()),
        };
        let parent = match new.parent {
            Some(id) => Some(self.directory.get(id).ok_or(Error::no_session(id))?),
            None => None,
        };
        let id = self.directory.reserve(&new.name, new.kind)?;
        let names_id = |name: &OsString| (name.clone(), OsString::from(id.to_string()));
        let extra: Vec<_> = self.options.id_variables.iter().map(names_id).chain(new.env).collect();
        let shared = Arc::new(SessionShared::new(SessionBirth {
            id,
            kind: new.kind,
            parent: new.parent,
            command: SessionCommand {
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
            parser_threads: self.parser_threads.clone(),
            freed_memory: self.freed_memory.clone(),
        }));
        self.directory.fill(shared.clone());
        self.notices.tell(EngineEvent::Added(id));
        // From here on the end of its parent reaches the session and waits for its start. The parent is checked once
        // more: whichever comes second sees the other.
        let started = check_parent(parent.as_deref(), new.origin).inspect_err(|_| shared.fail_start());
        let begun = started.and_then(|()| match new.waits {
            true => {
                shared.put_off();
                Ok(())
            }
            false => launch(&self, &shared),
        });
        match begun {
            Ok(()) => Ok(Session::new(self, shared)),
            Err(error) => {
                self.forget(&shared);
                Err(error)
            }
        }
    }

    /// Waits for a free slot and runs `start` on one of the threads that may start programs. It runs to completion,
    /// even if the caller goes away.
    pub(crate) async fn start_program<T: Send + 'static>(
        self: Arc<Self>,
        start: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        let runtime = self.runtime.clone();
        let started = runtime.spawn(async move {
            // The semaphore is never closed.
            let _turn = self.starts.acquire().await;
            start()
        });
        unwrap_task(started.await).await
    }

    /// Runs `look` with the processes of all sessions while no start is in progress; `None` if one is.
    pub(crate) fn between_starts<T>(&self, look: impl FnOnce(HashSet<Pid>) -> T) -> Option<T> {
        let _turns = self.starts.try_acquire_many(u32::try_from(STARTS_AT_ONCE).expect("a small number")).ok()?;
        let all = self.directory.all();
        let own = all.iter().filter_map(|shared| Some(shared.record().process.as_ref()?.pid)).collect();
        Some(look(own))
    }
}

fn check_parent(parent: Option<&SessionShared>, origin: Origin) -> Result<()> {
    let Some(parent) = parent else { return Ok(()) };
    let record = parent.record();
    if record.removing {
        return Err(Error::no_session(parent.id));
    }
    // A person may continue in a tab whose agent has ended; an agent that has ended starts nothing.
    if record.status.has_ended() && record.restarts == 0 && matches!(origin, Origin::Agent(_)) {
        return Err(Error::NotRunning { id: parent.id, status: record.status });
    }
    Ok(())
}

impl SessionShared {
    /// `true` if the caller has claimed the start.
    fn claim_start(&self) -> Result<bool> {
        let mut record = self.record();
        if record.removing {
            return Err(Error::no_session(self.id));
        }
        let free = record.status.has_ended();
        if free {
            record.status = Status::Starting;
            record.runs += 1;
        }
        Ok(free)
    }

    /// The first start is left for later.
    fn put_off(&self) {
        {
            let mut record = self.record();
            record.status = Status::Stopped;
            record.runs = 0;
        }
        self.publish_life();
    }

    fn fail_start(&self) {
        {
            let mut record = self.record();
            record.status = Status::Errored;
            record.run = None;
            record.ending = Some(RunEnding { exit: None, at: self.clock.system_now() });
        }
        self.publish_life();
    }
}

/// Runs a claimed session's command. Blocks for some hundred microseconds, on a thread that may start programs.
fn launch(engine: &EngineInner, shared: &Arc<SessionShared>) -> Result<()> {
    let launched = try_launch(engine, shared);
    if launched.is_err() {
        shared.fail_start();
    }
    launched
}

fn try_launch(engine: &EngineInner, shared: &Arc<SessionShared>) -> Result<()> {
    // After the claim: an earlier shutdown is seen here, a later one waits for us.
    if engine.directory.is_closed() {
        return Err(Error::ShuttingDown);
    }
    let number = shared.record().runs;
    let size = {
        let mut screen = shared.screen.lock();
        if number > 1 {
            screen.begin_run();
        }
        screen.terminal.size()
    };
    let command = &shared.command;
    let (pty, child) = pty::spawn(SpawnRequest {
        argv: command.argv.clone(),
        env: command.env.clone(),
        working_dir: command.working_dir.clone(),
        size: pty::PtySize { cols: size.cols, rows: size.rows },
    })?;
    let waker = PollWaker::new().map_err(|source| SpawnError::TooManyFiles { source })?;
    let run = Arc::new(ProgramRun::new(number, pty, child, waker, shared.limits.input_queue));
    shared.note_output(shared.clock.now());
    {
        let mut record = shared.record();
        record.status = Status::Running;
        record.process = Some(run.process.clone());
        record.run = Some(run.clone());
        record.started_at = Some(shared.clock.system_now());
        record.ending = None;
        record.stop_asked = false;
    }
    // Before the thread starts: it may see the end of a short command at once.
    shared.publish_life();
    // A reader that sees the end of this run must find its thread in the record.
    let mut record = shared.record();
    record.thread =
        Some(io_thread::start(shared.clone(), run).map_err(|source| SpawnError::TooManyProcesses { source })?);
    Ok(())
}
