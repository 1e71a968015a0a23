//! Resizing keeps text, and the cursor on it.

use proptest::prelude::*;
use vt::Size;

use crate::streams::{all_lines, fed, grid};

fn cursor(terminal: &mut vt::Terminal) -> (u16, u16) {
    let position = terminal.frame().cursor.position;
    (position.row, position.col)
}

#[test]
fn long_lines_wrap_and_unwrap() {
    let mut terminal = fed(20, 5, "$ echo one two three four five\r\none two\r\n$ ");
    assert_eq!(grid(&terminal), "$ echo one two three\n four five\none two\n$");
    terminal.resize(Size::new(40, 5));
    assert_eq!(grid(&terminal), "$ echo one two three four five\none two\n$");
    assert_eq!(cursor(&mut terminal), (2, 2));
    terminal.resize(Size::new(10, 5));
    assert_eq!(grid(&terminal), "$ echo one\n two three\n four five\none two\n$");
    terminal.resize(Size::new(20, 5));
    assert_eq!(grid(&terminal), "$ echo one two three\n four five\none two\n$");
    assert_eq!(cursor(&mut terminal), (3, 2));
}

#[test]
fn rows_leave_to_history_and_come_back() {
    let text = (1..=10).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\r\n");
    let mut terminal = fed(20, 10, &text);
    let before = grid(&terminal);
    terminal.resize(Size::new(20, 4));
    assert_eq!(grid(&terminal), "line 7\nline 8\nline 9\nline 10");
    assert_eq!(cursor(&mut terminal), (3, 7));
    terminal.resize(Size::new(20, 10));
    assert_eq!(grid(&terminal), before);
    assert_eq!(cursor(&mut terminal), (9, 7));
}

#[test]
fn a_half_empty_screen_grows_at_the_bottom() {
    let mut terminal = fed(20, 3, "a\r\nb\r\nc\r\nd\x1b[2J\x1b[Htop");
    terminal.resize(Size::new(20, 6));
    assert_eq!(grid(&terminal), "top");
    assert_eq!(cursor(&mut terminal), (0, 3));
}

#[test]
fn a_line_partly_in_history_is_one_line() {
    let mut terminal = fed(10, 3, "0123456789abcdefghij0123456789ABCDEFGHIJ");
    assert_eq!(all_lines(&terminal), "0123456789abcdefghij0123456789ABCDEFGHIJ\n");
    terminal.resize(Size::new(40, 3));
    assert_eq!(grid(&terminal), "0123456789abcdefghij0123456789ABCDEFGHIJ");
    assert_eq!(terminal.lines(), 0..1);
    terminal.resize(Size::new(10, 3));
    assert_eq!(all_lines(&terminal), "0123456789abcdefghij0123456789ABCDEFGHIJ\n");
}

#[test]
fn wide_characters_are_never_cut() {
    let mut terminal = fed(6, 4, "ab漢字漢字");
    for cols in [5, 3, 2, 1, 4, 7, 6] {
        terminal.resize(Size::new(cols, 4));
        let frame = terminal.frame();
        for row in &frame.rows {
            assert!(row.cols() <= u32::from(frame.size.cols), "{cols}: {row:?}");
        }
    }
    assert_eq!(all_lines(&terminal), "ab漢字漢字\n");
}

#[test]
fn sizes_are_clamped() {
    let mut terminal = fed(10, 3, "text");
    terminal.resize(Size::new(0, 0));
    assert_eq!(terminal.size(), Size::new(2, 1));
    terminal.resize(Size::new(u16::MAX, u16::MAX));
    assert_eq!(terminal.size(), Size::MAX);
    terminal.resize(Size::new(10, 3));
    assert_eq!(all_lines(&terminal), "text\n");
}

#[test]
fn the_alternate_screen_does_not_reflow() {
    let mut terminal = fed(10, 3, "main line that wraps\x1b[?1049h\x1b[Halternate!");
    terminal.resize(Size::new(5, 3));
    assert_eq!(grid(&terminal), "alter");
    terminal.resize(Size::new(20, 3));
    terminal.feed(b"\x1b[?1049l");
    assert_eq!(grid(&terminal), "main line that wraps");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Text typed line after line survives any sequence of sizes; so does the cursor's place at its end.
    #[test]
    fn there_and_back_keeps_text(
        lines in prop::collection::vec("[a-zé漢 ]{0,50}[a-z]", 1..20),
        sizes in prop::collection::vec((1u16..80, 1u16..30), 1..6),
    ) {
        let text = lines.join("\r\n");
        let mut terminal = fed(30, 10, &text);
        let before = (grid(&terminal), all_lines(&terminal), cursor(&mut terminal));
        for (cols, rows) in sizes {
            terminal.resize(Size::new(cols, rows));
            prop_assert_eq!(&all_lines(&terminal), &before.1);
        }
        terminal.resize(Size::new(30, 10));
        prop_assert_eq!((grid(&terminal), all_lines(&terminal), cursor(&mut terminal)), before);
    }
}

#[test]
fn the_gap_before_a_wide_character_is_a_blank_once_the_row_is_wider() {
    let mut terminal = fed(5, 3, "\x1b[?1049habcd漢");
    terminal.resize(Size::new(8, 3));
    terminal.feed(b"\x1b[1;6Hxyzw");
    assert!(grid(&terminal).starts_with("abcd xyz\nw"), "{}", grid(&terminal));
    assert!(terminal.frame().text().starts_with("abcd xyz\nw"), "{}", terminal.frame().text());
}
