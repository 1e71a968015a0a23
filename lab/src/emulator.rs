//! A common interface to `vt` and its judges: bytes go in, replies and a comparable screen come out.

mod alacritty;
mod answering;
mod ghostty;
mod ours;

use std::path::PathBuf;

use anyhow::Result;
use clap::ValueEnum;
use vt::Size;

use crate::screen::{ALL_ATTRIBUTES, BLINK, OVERLINE, Screen};

pub(crate) use answering::Answering;

pub(crate) trait Emulator {
    fn feed(&mut self, bytes: &[u8]) -> Result<()>;

    /// The bytes owed to the child since the last call.
    fn take_replies(&mut self) -> Vec<u8>;

    fn size(&self) -> Size;

    fn resize(&mut self, size: Size) -> Result<()>;

    /// The current screen, including the content of an unfinished synchronized update.
    fn screen(&mut self) -> Result<Screen>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Kind {
    /// This workspace's `vt`.
    Vt,
    /// `alacritty_terminal`.
    Alacritty,
    /// libghostty-vt, from PyPI's `pyghostty`.
    Ghostty,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Vt => "vt",
            Kind::Alacritty => "alacritty",
            Kind::Ghostty => "ghostty",
        }
    }
}

/// Creates emulators of one kind. Ghostty needs a Python process, so it is started only once.
pub(crate) enum Factory {
    Vt,
    Alacritty,
    Ghostty(ghostty::Library),
}

impl Factory {
    /// Only ghostty needs `python`: an interpreter that can import `pyghostty`.
    pub(crate) fn new(kind: Kind, python: Option<PathBuf>) -> Result<Self> {
        Ok(match kind {
            Kind::Vt => Factory::Vt,
            Kind::Alacritty => Factory::Alacritty,
            Kind::Ghostty => Factory::Ghostty(ghostty::Library::load(python)?),
        })
    }

    pub(crate) fn kind(&self) -> Kind {
        match self {
            Factory::Vt => Kind::Vt,
            Factory::Alacritty => Kind::Alacritty,
            Factory::Ghostty(_) => Kind::Ghostty,
        }
    }

    /// The bits of the attributes that it supports.
    pub(crate) fn attributes_kept(&self) -> u16 {
        match self {
            Factory::Alacritty => ALL_ATTRIBUTES & !(BLINK | OVERLINE),
            Factory::Vt | Factory::Ghostty(_) => ALL_ATTRIBUTES,
        }
    }

    pub(crate) fn make(&self, size: Size) -> Result<Box<dyn Emulator>> {
        Ok(match self {
            Factory::Vt => Box::new(ours::Ours::new(size)),
            Factory::Alacritty => Box::new(alacritty::Alacritty::new(size)),
            Factory::Ghostty(library) => Box::new(library.terminal(size)?),
        })
    }
}
