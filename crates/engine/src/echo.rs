//! Catching an echo: whoever has typed looks for the answer for a moment, before it sleeps.
//!
//! Most programs answer a line within some ten microseconds, and to wake the session's own thread, which then wakes
//! whoever waits for it, takes longer than that.

use std::time::{Duration, Instant};

use pty::ReadOutcome;

use crate::absorb::absorb;
use crate::run::Run;
use crate::session::Session;
use crate::shared::Shared;

/// Long enough for a program that was asleep, short enough for a thread that others wait for.
const PATIENCE: Duration = Duration::from_micros(100);
/// More than a program prints at once in answer to a line; what is left is read by the session's thread.
const BYTES: usize = 4 << 10;

impl Session {
    /// Takes what the child prints in answer to input that was just sent, when it had printed `since`
    /// ([`Sent::output_offset`](crate::Sent::output_offset)): the answer may have come before the terminal had taken all of
    /// the question. Tells whether there is one. Blocks for a tenth of a millisecond at most.
    pub fn catch_echo(&self, since: u64) -> bool {
        let shared = self.shared();
        let Ok(run) = shared.run() else { return false };
        let until = Instant::now() + PATIENCE;
        let unanswered = || shared.pulse.borrow().output_offset <= since;
        // As soon as the session's thread has it, all is well too.
        while unanswered() && Instant::now() < until {
            if take(shared, &run) {
                break;
            }
            // The program may be waiting for this very processor.
            std::thread::yield_now();
        }
        !unanswered()
    }
}

/// `false` when there was nothing to take.
fn take(shared: &Shared, run: &Run) -> bool {
    let Ok(reading) = run.reading.try_lock() else { return true };
    if reading.behind {
        return true;
    }
    let mut buffer = [0; BYTES];
    match run.pty.read(&mut buffer) {
        Ok(ReadOutcome::Bytes(count)) => absorb(shared, run, &buffer[..count]),
        Ok(ReadOutcome::WouldBlock) => return false,
        // The session's thread finds the same, and knows what to do.
        Ok(ReadOutcome::Eof) | Err(_) => return true,
    }
    drop(reading);
    run.note_caught();
    true
}
