//! What the child has asked of its terminal, as far as input has to know it.

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
