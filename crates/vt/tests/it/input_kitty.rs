//! Keys with kitty flags. Expectations are the specification's words and tables, not this code's output.

use vt::input::{Key, KeyEvent, KeyEventKind, KeypadKey, MediaKey, ModifierKey, Modifiers, encode_key};
use vt::{InputModes, KittyFlags};

const NONE: Modifiers = Modifiers::empty();
const SHIFT: Modifiers = Modifiers::SHIFT;
const ALT: Modifiers = Modifiers::ALT;
const CTRL: Modifiers = Modifiers::CTRL;
const NUM_LOCK: Modifiers = Modifiers::NUM_LOCK;
const CAPS_LOCK: Modifiers = Modifiers::CAPS_LOCK;

fn send(flags: u8, event: KeyEvent) -> String {
    let modes = InputModes { kitty: KittyFlags::from_bits(flags).expect("five flags"), ..InputModes::default() };
    String::from_utf8(encode_key(&event, &modes)).expect("keys are UTF-8")
}

fn key(key: impl Into<Key>, modifiers: Modifiers) -> KeyEvent {
    KeyEvent::new(key, modifiers)
}

fn repeat(event: KeyEvent) -> KeyEvent {
    event.with_kind(KeyEventKind::Repeat)
}

fn release(event: KeyEvent) -> KeyEvent {
    event.with_kind(KeyEventKind::Release)
}

/// The specification's table of functional keys: name, number, final character.
const FUNCTIONAL: &[(Key, u32, char)] = &[
    (Key::Escape, 27, 'u'),
    (Key::Insert, 2, '~'),
    (Key::Delete, 3, '~'),
    (Key::Left, 1, 'D'),
    (Key::Right, 1, 'C'),
    (Key::Up, 1, 'A'),
    (Key::Down, 1, 'B'),
    (Key::PageUp, 5, '~'),
    (Key::PageDown, 6, '~'),
    (Key::Home, 1, 'H'),
    (Key::End, 1, 'F'),
    (Key::PrintScreen, 57361, 'u'),
    (Key::Pause, 57362, 'u'),
    (Key::Menu, 57363, 'u'),
    (Key::F(1), 1, 'P'),
    (Key::F(2), 1, 'Q'),
    (Key::F(3), 13, '~'),
    (Key::F(4), 1, 'S'),
    (Key::F(5), 15, '~'),
    (Key::F(6), 17, '~'),
    (Key::F(7), 18, '~'),
    (Key::F(8), 19, '~'),
    (Key::F(9), 20, '~'),
    (Key::F(10), 21, '~'),
    (Key::F(11), 23, '~'),
    (Key::F(12), 24, '~'),
    (Key::F(13), 57376, 'u'),
    (Key::F(14), 57377, 'u'),
    (Key::F(15), 57378, 'u'),
    (Key::F(16), 57379, 'u'),
    (Key::F(17), 57380, 'u'),
    (Key::F(18), 57381, 'u'),
    (Key::F(19), 57382, 'u'),
    (Key::F(20), 57383, 'u'),
    (Key::F(21), 57384, 'u'),
    (Key::F(22), 57385, 'u'),
    (Key::F(23), 57386, 'u'),
    (Key::F(24), 57387, 'u'),
    (Key::F(25), 57388, 'u'),
    (Key::F(26), 57389, 'u'),
    (Key::F(27), 57390, 'u'),
    (Key::F(28), 57391, 'u'),
    (Key::F(29), 57392, 'u'),
    (Key::F(30), 57393, 'u'),
    (Key::F(31), 57394, 'u'),
    (Key::F(32), 57395, 'u'),
    (Key::F(33), 57396, 'u'),
    (Key::F(34), 57397, 'u'),
    (Key::F(35), 57398, 'u'),
    (Key::Keypad(KeypadKey::Enter), 57414, 'u'),
    (Key::Keypad(KeypadKey::Left), 57417, 'u'),
    (Key::Keypad(KeypadKey::Right), 57418, 'u'),
    (Key::Keypad(KeypadKey::Up), 57419, 'u'),
    (Key::Keypad(KeypadKey::Down), 57420, 'u'),
    (Key::Keypad(KeypadKey::PageUp), 57421, 'u'),
    (Key::Keypad(KeypadKey::PageDown), 57422, 'u'),
    (Key::Keypad(KeypadKey::Home), 57423, 'u'),
    (Key::Keypad(KeypadKey::End), 57424, 'u'),
    (Key::Keypad(KeypadKey::Insert), 57425, 'u'),
    (Key::Keypad(KeypadKey::Delete), 57426, 'u'),
    (Key::Keypad(KeypadKey::Begin), 1, 'E'),
    (Key::Media(MediaKey::Play), 57428, 'u'),
    (Key::Media(MediaKey::Pause), 57429, 'u'),
    (Key::Media(MediaKey::PlayPause), 57430, 'u'),
    (Key::Media(MediaKey::Reverse), 57431, 'u'),
    (Key::Media(MediaKey::Stop), 57432, 'u'),
    (Key::Media(MediaKey::FastForward), 57433, 'u'),
    (Key::Media(MediaKey::Rewind), 57434, 'u'),
    (Key::Media(MediaKey::TrackNext), 57435, 'u'),
    (Key::Media(MediaKey::TrackPrevious), 57436, 'u'),
    (Key::Media(MediaKey::Record), 57437, 'u'),
    (Key::Media(MediaKey::LowerVolume), 57438, 'u'),
    (Key::Media(MediaKey::RaiseVolume), 57439, 'u'),
    (Key::Media(MediaKey::MuteVolume), 57440, 'u'),
];

