//! How the inbox looks: a list of all that waits, below it the whole of the one that is looked at.

use tui::{
    Canvas, Rect, Sign, Skin, SkinRole, Span, layered,
    widgets::{StyledLine, cut, wrap_spans},
};
use vt::{Position, Style};

use super::{ChoiceEffect, Inbox, InboxItem, InboxRefusal, InboxText};

/// Beyond, lines are hard to follow with the eye.
const MAX_COLS: u16 = 100;
/// Below this width words are broken into letters, and nothing counts as read.
const MIN_READABLE_COLS: u16 = 10;
/// Rows of the list, where there are many.
const MAX_LISTED: u16 = 6;

/// Where things are.
struct InboxPlaces {
    list: Rect,
    text: Rect,
    footer: Rect,
}

impl Inbox {
    /// The last row of the screen stays free: the status line goes on telling how much waits.
    pub(super) fn place(&self, area: Rect) -> Rect {
        let (area, _) = area.split_bottom(1);
        let cols = area.cols.saturating_sub(2).min(MAX_COLS).max(area.cols.min(20));
        let inner = cols.saturating_sub(4);
        let listed = u16::try_from(self.items.len()).unwrap_or(u16::MAX).min(MAX_LISTED);
        let text = u16::try_from(self.text(inner).len()).unwrap_or(u16::MAX);
        let footer = u16::try_from(self.hints(inner).len()).unwrap_or(1);
        let gap = u16::from(text > 0);
        let rows = listed.saturating_add(text).saturating_add(footer + 2 + gap);
        area.centered(cols, rows.min(area.rows))
    }

    fn places(&self, area: Rect) -> InboxPlaces {
        let inside = self.place(area).inner(2, 1);
        let footer_rows = u16::try_from(self.hints(inside.cols).len()).unwrap_or(1).min(inside.rows / 3 + 1);
        let (inside, footer) = inside.split_bottom(footer_rows);
        let wanted = u16::try_from(self.items.len()).unwrap_or(u16::MAX).min(MAX_LISTED);
        // The text is what has to be read: where both have no room, the list gives way.
        let text = u16::try_from(self.text(inside.cols).len()).unwrap_or(u16::MAX);
        let gap = u16::from(text > 0);
        let spare = inside.rows.saturating_sub(text.saturating_add(gap));
        let (list, below) = inside.split_top(wanted.min(spare.max(inside.rows / 3).max(1)));
        let (_, text) = below.split_top(gap);
        InboxPlaces { list, text, footer }
    }

    pub(super) fn text_rows(&self, area: Rect) -> usize {
        let text = self.places(area).text;
        let nothing_to_read = self.current().is_none_or(|item| item.detail.is_empty() && item.choices.is_empty());
        match (nothing_to_read, text.cols < MIN_READABLE_COLS) {
            (true, _) => 1,
            (false, true) => 0,
            (false, false) => usize::from(text.rows),
        }
    }

    pub(super) fn last_scroll(&self, area: Rect) -> usize {
        let text = self.places(area).text;
        self.text(text.cols).len().saturating_sub(usize::from(text.rows))
    }

    fn first_listed(&self, rows: u16) -> usize {
        (self.current + 1).saturating_sub(usize::from(rows))
    }

    /// The item whose row in the list is at `at`.
    pub(super) fn row_at(&self, area: Rect, at: Position) -> Option<usize> {
        let list = self.places(area).list;
        let row = list.contains(at).then(|| self.first_listed(list.rows) + usize::from(at.row - list.row))?;
        (row < self.items.len()).then_some(row)
    }

    /// The text of the current item, without colours: what has to be counted is counted before there is a skin.
    fn text(&self, cols: u16) -> Vec<StyledLine> {
        self.styled(cols, &Skin::default())
    }

