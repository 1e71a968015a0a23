//! Modes that the child has set, as far as input encoding depends on them.

use bitflags::bitflags;

bitflags! {
    /// Progressive enhancements of the kitty keyboard protocol (`CSI > flags u`).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct KittyFlags: u8 {
        const DISAMBIGUATE = 1;
        const REPORT_EVENTS = 2;
        const REPORT_ALTERNATES = 4;
        const REPORT_ALL = 8;
        const REPORT_TEXT = 16;
    }
}

bitflags! {
    /// Modes that are simply on or off.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) struct ModeFlags: u64 {
        const KEYBOARD_LOCKED = 1 << 0;
        const INSERT = 1 << 1;
        const LOCAL_ECHO_OFF = 1 << 2;
        const LINEFEED_NEWLINE = 1 << 3;
        const APPLICATION_CURSOR = 1 << 4;
        const COLUMNS_132 = 1 << 5;
        const SMOOTH_SCROLL = 1 << 6;
        const REVERSE_VIDEO = 1 << 7;
        const ORIGIN = 1 << 8;
        const AUTOWRAP = 1 << 9;
        const AUTOREPEAT = 1 << 10;
        const CURSOR_BLINK = 1 << 11;
        const CURSOR_VISIBLE = 1 << 12;
        const ALLOW_COLUMNS = 1 << 13;
        const MORE_FIX = 1 << 14;
        const REVERSE_WRAP = 1 << 15;
        const EXTENDED_REVERSE_WRAP = 1 << 16;
        const APPLICATION_KEYPAD = 1 << 17;
        const BACKARROW_BACKSPACE = 1 << 18;
        const LEFT_RIGHT_MARGINS = 1 << 19;
        const KEEP_ON_COLUMNS = 1 << 20;
        const FOCUS_EVENTS = 1 << 21;
        const ALTERNATE_SCROLL = 1 << 22;
        const BRACKETED_PASTE = 1 << 23;
        const SYNCHRONIZED = 1 << 24;
        const GRAPHEMES = 1 << 25;
        const COLOR_SCHEME_REPORTS = 1 << 26;
        const IN_BAND_RESIZE = 1 << 27;
        const ALTERNATE_SCREEN = 1 << 28;
        const META_ESCAPE = 1 << 29;
        const ALT_ESCAPE = 1 << 30;
        const EIGHT_BIT_META = 1 << 31;
    }
}

impl ModeFlags {
    /// The modes that are on initially.
    pub(crate) fn initial() -> ModeFlags {
        ModeFlags::AUTOWRAP
            | ModeFlags::AUTOREPEAT
            | ModeFlags::CURSOR_VISIBLE
            | ModeFlags::CURSOR_BLINK
            | ModeFlags::ALTERNATE_SCROLL
            | ModeFlags::GRAPHEMES
            | ModeFlags::LOCAL_ECHO_OFF
            | ModeFlags::META_ESCAPE
            | ModeFlags::ALT_ESCAPE
    }

    /// The flag behind `CSI ? number h`, where there is exactly one.
    pub(crate) fn private(number: u16) -> Option<ModeFlags> {
        Some(match number {
            1 => ModeFlags::APPLICATION_CURSOR,
            3 => ModeFlags::COLUMNS_132,
            4 => ModeFlags::SMOOTH_SCROLL,
            5 => ModeFlags::REVERSE_VIDEO,
            6 => ModeFlags::ORIGIN,
            7 => ModeFlags::AUTOWRAP,
            8 => ModeFlags::AUTOREPEAT,
            12 => ModeFlags::CURSOR_BLINK,
            25 => ModeFlags::CURSOR_VISIBLE,
            40 => ModeFlags::ALLOW_COLUMNS,
            41 => ModeFlags::MORE_FIX,
            45 => ModeFlags::REVERSE_WRAP,
            66 => ModeFlags::APPLICATION_KEYPAD,
            67 => ModeFlags::BACKARROW_BACKSPACE,
            69 => ModeFlags::LEFT_RIGHT_MARGINS,
            95 => ModeFlags::KEEP_ON_COLUMNS,
            1004 => ModeFlags::FOCUS_EVENTS,
            1007 => ModeFlags::ALTERNATE_SCROLL,
            1034 => ModeFlags::EIGHT_BIT_META,
            1036 => ModeFlags::META_ESCAPE,
            1039 => ModeFlags::ALT_ESCAPE,
            1045 => ModeFlags::EXTENDED_REVERSE_WRAP,
            2004 => ModeFlags::BRACKETED_PASTE,
            2026 => ModeFlags::SYNCHRONIZED,
            2027 => ModeFlags::GRAPHEMES,
            2031 => ModeFlags::COLOR_SCHEME_REPORTS,
            2048 => ModeFlags::IN_BAND_RESIZE,
            _ => return None,
        })
    }

