//! The person's own terminal, for commands that draw on it: opening it, and restoring it.

use std::{io, os::fd::AsFd};

use tui::host::{ColorHints, HostError, HostTerminal};

use program::{Exit, Failure};

use crate::surroundings::Surroundings;

/// Uses standard input and output, which must be terminals.
pub(crate) fn open(instead: &str) -> Result<HostTerminal, Failure> {
    let owned =
        |fd: io::Result<std::os::fd::OwnedFd>| fd.map_err(|error| Failure::system("using the terminal", &error));
    let input = owned(io::stdin().as_fd().try_clone_to_owned())?;
    let output = owned(io::stdout().as_fd().try_clone_to_owned())?;
    HostTerminal::open(input, output).map_err(|error| failure(&error).with_hint(instead))
}

pub(crate) fn failure(error: &HostError) -> Failure {
    match error {
        HostError::NotATerminal(_) => Failure::usage(error.to_string()),
        HostError::Io { .. } => Failure::new(Exit::Refused, "system", error.to_string()),
    }
}

/// Restores the terminal before a panic is printed.
pub(crate) fn restore_on_panic(host: &HostTerminal) {
    let restorer = host.restorer();
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        restorer.restore();
        before(info);
    }));
}

pub(crate) fn color_hints(surroundings: &Surroundings) -> ColorHints<'_> {
    ColorHints { term: &surroundings.term, color_term: &surroundings.color_term, no_color: surroundings.no_color }
}
