//! The grammar of key names, the same for every face.
//!
//! ```text
//! key      = { modifier ("+" | "-") } (name | character)  |  "^" character
//! modifier = ctrl | control | alt | option | meta | shift | super | cmd | command | win | hyper   any case
//!          | C | M | A | S | H                                                       as Emacs and Vim write
//! name     = enter, tab, esc, up, f5, kp_5, page-up …   any case, "_" and "-" inside are not looked at
//! ```
//!
//! A single character stands for itself, `+`, `-` and `^` included (`ctrl++`, `ctrl--`), and keeps its case:
//! `A` is Shift and `a`. Behind Ctrl or Super the case of a letter means nothing (`Ctrl+C` is how people write
//! `ctrl+c`): there, Shift is spelled out. `meta` is Alt, as everywhere in terminals.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::key::{Key, KeyEvent, KeypadKey, Modifiers};
use super::key_table::{LAST_F_KEY, NAMED_KEYS};

/// Why a key could not be parsed. The message names the wrong part and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KeyParseError {
    #[error(
        "the key is empty: write one character, a name (enter, tab, esc, up, pageup, f5, kp_5), or modifiers and one of these (ctrl-c, alt+shift+left)"
    )]
    Empty,
    #[error("{input:?} has modifiers and no key: add one character or a name, as in ctrl-c or alt+left")]
    MissingKey { input: String },
    #[error(
        "unknown modifier {part:?} in key {input:?}: use ctrl, alt, shift, super, hyper, or C-, M-, S-, joined to the key with + or -"
    )]
    UnknownModifier { part: String, input: String },
    #[error(
        "unknown key {part:?} in {input:?}: use one character or a name (enter, tab, esc, backspace, space, up, down, left, right, home, end, pageup, pagedown, insert, delete, f1 to f35, kp_0 to kp_9, kp_enter); longer text is sent as text, not as a key"
    )]
    UnknownKey { part: String, input: String },
    #[error(
        "control character {character:?} in a key: write its name (enter, tab, esc, backspace) or ctrl and a letter (ctrl-c), or send it as text"
    )]
    ControlCharacter { character: char },
}

/// Spellings of each modifier in lower case, the canonical one first.
const MODIFIERS: &[(Modifiers, &[&str])] = &[
    (Modifiers::CTRL, &["ctrl", "control", "ctl"]),
    (Modifiers::ALT, &["alt", "meta", "option", "opt"]),
    (Modifiers::SHIFT, &["shift"]),
    (Modifiers::SUPER, &["super", "cmd", "command", "win"]),
    (Modifiers::HYPER, &["hyper"]),
    // Present only so that every event can be printed and parsed again.
    (Modifiers::META, &["truemeta"]),
    (Modifiers::CAPS_LOCK, &["caps_lock", "capslock"]),
    (Modifiers::NUM_LOCK, &["num_lock", "numlock"]),
];

/// The event reads as a press; see the module's grammar for what is accepted.
impl FromStr for KeyEvent {
    type Err = KeyParseError;

    fn from_str(input: &str) -> Result<Self, KeyParseError> {
        if input.is_empty() {
            return Err(KeyParseError::Empty);
        }
        if let Some(event) = parse_caret(input) {
            return Ok(event);
        }
        let mut modifiers = Modifiers::empty();
        let mut rest = input;
        loop {
            if let Some((key, implied)) = parse_key(rest)? {
                return Ok(build(key, modifiers | implied));
            }
            // From the second character on: the first may be a `+` or `-` that is the key itself.
            let separator = rest.char_indices().skip(1).find(|&(_, character)| matches!(character, '+' | '-'));
            let Some((at, _)) = separator else {
                return Err(if parse_modifier(rest).is_some() {
                    KeyParseError::MissingKey { input: excerpt(input) }
                } else {
                    KeyParseError::UnknownKey { part: excerpt(rest), input: excerpt(input) }
                });
            };
            let Some(modifier) = parse_modifier(&rest[..at]) else {
                return Err(KeyParseError::UnknownModifier { part: excerpt(&rest[..at]), input: excerpt(input) });
            };
            modifiers |= modifier;
            rest = &rest[at + 1..];
            if rest.is_empty() {
                return Err(KeyParseError::MissingKey { input: excerpt(input) });
            }
        }
    }
}

