//! Joins this process's standard input and output to a server's socket, byte by byte, without threads or a runtime: one
//! such process runs beside every agent, so it is kept small.
//!
//! [`pump`](crate::pump()) does the same inside a program that has a runtime already.

use std::{
    io,
    os::{
        fd::{AsFd, BorrowedFd},
        unix::net::UnixStream,
    },
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};

use crate::pump::{PumpEnd, PumpError};

/// How long the server may take to write its last answers after the client has closed its side.
const LAST_ANSWERS: Duration = Duration::from_secs(1);
/// Bytes per read, and the maximum buffered in each direction.
const BUFFER: usize = 32 * 1024;
/// A write of this size does not block once the pipe or socket polls writable, although the descriptors are in blocking
/// mode. The mode is shared with the process that started us, so we don't change it.
const WRITE: usize = 4096;

/// Buffered bytes of one direction.
struct RelayDirection {
    bytes: Box<[u8; BUFFER]>,
    from: usize,
    to: usize,
    /// The reading side is at its end.
    ended: bool,
}

impl RelayDirection {
    fn new() -> Self {
        RelayDirection { bytes: Box::new([0; BUFFER]), from: 0, to: 0, ended: false }
    }

    fn with(first: &[u8]) -> Self {
        let mut way = RelayDirection::new();
        way.bytes[..first.len()].copy_from_slice(first);
        way.to = first.len();
        way
    }

    fn is_empty(&self) -> bool {
        self.from == self.to
    }

    fn read(&mut self, fd: BorrowedFd<'_>) -> io::Result<()> {
        match rustix::io::read(fd, &mut self.bytes[..]) {
            Ok(0) => self.ended = true,
            Ok(length) => (self.from, self.to) = (0, length),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    fn write(&mut self, fd: BorrowedFd<'_>) -> io::Result<()> {
        let until = self.to.min(self.from + WRITE);
        match rustix::io::write(fd, &self.bytes[self.from..until]) {
            Ok(length) => self.from += length,
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

/// Sends `first` and then relays until one side closes. If the server closes, the relay ends at once; if the client
/// closes, answers get a moment to arrive.
///
/// # Panics
///
/// When `first` is longer than a buffer.
pub fn relay(input: impl AsFd, output: impl AsFd, socket: &UnixStream, first: &[u8]) -> Result<PumpEnd, PumpError> {
    let (input, output) = (input.as_fd(), output.as_fd());
    let (mut up, mut down) = (RelayDirection::with(first), RelayDirection::new());
    let mut client_ended: Option<Instant> = None;
    let mut told_server = false;
    loop {
        if down.ended && down.is_empty() {
            return Ok(if client_ended.is_some() { PumpEnd::Client } else { PumpEnd::Server });
        }
        if client_ended.is_some() && up.is_empty() && !told_server {
            told_server = true;
            // If the server is already gone, reading from it will tell.
            let _ = socket.shutdown(std::net::Shutdown::Write);
        }
        let left = client_ended.map(|at| LAST_ANSWERS.saturating_sub(at.elapsed()));
        if left.is_some_and(|left| left.is_zero()) {
            return Ok(PumpEnd::Client);
        }
        let read_input = !up.ended && up.is_empty();
        let read_socket = !down.ended && down.is_empty();
        let flag = |wanted, flag| if wanted { flag } else { PollFlags::empty() };
        let of_socket = flag(read_socket, PollFlags::IN) | flag(!up.is_empty(), PollFlags::OUT);
        // The output is polled even when there is nothing to write, since only this reports that its reader has closed.
        // The others are polled only when needed: after their end they would be ready all the time.
        let mut polled = vec![PollFd::from_borrowed_fd(output, flag(!down.is_empty(), PollFlags::OUT))];
        if !of_socket.is_empty() {
            polled.push(PollFd::new(socket, of_socket));
        }
        if read_input {
            polled.push(PollFd::from_borrowed_fd(input, PollFlags::IN));
        }
        let timeout = left.map(|left| Timespec::try_from(left).expect("a second fits"));
        match poll(&mut polled, timeout.as_ref()) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(error) => return Err(PumpError::Client(error.into())),
        }
        let seen_output = polled[0].revents();
        let seen_socket = if of_socket.is_empty() { PollFlags::empty() } else { polled[1].revents() };
        let seen_input = if read_input { polled[polled.len() - 1].revents() } else { PollFlags::empty() };
        let gone = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
        if seen_output.intersects(gone) {
            return Err(PumpError::Client(io::ErrorKind::BrokenPipe.into()));
        }
        if seen_output.contains(PollFlags::OUT) {
            down.write(output).map_err(PumpError::Client)?;
        }
        if seen_socket.intersects(PollFlags::IN | gone) && read_socket {
            match down.read(socket.as_fd()) {
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => down.ended = true,
                read => read.map_err(PumpError::Server)?,
            }
        }
        if seen_socket.intersects(PollFlags::OUT | gone) && !up.is_empty() {
            match up.write(socket.as_fd()) {
                // The server closed the connection; what it wrote before is still read.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => (up.from, up.ended) = (up.to, true),
                written => written.map_err(PumpError::Server)?,
            }
        }
        if !seen_input.is_empty() {
            up.read(input).map_err(PumpError::Client)?;
            if up.ended {
                client_ended = Some(Instant::now());
            }
        }
    }
}
