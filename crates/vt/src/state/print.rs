//! Prints text to the grid: wrapping, wide characters, clusters, insert mode.

use super::{OpenCluster, TerminalState};
use crate::{
    cell::Cell,
    grid::GridRow,
    modes::ModeFlags,
    tables::MAX_CLUSTER_BYTES,
    unicode::{CharProperties, ClusterState, VARIATION_EMOJI, is_narrow_emoji},
};

impl TerminalState {
    /// The columns from the caret that text may fill: up to the right margin, or to the edge if the caret is beyond it.
    #[inline]
    fn text_limit(&self) -> u16 {
        if self.caret.col <= self.margins.right { self.margins.right + 1 } else { self.size.cols }
    }

    #[inline]
    pub(super) fn put_ascii(&mut self, text: &[u8]) {
        let plain = self.charsets.is_plain() && !self.has(ModeFlags::INSERT);
        let joins = self.cluster.is_some_and(|open| open.state.joins(CharProperties::of('a')));
        if !plain || joins {
            for &byte in text {
                let c = self.charsets.map(byte);
                self.put_char(c);
            }
            return;
        }
        let style = self.pen_id();
        let autowrap = self.has(ModeFlags::AUTOWRAP);
        let mut rest = text;
        while !rest.is_empty() {
            if self.caret.pending_wrap && autowrap {
                self.wrap();
            }
            let limit = self.text_limit();
            let room = usize::from(limit - self.caret.col);
            if !autowrap && rest.len() > room {
                // Text that does not fit overwrites the last column, so only the last character stays.
                self.grid.row_mut(self.caret.row).write_ascii(self.caret.col, &rest[..room - 1], style);
                self.caret.col = limit - 1;
                rest = &rest[rest.len() - 1..];
                continue;
            }
            let (now, later) = rest.split_at(rest.len().min(room));
            self.grid.row_mut(self.caret.row).write_ascii(self.caret.col, now, style);
            self.advance(now.len() as u16, limit);
            rest = later;
        }
        let last = text[text.len() - 1];
        self.last_char = Some(char::from(last));
        self.open_cluster(ClusterState::default(), 1);
    }

    /// Moves the caret past what was just printed.
    #[inline]
    fn advance(&mut self, cols: u16, limit: u16) {
        self.caret.col += cols;
        self.caret.pending_wrap = self.caret.col == limit;
        if self.caret.pending_wrap {
            self.caret.col -= 1;
        }
    }

    /// Remembers the cluster that ends just before the caret.
    #[inline]
    fn open_cluster(&mut self, state: ClusterState, width: u16) {
        let end = self.caret.col + u16::from(self.caret.pending_wrap);
        self.cluster = Some(OpenCluster { state, row: self.caret.row, col: end - width });
    }

    pub(super) fn put_char(&mut self, c: char) {
        let properties = CharProperties::of(c);
        let clusters = self.has(ModeFlags::GRAPHEMES);
        if let Some(open) = self.cluster
            && clusters
            && open.state.joins(properties)
            && self.extend_cluster(open, c, properties)
        {
            return;
        }
        let width = self.width_of(properties);
        if width == 0 {
            return self.attach_mark(c, properties);
        }
        self.last_char = Some(c);
        if self.place(c, width) {
            self.open_cluster(ClusterState::start(properties), width);
        }
    }

    /// Columns of a character that starts a cluster.
    fn width_of(&self, properties: CharProperties) -> u16 {
        if properties.is_regional_indicator() && !self.has(ModeFlags::GRAPHEMES) { 1 } else { properties.width() }
    }

    /// Writes one character at the caret. False when there is no room for it at all.
    fn place(&mut self, c: char, width: u16) -> bool {
        let autowrap = self.has(ModeFlags::AUTOWRAP);
        if self.caret.pending_wrap && autowrap {
            self.wrap();
        }
        let mut limit = self.text_limit();
        if self.caret.col + width > limit {
            let first = if self.caret.col < self.margins.left { 0 } else { self.margins.left };
            if !autowrap || limit - first < width {
                return false;
            }
            let blank = self.eraser();
            let fill = if self.runs_on() { Cell::edge(blank.style) } else { blank };
            self.grid.row_mut(self.caret.row).fill(self.caret.col..limit, fill);
            self.wrap();
            limit = self.text_limit();
        }
        let style = self.pen_id();
        let insert = self.has(ModeFlags::INSERT);
        let col = self.caret.col;
        let eraser = if insert { self.eraser() } else { Cell::BLANK };
        let row = self.grid.row_mut(self.caret.row);
        if insert {
            row.insert(col..limit, width, eraser);
        }
        row.fill_with(col..col + width, c, width, style);
        self.advance(width, limit);
        true
    }

