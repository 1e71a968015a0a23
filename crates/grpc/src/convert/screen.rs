//! Frames as messages: cells for clients that want one per column, runs for those that want few bytes.

use bytes::{BufMut, Bytes, BytesMut};
use engine::{SessionId, VersionedFrame};
use ops::{ErrorKind, OpError};
use prost::encoding::{self, WireType};
use vt::{Attributes, Frame, Line, RunShape, Style, StyleRun, Theme, Underline};

use super::rgb;
use crate::{
    failure::MAX_MESSAGE_BYTES,
    proto::{
        self, CellRun, CellShape, CursorShape, GetScreenResponse, HistoryLine, RowUpdate, ScreenFormat, UnderlineStyle,
    },
    screen_row::{EncodedCells, ScreenRow},
};

pub(crate) fn screen(
    id: SessionId,
    name: String,
    VersionedFrame { version, frame }: &VersionedFrame,
    format: ScreenFormat,
) -> Result<GetScreenResponse, OpError> {
    let screen_rows = match format {
        ScreenFormat::Unspecified | ScreenFormat::Cells => cell_rows(frame)?,
        ScreenFormat::Runs => frame.rows.iter().map(|line| run_row(line, &frame.theme)).collect(),
    };
    Ok(GetScreenResponse {
        name,
        cols: frame.size.cols.into(),
        rows: frame.size.rows.into(),
        cursor_x: frame.cursor.position.col.into(),
        cursor_y: frame.cursor.position.row.into(),
        screen_rows,
        id: id.to_string(),
        version: *version,
        cursor_visible: frame.cursor.visible,
        cursor_shape: cursor_shape(frame).into(),
        cursor_blinking: frame.cursor.blinking,
        alternate_screen: frame.alternate_screen,
        reverse_video: frame.reverse_video,
        default_fg: rgb(frame.theme.foreground),
        default_bg: rgb(frame.theme.background),
    })
}

/// The update for a viewer whose last frame is `before`. Fields that don't concern the screen are left empty.
pub(crate) fn frame_update(VersionedFrame { version, frame }: &VersionedFrame, before: Option<&Frame>) -> proto::Frame {
    let update = |row: u16| {
        let line = &frame.rows[usize::from(row)];
        RowUpdate { row: row.into(), runs: runs(line, &frame.theme), wrapped: line.wrapped() }
    };
    // A changed palette changes every row, although no cell did.
    let before = before.filter(|before| before.size == frame.size && before.theme == frame.theme);
    let row_updates = match before {
        Some(before) => frame.damage(before).map(update).collect(),
        None => (0..frame.size.rows).take(frame.rows.len()).map(update).collect(),
    };
    proto::Frame {
        version: *version,
        cols: frame.size.cols.into(),
        rows: frame.size.rows.into(),
        cursor_x: frame.cursor.position.col.into(),
        cursor_y: frame.cursor.position.row.into(),
        cursor_visible: frame.cursor.visible,
        cursor_shape: cursor_shape(frame).into(),
        cursor_blinking: frame.cursor.blinking,
        whole: before.is_none(),
        row_updates,
        alternate_screen: frame.alternate_screen,
        reverse_video: frame.reverse_video,
        default_fg: rgb(frame.theme.foreground),
        default_bg: rgb(frame.theme.background),
        cursor_color: rgb(frame.theme.cursor),
        ..proto::Frame::default()
    }
}

pub(crate) fn history_line(line: &Line, theme: &Theme) -> HistoryLine {
    HistoryLine { runs: runs(line, theme) }
}

fn cursor_shape(frame: &Frame) -> CursorShape {
    match frame.cursor.shape {
        vt::CursorShape::Block => CursorShape::Block,
        vt::CursorShape::Underline => CursorShape::Underline,
        vt::CursorShape::Bar => CursorShape::Bar,
    }
}

fn run_row(line: &Line, theme: &Theme) -> ScreenRow {
    ScreenRow { cells: EncodedCells::default(), runs: runs(line, theme), wrapped: line.wrapped() }
}

