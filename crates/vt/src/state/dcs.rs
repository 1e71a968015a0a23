//! Device control strings: DECRQSS and XTGETTCAP. The rest (sixel, user keys, …) is consumed.

use super::TerminalState;
use crate::{frame::CursorShape, modes::ModeFlags, style::Attributes};

/// Longest list of capabilities answered in one go.
const MAX_CAPABILITIES: usize = 32;

impl TerminalState {
    pub(super) fn run_dcs(&mut self, body: &[u8]) {
        if let Some(setting) = body.strip_prefix(b"$q") {
            self.report_setting(setting);
        } else if let Some(names) = body.strip_prefix(b"+q") {
            for name in names.split(|&byte| byte == b';').take(MAX_CAPABILITIES) {
                self.report_capability(name);
            }
        }
    }

    /// DECRQSS.
    fn report_setting(&mut self, setting: &[u8]) {
        let margins = self.margins;
        let value = match setting {
            b"m" => format!("{}m", Self::graphics(&self.pen)),
            b"r" => format!("{};{}r", margins.top + 1, margins.bottom + 1),
            b"s" => format!("{};{}s", margins.left + 1, margins.right + 1),
            b"t" => format!("{}t", self.size.rows.max(24)),
            b"$|" => format!("{}$|", self.size.cols),
            b"*|" => format!("{}*|", self.size.rows),
            b" q" => format!("{} q", self.cursor_style()),
            b"\"p" => "64;1\"p".to_owned(),
            b"\"q" => format!("{}\"q", u8::from(self.pen.attributes.contains(Attributes::PROTECTED))),
            _ => return self.reply("\x1bP0$r\x1b\\"),
        };
        self.reply(format!("\x1bP1$r{value}\x1b\\"));
    }

    pub(super) fn cursor_style(&self) -> u8 {
        let steady = u8::from(!self.has(ModeFlags::CURSOR_BLINK));
        steady
            + match self.cursor_shape {
                CursorShape::Block => 1,
                CursorShape::Underline => 3,
                CursorShape::Bar => 5,
            }
    }

    /// XTGETTCAP: names and values in hexadecimal.
    fn report_capability(&mut self, name: &[u8]) {
        let Some(decoded) = decode_hex(name) else { return };
        let asked = String::from_utf8_lossy(name).into_owned();
        let value = match decoded.as_slice() {
            b"TN" | b"name" => "xterm-256color",
            b"Co" | b"colors" => "256",
            b"RGB" => "8/8/8",
            b"Tc" | b"Su" => "",
            b"Smulx" => "\x1b[4:%p1%dm",
            b"Setulc" => "\x1b[58:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m",
            b"Ss" => "\x1b[%p1%d q",
            b"Se" => "\x1b[2 q",
            _ => return self.reply(format!("\x1bP0+r{asked}\x1b\\")),
        };
        let separator = if value.is_empty() { "" } else { "=" };
        let value: String = value.bytes().map(|byte| format!("{byte:02X}")).collect();
        self.reply(format!("\x1bP1+r{asked}{separator}{value}\x1b\\"));
    }
}

fn decode_hex(text: &[u8]) -> Option<Vec<u8>> {
    // A capability's name is a few letters; a longer one is invalid.
    if text.is_empty() || text.len() > 64 || !text.len().is_multiple_of(2) {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    text.chunks_exact(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}
