//! Keys without kitty flags, against what the real xterm sends (`input_xterm.txt`).

use std::collections::BTreeMap;

use vt::input::{Key, KeyEvent, KeyEventKind, KeypadKey, Modifiers, encode_key};
use vt::{InputModes, KittyFlags};

const NONE: Modifiers = Modifiers::empty();
const SHIFT: Modifiers = Modifiers::SHIFT;
const ALT: Modifiers = Modifiers::ALT;
const CTRL: Modifiers = Modifiers::CTRL;

const COLUMNS: [Modifiers; 8] =
    [NONE, SHIFT, ALT, ALT.union(SHIFT), CTRL, CTRL.union(SHIFT), CTRL.union(ALT), CTRL.union(ALT).union(SHIFT)];

type Rows = BTreeMap<String, Vec<Vec<u8>>>;

/// Every section of the capture, complete: name, then key to bytes per column.
fn sections() -> BTreeMap<String, Rows> {
    let mut sections: BTreeMap<String, Rows> = BTreeMap::new();
    let mut current = String::new();
    for line in include_str!("input_xterm.txt").lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(header) = line.strip_prefix('[').filter(|_| !line.contains('\t')) {
            let (name, after) = header.split_once(']').expect("a section header ends with ]");
            let rows = match after.strip_prefix(" after ") {
                Some(base) => sections[base].clone(),
                None => Rows::new(),
            };
            current = name.to_owned();
            sections.insert(current.clone(), rows);
            continue;
        }
        let mut cells = line.split('\t');
        let key = cells.next().expect("a row starts with its key");
        let row: Vec<_> = cells.map(unescape).collect();
        assert_eq!(row.len(), COLUMNS.len(), "{line}");
        sections.get_mut(&current).expect("rows follow a header").insert(key.to_owned(), row);
    }
    sections
}

fn unescape(cell: &str) -> Vec<u8> {
    if cell == "(none)" {
        return Vec::new();
    }
    let mut out = Vec::new();
    let mut characters = cell.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            out.extend_from_slice(character.to_string().as_bytes());
            continue;
        }
        match characters.next() {
            Some('e') => out.push(0x1b),
            Some('s') => out.push(b' '),
            Some('\\') => out.push(b'\\'),
            Some('x') => {
                let digits: String = characters.by_ref().take(2).collect();
                out.push(u8::from_str_radix(&digits, 16).expect("two hex digits"));
            }
            other => panic!("unknown escape {other:?} in {cell}"),
        }
    }
    out
}

fn modes_of(section: &str) -> (InputModes, Modifiers) {
    let mut modes = InputModes::default();
    let mut locks = NONE;
    for word in section.split(' ') {
        match word {
            "plain" => {}
            "ckm" => modes.application_cursor = true,
            "kpam" => modes.application_keypad = true,
            "bkm" => modes.backarrow_sends_backspace = true,
            "lnm" => modes.linefeed_newline = true,
            "mok1" => modes.modify_other_keys = 1,
            "mok2" => modes.modify_other_keys = 2,
            "caps_lock" => locks |= Modifiers::CAPS_LOCK,
            "num_lock" => locks |= Modifiers::NUM_LOCK,
            other => panic!("unknown mode {other}"),
        }
    }
    (modes, locks)
}

fn key_named(name: &str) -> Key {
    name.parse::<KeyEvent>().expect("the capture uses our names").key
}

