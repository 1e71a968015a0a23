//! Renders Markdown as styled lines: headings, lists, quotes, code, tables as text, clickable links.

use std::sync::Arc;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use vt::{Attributes, Style};

use super::{StyledLine, wrap::wrap_spans};
use crate::{
    canvas::{CellLink, Span},
    skin::{Skin, SkinRole, layered},
};

/// Maximum bytes rendered: this is a preview, not a reader.
const MAX_BYTES: usize = 256 << 10;
/// Maximum bytes of a link's target.
const MAX_TARGET: usize = 2048;

/// Renders `text` for a width of `cols`.
pub fn render_markdown(text: &str, cols: u16, skin: &Skin) -> Vec<StyledLine> {
    let mut end = text.len().min(MAX_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut renderer = MarkdownRenderer {
        cols: usize::from(cols.max(8)),
        skin,
        lines: Vec::new(),
        line: Vec::new(),
        styles: vec![skin.style(SkinRole::Text)],
        link: None,
        lists: Vec::new(),
        quotes: 0,
        code: false,
        marker: None,
    };
    let options = Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS | Options::ENABLE_TABLES;
    for event in Parser::new_ext(&text[..end], options) {
        renderer.event(event);
    }
    renderer.end_line();
    while renderer.lines.last().is_some_and(Vec::is_empty) {
        renderer.lines.pop();
    }
    renderer.lines
}

struct MarkdownRenderer<'a> {
    cols: usize,
    skin: &'a Skin,
    lines: Vec<StyledLine>,
    line: StyledLine,
    styles: Vec<Style>,
    link: Option<Arc<CellLink>>,
    /// The next number of each open list; `None` for bullets.
    lists: Vec<Option<u64>>,
    quotes: usize,
    code: bool,
    /// The bullet or number of the item that begins.
    marker: Option<String>,
}

