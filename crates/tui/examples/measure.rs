//! What drawing and filtering cost: `cargo run --release -p tui --example measure`.

use std::{
    fmt::Write as _,
    hint::black_box,
    io::{self, Write as _},
    time::{Duration, Instant},
};

use tui::{
    Canvas, CanvasWriter, HostDecoder, HostEvent, PaneView, Rect, Sign, Skin, Span, WriterOptions,
    widgets::{FuzzyList, ListEntry, TabBar, TabLabel},
};
use vt::{Size, Style, Terminal, TerminalOptions};

const SCREEN: Size = Size { cols: 160, rows: 48 };
const PANE: Rect = Rect::new(0, 1, 130, 46);

fn main() -> io::Result<()> {
    let mut report = String::new();
    palette(&mut report);
    for (name, step) in [("flood", flood as fn(usize, &mut Terminal)), ("typing", typing), ("still", |_, _| {})] {
        frames(name, step, &mut report);
    }
    decoding(&mut report);
    io::stdout().write_all(report.as_bytes())
}

/// One key typed into a palette of 1,000 entries: filter, rank and draw.
fn palette(report: &mut String) {
    let entries: Vec<ListEntry> = (0..1000)
        .map(|number| {
            let mut entry = ListEntry::new(format!("Spawn agent: claude-{number} in workspace number {}", number * 7));
            entry.detail = "a detail that stands beside it".into();
            entry.recent = number % 17;
            entry
        })
        .collect();
    let area = Rect::new(0, 0, 80, 20);
    let mut canvas = Canvas::new(SCREEN);
    let mut list = FuzzyList::new(entries);
    let mut worst = Duration::ZERO;
    for key in "a g e n t space c l 4 2 backspace backspace w o r k".split(' ') {
        let key = HostEvent::Key(key.parse().expect("these are keys"));
        let start = Instant::now();
        list.update(&key, area);
        list.draw(&mut canvas, area, "> ", &Skin::default());
        worst = worst.max(start.elapsed());
    }
    let _ = writeln!(report, "palette, 1,000 entries: {worst:?} for the slowest key");
}

fn flood(number: usize, child: &mut Terminal) {
    for line in 0..60 {
        child.feed(format!("\x1b[3{}m{number:6} {line}\x1b[m some log line with words in it\r\n", line % 8).as_bytes());
    }
}

fn typing(_: usize, child: &mut Terminal) {
    child.feed(b"x");
}

fn frames(name: &str, step: fn(usize, &mut Terminal), report: &mut String) {
    const FRAMES: u32 = 300;
    let mut child = Terminal::new(TerminalOptions { size: PANE.size(), ..TerminalOptions::default() });
    let mut canvas = Canvas::new(SCREEN);
    let mut writer = CanvasWriter::new(WriterOptions { narrow_ambiguous: true, ..WriterOptions::default() });
    let tabs = [TabLabel { title: "claude".into(), sign: Sign::Working, attention: false }];
    let skin = Skin::default();
    let mut spent = Duration::ZERO;
    for number in 0..FRAMES {
        step(number as usize, &mut child);
        let frame = child.frame();
        let start = Instant::now();
        TabBar { tabs: &tabs, active: 0 }.draw(&mut canvas, Rect::new(0, 0, SCREEN.cols, 1), &skin);
        for row in 0..46 {
            canvas.draw_line(
                Rect::new(130, 1, 30, 46),
                row,
                &[Span::new("│ ├─ entry", Style::default())],
                Style::default(),
            );
        }
        let cursor = PaneView::frame(&frame).draw(&mut canvas, PANE, 1);
        canvas.set_cursor(cursor);
        black_box(writer.frame(&canvas));
        spent += start.elapsed();
    }
    let _ = writeln!(
        report,
        "{name}, 160x48: {:?} and {} bytes a frame, {:.1} % of a core at 60 frames a second",
        spent / FRAMES,
        writer.bytes() / u64::from(FRAMES),
        spent.as_secs_f64() / f64::from(FRAMES) * 60.0 * 100.0,
    );
}

fn decoding(report: &mut String) {
    let keys = "\x1b[97;5u\x1b[Ahello \x1b[<0;10;20M\x1b[1;5C".repeat(10_000);
    let mut decoder = HostDecoder::new();
    let mut events = Vec::new();
    let start = Instant::now();
    decoder.feed(keys.as_bytes(), &mut events);
    let spent = start.elapsed();
    let _ = writeln!(report, "decoding: {:?} an event ({} events)", spent / events.len() as u32, events.len());
}
