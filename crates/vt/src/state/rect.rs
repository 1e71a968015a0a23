//! Rectangles: copy, fill, erase, checksum.

use std::ops::Range;

use super::{TerminalState, erase::SparedCells};
use crate::{cell::Cell, modes::ModeFlags, params::SequenceParams, style::Style};

/// Half-open, from zero, inside the screen.
#[derive(Clone, Debug)]
pub(super) struct CellArea {
    rows: Range<u16>,
    cols: Range<u16>,
}

impl TerminalState {
    /// The rectangle given by four parameters from `first` on: top, left, bottom, right, from one. `None` if it is
    /// empty.
    fn area(&self, params: &SequenceParams, first: usize) -> Option<CellArea> {
        let origin = self.has(ModeFlags::ORIGIN);
        let (top, left) = if origin { (self.margins.top, self.margins.left) } else { (0, 0) };
        let (last_row, last_col) =
            if origin { (self.margins.bottom, self.margins.right) } else { (self.size.rows - 1, self.size.cols - 1) };
        let start = |value: u16, offset: u16| value.max(1).saturating_sub(1).saturating_add(offset);
        let end = |value: u16, offset: u16, last: u16| {
            if value == 0 { last + 1 } else { value.saturating_add(offset).min(last + 1) }
        };
        let rows = start(params.get(first), top)..end(params.get(first + 2), top, last_row);
        let cols = start(params.get(first + 1), left)..end(params.get(first + 3), left, last_col);
        (!rows.is_empty() && !cols.is_empty()).then_some(CellArea { rows, cols })
    }

    /// DECFRA.
    pub(super) fn fill_rectangle(&mut self, params: &SequenceParams) {
        let Some(c) = char::from_u32(u32::from(params.get(0))) else { return };
        if !matches!(c, ' '..='~' | '\u{a0}'..='\u{ff}') {
            return;
        }
        let Some(area) = self.area(params, 1) else { return };
        let style = self.pen_id();
        for row in area.rows {
            self.grid.row_mut(row).fill(area.cols.clone(), Cell::narrow(c, style));
        }
    }

    /// DECERA and DECSERA.
    pub(super) fn erase_rectangle(&mut self, params: &SequenceParams, spare: SparedCells) {
        let Some(area) = self.area(params, 0) else { return };
        let fill = self.eraser();
        for row in area.rows {
            self.erase_cells(row, area.cols.clone(), spare, fill);
        }
    }

    /// DECCRA. There is only one page, so page numbers are ignored.
    pub(super) fn copy_rectangle(&mut self, params: &SequenceParams) {
        let Some(source) = self.area(params, 0) else { return };
        let origin = self.has(ModeFlags::ORIGIN);
        let (row_offset, col_offset) = if origin { (self.margins.top, self.margins.left) } else { (0, 0) };
        let (row_end, col_end) =
            if origin { (self.margins.bottom + 1, self.margins.right + 1) } else { (self.size.rows, self.size.cols) };
        let top = params.get_or(5, 1) - 1 + row_offset;
        let left = params.get_or(6, 1) - 1 + col_offset;
        if top >= row_end || left >= col_end {
            return;
        }
        let height = (source.rows.end - source.rows.start).min(row_end - top);
        let width = (source.cols.end - source.cols.start).min(col_end - left);
        let cols = source.cols.start..source.cols.start + width;
        let copied: Vec<Vec<Cell>> = (source.rows.start..source.rows.start + height)
            .map(|row| whole_characters(&self.grid.row(row).cells, &cols))
            .collect();
        for (offset, cells) in copied.into_iter().enumerate() {
            let row = self.grid.row_mut(top + offset as u16);
            row.split_at(left);
            row.split_at(left + width);
            row.cells[usize::from(left)..usize::from(left + width)].copy_from_slice(&cells);
            row.dirty = true;
        }
    }

    /// DECRQCRA: the sum of the character codes, empty cells as spaces (xterm since patch 334).
    pub(super) fn checksum_rectangle(&mut self, params: &SequenceParams) {
        let mut sum: u32 = 0;
        if let Some(area) = self.area(params, 2) {
            let cols = usize::from(area.cols.start)..usize::from(area.cols.end);
            for row in area.rows {
                for &cell in &self.grid.row(row).cells[cols.clone()] {
                    sum = sum.wrapping_add(self.cell_code(cell));
                }
            }
        }
        self.reply(format!("\x1bP{}!~{:04X}\x1b\\", params.get(0), sum & 0xffff));
    }

    #[inline]
    fn cell_code(&self, cell: Cell) -> u32 {
        if let Some(byte) = cell.as_ascii() {
            return u32::from(byte);
        }
        match (cell.char(), cell.cluster()) {
            (Some(c), _) => c as u32,
            (None, Some(id)) => self.clusters.get(id).chars().map(|c| c as u32).sum(),
            (None, None) => u32::from(b' '),
        }
    }

    /// DECALN.
    pub(super) fn alignment_pattern(&mut self) {
        self.margins = super::ScrollMargins::full(self.size);
        self.flags.remove(ModeFlags::ORIGIN);
        self.change_pen(|pen| *pen = Style { link: pen.link, ..Style::default() });
        self.go_to(0, 0);
        for row in &mut self.grid.rows {
            row.clear(Cell::narrow('E', crate::cell::StyleId(0)));
        }
        if !self.on_alternate() {
            self.history.close_line();
        }
    }
}

/// The cells of `cols`, with blanks for wide characters that the borders cut.
fn whole_characters(cells: &[Cell], cols: &Range<u16>) -> Vec<Cell> {
    let mut out = cells[usize::from(cols.start)..usize::from(cols.end)].to_vec();
    for cell in out.iter_mut().filter(|cell| cell.is_edge()) {
        *cell = Cell::blank(cell.style);
    }
    if let Some(first) = out.first_mut().filter(|cell| cell.is_spacer()) {
        *first = Cell::BLANK;
    }
    if let Some(last) = out.last_mut().filter(|cell| cell.is_wide()) {
        *last = Cell::BLANK;
    }
    out
}
