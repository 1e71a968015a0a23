//! A tree with box-drawing connectors, given as a flat list with depths.

use std::ops::Range;

use vt::Position;

use super::wrap::{cut, cut_middle};
use crate::{
    canvas::{Canvas, Span, text_cols},
    geometry::Rect,
    skin::{Sign, Skin, SkinRole, layered},
};

/// Maximum levels drawn; deeper items are drawn at this level.
const MAX_DEPTH: usize = 16;
/// Columns of a sign and the blank behind it.
const SIGN_COLS: usize = 2;
/// Columns of a label that a state in words does not take.
const LABEL_KEEPS: usize = 12;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeItem {
    pub label: String,
    /// Shown at the right edge if there is room: a time, an exit code.
    pub detail: String,
    /// Shown before `detail` where items have two rows.
    pub state: String,
    /// The second row of the item, where all have room for theirs.
    pub about: String,
    pub sign: Sign,
    /// 0 for roots.
    pub depth: usize,
    pub attention: bool,
}

/// The items from the top, the focused one, and the one under the cursor.
#[derive(Clone, Copy, Debug)]
pub struct TreeView<'a> {
    pub items: &'a [TreeItem],
    /// The item shown in the main pane.
    pub focused: Option<usize>,
    /// The item that arrows and Enter act on while the tree has the keyboard.
    pub cursor: Option<usize>,
}

/// The content of one row of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TreeRow {
    Item(usize),
    About(usize),
    Hidden(Range<usize>),
}

