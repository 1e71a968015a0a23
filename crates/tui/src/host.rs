//! The host terminal: the one that the program itself runs in.
//!
//! It takes file descriptors from the caller, turns raw mode and the modes we need on, and puts everything back
//! exactly once: on leaving, on drop, or by a [`HostRestorer`] from a panic hook or the thread that hears signals. It draws
//! nothing, decodes nothing, and keeps no process-wide state: whoever wants a panic hook installs it.

mod abilities;
mod announce;
mod input;
mod modes;
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
pub use probe::HostProbe;
pub use restore::HostRestorer;

use crate::{decode::HostDecoder, event::Event};

/// Why the host can't be used.
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

/// The host terminal, as it was found until [`enter`](Host::enter).
#[derive(Debug)]
pub struct HostTerminal {
    input: OwnedFd,
    restorer: HostRestorer,
    modes: HostModes,
}

impl HostTerminal {
    /// Both must be terminals: usually standard input and output, or `/dev/tty` twice.
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

    /// The size in cells. A host that does not know its own counts as 80 by 24.
    pub fn size(&self) -> Result<Size, HostError> {
        let size = tcgetwinsize(self.restorer.output()).map_err(fault("read the size of"))?;
        match (size.ws_col, size.ws_row) {
            (0, _) | (_, 0) => Ok(Size::default()),
            (cols, rows) => Ok(Size::new(cols, rows)),
        }
    }

    /// Raw mode, the alternate screen and `modes`. Entering again changes the modes.
    pub fn enter(&mut self, modes: HostModes) -> Result<(), HostError> {
        let mut raw = self.restorer.saved().clone();
        raw.make_raw();
        self.restorer.arm(modes.leave());
        tcsetattr(&self.input, OptionalActions::Now, &raw).map_err(fault("set up"))?;
        self.modes = modes;
        self.write(&modes.enter())
    }

    /// Sets other modes than those in force: the mouse switched off, a child in focus that wants to hear of releases.
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

    /// Puts the terminal back as it was found. Does nothing the second time.
    pub fn leave(&mut self) {
        self.restorer.restore();
    }

    /// Leaves for a while: the caller stops itself, and calls [`resume`](Self::resume) when it goes on.
    pub fn suspend(&mut self) {
        self.restorer.restore();
    }

    /// Back after [`suspend`](Self::suspend). What was on the screen is gone: the writer has to forget it.
    pub fn resume(&mut self) -> Result<(), HostError> {
        self.enter(self.modes)
    }

    /// Puts the terminal back from anywhere: a panic hook, the thread that hears signals.
    pub fn restorer(&self) -> HostRestorer {
        self.restorer.clone()
    }

    /// Writes all of it, waiting for the host to take it.
    pub fn write(&self, bytes: &[u8]) -> Result<(), HostError> {
        restore::write_all(self.restorer.output(), bytes, None).map_err(fault("write to"))
    }

    /// Reads what there is; 0 is the end: the terminal is gone.
    pub fn read(&self, buffer: &mut [u8]) -> Result<usize, HostError> {
        loop {
            match rustix::io::read(&self.input, &mut *buffer) {
                Err(rustix::io::Errno::INTR) => {}
                // What a terminal says that hung up.
                Err(rustix::io::Errno::IO) => return Ok(0),
                Err(rustix::io::Errno::AGAIN) => {
                    self.wait_for_input(None)?;
                }
                other => return other.map_err(fault("read from")),
            }
        }
    }

    /// Whether there is something to read within `timeout`. A signal ends the wait: nothing came.
    pub fn wait_for_input(&self, timeout: Option<Duration>) -> Result<bool, HostError> {
        input::has_input(&self.input, timeout, OnSignal::GiveUp).map_err(fault("wait for"))
    }

    /// Asks the host what it can do, and waits for the answers until `deadline`. Whatever else came in meanwhile is in
    /// `events`. Answers that come later stay replies, for [`HostProbe::take`].
    pub fn probe(
        &self,
        decoder: &mut HostDecoder,
        deadline: Duration,
        events: &mut Vec<Event>,
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
    /// Readable when the host has something to say.
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
    HostError::Io { what: "keep hold of", source }
}

/// The kitty flags that tell keys apart and keep the layout: what a host is given when no child asks for more.
pub const PLAIN_KEYS: KittyFlags = KittyFlags::DISAMBIGUATE.union(KittyFlags::REPORT_ALTERNATES);