fn runs(line: &Line, theme: &Theme) -> Vec<CellRun> {
    let mut rest = line.text();
    let mut next = |run: &StyleRun| {
        let (text, after) = rest.split_at(run.bytes as usize);
        rest = after;
        CellRun {
            text: text.to_owned(),
            cols: run.cols,
            shape: match run.shape {
                RunShape::Narrow => CellShape::Narrow,
                RunShape::Wide => CellShape::Wide,
                RunShape::Cluster => CellShape::Cluster,
                RunShape::WideCluster => CellShape::WideCluster,
                RunShape::Blank => CellShape::Blank,
            }
            .into(),
            fg_color: theme.resolve(run.style.foreground).map(rgb),
            bg_color: theme.resolve(run.style.background).map(rgb),
            attributes: attributes(&run.style),
            underline: match run.style.underline {
                Underline::None => UnderlineStyle::None,
                Underline::Single => UnderlineStyle::Single,
                Underline::Double => UnderlineStyle::Double,
                Underline::Curly => UnderlineStyle::Curly,
                Underline::Dotted => UnderlineStyle::Dotted,
                Underline::Dashed => UnderlineStyle::Dashed,
            }
            .into(),
            underline_color: theme.resolve(run.style.underline_color).map(rgb),
            link: run.link.as_ref().map(|link| link.uri.clone()).unwrap_or_default(),
        }
    };
    line.runs().iter().map(&mut next).collect()
}

/// The bits listed in proto/vtr.proto.
fn attributes(style: &Style) -> u32 {
    const BITS: [(Attributes, u32); 8] = [
        (Attributes::BOLD, 0x01),
        (Attributes::ITALIC, 0x02),
        (Attributes::DIM, 0x08),
        (Attributes::BLINK.union(Attributes::RAPID_BLINK), 0x10),
        (Attributes::INVERSE, 0x20),
        (Attributes::INVISIBLE, 0x40),
        (Attributes::STRIKE, 0x80),
        (Attributes::OVERLINE, 0x100),
    ];
    let underline = if style.underline == Underline::None { 0 } else { 0x04 };
    BITS.iter()
        .filter(|(attribute, _)| style.attributes.intersects(*attribute))
        .fold(underline, |bits, (_, bit)| bits | bit)
}

/// A cell in the default colours takes 27 bytes: each -1 is encoded in ten.
const USUAL_CELL_BYTES: usize = 28;

/// All rows share one buffer: a screen costs one allocation for its cells.
fn cell_rows(frame: &Frame) -> Result<Vec<ScreenRow>, OpError> {
    let columns = usize::from(frame.size.cols);
    let bytes = columns * frame.rows.len() * USUAL_CELL_BYTES;
    if bytes > MAX_MESSAGE_BYTES {
        let message = format!("{}x{} cells don't fit into one message", frame.size.cols, frame.size.rows);
        return Err(OpError::new(ErrorKind::LimitExceeded, message).with_hint("ask for SCREEN_FORMAT_RUNS"));
    }
    let mut all = BytesMut::with_capacity(bytes);
    let blank = EncodedLook::of(&Style::default(), &frame.theme);
    let row = |line: &std::sync::Arc<Line>| {
        let written = write_cells(line, &frame.theme, &mut all);
        blank.write_ascii(columns.saturating_sub(written), std::iter::repeat(b' '), &mut all);
        (all.split(), line.wrapped())
    };
    let rows: Vec<(BytesMut, bool)> = frame.rows.iter().map(row).collect();
    let finish = |(cells, wrapped): (BytesMut, bool)| ScreenRow {
        cells: EncodedCells::from_encoded(Bytes::from(cells)),
        runs: Vec::new(),
        wrapped,
    };
    Ok(rows.into_iter().map(finish).collect())
}

/// Writes the cells of `line`, and returns how many columns they cover.
fn write_cells(line: &Line, theme: &Theme, into: &mut BytesMut) -> usize {
    let mut rest = line.text();
    let mut columns = 0;
    for run in line.runs() {
        let (text, after) = rest.split_at(run.bytes as usize);
        rest = after;
        columns += run.cols as usize;
        let look = EncodedLook::of(&run.style, theme);
        match run.shape {
            RunShape::Narrow | RunShape::Blank if text.is_ascii() => look.write_ascii(text.len(), text.bytes(), into),
            RunShape::Narrow | RunShape::Blank => characters(text).for_each(|character| look.write(character, into)),
            RunShape::Wide => characters(text).for_each(|character| look.write_wide(character, into)),
            RunShape::Cluster => look.write(text, into),
            RunShape::WideCluster => look.write_wide(text, into),
        }
    }
    columns
}

