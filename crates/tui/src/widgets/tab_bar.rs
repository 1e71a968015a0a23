//! Tabs in one row, with a `+` behind them.

use std::ops::Range;

use vt::Position;

use super::wrap::cut;
use crate::{
    canvas::{Canvas, Span, text_cols},
    geometry::Rect,
    skin::{Role, Sign, Skin, layered},
};

/// Columns that a title may take.
const MAX_TITLE: usize = 24;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tab {
    pub title: String,
    pub sign: Sign,
    /// Wants to be looked at: drawn so that it stands out without colour too.
    pub attention: bool,
}

/// What is at a place of the bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TabHit {
    Tab(usize),
    /// The `+`.
    New,
}

/// The tabs, and which one is open.
#[derive(Clone, Copy, Debug)]
pub struct TabBar<'a> {
    pub tabs: &'a [Tab],
    pub active: usize,
}

const NEW: &str = " + ";

impl TabBar<'_> {
    fn label(&self, index: usize, skin: &Skin) -> String {
        let tab = &self.tabs[index];
        let title = cut(&tab.title, MAX_TITLE, skin.glyphs.more());
        let sign = skin.glyphs.sign(tab.sign);
        if tab.attention { format!(" {sign} {title}! ") } else { format!(" {sign} {title} ") }
    }

    /// The tabs that have room, the open one always among them, with their columns.
    fn layout(&self, cols: u16, skin: &Skin) -> Vec<(usize, Range<u16>)> {
        let room = usize::from(cols).saturating_sub(NEW.len());
        let widths: Vec<usize> = (0..self.tabs.len()).map(|index| text_cols(&self.label(index, skin))).collect();
        let active = self.active.min(self.tabs.len().saturating_sub(1));
        // From the left as many as go; if the open one is not among them, leave out from the left.
        let mut first = 0;
        while first < active && widths[first..=active].iter().sum::<usize>() > room {
            first += 1;
        }
        let mut places = Vec::new();
        let mut col = 0;
        for (index, &width) in widths.iter().enumerate().skip(first) {
            let end = if index == active { (col + width).min(usize::from(cols)) } else { col + width };
            if end > room && index != active {
                break;
            }
            places.push((index, col as u16..end as u16));
            col = end;
        }
        places
    }

    pub fn hit(&self, area: Rect, at: Position, skin: &Skin) -> Option<TabHit> {
        let col = area.line(0).contains(at).then(|| at.col - area.col)?;
        let places = self.layout(area.cols, skin);
        if let Some((index, _)) = places.iter().find(|(_, cols)| cols.contains(&col)) {
            return Some(TabHit::Tab(*index));
        }
        let end = places.last().map_or(0, |(_, cols)| cols.end);
        (end..end + NEW.len() as u16).contains(&col).then_some(TabHit::New)
    }

    pub fn draw(&self, canvas: &mut Canvas, area: Rect, skin: &Skin) {
        let bar = skin.style(Role::Tab);
        let mut spans = Vec::new();
        for (index, _) in self.layout(area.cols, skin) {
            let tab = &self.tabs[index];
            let ground = skin.style(if index == self.active { Role::TabActive } else { Role::Tab });
            let label = self.label(index, skin);
            let sign_end = 1 + skin.glyphs.sign(tab.sign).len_utf8();
            spans.push(Span::new(label[..sign_end].to_owned(), layered(ground, skin.sign_style(tab.sign))));
            let title = match tab.attention {
                true => layered(ground, skin.style(Role::Warning)),
                false => ground,
            };
            spans.push(Span::new(label[sign_end..].to_owned(), title));
        }
        spans.push(Span::new(NEW, layered(bar, skin.style(Role::Accent))));
        canvas.draw_line(area, 0, &spans, bar);
    }
}

#[cfg(test)]
mod tests {
    use vt::Size;

    use super::*;

    fn tabs(titles: &[&str]) -> Vec<Tab> {
        titles
            .iter()
            .map(|title| Tab { title: (*title).into(), sign: Sign::Idle, attention: *title == "codex" })
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
                let shown = bar.layout(cols, &skin);
                assert!(shown.iter().any(|(index, _)| *index == active), "{active} at {cols} columns");
            }
        }
        TabBar { tabs: &[], active: 0 }.draw(&mut Canvas::new(Size::new(9, 1)), Rect::new(0, 0, 9, 1), &skin);
    }
}