/// Prints key and modifiers so that they read back the same. The rest of the event has no spelling: its kind,
/// its layout, its text; nor have [`Key::Unidentified`] and control characters.
impl fmt::Display for KeyEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let event = self.canonical();
        for (modifier, spellings) in MODIFIERS {
            if event.modifiers.contains(*modifier) {
                write!(f, "{}+", spellings[0])?;
            }
        }
        fmt::Display::fmt(&event.key, f)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(named) = NAMED_KEYS.iter().find(|named| named.key == *self) {
            return f.write_str(named.name);
        }
        match self {
            Key::Char(character) if character.is_control() => write!(f, "{}", character.escape_unicode()),
            Key::Char(character) => write!(f, "{character}"),
            Key::F(number) => write!(f, "f{number}"),
            Key::Keypad(KeypadKey::Digit(digit)) => write!(f, "kp_{digit}"),
            _ => f.write_str("unidentified"),
        }
    }
}

fn build(key: Key, modifiers: Modifiers) -> KeyEvent {
    let shortcut = modifiers.intersects(Modifiers::CTRL | Modifiers::SUPER);
    let event = KeyEvent::new(key, modifiers);
    if shortcut && event.modifiers != modifiers {
        // An upper-case letter brought Shift along.
        return KeyEvent::new(event.key, modifiers);
    }
    event
}

/// `^C`, as terminals echo it.
fn parse_caret(input: &str) -> Option<KeyEvent> {
    let mut characters = input.strip_prefix('^')?.chars();
    let character = characters.next()?;
    let one = characters.next().is_none() && matches!(character, '?'..='~');
    one.then(|| build(Key::Char(character), Modifiers::CTRL))
}

/// Parses a part that is a whole key. `None` if it is not, but may begin with modifiers.
fn parse_key(part: &str) -> Result<Option<(Key, Modifiers)>, KeyParseError> {
    let mut characters = part.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        return match character {
            character if character.is_control() => Err(KeyParseError::ControlCharacter { character }),
            character => Ok(Some((Key::Char(character), Modifiers::empty()))),
        };
    }
    Ok(parse_name(part))
}

fn parse_name(part: &str) -> Option<(Key, Modifiers)> {
    // Longer than any name, so that a huge input costs nothing.
    const LONGEST: usize = 32;
    if part.len() > LONGEST {
        return None;
    }
    let lower = part.to_ascii_lowercase();
    if let Some(number) = lower.strip_prefix('f').and_then(parse_number) {
        return (1..=LAST_F_KEY).contains(&number).then_some((Key::F(number), Modifiers::empty()));
    }
    let name = lower.replace(['_', '-'], "");
    if let Some(digit) = name.strip_prefix("kp").and_then(parse_number) {
        return (digit <= 9).then_some((Key::Keypad(KeypadKey::Digit(digit)), Modifiers::empty()));
    }
    if matches!(name.as_str(), "backtab" | "btab") {
        return Some((Key::Tab, Modifiers::SHIFT));
    }
    let is_name = |known: &str| known.bytes().filter(|byte| *byte != b'_').eq(name.bytes());
    let named = NAMED_KEYS.iter().find(|named| named.aliases.contains(&name.as_str()) || is_name(named.name))?;
    Some((named.key, Modifiers::empty()))
}

/// Decimal digits only, without the sign and the leading zeros that `str::parse` would take.
fn parse_number(digits: &str) -> Option<u8> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    if plain { digits.parse().ok() } else { None }
}

fn parse_modifier(part: &str) -> Option<Modifiers> {
    match part {
        "C" => return Some(Modifiers::CTRL),
        "M" | "A" => return Some(Modifiers::ALT),
        "S" => return Some(Modifiers::SHIFT),
        "H" => return Some(Modifiers::HYPER),
        _ => {}
    }
    let matching = |spellings: &[&str]| spellings.iter().any(|spelling| spelling.eq_ignore_ascii_case(part));
    MODIFIERS.iter().find(|(_, spellings)| matching(spellings)).map(|(modifier, _)| *modifier)
}

/// Enough of the input to recognise it by.
fn excerpt(input: &str) -> String {
    const CHARACTERS: usize = 40;
    match input.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", &input[..end]),
        None => input.to_owned(),
    }
}
