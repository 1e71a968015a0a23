//! xterm's encoding of keys, which every child understands, and modifyOtherKeys 1 and 2.
//!
//! The model is xterm 410 with `metaSendsEscape`; what it sends for each key, modifier and mode is kept in
//! `tests/it/input_xterm.txt`. Where we differ on purpose:
//! - Super and Hyper, which xterm ignores: a character with them sends nothing rather than itself (an unbound
//!   Super+C must not type a `c`), and function keys get the kitty protocol's modifier bits.
//! - modifyOtherKeys 1 keeps Alt in the parameter of keys it encodes; xterm loses it there.
//! - Ctrl with a letter outside ASCII uses the key's place on a US keyboard when that is known.

use super::encode_key::{push_char, push_csi};
use super::key::{Key, KeyEvent, KeypadKey, Modifiers};
use super::key_table::dec_number;
use crate::InputModes;

pub(super) fn encode(event: &KeyEvent, modes: &InputModes, modify_other_keys: u8, out: &mut Vec<u8>) {
    if let Some(text) = event.foreign_text() {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    let held = HeldModifiers::new(event.modifiers);
    let keys = LegacyKeys { modes, held, modify_other_keys, out };
    match event.key {
        Key::Char(_) => keys.character(event),
        Key::Enter | Key::Tab | Key::Backspace | Key::Escape => keys.control_key(event.key),
        Key::Keypad(key) => keys.keypad(key, event.modifiers),
        key => keys.function_key(key),
    }
}

/// The modifiers as xterm sees them.
#[derive(Clone, Copy)]
struct HeldModifiers {
    shift: bool,
    /// Alt, or a Meta key of its own: terminals make no difference.
    alt: bool,
    ctrl: bool,
    /// Super or Hyper, which can't be combined with characters.
    beyond: bool,
    /// One more than the sum of the modifiers' values, as it stands in escape sequences.
    parameter: u8,
}

impl HeldModifiers {
    fn new(modifiers: Modifiers) -> Self {
        let shift = modifiers.contains(Modifiers::SHIFT);
        let alt = modifiers.intersects(Modifiers::ALT | Modifiers::META);
        let ctrl = modifiers.contains(Modifiers::CTRL);
        let beyond = modifiers & (Modifiers::SUPER | Modifiers::HYPER);
        let parameter = 1 + u8::from(shift) + 2 * u8::from(alt) + 4 * u8::from(ctrl) + beyond.bits();
        HeldModifiers { shift, alt, ctrl, beyond: !beyond.is_empty(), parameter }
    }
}

struct LegacyKeys<'a> {
    modes: &'a InputModes,
    held: HeldModifiers,
    modify_other_keys: u8,
    out: &'a mut Vec<u8>,
}