    /// Text that wraps here continues in the next row; between side margins it is a column, not a line.
    fn runs_on(&self) -> bool {
        self.margins.left == 0 && self.margins.right + 1 == self.size.cols
    }

    /// Moves to the next row, recording that the text continues.
    pub(super) fn wrap(&mut self) {
        let row = self.caret.row;
        let mark = self.runs_on();
        let scrolls = row == self.margins.bottom;
        self.grid.row_mut(row).wrapped = mark;
        self.index();
        self.carriage_return();
        if scrolls && mark && row > 0 {
            // Scrolling ends continuations; this one stays.
            self.grid.row_mut(row - 1).wrapped = true;
        } else if !scrolls && self.caret.row == row {
            // Below the margins the last row continues in itself.
            self.grid.row_mut(row).wrapped = false;
        }
    }

    /// Adds a character to the cluster just printed. False if that needs a second column and there is none.
    /// there is none to be had.
    fn extend_cluster(&mut self, mut open: OpenCluster, c: char, properties: CharProperties) -> bool {
        let cell = self.grid.cell(open.row, open.col);
        let base = self.first_char(cell);
        let widens =
            !cell.is_wide() && (properties.width() == 2 || (c == VARIATION_EMOJI && base.is_some_and(is_narrow_emoji)));
        let has_room = self.caret.col == open.col + 1 && !self.caret.pending_wrap;
        if widens {
            if has_room || self.move_to_next_row(&mut open) {
                self.widen(open);
            } else if properties.width() == 2 {
                return false;
            }
        }
        open.state.advance(properties);
        self.cluster = Some(open);
        self.append_to_cell(open.row, open.col, c);
        true
    }

    /// A cluster in the last column that becomes wide moves to the next row, as if it had been printed whole.
    fn move_to_next_row(&mut self, open: &mut OpenCluster) -> bool {
        let first = if self.caret.col < self.margins.left { 0 } else { self.margins.left };
        if !self.caret.pending_wrap || !self.has(ModeFlags::AUTOWRAP) || self.text_limit() - first < 2 {
            return false;
        }
        let cell = self.grid.cell(open.row, open.col);
        let blank = self.eraser();
        let fill = if self.runs_on() { Cell::edge(blank.style) } else { blank };
        self.grid.row_mut(open.row).fill(open.col..open.col + 1, fill);
        self.wrap();
        let limit = self.text_limit();
        (open.row, open.col) = (self.caret.row, self.caret.col);
        self.grid.row_mut(open.row).fill(open.col..open.col + 1, cell);
        self.advance(1, limit);
        true
    }

    fn first_char(&self, cell: Cell) -> Option<char> {
        cell.char().or_else(|| self.clusters.get(cell.cluster()?).chars().next())
    }

    /// A combining mark on its own (after a cursor movement, or with clusters off) is added to the character on the
    /// left.
    fn attach_mark(&mut self, c: char, properties: CharProperties) {
        let caret = self.caret;
        let Some(mut col) = (caret.col + u16::from(caret.pending_wrap)).checked_sub(1) else { return };
        if self.grid.cell(caret.row, col).is_spacer() && col > 0 {
            col -= 1;
        }
        let cell = self.grid.cell(caret.row, col);
        if cell.is_blank() || cell.is_edge() || cell.is_spacer() {
            return;
        }
        self.append_to_cell(caret.row, col, c);
        if self.has(ModeFlags::GRAPHEMES) {
            let mut state = ClusterState::default();
            match (cell.char(), cell.cluster()) {
                (Some(base), _) => state.advance(CharProperties::of(base)),
                (None, Some(id)) => self.clusters.get(id).chars().for_each(|c| state.advance(CharProperties::of(c))),
                (None, None) => {}
            }
            state.advance(properties);
            self.cluster = Some(OpenCluster { state, row: caret.row, col });
        }
    }

    /// Adds `c` to what a cell shows, unless it is full.
    fn append_to_cell(&mut self, row: u16, col: u16, c: char) {
        let cell = self.grid.cell(row, col);
        let mut text = String::with_capacity(MAX_CLUSTER_BYTES);
        match (cell.char(), cell.cluster()) {
            (Some(base), _) => text.push(base),
            (None, Some(id)) => text.push_str(self.clusters.get(id)),
            (None, None) => return,
        }
        if text.len() + c.len_utf8() <= MAX_CLUSTER_BYTES {
            text.push(c);
            if let Some(id) = self.clusters.intern(&text) {
                let row = self.grid.row_mut(row);
                row.cells[usize::from(col)] = cell.with_cluster(id);
                row.dirty = true;
            }
        }
    }

