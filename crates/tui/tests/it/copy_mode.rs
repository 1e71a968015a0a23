//! Looking back: history above the screen, selecting, searching.

use std::sync::Arc;

use tui::{
    Canvas, CopyMode, CopyOutcome, Document, DocumentPoint, HostEvent, Rect, SelectionUnit, Skin, TextSelection,
};
use vt::{
    Size, Terminal,
    input::{Modifiers, MouseButton, MouseEvent, MouseEventKind},
};

use crate::screen::terminal;

const AREA: Rect = Rect::new(0, 0, 10, 4);

fn fed(text: &str) -> Terminal {
    let mut child = terminal(Size::new(10, 4));
    child.feed(text.as_bytes());
    child
}

fn document(child: &mut Terminal) -> Document {
    let history: Vec<_> = child.lines().filter_map(|number| child.history_line(number)).map(Arc::new).collect();
    Document::new(history, child.open_line().map(Arc::new), &child.frame())
}

fn mode(text: &str) -> CopyMode {
    let mut child = fed(text);
    let document = document(&mut child);
    CopyMode::new(document, child.cursor().position, 4)
}

fn press(mode: &mut CopyMode, keys: &str) -> CopyOutcome {
    keys.split(' ').map(|key| mode.update(&HostEvent::Key(key.parse().unwrap()), AREA)).last().unwrap()
}

fn copied(text: &str, keys: &str) -> String {
    match press(&mut mode(text), keys) {
        CopyOutcome::Copied(text) => text,
        other => panic!("{other:?}"),
    }
}

fn at(row: usize, col: u32) -> DocumentPoint {
    DocumentPoint { row, col }
}

#[test]
fn history_is_wrapped_to_the_screen() {
    let mut child = fed("a line of history that wraps\r\nshort\r\n漢字漢字漢字\r\n1\r\n2\r\n3\r\n4");
    let document = document(&mut child);
    let mut mode = CopyMode::new(document, child.cursor().position, 4);
    assert_eq!(mode.document().screen_top() + 4, mode.document().len());
    press(&mut mode, "g");
    let mut canvas = Canvas::new(Size::new(10, 4));
    mode.view(&[]).draw(&mut canvas, AREA, 1);
    assert_eq!(canvas.text(), "a line of\nhistory th\nat wraps\nshort\n");
}

#[test]
fn a_line_that_runs_on_into_the_screen_is_whole() {
    let line: String = ('a'..='z').chain('A'..='Z').collect();
    let mut child = fed(&format!("first\r\n{line}"));
    assert_eq!(child.lines(), 0..2);
    let whole = document(&mut child);
    assert_eq!((whole.len(), whole.line_at(3), whole.row_of_line(1)), (1 + 6, 1, 1));
    assert_eq!(TextSelection::new(at(6, 0), SelectionUnit::Line).text(&whole), format!("{line}\n"));
    child.feed(b"\r\nlast");
    child.resize(Size::new(26, 2));
    let whole = document(&mut child);
    assert_eq!(TextSelection::new(at(1, 0), SelectionUnit::Line).text(&whole), format!("{line}\n"), "{whole:?}");
    child.feed(b"\x1b[?2026h\r\n\r\n\r\n");
    assert!(child.open_line().is_none(), "above a screen that is held still there may be anything");
    child.feed(b"\x1b[?2026l");
    child.feed(line.as_bytes());
    child.feed(line.as_bytes());
    assert!(child.open_line().is_some());
    child.feed(b"\x1b[?1049h");
    assert!(child.open_line().is_none(), "above the alternate screen there is nothing");
}

#[test]
fn a_text_of_another_width_goes_on_at_the_same_line() {
    let lines: String = (1..=30).map(|number| format!("line {number} of thirty\r\n")).collect();
    let mut child = fed(&lines);
    let mut mode = CopyMode::new(document(&mut child), child.cursor().position, 4);
    press(&mut mode, "g / 7 enter");
    mode.scroll(1);
    let line = mode.document().line_at(mode.top());
    child.resize(Size::new(30, 6));
    mode.set_rows(6);
    mode.replace(document(&mut child), line);
    let mut canvas = Canvas::new(Size::new(30, 6));
    mode.view(&[]).draw(&mut canvas, Rect::new(0, 0, 30, 6), 1);
    assert!(canvas.text().starts_with(&format!("line {} of thirty\n", line + 1)), "{}", canvas.text());
    assert_eq!(mode.document().line_at(mode.document().row_of_line(20)), 20);
    mode.replace(document(&mut child), usize::MAX);
    assert!(mode.at_end() && mode.status().contains("of 3"), "{}", mode.status());
}

#[test]
fn selections_join_rows_that_run_on() {
    let text = "one two three four\r\nnext";
    assert_eq!(copied(text, "g 0 v w w $ y"), "one two th");
    assert_eq!(copied(text, "g v j $ y"), "one two three four");
    assert_eq!(copied(text, "g V y"), "one two three four\n");
    assert_eq!(copied(text, "g v j j y"), "one two three four\nn");
}

#[test]
fn words_and_wide_characters_are_whole() {
    let mut child = fed("x 漢字 ~/a-b.rs");
    let document = document(&mut child);
    let word = |point| TextSelection::new(point, SelectionUnit::Word).text(&document);
    assert_eq!(word(at(0, 3)), "漢字");
    // Wrapped in the middle of the path.
    assert_eq!(word(at(1, 1)), "~/a-b.rs");
    let mut selection = TextSelection::new(at(0, 3), SelectionUnit::Character);
    assert_eq!((selection.text(&document).as_str(), selection.cols(&document, 0)), ("漢", Some(2..4)));
    selection.head = at(0, 0);
    assert_eq!(selection.text(&document), "x 漢");
    assert_eq!(TextSelection::new(at(0, 0), SelectionUnit::Line).text(&document), "x 漢字 ~/a-b.rs\n");
}

