//! Streams crafted to take long: the shortest sequences that cause the most work, repeated.

use std::{fmt::Write, time::Duration};

use anyhow::Result;
use vt::{Size, Terminal};

use super::{
    case::CHUNK,
    play::{BAR, spent, terminal},
};
use crate::Verdict;

const SIZES: [Size; 2] = [Size::new(120, 40), Size::new(300, 100)];
/// Chunks measured: some streams fill a table first.
const CHUNKS: usize = 12;

/// Slow enough to be reported without waiting for the rest: the figure is then extrapolated to 64 KiB.
const ENOUGH: Duration = Duration::from_millis(500);
/// How much is fed before checking whether that is enough.
const SLICE: usize = 1 << 10;

/// A stream: a prefix, and the part that is repeated, given the number of the repetition.
struct Stream {
    name: &'static str,
    before: String,
    unit: Box<dyn Fn(usize) -> String>,
}

pub(super) fn run() -> Result<Verdict> {
    let allowed = SIZES.map(bar);
    let [small, large] = allowed.map(|bar| bar.as_millis());
    println!("milliseconds of processor time, the longest of {CHUNKS} times 64 KiB ({small} and {large} allowed)");
    println!("{:<48} {:>9} {:>9}", "stream", name(SIZES[0]), name(SIZES[1]));
    let mut over = 0;
    let mut print = |name: &str, times: [Duration; 2]| {
        let slow = times.iter().zip(&allowed).any(|(time, allowed)| time > allowed);
        over += usize::from(slow);
        let [small, large] = times.map(|time| time.as_secs_f64() * 1e3);
        println!("{name:<48} {small:>9.2} {large:>9.2}{}", if slow { "  over" } else { "" });
    };
    for stream in streams() {
        print(stream.name, SIZES.map(|size| longest(&stream, size)));
    }
    for &(name, text) in RESIZES {
        print(&format!("one resize: {name}"), SIZES.map(|size| resize(text, size)));
    }
    Ok(if over == 0 { Verdict::Good } else { Verdict::Bad })
}

/// The bar is for the usual size; sequences that change every cell may take longer if there are more cells.
fn bar(size: Size) -> Duration {
    let cells = |size: Size| f64::from(size.cols) * f64::from(size.rows);
    BAR.mul_f64(cells(size) / cells(SIZES[0]))
}

fn name(size: Size) -> String {
    format!("{}x{}", size.cols, size.rows)
}

fn longest(stream: &Stream, size: Size) -> Duration {
    let mut terminal = filled(size);
    terminal.feed(stream.before.as_bytes());
    let mut number = 0;
    let mut bytes = Vec::with_capacity(CHUNK + 4096);
    let mut longest = Duration::ZERO;
    for _ in 0..CHUNKS {
        while bytes.len() < CHUNK {
            bytes.extend_from_slice((stream.unit)(number).as_bytes());
            number += 1;
        }
        let (mut fed, mut time) = (0, Duration::ZERO);
        while fed < CHUNK && time < ENOUGH {
            time += spent(|| terminal.feed(&bytes[fed..fed + SLICE]));
            fed += SLICE;
        }
        longest = longest.max(time.mul_f64(CHUNK as f64 / fed as f64));
        if fed < CHUNK {
            break;
        }
        bytes.drain(..fed);
        // The caller takes these after each read; freeing them is the caller's business.
        drop(terminal.take_effects());
    }
    longest
}

/// A screen and a history full of text.
fn filled(size: Size) -> Terminal {
    let mut terminal = terminal(size);
    for line in 0..11_000 {
        terminal.feed(format!("{line:06} {}\r\n", "text to the edge ".repeat(usize::from(size.cols) / 18)).as_bytes());
    }
    terminal
}

/// Texts without an end, and what makes them hard to wrap again.
const RESIZES: &[(&str, &str)] = &[
    ("10,000 lines", ""),
    ("one line of 60 KB", "long "),
    ("one line of 60 KB, wide", "漢字"),
    ("clusters", "e\u{301}o\u{308}"),
];

/// The longest of several resizes, narrow and wide, with a full history.
fn resize(text: &str, size: Size) -> Duration {
    let mut terminal = filled(size);
    terminal.feed(text.repeat(60_000 / text.len().max(1)).as_bytes());
    let mut longest = Duration::ZERO;
    let narrow = [Size::MIN, Size::new(3, size.rows), Size::new(size.cols - 1, size.rows), Size::new(size.cols, 1)];
    for other in narrow {
        for size in [other, size] {
            longest = longest.max(spent(|| terminal.resize(size)));
        }
    }
    longest
}

