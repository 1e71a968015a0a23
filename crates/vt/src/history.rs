//! Lines that have left the screen: compact, bounded, numbered for good.
//!
//! A line here is *logical*: rows that wrapped are joined, so resizing never touches history and a line's number never
//! changes. Lines are stored in pages of packed text and runs; text is stored as plain UTF-8, so that copying and
//! searching need no decoding.

mod page;
mod varint;

use std::{collections::VecDeque, ops::Range};

use crate::{
    cell::Cell,
    grid::GridRow,
    line::Line,
    tables::{ClusterTable, LinkTable, StyleTable},
};
use page::HistoryPage;

/// The tables that a row's cells refer to.
pub(crate) struct CellTables<'a> {
    pub(crate) styles: &'a StyleTable,
    pub(crate) clusters: &'a ClusterTable,
    pub(crate) links: &'a LinkTable,
}

#[derive(Debug)]
pub(crate) struct History {
    pages: VecDeque<HistoryPage>,
    /// Number of the oldest line kept.
    first: u64,
    /// Number the next new line gets.
    next: u64,
    /// The newest line continues: the next row pushed belongs to it.
    open: bool,
    max_lines: usize,
    max_bytes: usize,
    keep_cleared: bool,
    /// Bytes of all pages but the newest.
    closed_bytes: usize,
}

impl History {
    pub(crate) fn new(max_lines: usize, max_bytes: usize, keep_cleared: bool) -> Self {
        let (pages, closed_bytes) = (VecDeque::new(), 0);
        History { pages, first: 0, next: 0, open: false, max_lines, max_bytes, keep_cleared, closed_bytes }
    }

    /// When the screen is cleared, its text goes to history first.
    pub(crate) fn keeps_cleared(&self) -> bool {
        self.keep_cleared
    }

    /// Numbers of the lines kept, the open one included.
    pub(crate) fn lines(&self) -> Range<u64> {
        self.first..self.next
    }