/// Keypad keys that type: number and character.
const KEYPAD_TEXT: &[(KeypadKey, u32, char)] = &[
    (KeypadKey::Digit(0), 57399, '0'),
    (KeypadKey::Digit(1), 57400, '1'),
    (KeypadKey::Digit(2), 57401, '2'),
    (KeypadKey::Digit(3), 57402, '3'),
    (KeypadKey::Digit(4), 57403, '4'),
    (KeypadKey::Digit(5), 57404, '5'),
    (KeypadKey::Digit(6), 57405, '6'),
    (KeypadKey::Digit(7), 57406, '7'),
    (KeypadKey::Digit(8), 57407, '8'),
    (KeypadKey::Digit(9), 57408, '9'),
    (KeypadKey::Decimal, 57409, '.'),
    (KeypadKey::Divide, 57410, '/'),
    (KeypadKey::Multiply, 57411, '*'),
    (KeypadKey::Subtract, 57412, '-'),
    (KeypadKey::Add, 57413, '+'),
    (KeypadKey::Equal, 57415, '='),
    (KeypadKey::Separator, 57416, ','),
];

const MODIFIER_KEYS: &[(Key, u32, Modifiers)] = &[
    (Key::CapsLock, 57358, NONE),
    (Key::ScrollLock, 57359, NONE),
    (Key::NumLock, 57360, NONE),
    (Key::Modifier(ModifierKey::LeftShift), 57441, SHIFT),
    (Key::Modifier(ModifierKey::LeftControl), 57442, CTRL),
    (Key::Modifier(ModifierKey::LeftAlt), 57443, ALT),
    (Key::Modifier(ModifierKey::LeftSuper), 57444, Modifiers::SUPER),
    (Key::Modifier(ModifierKey::LeftHyper), 57445, Modifiers::HYPER),
    (Key::Modifier(ModifierKey::LeftMeta), 57446, Modifiers::META),
    (Key::Modifier(ModifierKey::RightShift), 57447, SHIFT),
    (Key::Modifier(ModifierKey::RightControl), 57448, CTRL),
    (Key::Modifier(ModifierKey::RightAlt), 57449, ALT),
    (Key::Modifier(ModifierKey::RightSuper), 57450, Modifiers::SUPER),
    (Key::Modifier(ModifierKey::RightHyper), 57451, Modifiers::HYPER),
    (Key::Modifier(ModifierKey::RightMeta), 57452, Modifiers::META),
    (Key::Modifier(ModifierKey::IsoLevel3Shift), 57453, NONE),
    (Key::Modifier(ModifierKey::IsoLevel5Shift), 57454, NONE),
];

/// Flags under which every key is unambiguous.
fn unambiguous() -> impl Iterator<Item = u8> {
    (0..32).filter(|flags| flags & 0b1001 != 0)
}

