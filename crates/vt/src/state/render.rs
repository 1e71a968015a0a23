//! Reading the screen: frames, text, lines.

use std::{ops::Range, sync::Arc};

use super::TerminalState;
use crate::{
    cell::Cell,
    frame::{Cursor, Frame},
    geometry::Position,
    grid::GridRow,
    history::CellTables,
    line::{Line, RunShape, StyleRun},
    modes::ModeFlags,
};

impl TerminalState {
    /// The frame for readers: the screen, or the frozen screen during a synchronized update. Unchanged rows keep their
    /// `Arc`.
    pub(crate) fn frame(&mut self) -> Frame {
        let cursor = self.cursor();
        let TerminalState { grid, frozen, styles, clusters, links, .. } = self;
        let tables = CellTables { styles, clusters, links };
        let (grid, flags, theme, first_line) = match frozen {
            Some(frozen) => (&mut frozen.grid, frozen.flags, &frozen.theme, frozen.screen_line),
            None => (grid, self.flags, &self.theme, self.history.screen_line()),
        };
        Frame {
            size: grid.size(),
            rows: grid.rows.iter_mut().map(|row| drawn(row, &tables)).collect(),
            cursor,
            alternate_screen: flags.contains(ModeFlags::ALTERNATE_SCREEN),
            reverse_video: flags.contains(ModeFlags::REVERSE_VIDEO),
            first_line,
            theme: Arc::clone(theme),
        }
    }

    /// Renders the changed rows in advance if they are few, so that later texts only copy them.
    pub(crate) fn draw_few(&mut self) {
        let TerminalState { grid, frozen, styles, clusters, links, .. } = self;
        let tables = CellTables { styles, clusters, links };
        let rows = &mut frozen.as_mut().map_or(grid, |frozen| &mut frozen.grid).rows;
        if rows.iter().filter(|row| row.dirty).count() <= rows.len() / 4 {
            for row in rows.iter_mut().filter(|row| row.dirty) {
                drawn(row, &tables);
            }
        }
    }

    pub(crate) fn shows_alternate(&self) -> bool {
        let flags = self.frozen.as_ref().map_or(self.flags, |frozen| frozen.flags);
        flags.contains(ModeFlags::ALTERNATE_SCREEN)
    }

    pub(crate) fn cursor(&self) -> Cursor {
        let (caret, flags, shape) = match &self.frozen {
            Some(frozen) => (frozen.caret, frozen.flags, frozen.cursor_shape),
            None => (self.caret, self.flags, self.cursor_shape),
        };
        Cursor {
            position: Position { row: caret.row, col: caret.col },
            visible: flags.contains(ModeFlags::CURSOR_VISIBLE),
            shape,
            blinking: flags.contains(ModeFlags::CURSOR_BLINK),
        }
    }

    /// The visible rows as text, trailing blanks trimmed.
    pub(crate) fn grid_text(&self, out: &mut String) {
        let grid = self.frozen.as_ref().map_or(&self.grid, |frozen| &frozen.grid);
        for row in &grid.rows {
            self.push_row_text(row, out);
            trim_spaces(out);
            out.push('\n');
        }
    }

    /// The text of a row, cell by cell, up to the last one used.
    fn push_row_text(&self, row: &GridRow, out: &mut String) {
        // A continuing row has no blank for the cell that a wide character left free; a line has one.
        if let Some(line) = row.drawn.as_ref().filter(|_| !row.dirty && !row.wrapped) {
            return out.push_str(&line.text);
        }
        let mut rest = &row.cells[..row.used()];
        while let Some(&cell) = rest.first() {
            let ascii = rest.iter().take_while(|cell| cell.as_ascii().is_some()).count();
            if ascii > 0 {
                out.extend(rest[..ascii].iter().map(|cell| char::from(cell.ascii_byte())));
                rest = &rest[ascii..];
                continue;
            }
            if let Some(c) = cell.char() {
                out.push(c);
            } else if let Some(id) = cell.cluster() {
                out.push_str(self.clusters.get(id));
            } else if cell.is_blank() || (cell.is_edge() && !row.wrapped) {
                out.push(' ');
            }
            rest = &rest[1..];
        }
    }

    /// The main screen's rows as readers see them, and its caret's row. Lines are on the main screen even while the
    /// alternate screen is shown.
    fn main_rows(&self) -> (&[GridRow], u16) {
        match (&self.frozen, &self.other) {
            (Some(frozen), _) if !frozen.flags.contains(ModeFlags::ALTERNATE_SCREEN) => {
                (&frozen.grid.rows, frozen.caret.row)
            }
            (_, Some(main)) if self.on_alternate() => (&main.rows, self.saved[0].caret.row),
            _ => (&self.grid.rows, self.caret.row),
        }
    }

