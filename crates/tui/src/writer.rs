//! Turns the difference between two frames into the fewest bytes that make the host show the canvas.
//!
//! The writer remembers what the host shows. It writes only rows whose stamp moved and only cells that differ; an
//! unchanged canvas gives no bytes. After a cluster whose width the host may see differently, the next cell is
//! positioned absolutely, so a disputed width can spoil one cell but never shifts a row. It does not use the host's
//! scroll regions: panes share rows with what is beside them, so regions would seldom fit.

mod depth;
mod pen;
mod trust;

use std::{io::Write, ops::Range};

use vt::{CursorShape, Position, Size, Style};

use crate::canvas::{Canvas, CanvasCell, CanvasCursor, CellText};
pub use depth::ColorDepth;
use pen::HostPen;
use trust::WidthTrust;

/// The host's drawing abilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterOptions {
    pub depth: ColorDepth,
    /// Mode 2026: each frame is shown at once.
    pub synchronized: bool,
    /// Curly, dotted, dashed and double underlines, and underline colours. Without this, all underlines are plain.
    pub underline_styles: bool,
    pub hyperlinks: bool,
    /// The host was seen to draw characters of ambiguous width (box lines, Greek, accents) in one column.
    pub narrow_ambiguous: bool,
}

impl Default for WriterOptions {
    fn default() -> Self {
        WriterOptions {
            depth: ColorDepth::TrueColor,
            synchronized: true,
            underline_styles: true,
            hyperlinks: true,
            narrow_ambiguous: false,
        }
    }
}

const BEGIN_UPDATE: &[u8] = b"\x1b[?2026h";
const END_UPDATE: &[u8] = b"\x1b[?2026l";
const HIDE_CURSOR: &[u8] = b"\x1b[?25l";
const SHOW_CURSOR: &[u8] = b"\x1b[?25h";

/// Up to this many unchanged cells between two changed ones are written again: a cursor move costs 4 bytes or more.
const SHORT_GAP: usize = 3;
/// Blanks from this number on are erased instead of written: for fewer, the erase sequence and the move after it are
/// longer.
const ERASED_RUN: usize = 9;

/// Draws one canvas on one host.
#[derive(Debug)]
pub struct CanvasWriter {
    options: WriterOptions,
    size: Size,
    /// What the host shows.
    shown: Vec<Vec<CanvasCell>>,
    /// The stamps of the canvas rows that are shown.
    stamps: Vec<u64>,
    /// The host's screen is unknown: clear it first.
    lost: bool,
    pen: HostPen,
    /// Where the host's cursor is, if known for certain.
    at: Option<Position>,
    cursor: Option<CanvasCursor>,
    shape: Option<(CursorShape, bool)>,
    body: Vec<u8>,
    out: Vec<u8>,
    bytes: u64,
    frames: u64,
}

impl CanvasWriter {
    pub fn new(options: WriterOptions) -> Self {
        CanvasWriter {
            options,
            size: Size::new(0, 0),
            shown: Vec::new(),
            stamps: Vec::new(),
            lost: true,
            pen: HostPen::new(options),
            at: None,
            cursor: None,
            shape: None,
            body: Vec::new(),
            out: Vec::new(),
            bytes: 0,
            frames: 0,
        }
    }

    /// Sets what is known of the host. The next frame is drawn whole.
    pub fn set_options(&mut self, options: WriterOptions) {
        if self.options != options {
            self.options = options;
            self.pen = HostPen::new(options);
            self.forget();
        }
    }

    /// Something else wrote to the host's screen: the next frame clears it and draws everything.
    pub fn forget(&mut self) {
        self.lost = true;
    }

    /// The canvas was replaced by another one: the next frame compares every row.
    pub fn look_again(&mut self) {
        self.stamps.iter_mut().for_each(|stamp| *stamp = u64::MAX);
    }

    /// Bytes written so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Frames that needed any bytes.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The bytes that make the host show `canvas`. Empty if it does already.
    pub fn frame(&mut self, canvas: &Canvas) -> &[u8] {
        self.body.clear();
        self.out.clear();
        if self.lost || self.size != canvas.size() {
            self.start_over(canvas.size());
        }
        let mut shown = std::mem::take(&mut self.shown);
        for (index, (row, old)) in canvas.rows().iter().zip(&mut shown).enumerate() {
            if self.stamps[index] != row.stamp {
                self.stamps[index] = row.stamp;
                let changed = difference(old, &row.cells);
                self.draw_row(index as u16, old, &row.cells, changed.clone());
                old[changed.clone()].clone_from_slice(&row.cells[changed]);
            }
        }
        self.shown = shown;
        let drawn = !self.body.is_empty();
        self.place_cursor(canvas.cursor(), drawn);
        if self.body.is_empty() {
            return &[];
        }
        if self.options.synchronized {
            self.out.extend_from_slice(BEGIN_UPDATE);
        } else if drawn && self.cursor.is_some() {
            // Otherwise the cursor would be seen jumping around.
            self.out.extend_from_slice(HIDE_CURSOR);
        }
        self.out.extend_from_slice(&self.body);
        if self.options.synchronized {
            self.out.extend_from_slice(END_UPDATE);
        }
        self.bytes += self.out.len() as u64;
        self.frames += 1;
        &self.out
    }

    fn start_over(&mut self, size: Size) {
        self.size = size;
        self.shown = vec![vec![CanvasCell::BLANK; usize::from(size.cols)]; usize::from(size.rows)];
        self.stamps = vec![u64::MAX; usize::from(size.rows)];
        self.body.extend_from_slice(b"\x1b]8;;\x1b\\\x1b[m\x1b[?25l\x1b[H\x1b[2J");
        self.pen = HostPen::new(self.options);
        self.at = Some(Position::default());
        self.cursor = None;
        self.shape = None;
        self.lost = false;
    }

