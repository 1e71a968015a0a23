//! The kitty keyboard protocol's encoding of keys.
//!
//! The model is the protocol's specification. Two points it leaves open:
//! - Flags that neither disambiguate nor report all keys leave presses as they are without flags, so those go
//!   the legacy way; repeats and releases, if asked for, have no legacy form and become escape codes.
//! - Text without a key that can't be embedded (all keys, but not their text) is sent as it is, not lost.

use std::fmt;

use super::encode_key::push_csi;
use super::key::{Key, KeyEvent, KeyEventKind, Modifiers};
use super::key_table::number_of;
use super::legacy;
use crate::{InputModes, KittyFlags};

pub(super) fn encode(event: &KeyEvent, modes: &InputModes, out: &mut Vec<u8>) {
    let flags = modes.kitty;
    let all_keys = flags.contains(KittyFlags::REPORT_ALL);
    let unambiguous = flags.intersects(KittyFlags::DISAMBIGUATE | KittyFlags::REPORT_ALL);
    let embeds_text = flags.contains(KittyFlags::REPORT_ALL | KittyFlags::REPORT_TEXT);
    let kind = match flags.contains(KittyFlags::REPORT_EVENTS) {
        true => event.kind,
        false => KeyEventKind::Press,
    };

    let key = match event.key {
        // Distinguished from the main keyboard only if keys are disambiguated.
        Key::Keypad(keypad) if !unambiguous => keypad.main_key().unwrap_or(event.key),
        key => key,
    };
    let text = event.typed();
    let number = key_number(key);
    if let Some(text) = &text
        && (!all_keys || number.is_none() && !embeds_text)
    {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    if !unambiguous && kind == KeyEventKind::Press {
        return legacy::encode(event, modes, 0, out);
    }
    if !all_keys {
        match key {
            Key::Modifier(_) | Key::CapsLock | Key::ScrollLock | Key::NumLock => return,
            Key::Enter | Key::Tab | Key::Backspace if kind == KeyEventKind::Release => return,
            Key::Enter | Key::Tab | Key::Backspace if Modifiers::LOCKS.contains(event.modifiers) => {
                return legacy::encode(event, modes, 0, out);
            }
            _ => {}
        }
    }

    let (number, end) = match number {
        Some(number) => number,
        None if text.is_some() => (0, b'u'),
        None => return,
    };
    let mut code = EscapeCode::new(number, end);
    code.modifiers = event.modifiers;
    if let Key::Modifier(modifier) = event.key
        && event.kind != KeyEventKind::Release
    {
        // A modifier's own press reports it as held.
        code.modifiers |= modifier.modifier();
    }
    code.kind = kind;
    if let Key::Char(character) = event.key
        && flags.contains(KittyFlags::REPORT_ALTERNATES)
    {
        code.shifted = event.shifted_character().filter(|_| event.modifiers.contains(Modifiers::SHIFT));
        code.base_layout = event.base_layout.filter(|&base| base != character);
    }
    if embeds_text {
        code.text = text.as_deref().unwrap_or_default();
    }
    push_csi(out, format_args!("{code}"), code.end);
}

/// Number and final byte of a key's escape code. A character's number is the character, but private-use ones
/// have none: the protocol numbers its functional keys there.
fn key_number(key: Key) -> Option<(u32, u8)> {
    match key {
        Key::Char('\u{e000}'..='\u{f8ff}') => None,
        Key::Char(character) => Some((u32::from(character), b'u')),
        key => number_of(key),
    }
}

/// The parameters of `CSI number:shifted:base ; modifiers:event ; text`; empty parts are left out.
struct EscapeCode<'a> {
    number: u32,
    shifted: Option<char>,
    base_layout: Option<char>,
    modifiers: Modifiers,
    kind: KeyEventKind,
    text: &'a str,
    end: u8,
}

impl EscapeCode<'_> {
    fn new(number: u32, end: u8) -> Self {
        EscapeCode {
            number,
            shifted: None,
            base_layout: None,
            modifiers: Modifiers::empty(),
            kind: KeyEventKind::Press,
            text: "",
            end,
        }
    }
}

impl fmt::Display for EscapeCode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let second_field = !self.modifiers.is_empty() || self.kind != KeyEventKind::Press;
        // 1 is the default, so `CSI 1 A` is `CSI A`.
        if self.number != 1 || second_field {
            write!(f, "{}", self.number)?;
        }
        if let Some(shifted) = self.shifted {
            write!(f, ":{}", u32::from(shifted))?;
        }
        if let Some(base) = self.base_layout {
            let skipped = if self.shifted.is_none() { ":" } else { "" };
            write!(f, "{skipped}:{}", u32::from(base))?;
        }
        if second_field {
            write!(f, ";{}", u32::from(self.modifiers.bits()) + 1)?;
        } else if !self.text.is_empty() {
            f.write_str(";")?;
        }
        match self.kind {
            KeyEventKind::Press => {}
            KeyEventKind::Repeat => f.write_str(":2")?,
            KeyEventKind::Release => f.write_str(":3")?,
        }
        let mut separator = ';';
        for character in self.text.chars() {
            write!(f, "{separator}{}", u32::from(character))?;
            separator = ':';
        }
        Ok(())
    }
}
