//! A frame in the form that the page reads: changed rows as runs of cells. Most runs are plain text and are sent as
//! strings.

use grpc::proto::{CellRun, CellShape, CursorShape, Frame, RowUpdate};
use serde::{Serialize, Serializer, ser::SerializeTuple};

#[derive(Debug, Serialize)]
pub(crate) struct FrameMessage {
    version: u64,
    cols: i32,
    rows: i32,
    /// Column, row, visible, shape (`block`, `underline`, `bar`), blinking.
    cursor: (i32, i32, bool, &'static str, bool),
    whole: bool,
    alternate: bool,
    reverse: bool,
    /// 0xRRGGBB: foreground, background, cursor.
    colors: (u32, u32, u32),
    title: String,
    name: String,
    id: String,
    mouse: bool,
    mouse_moves: bool,
    focus: bool,
    leads: bool,
    /// Each is `[row, wrapped, runs]`.
    lines: Vec<(i32, bool, Vec<RunMessage>)>,
    /// For recordings: milliseconds from the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<u64>,
}

impl FrameMessage {
    /// Marks it as a recording's frame at this time.
    pub(crate) fn at(self, ms: u64) -> Self {
        FrameMessage { at: Some(ms), ..self }
    }
}

impl From<Frame> for FrameMessage {
    fn from(frame: Frame) -> Self {
        let shape = match frame.cursor_shape() {
            CursorShape::Unspecified | CursorShape::Block => "block",
            CursorShape::Underline => "underline",
            CursorShape::Bar => "bar",
        };
        FrameMessage {
            version: frame.version,
            cols: frame.cols,
            rows: frame.rows,
            cursor: (frame.cursor_x, frame.cursor_y, frame.cursor_visible, shape, frame.cursor_blinking),
            whole: frame.whole,
            alternate: frame.alternate_screen,
            reverse: frame.reverse_video,
            colors: (frame.default_fg, frame.default_bg, frame.cursor_color),
            title: frame.title,
            name: frame.name,
            id: frame.id,
            mouse: frame.wants_mouse,
            mouse_moves: frame.wants_mouse_moves,
            focus: frame.wants_focus,
            leads: frame.leads_size,
            lines: frame.row_updates.into_iter().map(line).collect(),
            at: None,
        }
    }
}

fn line(update: RowUpdate) -> (i32, bool, Vec<RunMessage>) {
    (update.row, update.wrapped, runs(update.runs))
}

/// Converts a line's runs for the wire.
pub(crate) fn runs(runs: Vec<CellRun>) -> Vec<RunMessage> {
    runs.into_iter().map(RunMessage).collect()
}

/// A string for text in the default style with one character per column; otherwise `[text, columns, shape, foreground,
/// background, attributes, underline, its colour, link]` with -1 for a default colour, truncated after the last element
/// that is not a default.
#[derive(Debug)]
pub(crate) struct RunMessage(CellRun);

impl Serialize for RunMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let run = &self.0;
        let color = |color: Option<u32>| color.map_or(-1, i64::from);
        let plain = matches!(run.shape(), CellShape::Narrow | CellShape::Blank)
            && run.fg_color.is_none()
            && run.bg_color.is_none()
            && run.attributes == 0
            && run.link.is_empty();
        if plain {
            return serializer.serialize_str(&run.text);
        }
        let length = if !run.link.is_empty() {
            9
        } else if run.underline != 0 {
            8
        } else {
            6
        };
        let mut tuple = serializer.serialize_tuple(length)?;
        tuple.serialize_element(&run.text)?;
        tuple.serialize_element(&run.cols)?;
        tuple.serialize_element(&run.shape)?;
        tuple.serialize_element(&color(run.fg_color))?;
        tuple.serialize_element(&color(run.bg_color))?;
        tuple.serialize_element(&run.attributes)?;
        if length > 6 {
            tuple.serialize_element(&run.underline)?;
            tuple.serialize_element(&color(run.underline_color))?;
        }
        if length > 8 {
            tuple.serialize_element(&run.link)?;
        }
        tuple.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_a_string_and_looks_are_a_list() {
        let json = |run: CellRun| serde_json::to_string(&RunMessage(run)).unwrap();
        assert_eq!(json(CellRun { text: "ls -l".into(), cols: 5, ..CellRun::default() }), r#""ls -l""#);
        let red = CellRun { text: "漢".into(), cols: 2, shape: 1, fg_color: Some(0xff_0000), ..CellRun::default() };
        assert_eq!(json(red.clone()), r#"["漢",2,1,16711680,-1,0]"#);
        let linked = CellRun { link: "https://example.org".into(), attributes: 4, underline: 1, ..red };
        assert_eq!(json(linked), r#"["漢",2,1,16711680,-1,4,1,-1,"https://example.org"]"#);
    }
}
