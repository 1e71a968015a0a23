//! The modes that we set on the host, and the bytes that set and reset them.

use std::fmt::Write;

use vt::KittyFlags;

/// Which mouse events the host reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MouseTracking {
    Off,
    /// Presses, releases, wheel, and motion with a button held.
    #[default]
    Drag,
    /// All motion, only for a child that asked for it.
    Motion,
}

/// How the host sends keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyboardProtocol {
    #[default]
    Legacy,
    /// xterm's modifyOtherKeys 2; hosts that don't know it ignore it.
    ModifyOtherKeys,
    /// The kitty protocol, with these flags.
    Kitty(KittyFlags),
}

/// The modes set on the host. The alternate screen, bracketed paste and focus events are always on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostModes {
    pub mouse: MouseTracking,
    pub keyboard: KeyboardProtocol,
    /// Mode 2031: the host reports changes of its light or dark scheme.
    pub color_scheme_reports: bool,
    /// Mode 2027: the host draws clusters the way we do.
    pub clusters: bool,
}

/// The title is put aside, for whoever sets one meanwhile. Automatic wrapping is off, so that a cluster drawn too wide in the last column can't scroll the screen.
const ENTER: &str = "\x1b[22;2t\x1b[?1049h\x1b[?7l\x1b[?2004h\x1b[?1004h";
/// Resets whatever an interrupted frame left: a synchronized update, a link, a style, a hidden or changed cursor.
const LEAVE: &str =
    "\x1b[?2026l\x1b]8;;\x1b\\\x1b[m\x1b[?1004l\x1b[?2004l\x1b[?7h\x1b[0 q\x1b[?25h\x1b[?1049l\x1b[23;2t";

impl HostModes {
    pub(super) fn enter(&self) -> Vec<u8> {
        let mut out = String::from(ENTER);
        self.switch_on(&mut out);
        out.into_bytes()
    }

    pub(super) fn leave(&self) -> Vec<u8> {
        let mut out = String::new();
        self.switch_off(&mut out);
        out.push_str(LEAVE);
        out.into_bytes()
    }

    pub(super) fn change_to(&self, new: &HostModes) -> Vec<u8> {
        let mut out = String::new();
        let part = |of: &HostModes, keep: &HostModes| HostModes {
            mouse: if of.mouse == keep.mouse { MouseTracking::Off } else { of.mouse },
            keyboard: if of.keyboard == keep.keyboard { KeyboardProtocol::Legacy } else { of.keyboard },
            color_scheme_reports: of.color_scheme_reports && !keep.color_scheme_reports,
            clusters: of.clusters && !keep.clusters,
        };
        part(self, new).switch_off(&mut out);
        part(new, self).switch_on(&mut out);
        out.into_bytes()
    }

    fn switch_on(&self, out: &mut String) {
        match self.mouse {
            MouseTracking::Off => {}
            MouseTracking::Drag => out.push_str("\x1b[?1002h\x1b[?1006h"),
            MouseTracking::Motion => out.push_str("\x1b[?1003h\x1b[?1006h"),
        }
        match self.keyboard {
            KeyboardProtocol::Legacy => {}
            KeyboardProtocol::ModifyOtherKeys => out.push_str("\x1b[>4;2m"),
            KeyboardProtocol::Kitty(flags) => write!(out, "\x1b[>{}u", flags.bits()).expect("writing to a string"),
        }
        if self.color_scheme_reports {
            out.push_str("\x1b[?2031h");
        }
        if self.clusters {
            out.push_str("\x1b[?2027h");
        }
    }

    fn switch_off(&self, out: &mut String) {
        if self.clusters {
            out.push_str("\x1b[?2027l");
        }
        if self.color_scheme_reports {
            out.push_str("\x1b[?2031l");
        }
        match self.keyboard {
            KeyboardProtocol::Legacy => {}
            KeyboardProtocol::ModifyOtherKeys => out.push_str("\x1b[>4m"),
            KeyboardProtocol::Kitty(_) => out.push_str("\x1b[<u"),
        }
        match self.mouse {
            MouseTracking::Off => {}
            MouseTracking::Drag => out.push_str("\x1b[?1006l\x1b[?1002l"),
            MouseTracking::Motion => out.push_str("\x1b[?1006l\x1b[?1003l"),
        }
    }
}

#[cfg(test)]
mod tests {
    use vt::{InputModes, MouseEncoding, MouseProtocol, Terminal, TerminalOptions};

    use super::*;

    const FULL: HostModes = HostModes {
        mouse: MouseTracking::Drag,
        keyboard: KeyboardProtocol::Kitty(KittyFlags::DISAMBIGUATE),
        color_scheme_reports: true,
        clusters: false,
    };

    #[test]
    fn what_is_entered_is_left() {
        let other = HostModes { mouse: MouseTracking::Motion, keyboard: KeyboardProtocol::ModifyOtherKeys, ..FULL };
        for modes in [FULL, other, HostModes { mouse: MouseTracking::Off, ..HostModes::default() }] {
            let mut host = Terminal::new(TerminalOptions::default());
            host.feed(b"shell$ \x1b]2;shell\x07");
            let seen =
                |host: &mut Terminal| (host.input_modes(), host.frame().text(), host.cursor(), host.title().to_owned());
            let before = seen(&mut host);
            host.feed(&modes.enter());
            assert!(host.alternate_screen() && host.input_modes().bracketed_paste);
            host.feed(b"\x1b[?2026h\x1b[?25l\x1b[31mhalf a frame\x1b]8;;http://x\x1b\\\x1b]2;ours\x07");
            host.feed(&modes.leave());
            assert_eq!(seen(&mut host), before);
        }
    }

    #[test]
    fn a_change_touches_only_what_differs() {
        let mut host = Terminal::new(TerminalOptions::default());
        host.feed(&FULL.enter());
        assert_eq!(FULL.change_to(&FULL), b"");
        let new = HostModes { mouse: MouseTracking::Motion, ..FULL };
        assert_eq!(FULL.change_to(&new), b"\x1b[?1006l\x1b[?1002l\x1b[?1003h\x1b[?1006h");
        let keys = HostModes { keyboard: KeyboardProtocol::Kitty(KittyFlags::all()), ..new };
        host.feed(&FULL.change_to(&new));
        host.feed(&new.change_to(&keys));
        let modes: InputModes = host.input_modes();
        assert_eq!((modes.mouse, modes.mouse_encoding), (MouseProtocol::AnyMotion, MouseEncoding::Sgr));
        assert_eq!(modes.kitty, KittyFlags::all());
        host.feed(&keys.leave());
        assert_eq!(host.input_modes().kitty, KittyFlags::empty());
    }
}
