//! The host terminal: the one that the program itself runs in.
//!
//! It takes file descriptors from the caller, turns on raw mode and the modes we need, and restores everything exactly
//! once: on leaving, on drop, or by a [`HostRestorer`] from a panic hook or the signal thread. It draws nothing,
//! decodes nothing, and keeps no process-wide state: installing a panic hook is left to the program.

mod abilities;
mod announce;
mod input;
mod modes;
mod outward;
mod probe;
mod restore;

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    time::{Duration, Instant},
};

use rustix::termios::{OptionalActions, tcgetattr, tcgetwinsize, tcsetattr};
use thiserror::Error;
use vt::{KittyFlags, Size};

pub use abilities::{ColorHints, HostAbilities};
pub use announce::{BellLimit, copy_to_clipboard, notify, set_title};
pub use input::HostInput;
use input::OnSignal;
pub use modes::{HostModes, KeyboardProtocol, MouseTracking};
pub use outward::OutwardStatus;
pub use probe::HostProbe;
pub use restore::HostRestorer;

use crate::{decode::HostDecoder, event::HostEvent};

/// Why the host terminal can't be used.
#[derive(Debug, Error)]
pub enum HostError {
    #[error("{0} is not a terminal: run this in one, or give a command that needs none")]
    NotATerminal(&'static str),
    #[error("could not {what} the terminal: {source}")]
    Io { what: &'static str, source: io::Error },
}

fn fault(what: &'static str) -> impl Fn(rustix::io::Errno) -> HostError {
    move |errno| HostError::Io { what, source: errno.into() }
}

/// The host terminal, unchanged until [`enter`](HostTerminal::enter).
#[derive(Debug)]
pub struct HostTerminal {
    input: OwnedFd,
    restorer: HostRestorer,
    modes: HostModes,
}

impl HostTerminal {
    /// Both descriptors must be terminals: usually standard input and output, or `/dev/tty` twice.
    pub fn open(input: OwnedFd, output: OwnedFd) -> Result<HostTerminal, HostError> {
        for (fd, name) in [(&input, "the input"), (&output, "the output")] {
            if !rustix::termios::isatty(fd) {
                return Err(HostError::NotATerminal(name));
            }
        }
        let saved = tcgetattr(&input).map_err(fault("read the settings of"))?;
        let restorer = HostRestorer::new(input.try_clone().map_err(clone_fault)?, output, saved);
        Ok(HostTerminal { input, restorer, modes: HostModes::default() })
    }

    /// The size in cells; 80 by 24 for a host that does not know its size.
    pub fn size(&self) -> Result<Size, HostError> {
        let size = tcgetwinsize(self.restorer.output()).map_err(fault("read the size of"))?;
        match (size.ws_col, size.ws_row) {
            (0, _) | (_, 0) => Ok(Size::default()),
            (cols, rows) => Ok(Size::new(cols, rows)),
        }
    }

    /// Turns on raw mode, the alternate screen and `modes`. Entering again changes the modes.
    pub fn enter(&mut self, modes: HostModes) -> Result<(), HostError> {
        let mut raw = self.restorer.saved().clone();
        raw.make_raw();
        self.restorer.arm(modes.leave());
        tcsetattr(&self.input, OptionalActions::Now, &raw).map_err(fault("set up"))?;
        self.modes = modes;
        self.write(&modes.enter())
    }

    /// Changes the modes in effect: when the mouse is switched off, or the focused child wants key releases.
    pub fn change(&mut self, modes: HostModes) -> Result<(), HostError> {
        if modes == self.modes {
            return Ok(());
        }
        let bytes = self.modes.change_to(&modes);
        self.restorer.arm(modes.leave());
        self.modes = modes;
        self.write(&bytes)
    }

    pub fn modes(&self) -> HostModes {
        self.modes
    }

    /// Restores the terminal. Does nothing the second time.
    pub fn leave(&mut self) {
        self.restorer.restore();
    }

    /// Restores the terminal before the process stops itself; [`resume`](Self::resume) follows when it is continued.
    pub fn suspend(&mut self) {
        self.restorer.restore();
    }

    /// Enters again after [`suspend`](Self::suspend). The screen's content is lost: the writer has to forget it.
    pub fn resume(&mut self) -> Result<(), HostError> {
        self.enter(self.modes)
    }

    /// A handle that restores the terminal from anywhere: a panic hook, the signal thread.
    pub fn restorer(&self) -> HostRestorer {
        self.restorer.clone()
    }

    /// Writes all bytes, and waits for the host to take them.
    pub fn write(&self, bytes: &[u8]) -> Result<(), HostError> {
        restore::write_all(self.restorer.output(), bytes, None).map_err(fault("write to"))
    }

    /// Reads available bytes; 0 means that the terminal is gone.
    pub fn read(&self, buffer: &mut [u8]) -> Result<usize, HostError> {
        loop {
            match rustix::io::read(&self.input, &mut *buffer) {
                Err(rustix::io::Errno::INTR) => {}
                // The error of a terminal that hung up.
                Err(rustix::io::Errno::IO) => return Ok(0),
                Err(rustix::io::Errno::AGAIN) => {
                    self.wait_for_input(None)?;
                }
                other => return other.map_err(fault("read from")),
            }
        }
    }

    /// Whether there is something to read within `timeout`. A signal ends the wait with `false`.
    pub fn wait_for_input(&self, timeout: Option<Duration>) -> Result<bool, HostError> {
        input::has_input(&self.input, timeout, OnSignal::GiveUp).map_err(fault("wait for"))
    }

    /// Asks the host what it can do, and waits for answers until `deadline`. Other input that came meanwhile is in
    /// `events`. Later answers still arrive as replies, for [`HostProbe::take`].
    pub fn probe(
        &self,
        decoder: &mut HostDecoder,
        deadline: Duration,
        events: &mut Vec<HostEvent>,
    ) -> Result<HostProbe, HostError> {
        let mut probe = HostProbe::default();
        decoder.expect_positions(probe::POSITIONS);
        self.write(&HostProbe::request())?;
        let end = Instant::now() + deadline;
        let mut buffer = [0; 1024];
        while !probe.finished() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let wait = decoder.wait().unwrap_or(left).min(left);
            let mut came = Vec::new();
            if self.wait_for_input(Some(wait))? {
                let count = self.read(&mut buffer)?;
                if count == 0 {
                    break;
                }
                decoder.feed(&buffer[..count], &mut came);
            } else if decoder.wait().is_some() {
                decoder.expire(&mut came);
            }
            events.extend(came.into_iter().filter(|event| !probe.take(event)));
        }
        Ok(probe)
    }
}

impl AsFd for HostTerminal {
    /// Readable when the host has sent something.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.input.as_fd()
    }
}

impl Drop for HostTerminal {
    fn drop(&mut self) {
        self.leave();
    }
}

fn clone_fault(source: io::Error) -> HostError {
    HostError::Io { what: "duplicate a descriptor of", source }
}

/// The kitty flags that disambiguate keys and keep the keyboard layout: the default when no child asks for more.
pub const PLAIN_KEYS: KittyFlags = KittyFlags::DISAMBIGUATE.union(KittyFlags::REPORT_ALTERNATES);
