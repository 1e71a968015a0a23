//! What holds for every input: encoders never panic, pastes stay pastes, keys read back as they print.

use proptest::prelude::*;
use vt::input::{
    Key, KeyEvent, KeyEventKind, KeypadKey, Modifiers, MouseButton, MouseEvent, MouseEventKind, PixelPosition,
    WheelDirection, encode_key, encode_mouse, encode_paste, encode_text,
};
use vt::{InputModes, KittyFlags, MouseEncoding, MouseProtocol};

use crate::input_grammar::all_keys;

fn modes() -> impl Strategy<Value = InputModes> {
    (any::<u8>(), any::<u8>(), any::<u8>(), 0..5usize, 0..5usize).prop_map(|(bits, kitty, level, mouse, encoding)| {
        let protocols = [
            MouseProtocol::Off,
            MouseProtocol::X10,
            MouseProtocol::Normal,
            MouseProtocol::ButtonMotion,
            MouseProtocol::AnyMotion,
        ];
        let encodings = [
            MouseEncoding::Legacy,
            MouseEncoding::Utf8,
            MouseEncoding::Sgr,
            MouseEncoding::Urxvt,
            MouseEncoding::SgrPixels,
        ];
        InputModes {
            application_cursor: bits & 1 != 0,
            application_keypad: bits & 2 != 0,
            linefeed_newline: bits & 4 != 0,
            backarrow_sends_backspace: bits & 8 != 0,
            bracketed_paste: bits & 16 != 0,
            focus_events: bits & 32 != 0,
            alternate_scroll: bits & 64 != 0,
            alternate_screen: bits & 128 != 0,
            // Beyond the levels and flags there are, too.
            modify_other_keys: level,
            kitty: KittyFlags::from_bits_retain(kitty),
            mouse: protocols[mouse],
            mouse_encoding: encodings[encoding],
        }
    })
}

fn modifiers() -> impl Strategy<Value = Modifiers> {
    any::<u8>().prop_map(Modifiers::from_bits_retain)
}

fn key() -> impl Strategy<Value = Key> {
    let named: Vec<Key> = all_keys().collect();
    prop_oneof![prop::sample::select(named), any::<char>().prop_map(Key::Char)]
}

/// Any event that can be built, sensible or not.
fn event() -> impl Strategy<Value = KeyEvent> {
    let any_key = prop_oneof![
        key(),
        any::<u8>().prop_map(Key::F),
        any::<u8>().prop_map(|digit| Key::Keypad(KeypadKey::Digit(digit))),
        Just(Key::Unidentified),
    ];
    let kinds = [KeyEventKind::Press, KeyEventKind::Repeat, KeyEventKind::Release];
    let optional = prop::option::of(any::<char>());
    (any_key, modifiers(), prop::sample::select(kinds.to_vec()), optional.clone(), optional, prop::option::of(".{0,4}"))
        .prop_map(|(key, modifiers, kind, shifted, base_layout, text)| KeyEvent {
            key,
            modifiers,
            kind,
            shifted,
            base_layout,
            text,
        })
}