fn streams() -> Vec<Stream> {
    let long_title = "t".repeat(4096);
    let side_margins = "\x1b[?69h\x1b[2;119s\x1b[1;9H".to_owned();
    let mut streams: Vec<Stream> = REPEATED
        .iter()
        .map(|&(name, before, unit)| Stream { name, before: before.to_owned(), unit: Box::new(|_| unit.to_owned()) })
        .collect();
    let mut add =
        |name, before: String, unit: Box<dyn Fn(usize) -> String>| streams.push(Stream { name, before, unit });
    add("LF between side margins", format!("{side_margins}\x1b[999;9H"), Box::new(|_| "\n".repeat(64)));
    add("RI between side margins", side_margins.clone(), Box::new(|_| "\x1bM".repeat(64)));
    add("SU 1 between side margins", side_margins.clone(), Box::new(|_| "\x1b[S".to_owned()));
    add("IL 1 between side margins", side_margins, Box::new(|_| "\x1b[L".to_owned()));
    add(
        "2026 on and off with an open line of 60 KB",
        "long ".repeat(12_000),
        Box::new(|_| "\x1b[?2026h\x1b[?2026l".to_owned()),
    );
    add(
        "titles: push, set, pop 4 KB",
        format!("\x1b]0;{long_title}\x07"),
        Box::new(|_| "\x1b[22t\x1b]0;x\x07\x1b[23t".to_owned()),
    );
    add("links: a new name for every cell", String::new(), Box::new(|n| format!("\x1b]8;id={n};x\x07a")));
    add("links: nameless, one a cell", String::new(), Box::new(|_| "\x1b]8;;x\x07a".to_owned()));
    add(
        "links: ten thousand names, one after the other",
        String::new(),
        Box::new(|n| format!("\x1b]8;id={};x\x07a", n % 10_000)),
    );
    add(
        "colours: a new one for every cell",
        String::new(),
        Box::new(|n| format!("\x1b[38;2;{};{};{}ma", n % 256, n / 256 % 256, n / 65_536)),
    );
    add("clusters: a new one for every cell", String::new(), Box::new(new_cluster));
    add(
        "palette: all colours, one after the other",
        String::new(),
        Box::new(|n| format!("\x1b]4;{};#{n:06x}\x07", n % 256)),
    );
    add("palette: ask for all colours at once", String::new(), Box::new(|_| every_colour()));
    add(
        "capabilities, 32 at once",
        String::new(),
        Box::new(|_| format!("\x1bP+q{}\x1b\\", ["5365747570c6"; 32].join(";"))),
    );
    add(
        "modes saved, 16 at once",
        String::new(),
        Box::new(|_| "\x1b[?1;3;4;5;6;7;8;12;25;40;45;47;66;67;69;95s".to_owned()),
    );
    add(
        "modes set, 16 at once",
        String::new(),
        Box::new(|_| "\x1b[?1047;1049;1047;1049;1047;1049;1047;1049h\x1b[?1049;1047;1049;1047l".to_owned()),
    );
    streams
}

fn new_cluster(number: usize) -> String {
    let mark = |digit: usize| char::from_u32(0x300 + digit as u32 % 64).unwrap_or('\u{300}');
    ["a".to_owned(), mark(number).into(), mark(number / 64).into(), mark(number / 4096).into()].concat()
}

fn every_colour() -> String {
    let mut text = "\x1b]4".to_owned();
    (0..256).for_each(|index| write!(text, ";{index};?").expect("writing to a string"));
    text + "\x07"
}

