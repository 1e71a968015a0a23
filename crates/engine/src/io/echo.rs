//! Input whose sender waits for the answer: it reads the terminal itself for a moment, before it sleeps.
//!
//! Most programs answer a line within some ten microseconds. To wake the session's I/O thread, which then wakes
//! the waiting task, takes longer than that.

use std::time::{Duration, Instant};

use pty::ReadOutcome;

use crate::error::Result;
use crate::io::absorb::absorb;
use crate::io::run::ProgramRun;
use crate::session::Session;
use crate::session::input::{Input, SentInput};
use crate::session::shared::SessionShared;
use crate::session::status::Origin;

/// Long enough for a program that was asleep, short enough for a thread of the runtime that others wait for.
const PATIENCE: Duration = Duration::from_micros(100);
/// More than a program prints at once in answer to a line; the I/O thread reads what is left.
const BYTES: usize = 4 << 10;

impl Session {
    /// As [`Session::send`], for a sender that waits for what the program prints next. What it prints within a tenth of a
    /// millisecond is on the screen when this returns; the sender's thread is blocked for as long.
    pub fn send_for_answer(&self, input: Input, origin: Origin) -> Result<SentInput> {
        let sent = self.send(input, origin)?;
        if !sent.is_nothing()
            && let Ok(run) = self.shared().run()
        {
            read_echo(self.shared(), &run, sent.output_offset);
        }
        Ok(sent)
    }
}

/// `asked` is where the output ended before the input: the answer may have come before the terminal had taken all of it.
fn read_echo(shared: &SessionShared, run: &ProgramRun, asked: u64) {
    let until = Instant::now() + PATIENCE;
    // When the I/O thread was faster, all is well too.
    while shared.pulse.borrow().output_offset <= asked && Instant::now() < until {
        if read_once(shared, run) {
            return;
        }
        // The program may be waiting for this very processor.
        std::thread::yield_now();
    }
}

/// `false` when there was nothing to read yet.
fn read_once(shared: &SessionShared, run: &ProgramRun) -> bool {
    // The I/O thread is reading: it will publish what it finds.
    let Ok(reading) = run.reading.try_lock() else { return true };
    if reading.behind {
        return true;
    }
    let mut buffer = [0; BYTES];
    match run.pty.read(&mut buffer) {
        Ok(ReadOutcome::Bytes(count)) => absorb(shared, run, &buffer[..count]),
        Ok(ReadOutcome::WouldBlock) => return false,
        // The I/O thread finds the same, and knows what to do.
        Ok(ReadOutcome::Eof) | Err(_) => return true,
    }
    drop(reading);
    // For the late pulse, the look for ports and the deadline of an update.
    run.wake();
    true
}
