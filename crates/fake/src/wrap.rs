//! Wraps text into rows. Widths are measured by `vt`, since it most likely shows the text.

use vt::{Size, Terminal, TerminalOptions};

/// Characters measured at once. A cluster cut here may be measured a cell too wide, which does not matter on a fake's
/// screen.
const CHUNK: usize = 500;

/// A cluster and its width in cells.
type Cell = (String, usize);

fn cells(text: &str) -> Vec<Cell> {
    if text.is_ascii() {
        return text.chars().map(|c| (c.to_string(), 1)).collect();
    }
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(CHUNK).flat_map(measured).collect()
}

fn measured(characters: &[char]) -> Vec<Cell> {
    let text: String = characters.iter().collect();
    // Wide enough for wide characters only.
    let size = Size::new((2 * CHUNK) as u16 + 2, 1);
    let mut terminal =
        Terminal::new(TerminalOptions { size, history_lines: 0, history_bytes: 0, ..TerminalOptions::default() });
    terminal.feed(text.as_bytes());
    let frame = terminal.frame();
    frame.rows.iter().flat_map(|row| row.cells()).map(|cell| (cell.text.to_owned(), cell.width as usize)).collect()
}

pub(crate) fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { cells(text).iter().map(|(_, width)| width).sum() }
}

/// The longest prefix that fits.
pub(crate) fn cut(text: &str, cols: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for (cluster, width) in cells(text) {
        used += width;
        if used > cols {
            break;
        }
        out.push_str(&cluster);
    }
    out
}

/// Rows of at most `cols` cells, broken at spaces where possible. Line breaks stay, empty lines too; there is always at
/// least one row. Control characters are dropped, so that text can't act on the terminal.
pub(crate) fn wrap(text: &str, cols: usize) -> Vec<String> {
    let cols = cols.max(2);
    text.split('\n').flat_map(|line| wrap_line(line, cols)).collect()
}

fn wrap_line(line: &str, cols: usize) -> Vec<String> {
    let clean: String = line.replace('\t', "    ").chars().filter(|c| !c.is_control()).collect();
    if clean.is_ascii() && clean.len() <= cols {
        return vec![clean];
    }
    let mut rows = Vec::new();
    let mut row: Vec<Cell> = Vec::new();
    let mut used = 0;
    for cell in cells(&clean) {
        if used + cell.1 > cols {
            let rest = match row.iter().rposition(|(cluster, _)| cluster == " ") {
                // The space at a break is dropped.
                Some(space) if cell.0 != " " => row.split_off(space + 1),
                _ => Vec::new(),
            };
            rows.push(joined(&row));
            used = rest.iter().map(|(_, width)| width).sum();
            row = rest;
            if row.is_empty() && cell.0 == " " {
                continue;
            }
        }
        used += cell.1;
        row.push(cell);
    }
    rows.push(joined(&row));
    rows
}

fn joined(row: &[Cell]) -> String {
    let text: String = row.iter().map(|(cluster, _)| cluster.as_str()).collect();
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_kept_whole_where_they_fit() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("one two", 7), ["one two"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("a\n\nb", 4), ["a", "", "b"]);
        assert_eq!(wrap("", 4), [""]);
    }

    #[test]
    fn wide_characters_take_two_cells() {
        assert_eq!(width("漢字a"), 5);
        assert_eq!(wrap("漢字漢字", 5), ["漢字", "漢字"]);
        assert_eq!(cut("漢字", 3), "漢");
        assert_eq!(width(&"漢".repeat(1200)), 2400);
    }

    #[test]
    fn controls_never_get_through() {
        assert_eq!(wrap("a\x1b[2Jb\u{9b}c\td", 20), ["a[2Jbc    d"]);
    }
}
