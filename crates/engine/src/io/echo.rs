//! Input whose sender waits for the response: the sender reads the terminal itself for a moment before it sleeps.
//!
//! Most programs respond to a line within some ten microseconds. Waking the session's I/O thread, which then wakes the
//! waiting task, takes longer.

use std::time::{Duration, Instant};

use pty::ReadOutcome;

use crate::error::Result;
use crate::io::absorb::absorb;
use crate::io::run::ProgramRun;
use crate::session::Session;
use crate::session::input::{Input, SentInput};
use crate::session::shared::SessionShared;
use crate::session::status::Origin;

/// Long enough for a program that has to be woken first, short enough for a shared runtime thread.
const PATIENCE: Duration = Duration::from_micros(100);
/// More than a program prints at once in response to a line; the I/O thread reads the rest.
const BYTES: usize = 4 << 10;

impl Session {
    /// Like [`Session::send`], for a sender that waits for the program's next output. Output within a tenth of a
    /// millisecond is on the screen when this returns; the sender's thread is blocked for that time.
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

/// `asked` is the end of the output before the input: the response may have come before the terminal accepted all of
/// it.
fn read_echo(shared: &SessionShared, run: &ProgramRun, asked: u64) {
    let until = Instant::now() + PATIENCE;
    // The I/O thread may be faster, with the same result.
    while shared.pulse.borrow().output_offset <= asked && Instant::now() < until {
        if read_once(shared, run) {
            return;
        }
        // The program may need this very processor.
        std::thread::yield_now();
    }
}

/// `false` if there was nothing to read yet.
fn read_once(shared: &SessionShared, run: &ProgramRun) -> bool {
    // The I/O thread is reading, and will publish the output.
    let Ok(reading) = run.reading.try_lock() else { return true };
    if reading.behind {
        return true;
    }
    let mut buffer = [0; BYTES];
    match run.pty.read(&mut buffer) {
        Ok(ReadOutcome::Bytes(count)) => absorb(shared, run, &buffer[..count]),
        Ok(ReadOutcome::WouldBlock) => return false,
        // The I/O thread sees the same, and handles it.
        Ok(ReadOutcome::Eof) | Err(_) => return true,
    }
    drop(reading);
    // The I/O thread handles the late pulse, the search for ports and the deadline of an update.
    run.wake();
    true
}
