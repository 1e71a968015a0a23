//! The terminal the fake runs in: raw mode while it lives, and its size.

use std::io::{self, Write};
use std::os::fd::AsFd;

use rustix::termios::{self, OptionalActions, Termios};
use vt::Size;

/// Raw mode until it is dropped. Without a terminal it does nothing, so a fake also runs with pipes.
#[derive(Debug)]
pub(crate) struct RawMode {
    before: Option<Termios>,
}

impl RawMode {
    pub(crate) fn enter() -> Self {
        let input = io::stdin();
        let Ok(before) = termios::tcgetattr(input.as_fd()) else { return RawMode { before: None } };
        let mut raw = before.clone();
        raw.make_raw();
        let set = termios::tcsetattr(input.as_fd(), OptionalActions::Now, &raw);
        RawMode { before: set.is_ok().then_some(before) }
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // The terminal may be gone by now.
            let _ = termios::tcsetattr(io::stdin().as_fd(), OptionalActions::Now, before);
        }
    }
}

/// 80x24 if the size is unknown.
pub(crate) fn size() -> Size {
    match termios::tcgetwinsize(io::stdout().as_fd()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => Size::new(size.ws_col, size.ws_row).clamped(),
        _ => Size::default(),
    }
}

/// Writes all bytes. Fails if the terminal is closed.
pub(crate) fn write(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

pub(crate) fn complain(text: &str) -> io::Result<()> {
    io::stderr().lock().write_all(text.as_bytes())
}
