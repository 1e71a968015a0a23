//! The targets of vi's motions.

use super::SearchDirection;
use crate::{
    document::{Document, DocumentPoint},
    selection::{CharClass, class},
};

pub(super) fn left(document: &Document, at: DocumentPoint) -> DocumentPoint {
    let before = document.cell_at(at).0.start;
    match before.checked_sub(1) {
        Some(col) => DocumentPoint { col: document.cell_at(DocumentPoint { col, ..at }).0.start, ..at },
        None => DocumentPoint { col: 0, ..at },
    }
}

pub(super) fn right(document: &Document, at: DocumentPoint) -> DocumentPoint {
    DocumentPoint { col: document.cell_at(at).0.end, ..at }
}

pub(super) fn first_text(document: &Document, at: DocumentPoint) -> DocumentPoint {
    let first = document.cells(at.row).find(|cell| class(cell.text) != CharClass::Blank);
    DocumentPoint { col: first.map_or(0, |cell| cell.col), ..at }
}

/// The cells from `at` on (included), with their classes; an empty row counts as one blank.
fn forward(document: &Document, at: DocumentPoint) -> impl Iterator<Item = (DocumentPoint, CharClass)> {
    (at.row..document.len()).flat_map(move |row| {
        let from = if row == at.row { at.col } else { 0 };
        cells(document, row).into_iter().filter(move |(point, _)| point.col >= from)
    })
}

fn backward(document: &Document, at: DocumentPoint) -> impl Iterator<Item = (DocumentPoint, CharClass)> {
    (0..=at.row).rev().flat_map(move |row| {
        cells(document, row).into_iter().rev().filter(move |(point, _)| row < at.row || point.col <= at.col)
    })
}

fn cells(document: &Document, row: usize) -> Vec<(DocumentPoint, CharClass)> {
    let mut cells: Vec<_> =
        document.cells(row).map(|cell| (DocumentPoint { row, col: cell.col }, class(cell.text))).collect();
    // The end of a row separates words, unless the text continues in the next row.
    if !document.runs_on(row) {
        let col = cells.last().map_or(0, |(point, _)| point.col + 1);
        cells.push((DocumentPoint { row, col }, CharClass::Blank));
    }
    cells
}

pub(super) fn next_word(document: &Document, at: DocumentPoint) -> DocumentPoint {
    let mut last = None;
    for (point, kind) in forward(document, at) {
        if kind != CharClass::Blank && last.is_some_and(|last| last != kind) {
            return point;
        }
        last = Some(kind);
    }
    at
}

pub(super) fn word_end(document: &Document, at: DocumentPoint) -> DocumentPoint {
    let mut before: Option<(DocumentPoint, CharClass)> = None;
    for (point, kind) in forward(document, at) {
        if let Some((end, last)) = before
            && last != CharClass::Blank
            && kind != last
            && end > at
        {
            return end;
        }
        before = Some((point, kind));
    }
    at
}

pub(super) fn word_start(document: &Document, at: DocumentPoint) -> DocumentPoint {
    let mut after: Option<(DocumentPoint, CharClass)> = None;
    for (point, kind) in backward(document, at) {
        if let Some((start, last)) = after
            && last != CharClass::Blank
            && kind != last
            && start < at
        {
            return start;
        }
        after = Some((point, kind));
    }
    DocumentPoint::default()
}

/// The next empty row.
pub(super) fn paragraph(document: &Document, at: DocumentPoint, direction: SearchDirection) -> DocumentPoint {
    let empty = |row: &usize| document.text_end(*row) == 0;
    let last = document.len().saturating_sub(1);
    let row = match direction {
        SearchDirection::Down => (at.row + 1..document.len()).find(empty).unwrap_or(last),
        SearchDirection::Up => (0..at.row).rev().find(empty).unwrap_or(0),
    };
    DocumentPoint { row, col: 0 }
}