#[test]
fn motions_go_where_vi_goes() {
    let mut mode = mode("foo bar\r\n\r\n  baz(qux)\r\nend");
    press(&mut mode, "g");
    let mut go = |keys: &str| {
        press(&mut mode, keys);
        (mode.cursor().row, mode.cursor().col)
    };
    assert_eq!(go("w"), (0, 4));
    assert_eq!(go("e"), (0, 6));
    assert_eq!(go("w"), (2, 2));
    assert_eq!(go("w"), (2, 5));
    assert_eq!(go("b"), (2, 2));
    assert_eq!(go("b"), (0, 4));
    assert_eq!(go("j j ^"), (2, 2));
    assert_eq!(go("$"), (2, 9));
    assert_eq!(go("{"), (1, 0));
    assert_eq!(go("}"), (3, 0));
    assert_eq!(go("H"), (0, 0));
    assert_eq!(go("L l l l l"), (3, 2));
}

#[test]
fn a_search_finds_across_rows_and_goes_round() {
    let mut mode = mode("alpha\r\nbeta gamma delta\r\nAlpha\r\nx\r\ny\r\nz");
    let search = |mode: &mut CopyMode, keys: &str| {
        press(mode, keys);
        (mode.cursor().row, mode.cursor().col)
    };
    press(&mut mode, "g");
    // Without an upper-case letter both are found; the first is under the cursor already.
    assert_eq!(search(&mut mode, "/ a l p h a enter"), (3, 0));
    assert!(mode.status().contains("match 2 of 2"), "{}", mode.status());
    assert_eq!(search(&mut mode, "n"), (0, 0));
    assert!(mode.status().contains("wrapped around"), "{}", mode.status());
    assert_eq!(search(&mut mode, "N"), (3, 0));
    // `gamma` is cut by the edge: row 1 ends in its middle.
    assert_eq!(search(&mut mode, "? g a m m a enter"), (1, 5));
    let marks = mode.marks(&Skin::default());
    assert_eq!(marks.iter().map(|mark| (mark.row, mark.cols.clone())).collect::<Vec<_>>(), [(1, 5..10)]);
    search(&mut mode, "/ n o n e enter");
    assert!(mode.status().contains("nothing found"));
    // No regular expression: the text itself is sought.
    search(&mut mode, "/ ( enter");
    assert_eq!(search(&mut mode, "/ d . l t a enter"), (2, 1));
}

#[test]
fn the_mouse_selects_and_scrolls() {
    let mut mode = mode("1\r\n2\r\n3\r\n4\r\n5\r\n6 last");
    let mouse =
        |kind, row, col| HostEvent::Mouse(MouseEvent { kind, col, row, pixel: None, modifiers: Modifiers::empty() });
    mode.update(&mouse(MouseEventKind::Press(MouseButton::Left), 3, 2), AREA);
    mode.update(&mouse(MouseEventKind::Motion(Some(MouseButton::Left)), 3, 4), AREA);
    let outcome = mode.update(&mouse(MouseEventKind::Release(MouseButton::Left), 3, 4), AREA);
    assert_eq!(outcome, CopyOutcome::Copied("las".into()));
    assert!(mode.at_end());
    mode.scroll(-2);
    assert_eq!((mode.top(), mode.at_end()), (0, false));
    mode.scroll(99);
    assert!(mode.at_end());
    // A double click needs no drag.
    mode.select_at(mode.point_at(vt::Position { row: 3, col: 3 }, AREA), SelectionUnit::Word);
    let outcome = mode.update(&mouse(MouseEventKind::Release(MouseButton::Left), 3, 3), AREA);
    assert_eq!(outcome, CopyOutcome::Copied("last".into()));
    // Past the upper edge, the text comes along.
    mode.update(&mouse(MouseEventKind::Press(MouseButton::Left), 1, 0), Rect { row: 1, ..AREA });
    mode.update(&mouse(MouseEventKind::Motion(Some(MouseButton::Left)), 0, 0), Rect { row: 1, ..AREA });
    assert_eq!(mode.top(), 1);
}

#[test]
fn escape_ends_the_selection_first() {
    let mut mode = mode("text");
    press(&mut mode, "v");
    assert_eq!(press(&mut mode, "esc"), CopyOutcome::Taken);
    assert_eq!(press(&mut mode, "esc"), CopyOutcome::Closed);
    assert_eq!(press(&mut mode, "y"), CopyOutcome::Closed);
}

#[test]
fn any_text_and_any_keys_are_survived() {
    let keys = "h j k l w b e 0 ^ $ g G H M L v V o { } n N ctrl-u ctrl-d ctrl-f ctrl-b pageup / x enter y";
    for text in ["", " ", "漢", "漢字漢字漢字漢字", "\r\n\r\n\r\n\r\n\r\n", "e\u{301}👩\u{200d}👧x"] {
        let mut mode = mode(text);
        for key in keys.split(' ').chain(keys.split(' ').rev()) {
            press(&mut mode, key);
            mode.marks(&Skin::default());
            mode.view(&[]).draw(&mut Canvas::new(Size::new(10, 4)), AREA, 1);
        }
        mode.set_rows(1);
        mode.set_rows(200);
    }
}
