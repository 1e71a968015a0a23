//! A list that is filtered by typing, for palettes and pickers.

use std::borrow::Cow;

use vt::{
    Position,
    input::{Key, KeyEventKind, Modifiers, MouseButton, MouseEventKind, WheelDirection},
};

use super::{
    fuzzy::{FuzzyCandidate, matched, rank},
    input::{InputOutcome, LineInput},
    wrap::cut,
};
use crate::{
    canvas::{Canvas, CanvasCursor, Span, text_cols},
    event::HostEvent,
    geometry::Rect,
    skin::{Sign, Skin, SkinRole, layered},
};

/// Rows per step of the mouse wheel.
const WHEEL_ROWS: isize = 3;

/// One entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListEntry {
    pub text: String,
    /// Not shown, but searched: an id, a synonym.
    pub words: String,
    /// Shown muted beside the name: a path, a reason why it can't be chosen.
    pub detail: String,
    /// Shown at the right edge: the equivalent keys.
    pub keys: String,
    pub sign: Option<Sign>,
    /// Listed only after something is typed.
    pub only_sought: bool,
    /// When it was last chosen, in any growing unit; 0 for never.
    pub recent: u64,
    /// What it is listed under while nothing is typed. Where entries have headings, they keep the order in which they are
    /// given.
    pub heading: &'static str,
    /// Found behind all others, however well it matches.
    pub is_last_resort: bool,
}

/// A row of the list below the query.
enum ListRow {
    Heading(&'static str),
    /// The place among the entries that are shown.
    Entry(usize),
}

impl ListEntry {
    pub fn new(text: impl Into<String>) -> Self {
        ListEntry { text: text.into(), ..ListEntry::default() }
    }

    /// The columns of a row that name and detail have, and the keys that are shown beside them.
    fn room(&self, cols: u16) -> (usize, &str) {
        let cols = usize::from(cols);
        let keys = if text_cols(&self.keys) + 8 > cols { "" } else { self.keys.as_str() };
        (cols.saturating_sub(2 + text_cols(keys) + usize::from(!keys.is_empty()) * 2), keys)
    }

    fn is_detail_cut(&self, cols: u16) -> bool {
        !self.detail.is_empty() && text_cols(&self.text) + 2 + text_cols(&self.detail) > self.room(cols).0
    }

    fn sought(&self) -> Cow<'_, str> {
        match self.words.is_empty() {
            true => Cow::Borrowed(&self.text),
            false => Cow::Owned(format!("{} {}", self.text, self.words)),
        }
    }
}

/// The effect of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListOutcome {
    Passed,
    Taken,
    /// This entry was chosen; its index in the given list.
    Chosen(usize),
    Cancelled,
}

/// The entries, the query, and the entry under the cursor.
#[derive(Clone, Debug, Default)]
pub struct FuzzyList {
    entries: Vec<ListEntry>,
    input: LineInput,
    shown: Vec<usize>,
    cursor: usize,
}

impl FuzzyList {
    pub fn new(entries: Vec<ListEntry>) -> Self {
        let mut list = FuzzyList { entries, ..FuzzyList::default() };
        list.filter();
        list
    }

    /// Replaces the entries, for lists that change while they are open. The cursor stays on its entry, if that still
    /// exists.
    pub fn set_entries(&mut self, entries: Vec<ListEntry>) {
        let text = self.current().map(|index| self.entries[index].text.clone());
        self.entries = entries;
        self.filter();
        let same = text.and_then(|text| self.shown.iter().position(|&index| self.entries[index].text == text));
        self.cursor = same.unwrap_or(0);
    }

