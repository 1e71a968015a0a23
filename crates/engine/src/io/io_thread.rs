//! The thread that moves one session's bytes.
//!
//! It sleeps in `poll` on the terminal, the process and its waker, with a timeout only while there is a deadline: an
//! idle session costs no wake-ups. Each iteration reads a bounded amount and then writes queued input, so that a child
//! can't delay its own input or this thread's other duties, and long input can't outrun its echo.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use pty::{PollFd, PollFlags, ReadOutcome, Signal};

use crate::clock::ClockAlarm;
use crate::fair_lock::lock;
use crate::io::absorb::{absorb, expire_update};
use crate::io::parser_thread::{FloodGauge, ParserThread};
use crate::io::run::ProgramRun;
use crate::session::shared::SessionShared;
use crate::session::status::ExitStatus;

/// Enough for the state machine with a wide margin; most of it is never touched.
const STACK_BYTES: usize = 256 << 10;
/// Maximum bytes read per iteration.
const TURN_BYTES: usize = 64 << 10;
/// How long a dead child's terminal is drained while another process keeps it open.
const DRAIN_LIMIT: Duration = Duration::from_millis(200);
/// No process has the terminal open. Nothing announces that one opens it again, so it is polled.
const REOPEN_CHECK: Duration = Duration::from_secs(1);
/// Output is searched for ports after it has paused for this long.
const PORT_LOOK_DELAY: Duration = Duration::from_millis(100);
/// Delay of the late pulse. Real time, since it only affects when observers look, not what they see.
const LATE: Duration = Duration::from_millis(10);
/// A shorter read has almost certainly emptied the terminal: another read would delay an echo.
const SHORT_READ: usize = 256;
/// A parser thread is ended after being idle for this long.
const PARSER_THREAD_LIMIT: Duration = Duration::from_secs(1);

pub(crate) fn start(shared: Arc<SessionShared>, run: Arc<ProgramRun>) -> io::Result<JoinHandle<()>> {
    let builder = std::thread::Builder::new().name(format!("io-{}", shared.id)).stack_size(STACK_BYTES);
    builder.spawn(move || {
        let exit = match catch_unwind(AssertUnwindSafe(|| IoThread::new(&shared, &run).turns())) {
            Ok(exit) => exit,
            // A bug of ours in handling this child's bytes ends only this session.
            Err(_) => {
                let _ = run.process.signal(Signal::KILL);
                run.process.child_mut().wait().ok()
            }
        };
        shared.finish_run(&run, exit);
    })
}

struct IoThread<'a> {
    shared: &'a Arc<SessionShared>,
    run: &'a Arc<ProgramRun>,
    buffer: Vec<u8>,
    gauge: FloodGauge,
    /// Present while the child floods.
    parser: Option<ParserThread>,
    parser_until: Option<Instant>,
    /// No process has the terminal open; check again at this time.
    reopen_check: Option<Instant>,
    /// The child has exited; its last output is still being read.
    drain: Option<Drain>,
    port_look_due: Option<Instant>,
    late_pulse_due: Option<Instant>,
    /// The output up to which the late pulse and the search for ports are done.
    noted_offset: u64,
    /// Interrupts the sleep when a fake clock moves.
    _alarm: Option<Arc<ClockAlarm>>,
}

#[derive(Clone, Copy)]
struct Drain {
    exit: ExitStatus,
    until: Instant,
}

#[derive(Default)]
struct Ready {
    readable: bool,
    exited: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TerminalPhase {
    Open,
    Closed,
}

impl<'a> IoThread<'a> {
    fn new(shared: &'a Arc<SessionShared>, run: &'a Arc<ProgramRun>) -> Self {
        let alarm = shared.clock.on_move({
            let run = Arc::downgrade(run);
            move || {
                if let Some(run) = run.upgrade() {
                    run.wake();
                }
            }
        });
        IoThread {
            shared,
            run,
            buffer: vec![0; TURN_BYTES],
            gauge: FloodGauge::new(Instant::now()),
            parser: None,
            parser_until: None,
            reopen_check: None,
            drain: None,
            port_look_due: None,
            late_pulse_due: None,
            noted_offset: 0,
            _alarm: alarm,
        }
    }

    /// Runs until the child has ended and its output has been read.
    fn turns(&mut self) -> Option<ExitStatus> {
        loop {
            let ready = self.sleep();
            if self.run.is_abandoned() {
                return None;
            }
            self.note_echo();
            let terminal = if ready.readable { self.read() } else { TerminalPhase::Open };
            self.run.flush();
            self.keep_deadlines();
            if ready.exited && self.drain.is_none() {
                let exit = self.run.process.child_mut().try_wait().ok().flatten();
                self.drain = exit.map(|exit| Drain { exit, until: Instant::now() + DRAIN_LIMIT });
            } else if let Some(Drain { exit, until }) = self.drain
                && (terminal == TerminalPhase::Closed || Instant::now() >= until)
            {
                self.end_parser_thread();
                self.look_for_ports();
                return Some(exit);
            }
            self.reopen_check = match terminal {
                TerminalPhase::Closed => Some(Instant::now() + REOPEN_CHECK),
                TerminalPhase::Open if ready.readable => None,
                TerminalPhase::Open => self.reopen_check,
            };
        }
    }

