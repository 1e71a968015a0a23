//! A session's screen on the client's side, kept current by the updates of the `Attach` stream.
//!
//! Everything received is bounded and checked: whatever the other side sent, a complete screen is drawn.

use std::sync::{Arc, LazyLock};

use grpc::proto::{self, CellRun, CellShape, RowUpdate, UnderlineStyle};
use vt::{Attributes, Color, Cursor, CursorShape, Frame, Line, LineBuilder, Position, RunShape, Size, Style, Theme};

/// The default colours of a coordinator's terminals.
pub static PLAIN_THEME: LazyLock<Arc<Theme>> = LazyLock::new(Arc::default);

#[derive(Debug, Default)]
pub struct ScreenMirror {
    builder: LineBuilder,
    frame: Option<Frame>,
    /// The last update without its rows: the title, and the program's input modes.
    pub about: proto::Frame,
}

impl ScreenMirror {
    pub fn frame(&self) -> Option<&Frame> {
        self.frame.as_ref()
    }

    /// Applies an update.
    pub fn apply(&mut self, mut update: proto::Frame) {
        let extent = |value: i32, most: u16| u16::try_from(value).unwrap_or(1).clamp(1, most);
        let size = Size { cols: extent(update.cols, Size::MAX.cols), rows: extent(update.rows, Size::MAX.rows) };
        let mut rows = self.frame.take().filter(|old| !update.whole && old.size == size).map(|old| old.rows);
        let rows = rows.get_or_insert_default();
        rows.resize_with(usize::from(size.rows), Arc::default);
        for RowUpdate { row, runs, wrapped } in std::mem::take(&mut update.row_updates) {
            if let Some(row) = usize::try_from(row).ok().and_then(|row| rows.get_mut(row)) {
                *row = Arc::new(self.line(&runs, wrapped));
            }
        }
        let at = |value: i32, room: u16| u16::try_from(value).unwrap_or(0).min(room - 1);
        self.frame = Some(Frame {
            size,
            rows: std::mem::take(rows),
            cursor: Cursor {
                position: Position { row: at(update.cursor_y, size.rows), col: at(update.cursor_x, size.cols) },
                visible: update.cursor_visible,
                shape: match update.cursor_shape() {
                    proto::CursorShape::Underline => CursorShape::Underline,
                    proto::CursorShape::Bar => CursorShape::Bar,
                    proto::CursorShape::Unspecified | proto::CursorShape::Block => CursorShape::Block,
                },
                blinking: update.cursor_blinking,
            },
            alternate_screen: update.alternate_screen,
            reverse_video: update.reverse_video,
            first_line: 0,
            theme: theme(&update),
        });
        self.about = update;
    }

    pub fn line(&mut self, runs: &[CellRun], wrapped: bool) -> Line {
        for run in runs {
            self.builder.push(&run.text, run.cols, cell_shape(run), style(run), &run.link);
        }
        self.builder.finish(wrapped)
    }
}

/// The cell layout of a run.
pub fn cell_shape(run: &CellRun) -> RunShape {
    match run.shape() {
        CellShape::Narrow => RunShape::Narrow,
        CellShape::Wide => RunShape::Wide,
        CellShape::Cluster => RunShape::Cluster,
        CellShape::WideCluster => RunShape::WideCluster,
        CellShape::Blank => RunShape::Blank,
    }
}

fn theme(update: &proto::Frame) -> Arc<Theme> {
    let (foreground, background) = (vt::Rgb::from_u32(update.default_fg), vt::Rgb::from_u32(update.default_bg));
    if (foreground, background) == (PLAIN_THEME.foreground, PLAIN_THEME.background) {
        return Arc::clone(&PLAIN_THEME);
    }
    Arc::new(Theme { foreground, background, ..Theme::default() })
}

fn style(run: &CellRun) -> Style {
    const BITS: [(u32, Attributes); 8] = [
        (0x01, Attributes::BOLD),
        (0x02, Attributes::ITALIC),
        (0x08, Attributes::DIM),
        (0x10, Attributes::BLINK),
        (0x20, Attributes::INVERSE),
        (0x40, Attributes::INVISIBLE),
        (0x80, Attributes::STRIKE),
        (0x100, Attributes::OVERLINE),
    ];
    let mut attributes = Attributes::empty();
    for (bit, attribute) in BITS {
        attributes.set(attribute, run.attributes & bit != 0);
    }
    Style {
        foreground: color(run.fg_color),
        background: color(run.bg_color),
        underline_color: color(run.underline_color),
        underline: match run.underline() {
            UnderlineStyle::None => vt::Underline::None,
            UnderlineStyle::Single => vt::Underline::Single,
            UnderlineStyle::Double => vt::Underline::Double,
            UnderlineStyle::Curly => vt::Underline::Curly,
            UnderlineStyle::Dotted => vt::Underline::Dotted,
            UnderlineStyle::Dashed => vt::Underline::Dashed,
        },
        attributes,
        link: None,
    }
}

/// Maps the values of the sixteen palette colours back to their names, so that they look like everything else on the
/// person's terminal. Black and white stay values, because many programs mean exactly these.
fn color(value: Option<u32>) -> Color {
    let Some(value) = value else { return Color::Default };
    let rgb = vt::Rgb::from_u32(value);
    let named = || PLAIN_THEME.palette[..16].iter().position(|known| *known == rgb);
    match value {
        0x0000_0000 | 0x00ff_ffff => Color::Rgb(rgb.r, rgb.g, rgb.b),
        _ => named().map_or(Color::Rgb(rgb.r, rgb.g, rgb.b), |index| Color::Indexed(index as u8)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> CellRun {
        CellRun { text: text.into(), cols: text.chars().count() as u32, ..CellRun::default() }
    }

    fn update(whole: bool, rows: &[(i32, &str)]) -> proto::Frame {
        let row_updates =
            rows.iter().map(|(row, text)| RowUpdate { row: *row, runs: vec![run(text)], wrapped: false }).collect();
        proto::Frame { cols: 10, rows: 3, whole, row_updates, ..proto::Frame::default() }
    }

    #[test]
    fn rows_that_are_not_told_stay() {
        let mut mirror = ScreenMirror::default();
        mirror.apply(update(true, &[(0, "one"), (1, "two")]));
        mirror.apply(update(false, &[(1, "TWO"), (7, "nowhere"), (-1, "nowhere")]));
        assert_eq!(mirror.frame().unwrap().text(), "one\nTWO\n\n");
        mirror.apply(update(true, &[(2, "three")]));
        assert_eq!(mirror.frame().unwrap().text(), "\n\nthree\n");
        mirror.apply(proto::Frame { cols: -5, rows: i32::MAX, cursor_x: 99, cursor_y: -1, ..proto::Frame::default() });
        assert_eq!(mirror.frame().unwrap().cursor.position, Position { row: 0, col: 0 });
    }

    #[test]
    fn the_sixteen_colours_keep_their_names() {
        let theme = Theme::default();
        let value = |index: usize| {
            let vt::Rgb { r, g, b } = theme.palette[index];
            u32::from_be_bytes([0, r, g, b])
        };
        assert_eq!(color(Some(value(1))), Color::Indexed(1));
        assert_eq!(color(Some(0x0012_3456)), Color::Rgb(0x12, 0x34, 0x56));
        assert_eq!((color(None), color(Some(0))), (Color::Default, Color::Rgb(0, 0, 0)));
    }
}