    fn styled(&self, cols: u16, skin: &Skin) -> Vec<StyledLine> {
        let Some(item) = self.current() else { return Vec::new() };
        let (plain, muted) = (skin.style(SkinRole::Modal), skin.style(SkinRole::Muted));
        let mut lines: Vec<StyledLine> = Vec::new();
        let mut add = |spans: &[Span<'_>], indent| lines.extend(wrap_spans(spans, usize::from(cols), indent));
        for text in &item.detail {
            match text {
                InboxText::Note(note) => add(&[Span::new(note.as_str(), muted)], 0),
                InboxText::Quote(quote) => {
                    add(&[Span::new("  ", plain), Span::new(quote.as_str(), skin.style(SkinRole::Code))], 2);
                }
                InboxText::Claim(claim) => {
                    add(&[Span::new("It says: ", muted), Span::new(claim.as_str(), plain)], 2);
                }
                InboxText::Warning(warning) => add(&[Span::new(warning.as_str(), skin.style(SkinRole::Warning))], 0),
            }
        }
        for (number, choice) in (1..).zip(&item.choices) {
            let tag = match (choice.effect, &choice.sends) {
                (_, None) => "  (only there)",
                (ChoiceEffect::AllowOnce, _) => "  (allows this once)",
                (ChoiceEffect::Deny, _) => "  (denies)",
                (ChoiceEffect::Other, _) => "",
            };
            let key = format!("{number} ");
            add(
                &[
                    Span::new(key, skin.style(SkinRole::KeyName)),
                    Span::new(choice.label.as_str(), plain),
                    Span::new(tag, muted),
                ],
                3,
            );
        }
        lines
    }

    /// What can be done, in as many rows as it takes.
    fn hints(&self, cols: u16) -> Vec<StyledLine> {
        self.styled_hints(cols, 0, &Skin::default())
    }

    fn styled_hints(&self, cols: u16, below: usize, skin: &Skin) -> Vec<StyledLine> {
        let (key, muted) = (skin.style(SkinRole::KeyName), skin.style(SkinRole::Muted));
        let mut hints: Vec<(&str, &str)> = Vec::new();
        if let Some(item) = self.current() {
            if item.may(ChoiceEffect::AllowOnce) {
                hints.push(("o", "allow once"));
            }
            if item.denial().is_some() {
                hints.push(("d", "deny"));
            }
            if item.choices.iter().any(|choice| choice.sends.is_some()) {
                hints.push(("1-9", "choose"));
            }
            hints.push(("Enter", "open"));
        }
        if self.items.len() > 1 {
            hints.push(("Tab", "next"));
        }
        hints.push(("Esc", "close"));
        let mut lines: Vec<StyledLine> = vec![Vec::new()];
        let mut used = 0;
        for (name, does) in hints {
            let width = name.len() + does.len() + 3;
            if used > 0 && used + width > usize::from(cols) {
                lines.push(Vec::new());
                used = 0;
            }
            let line = lines.last_mut().expect("there is always a line");
            line.push(Span::new(name, key));
            line.push(Span::new(format!(" {does}  "), muted));
            used += width;
        }
        let said = match (self.refusal, below) {
            (Some(InboxRefusal::OnlyThere), _) => {
                "This can only be answered where it is asked: Enter opens it".to_owned()
            }
            (Some(InboxRefusal::Unread), _) => format!("Read it to the end first (↓): {below} more"),
            (None, 0) => String::new(),
            (None, below) => format!("↓ {below} more"),
        };
        // A row of its own, also while it is empty, so that nothing moves when there is something to say.
        let role = if self.refusal.is_some() { SkinRole::Warning } else { SkinRole::Accent };
        let said = cut(&skin.glyphs.text(&said), usize::from(cols), skin.glyphs.more());
        lines.insert(0, vec![Span::new(said, skin.style(role))]);
        lines
    }

    /// Draws it over everything but the last row.
    pub fn draw(&self, canvas: &mut Canvas, area: Rect, skin: &Skin) {
        let (place, places) = (self.place(area), self.places(area));
        let ground = skin.style(SkinRole::Modal);
        for row in 0..place.rows {
            canvas.draw_line(place, row, &[], ground);
        }
        let title = match self.items.len() {
            0 | 1 => " needs you ".to_owned(),
            count => format!(" needs you {}/{count} ", self.current + 1),
        };
        let title = [Span::new(title, skin.style(SkinRole::Heading))];
        canvas.draw_box(place, skin.glyphs.box_lines(), skin.style(SkinRole::BorderFocused), &title);
        let first = self.first_listed(places.list.rows);
        for (row, item) in (0..places.list.rows).zip(self.items.iter().skip(first)) {
            let here = first + usize::from(row) == self.current;
            let ground = skin.style(if here { SkinRole::Cursor } else { SkinRole::Modal });
            canvas.draw_line(places.list, row, &on(ground, listed(item, places.list.cols, skin)), ground);
        }
        let mut text = self.styled(places.text.cols, skin);
        for row in 0..places.text.rows {
            let line = text.get_mut(self.scroll + usize::from(row)).map(std::mem::take).unwrap_or_default();
            canvas.draw_line(places.text, row, &on(ground, line), ground);
        }
        let below = text.len().saturating_sub(self.scroll + usize::from(places.text.rows));
        let hints = self.styled_hints(places.footer.cols, below, skin);
        for (row, line) in (0..places.footer.rows).zip(hints) {
            canvas.draw_line(places.footer, row, &on(ground, line), ground);
        }
    }
}

/// A line on the ground that it is drawn on.
fn on(ground: Style, mut line: StyledLine) -> StyledLine {
    line.iter_mut().for_each(|span| span.style = layered(ground, span.style));
    line
}

/// `▲ claude-1  3m  wants to run: make`.
fn listed(item: &InboxItem, cols: u16, skin: &Skin) -> StyledLine {
    let since = if item.since.is_empty() { String::new() } else { format!("{}  ", item.since) };
    let room = usize::from(cols).saturating_sub(2);
    let text = cut(&format!("{}  {since}{}", item.who, item.summary), room, skin.glyphs.more());
    let sign = format!("{} ", skin.glyphs.sign(Sign::Blocked));
    vec![Span::new(sign, skin.sign_style(Sign::Blocked)), Span::new(text, skin.style(SkinRole::Text))]
}
