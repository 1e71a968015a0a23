//! The table of named keys: name, aliases, and number in the kitty protocol.
//!
//! Read by the grammar (names) and the kitty encoder (numbers).

use super::key::{Key, KeypadKey, MediaKey, ModifierKey};

pub(super) struct NamedKey {
    pub(super) key: Key,
    /// As `Display` prints it.
    pub(super) name: &'static str,
    /// Lower case, without `_` and `-`: names are compared without them.
    pub(super) aliases: &'static [&'static str],
    /// Number and final byte of the key's CSI sequence.
    pub(super) kitty: (u32, u8),
}

const fn named(key: Key, name: &'static str, aliases: &'static [&'static str], number: u32, end: u8) -> NamedKey {
    NamedKey { key, name, aliases, kitty: (number, end) }
}

const fn keypad(key: KeypadKey, name: &'static str, aliases: &'static [&'static str], number: u32) -> NamedKey {
    named(Key::Keypad(key), name, aliases, number, b'u')
}

const fn media(key: MediaKey, name: &'static str, number: u32) -> NamedKey {
    named(Key::Media(key), name, &[], number, b'u')
}

const fn modifier(key: ModifierKey, name: &'static str, aliases: &'static [&'static str], number: u32) -> NamedKey {
    named(Key::Modifier(key), name, aliases, number, b'u')
}

/// All but the numbered ones: F keys and keypad digits are counted, in [`number_of`] and the grammar.
pub(super) const NAMED_KEYS: &[NamedKey] = &[
    named(Key::Escape, "escape", &["esc"], 27, b'u'),
    named(Key::Enter, "enter", &["return", "ret", "cr"], 13, b'u'),
    named(Key::Tab, "tab", &[], 9, b'u'),
    named(Key::Backspace, "backspace", &["bs", "bspace"], 127, b'u'),
    named(Key::Char(' '), "space", &["spc", "spacebar"], 32, b'u'),
    named(Key::Insert, "insert", &["ins", "ic"], 2, b'~'),
    named(Key::Delete, "delete", &["del", "dc"], 3, b'~'),
    named(Key::Left, "left", &["arrowleft"], 1, b'D'),
    named(Key::Right, "right", &["arrowright"], 1, b'C'),
    named(Key::Up, "up", &["arrowup"], 1, b'A'),
    named(Key::Down, "down", &["arrowdown"], 1, b'B'),
    named(Key::PageUp, "pageup", &["pgup", "ppage", "prior"], 5, b'~'),
    named(Key::PageDown, "pagedown", &["pgdn", "pgdown", "npage", "next"], 6, b'~'),
    named(Key::Home, "home", &[], 1, b'H'),
    named(Key::End, "end", &[], 1, b'F'),
    named(Key::CapsLock, "caps_lock", &[], 57358, b'u'),
    named(Key::ScrollLock, "scroll_lock", &[], 57359, b'u'),
    named(Key::NumLock, "num_lock", &[], 57360, b'u'),
    named(Key::PrintScreen, "print_screen", &["print", "prtsc"], 57361, b'u'),
    named(Key::Pause, "pause", &["break"], 57362, b'u'),
    named(Key::Menu, "menu", &["contextmenu"], 57363, b'u'),
    keypad(KeypadKey::Decimal, "kp_decimal", &["kpperiod"], 57409),
    keypad(KeypadKey::Divide, "kp_divide", &[], 57410),
    keypad(KeypadKey::Multiply, "kp_multiply", &[], 57411),
    keypad(KeypadKey::Subtract, "kp_subtract", &["kpminus"], 57412),
    keypad(KeypadKey::Add, "kp_add", &["kpplus"], 57413),
    keypad(KeypadKey::Enter, "kp_enter", &["kpreturn"], 57414),
    keypad(KeypadKey::Equal, "kp_equal", &[], 57415),
    keypad(KeypadKey::Separator, "kp_separator", &["kpcomma"], 57416),
    keypad(KeypadKey::Left, "kp_left", &[], 57417),
    keypad(KeypadKey::Right, "kp_right", &[], 57418),
    keypad(KeypadKey::Up, "kp_up", &[], 57419),
    keypad(KeypadKey::Down, "kp_down", &[], 57420),
    keypad(KeypadKey::PageUp, "kp_page_up", &["kppgup"], 57421),
    keypad(KeypadKey::PageDown, "kp_page_down", &["kppgdn", "kppgdown"], 57422),
    keypad(KeypadKey::Home, "kp_home", &[], 57423),
    keypad(KeypadKey::End, "kp_end", &[], 57424),
    keypad(KeypadKey::Insert, "kp_insert", &["kpins"], 57425),
    keypad(KeypadKey::Delete, "kp_delete", &["kpdel"], 57426),
    named(Key::Keypad(KeypadKey::Begin), "kp_begin", &[], 1, b'E'),
    media(MediaKey::Play, "media_play", 57428),
    media(MediaKey::Pause, "media_pause", 57429),
    media(MediaKey::PlayPause, "media_play_pause", 57430),
    media(MediaKey::Reverse, "media_reverse", 57431),
    media(MediaKey::Stop, "media_stop", 57432),
    media(MediaKey::FastForward, "media_fast_forward", 57433),
    media(MediaKey::Rewind, "media_rewind", 57434),
    media(MediaKey::TrackNext, "media_track_next", 57435),
    media(MediaKey::TrackPrevious, "media_track_previous", 57436),
    media(MediaKey::Record, "media_record", 57437),
    media(MediaKey::LowerVolume, "lower_volume", 57438),
    media(MediaKey::RaiseVolume, "raise_volume", 57439),
    media(MediaKey::MuteVolume, "mute_volume", 57440),
    modifier(ModifierKey::LeftShift, "left_shift", &[], 57441),
    modifier(ModifierKey::LeftControl, "left_control", &["leftctrl"], 57442),
    modifier(ModifierKey::LeftAlt, "left_alt", &[], 57443),
    modifier(ModifierKey::LeftSuper, "left_super", &[], 57444),
    modifier(ModifierKey::LeftHyper, "left_hyper", &[], 57445),
    modifier(ModifierKey::LeftMeta, "left_meta", &[], 57446),
    modifier(ModifierKey::RightShift, "right_shift", &[], 57447),
    modifier(ModifierKey::RightControl, "right_control", &["rightctrl"], 57448),
    modifier(ModifierKey::RightAlt, "right_alt", &["altgr"], 57449),
    modifier(ModifierKey::RightSuper, "right_super", &[], 57450),
    modifier(ModifierKey::RightHyper, "right_hyper", &[], 57451),
    modifier(ModifierKey::RightMeta, "right_meta", &[], 57452),
    modifier(ModifierKey::IsoLevel3Shift, "iso_level3_shift", &[], 57453),
    modifier(ModifierKey::IsoLevel5Shift, "iso_level5_shift", &[], 57454),
];

/// The number of F keys.
pub(super) const LAST_F_KEY: u8 = 35;

/// Number and final byte of a key's CSI sequence in the kitty protocol. `None` for characters and for keys
/// that do not exist.
pub(super) fn number_of(key: Key) -> Option<(u32, u8)> {
    Some(match key {
        Key::Char(_) | Key::Unidentified => return None,
        Key::F(1) => (1, b'P'),
        Key::F(2) => (1, b'Q'),
        // Not CSI R, which is a cursor position report.
        Key::F(3) => (13, b'~'),
        Key::F(4) => (1, b'S'),
        Key::F(number @ 5..=12) => (dec_number(number)?, b'~'),
        Key::F(number @ 13..=LAST_F_KEY) => (57376 + u32::from(number - 13), b'u'),
        Key::Keypad(KeypadKey::Digit(digit @ 0..=9)) => (57399 + u32::from(digit), b'u'),
        key => NAMED_KEYS.iter().find(|named| named.key == key)?.kitty,
    })
}

/// The key that [`number_of`] or xterm gives this number and final byte. Where xterm has two keys for one number (29 is
/// Menu and F16), the one that is on keyboards.
pub(super) fn key_of(number: u32, end: u8) -> Option<Key> {
    Some(match (number, end) {
        (1 | 7, b'~') => Key::Home,
        (4 | 8, b'~') => Key::End,
        (29, b'~') => Key::Menu,
        (1, b'R') => Key::F(3),
        (57376..=57398, b'u') => Key::F((number - 57376) as u8 + 13),
        (57399..=57408, b'u') => Key::Keypad(KeypadKey::Digit((number - 57399) as u8)),
        // Some terminals give the keypad's middle key a number of its own.
        (57427, b'u') => Key::Keypad(KeypadKey::Begin),
        (1, b'P' | b'Q' | b'S') => Key::F(end - b'P' + 1),
        _ => {
            if let Some(named) = NAMED_KEYS.iter().find(|named| named.kitty == (number, end)) {
                return Some(named.key);
            }
            match end {
                b'~' => Key::F((1..=LAST_F_KEY).find(|&f_key| dec_number(f_key) == Some(number))?),
                b'u' if !(0xe000..=0xf8ff).contains(&number) => {
                    Key::Char(char::from_u32(number).filter(|character| !character.is_control())?)
                }
                _ => return None,
            }
        }
    })
}

/// The number DEC gave a function key (`CSI number ~`): with holes up to F20, where DEC stopped, then as xterm
/// goes on.
pub(super) fn dec_number(f_key: u8) -> Option<u32> {
    const DEC: [u8; 20] = [11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34];
    match f_key {
        1..=20 => Some(u32::from(DEC[usize::from(f_key - 1)])),
        21..=LAST_F_KEY => Some(42 + u32::from(f_key - 21)),
        _ => None,
    }
}
