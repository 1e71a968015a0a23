//! What must be equal in two terminals, as text that shows the difference.

use std::fmt::Write;

use vt::{Line, Style, Terminal};

/// The difference between `first` and `second`, which were fed the same in different chunks.
pub(super) fn chunking_difference(first: &mut Terminal, second: &mut Terminal) -> Option<String> {
    shown_difference(first, second)
        .or_else(|| differ("lines", lines(first), lines(second)))
        .or_else(|| differ("line numbers", first.lines(), second.lines()))
        .or_else(|| differ("effects", first.take_effects(), second.take_effects()))
        .or_else(|| {
            let [first, second] = [first.serialize(), second.serialize()];
            differ("serialised", first.escape_ascii().to_string(), second.escape_ascii().to_string())
        })
}

/// The difference between the screen of `original` and that of a fresh terminal that was fed its serialisation.
pub(super) fn replay_difference(original: &mut Terminal, replayed: &mut Terminal) -> Option<String> {
    shown_difference(original, replayed)
        .or_else(|| differ("title", original.title(), replayed.title()))
        .or_else(|| differ("status records", original.status_records(), replayed.status_records()))
}

fn shown_difference(first: &mut Terminal, second: &mut Terminal) -> Option<String> {
    let (one, other) = (first.frame(), second.frame());
    for (row, (one, other)) in one.rows.iter().zip(&other.rows).enumerate() {
        if let Some(difference) = differ("row", runs(one), runs(other)) {
            return Some(format!("row {row}: {difference}"));
        }
    }
    differ("size", one.size, other.size)
        .or_else(|| differ("cursor", one.cursor, other.cursor))
        .or_else(|| differ("reverse video", one.reverse_video, other.reverse_video))
        .or_else(|| differ("alternate screen", one.alternate_screen, other.alternate_screen))
        .or_else(|| differ("theme", &one.theme, &other.theme))
        .or_else(|| differ("modes", first.input_modes(), second.input_modes()))
}

fn differ<T: PartialEq + std::fmt::Debug>(what: &str, first: T, second: T) -> Option<String> {
    (first != second).then(|| {
        let [first, second] = [format!("{first:?}"), format!("{second:?}")];
        let same = first.chars().zip(second.chars()).take_while(|(first, second)| first == second).count();
        let around = |text: &str| text.chars().skip(same.saturating_sub(60)).take(160).collect::<String>();
        format!("{what}\n    {}\n    {}", around(&first), around(&second))
    })
}

/// Text, columns and styles; links by their targets, because ids are local to a terminal.
fn runs(line: &Line) -> Vec<(String, u32, Style, Option<String>)> {
    let mut text = line.text();
    let mut runs: Vec<(String, u32, Style, Option<String>)> = Vec::new();
    for run in line.runs() {
        let (part, rest) = text.split_at(run.bytes as usize);
        text = rest;
        let style = Style { link: None, ..run.style };
        let link = run.link.as_ref().map(|link| format!("{} {}", link.id, link.uri));
        match runs.last_mut() {
            // Two anonymous links side by side may have become one.
            Some(last) if last.2 == style && last.3 == link => {
                last.0.push_str(part);
                last.1 += run.cols;
            }
            _ => runs.push((part.to_owned(), run.cols, style, link)),
        }
    }
    runs
}

fn lines(terminal: &Terminal) -> String {
    let mut out = String::new();
    terminal.lines_text(terminal.lines(), &mut out);
    out
}

/// Contradictions within one terminal: the frame, the text and the lines are three views of one screen.
pub(super) fn contradiction(terminal: &mut Terminal) -> Option<String> {
    let frame = terminal.frame();
    let mut grid = String::new();
    terminal.grid_text(&mut grid);
    let (position, size) = (frame.cursor.position, frame.size);
    if position.row >= size.rows || position.col >= size.cols {
        return Some(format!("the cursor {position:?} is outside of {size:?}"));
    }
    if frame.rows.len() != usize::from(size.rows) {
        return Some(format!("{} rows in a frame of {size:?}", frame.rows.len()));
    }
    if let Some(wide) = frame.rows.iter().find(|row| row.cols() > u32::from(size.cols)) {
        return Some(format!("a row of {} columns in a frame of {size:?}", wide.cols()));
    }
    let mut visited = String::new();
    let mut next = terminal.lines().start;
    let mut gap = None;
    terminal.for_each_line(terminal.lines(), &mut |number, text| {
        if number != next {
            gap.get_or_insert(format!("line {number} is visited where {next} should be"));
        }
        next = number + 1;
        writeln!(visited, "{text}").expect("writing to a string");
        true
    });
    gap.or_else(|| differ("frame and grid text", frame.text(), grid))
        .or_else(|| differ("number of lines visited", next, terminal.lines().end))
        .or_else(|| {
            let copied: String = lines(terminal).lines().flat_map(|line| [line.trim_end_matches(' '), "\n"]).collect();
            differ("lines visited and copied", visited, copied)
        })
}

/// The part of a terminal's text that no resize may change.
pub(super) struct Text {
    /// All characters of all lines except white space.
    characters: String,
    first_line: u64,
    /// Whether nothing is behind or below the cursor, where a smaller screen may cut it off.
    ends_at_cursor: bool,
    /// An unfinished update, which the resize ends.
    frozen: bool,
}

impl Text {
    pub(super) fn of(terminal: &mut Terminal) -> Self {
        let frame = terminal.frame();
        let position = frame.cursor.position;
        let (cursor_row, below) =
            frame.rows[usize::from(position.row)..].split_first().expect("the cursor is in a row");
        Text {
            characters: lines(terminal).split_whitespace().collect(),
            first_line: terminal.lines().start,
            frozen: terminal.synchronized_update().is_some(),
            ends_at_cursor: cursor_row.cols() <= u32::from(position.col) + 1
                && below.iter().all(|row| row.trimmed().is_empty()),
        }
    }

    /// The text that a resize removed. Not checked: the alternate screen, which is cropped instead of wrapped, and an
    /// unfinished update, whose content a resize reveals.
    pub(super) fn lost_in(&self, terminal: &mut Terminal) -> Option<String> {
        if terminal.alternate_screen() || self.frozen {
            return None;
        }
        let after = Text::of(terminal);
        let evicted = after.first_line != self.first_line;
        let kept = if self.ends_at_cursor {
            self.characters == after.characters
        } else {
            self.characters.starts_with(&after.characters)
        };
        let count = |text: &Text| text.characters.chars().count();
        (!evicted && !kept).then(|| format!("{} characters before, {} after", count(self), count(&after)))
    }
}
