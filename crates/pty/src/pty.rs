//! The master side of a pseudo-terminal.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::termios::{InputModes, LocalModes, OptionalActions, Termios, Winsize};

use crate::{Pid, Signal};

/// Columns and rows of a terminal, in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PtySize {
    pub cols: u16,
    pub rows: u16,
}

/// The result of one read of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadOutcome {
    /// So many bytes are at the start of the buffer; never 0.
    Bytes(usize),
    /// Nothing to read now.
    WouldBlock,
    /// No process has the terminal open any more, and everything it printed has been read. From now on a poll would
    /// always be ready: leave the terminal out of it. A background grandchild can delay this long after the child's
    /// exit: decide exits by [`ChildProcess`](crate::ChildProcess), never by this.
    Eof,
}

/// The terminal's present input settings, as the programs in it have set them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TtyFacts {
    /// Canonical mode: input is delivered by the line; a line beyond 4,095 bytes (1,023 on macOS) is cut.
    pub canonical: bool,
    /// Typed input is echoed; off at a password prompt, and in programs that echo by themselves.
    pub echo: bool,
    /// Ctrl-C, Ctrl-\ and Ctrl-Z become signals.
    pub signals: bool,
}

impl TtyFacts {
    /// Whether the terminal reads lines without echo, as `getpass`, `sudo` and `ssh` do for passwords. Programs that
    /// read single keys turn echo off too, as shells do, but not line mode.
    pub fn hides_a_line(self) -> bool {
        self.canonical && !self.echo
    }
}

/// The master side of a pseudo-terminal: non-blocking, and close-on-exec from its first instant.
/// Dropping it hangs the terminal up: its processes get `SIGHUP`.
#[derive(Debug)]
pub struct Pty {
    master: OwnedFd,
}

impl Pty {
    /// Opens a new terminal of this size, and its slave side for the child. The slave's descriptor is above 2, so that
    /// it can be duplicated onto 0, 1 and 2 even when this process runs without stdio.
    pub(crate) fn open(size: PtySize) -> io::Result<(Self, OwnedFd)> {
        let (master, slave) = open_pair()?;
        let pty = Self { master };
        pty.resize(size)?;
        let mut termios = rustix::termios::tcgetattr(&slave)?;
        make_sane(&mut termios);
        rustix::termios::tcsetattr(&slave, OptionalActions::Now, &termios)?;
        let flags = rustix::fs::fcntl_getfl(&pty.master)?;
        rustix::fs::fcntl_setfl(&pty.master, flags | rustix::fs::OFlags::NONBLOCK)?;
        let slave = rustix::io::fcntl_dupfd_cloexec(slave, 3)?;
        Ok((pty, slave))
    }

    /// Reads what the terminal printed, at most `buf.len()` bytes.
    pub fn read(&self, buf: &mut [u8]) -> io::Result<ReadOutcome> {
        // The kernel would return 0, which also means the end.
        if buf.is_empty() {
            return Ok(ReadOutcome::WouldBlock);
        }
        loop {
            return match rustix::io::read(&self.master, &mut *buf) {
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => Ok(ReadOutcome::WouldBlock),
                // Linux returns EIO for a terminal that no process has open.
                Ok(0) | Err(Errno::IO) => Ok(ReadOutcome::Eof),
                Ok(count) => Ok(ReadOutcome::Bytes(count)),
                Err(other) => Err(other.into()),
            };
        }
    }

    /// Types `bytes`; returns how many were accepted, 0 if the terminal has no room now. A terminal that no process has
    /// open accepts a few kilobytes and then never has room again: its end shows in [`Pty::read`] only.
    pub fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            return match rustix::io::write(&self.master, bytes) {
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => Ok(0),
                other => Ok(other?),
            };
        }
    }

    /// Sets the terminal's size; the foreground processes get `SIGWINCH` if it differs.
    pub fn resize(&self, size: PtySize) -> io::Result<()> {
        let winsize = Winsize { ws_col: size.cols, ws_row: size.rows, ws_xpixel: 0, ws_ypixel: 0 };
        Ok(rustix::termios::tcsetwinsize(&self.master, winsize)?)
    }

    /// The process group that reads the keyboard now; `None` if there is none.
    pub fn foreground_group(&self) -> Option<Pid> {
        rustix::termios::tcgetpgrp(&self.master).ok().map(Pid::from)
    }

    /// Signals the foreground process group, which reads the keyboard. `NotFound` if there is none left.
    ///
    /// The terminal keeps its foreground group's number even after the group's last process is gone, and the number may
    /// have been reused by then. So the group is signalled only while one of its processes belongs to this terminal's
    /// session.
    pub fn signal_foreground(&self, signal: Signal) -> io::Result<()> {
        let nobody = || io::Error::from(io::ErrorKind::NotFound);
        let group = self.foreground_group().ok_or_else(nobody)?;
        let session = Pid::from(rustix::termios::tcgetsid(&self.master)?);
        // Checking the leader is cheap. The first process of a pipeline may have ended before the others; only then all
        // processes are searched.
        let ours = match rustix::process::getsid(Some(group.to_rustix())) {
            Ok(leaders) => Pid::from(leaders) == session,
            Err(_) => crate::processes::process_group_members(group)
                .into_iter()
                .any(|member| rustix::process::getsid(Some(member.to_rustix())).is_ok_and(|s| Pid::from(s) == session)),
        };
        if ours { crate::signal::kill_group(group, signal) } else { Err(nobody()) }
    }

    pub fn tty_facts(&self) -> io::Result<TtyFacts> {
        let modes = rustix::termios::tcgetattr(&self.master)?.local_modes;
        Ok(TtyFacts {
            canonical: modes.contains(LocalModes::ICANON),
            echo: modes.contains(LocalModes::ECHO),
            signals: modes.contains(LocalModes::ISIG),
        })
    }
}

impl AsFd for Pty {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.master.as_fd()
    }
}

/// Master and slave, both close-on-exec from birth: another thread may start a program at any time.
#[cfg(target_os = "linux")]
fn open_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = openpt(flags)?;
    unlockpt(&master)?;
    // The peer is opened through the master itself, not by path: /dev/pts may be a different mount than the master's.
    let slave = ioctl_tiocgptpeer(&master, flags)?;
    Ok((master, slave))
}

#[cfg(target_os = "macos")]
fn open_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    use rustix::fs::{Mode, OFlags};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    // A program started by another thread between these two calls would inherit the master; there
    // is no atomic way here.
    rustix::io::fcntl_setfd(&master, rustix::io::FdFlags::CLOEXEC)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let path = ptsname(&master, Vec::new())?;
    let slave = rustix::fs::open(path, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
    Ok((master, slave))
}

/// What `stty sane` sets, plus UTF-8 aware erasing. Kernels start with nearly this; it is set here so that children
/// don't depend on the kernel's defaults.
fn make_sane(termios: &mut Termios) {
    use rustix::termios::{ControlModes, OutputModes};
    termios.input_modes = InputModes::BRKINT | InputModes::ICRNL | InputModes::IMAXBEL | InputModes::IXON;
    termios.input_modes.insert(InputModes::IUTF8);
    termios.output_modes = OutputModes::OPOST | OutputModes::ONLCR;
    termios.control_modes.insert(ControlModes::CREAD | ControlModes::CS8);
    termios.local_modes = LocalModes::ISIG
        | LocalModes::ICANON
        | LocalModes::IEXTEN
        | LocalModes::ECHO
        | LocalModes::ECHOE
        | LocalModes::ECHOK
        | LocalModes::ECHOCTL
        | LocalModes::ECHOKE;
}
