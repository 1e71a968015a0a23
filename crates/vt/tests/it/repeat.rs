//! REP is the character again and again, however it is done at a stroke.

use proptest::prelude::*;

use crate::streams::{all_lines, fed, stream};

/// Modes and margins that change where text goes.
const SETTINGS: &[&str] = &[
    "",
    "\x1b[?7l",
    "\x1b[4h",
    "\x1b[4h\x1b[?7l",
    "\x1b[2;5r",
    "\x1b[?1049h",
    "\x1b[?69h\x1b[3;6s",
    "\x1b[?69h\x1b[3;7s\x1b[2;5r",
    "\x1b[?69h\x1b[3;7s\x1b[4h",
    "\x1b[?69h\x1b[4;4s",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn is_printing_it_so_often(
        before in stream(),
        settings in prop::sample::select(SETTINGS),
        (row, col) in (1u16..=7, 1u16..=12),
        pen in prop::sample::select(&["", "\x1b[44m"][..]),
        character in prop::sample::select(&["x", "é", "漢"][..]),
        count in prop_oneof![1usize..20, 60usize..400],
    ) {
        let start = [&before[..], b"\x18\x1b[!p\x1b[?2026l\x0f\x1b(B\x1b)B", settings.as_bytes()].concat();
        let start = [&start[..], format!("{pen}\x1b[{row};{col}H{character}").as_bytes()].concat();
        let mut repeated = fed(12, 7, [&start[..], format!("\x1b[{count}b").as_bytes()].concat());
        let mut printed = fed(12, 7, [&start[..], character.repeat(count).as_bytes()].concat());
        prop_assert_eq!(repeated.serialize().escape_ascii().to_string(), printed.serialize().escape_ascii().to_string());
        let (one, other) = (repeated.frame(), printed.frame());
        prop_assert_eq!(one.cursor, other.cursor);
        prop_assert_eq!(&one.rows, &other.rows);
        if count <= 42 {
            prop_assert_eq!(all_lines(&repeated), all_lines(&printed));
        }
        // The cluster stays open: a mark joins the last one.
        repeated.feed("\u{301}".as_bytes());
        printed.feed("\u{301}".as_bytes());
        prop_assert_eq!(repeated.frame().rows, printed.frame().rows);
    }
}
