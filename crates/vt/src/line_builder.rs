//! Builds lines from runs, for clients that receive a screen over a wire and draw it themselves.

use std::{collections::HashMap, num::NonZeroU32, sync::Arc};

use crate::{
    geometry::Size,
    line::{Line, RunShape, StyleRun},
    style::{LinkId, LinkTarget, Style},
};

/// Builds the lines of one screen: equal targets share one link in all of them.
#[derive(Debug, Default)]
pub struct LineBuilder {
    line: Line,
    links: HashMap<String, Arc<LinkTarget>>,
}

/// Targets remembered; a screen that has more starts over.
const MAX_LINKS: usize = 4096;

impl LineBuilder {
    pub fn new() -> Self {
        LineBuilder::default()
    }

    /// Appends a run. A run whose text does not fit its shape and columns becomes blank, so that any input gives a full
    /// screen. Columns beyond a screen's maximum are dropped.
    pub fn push(&mut self, text: &str, cols: u32, shape: RunShape, style: Style, target: &str) {
        let room = u32::from(Size::MAX.cols).saturating_sub(self.line.cols());
        let cols = cols.min(room);
        if cols == 0 {
            return;
        }
        let chars = || text.chars().count() as u64;
        let fits = !text.contains(char::is_control)
            && match shape {
                RunShape::Narrow => chars() == u64::from(cols),
                RunShape::Wide => chars() * 2 == u64::from(cols),
                RunShape::Cluster => cols == 1 && !text.is_empty(),
                RunShape::WideCluster => cols == 2 && !text.is_empty(),
                RunShape::Blank => false,
            };
        let before = self.line.text.len();
        let shape = if fits { shape } else { RunShape::Blank };
        match fits {
            true => self.line.text.push_str(text),
            false => self.line.text.extend(std::iter::repeat_n(' ', cols as usize)),
        }
        let link = self.link(target);
        let style = Style { link: link.as_ref().map(|link| link.key), ..style };
        let bytes = (self.line.text.len() - before) as u32;
        self.line.runs.push(StyleRun { cols, bytes, shape, style, link });
    }

    /// Takes the line built so far and starts the next one.
    pub fn finish(&mut self, wrapped: bool) -> Line {
        Line { wrapped, ..std::mem::take(&mut self.line) }
    }

    fn link(&mut self, target: &str) -> Option<Arc<LinkTarget>> {
        if target.is_empty() || target.contains(char::is_control) {
            return None;
        }
        if self.links.len() >= MAX_LINKS && !self.links.contains_key(target) {
            self.links.clear();
        }
        let key = LinkId(NonZeroU32::MIN.saturating_add(self.links.len() as u32));
        let new = || Arc::new(LinkTarget { id: String::new(), uri: target.to_owned(), key });
        Some(Arc::clone(self.links.entry(target.to_owned()).or_insert_with(new)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Terminal, TerminalOptions};

    #[test]
    fn a_line_taken_apart_and_put_together_is_equal() {
        let mut terminal = Terminal::new(TerminalOptions::default());
        terminal.feed("a\x1b[31mb漢字e\u{301}❤\u{fe0f}\x1b[44m\x1b[4X\x1b[3C\x1b[m end".as_bytes());
        let line = terminal.frame().rows[0].clone();
        let mut builder = LineBuilder::new();
        let mut rest = line.text();
        for run in line.runs() {
            let (text, after) = rest.split_at(run.bytes as usize);
            rest = after;
            builder.push(text, run.cols, run.shape, run.style, "");
        }
        assert_eq!(builder.finish(false), *line);
        assert_eq!(builder.finish(false), Line::default());
    }

    #[test]
    fn what_does_not_fit_is_blank() {
        let mut builder = LineBuilder::new();
        let mut shown = |text: &str, cols, shape| {
            builder.push(text, cols, shape, Style::default(), "");
            builder.finish(false).text().to_owned()
        };
        assert_eq!(shown("abc", 2, RunShape::Narrow), "  ");
        assert_eq!(shown("a\x1b", 2, RunShape::Narrow), "  ");
        assert_eq!(shown("漢", 1, RunShape::Wide), " ");
        assert_eq!(shown("", 1, RunShape::Cluster), " ");
        assert_eq!(shown("x", 0, RunShape::Narrow), "");
        assert_eq!(shown("", u32::MAX, RunShape::Blank).len(), usize::from(Size::MAX.cols));
    }

    #[test]
    fn equal_targets_are_one_link() {
        let mut builder = LineBuilder::new();
        builder.push("a", 1, RunShape::Narrow, Style::default(), "http://x/");
        builder.push("b", 1, RunShape::Narrow, Style::default(), "http://y/");
        let first = builder.finish(false);
        builder.push("c", 1, RunShape::Narrow, Style::default(), "http://x/");
        let second = builder.finish(true);
        assert_eq!(first.runs()[0].link, second.runs()[0].link);
        assert_ne!(first.runs()[0].style.link, first.runs()[1].style.link);
    }
}
