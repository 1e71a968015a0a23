//! A frame as an operation's reply. Faces with their own types convert the frame itself; JSON is written from it
//! without copying the cells.

use std::borrow::Cow;

use engine::{SessionId, VersionedFrame};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer, ser::SerializeSeq};

use crate::vocabulary::{ActiveScreen, CursorPosition};

/// A session's screen.
#[derive(Clone, Debug)]
pub struct ScreenReply {
    pub id: SessionId,
    /// Empty once the session has been removed.
    pub name: String,
    pub frame: VersionedFrame,
}

/// The JSON form of [`ScreenReply`].
#[derive(Serialize, JsonSchema)]
struct ScreenJson<'a> {
    process_id: String,
    name: &'a str,
    screen_version: u64,
    cols: u16,
    rows: u16,
    cursor: CursorPosition,
    cursor_visible: bool,
    active_screen: ActiveScreen,
    /// From the top.
    #[schemars(with = "Vec<RowJson<'static>>")]
    screen_rows: Rows<'a>,
}

struct Rows<'a>(&'a vt::Frame);

#[derive(Serialize, JsonSchema)]
struct RowJson<'a> {
    /// Cells from the left; blank cells in the default style are left out at the end of a row.
    #[schemars(with = "Vec<CellJson<'static>>")]
    cells: RowCells<'a>,
}

struct RowCells<'a> {
    line: &'a vt::Line,
    theme: &'a vt::Theme,
}

#[derive(Serialize, JsonSchema)]
struct CellJson<'a> {
    /// One character or cluster; empty for the second cell of a wide character.
    char: &'a str,
    /// 0xRRGGBB as a number, -1 for the default colour.
    fg: i32,
    bg: i32,
    /// Any of bold, italic, underline, dim, blink, inverse, invisible, strike, overline.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attributes: Vec<&'static str>,
}

impl Serialize for ScreenReply {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let frame = &*self.frame.frame;
        ScreenJson {
            process_id: self.id.to_string(),
            name: &self.name,
            screen_version: self.frame.version,
            cols: frame.size.cols,
            rows: frame.size.rows,
            cursor: frame.cursor.into(),
            cursor_visible: frame.cursor.visible,
            active_screen: ActiveScreen::of(frame),
            screen_rows: Rows(frame),
        }
        .serialize(serializer)
    }
}

impl JsonSchema for ScreenReply {
    fn schema_name() -> Cow<'static, str> {
        "Screen".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        ScreenJson::json_schema(generator)
    }
}

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let theme = &*self.0.theme;
        serializer.collect_seq(self.0.rows.iter().map(|line| RowJson { cells: RowCells { line, theme } }))
    }
}

impl Serialize for RowCells<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(None)?;
        for cell in self.line.cells() {
            let style = &cell.run.style;
            let mut json = CellJson {
                char: cell.text,
                fg: number(self.theme, style.foreground),
                bg: number(self.theme, style.background),
                attributes: names(style),
            };
            sequence.serialize_element(&json)?;
            if cell.width == 2 {
                json.char = "";
                sequence.serialize_element(&json)?;
            }
        }
        sequence.end()
    }
}

fn number(theme: &vt::Theme, color: vt::Color) -> i32 {
    theme.resolve(color).map_or(-1, |rgb| i32::from(rgb.r) << 16 | i32::from(rgb.g) << 8 | i32::from(rgb.b))
}

fn names(style: &vt::Style) -> Vec<&'static str> {
    use vt::{Attributes as A, Underline};
    let has = |attribute: A| style.attributes.intersects(attribute);
    [
        ("bold", has(A::BOLD)),
        ("italic", has(A::ITALIC)),
        ("underline", style.underline != Underline::None),
        ("dim", has(A::DIM)),
        ("blink", has(A::BLINK | A::RAPID_BLINK)),
        ("inverse", has(A::INVERSE)),
        ("invisible", has(A::INVISIBLE)),
        ("strike", has(A::STRIKE)),
        ("overline", has(A::OVERLINE)),
    ]
    .into_iter()
    .filter_map(|(name, set)| set.then_some(name))
    .collect()
}
