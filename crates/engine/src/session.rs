//! A handle to one session: what it is, and reading it. Sending is in `input`, waiting in `wait`,
//! starting and ending in `lifecycle`.

pub(crate) mod facts;
pub(crate) mod frames;
pub(crate) mod input;
pub(crate) mod ports;
pub(crate) mod pulse;
pub(crate) mod shared;
pub(crate) mod status;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use pty::{Pid, TtyFacts};
use tokio::sync::{broadcast, watch};
use vt::{Cursor, Line, Size, StatusRecord, Terminal};

use crate::clock::Clock;
use crate::engine::EngineInner;
use crate::error::{Error, LimitExceeded, Result};
use crate::fair_lock::lock;
use crate::io::ring::RawOutput;
use crate::io::tap::{self, Tap, TapOptions};
use crate::names::{SessionId, SessionName};
use crate::notices::EngineEvent;
use crate::session::facts::{ChildFacts, SeenValue, SessionEvent};
use crate::session::frames::{ChangedRows, FrameStream, VersionedFrame};
use crate::session::ports::SessionPort;
use crate::session::pulse::Pulse;
use crate::session::shared::SessionShared;
use crate::session::status::{Kind, Owner, RunEnding, Status};
use crate::text::plain_output::PlainOutput;

/// Cheap to clone. Stays readable after the session has ended, and even after it was removed.
#[derive(Clone, Debug)]
pub struct Session {
    engine: Arc<EngineInner>,
    shared: Arc<SessionShared>,
}

/// A session's state at one moment.
#[derive(Clone, Debug)]
pub struct SessionInfo {
    pub id: SessionId,
    /// `None` once the session has been removed.
    pub name: Option<SessionName>,
    pub kind: Kind,
    pub parent: Option<SessionId>,
    pub status: Status,
    pub ending: Option<RunEnding>,
    pub owner: Owner,
    pub argv: Vec<OsString>,
    pub working_dir: Option<PathBuf>,
    pub pid: Option<Pid>,
    pub created_at: SystemTime,
    pub started_at: Option<SystemTime>,
    pub idle: Duration,
    pub title: String,
    /// What the program says of its own work, least recently updated first.
    pub reports: Vec<AgedReport>,
    pub size: Size,
    pub cursor: Cursor,
    pub alternate_screen: bool,
    pub version: u64,
    pub output_offset: u64,
    /// See [`Session::pulse_listeners`].
    pub watchers: usize,
}

/// A status record of the session's program (OSC 7501), and how old it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgedReport {
    pub record: Arc<StatusRecord>,
    pub age: Duration,
}

/// The inputs of agent rules, all from one moment.
#[derive(Clone, Debug)]
pub struct SessionSurvey {
    pub version: u64,
    pub facts: ChildFacts,
    /// The visible grid, one row a line, trailing blanks trimmed.
    pub grid: String,
    pub size: Size,
    pub alternate_screen: bool,
}

/// A session's foreground job: the shell itself, or the program it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForegroundJob {
    pub group: Pid,
    /// Short name of the group's first process, if it is still running.
    pub command: Option<String>,
    pub working_dir: Option<PathBuf>,
}

/// Minimum capacity of a recording tap: a few reads' worth.
const MIN_TAP_BYTES: usize = 256 << 10;

impl Session {
    pub(crate) fn new(engine: Arc<EngineInner>, shared: Arc<SessionShared>) -> Self {
        Session { engine, shared }
    }

    pub(crate) fn shared(&self) -> &Arc<SessionShared> {
        &self.shared
    }

    pub(crate) fn engine(&self) -> &Arc<EngineInner> {
        &self.engine
    }

    pub fn id(&self) -> SessionId {
        self.shared.id
    }

    /// The pid of the last run's program, also after its end; `None` before the first run and after the session was
    /// removed.
    pub fn last_program(&self) -> Option<Pid> {
        self.shared.record().process.as_ref().map(|process| process.pid)
    }

    /// `None` once the session has been removed.
    pub fn name(&self) -> Option<SessionName> {
        self.engine.directory.name(self.shared.id)
    }

    pub fn rename(&self, name: SessionName) -> Result<()> {
        self.engine.directory.rename(self.shared.id, name)?;
        self.engine.notices.tell(EngineEvent::Renamed(self.shared.id));
        Ok(())
    }

    pub fn kind(&self) -> Kind {
        self.shared.kind
    }

    pub fn parent(&self) -> Option<SessionId> {
        self.shared.parent
    }

    pub fn status(&self) -> Status {
        self.shared.status()
    }

    pub fn info(&self) -> SessionInfo {
        let shared = &self.shared;
        let name = self.name();
        let screen = shared.screen.lock();
        let terminal = &screen.terminal;
        let title = terminal.title().to_owned();
        let reports = aged(&screen.facts.status_records, shared.clock.now());
        let (size, cursor, alternate_screen) = (terminal.size(), terminal.cursor(), terminal.alternate_screen());
        let (version, output_offset) = (screen.version(), screen.offset());
        // The screen lock must not be held while the record is locked.
        drop(screen);
        let record = shared.record();
        SessionInfo {
            id: shared.id,
            name,
            kind: shared.kind,
            parent: shared.parent,
            status: record.status,
            ending: record.ending,
            owner: record.owner,
            argv: shared.command.argv.clone(),
            working_dir: shared.command.working_dir.clone(),
            pid: record.run.as_ref().map(|run| run.process.pid),
            created_at: shared.created_at,
            started_at: record.started_at,
            idle: self.idle_for(),
            title,
            reports,
            size,
            cursor,
            alternate_screen,
            version,
            output_offset,
            watchers: self.pulse_listeners(),
        }
    }

