//! The text that a recording printed, from its first line to its last: lines that scrolled away, text that was cleared,
//! and the screen at the end. It is written while the replay proceeds, so a long recording needs no more memory than a
//! short one.
//!
//! A line is text as it was when it left the screen: text overwritten in place, such as the earlier states of a
//! progress bar, is not a line of its own. The screens of full-screen programs are left out, and counted.

use std::io::{self, Write};

use vt::{Size, Terminal, TerminalOptions};

use crate::{
    reel::start_size,
    tape::{Tape, TapeEntry},
};

/// Output between two checks for lines that left the screen; bounds the memory that they take.
const PIECE: usize = 4 << 10;
/// Bytes of text between two writes.
const WRITE: usize = 64 << 10;

/// Writes the text of the first `events` events, and returns how many full-screen programs it left out.
pub(crate) fn write_printed(tape: &Tape, events: usize, sink: &mut dyn Write) -> io::Result<u64> {
    let mut text = Printed { terminal: terminal(start_size(tape)), waiting: String::new(), blank: 0, sink };
    // Of several sizes without output in between, only the last one counts.
    let mut resized = None;
    for (_, entry) in tape.entries().take(events) {
        match entry {
            TapeEntry::Output(output) => {
                if let Some(size) = resized.take() {
                    text.terminal.resize(size);
                }
                for piece in output.as_bytes().chunks(PIECE) {
                    text.terminal.feed(piece);
                    text.go_on()?;
                }
            }
            TapeEntry::Resize { cols, rows } => resized = Some(Size { cols, rows }),
            TapeEntry::Input(_) | TapeEntry::Marker(_) | TapeEntry::Exit(_) => {}
        }
    }
    text.finish()
}

/// No limits: lines that leave the screen are kept only for one piece of output.
fn terminal(size: Size) -> Terminal {
    let (history_lines, history_bytes) = (usize::MAX, usize::MAX);
    Terminal::new(TerminalOptions {
        size,
        history_lines,
        history_bytes,
        keep_cleared: true,
        ..TerminalOptions::default()
    })
}

struct Printed<'a> {
    terminal: Terminal,
    /// Lines not written yet.
    waiting: String,
    /// Empty lines after those: written only if more text follows.
    blank: u64,
    sink: &'a mut dyn Write,
}

impl Printed<'_> {
    fn go_on(&mut self) -> io::Result<()> {
        // Queries in a recording get no answer.
        self.terminal.take_effects();
        self.terminal.take_history_text(&mut self.waiting);
        if self.waiting.len() < WRITE { Ok(()) } else { self.write() }
    }

    fn write(&mut self) -> io::Result<()> {
        let text = self.waiting.trim_end_matches('\n');
        let blank = (self.waiting.len() - text.len()) as u64;
        if !text.is_empty() {
            for _ in 0..std::mem::take(&mut self.blank) {
                self.sink.write_all(b"\n")?;
            }
            self.sink.write_all(text.as_bytes())?;
        }
        self.blank += blank;
        self.waiting.clear();
        Ok(())
    }

    fn finish(mut self) -> io::Result<u64> {
        // The recording may end within a synchronized update: the part that is there counts as text too.
        self.terminal.expire_synchronized_update();
        let Printed { terminal, waiting, .. } = &mut self;
        terminal.lines_text(terminal.first_screen_line()..terminal.lines().end, waiting);
        let alternate = terminal.alternate_screen();
        if alternate {
            // The recording ends in a full-screen program: its screen is all that can be shown.
            terminal.grid_text(waiting);
        }
        let left_out = terminal.alternate_screens() - u64::from(alternate);
        self.write()?;
        self.sink.write_all(b"\n")?;
        Ok(left_out)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tape::TapeLimits;

    fn printed(outputs: &[&str]) -> (String, u64) {
        let header = cast::CastHeader { cols: 20, rows: 4, ..cast::CastHeader::default() };
        let mut writer = cast::CastWriter::new(Vec::new(), cast::AsciicastVersion::V2, &header).unwrap();
        for output in outputs {
            writer.output(std::time::Duration::from_secs(1), output.as_bytes()).unwrap();
        }
        let tape = Arc::new(Tape::read(&writer.into_sink()[..], TapeLimits::default()).unwrap());
        let mut text = Vec::new();
        let left_out = write_printed(&tape, tape.len(), &mut text).unwrap();
        (String::from_utf8(text).unwrap(), left_out)
    }

    #[test]
    fn every_line_of_a_flood_is_there() {
        let flood: String = (1..=30_000).map(|line| format!("{line}\r\n")).collect();
        let expected: String = (1..=30_000).map(|line| format!("{line}\n")).collect();
        assert!(printed(&[&flood]).0 == expected);
        // Includes long lines, which continue over rows and over pieces of output.
        let long: String = (0..40).map(|line| format!("{line}{}\r\n", "x".repeat(5_000))).collect();
        assert!(printed(&[&long]).0 == long.replace('\r', ""));
    }

    #[test]
    fn what_was_cleared_was_printed() {
        for clear in ["\x1b[H\x1b[2J\x1b[3J", "\x1b[H\x1b[J", "\x1bc"] {
            let before: String = (1..=9).map(|line| format!("line {line}\r\n")).collect();
            let (text, left_out) = printed(&[&before, "and one", clear, "after"]);
            let expected: String = (1..=9).map(|line| format!("line {line}\n")).collect();
            assert_eq!((text, left_out), (format!("{expected}and one\nafter\n"), 0), "{clear:?}");
        }
        // Text that is overwritten in place is one line, and empty lines between others stay.
        assert_eq!(printed(&["10%\r50%\r99%\r\n\r\n\r\nend\r\n\r\n"]).0, "99%\n\n\nend\n");
        assert_eq!(printed(&[]).0, "\n");
    }

    #[test]
    fn full_screen_programs_are_counted_and_left_out() {
        let (enter, leave) = ("\x1b[?1049h\x1b[H\x1b[2J", "\x1b[?1049l");
        let (text, left_out) = printed(&["before\r\n", enter, "a picture", leave, "after\r\n"]);
        assert_eq!((text.as_str(), left_out), ("before\nafter\n", 1));
        // The recording ends in this full-screen program, so its screen is shown.
        let (text, left_out) = printed(&["before\r\n", enter, "a picture"]);
        assert_eq!((text.as_str(), left_out), ("before\n\na picture\n", 0));
    }
}
