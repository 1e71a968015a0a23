//! Host bytes become events: keys come back as they were encoded, and nothing else is ever typed.

use std::time::Duration;

use proptest::prelude::*;
use tui::{ColorScheme, HostDecoder, HostEvent, Reply};
use vt::{
    InputModes, KittyFlags, MouseEncoding, MouseProtocol, Position, Rgb,
    input::{
        FocusChange, Key, KeyEvent, KeyEventKind, KeypadKey, Modifiers, MouseButton, MouseEvent, MouseEventKind,
        WheelDirection, encode_key, encode_mouse, encode_paste,
    },
};

fn decoded(bytes: impl AsRef<[u8]>) -> Vec<HostEvent> {
    let mut decoder = HostDecoder::new();
    let mut events = Vec::new();
    decoder.feed(bytes.as_ref(), &mut events);
    decoder.expire(&mut events);
    assert_eq!(decoder.wait(), None, "nothing is held after it expired");
    events
}

fn keys(bytes: impl AsRef<[u8]>) -> String {
    let spelled = decoded(bytes).into_iter().map(|event| match event {
        HostEvent::Key(key) => key.to_string(),
        other => format!("{other:?}"),
    });
    spelled.collect::<Vec<_>>().join(" ")
}

fn all_keys() -> Vec<Key> {
    let numbered = (57344..57500).filter_map(|number| Key::from_csi(number, b'u'));
    let others = [9, 13, 27, 127].into_iter().filter_map(|number| Key::from_csi(number, b'u'));
    let lettered = b"ABCDEFHPQS".iter().filter_map(|&end| Key::from_csi(1, end));
    let tilde = (1..60).filter_map(|number| Key::from_csi(number, b'~'));
    numbered.chain(others).chain(lettered).chain(tilde).collect()
}

fn key() -> impl Strategy<Value = Key> {
    prop_oneof![
        3 => prop::sample::select(all_keys()),
        2 => (b' '..=b'~').prop_map(|byte| Key::Char(char::from(byte))),
        1 => any::<char>().prop_filter("no control characters", |c| !c.is_control()).prop_map(Key::Char),
    ]
}

