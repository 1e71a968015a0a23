//! Find in all sessions: a query, and the lines that match it as they are found.
//!
//! The caller searches, as it knows the sessions. Each change of the query asks for a new search by its number, and what
//! an older one finds is left out.

use tui::{
    Canvas, CanvasCursor, HostEvent, Rect, Skin, SkinRole, Span, layered, text_cols,
    widgets::{InputOutcome, LineInput, cut, matched},
};
use vt::{
    Position,
    input::{Key, KeyEventKind, Modifiers, MouseButton, MouseEventKind, WheelDirection},
};

/// Shorter queries find nearly every line.
const MIN_QUERY: usize = 2;
/// Lines that are listed: more than anybody reads.
pub const MAX_HITS: usize = 500;
/// Rows that one step of the wheel moves.
const WHEEL_ROWS: isize = 3;
const MAX_COLS: u16 = 120;

/// A line that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindHit<Id> {
    pub session: Id,
    pub name: String,
    /// The number of the line; of a full-screen program there is only the screen.
    pub line: Option<u64>,
    pub text: String,
}

/// What an event led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindOutcome<Id> {
    Taken,
    Closed,
    /// The query is another one: search for it, and answer with this number.
    Search {
        number: u64,
        query: String,
    },
    Go(FindHit<Id>),
}

/// The query, and what it found.
#[derive(Clone, Debug)]
pub struct FindInAll<Id> {
    input: LineInput,
    /// Of the newest search.
    number: u64,
    hits: Vec<FindHit<Id>>,
    /// Not all that match are listed.
    has_more: bool,
    is_searching: bool,
    cursor: usize,
}

impl<Id> Default for FindInAll<Id> {
    fn default() -> Self {
        FindInAll {
            input: LineInput::default(),
            number: 0,
            hits: Vec::new(),
            has_more: false,
            is_searching: false,
            cursor: 0,
        }
    }
}

impl<Id: Clone + PartialEq> FindInAll<Id> {
    pub fn query(&self) -> &str {
        self.input.text().trim()
    }

    pub fn hits(&self) -> &[FindHit<Id>] {
        &self.hits
    }

    /// What the search of this number found. The person stays on their line, if it was found again.
    pub fn found(&mut self, number: u64, mut hits: Vec<FindHit<Id>>, has_more: bool) {
        if number != self.number {
            return;
        }
        self.has_more = has_more || hits.len() > MAX_HITS;
        hits.truncate(MAX_HITS);
        let before = self.hits.get(self.cursor);
        let is_it = |hit: &FindHit<Id>| before.is_some_and(|old| old.session == hit.session && old.line == hit.line);
        self.cursor = hits.iter().position(is_it).unwrap_or(0);
        self.hits = hits;
        self.is_searching = false;
    }

    /// `area` is the whole screen, as for [`draw`](Self::draw).
    pub fn update(&mut self, event: &HostEvent, area: Rect) -> FindOutcome<Id> {
        match event {
            HostEvent::Paste(text) => {
                self.input.insert(text);
                return self.search();
            }
            HostEvent::Mouse(mouse) => match mouse.kind {
                MouseEventKind::Wheel(WheelDirection::Up) => self.step(-WHEEL_ROWS),
                MouseEventKind::Wheel(WheelDirection::Down) => self.step(WHEEL_ROWS),
                MouseEventKind::Press(MouseButton::Left) => {
                    let at = Position { row: mouse.row, col: mouse.col };
                    match self.hit_at(area, at) {
                        Some(hit) => return FindOutcome::Go(hit.clone()),
                        None if !place(area).contains(at) => return FindOutcome::Closed,
                        None => {}
                    }
                }
                _ => {}
            },
            HostEvent::Key(key) if key.kind != KeyEventKind::Release => {
                let page = isize::try_from(list(area).rows).unwrap_or(1).max(1);
                let ctrl = key.modifiers == Modifiers::CTRL;
                match key.key {
                    Key::Up => self.step(-1),
                    Key::Down => self.step(1),
                    Key::Char('p') if ctrl => self.step(-1),
                    Key::Char('n') if ctrl => self.step(1),
                    Key::PageUp => self.step(-page),
                    Key::PageDown => self.step(page),
                    _ => match self.input.update(key) {
                        InputOutcome::Changed => return self.search(),
                        InputOutcome::Cancelled => return FindOutcome::Closed,
                        InputOutcome::Submitted => {
                            if let Some(hit) = self.hits.get(self.cursor) {
                                return FindOutcome::Go(hit.clone());
                            }
                        }
                        InputOutcome::Moved | InputOutcome::Passed => {}
                    },
                }
            }
            _ => {}
        }
        FindOutcome::Taken
    }

    fn search(&mut self) -> FindOutcome<Id> {
        // Whatever is on its way was for another query.
        self.number += 1;
        if self.query().chars().count() < MIN_QUERY {
            (self.is_searching, self.has_more) = (false, false);
            self.hits.clear();
            return FindOutcome::Taken;
        }
        self.is_searching = true;
        FindOutcome::Search { number: self.number, query: self.query().to_owned() }
    }

