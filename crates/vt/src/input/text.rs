//! Encodes typed text.

use super::encode_key::encode_key;
use super::key::{Key, KeyEvent};
use crate::InputModes;

/// The bytes of `text` as if typed.
///
/// A line end (`\n` or `\r\n`) becomes the same byte as Enter. Everything else is sent unchanged in every mode, control
/// characters included, so that a caller may send Ctrl+C as `\x03` and escape sequences of its own: text that must not
/// act as keys is a paste. Characters stay plain even for a child that asked for all keys as escape codes, because
/// every child reads plain text.
pub fn encode_text(text: &str, modes: &InputModes) -> Vec<u8> {
    let enter = encode_key(&KeyEvent::press(Key::Enter), modes);
    let mut out = Vec::with_capacity(text.len());
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        if lines.peek().is_none() {
            out.extend_from_slice(line.as_bytes());
        } else {
            out.extend_from_slice(line.strip_suffix('\r').unwrap_or(line).as_bytes());
            out.extend_from_slice(&enter);
        }
    }
    out
}
