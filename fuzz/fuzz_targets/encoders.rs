//! Any key, mouse event, paste or text in any mode: nothing panics, no paste ends its bracket early, and printed keys
//! are parsed back to the same keys.
#![no_main]

use libfuzzer_sys::{
    arbitrary::{Arbitrary, Result, Unstructured},
    fuzz_target,
};
use vt::{
    InputModes, KittyFlags, MouseEncoding, MouseProtocol,
    input::{
        FocusChange, Key, KeyEvent, KeyEventKind, KeypadKey, MediaKey, ModifierKey, Modifiers, MouseButton, MouseEvent,
        MouseEventKind, PixelPosition, WheelDirection, encode_focus, encode_key, encode_mouse, encode_paste,
        encode_text, encode_wheel_as_arrows,
    },
};

#[derive(Debug)]
struct Input {
    modes: InputModes,
    event: KeyEvent,
    mouse: MouseEvent,
    wheel: i32,
    text: String,
}

impl<'a> Arbitrary<'a> for Input {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        Ok(Input {
            modes: modes(u)?,
            event: event(u)?,
            mouse: mouse(u)?,
            wheel: u.arbitrary()?,
            // Last, so that it gets all the remaining input.
            text: String::from_utf8_lossy(u.bytes(u.len())?).into_owned(),
        })
    }
}

fuzz_target!(|input: Input| {
    let Input { modes, event, mouse, wheel, text } = input;
    key_is_encoded(&event, &modes);
    key_reads_back(&event);
    text_is_a_key_or_an_error(&text);
    paste_stays_a_paste(&text, &modes);
    text_stays_text(&text, &modes);
    mouse_keeps_to_its_encoding(&mouse, &modes);
    if let Some(arrows) = encode_wheel_as_arrows(wheel, &modes) {
        assert_eq!(arrows.is_empty(), wheel == 0);
    }
    for focus in [FocusChange::Gained, FocusChange::Lost] {
        assert_eq!(encode_focus(focus, &modes).is_some(), modes.focus_events);
    }
});

fn key_is_encoded(event: &KeyEvent, modes: &InputModes) {
    let bytes = encode_key(event, modes);
    let text = std::str::from_utf8(&bytes).expect("keys are text");
    if event.kind == KeyEventKind::Release && !modes.kitty.contains(KittyFlags::REPORT_EVENTS) {
        assert_eq!(text, "", "a release that nobody asked for");
    }
    let control = matches!(event.key, Key::Char(character) if character.is_control());
    if modes.kitty.contains(KittyFlags::DISAMBIGUATE) && !control {
        match text.strip_prefix("\x1b[") {
            Some(sequence) => {
                let (last, parameters) = sequence.as_bytes().split_last().expect("a sequence has an end");
                assert!(b"u~ABCDEFHPQS".contains(last), "{text:?}");
                assert!(parameters.iter().all(|byte| matches!(byte, b'0'..=b'9' | b';' | b':')), "{text:?}");
            }
            None => {
                let recovers_a_shell = matches!(event.key, Key::Enter | Key::Tab | Key::Backspace)
                    || event.key == Key::Keypad(KeypadKey::Enter);
                assert!(recovers_a_shell || !text.contains(char::is_control), "{text:?}");
            }
        }
    }
}

fn key_reads_back(event: &KeyEvent) {
    let spelled = match event.key {
        Key::Char(character) => !character.is_control(),
        Key::F(number) => (1..=35).contains(&number),
        Key::Keypad(KeypadKey::Digit(digit)) => digit <= 9,
        Key::Unidentified => false,
        _ => true,
    };
    if spelled {
        let event = KeyEvent::new(event.key, event.modifiers);
        assert_eq!(event.to_string().parse::<KeyEvent>().as_ref(), Ok(&event));
    }
}

