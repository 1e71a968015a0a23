//! Standard error as the place of a log that may go missing, and does nothing worse.

use std::{
    io::{self, Write},
    time::Duration,
};

/// Takes every line and reports no failure: there is nowhere else to complain. A reader that stopped reading, as a
/// paged pipe or a terminal after Ctrl-S does, loses lines instead of stopping the threads that serve sessions.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogStream;

/// A pipe that says it can be written to takes this much without blocking.
const WITHOUT_BLOCKING: usize = 4096;

impl Write for LogStream {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        // Held over look and write, so that no other line takes the room in between.
        let mut stderr = io::stderr().lock();
        for piece in line.chunks(WITHOUT_BLOCKING) {
            let mut ready = [pty::PollFd::new(&stderr, pty::PollFlags::OUT)];
            let room = pty::poll(&mut ready, Some(Duration::ZERO)).is_ok_and(|ready| ready > 0);
            if !room || stderr.write_all(piece).is_err() {
                break;
            }
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
