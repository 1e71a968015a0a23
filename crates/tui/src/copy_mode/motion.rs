//! Where vi's motions go.

use super::SearchDirection;
use crate::{
    document::{Document, Point},
    selection::{Class, class},
};

pub(super) fn left(document: &Document, at: Point) -> Point {
    let before = document.cell_at(at).0.start;
    match before.checked_sub(1) {
        Some(col) => Point { col: document.cell_at(Point { col, ..at }).0.start, ..at },
        None => Point { col: 0, ..at },
    }
}

pub(super) fn right(document: &Document, at: Point) -> Point {
    Point { col: document.cell_at(at).0.end, ..at }
}

pub(super) fn first_text(document: &Document, at: Point) -> Point {
    let first = document.cells(at.row).find(|cell| class(cell.text) != Class::Blank);
    Point { col: first.map_or(0, |cell| cell.col), ..at }
}

/// Cells from `at` on (itself first), with their classes; an empty row is one blank.
fn forward(document: &Document, at: Point) -> impl Iterator<Item = (Point, Class)> {
    (at.row..document.len()).flat_map(move |row| {
        let from = if row == at.row { at.col } else { 0 };
        cells(document, row).into_iter().filter(move |(point, _)| point.col >= from)
    })
}

fn backward(document: &Document, at: Point) -> impl Iterator<Item = (Point, Class)> {
    (0..=at.row).rev().flat_map(move |row| {
        cells(document, row).into_iter().rev().filter(move |(point, _)| row < at.row || point.col <= at.col)
    })
}

fn cells(document: &Document, row: usize) -> Vec<(Point, Class)> {
    let mut cells: Vec<_> = document.cells(row).map(|cell| (Point { row, col: cell.col }, class(cell.text))).collect();
    // The end of a line parts words, unless the text runs on.
    if !document.runs_on(row) {
        let col = cells.last().map_or(0, |(point, _)| point.col + 1);
        cells.push((Point { row, col }, Class::Blank));
    }
    cells
}

pub(super) fn next_word(document: &Document, at: Point) -> Point {
    let mut last = None;
    for (point, kind) in forward(document, at) {
        if kind != Class::Blank && last.is_some_and(|last| last != kind) {
            return point;
        }
        last = Some(kind);
    }
    at
}

pub(super) fn word_end(document: &Document, at: Point) -> Point {
    let mut before: Option<(Point, Class)> = None;
    for (point, kind) in forward(document, at) {
        if let Some((end, last)) = before
            && last != Class::Blank
            && kind != last
            && end > at
        {
            return end;
        }
        before = Some((point, kind));
    }
    at
}

pub(super) fn word_start(document: &Document, at: Point) -> Point {
    let mut after: Option<(Point, Class)> = None;
    for (point, kind) in backward(document, at) {
        if let Some((start, last)) = after
            && last != Class::Blank
            && kind != last
            && start < at
        {
            return start;
        }
        after = Some((point, kind));
    }
    Point::default()
}

/// The next empty row.
pub(super) fn paragraph(document: &Document, at: Point, direction: SearchDirection) -> Point {
    let empty = |row: &usize| document.text_end(*row) == 0;
    let last = document.len().saturating_sub(1);
    let row = match direction {
        SearchDirection::Down => (at.row + 1..document.len()).find(empty).unwrap_or(last),
        SearchDirection::Up => (0..at.row).rev().find(empty).unwrap_or(0),
    };
    Point { row, col: 0 }
}