    /// `old` and `new` are equal outside of `changed`.
    fn draw_row(&mut self, row: u16, old: &[CanvasCell], new: &[CanvasCell], changed: Range<usize>) {
        // A narrow cluster that the host may have drawn wide: the cell after it is always written.
        let mut suspect = None;
        let mut col = changed.start;
        while col < changed.end || col < new.len() && suspect == Some(col) {
            let cell = &new[col];
            if *cell == old[col] && suspect != Some(col) {
                col += usize::from(cell.width.max(1));
                continue;
            }
            suspect = None;
            let blanks = new[col..].iter().take_while(|cell| **cell == CanvasCell::BLANK).count();
            if blanks > 0 && col + blanks == new.len() {
                self.move_to(row, col, new);
                self.pen.change(&Style::default(), None, &mut self.body);
                self.body.extend_from_slice(b"\x1b[K");
                return;
            }
            if blanks >= ERASED_RUN {
                self.move_to(row, col, new);
                self.pen.change(&Style::default(), None, &mut self.body);
                write!(self.body, "\x1b[{blanks}X").expect("writing to a Vec never fails");
                col += blanks;
                continue;
            }
            self.move_to(row, col, new);
            let trusted = self.write_cell(cell, new.len() - col);
            let width = usize::from(cell.width.max(1));
            if !trusted && width == 1 {
                suspect = Some(col + 1);
            }
            col += width;
        }
    }

    /// Writes a cell at the cursor, and returns whether the cursor is certainly right after it.
    fn write_cell(&mut self, cell: &CanvasCell, room: usize) -> bool {
        self.pen.change(&cell.style, cell.link.as_ref(), &mut self.body);
        let trust = WidthTrust::of(&cell.text, cell.width);
        let trusted = match trust {
            WidthTrust::Agreed => true,
            WidthTrust::Ambiguous => self.options.narrow_ambiguous,
            WidthTrust::Disputed => false,
        };
        if !trusted && cell.width == 2 {
            // If the host draws it narrow, no old content remains in the second column.
            self.body.extend_from_slice(b"\x1b[2X");
        }
        match &cell.text {
            CellText::Char(c) => self.body.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            CellText::Cluster(text) => self.body.extend_from_slice(text.as_bytes()),
        }
        let width = usize::from(cell.width.max(1));
        // After writing the last column, hosts differ in where the cursor is.
        let certain = trusted && width < room;
        self.at = self.at.filter(|_| certain).map(|at| Position { col: at.col + width as u16, ..at });
        trusted
    }

    /// Moves the cursor to a cell of a row whose cells are `cells`, by the shortest sequence.
    fn move_to(&mut self, row: u16, col: usize, cells: &[CanvasCell]) {
        let target = Position { row, col: col as u16 };
        if self.at == Some(target) {
            return;
        }
        match self.at {
            Some(at) if at.row == row && at.col < target.col => {
                let gap = &cells[usize::from(at.col)..col];
                let short = gap.len() <= SHORT_GAP
                    && gap.iter().all(|cell| {
                        matches!(cell.text, CellText::Char(' '..='~'))
                            && cell.width == 1
                            && self.pen.is(&cell.style, cell.link.as_ref())
                    });
                if short {
                    for cell in gap {
                        let CellText::Char(c) = cell.text else { continue };
                        self.body.push(c as u8);
                    }
                } else {
                    match gap.len() {
                        1 => self.body.extend_from_slice(b"\x1b[C"),
                        cols => write!(self.body, "\x1b[{cols}C").expect("writing to a Vec never fails"),
                    }
                }
            }
            Some(at) if col == 0 && at.row + 1 == row => self.body.extend_from_slice(b"\r\n"),
            _ => self.position(target),
        }
        self.at = Some(target);
    }

    fn position(&mut self, at: Position) {
        match (at.row, at.col) {
            (0, 0) => self.body.extend_from_slice(b"\x1b[H"),
            (row, 0) => write!(self.body, "\x1b[{}H", row + 1).expect("writing to a Vec never fails"),
            (row, col) => write!(self.body, "\x1b[{};{}H", row + 1, col + 1).expect("writing to a Vec never fails"),
        }
    }

    fn place_cursor(&mut self, cursor: Option<CanvasCursor>, drawn: bool) {
        let Some(wanted) = cursor else {
            if self.cursor.take().is_some() {
                self.body.extend_from_slice(HIDE_CURSOR);
            }
            return;
        };
        if self.shape != Some((wanted.shape, wanted.blinking)) {
            let style = match wanted.shape {
                CursorShape::Block => 2,
                CursorShape::Underline => 4,
                CursorShape::Bar => 6,
            } - u8::from(wanted.blinking);
            write!(self.body, "\x1b[{style} q").expect("writing to a Vec never fails");
            self.shape = Some((wanted.shape, wanted.blinking));
        }
        if self.at != Some(wanted.position) {
            self.position(wanted.position);
            self.at = Some(wanted.position);
        }
        let hidden = self.cursor.is_none() || drawn && !self.options.synchronized;
        if hidden {
            self.body.extend_from_slice(SHOW_CURSOR);
        }
        self.cursor = Some(wanted);
    }
}

/// The range from the first to the last cell that differs.
fn difference(old: &[CanvasCell], new: &[CanvasCell]) -> Range<usize> {
    let differs = |(old, new): (&CanvasCell, &CanvasCell)| old != new;
    let first = old.iter().zip(new).position(differs);
    let last = old.iter().zip(new).rposition(differs);
    first.zip(last).map_or(0..0, |(first, last)| first..last + 1)
}