fn text_is_a_key_or_an_error(text: &str) {
    match text.parse::<KeyEvent>() {
        Ok(event) => assert_eq!(event.to_string().parse::<KeyEvent>().as_ref(), Ok(&event)),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn paste_stays_a_paste(text: &str, modes: &InputModes) {
    let bytes = encode_paste(text, &InputModes { bracketed_paste: true, ..*modes });
    let body = bytes.strip_prefix(b"\x1b[200~").and_then(|rest| rest.strip_suffix(b"\x1b[201~")).expect("a bracket");
    let body = std::str::from_utf8(body).expect("pastes are text");
    assert!(!body.contains(|character: char| character.is_control() && !matches!(character, '\t' | '\r')), "{body:?}");
    let visible = |text: &str| text.chars().filter(|character| !character.is_control()).collect::<String>();
    assert_eq!(visible(body), visible(text));
    assert_eq!(encode_paste(text, &InputModes { bracketed_paste: false, ..*modes }), body.as_bytes());
}

fn text_stays_text(text: &str, modes: &InputModes) {
    let enter = encode_key(&KeyEvent::press(Key::Enter), modes);
    let enter = std::str::from_utf8(&enter).expect("keys are text");
    let expected = text.replace("\r\n", "\n").replace('\n', enter);
    assert_eq!(encode_text(text, modes), expected.as_bytes());
}

fn mouse_keeps_to_its_encoding(event: &MouseEvent, modes: &InputModes) {
    let Some(bytes) = encode_mouse(event, modes) else { return };
    assert_ne!(modes.mouse, MouseProtocol::Off);
    match modes.mouse_encoding {
        MouseEncoding::Legacy => assert!(bytes.len() == 6 && bytes[3..].iter().all(|&byte| byte >= 32), "{bytes:?}"),
        MouseEncoding::Utf8 => assert_eq!(std::str::from_utf8(&bytes).expect("it says so").chars().count(), 6),
        MouseEncoding::Sgr | MouseEncoding::SgrPixels => assert!(bytes.starts_with(b"\x1b[<"), "{bytes:?}"),
        MouseEncoding::Urxvt => assert!(bytes.starts_with(b"\x1b[") && bytes.ends_with(b"M"), "{bytes:?}"),
    }
}

fn modes(u: &mut Unstructured<'_>) -> Result<InputModes> {
    use MouseEncoding::{Legacy, Sgr, SgrPixels, Urxvt, Utf8};
    use MouseProtocol::{AnyMotion, ButtonMotion, Normal, Off, X10};
    Ok(InputModes {
        application_cursor: u.arbitrary()?,
        application_keypad: u.arbitrary()?,
        linefeed_newline: u.arbitrary()?,
        backarrow_sends_backspace: u.arbitrary()?,
        bracketed_paste: u.arbitrary()?,
        focus_events: u.arbitrary()?,
        alternate_scroll: u.arbitrary()?,
        alternate_screen: u.arbitrary()?,
        // Also beyond the existing levels and flags.
        modify_other_keys: u.arbitrary()?,
        kitty: KittyFlags::from_bits_retain(u.arbitrary()?),
        mouse: *u.choose(&[Off, X10, Normal, ButtonMotion, AnyMotion])?,
        mouse_encoding: *u.choose(&[Legacy, Utf8, Sgr, Urxvt, SgrPixels])?,
    })
}

fn event(u: &mut Unstructured<'_>) -> Result<KeyEvent> {
    Ok(KeyEvent {
        key: key(u)?,
        modifiers: Modifiers::from_bits_retain(u.arbitrary()?),
        kind: *u.choose(&[KeyEventKind::Press, KeyEventKind::Repeat, KeyEventKind::Release])?,
        shifted: u.arbitrary()?,
        base_layout: u.arbitrary()?,
        text: u.arbitrary()?,
    })
}

fn key(u: &mut Unstructured<'_>) -> Result<Key> {
    const NAMED: &[Key] = &[
        Key::Enter,
        Key::Tab,
        Key::Backspace,
        Key::Escape,
        Key::Up,
        Key::Down,
        Key::Left,
        Key::Right,
        Key::Home,
        Key::End,
        Key::PageUp,
        Key::PageDown,
        Key::Insert,
        Key::Delete,
        Key::CapsLock,
        Key::ScrollLock,
        Key::NumLock,
        Key::PrintScreen,
        Key::Pause,
        Key::Menu,
        Key::Unidentified,
    ];
    const KEYPAD: &[KeypadKey] = &[
        KeypadKey::Decimal,
        KeypadKey::Divide,
        KeypadKey::Multiply,
        KeypadKey::Subtract,
        KeypadKey::Add,
        KeypadKey::Enter,
        KeypadKey::Equal,
        KeypadKey::Separator,
        KeypadKey::Left,
        KeypadKey::Right,
        KeypadKey::Up,
        KeypadKey::Down,
        KeypadKey::PageUp,
        KeypadKey::PageDown,
        KeypadKey::Home,
        KeypadKey::End,
        KeypadKey::Insert,
        KeypadKey::Delete,
        KeypadKey::Begin,
    ];
    const MEDIA: &[MediaKey] = &[
        MediaKey::Play,
        MediaKey::Pause,
        MediaKey::PlayPause,
        MediaKey::Reverse,
        MediaKey::Stop,
        MediaKey::FastForward,
        MediaKey::Rewind,
        MediaKey::TrackNext,
        MediaKey::TrackPrevious,
        MediaKey::Record,
        MediaKey::LowerVolume,
        MediaKey::RaiseVolume,
        MediaKey::MuteVolume,
    ];
    const MODIFIERS: &[ModifierKey] = &[
        ModifierKey::LeftShift,
        ModifierKey::LeftControl,
        ModifierKey::LeftAlt,
        ModifierKey::LeftSuper,
        ModifierKey::LeftHyper,
        ModifierKey::LeftMeta,
        ModifierKey::RightShift,
        ModifierKey::RightControl,
        ModifierKey::RightAlt,
        ModifierKey::RightSuper,
        ModifierKey::RightHyper,
        ModifierKey::RightMeta,
        ModifierKey::IsoLevel3Shift,
        ModifierKey::IsoLevel5Shift,
    ];
    Ok(match u.int_in_range(0..=7)? {
        0 | 1 => Key::Char(u.arbitrary()?),
        2 => *u.choose(NAMED)?,
        3 => Key::F(u.arbitrary()?),
        4 => Key::Keypad(*u.choose(KEYPAD)?),
        5 => Key::Keypad(KeypadKey::Digit(u.arbitrary()?)),
        6 => Key::Media(*u.choose(MEDIA)?),
        _ => Key::Modifier(*u.choose(MODIFIERS)?),
    })
}

fn mouse(u: &mut Unstructured<'_>) -> Result<MouseEvent> {
    use MouseButton::{Button8, Button9, Button10, Button11, Left, Middle, Right};
    const BUTTONS: &[MouseButton] = &[Left, Middle, Right, Button8, Button9, Button10, Button11];
    const WHEEL: &[WheelDirection] =
        &[WheelDirection::Up, WheelDirection::Down, WheelDirection::Left, WheelDirection::Right];
    let kind = match u.int_in_range(0..=4)? {
        0 => MouseEventKind::Press(*u.choose(BUTTONS)?),
        1 => MouseEventKind::Release(*u.choose(BUTTONS)?),
        2 => MouseEventKind::Motion(Some(*u.choose(BUTTONS)?)),
        3 => MouseEventKind::Motion(None),
        _ => MouseEventKind::Wheel(*u.choose(WHEEL)?),
    };
    let pixel = if u.arbitrary()? { Some(PixelPosition { x: u.arbitrary()?, y: u.arbitrary()? }) } else { None };
    Ok(MouseEvent {
        kind,
        col: u.arbitrary()?,
        row: u.arbitrary()?,
        pixel,
        modifiers: Modifiers::from_bits_retain(u.arbitrary()?),
    })
}