    /// Number of the line that the screen's first row belongs to.
    pub(crate) fn screen_line(&self) -> u64 {
        if self.open { self.next - 1 } else { self.next }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// Adds a row that left the screen at the top.
    pub(crate) fn push(&mut self, row: &GridRow, tables: &CellTables<'_>) {
        if self.max_lines == 0 {
            if !row.wrapped {
                self.next += 1;
                self.first = self.next;
            }
            return;
        }
        if !self.open {
            if self.pages.back().is_none_or(HistoryPage::is_full) {
                self.start_page();
            }
            self.next += 1;
        }
        let page = self.pages.back_mut().expect("a line is open or a page was just started");
        if !self.open {
            page.begin_line();
        }
        let room = page.append(row, tables);
        self.open = row.wrapped && room;
        if !self.open {
            page.end_line();
        }
        self.evict();
    }

    fn start_page(&mut self) {
        if let Some(page) = self.pages.back_mut() {
            page.close();
            self.closed_bytes += page.bytes();
        }
        self.pages.push_back(HistoryPage::new());
    }

    fn evict(&mut self) {
        while self.next - self.first > self.max_lines as u64 {
            self.drop_first();
        }
        while self.closed_bytes > self.max_bytes && self.pages.len() > 1 {
            let lines = self.pages.front().map_or(0, HistoryPage::len);
            self.first += lines as u64;
            self.drop_front_page();
        }
    }

    fn drop_first(&mut self) {
        self.first += 1;
        let page = self.pages.front_mut().expect("lines live in pages");
        if page.drop_first() {
            self.drop_front_page();
        }
    }

    fn drop_front_page(&mut self) {
        if self.pages.len() > 1 {
            let bytes = self.pages.front().map_or(0, HistoryPage::bytes);
            self.closed_bytes = self.closed_bytes.saturating_sub(bytes);
        }
        self.pages.pop_front();
        if self.pages.is_empty() {
            self.open = false;
        }
    }

    /// Drops all lines, unless cleared text is kept; numbers continue.
    pub(crate) fn clear(&mut self) {
        if self.keep_cleared {
            return;
        }
        self.pages.clear();
        self.closed_bytes = 0;
        if self.open {
            // The rest of the open line is on the screen and keeps its number.
            self.next -= 1;
        }
        self.first = self.next;
        self.open = false;
    }

    /// Ends the open line here: the text that follows on the screen starts a new line.
    pub(crate) fn close_line(&mut self) {
        if self.open {
            self.open = false;
            if let Some(page) = self.pages.back_mut() {
                page.end_line();
            }
        }
    }

    /// Removes and returns the newest line (and its number), for a screen that grows or reflows.
    pub(crate) fn pop(&mut self) -> Option<Line> {
        let page = self.pages.back_mut()?;
        let line = page.pop_line();
        self.next -= 1;
        self.open = false;
        if page.len() == 0 {
            self.pages.pop_back();
            if let Some(page) = self.pages.back() {
                self.closed_bytes = self.closed_bytes.saturating_sub(page.bytes());
            }
        }
        Some(line)
    }

    /// Line `number`, decoded.
    pub(crate) fn line(&self, number: u64) -> Option<Line> {
        let (page, index) = self.locate(number)?;
        Some(self.pages[page].line(index))
    }

    fn locate(&self, number: u64) -> Option<(usize, usize)> {
        if !self.lines().contains(&number) {
            return None;
        }
        let mut left = (number - self.first) as usize;
        for (index, page) in self.pages.iter().enumerate() {
            if left < page.len() {
                return Some((index, left));
            }
            left -= page.len();
        }
        None
    }

    /// Visits the text of the lines in `range`, oldest first, until `visit` returns false. The last line may be open,
    /// with its rest on the screen.
    pub(crate) fn visit(&self, range: Range<u64>, visit: &mut dyn FnMut(u64, &str) -> bool) -> bool {
        let mut number = range.start.max(self.first);
        let Some((mut page, mut index)) = self.locate(number) else { return true };
        while number < range.end && page < self.pages.len() {
            let left = usize::try_from(range.end - number).unwrap_or(usize::MAX);
            let lines = index..self.pages[page].len().min(index.saturating_add(left));
            for text in self.pages[page].texts(lines) {
                if !visit(number, text) {
                    return false;
                }
                number += 1;
            }
            (page, index) = (page + 1, 0);
        }
        true
    }

    /// Appends the lines of `range`, each with a newline except for an open last one.
    pub(crate) fn append_text(&self, range: Range<u64>, out: &mut String) {
        let range = range.start.max(self.first)..range.end.min(self.next);
        let Some((mut page, mut index)) = self.locate(range.start) else { return };
        let mut left = range.end.saturating_sub(range.start) as usize;
        while left > 0 {
            let take = left.min(self.pages[page].len() - index);
            self.pages[page].append_text(index..index + take, out);
            left -= take;
            (page, index) = (page + 1, 0);
        }
    }

    /// Appends all lines except an open one, each with a newline, and drops them.
    pub(crate) fn take_text(&mut self, out: &mut String) {
        let end = self.screen_line();
        self.append_text(self.first..end, out);
        while self.first < end && !self.pages.is_empty() {
            self.drop_first();
        }
    }

    /// The terminal has renumbered its style ids.
    pub(crate) fn forget_style_ids(&mut self) {
        if let Some(page) = self.pages.back_mut() {
            page.forget_style_ids();
        }
    }

    /// Heap bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.closed_bytes + self.pages.back().map_or(0, HistoryPage::bytes)
    }
}

/// The cells of `row` that belong to its line: all of them if it continues, else up to the last one used.
fn cells_of(row: &GridRow) -> &[Cell] {
    let cells = &row.cells[..];
    if row.wrapped {
        match cells.last() {
            Some(last) if last.is_edge() => &cells[..cells.len() - 1],
            _ => cells,
        }
    } else {
        &cells[..row.used()]
    }
}