    /// The line that the main screen's first row belongs to.
    pub(crate) fn first_screen_line(&self) -> u64 {
        match &self.frozen {
            Some(frozen) if !frozen.flags.contains(ModeFlags::ALTERNATE_SCREEN) => frozen.screen_line,
            _ => self.history.screen_line(),
        }
    }

    /// Numbers of all logical lines, the rows of the main screen included, trailing blank rows not.
    pub(crate) fn lines(&self) -> Range<u64> {
        let (rows, caret) = self.main_rows();
        let used = rows.iter().rposition(|row| row.used() > 0).map_or(0, |last| last + 1);
        let used = used.max(usize::from(caret) + 1).min(rows.len());
        let ends = rows[..used].iter().filter(|row| !row.wrapped).count() as u64;
        let runs_on = rows[used - 1].wrapped;
        let end = self.first_screen_line() + ends + u64::from(runs_on);
        self.history.lines().start.min(end)..end
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
        if range.end > first_on_screen {
            Joiner { number: first_on_screen, line: String::new(), range, visit }.join(self);
        }
    }

    /// The part of the screen's first line that is in history.
    pub(super) fn push_open_text(&self, out: &mut String) {
        if self.history.is_open() {
            let number = self.history.screen_line();
            self.history.append_text(number..number + 1, out);
        }
    }

    /// The same with its styles. While a frozen screen is shown, history moves on, and its end is no longer what is
    /// above the frame; nor is it what is above an alternate screen.
    pub(crate) fn open_line(&self) -> Option<crate::Line> {
        let open = self.history.is_open() && self.frozen.is_none() && !self.flags.contains(ModeFlags::ALTERNATE_SCREEN);
        open.then(|| self.history.line(self.history.screen_line())).flatten()
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

/// Joins rows into logical lines and passes them on.
struct Joiner<'a> {
    number: u64,
    line: String,
    range: Range<u64>,
    visit: &'a mut dyn FnMut(u64, &str) -> bool,
}

impl Joiner<'_> {
    fn join(mut self, state: &TerminalState) {
        match &state.frozen {
            Some(frozen) => self.line.push_str(&frozen.open_text),
            None => state.push_open_text(&mut self.line),
        }
        for row in state.main_rows().0 {
            if self.number >= self.range.end {
                return;
            }
            state.push_row_text(row, &mut self.line);
            if row.wrapped {
                // Blank cells at the end of a row that runs on are part of the text.
                self.line.extend(std::iter::repeat_n(' ', row.cells.len() - row.used()));
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
    // Only back to the last newline: the text before it belongs to another row.
    let end = text.trim_end_matches(' ').len();
    text.truncate(end);
}

fn drawn(row: &mut GridRow, tables: &CellTables<'_>) -> Arc<Line> {
    // A row's continuation flag can change without any of its cells.
    if row.dirty || row.drawn.as_ref().is_none_or(|line| line.wrapped != row.wrapped) {
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
pub(super) fn build_line(cells: &[Cell], wrapped: bool, tables: &CellTables<'_>) -> Line {
    let mut line = Line { text: String::with_capacity(cells.len()), runs: Vec::new(), wrapped };
    let mut rest = cells;
    while let Some(&cell) = rest.first() {
        let before = line.text.len();
        let (shape, cells) = if cell.is_plain_narrow() {
            (
                RunShape::Narrow,
                push_while(&mut line.text, rest, |next| next.is_plain_narrow() && next.style == cell.style),
            )
        } else if let Some(id) = cell.cluster() {
            line.text.push_str(tables.clusters.get(id));
            if cell.is_wide() { (RunShape::WideCluster, 2) } else { (RunShape::Cluster, 1) }
        } else if cell.is_wide() {
            let pairs = rest
                .chunks(2)
                .take_while(|pair| pair[0].is_wide() && pair[0].cluster().is_none() && pair[0].style == cell.style);
            let mut count = 0;
            for pair in pairs {
                line.text.push(pair[0].char().unwrap_or(' '));
                count += 2;
            }
            (RunShape::Wide, count)
        } else {
            let same = |next: &Cell| (next.is_blank() || next.is_edge()) && next.style == cell.style;
            let count = rest.iter().take_while(|next| same(next)).count().max(1);
            line.text.extend(std::iter::repeat_n(' ', count));
            (RunShape::Blank, count)
        };
        let style = *tables.styles.get(cell.style);
        let link = style.link.and_then(|id| tables.links.get(id)).map(Arc::clone);
        let bytes = (line.text.len() - before) as u32;
        line.runs.push(StyleRun { cols: cells as u32, bytes, shape, style, link });
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