fn only_key(events: &[HostEvent]) -> Option<&KeyEvent> {
    match events {
        [HostEvent::Key(key)] => Some(key),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// With every enhancement on, nothing of a key is lost.
    #[test]
    fn kitty_keys_come_back(
        key in key(), modifiers in any::<u8>(), kind in 0..3usize,
        base in prop::option::of(prop::char::range('a', 'z')), text in prop::option::of("[a-zä漢]{1,3}"),
    ) {
        let modes = InputModes { kitty: KittyFlags::all(), ..InputModes::default() };
        let kind = [KeyEventKind::Press, KeyEventKind::Repeat, KeyEventKind::Release][kind];
        let mut event = KeyEvent::new(key, Modifiers::from_bits_truncate(modifiers)).with_kind(kind);
        event.base_layout = base;
        event.text = text;
        let bytes = encode_key(&event, &modes);
        let private = matches!(key, Key::Char('\u{e000}'..='\u{f8ff}'));
        prop_assume!(!bytes.is_empty() && !private);
        let events = decoded(&bytes);
        let back = only_key(&events).expect("one key");
        prop_assert_eq!(back.key, event.key);
        prop_assert_eq!(back.kind, event.kind);
        if !matches!(key, Key::Modifier(_)) {
            prop_assert_eq!(back.modifiers, event.modifiers);
        }
        prop_assert_eq!(encode_key(back, &modes), bytes);
    }

    /// In any mode, what was decoded sends the same bytes again: a child in the mode of the host can't tell us from
    /// the host. Left out are locks and Ctrl with Backspace, which xterm itself writes as other keys.
    #[test]
    fn keys_of_any_mode_send_the_same_bytes_again(
        key in key(), modifiers in 0u8..64, kitty in 0u8..32, level in 0u8..3,
        application_cursor in any::<bool>(), application_keypad in any::<bool>(),
    ) {
        let modes = InputModes {
            application_cursor, application_keypad, modify_other_keys: level,
            kitty: KittyFlags::from_bits_truncate(kitty), ..InputModes::default()
        };
        let modifiers = Modifiers::from_bits_truncate(modifiers);
        prop_assume!(!(key == Key::Backspace && modifiers.contains(Modifiers::CTRL)));
        let event = KeyEvent::new(key, modifiers);
        let bytes = encode_key(&event, &modes);
        let again: Vec<u8> = decoded(&bytes).iter().flat_map(|event| match event {
            HostEvent::Key(key) => encode_key(key, &modes),
            other => panic!("{other:?} is no key"),
        }).collect();
        prop_assert_eq!(again, bytes);
    }

    #[test]
    fn any_chunking_gives_the_same_events(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "a", "é", "漢", "\x1b[A", "\x1b[97:65;2:3;65u", "\x1b]11;rgb:1/2/3\x1b\\", "\x1b[<0;3;4M", "\x1b[200~a\x1b[20b\x1b[201~",
            "\x1bP>|x 1\x1b\\", "\x1b[27;5;99~", "\x1bOP", "\x1b[I", "\r", "\x1bx", "\x1b[?997;2n", "\x1b]", "\x1b[", "\x1b",
        ]), 0..12),
        cut in any::<prop::sample::Index>(),
    ) {
        let bytes = pieces.concat().into_bytes();
        let whole = decoded(&bytes);
        let cut = cut.index(bytes.len() + 1);
        let mut decoder = HostDecoder::new();
        let mut events = Vec::new();
        decoder.feed(&bytes[..cut], &mut events);
        for byte in &bytes[cut..] {
            decoder.feed(&[*byte], &mut events);
        }
        decoder.expire(&mut events);
        prop_assert_eq!(events, whole);
    }

    #[test]
    fn noise_never_panics_and_is_never_held_for_good(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        decoded(&bytes);
    }

    /// A sequence that is whole and means nothing to us types nothing.
    #[test]
    fn unknown_sequences_are_dropped(
        prefix in prop::sample::select(vec!["", "?", ">", "=", "<"]), params in "[0-9;:]{0,12}",
        intermediate in prop::sample::select(vec!["", " ", "!", "$", "'"]), end in prop::char::range('@', '~'),
    ) {
        prop_assume!(!(prefix.is_empty() && params.is_empty() && intermediate.is_empty()));
        let known = prefix.is_empty() && intermediate.is_empty();
        for event in decoded(format!("\x1b[{prefix}{params}{intermediate}{end}x")) {
            let typed = matches!(&event, HostEvent::Key(key) if matches!(key.key, Key::Char(c) if c != 'x'));
            prop_assert!(known || !typed, "{:?}", event);
        }
    }

    #[test]
    fn mouse_reports_come_back(kind in 0..6usize, col in 0u16..3000, row in 0u16..3000, modifiers in 0u8..8) {
        let kind = [
            MouseEventKind::Press(MouseButton::Left),
            MouseEventKind::Release(MouseButton::Middle),
            MouseEventKind::Motion(Some(MouseButton::Right)),
            MouseEventKind::Motion(None),
            MouseEventKind::Wheel(WheelDirection::Down),
            MouseEventKind::Press(MouseButton::Button9),
        ][kind];
        let modifiers = Modifiers::from_bits_truncate(modifiers);
        let event = MouseEvent { kind, col, row, pixel: None, modifiers };
        let modes = InputModes { mouse: MouseProtocol::AnyMotion, mouse_encoding: MouseEncoding::Sgr, ..InputModes::default() };
        prop_assert_eq!(decoded(encode_mouse(&event, &modes).unwrap()), vec![HostEvent::Mouse(event)]);
    }

    #[test]
    fn pastes_come_back(text in "[ -~é漢\n\t]{1,60}", cut in any::<prop::sample::Index>()) {
        let modes = InputModes { bracketed_paste: true, ..InputModes::default() };
        let bytes = encode_paste(&text, &modes);
        let mut decoder = HostDecoder::new();
        let mut events = Vec::new();
        let (first, second) = bytes.split_at(cut.index(bytes.len()));
        decoder.feed(first, &mut events);
        decoder.feed(second, &mut events);
        decoder.feed(b"x", &mut events);
        prop_assert_eq!(events, vec![HostEvent::Paste(text), HostEvent::Key(KeyEvent::press('x'))]);
    }
}