    /// The engine's clock.
    pub fn clock(&self) -> &Clock {
        &self.shared.clock
    }

    /// The number of starts, including the current one; 0 while the first one is left for later.
    pub fn run_number(&self) -> u64 {
        self.shared.record().runs
    }

    /// The time of the last output, or of the run's start.
    pub fn last_output(&self) -> Instant {
        self.shared.last_output()
    }

    /// Time since the last output, or since the start if there was none.
    pub fn idle_for(&self) -> Duration {
        self.shared.clock.now().saturating_duration_since(self.shared.last_output())
    }

    /// Access to the screen under its lock: be quick, and take no other lock.
    pub fn with_screen<R>(&self, read: impl FnOnce(&mut Terminal) -> R) -> R {
        read(&mut self.shared.screen.lock().terminal)
    }

    /// Announces that a copy of this many bytes from this session is about to be freed, so that its pages are returned
    /// to the system.
    pub fn note_freed_soon(&self, bytes: usize) {
        self.shared.freed_memory.note(bytes);
    }

    /// The current frame. Unchanged rows are shared with the previous one.
    pub fn frame(&self) -> VersionedFrame {
        self.shared.screen.lock().frame()
    }

    /// The current frame, and the part above it of the line that its first row continues: in one step, since the child
    /// keeps printing.
    pub fn frame_with_open_line(&self) -> (VersionedFrame, Option<Line>) {
        let mut screen = self.shared.screen.lock();
        (screen.frame(), screen.terminal.open_line())
    }

    /// The current frame, and the rows that changed since `version`.
    pub fn rows_since(&self, version: u64) -> ChangedRows {
        self.shared.screen.lock().changed_rows(version)
    }

    /// The visible grid, one row a line, trailing blanks trimmed, and its version.
    pub fn grid_text(&self) -> (u64, String) {
        let mut text = String::new();
        let screen = self.shared.screen.lock();
        screen.terminal.grid_text(&mut text);
        (screen.version(), text)
    }

    /// The screen and the child's reports, read in one step.
    pub fn survey(&self) -> SessionSurvey {
        let mut grid = String::new();
        let screen = self.shared.screen.lock();
        screen.terminal.grid_text(&mut grid);
        SessionSurvey {
            version: screen.version(),
            facts: screen.facts.clone(),
            grid,
            size: screen.terminal.size(),
            alternate_screen: screen.terminal.alternate_screen(),
        }
    }

    /// At most `max` raw bytes starting at `since`.
    pub fn raw(&self, since: u64, max: usize) -> RawOutput {
        lock(&self.shared.ring).read(since, max)
    }

    /// At most `max` raw bytes starting at `since`, without their control sequences. A `max` of a few kilobytes always
    /// makes progress.
    pub fn plain(&self, since: u64, max: usize) -> PlainOutput {
        PlainOutput::of(&self.raw(since, max))
    }

    /// Where the raw output of the run of the moment begins, or of the last one.
    pub fn run_offset(&self) -> u64 {
        self.shared.screen.lock().run_offset()
    }

    pub fn output_offset(&self) -> u64 {
        lock(&self.shared.ring).end()
    }

    /// What the program says of its own work, least recently updated first.
    pub fn reports(&self) -> Vec<AgedReport> {
        aged(&self.shared.screen.lock().facts.status_records, self.shared.clock.now())
    }

    /// What the child has reported about itself.
    pub fn facts(&self) -> ChildFacts {
        self.shared.screen.lock().facts.clone()
    }

    /// Events from now on; a slow listener loses the oldest ones and is told.
    pub fn events(&self) -> broadcast::Receiver<SessionEvent> {
        self.shared.screen.lock().listen()
    }

    /// Changes whenever the session does.
    pub fn pulse(&self) -> watch::Receiver<Pulse> {
        self.shared.pulse.subscribe()
    }

    /// The same for observers that only watch: output is published up to 10 ms later, so that a key's echo is on the
    /// screen before they are woken.
    pub fn late_pulse(&self) -> watch::Receiver<Pulse> {
        self.shared.late_pulse.subscribe()
    }

    /// The number of listeners to the pulse: viewers and waits.
    pub fn pulse_listeners(&self) -> usize {
        self.shared.pulse.receiver_count()
    }

    /// Frames for a viewer, at the viewer's own rate.
    pub fn frames(&self) -> FrameStream {
        FrameStream::new(self.clone(), self.pulse())
    }

