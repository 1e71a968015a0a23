//! A page of some hundred lines, packed: their plain text, and beside it the mapping to cells.
//!
//! Text is UTF-8, a newline after each finished line, blank cells as spaces, trailing spaces left out.
//! Runs are `varint(columns << 3 | shape) varint(style)`, and `varint(bytes)` for a cluster; trailing
//! empty cells with a look of their own are runs without text.

use std::{collections::HashMap, ops::Range, sync::Arc};

use super::{CellTables, cells_of, varint};
use crate::{
    cell::{Cell, StyleId},
    grid::GridRow,
    line::{Line, RunShape, StyleRun},
    style::{SharedLink, Style},
};

/// A page is full at this many lines or bytes: small enough that dropping one is cheap, large enough that the overhead
/// of its tables is small.
const MAX_LINES: usize = 256;
const MAX_BYTES: usize = 64 << 10;
/// A longer line is cut, and its rest becomes a line of its own. This keeps one endless line from filling memory.
const MAX_LINE_BYTES: usize = 64 << 10;

/// Run kinds beyond the shapes: trailing cells that have no text of their own.
const TAIL: u32 = 5;

#[derive(Clone, Copy, Debug, Default)]
struct LineEnd {
    text: u32,
    runs: u32,
}

#[derive(Debug)]
pub(super) struct HistoryPage {
    text: Vec<u8>,
    runs: Vec<u8>,
    /// Where each line ends (the newline not counted). The last one may be open.
    ends: Vec<LineEnd>,
    /// Lines at the front that were evicted one by one.
    dropped: usize,
    styles: Vec<Style>,
    /// Maps the terminal's style ids to indexes in `styles`; used only while the page grows.
    style_ids: HashMap<StyleId, u32>,
    last_style: (StyleId, u32),
    /// Targets of the styles that have one, by the style's index, which only grows.
    links: Vec<(u32, SharedLink)>,
    /// The last run of the open line, not yet written, since the next row may extend it.
    pending: Option<PendingRun>,
}

#[derive(Clone, Copy, Debug)]
struct PendingRun {
    cols: u32,
    shape: RunShape,
    style: u32,
}

impl HistoryPage {
    pub(super) fn new() -> Self {
        HistoryPage {
            text: Vec::new(),
            runs: Vec::new(),
            ends: Vec::new(),
            dropped: 0,
            styles: vec![Style::default()],
            style_ids: HashMap::new(),
            last_style: (StyleId(0), 0),
            links: Vec::new(),
            pending: None,
        }
    }

    /// The number of readable lines.
    pub(super) fn len(&self) -> usize {
        self.ends.len() - self.dropped
    }

    pub(super) fn is_full(&self) -> bool {
        self.ends.len() >= MAX_LINES || self.text.len() + self.runs.len() >= MAX_BYTES
    }

    pub(super) fn bytes(&self) -> usize {
        self.text.capacity()
            + self.runs.capacity()
            + self.ends.capacity() * size_of::<LineEnd>()
            + self.styles.capacity() * size_of::<Style>()
            + self.links.iter().map(|(_, link)| link.uri.len() + link.id.len() + 72).sum::<usize>()
    }

    /// The page is complete: frees spare capacity.
    pub(super) fn close(&mut self) {
        self.text.shrink_to_fit();
        self.runs.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.styles.shrink_to_fit();
        self.links.shrink_to_fit();
        self.style_ids = HashMap::new();
    }

    /// Evicts the oldest line. True when none is left.
    pub(super) fn drop_first(&mut self) -> bool {
        self.dropped += 1;
        self.dropped == self.ends.len()
    }

    pub(super) fn begin_line(&mut self) {
        self.ends.push(LineEnd { text: self.text.len() as u32, runs: self.runs.len() as u32 });
    }

    /// Appends a row to the open line. False if the line has become too long to continue.
    pub(super) fn append(&mut self, row: &GridRow, tables: &CellTables<'_>) -> bool {
        let cells = cells_of(row);
        // Only a line's end may contain empty cells without text; rows that continue are text throughout.
        let text_end = if row.wrapped {
            cells.len()
        } else {
            cells.iter().rposition(|cell| !cell.is_empty_text()).map_or(0, |last| last + 1)
        };
        self.append_text_cells(&cells[..text_end], tables);
        self.append_tail(&cells[text_end..], tables);
        self.mark_end();
        let start = self.line_start(self.ends.len() - 1);
        self.text.len() - start.text as usize + self.runs.len() - (start.runs as usize) < MAX_LINE_BYTES
    }

    fn mark_end(&mut self) {
        let end = LineEnd { text: self.text.len() as u32, runs: self.runs.len() as u32 };
        *self.ends.last_mut().expect("a line was begun") = end;
    }

