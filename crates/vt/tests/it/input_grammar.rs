//! How keys are written and printed.

use vt::input::{Key, KeyEvent, KeyEventKind, KeyParseError, KeypadKey, MediaKey, ModifierKey, Modifiers};

const NONE: Modifiers = Modifiers::empty();
const SHIFT: Modifiers = Modifiers::SHIFT;
const ALT: Modifiers = Modifiers::ALT;
const CTRL: Modifiers = Modifiers::CTRL;

fn read(input: &str) -> KeyEvent {
    input.parse().unwrap_or_else(|error| panic!("{input:?}: {error}"))
}

fn refused(input: &str) -> KeyParseError {
    input.parse::<KeyEvent>().expect_err(input)
}

#[test]
fn every_spelling_reads_as_the_key_it_names() {
    let table: &[(&[&str], Key, Modifiers)] = &[
        (
            &["ctrl-c", "ctrl+c", "C-c", "^C", "^c", "Ctrl+C", "CTRL-c", "control+c", "C-C", "ctl-c"],
            Key::Char('c'),
            CTRL,
        ),
        (&["alt+x", "M-x", "meta+x", "alt-x", "A-x", "option+x", "Meta-x"], Key::Char('x'), ALT),
        (&["alt+X", "M-X", "alt+shift+x", "shift+alt+x", "alt+shift+X"], Key::Char('x'), ALT | SHIFT),
        (&["ctrl+shift+c", "C-S-c", "shift-ctrl-C"], Key::Char('c'), CTRL | SHIFT),
        (&["alt+shift+left", "M-S-Left", "Alt-Shift-ArrowLeft"], Key::Left, ALT | SHIFT),
        (&["shift+tab", "S-Tab", "backtab", "BTab"], Key::Tab, SHIFT),
        (&["f5", "F5"], Key::F(5), NONE),
        (&["f35"], Key::F(35), NONE),
        (&["ctrl+f12", "C-F12"], Key::F(12), CTRL),
        (&["enter", "return", "Enter", "RETURN", "ret", "cr"], Key::Enter, NONE),
        (&["shift+enter", "S-Enter"], Key::Enter, SHIFT),
        (&["esc", "escape", "Esc"], Key::Escape, NONE),
        (&["tab"], Key::Tab, NONE),
        (&["space", "spc", " "], Key::Char(' '), NONE),
        (&["ctrl+space", "ctrl- ", "C-Space"], Key::Char(' '), CTRL),
        (&["pageup", "pgup", "page-up", "page_up", "PageUp", "PPage"], Key::PageUp, NONE),
        (&["pagedown", "pgdn", "page-down", "NPage"], Key::PageDown, NONE),
        (&["ctrl+page-up", "ctrl-page-up", "C-pgup"], Key::PageUp, CTRL),
        (&["del", "delete", "DC"], Key::Delete, NONE),
        (&["bs", "backspace", "BSpace"], Key::Backspace, NONE),
        (&["ins", "insert", "IC"], Key::Insert, NONE),
        (&["up", "arrowup"], Key::Up, NONE),
        (&["down"], Key::Down, NONE),
        (&["right"], Key::Right, NONE),
        (&["home"], Key::Home, NONE),
        (&["end"], Key::End, NONE),
        (&["+"], Key::Char('+'), NONE),
        (&["-"], Key::Char('-'), NONE),
        (&["ctrl++", "ctrl-+", "C-+"], Key::Char('+'), CTRL),
        (&["ctrl--", "ctrl+-", "C--"], Key::Char('-'), CTRL),
        (&["^"], Key::Char('^'), NONE),
        (&["^^", "ctrl+^"], Key::Char('^'), CTRL),
        (&["^["], Key::Char('['), CTRL),
        (&["^?"], Key::Char('?'), CTRL),
        (&["^@"], Key::Char('@'), CTRL),
        (&["a"], Key::Char('a'), NONE),
        (&["A", "shift+a", "shift+A", "S-a"], Key::Char('a'), SHIFT),
        (&["C"], Key::Char('c'), SHIFT),
        (&["é"], Key::Char('é'), NONE),
        (&["É", "shift+é"], Key::Char('é'), SHIFT),
        (&["ctrl+с"], Key::Char('с'), CTRL),
        (&["日"], Key::Char('日'), NONE),
        (&["😀"], Key::Char('😀'), NONE),
        (&["ß"], Key::Char('ß'), NONE),
        (&["super+k", "cmd+K", "win-k", "command+k"], Key::Char('k'), Modifiers::SUPER),
        (&["hyper+k", "H-k"], Key::Char('k'), Modifiers::HYPER),
        (&["kp_enter", "KP_Enter", "kpenter", "kp-enter"], Key::Keypad(KeypadKey::Enter), NONE),
        (&["kp_5", "kp5", "KP_5"], Key::Keypad(KeypadKey::Digit(5)), NONE),
        (&["kp_0"], Key::Keypad(KeypadKey::Digit(0)), NONE),
        (&["kp_add", "kp_plus"], Key::Keypad(KeypadKey::Add), NONE),
        (&["num_lock+kp_5"], Key::Keypad(KeypadKey::Digit(5)), Modifiers::NUM_LOCK),
        (&["caps_lock", "CapsLock"], Key::CapsLock, NONE),
        (&["print_screen", "PrintScreen"], Key::PrintScreen, NONE),
        (&["media_play_pause"], Key::Media(MediaKey::PlayPause), NONE),
        (&["left_shift", "left-shift"], Key::Modifier(ModifierKey::LeftShift), NONE),
        (&["shift+left", "shift-left"], Key::Left, SHIFT),
        (&["ctrl+ctrl+c"], Key::Char('c'), CTRL),
    ];
    for (spellings, key, modifiers) in table {
        for spelling in *spellings {
            let event = read(spelling);
            assert_eq!((event.key, event.modifiers), (*key, *modifiers), "{spelling:?}");
            assert_eq!(event, KeyEvent::new(*key, *modifiers), "{spelling:?}");
            assert_eq!(event.kind, KeyEventKind::Press);
        }
    }
}

