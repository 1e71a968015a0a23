//! A row of tabs, with a `+` at the end.

use std::ops::Range;

use vt::Position;

use super::wrap::{cut, cut_middle};
use crate::{
    canvas::{Canvas, Span, text_cols},
    geometry::Rect,
    skin::{Sign, Skin, SkinRole, layered},
};

/// Maximum columns of a title.
const MAX_TITLE: usize = 24;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TabLabel {
    pub title: String,
    pub sign: Sign,
    /// Needs attention: drawn so that it stands out without colour too.
    pub attention: bool,
}

/// The part of the bar at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TabHit {
    Tab(usize),
    /// The `+`.
    New,
}

/// The tabs, and the index of the open one.
#[derive(Clone, Copy, Debug)]
pub struct TabBar<'a> {
    pub tabs: &'a [TabLabel],
    pub active: usize,
}

const NEW: &str = " + ";

/// The visible tabs with their columns, and the hidden ones.
#[derive(Debug, Default)]
struct TabLayout {
    shown: Vec<(usize, Range<u16>)>,
    before: Option<HiddenTabs>,
    after: Option<HiddenTabs>,
}

/// Hidden tabs at one end: their number, and the most urgent sign among them.
#[derive(Debug)]
struct HiddenTabs {
    text: String,
    /// The tab with that sign.
    worst: usize,
    cols: Range<u16>,
}

impl TabBar<'_> {
    fn label(&self, index: usize, skin: &Skin) -> String {
        let tab = &self.tabs[index];
        let title = cut_middle(&tab.title, MAX_TITLE, skin.glyphs.more());
        let sign = skin.glyphs.sign(tab.sign);
        if tab.attention { format!(" {sign} {title}! ") } else { format!(" {sign} {title} ") }
    }

    /// `‹ 4 ▲` for hidden tabs to the left, `▲ 4 ›` for those to the right; `None` if there are none.
    fn hidden(&self, tabs: Range<usize>, skin: &Skin) -> Option<HiddenTabs> {
        let count = tabs.len();
        let before = tabs.start == 0;
        let worst = tabs.min_by_key(|&index| self.tabs[index].sign.urgency())?;
        let sign = skin.glyphs.sign(self.tabs[worst].sign);
        let [left, right] = skin.glyphs.hidden();
        let text = if before { format!(" {left} {count} {sign} ") } else { format!(" {sign} {count} {right} ") };
        Some(HiddenTabs { text, worst, cols: 0..0 })
    }

    /// As many tabs as fit, from the left; the open one is always visible.
    fn layout(&self, cols: u16, skin: &Skin) -> TabLayout {
        let count = self.tabs.len();
        let active = self.active.min(count.saturating_sub(1));
        let mut first = 0;
        loop {
            let layout = self.layout_from(first, cols, skin);
            if first >= active || layout.shown.iter().any(|(index, _)| *index == active) {
                return layout;
            }
            first += 1;
        }
    }

    fn layout_from(&self, first: usize, cols: u16, skin: &Skin) -> TabLayout {
        let count = self.tabs.len();
        let room = usize::from(cols).saturating_sub(NEW.len());
        let mark_cols = |hidden: &Option<HiddenTabs>| hidden.as_ref().map_or(0, |hidden| text_cols(&hidden.text));
        let mut layout = TabLayout { before: self.hidden(0..first, skin), ..TabLayout::default() };
        let mut col = mark_cols(&layout.before);
        if let Some(before) = &mut layout.before {
            before.cols = 0..col as u16;
        }
        for index in first..count {
            let width = text_cols(&self.label(index, skin));
            let after = self.hidden(index + 1..count, skin);
            let free = room.saturating_sub(mark_cols(&after));
            // The open tab is always shown, cut to the available room.
            if col + width > free && index != first {
                break;
            }
            let end = (col + width).min(free.max(col));
            layout.shown.push((index, col as u16..end as u16));
            col = end;
        }
        let behind = layout.shown.last().map_or(first, |(index, _)| index + 1);
        layout.after = self.hidden(behind..count, skin);
        if let Some(after) = &mut layout.after {
            after.cols = col as u16..(col + text_cols(&after.text)) as u16;
        }
        layout
    }

    /// What is at a position. The count of hidden tabs stands for the most urgent one among them.
    pub fn hit(&self, area: Rect, at: Position, skin: &Skin) -> Option<TabHit> {
        let col = area.line(0).contains(at).then(|| at.col - area.col)?;
        let TabLayout { shown, before, after } = self.layout(area.cols, skin);
        let end = [shown.last().map(|(_, cols)| cols.end), after.as_ref().map(|after| after.cols.end)];
        let end = end.into_iter().flatten().max().unwrap_or(0);
        let marks = [before, after].into_iter().flatten().map(|hidden| (hidden.worst, hidden.cols));
        let found = shown.into_iter().chain(marks).find(|(_, cols)| cols.contains(&col));
        match found {
            Some((index, _)) => Some(TabHit::Tab(index)),
            None => (end..end + NEW.len() as u16).contains(&col).then_some(TabHit::New),
        }
    }

    pub fn draw(&self, canvas: &mut Canvas, area: Rect, skin: &Skin) {
        let bar = skin.style(SkinRole::Tab);
        let TabLayout { shown, before, after } = self.layout(area.cols, skin);
        let mark = |hidden: HiddenTabs| {
            let TabLabel { sign, attention, .. } = self.tabs[hidden.worst];
            Span::new(hidden.text, layered(bar, skin.calling_sign_style(sign, attention)))
        };
        let mut spans: Vec<Span<'_>> = before.map(mark).into_iter().collect();
        for (index, cols) in shown {
            let tab = &self.tabs[index];
            let ground = skin.style(if index == self.active { SkinRole::TabActive } else { SkinRole::Tab });
            let label = cut(&self.label(index, skin), cols.len(), skin.glyphs.more());
            let sign_end = (1 + skin.glyphs.sign(tab.sign).len_utf8()).min(label.len());
            let sign = layered(ground, skin.calling_sign_style(tab.sign, tab.attention));
            let title = match tab.attention {
                true => layered(ground, skin.style(SkinRole::Warning)),
                false => ground,
            };
            match label.is_char_boundary(sign_end) {
                true => {
                    spans.push(Span::new(label[..sign_end].to_owned(), sign));
                    spans.push(Span::new(label[sign_end..].to_owned(), title));
                }
                false => spans.push(Span::new(label, title)),
            }
        }
        spans.extend(after.map(mark));
        spans.push(Span::new(NEW, layered(bar, skin.style(SkinRole::Accent))));
        canvas.draw_line(area, 0, &spans, bar);
    }
}