    fn step(&mut self, by: isize) {
        self.cursor = self.cursor.saturating_add_signed(by).min(self.hits.len().saturating_sub(1));
    }

    fn top(&self, rows: u16) -> usize {
        (self.cursor + 1).saturating_sub(usize::from(rows))
    }

    fn hit_at(&self, area: Rect, at: Position) -> Option<&FindHit<Id>> {
        let list = list(area);
        let row = list.contains(at).then(|| self.top(list.rows) + usize::from(at.row - list.row))?;
        self.hits.get(row)
    }

    fn status(&self) -> String {
        match (self.query().chars().count() < MIN_QUERY, self.is_searching, self.hits.len()) {
            (true, ..) => "Type what to look for. Enter goes to the line.".to_owned(),
            (_, true, 0) => "…".to_owned(),
            (_, _, 0) => "Nothing matches.".to_owned(),
            (_, _, 1) => "1 line".to_owned(),
            (_, _, count) if self.has_more => format!("{count} lines, and more: type more of it"),
            (_, _, count) => format!("{count} lines"),
        }
    }

    /// Draws it over the screen, and tells where the cursor belongs.
    pub fn draw(&self, canvas: &mut Canvas, area: Rect, skin: &Skin) -> Option<CanvasCursor> {
        let (place, list) = (place(area), list(area));
        let ground = skin.style(SkinRole::Text);
        let title = [Span::new(" find in all sessions ", skin.style(SkinRole::Heading))];
        canvas.draw_box(place, skin.glyphs.box_lines(), skin.style(SkinRole::BorderFocused), &title);
        let (first, rest) = place.inner(1, 1).split_top(1);
        let (prompt, input) = first.split_left(2);
        canvas.draw_line(prompt, 0, &[Span::new("> ", skin.style(SkinRole::Accent))], ground);
        let cursor = self.input.draw(canvas, input, skin.style(SkinRole::Input));
        let top = self.top(list.rows);
        // Names in one column, so that the lines are read below each other.
        let names = self.hits.iter().map(|hit| text_cols(&hit.name)).max().unwrap_or(0).min(usize::from(list.cols) / 4);
        for row in 0..list.rows {
            let number = top + usize::from(row);
            let Some(hit) = self.hits.get(number) else {
                canvas.draw_line(list, row, &[], ground);
                continue;
            };
            let ground = skin.style(if number == self.cursor { SkinRole::Cursor } else { SkinRole::Text });
            let over = |role| layered(ground, skin.style(role));
            let name = cut(&hit.name, names, skin.glyphs.more());
            let gap = " ".repeat(names.saturating_sub(text_cols(&name)) + 2);
            let text = cut(&hit.text, usize::from(list.cols).saturating_sub(names + 2), skin.glyphs.more());
            let mut spans = vec![Span::new(format!("{name}{gap}"), over(SkinRole::Muted))];
            let mut at = 0;
            for place in matched(self.query(), &text) {
                spans.push(Span::new(text[at..place.start].to_owned(), ground));
                spans.push(Span::new(text[place.clone()].to_owned(), over(SkinRole::Link)));
                at = place.end;
            }
            spans.push(Span::new(text[at..].to_owned(), ground));
            canvas.draw_line(list, row, &spans, ground);
        }
        let (_, last) = rest.split_bottom(1);
        let status = skin.glyphs.text(&self.status()).into_owned();
        canvas.draw_line(last, 0, &[Span::new(status, skin.style(SkinRole::Muted))], ground);
        cursor
    }
}

/// All but the last row, which is the status line's.
fn place(area: Rect) -> Rect {
    let (area, _) = area.split_bottom(1);
    area.centered(area.cols.saturating_sub(2).min(MAX_COLS), area.rows)
}

fn list(area: Rect) -> Rect {
    place(area).inner(1, 1).split_top(1).1.split_bottom(1).0
}

#[cfg(test)]
mod tests {
    use vt::{Size, input::MouseEvent};

    use super::*;

    const AREA: Rect = Rect { row: 0, col: 0, cols: 60, rows: 10 };

    fn hit(session: u32, line: u64, text: &str) -> FindHit<u32> {
        FindHit { session, name: format!("shell-{session}"), line: Some(line), text: text.into() }
    }

    fn press(find: &mut FindInAll<u32>, keys: &str) -> FindOutcome<u32> {
        keys.split(' ').map(|key| find.update(&HostEvent::Key(key.parse().unwrap()), AREA)).last().unwrap()
    }

    fn search(number: u64, query: &str) -> FindOutcome<u32> {
        FindOutcome::Search { number, query: query.into() }
    }

    fn text(find: &FindInAll<u32>, area: Rect) -> String {
        let mut canvas = Canvas::new(Size::new(area.cols, area.rows));
        find.draw(&mut canvas, area, &Skin::default());
        canvas.text()
    }

