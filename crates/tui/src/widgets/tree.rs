//! A tree with box-drawing connectors, given as a flat list with depths.

use vt::Position;

use super::wrap::cut;
use crate::{
    canvas::{Canvas, Span, text_cols},
    geometry::Rect,
    skin::{Role, Sign, Skin, layered},
};

/// Levels that are drawn as such; deeper ones stand at the last.
const MAX_DEPTH: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeItem {
    pub label: String,
    /// At the right edge, if there is room: a time, an exit code.
    pub detail: String,
    pub sign: Sign,
    /// 0 for roots.
    pub depth: usize,
    pub attention: bool,
}

/// The items from the top, with the one in focus and the one under the cursor.
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a> {
    pub items: &'a [TreeItem],
    /// What is shown in the main pane.
    pub focused: Option<usize>,
    /// Where arrows and Enter are, while the tree has the keyboard.
    pub cursor: Option<usize>,
}

impl Tree<'_> {
    /// The first item shown, so that the cursor, or else what is in focus, is in sight.
    pub fn top(&self, rows: u16) -> usize {
        let here = self.cursor.or(self.focused).unwrap_or(0).min(self.items.len().saturating_sub(1));
        (here + 1).saturating_sub(usize::from(rows))
    }

    pub fn hit(&self, area: Rect, at: Position) -> Option<usize> {
        let index = area.contains(at).then(|| self.top(area.rows) + usize::from(at.row - area.row))?;
        (index < self.items.len()).then_some(index)
    }

    /// What stands before each item: three columns for each level.
    fn connectors(&self, skin: &Skin) -> Vec<String> {
        let [on, branch, last, none] = skin.glyphs.connectors();
        // From below: whether another item of that level follows under the same parent.
        let mut follows = [false; MAX_DEPTH + 1];
        let mut out: Vec<String> = Vec::with_capacity(self.items.len());
        for item in self.items.iter().rev() {
            let depth = item.depth.min(MAX_DEPTH);
            let mut text = String::new();
            for follow in &follows[1..depth.max(1)] {
                text.push_str(if *follow { on } else { none });
            }
            if depth > 0 {
                text.push_str(if follows[depth] { branch } else { last });
            }
            follows[depth] = true;
            follows[depth + 1..].fill(false);
            out.push(text);
        }
        out.reverse();
        out
    }

    pub fn draw(&self, canvas: &mut Canvas, area: Rect, skin: &Skin) {
        let connectors = self.connectors(skin);
        let top = self.top(area.rows);
        for row in 0..area.rows {
            let index = top + usize::from(row);
            let Some(item) = self.items.get(index) else {
                canvas.draw_line(area, row, &[], skin.style(Role::Text));
                continue;
            };
            let ground = skin.style(if self.cursor == Some(index) { Role::Cursor } else { Role::Text });
            let over = |role| layered(ground, skin.style(role));
            let mark = match (item.depth, self.focused == Some(index)) {
                (0, _) => format!("{} ", skin.glyphs.root()),
                _ => String::new(),
            };
            let sign = format!("{} ", skin.glyphs.sign(item.sign));
            let used = text_cols(&connectors[index]) + text_cols(&mark) + text_cols(&sign);
            let room = usize::from(area.cols).saturating_sub(used);
            let detail_cols = text_cols(&item.detail) + 1;
            let detail = if item.detail.is_empty() || detail_cols + 4 > room { "" } else { &item.detail };
            let label_room = if detail.is_empty() { room } else { room - detail_cols };
            let label = cut(&item.label, label_room, skin.glyphs.more());
            let gap = if detail.is_empty() { 0 } else { room - text_cols(&label) - detail_cols + 1 };
            let name = match (item.attention, self.focused == Some(index)) {
                (true, _) => over(Role::Warning),
                (_, true) => over(Role::TabActive),
                _ => ground,
            };
            canvas.draw_line(
                area,
                row,
                &[
                    Span::new(connectors[index].as_str(), over(Role::Border)),
                    Span::new(mark, over(Role::Accent)),
                    Span::new(sign, layered(ground, skin.sign_style(item.sign))),
                    Span::new(label, name),
                    Span::new(" ".repeat(gap), ground),
                    Span::new(detail, over(Role::Muted)),
                ],
                ground,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use vt::Size;

    use super::*;

    fn item(label: &str, depth: usize) -> TreeItem {
        TreeItem { label: label.into(), detail: "3m".into(), sign: Sign::Working, depth, attention: false }
    }

    #[test]
    fn connectors_follow_the_depths() {
        let items =
            [item("root", 0), item("a", 1), item("b", 2), item("c", 2), item("d", 1), item("e", 2), item("other", 0)];
        let tree = Tree { items: &items, focused: Some(1), cursor: None };
        let mut canvas = Canvas::new(Size::new(18, 8));
        tree.draw(&mut canvas, Rect::new(0, 0, 18, 8), &Skin::default());
        let shown = canvas.text();
        let left: Vec<&str> = shown.lines().map(|line| line.trim_end_matches("3m").trim_end()).collect();
        let expected = ["▶ ● root", "├─ ● a", "│  ├─ ● b", "│  └─ ● c", "└─ ● d", "   └─ ● e", "▶ ● other", ""];
        assert_eq!(left, expected);
        assert!(shown.lines().take(7).all(|line| line.chars().count() == 18 && line.ends_with(" 3m")), "{shown}");
    }

    #[test]
    fn it_scrolls_to_the_cursor_and_can_be_hit() {
        let items: Vec<TreeItem> = (0..20).map(|number| item(&format!("n{number}"), usize::from(number > 0))).collect();
        let tree = Tree { items: &items, focused: Some(0), cursor: Some(10) };
        let area = Rect::new(0, 2, 12, 4);
        assert_eq!(tree.hit(area, Position { row: 2, col: 3 }), Some(7));
        assert_eq!(tree.hit(area, Position { row: 5, col: 3 }), Some(10));
        assert_eq!(tree.hit(area, Position { row: 6, col: 3 }), None);
        let mut canvas = Canvas::new(Size::new(3, 4));
        tree.draw(&mut canvas, Rect::new(0, 0, 3, 4), &Skin::default());
        let deep = [item("x", usize::MAX)];
        Tree { items: &deep, focused: None, cursor: None }.draw(&mut canvas, Rect::new(0, 0, 3, 4), &Skin::default());
    }
}
