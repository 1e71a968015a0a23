//! Fits text into a width: by wrapping at words, or by cutting.

use vt::{Style, clusters};

use super::StyledLine;
use crate::canvas::{Span, text_cols};

/// Wraps a line at blanks where possible, to at most `cols` columns. All lines but the first are indented by `indent`.
pub fn wrap_spans(spans: &[Span<'_>], cols: usize, indent: usize) -> Vec<StyledLine> {
    let indent = if indent + 4 > cols { 0 } else { indent };
    let mut wrapper = Wrapper { cols: cols.max(1), indent, lines: vec![Vec::new()], used: 0 };
    for span in spans {
        let mut rest = span.text.as_ref();
        while !rest.is_empty() {
            let blanks = rest.len() - rest.trim_start_matches(' ').len();
            let end = if blanks > 0 { blanks } else { rest.find(' ').unwrap_or(rest.len()) };
            let (piece, after) = rest.split_at(end);
            wrapper.add(piece, blanks > 0, span);
            rest = after;
        }
    }
    wrapper.lines
}

struct Wrapper {
    cols: usize,
    indent: usize,
    lines: Vec<StyledLine>,
    used: usize,
}

impl Wrapper {
    fn add(&mut self, piece: &str, blank: bool, like: &Span<'_>) {
        let width = text_cols(piece);
        if self.used + width <= self.cols {
            return self.append(piece, width, like);
        }
        if blank {
            // Blanks at a break are dropped.
            return self.break_line();
        }
        if self.used > self.indent && width <= self.cols - self.indent {
            self.break_line();
            return self.append(piece, width, like);
        }
        // Paths break after a slash, if that helps.
        if piece.trim_end_matches('/').contains('/') {
            return piece.split_inclusive('/').for_each(|part| self.add(part, false, like));
        }
        for cluster in clusters(piece) {
            let width = text_cols(cluster.text);
            if self.used + width > self.cols && self.used > self.indent {
                self.break_line();
            }
            self.append(cluster.text, width, like);
        }
    }

    fn append(&mut self, text: &str, width: usize, like: &Span<'_>) {
        self.used += width;
        let line = self.lines.last_mut().expect("there is always a line");
        match line.last_mut() {
            Some(last) if last.style == like.style && last.link == like.link => last.text.to_mut().push_str(text),
            _ => line.push(Span { text: text.to_owned().into(), style: like.style, link: like.link.clone() }),
        }
    }

    fn break_line(&mut self) {
        self.lines.push(match self.indent {
            0 => Vec::new(),
            indent => vec![Span::new(" ".repeat(indent), Style::default())],
        });
        self.used = self.indent;
    }
}

/// `text` in at most `cols` columns, ending in `more` if something was cut.
pub fn cut(text: &str, cols: usize, more: char) -> String {
    if text_cols(text) <= cols {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for cluster in clusters(text) {
        let width = text_cols(cluster.text);
        if used + width + 1 > cols {
            break;
        }
        out.push_str(cluster.text);
        used += width;
    }
    if cols > 0 {
        out.push(more);
    }
    out
}

/// `text` in at most `cols` columns, with `more` in its middle if something was cut: names that start alike differ at
/// their ends.
pub fn cut_middle(text: &str, cols: usize, more: char) -> String {
    if text_cols(text) <= cols || cols < 5 {
        return cut(text, cols, more);
    }
    let tail_cols = (cols - 1) / 2;
    let head = cut(text, cols - tail_cols, more);
    let mut tail = Vec::new();
    let mut used = 0;
    for cluster in clusters(text).collect::<Vec<_>>().into_iter().rev() {
        used += text_cols(cluster.text);
        if used > tail_cols {
            break;
        }
        tail.push(cluster.text);
    }
    head + &tail.into_iter().rev().collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, cols: usize, indent: usize) -> Vec<String> {
        let lines = wrap_spans(&[Span::new(text, Style::default())], cols, indent);
        lines.iter().map(|line| line.iter().map(|span| span.text.as_ref()).collect()).collect()
    }

    #[test]
    fn words_stay_whole_where_they_can() {
        assert_eq!(wrapped("one two three", 8, 0), ["one two ", "three"]);
        assert_eq!(wrapped("- one two three", 9, 2), ["- one two", "  three"]);
        assert_eq!(wrapped("漢字漢字", 5, 0), ["漢字", "漢字"]);
        assert_eq!(wrapped("abcdefgh", 3, 0), ["abc", "def", "gh"]);
        assert_eq!(wrapped("see /one/two/three", 10, 0), ["see /one/", "two/three"]);
        assert_eq!(wrapped("", 3, 0), [""]);
        assert_eq!(wrapped("漢", 1, 0), ["漢"]);
    }

    #[test]
    fn a_cut_says_so() {
        assert_eq!(cut("abc", 3, '…'), "abc");
        assert_eq!(cut("abcd", 3, '…'), "ab…");
        assert_eq!(cut("漢字漢", 4, '…'), "漢…");
        assert_eq!(cut("abcd", 0, '…'), "");
    }

    #[test]
    fn names_that_begin_alike_are_told_apart_by_their_ends() {
        assert_eq!(cut_middle("worker-with-a-long-name-7", 12, '…'), "worker…ame-7");
        assert_eq!(cut_middle("abc", 3, '…'), "abc");
        assert_eq!(cut_middle("abcdef", 4, '…'), "abc…");
        assert_eq!(cut_middle("漢字漢字漢字", 8, '…'), "漢字…字");
        for cols in 0..30 {
            assert!(text_cols(&cut_middle("漢a-very-long 漢字 name", cols, '…')) <= cols, "{cols}");
        }
    }
}