impl MarkdownRenderer<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.code => {
                for line in text.lines() {
                    self.push(line);
                    self.end_line();
                }
            }
            Event::Text(text) => self.push(&text),
            Event::Code(code) => self.styled(SkinRole::Code, |renderer| renderer.push(&code)),
            // HTML is shown as source: a preview does not guess how it would be rendered.
            Event::Html(html) | Event::InlineHtml(html) => {
                self.styled(SkinRole::Muted, |renderer| renderer.push(&html))
            }
            Event::SoftBreak => self.push(" "),
            Event::HardBreak => self.end_line(),
            Event::Rule => {
                self.end_line();
                let rule = self.skin.glyphs.box_lines().horizontal.to_string().repeat(self.cols.min(40));
                self.styled(SkinRole::Border, |renderer| renderer.push(&rule));
                self.end_block();
            }
            Event::TaskListMarker(done) => self.push(if done { "[x] " } else { "[ ] " }),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let inherited = *self.styles.last().expect("the first style is never taken off");
        let over = |style| layered(inherited, style);
        let attribute = |attributes| Style { attributes, ..Style::default() };
        match tag {
            Tag::Heading { level, .. } => {
                self.end_line();
                let mark = match level {
                    HeadingLevel::H1 => "# ",
                    HeadingLevel::H2 => "## ",
                    _ => "### ",
                };
                self.styled(SkinRole::Muted, |renderer| renderer.push(mark));
                self.styles.push(over(self.skin.style(SkinRole::Heading)));
            }
            Tag::Emphasis => self.styles.push(over(attribute(Attributes::ITALIC))),
            Tag::Strong => self.styles.push(over(attribute(Attributes::BOLD))),
            Tag::Strikethrough => self.styles.push(over(attribute(Attributes::STRIKE))),
            Tag::Link { dest_url, .. } => {
                let uri: String = dest_url.chars().filter(|c| !c.is_control()).take(MAX_TARGET).collect();
                self.link = Some(Arc::new(CellLink { id: String::new(), uri }));
                self.styles.push(over(self.skin.style(SkinRole::Link)));
            }
            Tag::CodeBlock(_) => {
                self.end_line();
                self.code = true;
                self.styles.push(over(self.skin.style(SkinRole::Code)));
            }
            Tag::List(first) => {
                self.end_line();
                self.lists.push(first);
            }
            Tag::Item => {
                self.end_line();
                self.marker = Some(match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => format!("{} ", self.skin.glyphs.bullet()),
                });
            }
            Tag::BlockQuote(_) => {
                self.end_line();
                self.quotes += 1;
                self.styles.push(over(self.skin.style(SkinRole::Muted)));
            }
            Tag::TableCell => self.push(" "),
            Tag::TableRow | Tag::TableHead => {
                self.end_line();
                let line = self.skin.glyphs.box_lines().vertical;
                self.push(&line.to_string());
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.styles.pop();
                self.end_block();
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link => {
                self.styles.pop();
                self.link = None;
            }
            TagEnd::CodeBlock => {
                self.styles.pop();
                self.code = false;
                self.end_block();
            }
            TagEnd::List(_) => {
                self.lists.pop();
                if self.lists.is_empty() {
                    self.end_block();
                }
            }
            TagEnd::BlockQuote(_) => {
                self.end_line();
                self.quotes -= 1;
                self.styles.pop();
                self.end_block();
            }
            TagEnd::Item => self.end_line(),
            TagEnd::Paragraph if self.lists.is_empty() => self.end_block(),
            TagEnd::Paragraph | TagEnd::TableRow | TagEnd::TableHead => self.end_line(),
            TagEnd::TableCell => {
                let line = self.skin.glyphs.box_lines().vertical;
                self.push(&format!(" {line}"));
            }
            TagEnd::Table => self.end_block(),
            _ => {}
        }
    }

    fn push(&mut self, text: &str) {
        let style = *self.styles.last().expect("the first style is never taken off");
        self.line.push(Span { text: text.to_owned().into(), style, link: self.link.clone() });
    }

    fn styled(&mut self, role: SkinRole, draw: impl FnOnce(&mut Self)) {
        let style = layered(*self.styles.last().expect("the first style is never taken off"), self.skin.style(role));
        self.styles.push(style);
        draw(self);
        self.styles.pop();
    }

    /// Wraps the current line and appends it, with its indentation.
    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() && !self.code {
            return;
        }
        let muted = self.skin.style(SkinRole::Muted);
        let bar = self.skin.glyphs.box_lines().vertical;
        let mut before = format!("{bar} ").repeat(self.quotes.min(8));
        before.push_str(&"  ".repeat(self.lists.len().saturating_sub(1).min(8)));
        let hanging = if self.lists.is_empty() { 0 } else { 2 };
        let marker = self.marker.take().unwrap_or_else(|| " ".repeat(hanging));
        let first = format!("{before}{marker}");
        let indent = crate::canvas::text_cols(&first).min(self.cols / 2);
        let mut spans = vec![Span::new(first, muted)];
        spans.extend(line);
        if self.code {
            // Code is cut at the edge, not wrapped.
            self.lines.push(spans);
        } else {
            self.lines.extend(wrap_spans(&spans, self.cols, indent));
        }
    }

    fn end_block(&mut self) {
        self.end_line();
        if self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(Vec::new());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, cols: u16) -> Vec<String> {
        let lines = render_markdown(text, cols, &Skin::default());
        lines
            .iter()
            .map(|line| line.iter().map(|span| span.text.as_ref()).collect::<String>().trim_end().into())
            .collect()
    }

    #[test]
    fn blocks_are_told_apart() {
        let text = "# Plan\n\nSome *text* that is long enough to wrap.\n\n- one\n- two\n  - deep\n\n1. first\n2. second\n\n> quoted\n\n```rust\nlet x = 1;\n```\n";
        assert_eq!(
            shown(text, 24),
            [
                "# Plan",
                "",
                "Some text that is long",
                "enough to wrap.",
                "",
                "• one",
                "• two",
                "  • deep",
                "",
                "1. first",
                "2. second",
                "",
                "│ quoted",
                "",
                "let x = 1;"
            ]
        );
    }

    #[test]
    fn looks_and_links_come_through() {
        let skin = Skin::default();
        let lines = render_markdown("**b** `c` [l](http://x/)", 40, &skin);
        let find = |text: &str| lines[0].iter().find(|span| span.text == text).unwrap();
        assert!(find("b").style.attributes.contains(Attributes::BOLD));
        assert_eq!(find("c").style, skin.style(SkinRole::Code));
        assert_eq!(find("l").link.as_ref().unwrap().uri, "http://x/");
    }

    #[test]
    fn hostile_text_is_bounded() {
        shown(&"> ".repeat(20_000), 20);
        shown(&"- ".repeat(20_000), 20);
        shown(&"[".repeat(50_000), 20);
        assert!(render_markdown(&"word ".repeat(200_000), 40, &Skin::default()).len() < 8_000);
        shown("| a | b |\n|---|---|\n| 1 | 2 |", 5);
    }
}