    /// The number of entries, matching or not.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn query(&self) -> &str {
        self.input.text()
    }

    /// The entry under the cursor.
    pub fn current(&self) -> Option<usize> {
        self.shown.get(self.cursor).copied()
    }

    /// Puts the cursor on an entry, if it is shown.
    pub fn go_to(&mut self, index: usize) {
        self.cursor = self.shown.iter().position(|shown| *shown == index).unwrap_or(self.cursor);
    }

    /// The matching entries, best first.
    pub fn shown(&self) -> &[usize] {
        &self.shown
    }

    fn filter(&mut self) {
        let texts: Vec<Cow<'_, str>> = self.entries.iter().map(ListEntry::sought).collect();
        let with_text = self.entries.iter().zip(&texts);
        let candidates: Vec<_> = with_text.map(|(entry, text)| FuzzyCandidate { text, recent: entry.recent }).collect();
        let mut ranked: Vec<usize> =
            rank(self.input.text(), &candidates).into_iter().map(|ranked| ranked.index).collect();
        if self.is_grouped() {
            ranked.sort_unstable();
        } else if !self.nothing_sought() {
            ranked.sort_by_key(|&index| self.entries[index].is_last_resort);
        }
        let nothing_sought = self.nothing_sought();
        ranked.retain(|&index| !(nothing_sought && self.entries[index].only_sought));
        self.shown = ranked;
        self.cursor = 0;
    }

    fn nothing_sought(&self) -> bool {
        self.input.text().trim().is_empty()
    }

    /// Whether entries stand under headings now.
    fn is_grouped(&self) -> bool {
        self.nothing_sought() && self.entries.iter().any(|entry| !entry.heading.is_empty())
    }

    fn rows(&self) -> Vec<ListRow> {
        let grouped = self.is_grouped();
        let mut rows = Vec::with_capacity(self.shown.len());
        let mut heading = "";
        for (place, &index) in self.shown.iter().enumerate() {
            let its = self.entries[index].heading;
            if grouped && its != heading {
                rows.push(ListRow::Heading(its));
                heading = its;
            }
            rows.push(ListRow::Entry(place));
        }
        rows
    }

    /// How many rows it takes to show all of it while nothing is typed, the query's included: filtering moves nothing.
    pub fn full_rows(&self) -> usize {
        let listed = || self.entries.iter().filter(|entry| !entry.only_sought);
        let mut headings: Vec<&str> =
            listed().map(|entry| entry.heading).filter(|heading| !heading.is_empty()).collect();
        headings.dedup();
        listed().count() + headings.len() + 1
    }

    /// Whether any entry has more to say than fits into its row of a list of `cols` columns.
    pub fn cuts_details(&self, cols: u16) -> bool {
        self.entries.iter().any(|entry| entry.is_detail_cut(cols))
    }

    /// All that the entry under the cursor has to say besides its name, if its row of `cols` columns is too short for it.
    pub fn cut_detail(&self, cols: u16) -> &str {
        let entry = self.current().map(|index| &self.entries[index]).filter(|entry| entry.is_detail_cut(cols));
        entry.map_or("", |entry| entry.detail.as_str())
    }

    /// `area` is where the list is drawn; clicks need it.
    pub fn update(&mut self, event: &HostEvent, area: Rect) -> ListOutcome {
        match event {
            HostEvent::Paste(text) => {
                self.input.insert(text);
                self.filter();
                ListOutcome::Taken
            }
            HostEvent::Mouse(mouse) => {
                let at = Position { row: mouse.row, col: mouse.col };
                match mouse.kind {
                    MouseEventKind::Wheel(WheelDirection::Up) => self.step(-WHEEL_ROWS),
                    MouseEventKind::Wheel(WheelDirection::Down) => self.step(WHEEL_ROWS),
                    MouseEventKind::Press(MouseButton::Left) => match self.hit(area, at) {
                        Some(row) => {
                            self.cursor = row;
                            return ListOutcome::Chosen(self.shown[row]);
                        }
                        None if area.contains(at) => {}
                        None => return ListOutcome::Cancelled,
                    },
                    _ => {}
                }
                ListOutcome::Taken
            }
            HostEvent::Key(key) if key.kind != KeyEventKind::Release => {
                let ctrl = key.modifiers == Modifiers::CTRL;
                let page = isize::from(area.rows.saturating_sub(2).max(1) as i16);
                match key.key {
                    Key::Up => self.step(-1),
                    Key::Down => self.step(1),
                    Key::Char('p') if ctrl => self.step(-1),
                    Key::Char('n') if ctrl => self.step(1),
                    Key::PageUp => self.step(-page),
                    Key::PageDown => self.step(page),
                    _ => match self.input.update(key) {
                        InputOutcome::Changed => self.filter(),
                        InputOutcome::Moved => {}
                        InputOutcome::Submitted => {
                            return self.current().map_or(ListOutcome::Taken, ListOutcome::Chosen);
                        }
                        InputOutcome::Cancelled => return ListOutcome::Cancelled,
                        InputOutcome::Passed => return ListOutcome::Passed,
                    },
                }
                ListOutcome::Taken
            }
            _ => ListOutcome::Passed,
        }
    }

    fn step(&mut self, by: isize) {
        let last = self.shown.len().saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(by).min(last);
    }

    /// The number of matching entries below the last visible one when the list is drawn in `area`.
    pub fn more_below(&self, area: Rect) -> usize {
        let rows = self.rows();
        let list_rows = area.split_top(1).1.rows;
        let below = rows.iter().skip(self.top(&rows, list_rows) + usize::from(list_rows));
        below.filter(|row| matches!(row, ListRow::Entry(_))).count()
    }

    /// The first row in sight: the cursor's entry is, and the heading above the first entry.
    fn top(&self, rows: &[ListRow], in_sight: u16) -> usize {
        let cursor = rows.iter().position(|row| matches!(row, ListRow::Entry(place) if *place == self.cursor));
        cursor.map_or(0, |row| (row + 1).saturating_sub(usize::from(in_sight)))
    }

    /// The index among the shown entries of the one at `at`. The first row is the query.
    fn hit(&self, area: Rect, at: Position) -> Option<usize> {
        let (_, list) = area.split_top(1);
        let rows = self.rows();
        let row = list.contains(at).then(|| self.top(&rows, list.rows) + usize::from(at.row - list.row))?;
        match rows.get(row) {
            Some(ListRow::Entry(place)) => Some(*place),
            _ => None,
        }
    }

    /// Draws the query in the first row, after `prompt`, and the entries below.
    pub fn draw(&self, canvas: &mut Canvas, area: Rect, prompt: &str, skin: &Skin) -> Option<CanvasCursor> {
        let (query, list) = area.split_top(1);
        let prompt_cols = text_cols(prompt).min(usize::from(query.cols)) as u16;
        let (before, input) = query.split_left(prompt_cols);
        canvas.draw_line(before, 0, &[Span::new(prompt, skin.style(SkinRole::Accent))], skin.style(SkinRole::Text));
        let cursor = self.input.draw(canvas, input, skin.style(SkinRole::Input));
        let rows = self.rows();
        let top = self.top(&rows, list.rows);
        for row in 0..list.rows {
            match rows.get(top + usize::from(row)) {
                Some(ListRow::Entry(place)) => {
                    let entry = &self.entries[self.shown[*place]];
                    self.draw_entry(canvas, list, row, entry, *place == self.cursor, skin);
                }
                Some(ListRow::Heading(heading)) => {
                    let heading = [Span::new(*heading, skin.style(SkinRole::Heading))];
                    canvas.draw_line(list, row, &heading, skin.style(SkinRole::Text));
                }
                None if row == 0 && self.entries.is_empty() => {
                    canvas.draw_line(
                        list,
                        row,
                        &[Span::new("  nothing here", skin.style(SkinRole::Muted))],
                        skin.style(SkinRole::Text),
                    );
                }
                None if row == 0 => {
                    canvas.draw_line(
                        list,
                        row,
                        &[Span::new("  nothing matches", skin.style(SkinRole::Muted))],
                        skin.style(SkinRole::Text),
                    );
                }
                None => canvas.draw_line(list, row, &[], skin.style(SkinRole::Text)),
            }
        }
        cursor
    }

    fn draw_entry(&self, canvas: &mut Canvas, area: Rect, row: u16, entry: &ListEntry, here: bool, skin: &Skin) {
        let ground = skin.style(if here { SkinRole::Cursor } else { SkinRole::Text });
        let over = |style| layered(ground, style);
        let (room, keys) = entry.room(area.cols);
        let more = skin.glyphs.more();
        let text = cut(&skin.glyphs.text(&entry.text), room, more);
        let left = room.saturating_sub(text_cols(&text) + 2);
        let detail = if left < 4 || entry.detail.is_empty() { String::new() } else { cut(&entry.detail, left, more) };
        let gap = room - text_cols(&text) - if detail.is_empty() { 0 } else { 2 + text_cols(&detail) };
        let (sign, style) = match entry.sign {
            Some(sign) => (skin.glyphs.sign(sign), skin.sign_style(sign)),
            None => (if here { skin.glyphs.here() } else { ' ' }, skin.style(SkinRole::Accent)),
        };
        let mut spans = vec![Span::new(format!("{sign} "), over(style))];
        let hit = over(skin.style(SkinRole::Link));
        let mut at = 0;
        for place in matched(self.input.text(), &text) {
            spans.push(Span::new(text[at..place.start].to_owned(), ground));
            spans.push(Span::new(text[place.clone()].to_owned(), hit));
            at = place.end;
        }
        spans.push(Span::new(text[at..].to_owned(), ground));
        if !detail.is_empty() {
            spans.push(Span::new(format!("  {detail}"), over(skin.style(SkinRole::Muted))));
        }
        spans.push(Span::new(" ".repeat(gap), ground));
        if !keys.is_empty() {
            spans.push(Span::new(format!(" {keys} "), over(skin.style(SkinRole::KeyName))));
        }
        canvas.draw_line(area, row, &spans, ground);
    }
}