impl LegacyKeys<'_> {
    fn character(mut self, event: &KeyEvent) {
        let Some(own) = event.own_character().filter(|_| !self.held.beyond) else { return };
        let character = match event.base_layout {
            Some(base) if self.held.ctrl && !own.is_ascii() && base.is_ascii() => base,
            _ => own,
        };
        if self.is_other(character) {
            return self.other_key(u32::from(character));
        }
        if self.held.alt {
            self.out.push(0x1b);
        }
        match control_byte(character).filter(|_| self.held.ctrl) {
            Some(byte) => self.control_byte(byte),
            None => push_char(self.out, character),
        }
    }

    /// Whether modifyOtherKeys turns this character into an escape sequence.
    fn is_other(&self, character: char) -> bool {
        let HeldModifiers { shift, alt, ctrl, .. } = self.held;
        // The characters that Ctrl has always turned into control characters; xterm leaves them alone at level 1.
        let control_input = matches!(character, '@'..='\x7f');
        match self.modify_other_keys {
            0 => false,
            1 => {
                // Space, digits and the slash, which Ctrl turns into control characters too.
                let alias = character != '?' && control_byte(character).is_some();
                ctrl && !control_input && (!alias || alt && shift)
            }
            _ => ctrl || alt || shift && (control_input || character == ' '),
        }
    }

    /// The keys with a control character of their own.
    fn control_key(mut self, key: Key) {
        let HeldModifiers { shift, alt, ctrl, beyond, parameter } = self.held;
        if beyond {
            return;
        }
        let byte = match key {
            Key::Enter => b'\r',
            Key::Tab => b'\t',
            Key::Escape => 0x1b,
            _ if self.modes.backarrow_sends_backspace != ctrl => 0x08,
            _ => 0x7f,
        };
        let other = match (self.modify_other_keys, key) {
            (0, _) => false,
            (1, Key::Enter) => shift || ctrl && !alt,
            (1, Key::Tab) => ctrl && !alt && !shift,
            (1, Key::Escape) => alt && (shift || ctrl),
            (1, _) => false,
            (_, Key::Enter | Key::Escape) => parameter > 1,
            (_, Key::Tab) => alt || ctrl,
            (_, _) => shift || alt,
        };
        if other {
            return self.other_key(u32::from(byte));
        }
        if key == Key::Tab && shift {
            self.out.extend_from_slice(b"\x1b[Z");
            return;
        }
        if alt {
            self.out.push(0x1b);
        }
        self.control_byte(byte);
    }

    fn keypad(mut self, key: KeypadKey, modifiers: Modifiers) {
        let (plain, application) = match key {
            KeypadKey::Enter => ('\r', b'M'),
            KeypadKey::Digit(digit @ 0..=9) => (char::from(b'0' + digit), b'p' + digit),
            KeypadKey::Decimal => ('.', b'n'),
            KeypadKey::Divide => ('/', b'o'),
            KeypadKey::Multiply => ('*', b'j'),
            KeypadKey::Subtract => ('-', b'm'),
            KeypadKey::Add => ('+', b'k'),
            KeypadKey::Equal => ('=', b'X'),
            KeypadKey::Separator => (',', b'l'),
            KeypadKey::Begin => return self.cursor_key(b'E'),
            cursor_or_editing => match cursor_or_editing.main_key() {
                Some(key) => return self.function_key(key),
                None => return,
            },
        };
        // Num Lock overrides the application keypad.
        if self.modes.application_keypad && !modifiers.contains(Modifiers::NUM_LOCK) {
            self.out.extend_from_slice(b"\x1bO");
            if self.held.parameter > 1 {
                self.out.extend_from_slice(self.held.parameter.to_string().as_bytes());
            }
            self.out.push(application);
        } else if !self.held.beyond {
            // Alt and Ctrl get lost here, as in xterm.
            match plain {
                '\r' => self.control_byte(b'\r'),
                character => push_char(self.out, character),
            }
        }
    }

    fn function_key(self, key: Key) {
        match key {
            Key::Up => self.cursor_key(b'A'),
            Key::Down => self.cursor_key(b'B'),
            Key::Right => self.cursor_key(b'C'),
            Key::Left => self.cursor_key(b'D'),
            Key::End => self.cursor_key(b'F'),
            Key::Home => self.cursor_key(b'H'),
            Key::Insert => self.numbered_key(2),
            Key::Delete => self.numbered_key(3),
            Key::PageUp => self.numbered_key(5),
            Key::PageDown => self.numbered_key(6),
            Key::Menu => self.numbered_key(29),
            Key::F(number @ 1..=4) => self.lettered_key(b'P' + number - 1, true),
            Key::F(number) => {
                if let Some(number) = dec_number(number) {
                    self.numbered_key(number);
                }
            }
            // xterm sends nothing for the rest: locks, media keys, modifiers.
            _ => {}
        }
    }

    fn cursor_key(self, end: u8) {
        let application = self.modes.application_cursor;
        self.lettered_key(end, application);
    }

    fn lettered_key(self, end: u8, application: bool) {
        match self.held.parameter {
            1 if application => self.out.extend_from_slice(&[0x1b, b'O', end]),
            1 => self.out.extend_from_slice(&[0x1b, b'[', end]),
            parameter => push_csi(self.out, format_args!("1;{parameter}"), end),
        }
    }

    fn numbered_key(self, number: u32) {
        match self.held.parameter {
            1 => push_csi(self.out, format_args!("{number}"), b'~'),
            parameter => push_csi(self.out, format_args!("{number};{parameter}"), b'~'),
        }
    }

    fn other_key(self, code: u32) {
        push_csi(self.out, format_args!("27;{};{code}", self.held.parameter), b'~');
    }

    fn control_byte(&mut self, byte: u8) {
        self.out.push(byte);
        if byte == b'\r' && self.modes.linefeed_newline {
            self.out.push(b'\n');
        }
    }
}

/// The character that Ctrl produces: X11's table, and xterm's `?`.
fn control_byte(character: char) -> Option<u8> {
    Some(match character {
        ' ' | '2' => 0,
        '@'..='~' => character as u8 & 0x1f,
        '3'..='7' => character as u8 - b'3' + 0x1b,
        '8' | '?' => 0x7f,
        '/' => 0x1f,
        _ => return None,
    })
}