#[test]
fn every_key_modifier_and_mode_sends_what_xterm_sends() {
    let sections = sections();
    assert_eq!(sections.len(), 19);
    let mut checked = 0;
    let mut wrong = Vec::new();
    for (section, rows) in &sections {
        let (modes, locks) = modes_of(section);
        assert_eq!(rows.len(), 135, "{section}");
        for (name, row) in rows {
            if name == "ß" && locks.contains(Modifiers::CAPS_LOCK) {
                continue;
            }
            for (modifiers, xterm) in COLUMNS.iter().zip(row) {
                let mut event = KeyEvent::new(key_named(name), *modifiers | locks);
                if name == "ß" {
                    event = event.with_shifted('?');
                }
                let mut expected = xterm.clone();
                if modes.modify_other_keys == 1 && modifiers.contains(ALT) && expected.starts_with(b"\x1b[27;") {
                    // xterm drops Alt from the parameter here, and the press can't be told from one without it.
                    expected[5] = b'1' + modifiers.bits();
                }
                let got = encode_key(&event, &modes);
                if got != expected {
                    wrong.push(format!(
                        "[{section}] {event}: {:?}, not {:?}",
                        String::from_utf8_lossy(&got),
                        String::from_utf8_lossy(&expected)
                    ));
                }
                checked += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {checked} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(checked, 19 * 135 * 8 - 3 * 8);
}

fn legacy(event: KeyEvent) -> Vec<u8> {
    encode_key(&event, &InputModes::default())
}

#[test]
fn repeats_are_presses_and_releases_are_silent() {
    for key in [Key::Char('a'), Key::Enter, Key::Up, Key::F(5), Key::Keypad(KeypadKey::Add)] {
        let press = KeyEvent::press(key);
        assert_eq!(legacy(press.clone().with_kind(KeyEventKind::Repeat)), legacy(press.clone()));
        for modify_other_keys in 0..=2 {
            let modes = InputModes { modify_other_keys, ..InputModes::default() };
            assert!(encode_key(&press.clone().with_kind(KeyEventKind::Release), &modes).is_empty());
        }
    }
}

#[test]
fn ctrl_follows_the_place_on_a_us_keyboard_for_other_alphabets() {
    let event = KeyEvent::new('с', CTRL).with_base_layout('c');
    assert_eq!(legacy(event.clone()), b"\x03");
    assert_eq!(legacy(KeyEvent::new('с', CTRL | SHIFT).with_base_layout('c')), b"\x03");
    assert_eq!(legacy(KeyEvent::new('с', CTRL | ALT).with_base_layout('c')), b"\x1b\x03");
    let modes = InputModes { modify_other_keys: 2, ..InputModes::default() };
    assert_eq!(encode_key(&event, &modes), b"\x1b[27;5;99~");
    // Alone or with Alt it types its own letter; Latin keys keep their own, wherever they are.
    assert_eq!(legacy(KeyEvent::press('с').with_base_layout('c')), "с".as_bytes());
    assert_eq!(legacy(KeyEvent::new('с', ALT).with_base_layout('c')), "\x1bс".as_bytes());
    assert_eq!(legacy(KeyEvent::new('a', CTRL).with_base_layout('q')), b"\x01");
}

#[test]
fn super_and_hyper_type_nothing_and_meta_is_alt() {
    for modifier in [Modifiers::SUPER, Modifiers::HYPER] {
        for key in [Key::Char('c'), Key::Enter, Key::Tab, Key::Backspace, Key::Escape, Key::Keypad(KeypadKey::Digit(5))]
        {
            for modify_other_keys in 0..=2 {
                let modes = InputModes { modify_other_keys, ..InputModes::default() };
                assert_eq!(encode_key(&KeyEvent::new(key, modifier), &modes), b"", "{key}");
                assert_eq!(encode_key(&KeyEvent::new(key, modifier | CTRL), &modes), b"", "{key}");
            }
        }
    }
    assert_eq!(legacy(KeyEvent::new(Key::Up, Modifiers::SUPER)), b"\x1b[1;9A");
    assert_eq!(legacy(KeyEvent::new(Key::F(5), Modifiers::HYPER)), b"\x1b[15;17~");
    assert_eq!(legacy(KeyEvent::new('x', Modifiers::META)), b"\x1bx");
    assert_eq!(legacy(KeyEvent::new(Key::Left, Modifiers::META)), b"\x1b[1;3D");
}

#[test]
fn text_made_by_layout_or_input_method_goes_as_it_is() {
    // AltGr is Ctrl and Alt on Windows keyboards.
    assert_eq!(legacy(KeyEvent::new('q', CTRL | ALT).with_text("@")), b"@");
    assert_eq!(legacy(KeyEvent::new('a', ALT).with_text("å")), "å".as_bytes());
    assert_eq!(legacy(KeyEvent::typed_text("日本")), "日本".as_bytes());
    // A key's own character is no news, and control characters are no text.
    assert_eq!(legacy(KeyEvent::new('a', ALT).with_text("a")), b"\x1ba");
    assert_eq!(legacy(KeyEvent::new('c', CTRL).with_text("c")), b"\x03");
    assert_eq!(legacy(KeyEvent::new('c', CTRL).with_text("\x03")), b"\x03");
    assert_eq!(legacy(KeyEvent::press(Key::Enter).with_text("\r")), b"\r");
    assert_eq!(legacy(KeyEvent::press('a').with_text("")), b"a");
    assert_eq!(legacy(KeyEvent::typed_text("")), b"");
    assert_eq!(legacy(KeyEvent::typed_text("a\x1b[201~b")), b"a[201~b");
}

#[test]
fn a_control_character_without_a_key_stays_that_byte() {
    for kitty in 0..32 {
        let modes =
            InputModes { kitty: KittyFlags::from_bits_retain(kitty), modify_other_keys: 2, ..InputModes::default() };
        assert_eq!(encode_key(&KeyEvent::press('\n'), &modes), b"\n");
        assert_eq!(encode_key(&KeyEvent::new('\n', ALT), &modes), b"\x1b\n");
        assert_eq!(encode_key(&KeyEvent::press('\n').with_kind(KeyEventKind::Release), &modes), b"");
    }
}

#[test]
fn keys_that_do_not_exist_send_nothing() {
    for kitty in 0..32 {
        let modes = InputModes { kitty: KittyFlags::from_bits_retain(kitty), ..InputModes::default() };
        for key in [Key::F(0), Key::F(36), Key::F(255), Key::Keypad(KeypadKey::Digit(10)), Key::Unidentified] {
            assert_eq!(encode_key(&KeyEvent::press(key), &modes), b"", "{key:?} with {kitty}");
            assert_eq!(encode_key(&KeyEvent::press(key).with_kind(KeyEventKind::Release), &modes), b"");
        }
    }
}