    /// Waits for something to do.
    fn sleep(&self) -> Ready {
        let timeout = self.timeout();
        let child = self.run.process.child();
        let mut fds = vec![PollFd::new(&self.run.waker, PollFlags::IN)];
        // After the exit the process descriptor stays readable, and a terminal that no process has open stays "hung
        // up": polling either would never sleep.
        let watch_exit = self.drain.is_none();
        if watch_exit {
            fds.push(PollFd::from_borrowed_fd(child.exit_fd(), PollFlags::IN));
        }
        let watch_terminal = self.reopen_check.is_none() || self.drain.is_some();
        if watch_terminal {
            let write = if self.run.has_input() { PollFlags::OUT } else { PollFlags::empty() };
            fds.push(PollFd::new(&self.run.pty, PollFlags::IN | write));
        }
        // It fails only if memory is short; then this iteration checks everything.
        let failed = pty::poll(&mut fds, timeout).is_err();
        let mut happened = fds.iter().map(|fd| failed || !fd.revents().is_empty());
        if happened.next() == Some(true) {
            let _ = self.run.waker.drain();
        }
        let exited = watch_exit && happened.next() == Some(true);
        let readable = if watch_terminal {
            failed
                || fds.last().is_some_and(|fd| fd.revents().intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR))
        } else {
            // Woken for some other reason: checking costs one system call.
            true
        };
        Ready { readable, exited }
    }

    /// `None` while there is no deadline.
    fn timeout(&self) -> Option<Duration> {
        let clock = &self.shared.clock;
        let by_clock = [self.run.update_due(), self.port_look_due].into_iter().flatten();
        let by_clock = by_clock.filter_map(|due| clock.blocking_timeout(due));
        let real =
            [self.drain.as_ref().map(|drain| drain.until), self.reopen_check, self.parser_until, self.late_pulse_due];
        let real = real.into_iter().flatten();
        let real = real.map(|due| due.saturating_duration_since(Instant::now()));
        by_clock.chain(real).min()
    }

    fn read(&mut self) -> TerminalPhase {
        let run = self.run;
        let mut reading = lock(&run.reading);
        let mut filled = 0;
        let mut terminal = TerminalPhase::Open;
        while filled < TURN_BYTES {
            match self.run.pty.read(&mut self.buffer[filled..]) {
                Ok(ReadOutcome::Bytes(count)) => {
                    filled += count;
                    if count < SHORT_READ {
                        break;
                    }
                }
                Ok(ReadOutcome::WouldBlock) => break,
                Ok(ReadOutcome::Eof) | Err(_) => {
                    terminal = TerminalPhase::Closed;
                    break;
                }
            }
        }
        if filled > 0 {
            self.take_turn(filled);
            self.note_output();
        }
        reading.behind = self.parser.is_some();
        terminal
    }

    /// A sender may have read the echo itself (`echo.rs`) and woken this thread for the follow-up work.
    fn note_echo(&mut self) {
        let published = self.shared.pulse.borrow().output_offset;
        if std::mem::replace(&mut self.noted_offset, published) != published {
            self.note_output();
        }
    }

    /// Schedules the follow-up work of output.
    fn note_output(&mut self) {
        self.port_look_due = Some(self.shared.clock.now() + PORT_LOOK_DELAY);
        // An observer that starts after this check finds the output on the screen.
        if self.late_pulse_due.is_none() && self.shared.late_pulse.receiver_count() > 0 {
            self.late_pulse_due = Some(Instant::now() + LATE);
        }
    }

    /// The first `count` bytes of the buffer are new output.
    fn take_turn(&mut self, count: usize) {
        let bytes = &self.buffer[..count];
        let flood = self.gauge.count_read(count, Instant::now());
        if flood && self.parser.is_none() {
            self.parser = ParserThread::start(self.shared, self.run, STACK_BYTES);
        }
        match &self.parser {
            // Queued behind output that is not parsed yet, or parsed while reading continues.
            Some(parser) if flood || !parser.is_idle() => {
                parser.hand_over(bytes);
                self.parser_until = Some(Instant::now() + PARSER_THREAD_LIMIT);
            }
            _ => absorb(self.shared, self.run, bytes),
        }
    }

    fn end_parser_thread(&mut self) {
        self.parser_until = None;
        if let Some(parser) = self.parser.take() {
            parser.finish();
        }
        lock(&self.run.reading).behind = false;
    }

    fn keep_deadlines(&mut self) {
        let now = self.shared.clock.now();
        if self.run.update_due().is_some_and(|due| due <= now) {
            expire_update(self.shared, self.run, now);
        }
        if self.port_look_due.is_some_and(|due| due <= now) {
            self.look_for_ports();
        }
        if self.late_pulse_due.is_some_and(|due| due <= Instant::now()) {
            // Output that the parser thread has not parsed yet is published next time. Checked first, since the thread
            // keeps running.
            let behind = self.parser.as_ref().is_some_and(|parser| !parser.is_idle());
            self.shared.publish_late();
            self.late_pulse_due = behind.then(|| Instant::now() + LATE);
        }
        if self.parser_until.is_some_and(|until| until <= Instant::now()) {
            self.end_parser_thread();
        }
    }

    fn look_for_ports(&mut self) {
        self.port_look_due = None;
        self.shared.look_for_ports();
    }
}