fn csi(number: u32, modifiers: u8, event: &str, end: char) -> String {
    match (u32::from(modifiers) + 1, event) {
        (1, "") if number == 1 => format!("\x1b[{end}"),
        (1, "") => format!("\x1b[{number}{end}"),
        (modifiers, event) => format!("\x1b[{number};{modifiers}{event}{end}"),
    }
}

#[test]
fn functional_keys_have_one_form_under_every_flag_and_modifier() {
    for flags in unambiguous() {
        let events = flags & 2 != 0;
        for &(functional, number, end) in FUNCTIONAL {
            for bits in 0..=255 {
                let event = key(functional, Modifiers::from_bits_retain(bits));
                assert_eq!(send(flags, event.clone()), csi(number, bits, "", end), "{event} with {flags}");
                let repeated = csi(number, bits, if events { ":2" } else { "" }, end);
                assert_eq!(send(flags, repeat(event.clone())), repeated, "{event} with {flags}");
                let released = if events { csi(number, bits, ":3", end) } else { String::new() };
                assert_eq!(send(flags, release(event.clone())), released, "{event} with {flags}");
            }
        }
    }
}

#[test]
fn the_cursor_key_mode_has_no_say_once_keys_are_unambiguous() {
    for flags in unambiguous() {
        let modes = InputModes {
            kitty: KittyFlags::from_bits(flags).unwrap(),
            application_cursor: true,
            application_keypad: true,
            modify_other_keys: 2,
            ..InputModes::default()
        };
        assert_eq!(encode_key(&key(Key::Up, NONE), &modes), b"\x1b[A");
        assert_eq!(encode_key(&key(Key::F(1), NONE), &modes), b"\x1b[P");
        assert_eq!(encode_key(&key(Key::Keypad(KeypadKey::Enter), NONE), &modes), b"\x1b[57414u");
        assert_eq!(encode_key(&key('c', CTRL), &modes), b"\x1b[99;5u", "modifyOtherKeys gives way");
    }
}

#[test]
fn disambiguation_leaves_text_enter_tab_and_backspace_as_they_were() {
    assert_eq!(send(1, key('a', NONE)), "a");
    assert_eq!(send(1, key('A', NONE)), "A");
    assert_eq!(send(1, key('1', SHIFT)), "!");
    assert_eq!(send(1, key(' ', NONE)), " ");
    assert_eq!(send(1, key('é', NONE)), "é");
    assert_eq!(send(1, key(Key::Enter, NONE)), "\r");
    assert_eq!(send(1, key(Key::Tab, NONE)), "\t");
    assert_eq!(send(1, key(Key::Backspace, NONE)), "\x7f");
    assert_eq!(send(1, key(Key::Enter, NUM_LOCK | CAPS_LOCK)), "\r");
    assert_eq!(send(1, key('a', CAPS_LOCK)), "A");
    // "The same bytes as in legacy mode", which has modes of its own.
    let modes = InputModes {
        kitty: KittyFlags::DISAMBIGUATE,
        linefeed_newline: true,
        backarrow_sends_backspace: true,
        ..InputModes::default()
    };
    assert_eq!(encode_key(&key(Key::Enter, NONE), &modes), b"\r\n");
    assert_eq!(encode_key(&key(Key::Backspace, NONE), &modes), b"\x08");
}