    /// Gives the cluster just printed the column right of it.
    fn widen(&mut self, open: OpenCluster) {
        let limit = self.text_limit();
        let insert = self.has(ModeFlags::INSERT);
        let col = usize::from(open.col);
        let row = self.grid.row_mut(open.row);
        let cell = row.cells[col];
        if insert {
            row.insert(open.col + 1..limit, 1, Cell::BLANK);
        }
        row.fill(open.col + 1..open.col + 2, Cell::spacer(cell.style));
        row.cells[col] = cell.widened();
        self.advance(1, limit);
    }

    /// REP: prints the last character `count` more times.
    pub(super) fn repeat(&mut self, count: u16) {
        let Some(c) = self.last_char else { return };
        let properties = CharProperties::of(c);
        let width = self.width_of(properties);
        // After a full screen, further whole rows make no difference: only the end position counts.
        let in_row = u32::from(((self.margins.right + 1 - self.margins.left) / width).max(1));
        let enough = in_row * u32::from(self.size.rows) + u32::from(self.size.cols);
        let mut count = u32::from(count);
        if count > enough {
            count = enough + (count - enough) % in_row;
        }
        if ClusterState::start(properties).joins(properties) {
            for _ in 0..count {
                self.put_char(c);
            }
        } else if self.place_run(c, width, count) {
            self.open_cluster(ClusterState::start(properties), width);
        }
    }

    /// Like `place`, `count` times, a row at a time. False if there was no room for any.
    fn place_run(&mut self, c: char, width: u16, count: u32) -> bool {
        let autowrap = self.has(ModeFlags::AUTOWRAP);
        let insert = self.has(ModeFlags::INSERT);
        let mut left = count;
        while left > 0 {
            if self.caret.pending_wrap && autowrap {
                self.wrap();
                left = self.flood_region(c, width, left);
            }
            let limit = self.text_limit();
            let room = (limit - self.caret.col) / width;
            if room == 0 {
                if !self.place(c, width) {
                    break;
                }
                left -= 1;
                continue;
            }
            let now = room.min(u16::try_from(left).unwrap_or(u16::MAX));
            let cols = self.caret.col..self.caret.col + now * width;
            let style = self.pen_id();
            let eraser = if insert { self.eraser() } else { Cell::BLANK };
            let row = self.grid.row_mut(self.caret.row);
            if insert {
                row.insert(cols.start..limit, now * width, eraser);
            }
            row.fill_with(cols, c, width, style);
            self.advance(now * width, limit);
            left -= u32::from(now);
            if !autowrap && width == 1 {
                // The rest overwrites the last column, which shows it already.
                left = 0;
            }
        }
        left < count
    }

    /// At the start of the last row of a region that keeps no history: text that would fill the region more than once
    /// is written once. Returns how many characters remain for the last row.
    fn flood_region(&mut self, c: char, width: u16, left: u32) -> u32 {
        let (top, bottom) = (self.margins.top, self.margins.bottom);
        let cols = self.margins.left..self.margins.right + 1;
        let runs_on = self.runs_on();
        let kept = runs_on && top == 0 && !self.on_alternate();
        let at_start = self.caret.row == bottom && self.caret.col == cols.start;
        let in_row = u32::from((cols.end - cols.start) / width);
        let whole = in_row * u32::from(bottom - top + 1);
        let fits = (cols.end - cols.start).is_multiple_of(width);
        if kept || !at_start || !fits || top == bottom || left < whole || self.has(ModeFlags::INSERT) {
            return left;
        }
        let (style, eraser) = (self.pen_id(), self.eraser());
        for row in top..bottom {
            let row = self.grid.row_mut(row);
            row.fill_with(cols.clone(), c, width, style);
            row.wrapped |= runs_on;
        }
        let last = self.grid.row_mut(bottom);
        last.fill(cols, eraser);
        last.wrapped = false;
        if runs_on {
            self.grid.unwrap_before(top);
        } else {
            self.grid.rows[usize::from(top) + 1..=usize::from(bottom)].iter_mut().for_each(GridRow::drop_edge);
        }
        match (left - whole) % in_row {
            0 => in_row,
            rest => rest,
        }
    }
}
