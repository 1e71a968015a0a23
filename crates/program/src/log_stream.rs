//! Standard error as a log that may lose lines but never blocks.

use std::{
    io::{self, Write},
    time::Duration,
};

/// Accepts every line and reports no error, because there is nowhere to report one. If the reader stops (a pager, a
/// terminal after Ctrl-S), lines are lost instead of blocking the threads that serve sessions.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogStream;

/// A pipe that polls as writable accepts this many bytes without blocking.
const WITHOUT_BLOCKING: usize = 4096;

impl Write for LogStream {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        // Locked from the poll to the write, so that no other line can use up the space in between.
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