#[test]
fn disambiguation_gives_everything_else_an_escape_code() {
    let table: &[(KeyEvent, &str)] = &[
        (key(Key::Escape, NONE), "\x1b[27u"),
        (key('c', CTRL), "\x1b[99;5u"),
        (key('j', CTRL), "\x1b[106;5u"),
        (key('i', CTRL), "\x1b[105;5u"),
        (key('m', CTRL), "\x1b[109;5u"),
        (key('[', CTRL), "\x1b[91;5u"),
        (key('[', ALT), "\x1b[91;3u"),
        (key(' ', CTRL), "\x1b[32;5u"),
        (key('a', ALT), "\x1b[97;3u"),
        // The unshifted key, always.
        (key('A', ALT), "\x1b[97;4u"),
        (key('a', CTRL | SHIFT), "\x1b[97;6u"),
        (key('1', CTRL | SHIFT), "\x1b[49;6u"),
        (key('a', CTRL | ALT), "\x1b[97;7u"),
        (key('a', Modifiers::SUPER), "\x1b[97;9u"),
        (key('a', Modifiers::HYPER), "\x1b[97;17u"),
        (key('a', Modifiers::META), "\x1b[97;33u"),
        (key('с', CTRL), "\x1b[1089;5u"),
        (key(Key::Enter, SHIFT), "\x1b[13;2u"),
        (key(Key::Enter, CTRL), "\x1b[13;5u"),
        (key(Key::Enter, ALT), "\x1b[13;3u"),
        (key(Key::Tab, SHIFT), "\x1b[9;2u"),
        (key(Key::Tab, CTRL | SHIFT), "\x1b[9;6u"),
        (key(Key::Backspace, CTRL), "\x1b[127;5u"),
        (key(Key::Backspace, ALT), "\x1b[127;3u"),
        // Locks show wherever there is an escape code.
        (key('c', CTRL | NUM_LOCK), "\x1b[99;133u"),
        (key('c', CTRL | CAPS_LOCK), "\x1b[99;69u"),
        (key(Key::Up, NUM_LOCK), "\x1b[1;129A"),
        (key(Key::Enter, SHIFT | CAPS_LOCK), "\x1b[13;66u"),
    ];
    for (event, expected) in table {
        assert_eq!(send(1, event.clone()), *expected, "{event}");
    }
}

#[test]
fn keypad_keys_type_unless_something_keeps_them_from_it() {
    for &(keypad, number, character) in KEYPAD_TEXT {
        let keypad = Key::Keypad(keypad);
        assert_eq!(send(1, key(keypad, NUM_LOCK)), character.to_string());
        assert_eq!(send(1, key(keypad, CTRL)), csi(number, 4, "", 'u'));
        assert_eq!(send(8, key(keypad, NONE)), csi(number, 0, "", 'u'));
        assert_eq!(send(8 | 16, key(keypad, NUM_LOCK)), format!("\x1b[{number};129;{}u", u32::from(character)));
        assert_eq!(send(1 | 2, release(key(keypad, NONE))), csi(number, 0, ":3", 'u'));
    }
}

#[test]
fn events_show_on_all_but_text_and_the_keys_that_recover_a_shell() {
    for flags in [1 | 2, 1 | 2 | 4, 1 | 2 | 16] {
        assert_eq!(send(flags, key('a', NONE)), "a");
        assert_eq!(send(flags, repeat(key('a', NONE))), "a");
        assert_eq!(send(flags, release(key('a', NONE))), "\x1b[97;1:3u");
        assert_eq!(send(flags, key('a', CTRL)), "\x1b[97;5u");
        assert_eq!(send(flags, repeat(key('a', CTRL))), "\x1b[97;5:2u");
        assert_eq!(send(flags, release(key('a', CTRL))), "\x1b[97;5:3u");
        for recovery in [Key::Enter, Key::Tab, Key::Backspace] {
            assert_eq!(send(flags, release(key(recovery, NONE))), "");
            assert_eq!(send(flags, release(key(recovery, NUM_LOCK))), "");
            assert_eq!(send(flags, release(key(recovery, CTRL))), "");
        }
        assert_eq!(send(flags, repeat(key(Key::Enter, NONE))), "\r");
        assert_eq!(send(flags, repeat(key(Key::Enter, SHIFT))), "\x1b[13;2:2u");
    }
    assert_eq!(send(1 | 2 | 8, release(key(Key::Enter, NONE))), "\x1b[13;1:3u");
    assert_eq!(send(1 | 2 | 8, release(key(Key::Backspace, SHIFT))), "\x1b[127;2:3u");
    assert_eq!(send(1 | 2 | 8, repeat(key('a', NONE))), "\x1b[97;1:2u");
    for without_events in (0..32).filter(|flags| flags & 2 == 0) {
        assert_eq!(send(without_events, release(key('a', CTRL))), "");
        assert_eq!(send(without_events, release(key(Key::Up, NONE))), "");
    }
}

