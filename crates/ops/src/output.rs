//! Reads a session's output as text, economical with tokens: normalised, only the changes, and cut with a marker that
//! tells how to get the rest.

use engine::Session;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vt::PlainText;

use crate::{
    entry::{exit_code, millis, signal_name},
    host::Host,
    vocabulary::{ActiveScreen, CursorPosition, ProcessLife},
};

/// Limit of a read without one: more than any screen that an agent reads, about 16,000 tokens.
pub(crate) const DEFAULT_MAX_BYTES: usize = 64 << 10;

/// `grid`: the screen as it is drawn. `stream`: what was printed, without control sequences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputMode {
    #[default]
    Grid,
    Stream,
}

/// A row of the screen that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangedRow {
    /// From zero at the top.
    pub row: u16,
    pub text: String,
}

/// What a session shows or has printed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProcessOutput {
    /// Empty when `changed_rows` is given.
    pub content: String,
    pub mode: OutputMode,
    /// Stream: where the next read goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_offset: Option<u64>,
    /// Stream: bytes asked for that are no longer kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped_bytes: Option<u64>,
    /// Grid with `since_version`: only the rows that changed since then. Left out when the whole grid changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_rows: Option<Vec<ChangedRow>>,
    pub active_screen: ActiveScreen,
    pub rows: u16,
    pub cols: u16,
    pub cursor: CursorPosition,
    /// Milliseconds since the last output.
    pub idle_ms: u64,
    pub status: ProcessLife,
    /// The exit code, if the program exited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended the program, for example SIGKILL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// Give it as `since_version` to get only what changes from here on.
    pub screen_version: u64,
    /// The content was cut at `max_bytes`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// The parameters of a read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OutputRead {
    pub(crate) mode: OutputMode,
    pub(crate) since_offset: Option<u64>,
    pub(crate) since_version: Option<u64>,
    pub(crate) max_bytes: Option<usize>,
}

pub(crate) fn read(session: &Session, host: &dyn Host, reading: OutputRead) -> ProcessOutput {
    // Before the output is read: if the session has ended by now, the read below includes its last output.
    let status = session.status();
    let exit = if status.has_ended() { session.info().ending.and_then(|ending| ending.exit) } else { None };
    let idle_ms = millis(session.idle_for());
    let changed = session.rows_since(reading.since_version.unwrap_or(0));
    let frame = &changed.frame.frame;
    let mut output = ProcessOutput {
        content: String::new(),
        mode: reading.mode,
        new_offset: None,
        dropped_bytes: None,
        changed_rows: None,
        active_screen: ActiveScreen::of(frame),
        rows: frame.size.rows,
        cols: frame.size.cols,
        cursor: frame.cursor.into(),
        idle_ms,
        status: status.into(),
        exit_code: exit_code(exit),
        signal: signal_name(exit),
        screen_version: changed.frame.version,
        truncated: false,
    };
    let max_bytes = reading.max_bytes.unwrap_or(DEFAULT_MAX_BYTES);
    match reading.mode {
        OutputMode::Grid if reading.since_version.is_some() && changed.rows.len() < frame.rows.len() => {
            let rows = changed
                .rows
                .iter()
                .map(|row| ChangedRow { row: *row, text: frame.rows[usize::from(*row)].text().trim_end().to_owned() });
            let (rows, cut) = cut_rows(rows.collect(), max_bytes);
            output.changed_rows = Some(rows);
            output.truncated = cut.is_some();
            output.content = cut.unwrap_or_default();
        }
        OutputMode::Grid => {
            let grid = normalise(&host.trim_grid(session, frame.text()));
            (output.content, output.truncated) = cut_grid(grid, max_bytes);
        }
        OutputMode::Stream => {
            let stream = Stream::read(session, reading.since_offset, max_bytes, status.has_ended());
            output.truncated = stream.truncated;
            output.new_offset = Some(stream.new_offset);
            output.dropped_bytes = (stream.dropped > 0).then_some(stream.dropped);
            output.content = stream.content;
        }
    }
    output
}