fn characters(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices().map(|(at, character)| &text[at..at + character.len_utf8()])
}

/// Colours and attributes of a `ScreenCell`, encoded once for a whole run.
struct EncodedLook {
    bytes: [u8; Self::MAX_BYTES],
    length: usize,
}

impl EncodedLook {
    /// Three keys, two numbers of up to ten bytes, one of up to two.
    const MAX_BYTES: usize = 25;

    fn of(style: &Style, theme: &Theme) -> Self {
        let color = |color| theme.resolve(color).map_or(u64::MAX, |value| u64::from(rgb(value)));
        let mut bytes = [0; Self::MAX_BYTES];
        let mut rest = &mut bytes[..];
        let values = [(2, color(style.foreground)), (3, color(style.background)), (4, u64::from(attributes(style)))];
        for (tag, value) in values.into_iter().filter(|(_, value)| *value != 0) {
            encoding::encode_key(tag, WireType::Varint, &mut rest);
            encoding::encode_varint(value, &mut rest);
        }
        let length = Self::MAX_BYTES - rest.len();
        EncodedLook { bytes, length }
    }

    /// Nearly all cells: each is a copy of the first with another character in its place.
    fn write_ascii(&self, cells: usize, characters: impl Iterator<Item = u8>, into: &mut BytesMut) {
        const CHARACTER: usize = 4;
        let mut cell = [0; CHARACTER + 1 + Self::MAX_BYTES];
        cell[..=CHARACTER].copy_from_slice(&[0x0a, 3 + self.length as u8, 0x0a, 1, b' ']);
        cell[CHARACTER + 1..].copy_from_slice(&self.bytes);
        let cell = &cell[..CHARACTER + 1 + self.length];
        let start = into.len();
        into.resize(start + cells * cell.len(), 0);
        for (place, character) in into[start..].chunks_exact_mut(cell.len()).zip(characters) {
            place.copy_from_slice(cell);
            place[CHARACTER] = character;
        }
    }

    /// One `ScreenCell` as field 1 of a row.
    fn write(&self, text: &str, into: &mut BytesMut) {
        let look = &self.bytes[..self.length];
        let text_bytes =
            if text.is_empty() { 0 } else { 1 + encoding::encoded_len_varint(text.len() as u64) + text.len() };
        encoding::encode_key(1, WireType::LengthDelimited, into);
        encoding::encode_varint((text_bytes + self.length) as u64, into);
        if !text.is_empty() {
            encoding::encode_key(1, WireType::LengthDelimited, into);
            encoding::encode_varint(text.len() as u64, into);
            into.put_slice(text.as_bytes());
        }
        into.put_slice(look);
    }

    /// The second cell of a wide character is empty.
    fn write_wide(&self, text: &str, into: &mut BytesMut) {
        self.write(text, into);
        self.write("", into);
    }
}

#[cfg(test)]
mod tests {
    use prost::Message;
    use vt::{Size, Terminal, TerminalOptions};

    use super::*;
    use crate::{proto::ScreenCell, screen_row::RowCell};

    fn frame(cols: u16, rows: u16, bytes: &str) -> Frame {
        let mut terminal = Terminal::new(TerminalOptions { size: Size::new(cols, rows), ..TerminalOptions::default() });
        terminal.feed(bytes.as_bytes());
        terminal.frame()
    }

    /// A row as decoded by another implementation of the protocol.
    #[derive(Clone, PartialEq, Message)]
    struct PlainRow {
        #[prost(message, repeated, tag = "1")]
        cells: Vec<ScreenCell>,
    }

    const BLANK: RowCell<'static> = RowCell { text: " ", fg_color: -1, bg_color: -1, attributes: 0 };

