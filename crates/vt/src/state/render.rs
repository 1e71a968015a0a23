//! Reading the screen: frames, text, lines.

use std::{ops::Range, sync::Arc};

use super::State;
use crate::{
    cell::Cell,
    frame::{Cursor, Frame},
    geometry::Position,
    grid::Row,
    history::Tables,
    line::{Line, Run, Shape},
    modes::Flags,
};

impl State {
    /// The screen as it is, whatever the child holds back. Rows that did not change keep their `Arc`.
    pub(crate) fn live_frame(&mut self) -> Frame {
        let State { grid, styles, clusters, links, .. } = self;
        let tables = Tables { styles, clusters, links };
        let rows = grid.rows.iter_mut().map(|row| drawn(row, &tables)).collect();
        Frame {
            size: self.size,
            rows,
            cursor: self.cursor(),
            alternate_screen: self.on_alternate(),
            reverse_video: self.has(Flags::REVERSE_VIDEO),
            first_line: self.history.screen_line(),
            theme: Arc::clone(&self.theme),
        }
    }

    pub(crate) fn cursor(&self) -> Cursor {
        Cursor {
            position: Position { row: self.caret.row, col: self.caret.col },
            visible: self.has(Flags::CURSOR_VISIBLE),
            shape: self.cursor_shape,
            blinking: self.has(Flags::CURSOR_BLINK),
        }
    }

    /// The visible rows as text, trailing blanks trimmed.
    pub(crate) fn grid_text(&self, out: &mut String) {
        if let Some(frozen) = &self.frozen {
            for row in &frozen.frame.rows {
                out.push_str(row.trimmed());
                out.push('\n');
            }
            return;
        }
        for row in &self.grid.rows {
            self.push_row_text(row, out);
            trim_spaces(out);
            out.push('\n');
        }
    }

    /// The text of a row, cell by cell, up to the last one used.
    fn push_row_text(&self, row: &Row, out: &mut String) {
        for &cell in &row.cells[..row.used()] {
            if let Some(byte) = cell.as_ascii() {
                out.push(char::from(byte));
            } else if let Some(c) = cell.char() {
                out.push(c);
            } else if let Some(id) = cell.cluster() {
                out.push_str(self.clusters.get(id));
            } else if cell.is_blank() || (cell.is_edge() && !row.wrapped) {
                out.push(' ');
            }
        }
    }

    /// The main screen's rows: lines live there, also while the alternate screen is shown.
    fn main_rows(&self) -> &[Row] {
        match &self.other {
            Some(main) if self.on_alternate() => &main.rows,
            _ => &self.grid.rows,
        }
    }

    /// Numbers of all logical lines, the rows of the main screen included, trailing blank rows not.
    pub(crate) fn lines(&self) -> Range<u64> {
        if let Some(frozen) = &self.frozen {
            return self.history.lines().start.min(frozen.end_line)..frozen.end_line;
        }
        let rows = self.main_rows();
        let caret = if self.on_alternate() { self.saved[0].caret.row } else { self.caret.row };
        let used = rows.iter().rposition(|row| row.used() > 0).map_or(0, |last| last + 1);
        let used = used.max(usize::from(caret) + 1).min(rows.len());
        let ends = rows[..used].iter().filter(|row| !row.wrapped).count() as u64;
        let runs_on = rows[used - 1].wrapped;
        self.history.lines().start..self.history.screen_line() + ends + u64::from(runs_on)
    }

    pub(crate) fn first_screen_line(&self) -> u64 {
        match &self.frozen {
            Some(frozen) if !frozen.frame.alternate_screen => frozen.frame.first_line,
            _ => self.history.screen_line(),
        }
    }

    /// Visits logical lines as text, trailing blanks trimmed, oldest first.
    pub(crate) fn visit_lines(&self, range: Range<u64>, visit: &mut dyn FnMut(u64, &str) -> bool) {
        let all = self.lines();
        let range = range.start.max(all.start)..range.end.min(all.end);
        let first_on_screen = self.first_screen_line();
        let in_history = range.start..range.end.min(first_on_screen);
        if !self.history.visit(in_history, &mut |number, text| visit(number, text.trim_end_matches(' '))) {
            return;
        }
        let mut joiner = Joiner { number: first_on_screen, line: String::new(), range, visit };
        match &self.frozen {
            Some(frozen) if !frozen.frame.alternate_screen => {
                joiner.line.push_str(&frozen.open_text);
                let cols = usize::from(frozen.frame.size.cols);
                let rows = frozen.frame.rows.iter();
                joiner.join(rows.map(|row| (cols - row.cols() as usize, row.wrapped, row.as_ref())), |row, line| {
                    line.push_str(&row.text);
                });
            }
            _ => {
                joiner.line.push_str(&self.open_text());
                let rows = self.main_rows().iter();
                joiner.join(rows.map(|row| (row.cells.len() - row.used(), row.wrapped, row)), |row, line| {
                    self.push_row_text(row, line);
                });
            }
        }
    }

