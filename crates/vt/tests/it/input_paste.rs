//! Pastes, typed text and focus.

use vt::input::{FocusChange, encode_focus, encode_paste, encode_text};
use vt::{InputModes, KittyFlags};

fn plain(text: &str) -> String {
    String::from_utf8(encode_paste(text, &InputModes::default())).expect("a paste is UTF-8")
}

fn bracketed(text: &str) -> String {
    let modes = InputModes { bracketed_paste: true, ..InputModes::default() };
    String::from_utf8(encode_paste(text, &modes)).expect("a paste is UTF-8")
}

#[test]
fn brackets_only_for_a_child_that_asked() {
    assert_eq!(plain("ls"), "ls");
    assert_eq!(bracketed("ls"), "\x1b[200~ls\x1b[201~");
    assert_eq!(plain(""), "");
    assert_eq!(bracketed(""), "\x1b[200~\x1b[201~", "an empty paste is still a paste");
}

#[test]
fn line_ends_become_what_enter_sends() {
    for (text, body) in [
        ("a\nb", "a\rb"),
        ("a\r\nb", "a\rb"),
        ("a\rb", "a\rb"),
        ("a\n\nb", "a\r\rb"),
        ("a\r\n\r\nb\n", "a\r\rb\r"),
        ("a\n\rb", "a\r\rb"),
        ("\tx", "\tx"),
    ] {
        assert_eq!(plain(text), body);
        assert_eq!(bracketed(text), format!("\x1b[200~{body}\x1b[201~"));
    }
}

#[test]
fn nothing_that_acts_as_a_key_survives() {
    for (text, body) in [
        ("a\x1b[201~b", "a[201~b"),
        ("a\u{9b}201~b", "a201~b"),
        ("\x1b\x1b[[201~", "[[201~"),
        ("\x1b[20\x1b[201~1~", "[20[201~1~"),
        ("\x1b[2\x0001~", "[201~"),
        ("\u{9b}\x1b[201~\u{9b}201~", "[201~201~"),
        ("rm\x03 -rf\x04 /\x1a", "rm -rf /"),
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("a\x7fb\x08c", "abc"),
        ("\u{80}\u{85}\u{9f}", ""),
        ("\u{a0}é日😀\u{200d}\u{feff}", "\u{a0}é日😀\u{200d}\u{feff}"),
    ] {
        assert_eq!(plain(text), body);
        assert_eq!(bracketed(text), format!("\x1b[200~{body}\x1b[201~"));
    }
}

#[test]
fn typed_text_is_itself_but_for_line_ends() {
    let modes = InputModes::default();
    assert_eq!(encode_text("ls -l\n", &modes), b"ls -l\r");
    assert_eq!(encode_text("a\n\nb\r\nc\rd", &modes), b"a\r\rb\rc\rd");
    assert_eq!(encode_text("\x03\x1b[A\ttab é\u{9b}", &modes), "\x03\x1b[A\ttab é\u{9b}".as_bytes());
    assert_eq!(encode_text("", &modes), b"");
    let newline = InputModes { linefeed_newline: true, ..modes };
    assert_eq!(encode_text("a\nb\n", &newline), b"a\r\nb\r\n");
    assert_eq!(encode_text("A\n", &InputModes { kitty: KittyFlags::DISAMBIGUATE, ..modes }), b"A\r");
    assert_eq!(encode_text("A\n", &InputModes { kitty: KittyFlags::all(), ..modes }), b"A\x1b[13u");
    assert_eq!(encode_text("a\nb", &InputModes { bracketed_paste: true, ..modes }), b"a\rb");
}

#[test]
fn focus_is_reported_to_those_who_asked() {
    let modes = InputModes { focus_events: true, ..InputModes::default() };
    assert_eq!(encode_focus(FocusChange::Gained, &modes), Some(&b"\x1b[I"[..]));
    assert_eq!(encode_focus(FocusChange::Lost, &modes), Some(&b"\x1b[O"[..]));
    assert_eq!(encode_focus(FocusChange::Gained, &InputModes::default()), None);
    assert_eq!(encode_focus(FocusChange::Lost, &InputModes::default()), None);
}