/// Text made of what would end a bracketed paste, whole and in pieces, among anything else.
fn hostile_text() -> impl Strategy<Value = String> {
    let pieces = ["\x1b", "[", "2", "0", "1", "~", "\x1b[201~", "\u{9b}", "\u{9b}201~", "\x1b[200~", "\r", "\n", "\0"];
    let piece = prop_oneof![4 => prop::sample::select(pieces.to_vec()).prop_map(String::from), 1 => any::<String>()];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_event_in_any_mode_has_an_encoding(event in event(), modes in modes()) {
        let bytes = encode_key(&event, &modes);
        prop_assert!(String::from_utf8(bytes.clone()).is_ok());
        if event.kind == KeyEventKind::Release && !modes.kitty.contains(KittyFlags::REPORT_EVENTS) {
            prop_assert!(bytes.is_empty());
        }
    }

    /// A child that parses escape sequences finds the end of each one: no stray byte follows or precedes.
    #[test]
    fn unambiguous_keys_are_text_or_one_sequence(event in event(), mut modes in modes()) {
        modes.kitty |= KittyFlags::DISAMBIGUATE;
        let control = matches!(event.key, Key::Char(character) if character.is_control());
        prop_assume!(!control);
        let text = String::from_utf8(encode_key(&event, &modes)).unwrap();
        match text.strip_prefix("\x1b[") {
            Some(sequence) => {
                let (end, parameters) = sequence.as_bytes().split_last().unwrap();
                prop_assert!(b"u~ABCDEFHPQS".contains(end), "{:?}", text);
                prop_assert!(parameters.iter().all(|byte| matches!(byte, b'0'..=b'9' | b';' | b':')), "{:?}", text);
            }
            None => {
                let recovery = matches!(event.key, Key::Enter | Key::Tab | Key::Backspace);
                prop_assert!(recovery || !text.contains(char::is_control), "{:?}", text);
            }
        }
    }

    #[test]
    fn keys_read_back_as_they_print(key in key(), modifiers in modifiers()) {
        let control = matches!(key, Key::Char(character) if character.is_control());
        prop_assume!(!control);
        let event = KeyEvent::new(key, modifiers);
        prop_assert_eq!(event.to_string().parse::<KeyEvent>(), Ok(event));
    }

    #[test]
    fn any_string_is_a_key_or_an_error_that_says_something(input in any::<String>()) {
        match input.parse::<KeyEvent>() {
            Ok(event) => prop_assert_eq!(event.to_string().parse::<KeyEvent>(), Ok(event)),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn strings_of_the_grammars_own_pieces_never_panic(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "ctrl", "C", "alt", "shift", "+", "-", "^", "kp", "_", "f", "1", "enter", "page", "up", "é", "\u{301}", " ",
        ]), 0..8)
    ) {
        if let Ok(event) = pieces.concat().parse::<KeyEvent>() {
            prop_assert_eq!(event.to_string().parse::<KeyEvent>(), Ok(event));
        }
    }

    #[test]
    fn no_paste_ends_its_bracket_early(text in hostile_text()) {
        let modes = InputModes { bracketed_paste: true, ..InputModes::default() };
        let bytes = encode_paste(&text, &modes);
        let body = bytes.strip_prefix(b"\x1b[200~").unwrap().strip_suffix(b"\x1b[201~").unwrap();
        let body = std::str::from_utf8(body).unwrap();
        prop_assert!(!body.contains(|character: char| character.is_control() && !matches!(character, '\t' | '\r')));
        // What was not a control character is all there, in order.
        let kept: String = body.chars().filter(|character| !character.is_control()).collect();
        let given: String = text.chars().filter(|character| !character.is_control()).collect();
        prop_assert_eq!(kept, given);
        prop_assert_eq!(encode_paste(&text, &InputModes::default()), body.as_bytes());
    }

    #[test]
    fn typed_text_keeps_everything_but_line_ends(text in hostile_text(), modes in modes()) {
        let bytes = encode_text(&text, &modes);
        let lines = text.matches('\n').count();
        if lines == 0 {
            prop_assert_eq!(bytes, text.as_bytes());
        } else {
            let enter = encode_key(&KeyEvent::press(Key::Enter), &modes);
            let expected = text.replace("\r\n", "\n").replace('\n', std::str::from_utf8(&enter).unwrap());
            prop_assert_eq!(bytes, expected.as_bytes());
        }
    }

    #[test]
    fn mouse_reports_stay_within_their_encoding(
        button in 0..7usize, kind in 0..5usize, col in any::<u16>(), row in any::<u16>(),
        pixel in prop::option::of((any::<u32>(), any::<u32>())), modifiers in modifiers(), modes in modes(),
    ) {
        let buttons = [
            MouseButton::Left, MouseButton::Middle, MouseButton::Right, MouseButton::Button8, MouseButton::Button9,
            MouseButton::Button10, MouseButton::Button11,
        ];
        let kind = match kind {
            0 => MouseEventKind::Press(buttons[button]),
            1 => MouseEventKind::Release(buttons[button]),
            2 => MouseEventKind::Motion(Some(buttons[button])),
            3 => MouseEventKind::Motion(None),
            _ => MouseEventKind::Wheel(if button < 3 { WheelDirection::Up } else { WheelDirection::Left }),
        };
        let pixel = pixel.map(|(x, y)| PixelPosition { x, y });
        let Some(bytes) = encode_mouse(&MouseEvent { kind, col, row, pixel, modifiers }, &modes) else { return Ok(()) };
        prop_assert!(modes.mouse != MouseProtocol::Off);
        match modes.mouse_encoding {
            MouseEncoding::Legacy => {
                prop_assert_eq!(bytes.len(), 6);
                prop_assert!(bytes[3..].iter().all(|&byte| byte >= 32));
            }
            MouseEncoding::Utf8 => prop_assert_eq!(std::str::from_utf8(&bytes).unwrap().chars().count(), 6),
            MouseEncoding::Sgr | MouseEncoding::SgrPixels => prop_assert!(bytes.starts_with(b"\x1b[<")),
            MouseEncoding::Urxvt => prop_assert!(bytes.ends_with(b"M")),
        }
    }
}