    pub(super) fn end_line(&mut self) {
        self.flush_pending();
        self.mark_end();
        self.text.push(b'\n');
    }

    fn append_text_cells(&mut self, cells: &[Cell], tables: &CellTables<'_>) {
        let mut rest = cells;
        while let Some(&cell) = rest.first() {
            let style = cell.style;
            let index = self.style(style, tables);
            if cell.is_plain_narrow() {
                let len = self.push_narrow(rest, style);
                self.run(RunShape::Narrow, len as u32, index);
                rest = &rest[len..];
            } else if cell.is_blank() || cell.is_spacer() || cell.is_edge() {
                // A lone spacer can't happen; if it did, it would read as a blank.
                let len = rest.iter().take_while(|next| next.is_blank() && next.style == style).count().max(1);
                self.text.resize(self.text.len() + len, b' ');
                self.run(RunShape::Blank, len as u32, index);
                rest = &rest[len..];
            } else if let Some(id) = cell.cluster() {
                let cluster = tables.clusters.get(id);
                self.text.extend_from_slice(cluster.as_bytes());
                let (shape, cols) = if cell.is_wide() { (RunShape::WideCluster, 2) } else { (RunShape::Cluster, 1) };
                self.flush_pending();
                self.write_run(shape as u32, cols, index);
                varint::write(&mut self.runs, cluster.len() as u32);
                rest = &rest[(cols as usize).min(rest.len())..];
            } else {
                push_char(&mut self.text, cell.char().unwrap_or(' '));
                self.run(RunShape::Wide, 2, index);
                rest = &rest[2.min(rest.len())..];
            }
        }
    }

    /// Appends the text of the plain cells of one style at the front; returns how many.
    #[inline]
    fn push_narrow(&mut self, cells: &[Cell], style: StyleId) -> usize {
        let mut len = 0;
        loop {
            // ASCII in bulk: two passes over the run that the compiler can vectorise.
            let run = cells[len..].iter().take_while(|cell| cell.style == style && cell.as_ascii().is_some()).count();
            self.text.extend(cells[len..len + run].iter().map(|cell| cell.ascii_byte()));
            len += run;
            match cells.get(len) {
                Some(cell) if cell.style == style && cell.is_plain_narrow() => {
                    push_char(&mut self.text, cell.char().unwrap_or(' '));
                    len += 1;
                }
                _ => return len,
            }
        }
    }

    fn append_tail(&mut self, cells: &[Cell], tables: &CellTables<'_>) {
        let mut rest = cells;
        while let Some(cell) = rest.first() {
            let len = rest.iter().take_while(|next| next.style == cell.style).count();
            let index = self.style(cell.style, tables);
            self.flush_pending();
            self.write_run(TAIL, len as u32, index);
            rest = &rest[len..];
        }
    }

    /// A run that may grow: neighbours of one look and shape become one, across rows too.
    #[inline]
    fn run(&mut self, shape: RunShape, cols: u32, style: u32) {
        match &mut self.pending {
            Some(pending) if pending.shape == shape && pending.style == style => pending.cols += cols,
            _ => {
                self.flush_pending();
                self.pending = Some(PendingRun { cols, shape, style });
            }
        }
    }

    #[inline]
    fn flush_pending(&mut self) {
        if let Some(PendingRun { cols, shape, style }) = self.pending.take() {
            self.write_run(shape as u32, cols, style);
        }
    }

    fn write_run(&mut self, kind: u32, cols: u32, style: u32) {
        varint::write(&mut self.runs, cols << 3 | kind);
        varint::write(&mut self.runs, style);
    }

    #[inline]
    fn style(&mut self, id: StyleId, tables: &CellTables<'_>) -> u32 {
        if id == self.last_style.0 {
            return self.last_style.1;
        }
        let index = match self.style_ids.get(&id) {
            Some(&index) => index,
            None => self.adopt_style(id, tables),
        };
        self.last_style = (id, index);
        index
    }

    fn adopt_style(&mut self, id: StyleId, tables: &CellTables<'_>) -> u32 {
        let style = *tables.styles.get(id);
        if id == StyleId(0) {
            return 0;
        }
        let index = self.styles.len() as u32;
        if let Some(link) = style.link.and_then(|link| tables.links.get(link)) {
            self.links.push((index, Arc::clone(link)));
        }
        self.styles.push(style);
        self.style_ids.insert(id, index);
        index
    }

    /// The terminal has renumbered its style ids.
    pub(super) fn forget_style_ids(&mut self) {
        self.style_ids.clear();
        self.last_style = (StyleId(0), 0);
    }

    fn line_start(&self, entry: usize) -> LineEnd {
        match entry.checked_sub(1) {
            None => LineEnd::default(),
            Some(before) => LineEnd { text: self.ends[before].text + 1, runs: self.ends[before].runs },
        }
    }

