//! What text and sequences do to the grid, where esctest2 has no word on it.

use vt::{Attributes, Color, CursorShape, RunShape, Underline};

use crate::streams::{fed, grid};

#[test]
fn wide_characters_wrap_whole_at_the_edge() {
    let mut terminal = fed(5, 3, "abcd漢e");
    assert_eq!(grid(&terminal), "abcd\n漢e");
    assert_eq!(crate::streams::all_lines(&terminal), "abcd漢e\n");
    assert_eq!(terminal.frame().cursor.position.col, 3);
}

#[test]
fn writing_on_half_a_wide_character_blanks_the_other() {
    assert_eq!(grid(&fed(10, 1, "漢字\x1b[2Gx")), " x字");
    assert_eq!(grid(&fed(10, 1, "漢字\x1b[3Gx")), "漢x");
}

#[test]
fn clusters_share_a_cell() {
    let mut terminal = fed(20, 1, "e\u{301}|👩‍👩‍👧|🇩🇪|1\u{fe0f}\u{20e3}|❤\u{fe0f}|👍🏽|");
    let row = terminal.frame().rows[0].clone();
    let cells: Vec<(&str, u32)> =
        row.cells().map(|cell| (cell.text, cell.width)).filter(|cell| cell.0 != "|").collect();
    assert_eq!(cells, [("e\u{301}", 1), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("1\u{fe0f}\u{20e3}", 2), ("❤\u{fe0f}", 2), ("👍🏽", 2)]);
}

#[test]
fn a_cluster_that_grows_wide_in_the_last_column_moves_on() {
    let mut terminal = fed(4, 2, "abc❤\u{fe0f}x");
    assert_eq!(grid(&terminal), "abc\n❤\u{fe0f}x");
    assert_eq!(terminal.frame().cursor.position.col, 3);
    assert_eq!(crate::streams::all_lines(&terminal), "abc❤\u{fe0f}x\n");
    assert_eq!(grid(&fed(4, 2, "\x1b[?7labc❤\u{fe0f}")), "abc❤\u{fe0f}", "without autowrap it stays narrow");
}

#[test]
fn with_clusters_off_each_character_has_its_own_width() {
    let mut terminal = fed(20, 1, "\x1b[?2027l👩\u{200d}👧|🇩🇪|❤\u{fe0f}|");
    let widths: Vec<u32> = terminal.frame().rows[0].cells().map(|cell| cell.width).collect();
    assert_eq!(widths, [2, 2, 1, 1, 1, 1, 1, 1]);
}

#[test]
fn clusters_are_capped() {
    let mut terminal = fed(20, 1, format!("e{}", "\u{301}".repeat(10_000)));
    assert!(terminal.frame().rows[0].text().len() <= 64);
}

#[test]
fn marks_find_their_letter_after_a_movement() {
    assert_eq!(grid(&fed(20, 1, "e\x1b[1m\u{301}x")), "e\u{301}x");
    assert_eq!(grid(&fed(20, 1, "\u{301}x")), "x", "nothing to attach to");
}

#[test]
fn colours_and_attributes_in_both_syntaxes() {
    let mut terminal =
        fed(20, 1, "\x1b[1;3;4:3;38:2::1:2:3;48;5;7;58:2::4:5:6;53ma\x1b[0mb\x1b[38;2;9;8;7mc\x1b[39;4mD");
    let row = terminal.frame().rows[0].clone();
    let style = row.runs()[0].style;
    assert_eq!(style.foreground, Color::Rgb(1, 2, 3));
    assert_eq!(style.background, Color::Indexed(7));
    assert_eq!(style.underline_color, Color::Rgb(4, 5, 6));
    assert_eq!(style.underline, Underline::Curly);
    assert_eq!(style.attributes, Attributes::BOLD | Attributes::ITALIC | Attributes::OVERLINE);
    assert_eq!(row.runs()[1].style, vt::Style::default());
    assert_eq!(row.runs()[2].style.foreground, Color::Rgb(9, 8, 7));
    assert_eq!(row.runs()[3].style.underline, Underline::Single);
}

#[test]
fn erasing_leaves_the_background() {
    let mut terminal = fed(10, 1, "text\x1b[44m\x1b[2K");
    let row = terminal.frame().rows[0].clone();
    assert_eq!((row.runs()[0].shape, row.runs()[0].cols), (RunShape::Blank, 10));
    assert_eq!(row.runs()[0].style.background, Color::Indexed(4));
}

#[test]
fn line_drawing() {
    assert_eq!(grid(&fed(10, 1, "\x1b(0lqk\x1b(Bx\x1b)0\x0ex\x0fx")), "┌─┐x│x");
}

#[test]
fn the_cursor_has_a_shape() {
    let cursor = |bytes: &str| fed(10, 1, bytes).frame().cursor;
    assert_eq!((cursor("").shape, cursor("").visible), (CursorShape::Block, true));
    assert_eq!((cursor("\x1b[6 q").shape, cursor("\x1b[6 q").blinking), (CursorShape::Bar, false));
    assert!(!cursor("\x1b[?25l").visible);
}

#[test]
fn hyperlinks_span_their_text() {
    let mut terminal = fed(20, 1, "a\x1b]8;;https://x\x07link\x1b]8;;\x07b");
    let row = terminal.frame().rows[0].clone();
    let linked: Vec<Option<&str>> =
        row.runs().iter().map(|run| run.link.as_ref().map(|link| link.uri.as_str())).collect();
    assert_eq!(linked, [None, Some("https://x"), None]);
}

#[test]
fn insert_mode_and_repeat() {
    assert_eq!(grid(&fed(10, 1, "abc\x1b[1G\x1b[4hX漢")), "X漢abc");
    assert_eq!(grid(&fed(10, 1, "ab\x1b[3b")), "abbbb");
    assert_eq!(grid(&fed(4, 1, "漢\x1b[9b")), "漢漢");
}

#[test]
fn without_autowrap_the_last_column_is_overwritten() {
    assert_eq!(grid(&fed(5, 2, "\x1b[?7labcdefgh")), "abcdh");
    assert_eq!(grid(&fed(5, 2, "\x1b[?7labcd漢z")), "abcdz");
}

#[test]
fn a_restored_cursor_obeys_the_margins_it_finds() {
    let mut terminal = fed(22, 8, "\x1b[?6h\n\n\x1b7\x1b[;2r\x1b8");
    assert_eq!(terminal.frame().cursor.position, vt::Position { row: 1, col: 0 });
}

#[test]
fn a_row_that_no_longer_runs_on_is_shown_so() {
    let mut terminal = fed(4, 3, "abcdef\x1b[3;1H");
    assert!(terminal.frame().rows[0].wrapped());
    terminal.feed(b"\x1b[2T");
    assert!(!terminal.frame().rows[2].wrapped(), "its continuation has left the screen");
}