/// Normalises text: line ends as `\n`, no trailing white space, at most one blank line in a row and none at either end.
pub(crate) fn normalise(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    for line in text.split('\n').map(str::trim_end) {
        if line.is_empty() {
            blank = !out.is_empty();
            continue;
        }
        if !out.is_empty() {
            out.push('\n');
        }
        if std::mem::take(&mut blank) {
            out.push('\n');
        }
        out.push_str(line);
    }
    out
}

/// Keeps the bottom of a grid, where the newest output is, in whole lines if possible.
fn cut_grid(grid: String, max_bytes: usize) -> (String, bool) {
    if grid.len() <= max_bytes {
        return (grid, false);
    }
    let mut start = grid.len() - max_bytes;
    while !grid.is_char_boundary(start) {
        start += 1;
    }
    if !grid[..start].ends_with('\n') {
        start = grid[start..].find('\n').map_or(start, |at| start + at + 1);
    }
    let kept = &grid[start..];
    let marker = format!(
        "[the upper {start} of {whole} bytes are left out: read again with max_bytes {whole} for all]\n",
        whole = grid.len()
    );
    (marker + kept, true)
}

/// Keeps the lowest rows. The marker goes into the content, which is empty otherwise.
fn cut_rows(mut rows: Vec<ChangedRow>, max_bytes: usize) -> (Vec<ChangedRow>, Option<String>) {
    let whole: usize = rows.iter().map(|row| row.text.len()).sum();
    let mut left_out = 0;
    let mut length = whole;
    while length > max_bytes && left_out < rows.len() {
        length -= rows[left_out].text.len();
        left_out += 1;
    }
    if left_out == 0 {
        return (rows, None);
    }
    rows.drain(..left_out);
    let marker = format!("[{left_out} more changed rows are left out: read again with max_bytes {whole} for all]");
    (rows, Some(marker))
}

struct Stream {
    content: String,
    new_offset: u64,
    dropped: u64,
    truncated: bool,
}

impl Stream {
    /// Reads from an offset, or the newest output if none is given.
    fn read(session: &Session, since: Option<u64>, max_bytes: usize, has_ended: bool) -> Self {
        let end = session.output_offset();
        let from = since.unwrap_or_else(|| end.saturating_sub(max_bytes as u64));
        let mut raw = session.raw(from, max_bytes);
        let is_newest = raw.next_offset() >= session.output_offset();
        // A character or sequence that would be cut comes whole with the next read.
        if !(is_newest && has_ended) {
            let whole = whole_prefix(&raw.bytes);
            // Otherwise a sequence longer than the whole read would block reading for ever.
            if whole > 0 || is_newest {
                raw.bytes.truncate(whole);
            }
        }
        let new_offset = raw.next_offset();
        let mut content = String::new();
        let skipped = if since.is_none() { raw.offset } else { 0 };
        let first_kept = session.raw(0, 0).offset;
        if skipped > first_kept {
            content = format!(
                "[{} earlier bytes are left out: read from since_offset {first_kept} for them]\n",
                skipped - first_kept
            );
        }
        content.push_str(&plain(&raw.bytes));
        if !is_newest {
            if !content.ends_with('\n') && !content.is_empty() {
                content.push('\n');
            }
            let more = session.output_offset().saturating_sub(new_offset);
            content.push_str(&format!("[{more} more bytes: read on from since_offset {new_offset}]"));
        }
        let dropped = if since.is_some() { raw.dropped } else { 0 };
        Stream { content, new_offset, dropped, truncated: !is_newest || skipped > first_kept }
    }
}

/// Raw output as text, without control sequences.
fn plain(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut plain = PlainText::default();
    plain.feed(bytes, &mut |line| {
        text.push_str(line);
        text.push('\n');
    });
    text.push_str(plain.open_line());
    text
}

/// How far back an escape sequence is searched for; a longer one is not a sequence that a reader would miss.
const LONGEST_SEQUENCE: usize = 256;