#[test]
fn alternate_keys_follow_the_key_code() {
    let table: &[(KeyEvent, &str)] = &[
        (key('a', CTRL | SHIFT), "\x1b[97:65;6u"),
        (key('1', CTRL | SHIFT), "\x1b[49:33;6u"),
        (key('=', CTRL | SHIFT), "\x1b[61:43;6u"),
        // The shifted key only with Shift.
        (key('a', CTRL).with_shifted('A'), "\x1b[97;5u"),
        (key('с', CTRL).with_base_layout('c'), "\x1b[1089::99;5u"),
        (key('с', CTRL | SHIFT).with_base_layout('c'), "\x1b[1089:1057:99;6u"),
        (key('a', CTRL).with_base_layout('a'), "\x1b[97;5u"),
        (key(' ', CTRL | SHIFT), "\x1b[32;6u"),
        (key('ß', CTRL | SHIFT).with_shifted('?'), "\x1b[223:63;6u"),
        (key(Key::Up, CTRL).with_base_layout('x'), "\x1b[1;5A"),
    ];
    for (event, expected) in table {
        assert_eq!(send(1 | 4, event.clone()), *expected, "{event}");
    }
    // Text is not touched, nor is anything when no other flag asks for escape codes.
    assert_eq!(send(1 | 4, key('A', NONE)), "A");
    assert_eq!(send(4, key('a', CTRL)), "\x01");
    assert_eq!(send(4, key('с', CTRL).with_base_layout('c')), "\x03");
    assert_eq!(send(4 | 8, key('A', NONE)), "\x1b[97:65;2u");
    assert_eq!(send(1 | 2 | 4, release(key('с', NONE).with_base_layout('c'))), "\x1b[1089::99;1:3u");
}

#[test]
fn all_keys_become_escape_codes() {
    let table: &[(KeyEvent, &str)] = &[
        (key('a', NONE), "\x1b[97u"),
        (key('A', NONE), "\x1b[97;2u"),
        (key('a', CAPS_LOCK), "\x1b[97;65u"),
        (key('a', NUM_LOCK), "\x1b[97;129u"),
        (key(' ', NONE), "\x1b[32u"),
        (key(Key::Enter, NONE), "\x1b[13u"),
        (key(Key::Enter, CTRL), "\x1b[13;5u"),
        (key(Key::Tab, NONE), "\x1b[9u"),
        (key(Key::Backspace, NONE), "\x1b[127u"),
        (key(Key::Escape, NONE), "\x1b[27u"),
        (key(Key::Up, NONE), "\x1b[A"),
    ];
    for (event, expected) in table {
        assert_eq!(send(8, event.clone()), *expected, "{event}");
        assert_eq!(send(8 | 1, event.clone()), *expected, "{event}");
    }
    assert_eq!(send(8, repeat(key('a', NONE))), "\x1b[97u");
}

#[test]
fn modifiers_are_keys_only_for_a_child_that_wants_all() {
    for &(modifier, number, own) in MODIFIER_KEYS {
        for flags in 0..32 {
            let pressed = if flags & 8 != 0 { csi(number, own.bits(), "", 'u') } else { String::new() };
            assert_eq!(send(flags, key(modifier, NONE)), pressed, "{modifier} with {flags}");
            assert_eq!(send(flags, key(modifier, own)), pressed, "{modifier} with {flags}");
            // Let go, its bit is what the other keys of its kind make it.
            let released = if flags & 10 == 10 { csi(number, 0, ":3", 'u') } else { String::new() };
            assert_eq!(send(flags, release(key(modifier, NONE))), released, "{modifier} with {flags}");
        }
    }
    assert_eq!(send(2 | 8, release(key(Key::Modifier(ModifierKey::LeftControl), CTRL))), "\x1b[57442;5:3u");
}

