//! Key events: the key, its modifiers, press or release, and the text it typed.
//!
//! Names and numbers of keys are in `key_table`, spelling is in `grammar`, bytes are in the encoders.

use std::borrow::Cow;

use bitflags::bitflags;

use super::key_table::key_of;

bitflags! {
    /// Modifiers held and locks that are on, in the bit order of the kitty keyboard protocol.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub struct Modifiers: u8 {
        const SHIFT = 1;
        const ALT = 1 << 1;
        const CTRL = 1 << 2;
        /// The Windows or Command key.
        const SUPER = 1 << 3;
        const HYPER = 1 << 4;
        /// X11's Meta where it is a key of its own. What people call meta is [`ALT`](Self::ALT).
        const META = 1 << 5;
        const CAPS_LOCK = 1 << 6;
        const NUM_LOCK = 1 << 7;
    }
}

impl Modifiers {
    /// Modifiers that keep a key from typing its character.
    pub(super) const COMMAND: Modifiers =
        Modifiers::ALT.union(Modifiers::CTRL).union(Modifiers::SUPER).union(Modifiers::HYPER).union(Modifiers::META);
    pub(super) const LOCKS: Modifiers = Modifiers::CAPS_LOCK.union(Modifiers::NUM_LOCK);
}

/// A key, identified by its label and not by its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// A key that types a character, named by the unshifted one; the space bar is `Char(' ')`.
    ///
    /// A control character here is a byte that reached us without a key (a host terminal bound to send a raw
    /// line feed, say) and goes to the child as that byte in every mode. A Ctrl+J that was pressed as a key is
    /// `Char('j')` with [`Modifiers::CTRL`].
    Char(char),
    Enter,
    Tab,
    Backspace,
    Escape,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    Insert,
    Delete,
    /// F1 to F35. Other numbers send nothing.
    F(u8),
    CapsLock,
    ScrollLock,
    NumLock,
    PrintScreen,
    Pause,
    Menu,
    Keypad(KeypadKey),
    Media(MediaKey),
    Modifier(ModifierKey),
    /// No key is known, only [`KeyEvent::text`]: it came from an input method or the operating system.
    Unidentified,
}

impl Key {
    /// The key behind `CSI number … end`, as xterm and the kitty protocol number them. `None` for a number that is
    /// no key.
    pub fn from_csi(number: u32, end: u8) -> Option<Key> {
        key_of(number, end)
    }
}

impl From<char> for Key {
    fn from(character: char) -> Self {
        Key::Char(character)
    }
}

/// A key of the numeric keypad. Digits and the decimal point are what it gives with Num Lock on, the cursor
/// and editing keys what it gives with Num Lock off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeypadKey {
    /// 0 to 9. Other numbers send nothing.
    Digit(u8),
    Decimal,
    Divide,
    Multiply,
    Subtract,
    Add,
    Enter,
    Equal,
    Separator,
    Left,
    Right,
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    Insert,
    Delete,
    /// The 5 with Num Lock off.
    Begin,
}

impl KeypadKey {
    /// The character this key types, if it types one.
    pub(super) fn character(self) -> Option<char> {
        Some(match self {
            KeypadKey::Digit(digit @ 0..=9) => char::from(b'0' + digit),
            KeypadKey::Decimal => '.',
            KeypadKey::Divide => '/',
            KeypadKey::Multiply => '*',
            KeypadKey::Subtract => '-',
            KeypadKey::Add => '+',
            KeypadKey::Equal => '=',
            KeypadKey::Separator => ',',
            _ => return None,
        })
    }