    fn text_range(&self, entry: usize) -> Range<usize> {
        self.line_start(entry).text as usize..self.ends[entry].text as usize
    }

    fn str(&self, range: Range<usize>) -> &str {
        std::str::from_utf8(&self.text[range]).expect("only whole characters are pushed")
    }

    /// Texts of readable lines, trailing spaces left out.
    pub(super) fn texts(&self, lines: Range<usize>) -> impl Iterator<Item = &str> {
        let Range { start, end } = self.span(&lines);
        // Validated for all lines at once: checking UTF-8 line by line would take longer.
        let text = self.str(start..end);
        lines.map(move |index| {
            let line = self.text_range(self.dropped + index);
            &text[line.start - start..line.end - start]
        })
    }

    /// The byte range of the readable lines' text, in one piece.
    fn span(&self, lines: &Range<usize>) -> Range<usize> {
        if lines.is_empty() {
            return 0..0;
        }
        let [first, last] = [lines.start, lines.end - 1].map(|index| self.text_range(self.dropped + index));
        first.start..last.end
    }

    pub(super) fn append_text(&self, lines: Range<usize>, out: &mut String) {
        if lines.is_empty() {
            return;
        }
        let Range { start, end: last } = self.span(&lines);
        let end = if self.text.get(last) == Some(&b'\n') { last + 1 } else { last };
        out.push_str(self.str(start..end));
    }

    /// Readable line `index` with its looks.
    pub(super) fn line(&self, index: usize) -> Line {
        let entry = self.dropped + index;
        let mut line = Line::default();
        let mut text = self.str(self.text_range(entry));
        let mut runs = &self.runs[self.line_start(entry).runs as usize..self.ends[entry].runs as usize];
        while !runs.is_empty() {
            let head = varint::read(&mut runs);
            let (kind, cols) = (head & 7, head >> 3);
            let style = varint::read(&mut runs);
            let bytes = if kind == RunShape::Cluster as u32 || kind == RunShape::WideCluster as u32 {
                varint::read(&mut runs) as usize
            } else {
                let chars = if kind == RunShape::Wide as u32 { cols / 2 } else { cols };
                byte_len(text, chars as usize)
            };
            if kind == TAIL {
                self.push_run(&mut line, self.tail_shape(style), cols, style, None);
            } else {
                let (part, rest) = text.split_at(bytes);
                text = rest;
                self.push_run(&mut line, shape(kind), cols, style, Some(part));
            }
        }
        if let (Some(pending), true) = (self.pending, entry + 1 == self.ends.len()) {
            self.push_run(&mut line, pending.shape, pending.cols, pending.style, Some(text));
        }
        line
    }

    /// Erasing leaves at most a background colour: cells with another style were written.
    fn tail_shape(&self, style: u32) -> RunShape {
        let style = self.styles[style as usize];
        let erased = Style { background: style.background, ..Style::default() };
        if style == erased { RunShape::Blank } else { RunShape::Narrow }
    }

    fn push_run(&self, line: &mut Line, shape: RunShape, cols: u32, style: u32, text: Option<&str>) {
        let link = self.link_of(style).map(Arc::clone);
        let style = self.styles[style as usize];
        let before = line.text.len();
        match text {
            Some(text) => line.text.push_str(text),
            None => line.text.extend(std::iter::repeat_n(' ', cols as usize)),
        }
        let bytes = (line.text.len() - before) as u32;
        line.runs.push(StyleRun { cols, bytes, shape, style, link });
    }

    /// A child may give each cell its own link: reading a page full of them must still be fast.
    fn link_of(&self, style: u32) -> Option<&SharedLink> {
        let at = self.links.binary_search_by_key(&style, |(index, _)| *index).ok()?;
        Some(&self.links[at].1)
    }

    /// Removes and returns the newest line.
    pub(super) fn pop_line(&mut self) -> Line {
        let line = self.line(self.len() - 1);
        self.pending = None;
        let start = self.line_start(self.ends.len() - 1);
        self.text.truncate(start.text as usize);
        self.runs.truncate(start.runs as usize);
        self.ends.pop();
        line
    }
}

fn shape(kind: u32) -> RunShape {
    [RunShape::Narrow, RunShape::Wide, RunShape::Cluster, RunShape::WideCluster, RunShape::Blank]
        .into_iter()
        .find(|&shape| shape as u32 == kind)
        .unwrap_or(RunShape::Blank)
}

/// Bytes of the first `chars` characters.
fn byte_len(text: &str, chars: usize) -> usize {
    if let Some(head) = text.as_bytes().get(..chars)
        && head.is_ascii()
    {
        return chars;
    }
    text.char_indices().nth(chars).map_or(text.len(), |(index, _)| index)
}

#[inline]
fn push_char(text: &mut Vec<u8>, c: char) {
    text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}
