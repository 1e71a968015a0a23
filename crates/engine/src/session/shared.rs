//! The state of one session, shared by its handles and its I/O thread.
//!
//! Each lock guards one thing, is held for microseconds, and is never taken while another one is held, except for the
//! read lock of the terminal, which comes before all others.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::watch;

use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::fair_lock::{FairMutex, lock};
use crate::io::freed_memory::FreedMemory;
use crate::io::parser_thread::ParserSlots;
use crate::io::ring::Ring;
use crate::io::run::{ProgramRun, RunProcess};
use crate::io::screen::SessionScreen;
use crate::names::SessionId;
use crate::notices::NoticeBus;
use crate::options::EngineLimits;
use crate::session::facts::SessionEvent;
use crate::session::pulse::{LifePulse, Pulse};
use crate::session::status::{ExitStatus, Kind, Owner, RunEnding, Status};

#[derive(Debug)]
pub(crate) struct SessionShared {
    pub(crate) id: SessionId,
    pub(crate) kind: Kind,
    pub(crate) parent: Option<SessionId>,
    pub(crate) created_at: SystemTime,
    pub(crate) command: SessionCommand,
    pub(crate) limits: EngineLimits,
    pub(crate) clock: Clock,
    record: Mutex<SessionRecord>,
    pub(crate) screen: FairMutex<SessionScreen>,
    pub(crate) ring: Mutex<Ring>,
    pub(crate) pulse: watch::Sender<Pulse>,
    /// The same for observers off the echo path: output is published up to 10 ms late, so that waking them does not
    /// delay the viewer that draws it.
    pub(crate) late_pulse: watch::Sender<Pulse>,
    pub(crate) life: watch::Sender<LifePulse>,
    /// Microseconds after `born`.
    last_output: AtomicU64,
    born: Instant,
    pub(crate) notices: NoticeBus,
    pub(crate) parser_threads: ParserSlots,
    pub(crate) freed_memory: FreedMemory,
}

/// What a session runs at each start.
pub(crate) struct SessionCommand {
    pub(crate) argv: Vec<OsString>,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) working_dir: Option<PathBuf>,
}

impl std::fmt::Debug for SessionCommand {
    /// Omits the environment: its values are never printed.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Command")
            .field("argv", &self.argv)
            .field("working_dir", &self.working_dir)
            .finish_non_exhaustive()
    }
}

#[derive(Debug)]
pub(crate) struct SessionRecord {
    pub(crate) status: Status,
    /// The number of starts, including the current one.
    pub(crate) runs: u64,
    pub(crate) started_at: Option<SystemTime>,
    pub(crate) ending: Option<RunEnding>,
    /// Present while something runs.
    pub(crate) run: Option<Arc<ProgramRun>>,
    /// The last run's process, also after its end.
    pub(crate) process: Option<Arc<RunProcess>>,
    pub(crate) thread: Option<JoinHandle<()>>,
    /// The end of this run was requested.
    pub(crate) stop_asked: bool,
    /// Restarts in progress: the end of this run is not the end of the session.
    pub(crate) restarts: usize,
    pub(crate) removing: bool,
    pub(crate) owner: Owner,
}

/// The parameters of [`SessionShared::new`].
#[derive(Debug)]
pub(crate) struct SessionBirth {
    pub(crate) id: SessionId,
    pub(crate) kind: Kind,
    pub(crate) parent: Option<SessionId>,
    pub(crate) command: SessionCommand,
    pub(crate) owner: Owner,
    pub(crate) size: vt::Size,
    pub(crate) theme: vt::Theme,
    pub(crate) limits: EngineLimits,
    pub(crate) clock: Clock,
    pub(crate) notices: NoticeBus,
    pub(crate) parser_threads: ParserSlots,
    pub(crate) freed_memory: FreedMemory,
}

impl SessionShared {
    pub(crate) fn new(birth: SessionBirth) -> Self {
        let SessionBirth {
            id,
            kind,
            parent,
            command,
            owner,
            size,
            theme,
            limits,
            clock,
            notices,
            parser_threads,
            freed_memory,
        } = birth;
        let screen = SessionScreen::new(vt::TerminalOptions {
            size,
            theme,
            history_lines: limits.history_lines,
            history_bytes: limits.history_bytes,
            ..vt::TerminalOptions::default()
        });
        let status = Status::Starting;
        let pulse = Pulse { version: 0, output_offset: 0, status, removed: false };
        SessionShared {
            id,
            kind,
            parent,
            created_at: clock.system_now(),
            command,
            record: Mutex::new(SessionRecord {
                status,
                runs: 1,
                started_at: None,
                ending: None,
                run: None,
                process: None,
                thread: None,
                stop_asked: false,
                restarts: 0,
                removing: false,
                owner,
            }),
            screen: FairMutex::new(screen),
            ring: Mutex::new(Ring::new(limits.ring)),
            pulse: watch::Sender::new(pulse),
            late_pulse: watch::Sender::new(pulse),
            life: watch::Sender::new(LifePulse { status, run: 1, removed: false }),
            last_output: AtomicU64::new(0),
            born: clock.now(),
            limits,
            clock,
            notices,
            parser_threads,
            freed_memory,
        }
    }

