//! A rectangle that shows a child's screen: rows of a [`vt::Frame`] or of its history, drawn exactly.
//!
//! It takes frames and lines, and knows no session. Rows that did not change since the last time are skipped.

use std::{ops::Range, sync::Arc};

use vt::{Attributes, Color, Cursor, Frame, Line, Position, RunShape, Style, Theme};

use crate::{
    canvas::{Canvas, CanvasCell, CanvasCursor, CellLink, CellText, PaneMemory, RowMemory},
    geometry::Rect,
};

/// A highlighted stretch of a pane's row: selected text, or a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaneMark {
    /// The row, from the top of the view.
    pub row: u16,
    /// Columns of that row.
    pub cols: Range<u32>,
    /// Its colours replace the cell's unless they are the defaults; its attributes are added.
    pub style: Style,
}

/// One row to show: a stretch of a line.
#[derive(Clone, Debug)]
pub struct PaneRow {
    pub line: Arc<Line>,
    pub cols: Range<u32>,
}

/// The content of a pane.
#[derive(Clone, Debug)]
pub struct PaneView<'a> {
    rows: Vec<PaneRow>,
    cols: u32,
    offset: Position,
    dim: bool,
    reverse_video: bool,
    cursor: Option<Cursor>,
    marks: &'a [PaneMark],
    /// The child's theme and the host's theme.
    themes: Option<(Arc<Theme>, Arc<Theme>)>,
}

impl<'a> PaneView<'a> {
    /// Shows the live screen.
    pub fn frame(frame: &Frame) -> Self {
        let cols = u32::from(frame.size.cols);
        let rows = frame.rows.iter().map(|line| PaneRow { line: Arc::clone(line), cols: 0..cols }).collect();
        PaneView {
            rows,
            cols,
            offset: Position::default(),
            dim: false,
            reverse_video: frame.reverse_video,
            cursor: Some(frame.cursor).filter(|cursor| cursor.visible),
            marks: &[],
            themes: None,
        }
    }

    /// Shows rows of a history, `cols` wide.
    pub fn rows(rows: Vec<PaneRow>, cols: u16) -> Self {
        PaneView {
            rows,
            cols: u32::from(cols),
            offset: Position::default(),
            dim: false,
            reverse_video: false,
            cursor: None,
            marks: &[],
            themes: None,
        }
    }

    /// Starts at this row and column, for screens larger than the pane.
    pub fn cropped(mut self, offset: Position) -> Self {
        self.offset = offset;
        self
    }

    /// The top-left cell of the view that keeps `frame`'s cursor in sight in an area of this size, as near to the
    /// screen's origin as possible.
    pub fn offset_for(frame: &Frame, area: Rect) -> Position {
        let at = frame.cursor.position;
        let before = |place: u16, room: u16, all: u16| (place + 1).saturating_sub(room).min(all.saturating_sub(room));
        Position { row: before(at.row, area.rows, frame.size.rows), col: before(at.col, area.cols, frame.size.cols) }
    }

    pub fn dimmed(mut self, dim: bool) -> Self {
        self.dim = dim;
        self
    }

    pub fn marked(mut self, marks: &'a [PaneMark]) -> Self {
        self.marks = marks;
        self
    }

    pub fn with_cursor(mut self, cursor: Option<Cursor>) -> Self {
        self.cursor = cursor.filter(|cursor| cursor.visible);
        self
    }

    /// Draws colours by value where the child redefined them (OSC 4, 10, 11), so that they differ from `host`'s.
    pub fn with_themes(mut self, child: &Arc<Theme>, host: &Arc<Theme>) -> Self {
        self.themes = (!Arc::ptr_eq(child, host) && child != host).then(|| (Arc::clone(child), Arc::clone(host)));
        self
    }

    /// Draws into `area`. `slot` identifies the pane across frames. Returns the cursor's place on the canvas if it is
    /// in sight; the caller decides which pane gets the host's cursor.
    pub fn draw(&self, canvas: &mut Canvas, area: Rect, slot: u64) -> Option<CanvasCursor> {
        let area = canvas.clip(area);
        let mut memory = std::mem::take(canvas.memory(slot));
        if memory.area != area
            || memory.left != self.offset.col
            || memory.dim != self.dim
            || memory.reverse_video != self.reverse_video
            || !same_themes(&memory.themes, &self.themes)
        {
            memory = PaneMemory {
                area,
                left: self.offset.col,
                dim: self.dim,
                reverse_video: self.reverse_video,
                themes: self.themes.clone(),
                rows: Vec::new(),
            };
        }
        memory.rows.resize_with(usize::from(area.rows), || None);
        for (index, remembered) in memory.rows.iter_mut().enumerate() {
            let row = area.row + index as u16;
            let source = self.rows.get(usize::from(self.offset.row) + index);
            let cols = source.map_or(0..0, |source| source.cols.clone());
            let number = usize::from(self.offset.row) + index;
            let marks = self.marks.iter().filter(|mark| usize::from(mark.row) == number);
            let line = source.map(|source| &source.line);
            let undisturbed = |old: &&RowMemory| {
                old.stamp == canvas.stamp(row) && old.cols == cols && old.marks.iter().eq(marks.clone())
            };
            let changed =
                remembered.as_ref().filter(undisturbed).map_or(0..u32::MAX, |old| difference(old.line.as_ref(), line));
            if changed.is_empty() {
                continue;
            }
            let marks: Vec<PaneMark> = marks.cloned().collect();
            self.draw_row(canvas, Rect { row, rows: 1, ..area }, source, &marks, changed);
            *remembered = Some(RowMemory { line: line.cloned(), cols, marks, stamp: canvas.stamp(row) });
        }
        *canvas.memory(slot) = memory;
        self.cursor_on(area)
    }