#[test]
fn plain_bytes_are_keys() {
    assert_eq!(keys("aA é\r\t\x7f"), "a shift+a space é enter tab backspace");
    assert_eq!(keys("\x01\x1a\x1c\x1f\x00"), "ctrl+a ctrl+z ctrl+\\ ctrl+_ ctrl+space");
    assert_eq!(decoded("\n"), [HostEvent::Key(KeyEvent::press('\n'))]);
}

#[test]
fn an_escape_alone_waits_for_what_may_follow() {
    let mut decoder = HostDecoder::new();
    let mut events = Vec::new();
    decoder.feed(b"\x1b", &mut events);
    assert!(events.is_empty());
    assert!(decoder.wait().is_some_and(|wait| wait <= Duration::from_millis(50)));
    decoder.expire(&mut events);
    assert_eq!(events, [HostEvent::Key(KeyEvent::press(Key::Escape))]);
    assert_eq!(keys("\x1bx"), "alt+x");
    assert_eq!(keys("\x1b\x1b"), "escape escape");
    assert_eq!(keys("\x1b["), "alt+[");
    assert_eq!(keys("\x1bO"), "alt+shift+o");
    assert_eq!(keys("\x1b]"), "alt+]");
    assert_eq!(keys("\x1bPa"), "alt+shift+p a");
    assert_eq!(keys("\x1bé"), "alt+é");
}

#[test]
fn legacy_and_modified_keys() {
    assert_eq!(keys("\x1b[A\x1bOB\x1b[1;5C\x1b[3~\x1b[3;2~\x1b[Z"), "up down ctrl+right delete shift+delete shift+tab");
    assert_eq!(keys("\x1bOP\x1b[15~\x1b[24;6~\x1b[1;2R"), "f1 f5 ctrl+shift+f12 shift+f3");
    assert_eq!(keys("\x1b[27;5;99~\x1b[27;2;13~\x1b[27;6;65~"), "ctrl+c shift+enter ctrl+shift+a");
    assert_eq!(keys("\x1b[[A\x1b[7~\x1b[8~"), "f1 home end");
    assert_eq!(keys("\x1bOM\x1bOy\x1bO5k"), "kp_enter kp_9 ctrl+kp_add");
}

#[test]
fn kitty_keys_keep_layout_text_and_release() {
    let events = decoded("\x1b[1089::99;5u\x1b[97;1:3u\x1b[57399;129u\x1b[0;;228:252u");
    let [HostEvent::Key(cyrillic), HostEvent::Key(release), HostEvent::Key(keypad), HostEvent::Key(text)] = &events[..]
    else {
        panic!("{events:?}")
    };
    assert_eq!((cyrillic.key, cyrillic.base_layout), (Key::Char('с'), Some('c')));
    assert_eq!((release.key, release.kind), (Key::Char('a'), KeyEventKind::Release));
    assert_eq!((keypad.key, keypad.modifiers), (Key::Keypad(KeypadKey::Digit(0)), Modifiers::NUM_LOCK));
    assert_eq!((text.key, text.text.as_deref()), (Key::Unidentified, Some("äü")));
}