    /// What history already holds of the screen's first line.
    pub(super) fn open_text(&self) -> String {
        let mut text = String::new();
        if self.history.is_open() {
            let number = self.history.screen_line();
            self.history.append_text(number..number + 1, &mut text);
        }
        text
    }

    /// Appends logical lines as text, each ended by a newline.
    pub(crate) fn append_lines(&self, range: Range<u64>, out: &mut String) {
        let all = self.lines();
        let range = range.start.max(all.start)..range.end.min(all.end);
        let first_on_screen = self.first_screen_line();
        self.history.append_text(range.start..range.end.min(first_on_screen), out);
        self.visit_lines(range.start.max(first_on_screen)..range.end, &mut |_, line| {
            out.push_str(line);
            out.push('\n');
            true
        });
    }
}

/// Puts rows together to logical lines and hands them out.
struct Joiner<'a> {
    number: u64,
    line: String,
    range: Range<u64>,
    visit: &'a mut dyn FnMut(u64, &str) -> bool,
}

impl Joiner<'_> {
    /// Takes rows as (blank cells at the end, runs on, row).
    fn join<R>(mut self, rows: impl Iterator<Item = (usize, bool, R)>, push: impl Fn(R, &mut String)) {
        for (blanks, runs_on, row) in rows {
            if self.number >= self.range.end {
                return;
            }
            push(row, &mut self.line);
            if runs_on {
                // Blank cells at the end of a row that runs on are part of the text.
                self.line.extend(std::iter::repeat_n(' ', blanks));
            } else if !self.emit() {
                return;
            }
        }
        if !self.line.is_empty() {
            self.emit();
        }
    }

    fn emit(&mut self) -> bool {
        trim_spaces(&mut self.line);
        let more = !self.range.contains(&self.number) || (self.visit)(self.number, &self.line);
        self.line.clear();
        self.number += 1;
        more
    }
}

fn trim_spaces(text: &mut String) {
    // Only back to the last newline: what stands before belongs to another row.
    let end = text.trim_end_matches(' ').len();
    text.truncate(end);
}

fn drawn(row: &mut Row, tables: &Tables<'_>) -> Arc<Line> {
    if row.dirty || row.drawn.is_none() {
        let line = build_line(&row.cells[..row.used()], row.wrapped, tables);
        row.dirty = false;
        match &row.drawn {
            Some(old) if **old == line => {}
            _ => row.drawn = Some(Arc::new(line)),
        }
    }
    Arc::clone(row.drawn.as_ref().expect("drawn above"))
}

/// A self-contained copy of some cells.
pub(super) fn build_line(cells: &[Cell], wrapped: bool, tables: &Tables<'_>) -> Line {
    let mut line = Line { text: String::with_capacity(cells.len()), runs: Vec::new(), wrapped };
    let mut rest = cells;
    while let Some(&cell) = rest.first() {
        let before = line.text.len();
        let (shape, cells) = if cell.is_plain_narrow() {
            (Shape::Narrow, push_while(&mut line.text, rest, |next| next.is_plain_narrow() && next.style == cell.style))
        } else if let Some(id) = cell.cluster() {
            line.text.push_str(tables.clusters.get(id));
            if cell.is_wide() { (Shape::WideCluster, 2) } else { (Shape::Cluster, 1) }
        } else if cell.is_wide() {
            let pairs = rest
                .chunks(2)
                .take_while(|pair| pair[0].is_wide() && pair[0].cluster().is_none() && pair[0].style == cell.style);
            let mut count = 0;
            for pair in pairs {
                line.text.push(pair[0].char().unwrap_or(' '));
                count += 2;
            }
            (Shape::Wide, count)
        } else {
            let same = |next: &Cell| (next.is_blank() || next.is_edge()) && next.style == cell.style;
            let count = rest.iter().take_while(|next| same(next)).count().max(1);
            line.text.extend(std::iter::repeat_n(' ', count));
            (Shape::Blank, count)
        };
        let style = *tables.styles.get(cell.style);
        let link = style.link.and_then(|id| tables.links.get(id)).map(Arc::clone);
        let bytes = (line.text.len() - before) as u32;
        line.runs.push(Run { cols: cells as u32, bytes, shape, style, link });
        rest = &rest[cells.min(rest.len())..];
    }
    line
}

fn push_while(text: &mut String, cells: &[Cell], same: impl Fn(Cell) -> bool) -> usize {
    let mut count = 0;
    for &cell in cells.iter().take_while(|&&cell| same(cell)) {
        match cell.as_ascii() {
            Some(byte) => text.push(char::from(byte)),
            None => text.push(cell.char().unwrap_or(' ')),
        }
        count += 1;
    }
    count
}