    /// The flag behind `CSI number h`.
    pub(crate) fn ansi(number: u16) -> Option<ModeFlags> {
        Some(match number {
            2 => ModeFlags::KEYBOARD_LOCKED,
            4 => ModeFlags::INSERT,
            12 => ModeFlags::LOCAL_ECHO_OFF,
            20 => ModeFlags::LINEFEED_NEWLINE,
            _ => return None,
        })
    }
}

/// Which mouse events the child wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MouseProtocol {
    #[default]
    Off,
    /// Mode 9: presses only, no modifiers.
    X10,
    /// Mode 1000: presses and releases.
    Normal,
    /// Mode 1002: and motion while a button is held.
    ButtonMotion,
    /// Mode 1003: and all motion.
    AnyMotion,
}

/// How mouse events are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MouseEncoding {
    #[default]
    Legacy,
    /// Mode 1005.
    Utf8,
    /// Mode 1006.
    Sgr,
    /// Mode 1015.
    Urxvt,
    /// Mode 1016.
    SgrPixels,
}

/// Everything the input encoders depend on. Copied out under the screen lock, used outside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InputModes {
    /// DECCKM: cursor keys send SS3.
    pub application_cursor: bool,
    /// DECKPAM: the keypad sends SS3 sequences.
    pub application_keypad: bool,
    /// LNM: Enter sends CR LF.
    pub linefeed_newline: bool,
    /// DECBKM: Backspace sends BS rather than DEL.
    pub backarrow_sends_backspace: bool,
    /// xterm's modifyOtherKeys level: 0, 1 or 2.
    pub modify_other_keys: u8,
    pub kitty: KittyFlags,
    pub bracketed_paste: bool,
    pub focus_events: bool,
    pub mouse: MouseProtocol,
    pub mouse_encoding: MouseEncoding,
    /// Mode 1007: the wheel becomes arrow keys on the alternate screen.
    pub alternate_scroll: bool,
    pub alternate_screen: bool,
}

impl MouseProtocol {
    pub(crate) fn from_mode(number: u16) -> Option<MouseProtocol> {
        Some(match number {
            9 => MouseProtocol::X10,
            1000 => MouseProtocol::Normal,
            1002 => MouseProtocol::ButtonMotion,
            1003 => MouseProtocol::AnyMotion,
            _ => return None,
        })
    }

    pub(crate) fn mode(self) -> Option<u16> {
        match self {
            MouseProtocol::Off => None,
            MouseProtocol::X10 => Some(9),
            MouseProtocol::Normal => Some(1000),
            MouseProtocol::ButtonMotion => Some(1002),
            MouseProtocol::AnyMotion => Some(1003),
        }
    }
}

impl MouseEncoding {
    pub(crate) fn from_mode(number: u16) -> Option<MouseEncoding> {
        Some(match number {
            1005 => MouseEncoding::Utf8,
            1006 => MouseEncoding::Sgr,
            1015 => MouseEncoding::Urxvt,
            1016 => MouseEncoding::SgrPixels,
            _ => return None,
        })
    }

    pub(crate) fn mode(self) -> Option<u16> {
        match self {
            MouseEncoding::Legacy => None,
            MouseEncoding::Utf8 => Some(1005),
            MouseEncoding::Sgr => Some(1006),
            MouseEncoding::Urxvt => Some(1015),
            MouseEncoding::SgrPixels => Some(1016),
        }
    }
}