#[cfg(test)]
mod tests {
    use vt::{Size, input::MouseEvent};

    use super::*;

    fn list() -> FuzzyList {
        let mut quit = ListEntry::new("Quit");
        quit.keys = "ctrl+q".into();
        let mut spawn = ListEntry::new("Spawn: codex");
        spawn.detail = "codex is not installed".into();
        FuzzyList::new(vec![quit, spawn, ListEntry::new("Spawn: claude")])
    }

    fn press(list: &mut FuzzyList, keys: &str) -> ListOutcome {
        let area = Rect::new(0, 0, 30, 4);
        keys.split(' ').map(|key| list.update(&HostEvent::Key(key.parse().unwrap()), area)).last().unwrap()
    }

    #[test]
    fn the_cursor_can_begin_on_any_entry_that_is_shown() {
        let mut list = list();
        list.go_to(2);
        assert_eq!((list.current(), press(&mut list, "up enter")), (Some(2), ListOutcome::Chosen(1)));
        list.go_to(7);
        assert_eq!(list.current(), Some(1), "there is none");
    }

    #[test]
    fn typing_filters_and_enter_takes() {
        let mut list = list();
        assert_eq!(press(&mut list, "s p down enter"), ListOutcome::Chosen(2));
        assert_eq!(press(&mut list, "up up enter"), ListOutcome::Chosen(1));
        assert_eq!(press(&mut list, "z z enter"), ListOutcome::Taken);
        assert_eq!(press(&mut list, "esc"), ListOutcome::Cancelled);
    }

