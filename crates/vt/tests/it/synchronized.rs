//! Mode 2026: readers never see half an update.

use crate::streams::{all_lines, fed, grid};

#[test]
fn readers_see_the_picture_from_before() {
    let mut terminal = fed(20, 4, "old\x1b[?2026h\x1b[2J\x1b[Hnew");
    assert_eq!(terminal.synchronized_update(), Some(1));
    assert_eq!(grid(&terminal), "old");
    assert_eq!(terminal.frame().rows[0].text(), "old");
    assert_eq!(terminal.frame().cursor.position.col, 3);
    assert_eq!(all_lines(&terminal), "old\n");
    terminal.feed(b"\x1b[?2026l");
    assert_eq!(grid(&terminal), "new");
    assert_eq!(terminal.synchronized_update(), None);
}

#[test]
fn the_alternate_screen_is_shown_when_its_picture_is() {
    let mut terminal = fed(20, 4, "main\x1b[?2026h\x1b[?1049hfull");
    assert_eq!((terminal.alternate_screen(), grid(&terminal).as_str()), (false, "main"));
    terminal.feed(b"\x1b[?2026l");
    assert_eq!((terminal.alternate_screen(), terminal.frame().alternate_screen), (true, true));
    terminal.feed(b"\x1b[?2026h\x1b[?1049l");
    assert!(terminal.alternate_screen());
}

#[test]
fn lines_scrolled_away_meanwhile_appear_once() {
    let mut terminal = fed(20, 3, "a\r\nb\r\nc\x1b[?2026h");
    terminal.feed(b"\r\nd\r\ne\r\nf");
    assert_eq!(all_lines(&terminal), "a\nb\nc\n");
    terminal.feed(b"\x1b[?2026l");
    assert_eq!(all_lines(&terminal), "a\nb\nc\nd\ne\nf\n");
}

#[test]
fn a_lost_end_marker_is_the_callers_to_expire() {
    let mut terminal = fed(20, 4, "old\x1b[?2026h\rnew\x1b[?2026h");
    assert_eq!(terminal.synchronized_update(), Some(1), "a second begin is no new update");
    terminal.expire_synchronized_update();
    assert_eq!(grid(&terminal), "new");
    terminal.feed(b"\x1b[?2026h");
    assert_eq!(terminal.synchronized_update(), Some(2));
}

#[test]
fn unchanged_rows_are_the_same_allocation() {
    let mut terminal = fed(20, 4, "one\r\ntwo\r\nthree");
    let before = terminal.frame();
    terminal.feed(b"\x1b[2;1HTWO");
    let after = terminal.frame();
    assert_eq!(after.damage(&before).collect::<Vec<_>>(), [1]);
    assert!(std::sync::Arc::ptr_eq(&before.rows[0], &after.rows[0]));
    terminal.feed(b"\x1b[2;1HTWO");
    assert!(std::sync::Arc::ptr_eq(&after.rows[1], &terminal.frame().rows[1]), "the same text again is no damage");
}

#[test]
fn a_resize_ends_the_update() {
    let mut terminal = fed(114, 39, "\x1b[68B\r\n\x1b[17d\x1b[?2026h");
    terminal.resize(vt::Size::new(71, 15));
    assert_eq!(terminal.synchronized_update(), None);
    terminal.resize(vt::Size::new(262, 32));
    let mut numbers = Vec::new();
    terminal.for_each_line(terminal.lines(), &mut |number, _| {
        numbers.push(number);
        true
    });
    assert_eq!(numbers, terminal.lines().collect::<Vec<_>>(), "every line once, in order");
}