    pub(crate) fn record(&self) -> MutexGuard<'_, SessionRecord> {
        lock(&self.record)
    }

    pub(crate) fn status(&self) -> Status {
        self.record().status
    }

    /// The current run, or an error if there is none.
    pub(crate) fn run(&self) -> Result<Arc<ProgramRun>> {
        let record = self.record();
        record.run.clone().ok_or(Error::NotRunning { id: self.id, status: record.status })
    }

    /// The child printed something. There is one value for all readers; busy ones see only the last.
    /// [`SessionShared::publish_late`] must follow.
    pub(crate) fn publish_output(&self, version: u64, output_offset: u64) {
        self.pulse.send_modify(|pulse| {
            pulse.version = pulse.version.max(version);
            pulse.output_offset = pulse.output_offset.max(output_offset);
        });
    }

    pub(crate) fn publish_late(&self) {
        let newest = *self.pulse.borrow();
        self.late_pulse.send_if_modified(|known| std::mem::replace(known, newest) != newest);
    }

    /// The screen changed for a reason other than output.
    pub(crate) fn publish(&self, version: u64, output_offset: u64) {
        self.publish_output(version, output_offset);
        self.publish_late();
    }

    /// Publishes the session's lifecycle. Called right after the record changed, without its lock.
    pub(crate) fn publish_life(&self) {
        let (status, run) = {
            let record = self.record();
            (record.status, record.runs)
        };
        // Events first: a listener that reacts to the end of a wait finds them in order.
        if self.life.borrow().status != status {
            self.screen.lock().tell(SessionEvent::Status(status));
            self.notices.status(self.id, status);
        }
        self.pulse.send_modify(|pulse| pulse.status = status);
        self.publish_late();
        self.life.send_modify(|life| {
            life.status = status;
            life.run = run;
        });
    }

    pub(crate) fn publish_removal(&self) {
        self.life.send_modify(|life| life.removed = true);
        self.pulse.send_modify(|pulse| pulse.removed = true);
        self.publish_late();
    }

    pub(crate) fn note_output(&self, now: Instant) {
        let micros = now.saturating_duration_since(self.born).as_micros();
        self.last_output.store(u64::try_from(micros).unwrap_or(u64::MAX), Ordering::Release);
    }

    pub(crate) fn last_output(&self) -> Instant {
        self.born + Duration::from_micros(self.last_output.load(Ordering::Acquire))
    }

    /// Searches lines not checked yet, releasing the screen after each few. Lines printed meanwhile are left for the
    /// next time: a flood can't prolong the search.
    pub(crate) fn look_for_ports(&self) {
        let now = self.clock.system_now();
        let (mut at, stop) = {
            let SessionScreen { terminal, sightings, .. } = &mut *self.screen.lock();
            if terminal.alternate_screen() {
                sightings.look_at_grid(terminal, now);
            }
            (sightings.start(terminal), terminal.lines().end)
        };
        while at < stop {
            let SessionScreen { terminal, sightings, .. } = &mut *self.screen.lock();
            at = sightings.look(terminal, at, now).max(at + 1);
        }
    }

    /// Ends a run; the last thing that its I/O thread does.
    pub(crate) fn finish_run(&self, run: &ProgramRun, exit: Option<ExitStatus>) {
        let now = self.clock.now();
        let (version, offset) = {
            let mut screen = self.screen.lock();
            screen.finish(exit, now);
            (screen.version(), screen.offset())
        };
        // Readers woken by the status must find the last output published.
        self.publish(version, offset);
        let goes_on = {
            let mut record = self.record();
            debug_assert_eq!(record.runs, run.number);
            record.status = if record.stop_asked { Status::Stopped } else { Status::Exited };
            record.ending = Some(RunEnding { exit, at: self.clock.system_now() });
            record.run = None;
            record.restarts > 0
        };
        self.publish_life();
        if !goes_on {
            self.notices.ended(self.id);
        }
    }
}

impl Drop for SessionShared {
    fn drop(&mut self) {
        let history = self.screen.lock().terminal.history_bytes();
        let ring = lock(&self.ring).bytes();
        self.freed_memory.note(history + ring);
    }
}
