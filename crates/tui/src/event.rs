//! Events from the host terminal.

use vt::{
    Position, Rgb, Size,
    input::{FocusChange, KeyEvent, MouseEvent},
};

/// One event, in the order of arrival.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostEvent {
    Key(KeyEvent),
    /// Pasted text, with `\n` as line ends. A very long paste comes in several events.
    Paste(String),
    Mouse(MouseEvent),
    Focus(FocusChange),
    /// The host changed to a light or dark scheme (mode 2031).
    ColorScheme(ColorScheme),
    /// An answer of the host. It is never read as a key, however late it comes.
    Reply(Reply),
    /// The host's size changed. A signal tells this, never the decoder.
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
    /// DA1. Every terminal answers it, so queries sent before it that are unanswered by then will never be answered.
    DeviceAttributes(Vec<u32>),
    /// XTVERSION: name and version, without control characters.
    Version(String),
    /// The kitty keyboard flags in effect.
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
    /// OSC 7501: it keeps records of what programs report.
    StatusRecords,
}