#[test]
fn associated_text_is_embedded_as_code_points() {
    let all = 8 | 16;
    // The specification's examples.
    assert_eq!(send(all, key('A', NONE)), "\x1b[97;2;65u");
    assert_eq!(send(all, KeyEvent::typed_text("å")), "\x1b[0;;229u");
    assert_eq!(send(all, key('a', NONE)), "\x1b[97;;97u");
    assert_eq!(send(all, key('a', SHIFT).with_text("AB")), "\x1b[97;2;65:66u");
    assert_eq!(send(all, key('1', SHIFT)), "\x1b[49;2;33u");
    assert_eq!(send(all, KeyEvent::typed_text("日本")), "\x1b[0;;26085:26412u");
    assert_eq!(send(all, key('a', CTRL)), "\x1b[97;5u");
    assert_eq!(send(all, key('q', CTRL | ALT).with_text("@")), "\x1b[113;7;64u");
    assert_eq!(send(all, key(Key::Enter, NONE).with_text("\r")), "\x1b[13u");
    assert_eq!(send(all, KeyEvent::typed_text("a\x07\u{9b}b")), "\x1b[0;;97:98u", "no control codes in text");
    assert_eq!(send(31, key('A', NONE)), "\x1b[97:65;2;65u");
    assert_eq!(send(31, repeat(key('a', NONE))), "\x1b[97;1:2;97u");
    assert_eq!(send(31, release(key('a', NONE))), "\x1b[97;1:3u");
    // Text with no key is text wherever it can't be embedded.
    for flags in (0..32).filter(|flags| flags & all != all) {
        assert_eq!(send(flags, KeyEvent::typed_text("å")), "å");
        assert_eq!(send(flags, key('\u{e0b0}', NONE)), "\u{e0b0}", "private-use characters are no key codes");
    }
    assert_eq!(send(all, key('\u{e0b0}', NONE)), "\x1b[0;;57520u");
}

#[test]
fn flags_that_do_not_disambiguate_leave_presses_alone() {
    for flags in [2, 4, 16, 2 | 4, 2 | 16, 4 | 16, 2 | 4 | 16] {
        let modes = InputModes {
            kitty: KittyFlags::from_bits(flags).unwrap(),
            application_cursor: true,
            modify_other_keys: 2,
            ..InputModes::default()
        };
        let table: &[(KeyEvent, &[u8])] = &[
            (key('a', CTRL), b"\x01"),
            (key('a', ALT), b"\x1ba"),
            (key('A', NONE), b"A"),
            (key(Key::Enter, SHIFT), b"\r"),
            (key(Key::Tab, SHIFT), b"\x1b[Z"),
            (key(Key::Escape, NONE), b"\x1b"),
            (key(Key::Up, NONE), b"\x1bOA"),
            (key(Key::Up, CTRL), b"\x1b[1;5A"),
            (key(Key::F(1), NUM_LOCK), b"\x1bOP"),
            (key(Key::Keypad(KeypadKey::Left), NONE), b"\x1bOD"),
            (key(Key::Menu, NONE), b"\x1b[29~"),
        ];
        for (event, expected) in table {
            assert_eq!(encode_key(event, &modes), *expected, "{event} with {flags}");
            if flags & 2 == 0 {
                assert_eq!(encode_key(&repeat(event.clone()), &modes), *expected, "{event} with {flags}");
            }
        }
    }
    assert_eq!(send(2, repeat(key('a', NONE))), "a");
    assert_eq!(send(2, release(key('a', NONE))), "\x1b[97;1:3u");
    assert_eq!(send(2, repeat(key('a', CTRL))), "\x1b[97;5:2u");
    assert_eq!(send(2, repeat(key(Key::Up, NONE))), "\x1b[1;1:2A");
    assert_eq!(send(2, release(key(Key::Escape, NONE))), "\x1b[27;1:3u");
    assert_eq!(send(2, release(key(Key::Enter, NONE))), "");
    // The keypad is not told apart yet.
    assert_eq!(send(2, release(key(Key::Keypad(KeypadKey::Left), NONE))), "\x1b[1;1:3D");
    assert_eq!(send(2, release(key(Key::Keypad(KeypadKey::Digit(5)), NONE))), "\x1b[53;1:3u");
    assert_eq!(send(2, repeat(key(Key::Keypad(KeypadKey::Enter), NONE))), "\r");
    assert_eq!(send(2, release(key(Key::Keypad(KeypadKey::Enter), NONE))), "");
    assert_eq!(send(2, release(key(Key::Keypad(KeypadKey::Begin), NONE))), "\x1b[1;1:3E");
}