    /// Everything that this run prints from now on, starting with a keyframe.
    pub fn tap(&self, mut options: TapOptions) -> Result<Tap> {
        // Checked before and after: the tap would never end if the run ended in between.
        let run = self.shared.run()?;
        options.capacity = options.capacity.max(MIN_TAP_BYTES);
        let tap = {
            let mut screen = self.shared.screen.lock();
            let limit = self.shared.limits.taps;
            if screen.tap_count() >= limit {
                return Err(LimitExceeded::Taps { id: self.shared.id, limit }.into());
            }
            let (tap, sink) = tap::tap(options, screen.keyframe(self.shared.clock.now()));
            screen.add_tap(sink);
            tap
        };
        if self.shared.run()?.number != run.number {
            return Err(Error::NotRunning { id: self.shared.id, status: self.status() });
        }
        Ok(tap)
    }

    /// The present input settings of the child's terminal.
    pub fn tty_facts(&self) -> Result<TtyFacts> {
        let run = self.shared.run()?;
        run.pty.tty_facts().map_err(|source| self.internal("reading the terminal's modes", source))
    }

    /// The process group that reads the keyboard; `None` if there is none.
    pub fn foreground(&self) -> Result<Option<ForegroundJob>> {
        let group = self.shared.run()?.pty.foreground_group();
        Ok(group.map(|group| ForegroundJob {
            group,
            command: pty::processes::command_name(group),
            working_dir: pty::processes::working_dir(group),
        }))
    }

    /// The folder that the program itself is in now: where a shell was led to. `None` also where that can't be seen.
    pub fn program_folder(&self) -> Option<PathBuf> {
        pty::processes::working_dir(self.shared.run().ok()?.process.pid)
    }

    /// The files that the session's processes have open, where that can be seen. Reads the process table, which takes
    /// milliseconds on a busy host.
    pub fn open_files(&self) -> Vec<PathBuf> {
        let Ok(run) = self.shared.run() else { return Vec::new() };
        let all = std::iter::once(run.process.pid).chain(pty::processes::descendants(run.process.pid));
        all.flat_map(pty::processes::open_files).collect()
    }

    /// Clamped to valid sizes. The child is told.
    pub fn resize(&self, size: Size) -> Result<Size> {
        let run = match self.shared.run() {
            Ok(run) => Some(run),
            // What waits for its first start gets the size then.
            Err(_) if self.run_number() == 0 => None,
            Err(error) => return Err(error),
        };
        let size = size.clamped();
        let mut replies = Vec::new();
        let (version, offset, told) = {
            let mut screen = self.shared.screen.lock();
            if screen.terminal.size() != size {
                // The screen is resized first, before the child's output for the new size arrives. Both happen under
                // one lock, so that two resizes can't leave child and screen with different sizes.
                screen.resize(size, self.shared.clock.now(), &mut replies);
            }
            let pty_size = pty::PtySize { cols: size.cols, rows: size.rows };
            let told = run.as_ref().map_or(Ok(()), |run| run.pty.resize(pty_size));
            (screen.version(), screen.offset(), told)
        };
        self.shared.publish(version, offset);
        if let Some(run) = run.filter(|_| !replies.is_empty()) {
            // The in-band report; a child that does not read its input can't be told.
            let _ = run.type_bytes(&replies);
        }
        told.map_err(|source| self.internal("resizing the terminal", source))?;
        Ok(size)
    }

    pub fn set_theme(&self, theme: vt::Theme) {
        let mut replies = Vec::new();
        let (version, offset) = {
            let mut screen = self.shared.screen.lock();
            screen.set_theme(theme, self.shared.clock.now(), &mut replies);
            (screen.version(), screen.offset())
        };
        self.shared.publish(version, offset);
        if !replies.is_empty()
            && let Ok(run) = self.shared.run()
        {
            let _ = run.type_bytes(&replies);
        }
    }

    /// Ports that the session printed, and those that its processes listen on now.
    pub async fn ports(&self) -> Vec<SessionPort> {
        let shared = self.shared.clone();
        // Reads the process table, which takes milliseconds on a busy host.
        let listed = tokio::task::spawn_blocking(move || {
            shared.look_for_ports();
            let sighted = shared.screen.lock().sightings.found();
            let run = shared.record().run.clone();
            let listening = run.map(|run| listening_ports(run.process.pid)).unwrap_or_default();
            ports::merge(sighted, &listening, shared.clock.system_now())
        });
        listed.await.unwrap_or_default()
    }

    pub(crate) fn internal(&self, doing: &'static str, source: std::io::Error) -> Error {
        Error::Internal { id: self.shared.id, doing, source }
    }
}

fn aged(records: &[SeenValue<Arc<StatusRecord>>], now: Instant) -> Vec<AgedReport> {
    let aged = |seen: &SeenValue<Arc<StatusRecord>>| AgedReport {
        record: Arc::clone(&seen.value),
        age: now.saturating_duration_since(seen.at),
    };
    records.iter().map(aged).collect()
}

fn listening_ports(root: Pid) -> Vec<u16> {
    let mut pids = pty::processes::descendants(root);
    pids.push(root);
    let mut listening: Vec<u16> =
        pty::processes::listening_sockets(&pids).into_iter().map(|socket| socket.port).collect();
    listening.dedup();
    listening
}
