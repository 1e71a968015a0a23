//! Search in a document, across wrapped rows.

use regex::RegexBuilder;
use vt::Style;

use super::SearchDirection;
use crate::{
    document::{Document, DocumentPoint},
    pane::PaneMark,
};

/// Maximum matches kept; nobody steps through more.
const MAX_MATCHES: usize = 10_000;
/// Maximum bytes of a pattern, and of its compiled form.
const MAX_PATTERN: usize = 4 << 10;
const MAX_COMPILED: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FoundMatch {
    start: DocumentPoint,
    /// The end of the last cell, in its row.
    end: DocumentPoint,
}

/// The regular expression for a plain text: case counts only if there is an upper-case letter in it.
pub fn plain_text_pattern(text: &str) -> String {
    let case = if text.chars().any(char::is_uppercase) { "" } else { "(?i)" };
    format!("{case}{}", regex::escape(text))
}

/// All matches of one pattern, from the top.
#[derive(Clone, Debug)]
pub(super) struct DocumentSearch {
    pattern: String,
    direction: SearchDirection,
    matches: Vec<FoundMatch>,
    current: Option<usize>,
}

impl DocumentSearch {
    /// Searches another text for the same pattern.
    pub(super) fn again(&self, document: &Document) -> Self {
        DocumentSearch::new(document, &self.pattern, self.direction)
    }

    /// The pattern is a regular expression, or literal text if it does not compile. It is case-sensitive only if it has
    /// an upper-case letter.
    pub(super) fn new(document: &Document, pattern: &str, direction: SearchDirection) -> Self {
        let mut end = pattern.len().min(MAX_PATTERN);
        while !pattern.is_char_boundary(end) {
            end -= 1;
        }
        let pattern = &pattern[..end];
        let build = |pattern: &str| {
            RegexBuilder::new(pattern)
                .case_insensitive(!pattern.chars().any(char::is_uppercase))
                .size_limit(MAX_COMPILED)
                .build()
        };
        let mut search = DocumentSearch { pattern: pattern.to_owned(), direction, matches: Vec::new(), current: None };
        let Ok(regex) = build(pattern).or_else(|_| build(&regex::escape(pattern))) else { return search };
        let mut row = 0;
        let mut text = String::new();
        // Where each cell begins in the text, and its columns.
        let mut places: Vec<(usize, DocumentPoint, u32)> = Vec::new();
        while row < document.len() && search.matches.len() < MAX_MATCHES {
            let rows = document.line_of(row);
            text.clear();
            places.clear();
            for row in rows.clone() {
                for cell in document.cells(row) {
                    places.push((text.len(), DocumentPoint { row, col: cell.col }, cell.width));
                    text.push_str(cell.text);
                }
            }
            let found = regex.find_iter(&text).filter(|found| !found.is_empty()).map(|found| {
                let cell_of = |byte| places.partition_point(|&(start, _, _)| start <= byte) - 1;
                let (_, start, _) = places[cell_of(found.start())];
                let (_, last, width) = places[cell_of(found.end() - 1)];
                FoundMatch { start, end: DocumentPoint { col: last.col + width, ..last } }
            });
            search.matches.extend(found.take(MAX_MATCHES));
            row = rows.end;
        }
        search.matches.truncate(MAX_MATCHES);
        search
    }

    /// The next match from `at`, and whether the search wrapped around.
    pub(super) fn next(&mut self, at: DocumentPoint, reverse: bool) -> Option<(DocumentPoint, bool)> {
        let down = (self.direction == SearchDirection::Down) != reverse;
        let (index, around) = match down {
            true => {
                let next = self.matches.partition_point(|found| found.start <= at);
                if next < self.matches.len() { (next, false) } else { (0, true) }
            }
            false => match self.matches.partition_point(|found| found.start < at) {
                0 => (self.matches.len().checked_sub(1)?, true),
                before => (before - 1, false),
            },
        };
        let start = self.matches.get(index)?.start;
        self.current = Some(index);
        Some((start, around))
    }

    /// The first match at or behind `at`.
    pub(super) fn first_from(&mut self, at: DocumentPoint) -> Option<DocumentPoint> {
        let index = self.matches.partition_point(|found| found.start < at);
        let start = self.matches.get(index)?.start;
        self.current = Some(index);
        Some(start)
    }

    pub(super) fn status(&self) -> String {
        match (self.current, self.matches.len()) {
            (_, 0) => "nothing found".to_owned(),
            (Some(current), count) => format!("match {} of {count}", current + 1),
            (None, count) => format!("{count} matches"),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "where, and how it looks: a struct would be used here only")]
    pub(super) fn marks(
        &self,
        document: &Document,
        top: usize,
        rows: u16,
        cursor: DocumentPoint,
        all: Style,
        here: Style,
        marks: &mut Vec<PaneMark>,
    ) {
        let bottom = top + usize::from(rows);
        let first = self.matches.partition_point(|found| found.end.row < top);
        for found in self.matches[first..].iter().take_while(|found| found.start.row < bottom) {
            let style = if found.start == cursor { here } else { all };
            for row in found.start.row.max(top)..=found.end.row.min(bottom - 1) {
                let from = if row == found.start.row { found.start.col } else { 0 };
                let to = if row == found.end.row { found.end.col } else { u32::from(document.cols()) };
                marks.push(PaneMark { row: (row - top) as u16, cols: from..to, style });
            }
        }
    }
}
