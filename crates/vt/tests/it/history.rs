//! Lines above the screen: numbers, bounds, search.

use std::time::Duration;

use regex::Regex;
use vt::{Size, Terminal, TerminalOptions};

use crate::streams::{all_lines, fed, grid};

fn numbered(lines: std::ops::Range<u32>) -> String {
    lines.map(|n| format!("line {n}\r\n")).collect()
}

#[test]
fn numbers_stay_while_output_scrolls() {
    let mut terminal = fed(20, 5, numbered(0..50));
    let found = terminal.search(&Regex::new("line 7$").unwrap(), terminal.lines(), 10);
    assert_eq!((found.len(), found[0].line), (1, 7));
    terminal.feed(numbered(50..100).as_bytes());
    let again = terminal.search(&Regex::new("line 7$").unwrap(), terminal.lines(), 10);
    assert_eq!(again[0].line, 7);
    let mut text = String::new();
    terminal.lines_text(7..9, &mut text);
    assert_eq!(text, "line 7\nline 8\n");
}

#[test]
fn bounded_in_lines() {
    let terminal = fed(20, 5, numbered(0..1000));
    let lines = terminal.lines();
    assert_eq!(terminal.first_screen_line() - lines.start, 200);
    let mut text = String::new();
    terminal.lines_text(0..lines.start + 1, &mut text);
    assert_eq!(text, format!("line {}\n", lines.start));
}

#[test]
fn bounded_in_bytes_even_for_one_endless_line() {
    let options = TerminalOptions {
        size: Size::new(80, 24),
        history_lines: usize::MAX,
        history_bytes: 1 << 20,
        ..TerminalOptions::default()
    };
    let mut terminal = Terminal::new(options);
    for _ in 0..200 {
        terminal.feed(&[b'x'; 65536]);
    }
    assert!(terminal.history_bytes() < 3 << 20, "{}", terminal.history_bytes());
}

#[test]
fn long_lines_are_joined_for_search_and_text() {
    let long: String = (0..30).map(|n| format!("word{n} ")).collect();
    let mut terminal = fed(20, 4, format!("{long}\r\n"));
    terminal.feed(numbered(0..10).as_bytes());
    let found = terminal.search(&Regex::new("word3 word4 .* word29").unwrap(), terminal.lines(), 10);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].text, long.trim_end());
}

#[test]
fn erase_scrollback_and_reset_clear_it() {
    for clear in ["\x1b[3J", "\x1bc"] {
        let mut terminal = fed(20, 5, numbered(0..50));
        let screen = terminal.first_screen_line();
        terminal.feed(clear.as_bytes());
        assert_eq!(terminal.lines().start, screen, "{clear:?}: numbers go on");
        assert_eq!(terminal.history_bytes(), 0);
    }
}

#[test]
fn looks_and_links_are_kept() {
    let mut terminal =
        fed(20, 3, "\x1b[1;31mred\x1b[0m \x1b]8;;https://x.y\x1b\\link\x1b]8;;\x1b\\ 漢e\u{301}\x1b[44m  \r\n");
    terminal.feed(b"\x1b[0m");
    terminal.feed(numbered(0..10).as_bytes());
    let line = terminal.history_line(0).unwrap();
    assert_eq!(line.text(), "red link 漢e\u{301}  ");
    let red = &line.runs()[0];
    assert_eq!((red.style.foreground, red.cols), (vt::Color::Indexed(1), 3));
    assert_eq!(line.runs()[2].link.as_ref().unwrap().uri, "https://x.y");
    assert_eq!(line.runs().last().unwrap().style.background, vt::Color::Indexed(4));
    assert_eq!(line.cells().map(|cell| cell.text).collect::<String>(), line.text());
}

#[test]
fn a_line_full_of_links_is_read_in_time_that_grows_with_their_number() {
    // One long line, every cell with a link of its own.
    let linked = |links: usize| {
        let cells: String = (0..links).map(|n| format!("\x1b]8;;u:{n}\x1b\\x")).collect();
        let mut terminal = fed(80, 24, cells);
        terminal.feed(b"\x1b]8;;\x1b\\\r\n");
        terminal.feed(numbered(0..30).as_bytes());
        terminal
    };
    // Not the time of day: a busy machine stops a thread for longer than this takes.
    let processor_time = || {
        let spent = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::try_from(spent).unwrap()
    };
    let fastest = |terminal: &Terminal, links: usize| {
        let read = || {
            let began = processor_time();
            let line = terminal.history_line(0).unwrap();
            let took = processor_time() - began;
            assert_eq!(line.runs().len(), links);
            assert_eq!(line.runs()[links - 1].link.as_ref().unwrap().uri, format!("u:{}", links - 1));
            took
        };
        (0..9).map(|_| read()).min().unwrap()
    };
    let (few, many) = (fastest(&linked(3_000), 3_000), fastest(&linked(12_000), 12_000));
    // Four times as many: four times as long, and not sixteen.
    assert!(many < few * 9, "{few:?} and {many:?}");
}

#[test]
fn the_alternate_screen_makes_no_history() {
    let mut terminal = fed(20, 4, "before\x1b[?1049h");
    terminal.feed(numbered(0..50).as_bytes());
    assert_eq!(all_lines(&terminal), "before\n");
    terminal.feed(b"\x1b[?1049l");
    assert_eq!(grid(&terminal), "before");
}

#[test]
fn a_region_at_the_top_feeds_history_a_lower_one_does_not() {
    let mut terminal = fed(20, 6, "\x1b[1;3r\x1b[3;1Ha\r\nb\r\nc\r\nd");
    assert_eq!(terminal.first_screen_line(), 3);
    terminal.feed(b"\x1b[2;4r\x1b[4;1H\n\n\n\n");
    assert_eq!(terminal.first_screen_line(), 3);
}

#[test]
fn many_looks_do_not_pile_up() {
    let mut terminal = fed(80, 24, "");
    for n in 0..200_000u32 {
        let (r, g, b) = (n & 255, n >> 8 & 255, n >> 4 & 255);
        terminal.feed(format!("\x1b[38;2;{r};{g};{b}mx").as_bytes());
    }
    let frame = terminal.frame();
    assert_eq!(frame.rows[0].cols(), 80);
    assert_eq!(
        frame.rows[23].runs().last().unwrap().style.foreground,
        vt::Color::Rgb((199_999 & 255) as u8, (199_999u32 >> 8 & 255) as u8, (199_999u32 >> 4 & 255) as u8)
    );
}

#[test]
fn written_spaces_come_back_as_written() {
    let mut terminal = fed(10, 2, "\x1b[4mab  \x1b[m\x1b[44m\x1b[2X\x1b[m\r\n\r\n");
    assert_eq!(terminal.first_screen_line(), 1);
    terminal.resize(vt::Size::new(10, 4));
    let mut replayed = fed(10, 4, terminal.serialize());
    assert_eq!(terminal.frame().rows, replayed.frame().rows, "a replay draws erased cells with a background only");
    assert_eq!(terminal.frame().rows[0].cols(), 6);
}