    #[test]
    fn it_shows_keys_details_and_the_cursor() {
        let mut list = list();
        press(&mut list, "down");
        let mut canvas = Canvas::new(Size::new(30, 4));
        list.draw(&mut canvas, Rect::new(0, 0, 30, 4), "> ", &Skin::default());
        assert_eq!(
            canvas.text(),
            ">\n  Quit                 ctrl+q\n› Spawn: codex  codex is not …\n  Spawn: claude\n"
        );
    }

    #[test]
    fn some_are_listed_only_when_something_is_typed_and_what_has_no_room_is_counted() {
        let hidden = ListEntry { only_sought: true, ..ListEntry::new("Kill session") };
        let mut list =
            FuzzyList::new(vec![ListEntry::new("Quit"), hidden, ListEntry::new("Spawn"), ListEntry::new("Sp")]);
        assert_eq!(list.shown(), [0, 2, 3]);
        assert_eq!(list.more_below(Rect::new(0, 0, 30, 3)), 1);
        assert_eq!(list.more_below(Rect::new(0, 0, 30, 4)), 0);
        press(&mut list, "k i");
        assert_eq!(list.shown(), [1]);
    }

    #[test]
    fn what_a_row_has_no_room_for_can_be_read_elsewhere() {
        let mut list = list();
        assert!(list.cuts_details(30) && !list.cuts_details(60));
        assert_eq!(list.cut_detail(30), "", "the first has nothing to say");
        press(&mut list, "down");
        assert_eq!((list.cut_detail(30), list.cut_detail(60)), ("codex is not installed", ""));
    }

    #[test]
    fn headings_stand_above_their_entries_until_something_is_typed() {
        let under = |heading, text: &str| ListEntry { heading, recent: 9, ..ListEntry::new(text) };
        let last = ListEntry { is_last_resort: true, ..under("Advanced", "Stop") };
        let entries = vec![under("Start", "Spawn"), under("Start", "Terminal"), last, under("Go to", "Stop it")];
        let mut list = FuzzyList::new(entries);
        let area = Rect::new(0, 0, 30, 8);
        let text = |list: &FuzzyList, area: Rect| {
            let mut canvas = Canvas::new(Size::new(30, area.rows));
            list.draw(&mut canvas, area, "> ", &Skin::default());
            canvas.text()
        };
        assert_eq!(text(&list, area), ">\nStart\n› Spawn\n  Terminal\nAdvanced\n  Stop\nGo to\n  Stop it\n");
        assert_eq!((list.full_rows(), list.more_below(Rect { rows: 5, ..area })), (8, 2));
        press(&mut list, "down down");
        assert_eq!(text(&list, Rect { rows: 4, ..area }), ">\n  Terminal\nAdvanced\n› Stop\n");
        let click = |row| {
            let kind = MouseEventKind::Press(MouseButton::Left);
            HostEvent::Mouse(MouseEvent { kind, col: 5, row, pixel: None, modifiers: Modifiers::empty() })
        };
        assert_eq!(list.update(&click(4), area), ListOutcome::Taken, "a heading is nothing to choose");
        assert_eq!(list.update(&click(7), area), ListOutcome::Chosen(3));
        press(&mut list, "s t o p");
        assert_eq!(list.shown(), [3, 2], "what is a last resort comes last, though it is the better match");
        assert!(!text(&list, area).contains("Advanced"), "{}", text(&list, area));
    }

    #[test]
    fn clicks_choose_and_clicks_outside_close() {
        let mut list = list();
        let area = Rect::new(2, 1, 20, 3);
        let click = |row| {
            let kind = MouseEventKind::Press(MouseButton::Left);
            HostEvent::Mouse(MouseEvent { kind, col: 5, row, pixel: None, modifiers: Modifiers::empty() })
        };
        assert_eq!(list.update(&click(3), area), ListOutcome::Chosen(1));
        assert_eq!(list.update(&click(1), area), ListOutcome::Taken);
        assert_eq!(list.update(&click(9), area), ListOutcome::Cancelled);
    }
}