/// Name, prefix, repeated part.
const REPEATED: &[(&str, &str, &str)] = &[
    ("SU 65535", "", "\x1b[65535S"),
    ("SU 65535, coloured", "\x1b[41m", "\x1b[65535S"),
    ("SU 65535 after text", "", "a\x1b[65535S"),
    ("SU 1, coloured", "\x1b[41m", "\x1b[S"),
    ("SD 65535", "", "\x1b[65535T"),
    ("SD 99, coloured", "\x1b[41m", "\x1b[99T"),
    ("IL 65535 at the top", "\x1b[H", "\x1b[65535L"),
    ("DL 65535 at the top", "\x1b[H", "\x1b[65535M"),
    ("IL 99 at the top, coloured", "\x1b[H\x1b[41m", "\x1b[99L"),
    ("IL 1 at the top", "\x1b[H", "\x1b[L"),
    ("ICH 1", "\x1b[H", "\x1b[@"),
    ("DCH 1", "\x1b[H", "\x1b[P"),
    ("ECH 999", "\x1b[H", "\x1b[999X"),
    ("DECIC 1", "\x1b[H", "\x1b['}"),
    ("DECDC 1", "\x1b[H", "\x1b['~"),
    ("DECBI", "\x1b[H", "\x1b6"),
    ("DECFI", "\x1b[999;999H", "\x1b9"),
    ("LF at the bottom", "\x1b[999H", "\n"),
    ("LF at the bottom, coloured", "\x1b[999H\x1b[41m", "\n"),
    ("LF at the bottom of a region", "\x1b[2;999r\x1b[999H", "\n"),
    ("LF at the bottom of the alternate screen", "\x1b[?1049h\x1b[999H", "\n"),
    ("RI at the top", "\x1b[H", "\x1bM"),
    ("text of one character a line", "", "a\n"),
    ("text in insert mode", "\x1b[4h", "\x1b[HWhat is typed moves all that follows."),
    ("text in insert mode, wide", "\x1b[4h", "\x1b[H漢字漢字漢字漢字漢字漢字"),
    ("wide text", "", "漢字"),
    ("marks on one cell", "a", "\u{301}"),
    (
        "marks, 30 on every cell",
        "",
        "a\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
    ),
    ("REP 65535", "a", "\x1b[65535b"),
    ("REP 65535, wide", "漢", "\x1b[65535b"),
    ("REP 9999, wide", "漢", "\x1b[9999b"),
    ("REP 65535 in insert mode", "\x1b[4h", "a\x1b[65535b"),
    ("REP 65535 in insert mode, no wrap", "\x1b[4h\x1b[?7l\x1b[H", "a\x1b[65535b\r"),
    ("REP 65535 between side margins", "\x1b[?69h\x1b[2;9s\x1b[Ha", "\x1b[65535b"),
    ("REP 65535 between narrow side margins", "\x1b[?69h\x1b[2;3s\x1b[Ha", "\x1b[65535b"),
    ("tabs: forth 65535", "\x1b[3g", "\x1b[65535I\r"),
    ("tabs: back 65535", "\x1b[3g\x1b[999G", "\x1b[65535Z\x1b[999G"),
    ("tabs anew", "", "\x1b[?5W"),
    ("ED 2", "", "\x1b[2J"),
    ("ED 2, coloured", "\x1b[41m", "\x1b[2J"),
    ("ED 0 from the top", "\x1b[H", "\x1b[J"),
    ("ED 3", "", "\x1b[3J"),
    ("ED 3 after a line", "", "a\n\x1b[3J"),
    ("EL 2", "", "\x1b[2K"),
    ("DECSED 0 from the top, protected cells", "\x1b[H\x1b[1\"qkeep\x1b[H", "\x1b[?J"),
    ("ED 0 from the top, guarded cells", "\x1b[H\x1bVkeep\x1bW\x1b[H", "\x1b[J"),
    ("DECALN", "", "\x1b#8"),
    ("DECFRA, all of the screen", "", "\x1b[88$x"),
    ("DECERA, all of the screen", "", "\x1b[$z"),
    ("DECSERA, all of the screen", "\x1b[1\"qkeep", "\x1b[${"),
    ("DECCRA, all of the screen", "", "\x1b[;;;;;2;2$v"),
    ("DECRQCRA, all of the screen", "", "\x1b[*y"),
    ("DECRQCRA, all of the screen, clusters", "e\u{301}\x1b[65535b", "\x1b[*y"),
    ("RIS", "", "\x1bc"),
    ("RIS with two screens", "", "\x1b[?47h\x1bc"),
    ("DECSTR", "", "\x1b[!p"),
    ("DECCOLM", "\x1b[?40h", "\x1b[?3h"),
    ("47 there and back", "", "\x1b[?47h\x1b[?47l"),
    ("1047 there and back", "", "\x1b[?1047h\x1b[?1047l"),
    ("1049 there and back", "", "\x1b[?1049h\x1b[?1049l"),
    ("1049 on and on", "", "\x1b[?1049h"),
    ("2026 on and off", "", "\x1b[?2026h\x1b[?2026l"),
    ("2026 around ED 2", "", "\x1b[?2026h\x1b[2J\x1b[?2026l"),
    ("2026 around a line", "", "\x1b[?2026ha\n\x1b[?2026l"),
    ("keyboard flags pushed", "", "\x1b[>1u"),
    ("keyboard flags pushed and popped", "", "\x1b[>1u\x1b[<u"),
    ("device attributes", "", "\x1b[c"),
    ("cursor position reports", "", "\x1b[6n"),
    ("modes asked for", "", "\x1b[?7$p"),
    ("settings asked for", "\x1b[1;2;3;4:3;38;2;1;2;3;48;2;4;5;6m", "\x1bP$qm\x1b\\"),
    ("a string without an end", "\x1b]2;", "endless "),
    ("palette anew", "", "\x1b]104\x07"),
    ("palette: one changed, all anew", "", "\x1b]4;1;#123\x07\x1b]104\x07"),
    ("save and restore the cursor", "", "\x1b7\x1b8"),
    ("margins", "", "\x1b[2;9r"),
    ("every attribute", "", "\x1b[1;2;3;4;5;6;7;8;9;21;53;38;2;1;2;3;48;2;4;5;6;58;2;7;8;9m"),
    ("SGR 0", "", "\x1b[m"),
    ("bells", "", "\x07"),
    ("nothing", "", "\0"),
];
