//! Encodes keys: chooses the encoding by the child's modes.

use super::key::{Key, KeyEvent, KeyEventKind, Modifiers};
use super::{kitty, legacy};
use crate::{InputModes, KittyFlags};

/// The bytes that `event` sends to a child with these `modes`. Empty if the child did not ask for such events.
///
/// Without kitty flags this is xterm's encoding (with `metaSendsEscape`), modifyOtherKeys included. With any kitty flag
/// it is the kitty keyboard protocol, and modifyOtherKeys has no effect.
pub fn encode_key(event: &KeyEvent, modes: &InputModes) -> Vec<u8> {
    let mut out = Vec::new();
    let release = event.kind == KeyEventKind::Release;
    if release && !modes.kitty.contains(KittyFlags::REPORT_EVENTS) {
        return out;
    }
    let event = event.canonical();
    match event.key {
        Key::Char(byte) if byte.is_control() => {
            if !release {
                if event.modifiers.intersects(Modifiers::ALT | Modifiers::META) {
                    out.push(0x1b);
                }
                push_char(&mut out, byte);
            }
        }
        _ if modes.kitty.is_empty() => legacy::encode(&event, modes, modes.modify_other_keys, &mut out),
        _ => kitty::encode(&event, modes, &mut out),
    }
    out
}

pub(super) fn push_char(out: &mut Vec<u8>, character: char) {
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Appends `CSI`, the parameters as they are formatted, and the final byte.
pub(super) fn push_csi(out: &mut Vec<u8>, parameters: std::fmt::Arguments<'_>, end: u8) {
    use std::io::Write;
    out.extend_from_slice(b"\x1b[");
    out.write_fmt(parameters).expect("writing to a Vec never fails");
    out.push(end);
}