impl TreeView<'_> {
    /// The range of items shown, which contains the cursor or else the focused item. Where items are hidden, a row
    /// above and below counts them; with three rows or fewer there is no room for that.
    fn shown(&self, rows: u16) -> Range<usize> {
        let (count, rows) = (self.items.len(), usize::from(rows));
        let here = self.cursor.or(self.focused).unwrap_or(0).min(count.saturating_sub(1));
        if count <= rows {
            return 0..count;
        }
        if rows <= 3 {
            let top = (here + 1).saturating_sub(rows);
            return top..top + rows;
        }
        match here {
            here if here < rows - 1 => 0..rows - 1,
            here if here > count - rows => count - (rows - 1)..count,
            here => here + 3 - rows..here + 1,
        }
    }

    /// Whether there is room for the second row of every item that has one.
    fn is_tall(&self, rows: u16) -> bool {
        let seconds = self.items.iter().filter(|item| !item.about.is_empty()).count();
        seconds > 0 && self.items.len() + seconds <= usize::from(rows)
    }

    /// The content of a row: an item, or the count of hidden ones.
    fn row(&self, row: u16, rows: u16) -> Option<TreeRow> {
        if self.is_tall(rows) {
            let both = |(index, item): (usize, &TreeItem)| {
                [Some(TreeRow::Item(index)), (!item.about.is_empty()).then_some(TreeRow::About(index))]
            };
            return self.items.iter().enumerate().flat_map(both).flatten().nth(usize::from(row));
        }
        let shown = self.shown(rows);
        let marks = rows > 3;
        let (above, below) = (marks && shown.start > 0, marks && shown.end < self.items.len());
        if above && row == 0 {
            return Some(TreeRow::Hidden(0..shown.start));
        }
        if below && row + 1 == rows {
            return Some(TreeRow::Hidden(shown.end..self.items.len()));
        }
        let index = shown.start + usize::from(row) - usize::from(above);
        shown.contains(&index).then_some(TreeRow::Item(index))
    }

    fn worst(&self, hidden: Range<usize>) -> Option<usize> {
        hidden.min_by_key(|&index| self.items[index].sign.urgency())
    }

    /// The item at a position. A count of hidden items stands for the most urgent one among them.
    pub fn hit(&self, area: Rect, at: Position) -> Option<usize> {
        match self.row(area.contains(at).then(|| at.row - area.row)?, area.rows)? {
            TreeRow::Item(index) | TreeRow::About(index) => Some(index),
            TreeRow::Hidden(hidden) => self.worst(hidden),
        }
    }

    fn draw_hidden(&self, canvas: &mut Canvas, area: Rect, row: u16, hidden: Range<usize>, skin: &Skin) {
        let (count, above) = (hidden.len(), hidden.start == 0);
        let Some(worst) = self.worst(hidden) else { return };
        let TreeItem { sign, attention, .. } = self.items[worst];
        let text = if above { format!("{count} more above") } else { format!("{count} more") };
        let spans = [
            Span::new(format!("{} ", skin.glyphs.sign(sign)), skin.calling_sign_style(sign, attention)),
            Span::new(text, skin.style(if attention { SkinRole::Warning } else { SkinRole::Muted })),
        ];
        canvas.draw_line(area, row, &spans, skin.style(SkinRole::Text));
    }

    /// The connectors before each item: three columns per level.
    fn connectors(&self, skin: &Skin) -> Vec<String> {
        let [on, branch, last, none] = skin.glyphs.connectors();
        // From the bottom up: whether another item of that level follows under the same parent.
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

    /// Below an item's connector: the lines of levels that go on, up to where its label begins.
    fn below(&self, index: usize, connector: &str, skin: &Skin) -> String {
        let [on, branch, last, none] = skin.glyphs.connectors();
        let above = connector.trim_end_matches(branch).trim_end_matches(last);
        let own = match connector {
            "" => "",
            _ if connector.ends_with(branch) => on,
            _ => none,
        };
        let depth = self.items[index].depth;
        let parent = self.items.get(index + 1).is_some_and(|next| next.depth > depth);
        let child: String = if parent { on } else { none }.chars().take(SIGN_COLS).collect();
        let mark = if depth == 0 { " ".repeat(SIGN_COLS) } else { String::new() };
        [above, own, &child, &mark].concat()
    }

    fn draw_about(&self, canvas: &mut Canvas, area: Rect, row: u16, index: usize, connector: &str, skin: &Skin) {
        let ground = skin.style(if self.cursor == Some(index) { SkinRole::Cursor } else { SkinRole::Text });
        let over = |role| layered(ground, skin.style(role));
        let before = self.below(index, connector, skin);
        let room = usize::from(area.cols).saturating_sub(text_cols(&before));
        let about = cut(&self.items[index].about, room, skin.glyphs.more());
        let spans = [Span::new(before, over(SkinRole::Border)), Span::new(about, over(SkinRole::Muted))];
        canvas.draw_line(area, row, &spans, ground);
    }

    pub fn draw(&self, canvas: &mut Canvas, area: Rect, skin: &Skin) {
        let tall = self.is_tall(area.rows);
        let connectors = self.connectors(skin);
        for row in 0..area.rows {
            let index = match self.row(row, area.rows) {
                Some(TreeRow::Item(index)) => index,
                Some(TreeRow::About(index)) => {
                    self.draw_about(canvas, area, row, index, &connectors[index], skin);
                    continue;
                }
                Some(TreeRow::Hidden(hidden)) => {
                    self.draw_hidden(canvas, area, row, hidden, skin);
                    continue;
                }
                None => {
                    canvas.draw_line(area, row, &[], skin.style(SkinRole::Text));
                    continue;
                }
            };
            let item = &self.items[index];
            let ground = skin.style(if self.cursor == Some(index) { SkinRole::Cursor } else { SkinRole::Text });
            let over = |role| layered(ground, skin.style(role));
            let mark = match (item.depth, self.focused == Some(index)) {
                (0, _) => format!("{} ", skin.glyphs.root()),
                _ => String::new(),
            };
            let sign = format!("{} ", skin.glyphs.sign(item.sign));
            let used = text_cols(&connectors[index]) + text_cols(&mark) + text_cols(&sign);
            let room = usize::from(area.cols).saturating_sub(used);
            let long = [item.state.as_str(), item.detail.as_str()].join(" ");
            let fits = |detail: &str, label: usize| text_cols(detail) + 1 + label <= room;
            let detail = match item.detail.as_str() {
                _ if tall && !item.state.is_empty() && fits(&long, text_cols(&item.label).min(LABEL_KEEPS)) => {
                    long.trim()
                }
                detail if fits(detail, 4) => detail,
                _ => "",
            };
            let detail_cols = text_cols(detail) + 1;
            let label_room = if detail.is_empty() { room } else { room - detail_cols };
            let label = cut_middle(&item.label, label_room, skin.glyphs.more());
            let gap = if detail.is_empty() { 0 } else { room - text_cols(&label) - detail_cols + 1 };
            let name = match (item.attention, self.focused == Some(index)) {
                (true, _) => over(SkinRole::Warning),
                (_, true) => over(SkinRole::TabActive),
                _ => ground,
            };
            canvas.draw_line(
                area,
                row,
                &[
                    Span::new(connectors[index].as_str(), over(SkinRole::Border)),
                    Span::new(mark, over(SkinRole::Accent)),
                    Span::new(sign, layered(ground, skin.calling_sign_style(item.sign, item.attention))),
                    Span::new(label, name),
                    Span::new(" ".repeat(gap), ground),
                    Span::new(detail, over(SkinRole::Muted)),
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
        TreeItem {
            label: label.into(),
            detail: "3m".into(),
            state: "working".into(),
            about: String::new(),
            sign: Sign::Working,
            depth,
            attention: false,
        }
    }

    #[test]
    fn connectors_follow_the_depths() {
        let items =
            [item("root", 0), item("a", 1), item("b", 2), item("c", 2), item("d", 1), item("e", 2), item("other", 0)];
        let tree = TreeView { items: &items, focused: Some(1), cursor: None };
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
        let tree = TreeView { items: &items, focused: Some(0), cursor: Some(10) };
        let area = Rect::new(0, 2, 12, 4);
        assert_eq!(tree.hit(area, Position { row: 3, col: 3 }), Some(9));
        assert_eq!(tree.hit(area, Position { row: 4, col: 3 }), Some(10));
        assert_eq!(tree.hit(area, Position { row: 6, col: 3 }), None);
        let mut canvas = Canvas::new(Size::new(3, 4));
        tree.draw(&mut canvas, Rect::new(0, 0, 3, 4), &Skin::default());
        let deep = [item("x", usize::MAX)];
        TreeView { items: &deep, focused: None, cursor: None }.draw(
            &mut canvas,
            Rect::new(0, 0, 3, 4),
            &Skin::default(),
        );
    }
    #[test]
    fn what_has_no_room_is_counted_with_the_sign_that_matters_most() {
        let mut items: Vec<TreeItem> =
            (0..20).map(|number| item(&format!("n{number}"), usize::from(number > 0))).collect();
        items[15] = TreeItem { sign: Sign::Blocked, attention: true, ..item("n15", 1) };
        let area = Rect::new(0, 0, 20, 5);
        let shown = |focused| {
            let mut canvas = Canvas::new(Size::new(20, 5));
            TreeView { items: &items, focused: Some(focused), cursor: None }.draw(&mut canvas, area, &Skin::default());
            canvas.text().lines().map(|line| line.trim_end_matches("3m").trim_end().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(shown(0), ["▶ ● n0", "├─ ● n1", "├─ ● n2", "├─ ● n3", "▲ 16 more"]);
        assert_eq!(shown(9), ["● 7 more above", "├─ ● n7", "├─ ● n8", "├─ ● n9", "▲ 10 more"]);
        assert_eq!(shown(19), ["▲ 16 more above", "├─ ● n16", "├─ ● n17", "├─ ● n18", "└─ ● n19"]);
        let tree = TreeView { items: &items, focused: Some(0), cursor: None };
        assert_eq!(tree.hit(area, Position { row: 4, col: 1 }), Some(15), "the mark leads to what matters most");
        for focused in 0..items.len() {
            for rows in 1..25 {
                let tree = TreeView { items: &items, focused: Some(focused), cursor: None };
                assert!(tree.shown(rows).contains(&focused), "{focused} in {rows} rows");
                let items = (0..rows).filter(|row| matches!(tree.row(*row, rows), Some(TreeRow::Item(_))));
                assert_eq!(items.count(), tree.shown(rows).len(), "{focused} in {rows} rows");
            }
        }
    }

    #[test]
    fn with_room_each_item_says_what_it_is_about() {
        let about = |label: &str, depth, about: &str| TreeItem { about: about.into(), ..item(label, depth) };
        let items = [
            about("lead", 0, "claude: the login page"),
            about("a", 1, "codex"),
            item("b", 2),
            about("a-long-name-of-a-worker-7", 1, "tests"),
        ];
        let tree = TreeView { items: &items, focused: Some(0), cursor: None };
        let shown = |rows| {
            let mut canvas = Canvas::new(Size::new(24, rows));
            tree.draw(&mut canvas, Rect::new(0, 0, 24, rows), &Skin::default());
            canvas.text().lines().map(str::to_owned).collect::<Vec<_>>()
        };
        let expected = [
            "▶ ● lead      working 3m",
            "│   claude: the login p…",
            "├─ ● a        working 3m",
            "│  │ codex",
            "│  └─ ● b     working 3m",
            "└─ ● a-long-n…orker-7 3m",
            "     tests",
        ];
        assert_eq!(shown(7), expected);
        assert_eq!(shown(6)[1], "├─ ● a                3m", "without room, one row each");
        let hit = |row| tree.hit(Rect::new(0, 0, 24, 7), Position { row, col: 3 });
        assert_eq!((hit(0), hit(1), hit(4), hit(6)), (Some(0), Some(0), Some(2), Some(3)));
    }
}