/// The number of bytes at the start that don't end within a character or a sequence.
pub(crate) fn whole_prefix(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(LONGEST_SEQUENCE);
    if let Some(at) = bytes[from..].iter().rposition(|byte| *byte == 0x1b)
        && !is_whole_sequence(&bytes[from + at..])
    {
        return from + at;
    }
    let tail = bytes.len().saturating_sub(3);
    match (tail..bytes.len()).rev().find(|at| bytes[*at] >= 0xc0) {
        Some(at) if bytes.len() - at < utf8_length(bytes[at]) => at,
        _ => bytes.len(),
    }
}

fn utf8_length(first: u8) -> usize {
    match first {
        0xf0.. => 4,
        0xe0.. => 3,
        _ => 2,
    }
}

/// `bytes` start with ESC and contain no other ESC.
fn is_whole_sequence(bytes: &[u8]) -> bool {
    match bytes.get(1) {
        None => false,
        Some(b'[') => bytes[2..].iter().any(|byte| (0x40..=0x7e).contains(byte)),
        Some(b']') => bytes[2..].contains(&0x07),
        // These end with ESC and a backslash, but there is no second ESC.
        Some(b'P' | b'X' | b'^' | b'_') => false,
        Some(0x20..=0x2f) => bytes[2..].iter().any(|byte| (0x30..=0x7e).contains(byte)),
        Some(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_normalised() {
        for (grid, expected) in [
            ("", ""),
            ("\n\n  \n", ""),
            ("a  \n\n\n\nb\t\n", "a\n\nb"),
            ("\r\n\r\nx\r\ny\rz", "x\ny\nz"),
            ("  indented\n \n  more", "  indented\n\n  more"),
        ] {
            assert_eq!(normalise(grid), expected, "{grid:?}");
        }
    }

    #[test]
    fn a_cut_grid_keeps_its_lowest_lines_and_says_how_to_get_all() {
        let (text, cut) = cut_grid("one\ntwo\nthree".into(), 100);
        assert_eq!((text.as_str(), cut), ("one\ntwo\nthree", false));
        let (text, cut) = cut_grid("one\ntwo\nthree".into(), 7);
        assert!(cut && text.ends_with("]\nthree") && text.contains("max_bytes 13"), "{text}");
        let (text, _) = cut_grid("one\ntwo\nthree".into(), 9);
        assert!(text.ends_with("]\ntwo\nthree"), "{text}");
        let (text, _) = cut_grid("ééééé".into(), 3);
        assert!(text.ends_with("]\né"), "{text}");
    }

    #[test]
    fn changed_rows_are_cut_from_the_top() {
        let rows = |texts: &[&str]| -> Vec<ChangedRow> {
            texts.iter().zip(0..).map(|(text, row)| ChangedRow { row, text: (*text).into() }).collect()
        };
        assert_eq!(cut_rows(rows(&["aa", "bb"]), 4), (rows(&["aa", "bb"]), None));
        let (kept, marker) = cut_rows(rows(&["aa", "bb", "cc"]), 3);
        assert_eq!(kept, rows(&["aa", "bb", "cc"])[2..]);
        assert!(marker.unwrap().contains("2 more changed rows"));
    }

    #[test]
    fn reads_end_between_characters_and_sequences() {
        for (bytes, whole) in [
            (&b"abc"[..], 3),
            (b"ab\xc3", 2),
            (b"ab\xc3\xa9", 4),
            (b"ab\xe2\x82", 2),
            (b"ab\xf0\x9f\x98", 2),
            (b"ab\x1b", 2),
            (b"ab\x1b[31", 2),
            (b"ab\x1b[31m", 7),
            (b"ab\x1b[31mc", 8),
            (b"ab\x1b]0;title", 2),
            (b"ab\x1b]0;t\x07x", 9),
            (b"\x1bP1$r\x1b\\", 7),
            (b"\x1b(", 0),
            (b"\x1b(B", 3),
            (b"", 0),
        ] {
            assert_eq!(whole_prefix(bytes), whole, "{bytes:?}");
        }
    }
}
