//! What comes from the host terminal.

use vt::{
    Position, Rgb, Size,
    input::{FocusChange, KeyEvent, MouseEvent},
};

/// One thing that happened, in the order it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Key(KeyEvent),
    /// Pasted text, line ends as `\n`. Very long pastes come in several.
    Paste(String),
    Mouse(MouseEvent),
    Focus(FocusChange),
    /// The host went over to a light or dark scheme (mode 2031).
    ColorScheme(ColorScheme),
    /// An answer of the host. Never a key, however late it comes.
    Reply(Reply),
    /// The host's size changed. The decoder never says so: it is told by a signal.
    Resize(Size),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ColorScheme {
    #[default]
    Dark,
    Light,
}

/// What the host answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// DA1: every terminal answers it, so what was asked before and is not answered by then never will be.
    DeviceAttributes(Vec<u32>),
    /// XTVERSION: name and version, without control characters.
    Version(String),
    /// The kitty keyboard flags in force.
    KittyKeyboard(u32),
    /// OSC 10, 11 or 12.
    Color {
        number: u32,
        value: Rgb,
    },
    /// DECRPM: 0 unknown, 1 set, 2 reset, 3 and 4 fixed.
    Mode {
        number: u32,
        state: u32,
    },
    /// XTGETTCAP: `None` if the host has no such capability.
    Capability {
        name: String,
        value: Option<String>,
    },
    CursorPosition(Position),
}