    /// The same key on the main keyboard. `Begin` has none.
    pub(super) fn main_key(self) -> Option<Key> {
        Some(match self {
            KeypadKey::Enter => Key::Enter,
            KeypadKey::Left => Key::Left,
            KeypadKey::Right => Key::Right,
            KeypadKey::Up => Key::Up,
            KeypadKey::Down => Key::Down,
            KeypadKey::PageUp => Key::PageUp,
            KeypadKey::PageDown => Key::PageDown,
            KeypadKey::Home => Key::Home,
            KeypadKey::End => Key::End,
            KeypadKey::Insert => Key::Insert,
            KeypadKey::Delete => Key::Delete,
            other => Key::Char(other.character()?),
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MediaKey {
    Play,
    Pause,
    PlayPause,
    Reverse,
    Stop,
    FastForward,
    Rewind,
    TrackNext,
    TrackPrevious,
    Record,
    LowerVolume,
    RaiseVolume,
    MuteVolume,
}

/// A modifier as a key of its own, sent only to a child that asked for all keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ModifierKey {
    LeftShift,
    LeftControl,
    LeftAlt,
    LeftSuper,
    LeftHyper,
    LeftMeta,
    RightShift,
    RightControl,
    RightAlt,
    RightSuper,
    RightHyper,
    RightMeta,
    IsoLevel3Shift,
    IsoLevel5Shift,
}

impl ModifierKey {
    /// The modifier that is held while this key is down.
    pub(super) fn modifier(self) -> Modifiers {
        match self {
            ModifierKey::LeftShift | ModifierKey::RightShift => Modifiers::SHIFT,
            ModifierKey::LeftControl | ModifierKey::RightControl => Modifiers::CTRL,
            ModifierKey::LeftAlt | ModifierKey::RightAlt => Modifiers::ALT,
            ModifierKey::LeftSuper | ModifierKey::RightSuper => Modifiers::SUPER,
            ModifierKey::LeftHyper | ModifierKey::RightHyper => Modifiers::HYPER,
            ModifierKey::LeftMeta | ModifierKey::RightMeta => Modifiers::META,
            ModifierKey::IsoLevel3Shift | ModifierKey::IsoLevel5Shift => Modifiers::empty(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeyEventKind {
    #[default]
    Press,
    Repeat,
    /// Sent only to a child that asked for event types.
    Release,
}

/// One event of one key.
///
/// [`KeyEvent::new`] and `FromStr` fill in what follows from key and modifiers. The `with_` methods add what only a
/// real keyboard knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyEvent {
    pub key: Key,
    pub modifiers: Modifiers,
    pub kind: KeyEventKind,
    /// The character of this key with Shift, in the user's layout. `None`: the upper case of the key.
    pub shifted: Option<char>,
    /// The character at this key's place on a US keyboard, where it is another one: `c` for Cyrillic `с`.
    pub base_layout: Option<char>,
    /// The text typed, where it is not implied by key and modifiers: AltGr, dead keys, input methods. Empty text and
    /// text of control characters count as none.
    pub text: Option<String>,
}

impl KeyEvent {
    /// A press. An upper-case letter is that letter with Shift; Shift with a digit or sign is taken to be on a
    /// US keyboard, until [`with_shifted`](Self::with_shifted) says otherwise.
    pub fn new(key: impl Into<Key>, modifiers: Modifiers) -> Self {
        let (key, modifiers) = unshift(key.into(), modifiers);
        let shifted = match key {
            Key::Char(character) if modifiers.contains(Modifiers::SHIFT) => shift(character),
            _ => None,
        };
        KeyEvent { key, modifiers, kind: KeyEventKind::Press, shifted, base_layout: None, text: None }
    }

    /// A press of `key` alone.
    pub fn press(key: impl Into<Key>) -> Self {
        KeyEvent::new(key, Modifiers::empty())
    }

    /// Text that came without a key.
    pub fn typed_text(text: impl Into<String>) -> Self {
        KeyEvent::press(Key::Unidentified).with_text(text)
    }

    pub fn with_kind(mut self, kind: KeyEventKind) -> Self {
        self.kind = kind;
        self
    }

    pub fn with_shifted(mut self, shifted: char) -> Self {
        self.shifted = Some(shifted);
        self
    }

    pub fn with_base_layout(mut self, base_layout: char) -> Self {
        self.base_layout = Some(base_layout);
        self
    }

    pub fn with_text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// Normalises the event so that its key is the unshifted character.
    pub(super) fn canonical(&self) -> Cow<'_, KeyEvent> {
        let (key, modifiers) = unshift(self.key, self.modifiers);
        if key == self.key {
            return Cow::Borrowed(self);
        }
        let shifted = self.shifted.or(match self.key {
            Key::Char(character) => Some(character),
            _ => None,
        });
        Cow::Owned(KeyEvent { key, modifiers, shifted, ..self.clone() })
    }

    /// The character with Shift, where it differs from the key's own.
    pub(super) fn shifted_character(&self) -> Option<char> {
        let Key::Char(character) = self.key else { return None };
        self.shifted.or_else(|| upper_case(character)).filter(|&shifted| shifted != character)
    }

    /// The character that key, Shift and Caps Lock name, whatever other modifiers are held.
    pub(super) fn own_character(&self) -> Option<char> {
        match self.key {
            Key::Char(character) => {
                let shift = self.modifiers.contains(Modifiers::SHIFT);
                let upper = upper_case(character);
                if self.modifiers.contains(Modifiers::CAPS_LOCK) && upper.is_some() {
                    return if shift { Some(character) } else { upper };
                }
                Some(if shift { self.shifted_character().unwrap_or(character) } else { character })
            }
            Key::Keypad(key) => key.character(),
            _ => None,
        }
    }

    /// The text that this event types. Modifiers such as Ctrl keep a key from typing its own character, but different
    /// text was produced with their help (AltGr is often Ctrl and Alt) and counts.
    pub fn typed(&self) -> Option<Cow<'_, str>> {
        if self.kind == KeyEventKind::Release {
            return None;
        }
        if let Some(text) = self.foreign_text() {
            return Some(text);
        }
        let own = self.own_character().filter(|character| !character.is_control())?;
        (!self.modifiers.intersects(Modifiers::COMMAND)).then(|| Cow::Owned(own.to_string()))
    }

    /// The event's text without control characters, unless it is empty or just the key's own character.
    pub(super) fn foreign_text(&self) -> Option<Cow<'_, str>> {
        let text = self.text.as_deref().filter(|_| self.kind != KeyEventKind::Release)?;
        let text = if text.contains(char::is_control) {
            Cow::Owned(text.chars().filter(|character| !character.is_control()).collect())
        } else {
            Cow::Borrowed(text)
        };
        let mut characters = text.chars();
        let first = characters.next()?;
        let own = characters.next().is_none() && self.own_character() == Some(first);
        (!own).then_some(text)
    }
}

impl From<Key> for KeyEvent {
    fn from(key: Key) -> Self {
        KeyEvent::press(key)
    }
}

/// Turns an upper-case letter into the lower-case one with Shift (or with Caps Lock, if that is what made it).
fn unshift(key: Key, modifiers: Modifiers) -> (Key, Modifiers) {
    let Key::Char(character) = key else { return (key, modifiers) };
    let Some(lower) = lower_case(character) else { return (key, modifiers) };
    let locked = modifiers.contains(Modifiers::CAPS_LOCK);
    (Key::Char(lower), if locked { modifiers } else { modifiers | Modifiers::SHIFT })
}

fn shift(character: char) -> Option<char> {
    const PLAIN: &str = "`1234567890-=[]\\;',./";
    const SHIFTED: &str = "~!@#$%^&*()_+{}|:\"<>?";
    upper_case(character)
        .or_else(|| PLAIN.chars().zip(SHIFTED.chars()).find(|&(plain, _)| plain == character)?.1.into())
}

/// The one upper-case character whose lower case is `character`. Letters such as `ß` have none.
fn upper_case(character: char) -> Option<char> {
    let upper = only(character.to_uppercase())?;
    (upper != character && only(upper.to_lowercase()) == Some(character)).then_some(upper)
}

fn lower_case(character: char) -> Option<char> {
    let lower = only(character.to_lowercase())?;
    (lower != character && only(lower.to_uppercase()) == Some(character)).then_some(lower)
}

fn only(mut characters: impl Iterator<Item = char>) -> Option<char> {
    let first = characters.next()?;
    characters.next().is_none().then_some(first)
}