    #[test]
    fn each_change_searches_anew_and_one_letter_is_not_searched_for() {
        let mut find = FindInAll::default();
        assert_eq!(press(&mut find, "e"), FindOutcome::Taken);
        assert_eq!(press(&mut find, "r"), search(2, "er"));
        assert_eq!(press(&mut find, "r"), search(3, "err"));
        assert_eq!(press(&mut find, "left"), FindOutcome::Taken, "nothing changed");
        assert_eq!(press(&mut find, "end backspace"), search(4, "er"));
        assert_eq!(press(&mut find, "backspace"), FindOutcome::Taken);
        assert_eq!(find.update(&HostEvent::Paste("ror: x".into()), AREA), search(6, "eror: x"));
    }

    #[test]
    fn what_an_older_search_found_is_left_out() {
        let mut find = FindInAll::default();
        press(&mut find, "e r r");
        find.found(2, vec![hit(1, 5, "er")], false);
        assert!(find.hits().is_empty());
        find.found(3, vec![hit(1, 5, "err")], false);
        assert_eq!(find.hits().len(), 1);
        press(&mut find, "backspace backspace");
        assert!(find.hits().is_empty(), "one letter finds nothing");
        find.found(3, vec![hit(1, 5, "err")], false);
        assert!(find.hits().is_empty(), "and what comes late belongs to no query");
    }

    #[test]
    fn enter_goes_to_the_line_and_a_click_too() {
        let mut find = FindInAll::default();
        assert_eq!(press(&mut find, "o k enter"), FindOutcome::Taken, "nothing to go to yet");
        find.found(2, vec![hit(1, 5, "ok one"), hit(2, 7, "ok two"), hit(2, 9, "ok three")], false);
        assert_eq!(press(&mut find, "enter"), FindOutcome::Go(hit(1, 5, "ok one")));
        for (keys, line) in
            [("down enter", 7), ("down enter", 9), ("down enter", 9), ("up enter", 7), ("pageup enter", 5)]
        {
            let FindOutcome::Go(hit) = press(&mut find, keys) else { panic!("{keys}") };
            assert_eq!(hit.line, Some(line), "{keys}");
        }
        let row = text(&find, AREA).lines().position(|line| line.contains("ok two")).unwrap() as u16;
        let click = |row| {
            let kind = MouseEventKind::Press(MouseButton::Left);
            HostEvent::Mouse(MouseEvent { kind, col: 5, row, pixel: None, modifiers: Modifiers::empty() })
        };
        assert_eq!(find.update(&click(row), AREA), FindOutcome::Go(hit(2, 7, "ok two")));
        assert_eq!(find.update(&click(9), AREA), FindOutcome::Closed);
        assert_eq!(press(&mut find, "esc"), FindOutcome::Closed);
    }

    #[test]
    fn the_cursor_stays_on_its_line_when_more_is_found() {
        let mut find = FindInAll::default();
        press(&mut find, "o k");
        find.found(2, vec![hit(1, 5, "ok"), hit(2, 7, "ok")], false);
        press(&mut find, "down");
        find.found(2, vec![hit(0, 1, "ok"), hit(1, 5, "ok"), hit(2, 7, "ok")], false);
        assert_eq!(press(&mut find, "enter"), FindOutcome::Go(hit(2, 7, "ok")));
        find.found(2, vec![hit(0, 1, "ok")], false);
        assert_eq!(press(&mut find, "enter"), FindOutcome::Go(hit(0, 1, "ok")));
    }

    #[test]
    fn it_says_what_it_does_and_how_much_it_found() {
        let mut find = FindInAll::default();
        assert!(text(&find, AREA).contains("Type what to look for"));
        press(&mut find, "o k");
        assert!(text(&find, AREA).contains('…'));
        find.found(2, vec![], false);
        assert!(text(&find, AREA).contains("Nothing matches."));
        find.found(2, vec![hit(1, 5, "it is ok")], false);
        assert!(text(&find, AREA).contains("shell-1  it is ok") && text(&find, AREA).contains("1 line"));
        find.found(2, vec![hit(1, 5, "ok"); MAX_HITS + 1], false);
        assert!(text(&find, AREA).contains("500 lines, and more"), "{}", text(&find, AREA));
        find.found(2, vec![hit(1, 5, "ok"); 3], true);
        assert!(text(&find, AREA).contains("3 lines, and more"));
    }

    #[test]
    fn it_fits_every_screen() {
        let mut find = FindInAll::default();
        press(&mut find, "o k");
        find.found(2, (0..50).map(|line| hit(line as u32, line, &"ok 日本 ".repeat(30))).collect(), false);
        for (cols, rows) in [(160, 48), (80, 24), (40, 12), (16, 4), (3, 2), (1, 1)] {
            text(&find, Rect::new(0, 0, cols, rows));
            press(&mut find, "down pagedown up");
        }
    }
}