#[test]
fn what_is_no_key_is_refused_by_its_part() {
    let missing = |input: &str| KeyParseError::MissingKey { input: input.into() };
    let modifier = |part: &str, input: &str| KeyParseError::UnknownModifier { part: part.into(), input: input.into() };
    let key = |part: &str, input: &str| KeyParseError::UnknownKey { part: part.into(), input: input.into() };
    let control = |character| KeyParseError::ControlCharacter { character };
    let table: &[(&str, KeyParseError)] = &[
        ("", KeyParseError::Empty),
        ("ctrl", missing("ctrl")),
        ("ctrl+", missing("ctrl+")),
        ("ctrl+shift-", missing("ctrl+shift-")),
        ("ctrl+shift", missing("ctrl+shift")),
        ("C-", missing("C-")),
        ("cntrl+c", modifier("cntrl", "cntrl+c")),
        ("ctrl+foo+c", modifier("foo", "ctrl+foo+c")),
        ("c-c", modifier("c", "c-c")),
        ("a+b", modifier("a", "a+b")),
        ("ctrl + c", modifier("ctrl ", "ctrl + c")),
        ("--", modifier("-", "--")),
        ("ctrl+++", modifier("+", "ctrl+++")),
        ("pgupp", key("pgupp", "pgupp")),
        ("ctrl+pgupp", key("pgupp", "ctrl+pgupp")),
        ("hello", key("hello", "hello")),
        ("f0", key("f0", "f0")),
        ("f36", key("f36", "f36")),
        ("f05", key("f05", "f05")),
        ("f+5", modifier("f", "f+5")),
        ("f-5", modifier("f", "f-5")),
        ("f999999999999", key("f999999999999", "f999999999999")),
        ("kp_10", key("kp_10", "kp_10")),
        ("^é", key("^é", "^é")),
        ("^CC", key("^CC", "^CC")),
        ("e\u{301}", key("e\u{301}", "e\u{301}")),
        ("\n", control('\n')),
        ("\x1b", control('\x1b')),
        ("ctrl+\x03", control('\x03')),
        ("\u{9b}", control('\u{9b}')),
    ];
    for (input, error) in table {
        assert_eq!(&refused(input), error, "{input:?}");
    }
}