    #[test]
    fn cells_are_what_generated_code_reads() {
        let text = "\x1b[1;3;4;31;48;2;0;0;0mA\x1b[0m\x1b[2;5;7;8;9;53mb\x1b[0m漢e\u{301}👨\u{200d}👩\u{200d}👧x";
        let rows = cell_rows(&frame(12, 2, text)).unwrap();
        let plain = PlainRow::decode(rows[0].encode_to_vec().as_slice()).unwrap();
        let read: Vec<(&str, i32, i32, u32)> = plain
            .cells
            .iter()
            .map(|cell| (cell.char.as_str(), cell.fg_color, cell.bg_color, cell.attributes))
            .collect();
        let expected = [
            ("A", 0xcd0000, 0, 0x07),
            ("b", -1, -1, 0x1f8),
            ("漢", -1, -1, 0),
            ("", -1, -1, 0),
            ("e\u{301}", -1, -1, 0),
            ("👨\u{200d}👩\u{200d}👧", -1, -1, 0),
            ("", -1, -1, 0),
            ("x", -1, -1, 0),
        ];
        assert_eq!(read[..8], expected);
        assert!(read[8..].iter().all(|cell| *cell == (" ", -1, -1, 0)) && read.len() == 12, "{read:?}");
        assert!(rows[1].cells.iter().all(|cell| cell == BLANK) && rows[1].cells.iter().count() == 12);
    }

    #[test]
    fn rows_survive_the_wire() {
        let shown = frame(20, 3, "\x1b[32mgreen\x1b[0m and 漢字\r\nwrapped wrapped wrapped");
        for format in [ScreenFormat::Cells, ScreenFormat::Runs] {
            let versioned = VersionedFrame { version: 7, frame: std::sync::Arc::new(shown.clone()) };
            let sent = screen("p_000001".parse().unwrap(), "one".into(), &versioned, format).unwrap();
            let read = GetScreenResponse::decode(sent.encode_to_vec().as_slice()).unwrap();
            assert_eq!(read, sent);
            let text: Vec<String> = read.screen_rows.iter().map(ScreenRow::text).collect();
            assert_eq!(text, ["green and 漢字", "wrapped wrapped wrap", "ped"]);
            assert!(read.screen_rows[1].wrapped && !read.screen_rows[2].wrapped);
        }
    }

    #[test]
    fn a_screen_too_large_for_cells_is_to_be_had_as_runs() {
        let large = VersionedFrame { version: 1, frame: std::sync::Arc::new(frame(2000, 1000, "x")) };
        let as_format = |format| screen("p_000001".parse().unwrap(), "one".into(), &large, format);
        let error = as_format(ScreenFormat::Cells).unwrap_err();
        assert!(error.kind == ErrorKind::LimitExceeded && error.hint.contains("RUNS"), "{error:?}");
        assert_eq!(as_format(ScreenFormat::Runs).unwrap().screen_rows[0].text(), "x");
    }

    #[test]
    fn an_update_holds_only_what_changed() {
        let before = frame(20, 3, "one\r\ntwo");
        let versioned = |frame: Frame| VersionedFrame { version: 1, frame: std::sync::Arc::new(frame) };
        let after = frame(20, 3, "one\r\nTWO");
        let update = frame_update(&versioned(after.clone()), Some(&before));
        assert!(!update.whole);
        let rows: Vec<(i32, &str)> =
            update.row_updates.iter().map(|row| (row.row, row.runs[0].text.as_str())).collect();
        assert_eq!(rows, [(1, "TWO")]);
        for other in [None, Some(frame(21, 3, "one\r\ntwo")), Some(frame(20, 3, "one\r\nTWO\x1b]4;1;#123456\x07"))] {
            let update = frame_update(&versioned(after.clone()), other.as_ref());
            assert!(update.whole && update.row_updates.len() == 3, "{other:?}");
        }
    }

    #[test]
    fn a_row_that_is_not_well_formed_is_an_error_or_ends_early() {
        let row = cell_rows(&frame(4, 1, "abcd")).unwrap().remove(0).encode_to_vec();
        for cut in 1..row.len() {
            if let Ok(read) = ScreenRow::decode(&row[..cut]) {
                assert!(read.cells.iter().count() < 4);
            }
        }
        let bad_text = [0x0a, 0x03, 0x0a, 0x01, 0xff];
        assert_eq!(ScreenRow::decode(&bad_text[..]).unwrap().cells.iter().count(), 0);
    }
}
