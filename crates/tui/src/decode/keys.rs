//! Bytes and sequences of keys: legacy, modifyOtherKeys and the kitty protocol.

use vt::input::{FocusChange, Key, KeyEvent, KeyEventKind, KeypadKey, Modifiers};

use super::params::CsiParams;
use crate::event::HostEvent;

/// Maximum characters of a key event's text.
const MAX_TEXT: usize = 64;

pub(super) fn character(character: char, alt: bool) -> KeyEvent {
    KeyEvent::new(character, held(alt))
}

pub(super) fn control(byte: u8, alt: bool) -> KeyEvent {
    let (key, ctrl) = match byte {
        b'\r' => (Key::Enter, false),
        b'\t' => (Key::Tab, false),
        0x7f => (Key::Backspace, false),
        0x1b => (Key::Escape, false),
        // Hosts are configured to send a raw line feed for Shift+Enter: decoded as Ctrl+J, it would reach children that
        // speak the kitty protocol as a sequence.
        b'\n' => (Key::Char('\n'), false),
        0 => (Key::Char(' '), true),
        1..=26 => (Key::Char(char::from(byte - 1 + b'a')), true),
        _ => (Key::Char(char::from(byte + 0x40)), true),
    };
    KeyEvent::new(key, held(alt) | if ctrl { Modifiers::CTRL } else { Modifiers::empty() })
}

fn held(alt: bool) -> Modifiers {
    if alt { Modifiers::ALT } else { Modifiers::empty() }
}

/// `ESC O`, perhaps a modifier, and a letter.
pub(super) fn ss3(modifier: &[u8], end: u8) -> Option<KeyEvent> {
    let key = match end {
        b'A'..=b'F' | b'H' | b'P'..=b'S' => Key::from_csi(1, end)?,
        b'I' => Key::Tab,
        b'M' => Key::Keypad(KeypadKey::Enter),
        b'X' => Key::Keypad(KeypadKey::Equal),
        b'j' => Key::Keypad(KeypadKey::Multiply),
        b'k' => Key::Keypad(KeypadKey::Add),
        b'l' => Key::Keypad(KeypadKey::Separator),
        b'm' => Key::Keypad(KeypadKey::Subtract),
        b'n' => Key::Keypad(KeypadKey::Decimal),
        b'o' => Key::Keypad(KeypadKey::Divide),
        b'p'..=b'y' => Key::Keypad(KeypadKey::Digit(end - b'p')),
        _ => return None,
    };
    let modifier = std::str::from_utf8(modifier).ok().and_then(|digits| digits.parse().ok()).unwrap_or(0);
    Some(KeyEvent::new(key, modifiers(modifier)))
}

/// A control sequence without a prefix.
pub(super) fn sequence(params: &CsiParams, end: u8) -> Option<HostEvent> {
    if params.intermediate().is_some() {
        return None;
    }
    match end {
        b'I' => return Some(HostEvent::Focus(FocusChange::Gained)),
        b'O' => return Some(HostEvent::Focus(FocusChange::Lost)),
        _ => {}
    }
    let event = match end {
        b'Z' => KeyEvent::new(Key::Tab, modifiers(params.first(1)) | Modifiers::SHIFT),
        // modifyOtherKeys: the modifiers, then the character that the key types with them.
        b'~' if params.first(0) == 27 && params.len() >= 3 => {
            let key = match params.first(2) {
                8 => Key::Backspace,
                code => Key::from_csi(code, b'u')?,
            };
            KeyEvent::new(key, modifiers(params.first(1)))
        }
        b'u' | b'~' | b'A'..=b'F' | b'H' | b'P'..=b'S' => enhanced(params, end)?,
        _ => return None,
    };
    Some(HostEvent::Key(event))
}

/// `CSI number:shifted:base ; modifiers:kind ; text end`.
fn enhanced(params: &CsiParams, end: u8) -> Option<KeyEvent> {
    let number = params.part(0, 0).unwrap_or(1);
    let text: String =
        params.parts(2).take(MAX_TEXT).filter_map(char::from_u32).filter(|character| !character.is_control()).collect();
    let key = match (number, end) {
        (0, b'u') if !text.is_empty() => Key::Unidentified,
        (number, b'u' | b'~') => Key::from_csi(number, end)?,
        (_, letter) => Key::from_csi(1, letter)?,
    };
    let mut event = KeyEvent::new(key, modifiers(params.first(1)));
    event.kind = match params.part(1, 1) {
        Some(2) => KeyEventKind::Repeat,
        Some(3) => KeyEventKind::Release,
        _ => KeyEventKind::Press,
    };
    let character = |part| params.part(0, part).and_then(char::from_u32).filter(|character| !character.is_control());
    event.shifted = character(1).or(event.shifted);
    event.base_layout = character(2);
    event.text = Some(text).filter(|text| !text.is_empty());
    Some(event)
}

/// The wire value is one more than the sum of the modifiers; 0 and 1 mean none.
fn modifiers(parameter: u32) -> Modifiers {
    Modifiers::from_bits_truncate(u8::try_from(parameter.saturating_sub(1)).unwrap_or(0))
}
