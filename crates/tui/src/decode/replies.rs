//! The host's answers to queries.

use vt::{Position, Rgb};

use super::params::CsiParams;
use crate::event::{ColorScheme, HostEvent, Reply};

/// Maximum characters of a terminal's name and version.
const MAX_VERSION: usize = 128;

/// A control sequence with a prefix.
pub(super) fn private(params: &CsiParams, end: u8) -> Option<HostEvent> {
    if params.prefix() != Some(b'?') {
        return None;
    }
    Some(match (params.intermediate(), end) {
        (None, b'u') => HostEvent::Reply(Reply::KittyKeyboard(params.first(0))),
        (None, b'c') => HostEvent::Reply(Reply::DeviceAttributes(params.firsts())),
        (None, b'n') if params.first(0) == 997 => HostEvent::ColorScheme(match params.first(1) {
            1 => ColorScheme::Dark,
            2 => ColorScheme::Light,
            _ => return None,
        }),
        (Some(b'$'), b'y') => HostEvent::Reply(Reply::Mode { number: params.first(0), state: params.first(1) }),
        _ => return None,
    })
}

/// `CSI row ; col R`.
pub(super) fn position(params: &CsiParams) -> Reply {
    let place = |index| u16::try_from(params.first(index).saturating_sub(1)).unwrap_or(u16::MAX);
    Reply::CursorPosition(Position { row: place(0), col: place(1) })
}

pub(super) fn osc(body: &[u8]) -> Option<Reply> {
    let (number, value) = std::str::from_utf8(body).ok()?.split_once(';')?;
    // Whatever it adds behind the question mark: which states it shows is its own affair.
    if number == "7501" && value.split(':').next() == Some("?") {
        return Some(Reply::StatusRecords);
    }
    let number = number.parse().ok().filter(|number| (10..=12).contains(number))?;
    Some(Reply::Color { number, value: color(value)? })
}

pub(super) fn dcs(body: &[u8]) -> Option<Reply> {
    let body = std::str::from_utf8(body).ok()?;
    if let Some(version) = body.strip_prefix(">|") {
        return Some(Reply::Version(version.chars().filter(|c| !c.is_control()).take(MAX_VERSION).collect()));
    }
    let (known, rest) = match body.split_at_checked(3)? {
        ("1+r", rest) => (true, rest),
        ("0+r", rest) => (false, rest),
        _ => return None,
    };
    let (name, value) = rest.split_once('=').unwrap_or((rest, ""));
    Some(Reply::Capability { name: from_hex(name)?, value: known.then(|| from_hex(value)).flatten() })
}

/// `rgb:12/1212/f`, `rgba:…` or `#rrggbb`.
fn color(text: &str) -> Option<Rgb> {
    if let Some(hex) = text.strip_prefix('#') {
        let value = u32::from_str_radix(hex, 16).ok().filter(|_| hex.len() == 6)?;
        return Some(Rgb::from_u32(value));
    }
    let mut parts = text.strip_prefix("rgb:").or_else(|| text.strip_prefix("rgba:"))?.split('/').map(|part| {
        let digits = u32::try_from(part.len()).ok().filter(|digits| (1..=4).contains(digits))?;
        let largest = 16u32.pow(digits) - 1;
        let value = u32::from_str_radix(part, 16).ok().filter(|_| !part.starts_with('+'))?;
        Some((value * 255 / largest) as u8)
    });
    Some(Rgb::new(parts.next()??, parts.next()??, parts.next()??))
}

fn from_hex(text: &str) -> Option<String> {
    let bytes: Option<Vec<u8>> = text
        .as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?, 16).ok())
        .collect();
    Some(String::from_utf8(bytes?).ok()?.chars().filter(|c| !c.is_control()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_in_every_spelling() {
        assert_eq!(color("rgb:1e1e/2020/ffff"), Some(Rgb::new(0x1e, 0x20, 0xff)));
        assert_eq!(color("rgb:f/8/0"), Some(Rgb::new(255, 136, 0)));
        assert_eq!(color("rgba:ff/00/80/ff"), Some(Rgb::new(255, 0, 128)));
        assert_eq!(color("#102030"), Some(Rgb::new(0x10, 0x20, 0x30)));
        for wrong in ["", "?", "rgb:", "rgb:1/2", "rgb:12345/1/1", "#12", "rgb:x/y/z", "rgb:+1/2/3"] {
            assert_eq!(color(wrong), None, "{wrong}");
        }
    }
}
