//! Encodes pastes: pasted text is data, and must not act as keys.

use super::encode_key::push_char;
use crate::InputModes;

const START: &[u8] = b"\x1b[200~";
const END: &[u8] = b"\x1b[201~";

/// The bytes that paste `text`, bracketed only if the child asked for that (mode 2004).
///
/// Control characters, C1 ones included, are dropped, so the text can contain no escape sequence, let alone the one
/// that ends the bracket. Tabs stay. Line ends (`\n`, `\r\n`, `\r`) all become `\r`, bracketed or not, as in xterm and
/// VTE: Enter sends it, and some programs know no other. Nothing else changes.
pub fn encode_paste(text: &str, modes: &InputModes) -> Vec<u8> {
    let brackets = if modes.bracketed_paste { START.len() + END.len() } else { 0 };
    let mut out = Vec::with_capacity(text.len() + brackets);
    if modes.bracketed_paste {
        out.extend_from_slice(START);
    }
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' => {
                characters.next_if_eq(&'\n');
                out.push(b'\r');
            }
            '\n' => out.push(b'\r'),
            '\t' => out.push(b'\t'),
            control if control.is_control() => {}
            character => push_char(&mut out, character),
        }
    }
    if modes.bracketed_paste {
        out.extend_from_slice(END);
    }
    out
}
