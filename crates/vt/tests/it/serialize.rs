//! A serialised screen, replayed on a fresh terminal, is the same screen.

use proptest::prelude::*;
use vt::{Attributes, Line, Style, Terminal};

use crate::streams::{fed, stream, terminal};

/// What can be compared across terminals: link ids are each terminal's own.
type ComparableRun = (String, u32, Style, Option<String>);

fn rows(terminal: &mut Terminal) -> Vec<Vec<ComparableRun>> {
    let row = |line: &Line| {
        let mut text = line.text();
        let mut runs: Vec<ComparableRun> = Vec::new();
        for run in line.runs() {
            let (part, rest) = text.split_at(run.bytes as usize);
            text = rest;
            let style = Style { link: None, ..run.style };
            let uri = run.link.as_ref().map(|link| format!("{} {}", link.id, link.uri));
            match runs.last_mut() {
                // Two nameless links in a row may become one.
                Some(last) if last.2 == style && last.3 == uri => {
                    last.0.push_str(part);
                    last.1 += run.cols;
                }
                _ => runs.push((part.to_owned(), run.cols, style, uri)),
            }
        }
        runs
    };
    terminal.frame().rows.iter().map(|line| row(line)).collect()
}

fn screen_lines(terminal: &Terminal) -> String {
    let mut text = String::new();
    terminal.lines_text(terminal.first_screen_line()..terminal.lines().end, &mut text);
    text
}

fn assert_same(original: &mut Terminal) -> Result<(), TestCaseError> {
    let size = original.size();
    let mut replayed = terminal(size.cols, size.rows);
    replayed.feed(&original.serialize());
    prop_assert_eq!(rows(original), rows(&mut replayed));
    prop_assert_eq!(original.frame().cursor, replayed.frame().cursor);
    prop_assert_eq!(original.frame().reverse_video, replayed.frame().reverse_video);
    prop_assert_eq!(original.alternate_screen(), replayed.alternate_screen());
    prop_assert_eq!(original.input_modes(), replayed.input_modes());
    prop_assert_eq!(original.title(), replayed.title());
    prop_assert_eq!(original.status_records(), replayed.status_records());
    prop_assert_eq!(original.frame().theme, replayed.frame().theme);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn replay_gives_an_equal_screen(stream in stream()) {
        let mut original = fed(24, 7, &stream);
        assert_same(&mut original)?;
    }

    /// … and the two go on alike, so nothing that matters later was left out.
    #[test]
    fn replayed_screens_go_on_alike(before in stream(), after in "[ -~é漢]{0,40}(\r\n[a-z]{0,30}){0,6}") {
        let mut original = fed(24, 7, &before);
        let mut replayed = terminal(24, 7);
        replayed.feed(&original.serialize());
        // What scrolls in from a line in history is the one thing a screen alone can't know.
        original.feed(after.as_bytes());
        replayed.feed(after.as_bytes());
        prop_assert_eq!(rows(&mut original), rows(&mut replayed));
        prop_assert_eq!(original.frame().cursor, replayed.frame().cursor);
    }
}

#[test]
fn rows_that_run_on_stay_joined() {
    let original = fed(10, 6, "0123456789abc\r\nwide at edge漢字\r\n");
    let mut replayed = terminal(10, 6);
    replayed.feed(&original.serialize());
    assert_eq!(screen_lines(&original), screen_lines(&replayed));
    assert!(screen_lines(&original).contains("wide at edge漢字"), "{}", screen_lines(&original));
}

#[test]
fn the_alternate_screen_comes_with_the_main_one() {
    let mut original = fed(20, 4, "main text\x1b[?1049h\x1b[2;3Halt\x1b[1m");
    assert_same(&mut original).unwrap();
    let mut replayed = terminal(20, 4);
    replayed.feed(&original.serialize());
    replayed.feed(b"x\x1b[?1049l!");
    assert_eq!(crate::streams::grid(&replayed), "main text!");
}

#[test]
fn protection_and_links_survive() {
    let mut original = fed(20, 3, "\x1b[1\"qkeep\x1b[0\"q lose \x1b]8;id=7;https://a.b\x1b\\link\x1b]8;;\x1b\\");
    assert_same(&mut original).unwrap();
    let mut replayed = terminal(20, 3);
    replayed.feed(&original.serialize());
    replayed.feed(b"\x1b[?2J");
    let frame = replayed.frame();
    assert_eq!(frame.rows[0].trimmed(), "keep");
    assert!(frame.rows[0].runs()[0].style.attributes.contains(Attributes::PROTECTED));
}

#[test]
fn a_stream_cut_in_mid_sequence_goes_on() {
    for cut in ["\x1b[3", "\x1b]2;ti", "\x1b", "\u{6f22}"] {
        let bytes = if cut == "\u{6f22}" { &cut.as_bytes()[..2] } else { cut.as_bytes() };
        let rest: &[u8] = match cut {
            "\x1b[3" => b"1mred",
            "\x1b]2;ti" => b"tle\x07text",
            "\x1b" => b"[1mbold",
            _ => &"\u{6f22}".as_bytes()[2..],
        };
        let mut original = fed(20, 2, bytes);
        let mut replayed = terminal(20, 2);
        replayed.feed(&original.serialize());
        original.feed(rest);
        replayed.feed(rest);
        assert_eq!(rows(&mut original), rows(&mut replayed), "{cut:?}");
        assert_eq!(original.title(), replayed.title());
    }
}