#[cfg(test)]
mod tests {
    use vt::Size;

    use super::*;

    fn tabs(titles: &[&str]) -> Vec<TabLabel> {
        titles
            .iter()
            .map(|title| TabLabel { title: (*title).into(), sign: Sign::Idle, attention: *title == "codex" })
            .collect()
    }

    fn at(col: u16) -> Position {
        Position { row: 0, col }
    }

    #[test]
    fn every_tab_can_be_hit() {
        let tabs = tabs(&["claude", "codex"]);
        let bar = TabBar { tabs: &tabs, active: 0 };
        let skin = Skin::default();
        let area = Rect::new(0, 0, 40, 1);
        let mut canvas = Canvas::new(Size::new(40, 1));
        bar.draw(&mut canvas, area, &skin);
        assert_eq!(canvas.text(), " ○ claude  ○ codex!  +\n");
        assert_eq!(bar.hit(area, at(0), &skin), Some(TabHit::Tab(0)));
        assert_eq!(bar.hit(area, at(10), &skin), Some(TabHit::Tab(1)));
        assert_eq!(bar.hit(area, at(21), &skin), Some(TabHit::New));
        assert_eq!(bar.hit(area, at(30), &skin), None);
    }

    #[test]
    fn the_open_tab_is_always_in_sight() {
        let tabs = tabs(&["one", "two", "three", "a title that is much too long for a tab"]);
        let skin = Skin::default();
        for cols in 0..60 {
            for active in 0..tabs.len() {
                let bar = TabBar { tabs: &tabs, active };
                let mut canvas = Canvas::new(Size::new(cols, 1));
                bar.draw(&mut canvas, Rect::new(0, 0, cols, 1), &skin);
                let TabLayout { shown, .. } = bar.layout(cols, &skin);
                assert!(shown.iter().any(|(index, _)| *index == active), "{active} at {cols} columns");
            }
        }
        TabBar { tabs: &[], active: usize::MAX }.draw(&mut Canvas::new(Size::new(9, 1)), Rect::new(0, 0, 9, 1), &skin);
    }
    #[test]
    fn what_has_no_room_is_counted_with_the_sign_that_matters_most() {
        let mut tabs = tabs(&["one", "two", "three", "four", "five", "six", "seven"]);
        tabs[1].sign = Sign::Blocked;
        tabs[5].sign = Sign::Working;
        let skin = Skin::default();
        let area = Rect::new(0, 0, 40, 1);
        let shown = |active| {
            let mut canvas = Canvas::new(Size::new(40, 1));
            TabBar { tabs: &tabs, active }.draw(&mut canvas, area, &skin);
            canvas.text()
        };
        assert_eq!(shown(0), " ○ one  ▲ two  ○ three  ● 4 ›  +\n");
        assert_eq!(shown(3), " ‹ 2 ▲  ○ three  ○ four  ● 3 ›  +\n");
        assert_eq!(shown(6), " ‹ 4 ▲  ○ five  ● six  ○ seven  +\n");
        let bar = TabBar { tabs: &tabs, active: 3 };
        assert_eq!(bar.hit(area, at(3), &skin), Some(TabHit::Tab(1)), "the mark leads to what matters most");
        assert_eq!(bar.hit(area, at(9), &skin), Some(TabHit::Tab(2)));
        assert_eq!(bar.hit(area, at(26), &skin), Some(TabHit::Tab(5)));
        assert_eq!(bar.hit(area, at(32), &skin), Some(TabHit::New));
    }

    #[test]
    fn what_calls_for_the_person_blinks() {
        let tabs = tabs(&["claude", "codex"]);
        let mut canvas = Canvas::new(Size::new(30, 1));
        TabBar { tabs: &tabs, active: 0 }.draw(&mut canvas, Rect::new(0, 0, 30, 1), &Skin::default());
        let blinks = |col| canvas.cell(at(col)).unwrap().style().attributes.contains(vt::Attributes::BLINK);
        assert_eq!([blinks(1), blinks(11), blinks(13)], [false, true, false]);
    }
}