#[test]
fn replies_are_never_keys() {
    let stream = "\x1b[?62;22c\x1bP>|ghostty 1.2\x1b\\\x1b[?5u\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\\x1b]10;#ffffff\x07\
        \x1b[?2026;2$y\x1bP1+r524742=382f382f38\x1b\\\x1bP0+r524742\x1b\\\x1b[?997;2n\x1b[I\x1b[O";
    assert_eq!(
        decoded(stream),
        [
            HostEvent::Reply(Reply::DeviceAttributes(vec![62, 22])),
            HostEvent::Reply(Reply::Version("ghostty 1.2".into())),
            HostEvent::Reply(Reply::KittyKeyboard(5)),
            HostEvent::Reply(Reply::Color { number: 11, value: Rgb::new(0x1e, 0x1e, 0x2e) }),
            HostEvent::Reply(Reply::Color { number: 10, value: Rgb::new(255, 255, 255) }),
            HostEvent::Reply(Reply::Mode { number: 2026, state: 2 }),
            HostEvent::Reply(Reply::Capability { name: "RGB".into(), value: Some("8/8/8".into()) }),
            HostEvent::Reply(Reply::Capability { name: "RGB".into(), value: None }),
            HostEvent::ColorScheme(ColorScheme::Light),
            HostEvent::Focus(FocusChange::Gained),
            HostEvent::Focus(FocusChange::Lost),
        ]
    );
    // What nobody asked for, secondary attributes, window reports, and a reply with a broken end.
    assert_eq!(keys("\x1b[>1;10;0c\x1b[8;24;80t\x1b]52;c;aGk=\x1b\\\x1bP1$r0m\x1b\\\x1b]11;rgb:\x18x"), "x");
}

#[test]
fn a_position_is_a_reply_only_when_it_was_asked_for() {
    let mut decoder = HostDecoder::new();
    let mut events = Vec::new();
    decoder.expect_positions(1);
    decoder.feed(b"\x1b[1;5R\x1b[1;5R", &mut events);
    assert_eq!(
        events,
        [
            HostEvent::Reply(Reply::CursorPosition(Position { row: 0, col: 4 })),
            HostEvent::Key(KeyEvent::new(Key::F(3), Modifiers::CTRL))
        ]
    );
}

#[test]
fn endless_input_is_bounded() {
    let mut decoder = HostDecoder::new();
    let mut events = Vec::new();
    decoder.feed(b"\x1b[", &mut events);
    (0..1000).for_each(|_| decoder.feed(&[b'1'; 1000], &mut events));
    decoder.feed(b"mx\x1b]1", &mut events);
    (0..1000).for_each(|_| decoder.feed(&[b'y'; 1000], &mut events));
    decoder.feed(b"\x07z", &mut events);
    assert_eq!(events.len(), 2, "only x and z were typed");
    events.clear();
    decoder.feed(b"\x1b[200~", &mut events);
    (0..3000).for_each(|_| decoder.feed("é".repeat(500).as_bytes(), &mut events));
    decoder.feed(b"\x1b[201~", &mut events);
    let texts: Vec<&String> = events
        .iter()
        .map(|event| match event {
            HostEvent::Paste(text) => text,
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(texts.len() > 2 && texts.iter().all(|text| text.len() <= 1 << 20));
    assert_eq!(texts.iter().map(|text| text.chars().filter(|&c| c == 'é').count()).sum::<usize>(), 1_500_000);
}

#[test]
fn a_paste_that_lost_its_end_gives_the_keyboard_back() {
    let mut decoder = HostDecoder::new();
    let mut events = Vec::new();
    decoder.feed(b"\x1b[200~half", &mut events);
    assert!(decoder.wait().is_some_and(|wait| wait >= Duration::from_secs(2)));
    decoder.expire(&mut events);
    decoder.feed(b"q", &mut events);
    assert_eq!(events, [HostEvent::Paste("half".into()), HostEvent::Key(KeyEvent::press('q'))]);
}

#[test]
fn old_mouse_reports_are_read_too() {
    let events = decoded(b"\x1b[M !!\x1b[M#\"\"\x1b[M`!!");
    let kinds: Vec<_> = events
        .iter()
        .map(|event| match event {
            HostEvent::Mouse(mouse) => (mouse.kind, mouse.col),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        kinds,
        [
            (MouseEventKind::Press(MouseButton::Left), 0),
            (MouseEventKind::Release(MouseButton::Left), 1),
            (MouseEventKind::Wheel(WheelDirection::Up), 0)
        ]
    );
}
