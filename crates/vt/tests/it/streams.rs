//! Streams for property tests: text and sequences as real programs mix them, and plain noise.

use proptest::prelude::*;
use vt::{Size, Terminal, TerminalOptions};

pub(crate) fn terminal(cols: u16, rows: u16) -> Terminal {
    Terminal::new(TerminalOptions { size: Size::new(cols, rows), history_lines: 200, ..TerminalOptions::default() })
}

pub(crate) fn fed(cols: u16, rows: u16, bytes: impl AsRef<[u8]>) -> Terminal {
    let mut terminal = terminal(cols, rows);
    terminal.feed(bytes.as_ref());
    terminal
}

pub(crate) fn grid(terminal: &Terminal) -> String {
    let mut text = String::new();
    terminal.grid_text(&mut text);
    text.trim_end_matches('\n').to_owned()
}

pub(crate) fn all_lines(terminal: &Terminal) -> String {
    let mut text = String::new();
    terminal.lines_text(terminal.lines(), &mut text);
    text
}

/// One piece of a stream.
pub(crate) fn piece() -> impl Strategy<Value = Vec<u8>> {
    let text = prop_oneof![
        "[ -~]{1,30}".prop_map(String::into_bytes),
        "[a-zé漢字😀ｶ가\u{301}\u{200d}\u{fe0f}🇩🇪👍🏽─│]{1,12}".prop_map(String::into_bytes),
        "(\r\n|\n|\r|\t|\x08|\x0e|\x0f){1,3}".prop_map(String::into_bytes),
    ];
    let number = prop_oneof![Just(String::new()), (0u16..50).prop_map(|n| n.to_string())];
    let plain = (number.clone(), number.clone(), prop::sample::select(b"ABCDEFGHIJKLMPSTXZ@`abdefgnrsu^".to_vec()))
        .prop_map(|(a, b, last)| format!("\x1b[{a};{b}{}", char::from(last)).into_bytes());
    let sgr = prop::sample::select(vec![
        "0",
        "1",
        "2;3",
        "4",
        "4:3",
        "7",
        "9",
        "31",
        "92",
        "44",
        "38;5;200",
        "48;2;1;2;3",
        "38:2::9:8:7",
        "58:5:3",
        "53",
        "",
        "22;24",
        "49",
    ])
    .prop_map(|params| format!("\x1b[{params}m").into_bytes());
    let mode = (
        prop::sample::select(vec![1u16, 5, 6, 7, 12, 25, 45, 47, 69, 1000, 1006, 1045, 1047, 1048, 1049, 2004, 2027]),
        prop::sample::select(b"hl".to_vec()),
    )
        .prop_map(|(mode, last)| format!("\x1b[?{mode}{}", char::from(last)).into_bytes());
    let other = prop::sample::select(vec![
        "\x1b7",
        "\x1b8",
        "\x1bD",
        "\x1bE",
        "\x1bM",
        "\x1bH",
        "\x1b6",
        "\x1b9",
        "\x1b(0",
        "\x1b(B",
        "\x1b)0",
        "\x1b[4h",
        "\x1b[4l",
        "\x1b[3J",
        "\x1b#8",
        "\x1b[!p",
        "\x1b]8;;https://example.org\x1b\\",
        "\x1b]8;id=a;file:///x\x07",
        "\x1b]8;;\x07",
        "\x1b]2;title\x07",
        "\x1b]7501;state=working:app=make:progress=40\x07",
        "\x1b]7501;state=blocked:id=a/b:kind=auth:msg=aGk=\x1b\\",
        "\x1b]7501;state=clear:id=a\x07",
        "\x1b]133;A\x07",
        "\x1b[1\"q",
        "\x1b[0\"q",
        "\x1bV",
        "\x1bW",
        "\x1b[5;5;2$x",
        "\x1b[2;2;4;9;1;3;3$v",
        "\x1b[1;1;3;3$z",
        "\x1b[3'}",
        "\x1b[2'~",
        "\x1b[3 q",
        "\x1b[>1u",
        "\x1b[<u",
        "\x1b[5b",
        "\x1b[3g",
        "\x1b[22t",
        "\x1b[23t",
        "\x1b]4;1;#123456\x07",
        "\x1b[>4;2m",
    ])
    .prop_map(|text| text.as_bytes().to_vec());
    prop_oneof![
        6 => text,
        4 => plain,
        2 => sgr,
        2 => mode,
        2 => other,
        1 => prop::collection::vec(any::<u8>(), 1..12),
    ]
}

pub(crate) fn stream() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(piece(), 0..60).prop_map(|pieces| pieces.concat())
}