#[test]
fn messages_say_what_to_write_instead() {
    for (input, words) in [
        ("", ["one character", "ctrl-c"]),
        ("cntrl+c", ["\"cntrl\"", "ctrl, alt, shift"]),
        ("pgupp", ["\"pgupp\"", "pageup"]),
        ("ctrl+", ["\"ctrl+\"", "ctrl-c"]),
        ("\r", ["'\\r'", "enter"]),
    ] {
        let message = refused(input).to_string();
        for word in words {
            assert!(message.contains(word), "{message}");
        }
    }
    let long = refused(&"x".repeat(1 << 20)).to_string();
    assert!(long.len() < 1000, "a message quotes only the start of its input");
}

#[test]
fn the_printed_form_is_canonical() {
    for (input, printed) in [
        ("C-c", "ctrl+c"),
        ("^C", "ctrl+c"),
        ("A", "shift+a"),
        ("M-X", "alt+shift+x"),
        ("shift-alt-ctrl-left", "ctrl+alt+shift+left"),
        ("C--", "ctrl+-"),
        ("ctrl++", "ctrl++"),
        (" ", "space"),
        ("Return", "enter"),
        ("PgUp", "pageup"),
        ("KP5", "kp_5"),
        ("F5", "f5"),
        ("btab", "shift+tab"),
        ("cmd+k", "super+k"),
    ] {
        assert_eq!(read(input).to_string(), printed);
    }
    // However an event was put together, it prints as the same key.
    let loose = KeyEvent { key: Key::Char('A'), ..KeyEvent::press('x') };
    assert_eq!(loose.to_string(), "shift+a");
}

#[test]
fn no_modifier_and_key_run_together_into_another_name() {
    let names: Vec<String> = all_keys().map(|key| key.to_string()).collect();
    for modifier in ["ctrl", "control", "alt", "meta", "option", "shift", "super", "cmd", "win", "hyper", "C", "M", "S"]
    {
        for name in &names {
            let event = read(&format!("{modifier}-{name}"));
            assert_eq!(event.key.to_string(), *name, "{modifier}-{name}");
            assert!(!event.modifiers.is_empty(), "{modifier}-{name}");
        }
    }
}

/// Every key with a name, and some characters.
pub(crate) fn all_keys() -> impl Iterator<Item = Key> {
    use KeypadKey as K;
    use MediaKey as M;
    use ModifierKey as Mod;
    let named = [
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
    ];
    let keypad = [
        K::Decimal,
        K::Divide,
        K::Multiply,
        K::Subtract,
        K::Add,
        K::Enter,
        K::Equal,
        K::Separator,
        K::Left,
        K::Right,
        K::Up,
        K::Down,
        K::PageUp,
        K::PageDown,
        K::Home,
        K::End,
        K::Insert,
        K::Delete,
        K::Begin,
    ];
    let media = [
        M::Play,
        M::Pause,
        M::PlayPause,
        M::Reverse,
        M::Stop,
        M::FastForward,
        M::Rewind,
        M::TrackNext,
        M::TrackPrevious,
        M::Record,
        M::LowerVolume,
        M::RaiseVolume,
        M::MuteVolume,
    ];
    let modifiers = [
        Mod::LeftShift,
        Mod::LeftControl,
        Mod::LeftAlt,
        Mod::LeftSuper,
        Mod::LeftHyper,
        Mod::LeftMeta,
        Mod::RightShift,
        Mod::RightControl,
        Mod::RightAlt,
        Mod::RightSuper,
        Mod::RightHyper,
        Mod::RightMeta,
        Mod::IsoLevel3Shift,
        Mod::IsoLevel5Shift,
    ];
    let characters = " a1+-^/\\é日";
    named
        .into_iter()
        .chain((1..=35).map(Key::F))
        .chain((0..=9).map(|digit| Key::Keypad(K::Digit(digit))))
        .chain(keypad.into_iter().map(Key::Keypad))
        .chain(media.into_iter().map(Key::Media))
        .chain(modifiers.into_iter().map(Key::Modifier))
        .chain(characters.chars().map(Key::Char))
}