    /// Draws columns `changed` of the line, which begin at a cell; the rest is on the canvas already.
    fn draw_row(
        &self,
        canvas: &mut Canvas,
        area: Rect,
        source: Option<&PaneRow>,
        marks: &[PaneMark],
        changed: Range<u32>,
    ) {
        let left = u32::from(self.offset.col);
        let start = source.map_or(0, |source| source.cols.start) + left;
        let mut next = changed.start.saturating_sub(start);
        if let Some(PaneRow { line, cols }) = source {
            let end = cols.end.min(start + u32::from(area.cols));
            let mut run = None;
            for cell in line.cells().skip_while(|cell| cell.col + cell.width <= start.max(changed.start)) {
                if cell.col >= end {
                    break;
                }
                let col = cell.col.max(start) - start;
                // All cells of a run share its link.
                if run.as_ref().is_none_or(|(known, _)| !std::ptr::eq(*known, cell.run)) {
                    run = Some((cell.run, host_link(cell.run.link.as_deref())));
                }
                let link = run.as_ref().and_then(|(_, link)| link.clone());
                let halved = cell.col < start || cell.col + cell.width > end;
                let style = self.look(cell.run.style, cell.col.saturating_sub(cols.start), marks);
                let at = area.col + col as u16;
                if halved || cell.run.shape == RunShape::Blank {
                    canvas.put(area.row, at, CanvasCell::new(CellText::Char(' '), 1, style, link));
                    next = col + 1;
                } else {
                    let text = CellText::fitted(cell.text, cell.width as u8);
                    canvas.put(area.row, at, CanvasCell::new(text, cell.width as u8, style, link));
                    next = col + cell.width;
                }
            }
        }
        for col in next..u32::from(area.cols).min(changed.end.saturating_sub(start)) {
            let inside = source.is_some() && left + col < self.cols;
            let style = if inside { self.look(Style::default(), left + col, marks) } else { Style::default() };
            canvas.put(area.row, area.col + col as u16, CanvasCell::blank(style));
        }
    }

    fn look(&self, mut style: Style, col: u32, marks: &[PaneMark]) -> Style {
        if let Some((child, host)) = &self.themes {
            style.foreground =
                translate(style.foreground, child, host, child.foreground != host.foreground, |t| t.foreground);
            style.background =
                translate(style.background, child, host, child.background != host.background, |t| t.background);
            style.underline_color = translate(style.underline_color, child, host, false, |t| t.foreground);
        }
        if self.reverse_video {
            style.attributes.toggle(Attributes::INVERSE);
        }
        if self.dim {
            style.attributes.insert(Attributes::DIM);
        }
        for mark in marks.iter().filter(|mark| mark.cols.contains(&col)) {
            let set = |color: &mut Color, new| {
                if new != Color::Default {
                    *color = new;
                }
            };
            if mark.style.background != Color::Default {
                style.attributes.remove(Attributes::INVERSE);
            }
            set(&mut style.foreground, mark.style.foreground);
            set(&mut style.background, mark.style.background);
            style.attributes.insert(mark.style.attributes);
        }
        style
    }

    fn cursor_on(&self, area: Rect) -> Option<CanvasCursor> {
        let cursor = self.cursor?;
        let col = cursor.position.col.checked_sub(self.offset.col)?;
        let row = cursor.position.row.checked_sub(self.offset.row)?;
        (col < area.cols && row < area.rows).then(|| CanvasCursor {
            position: Position { row: area.row + row, col: area.col + col },
            shape: cursor.shape,
            blinking: cursor.blinking,
        })
    }
}

/// The columns in which two lines may look different; empty if they look the same.
fn difference(old: Option<&Arc<Line>>, new: Option<&Arc<Line>>) -> Range<u32> {
    match (old, new) {
        (Some(old), Some(new)) if Arc::ptr_eq(old, new) => 0..0,
        (Some(old), Some(new)) => old.common_cols(new)..old.cols().max(new.cols()),
        (None, None) => 0..0,
        _ => 0..u32::MAX,
    }
}

fn same_themes(old: &Option<(Arc<Theme>, Arc<Theme>)>, new: &Option<(Arc<Theme>, Arc<Theme>)>) -> bool {
    match (old, new) {
        (Some(old), Some(new)) => Arc::ptr_eq(&old.0, &new.0) && Arc::ptr_eq(&old.1, &new.1),
        (None, None) => true,
        _ => false,
    }
}

fn translate(
    color: Color,
    child: &Theme,
    host: &Theme,
    default_differs: bool,
    default: fn(&Theme) -> vt::Rgb,
) -> Color {
    let value = match color {
        Color::Default if default_differs => default(child),
        Color::Indexed(index) if child.palette[usize::from(index)] != host.palette[usize::from(index)] => {
            child.palette[usize::from(index)]
        }
        other => return other,
    };
    Color::Rgb(value.r, value.g, value.b)
}

fn host_link(link: Option<&vt::LinkTarget>) -> Option<Arc<CellLink>> {
    link.map(|link| Arc::new(CellLink { id: link.id.clone(), uri: link.uri.clone() }))
}
