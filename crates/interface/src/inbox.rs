//! The inbox: everything that needs the person, one thing after the other, and how it is answered.
//!
//! A key answers only what the person has seen: an allowing answer is refused until the whole text was in sight, every
//! answer until the item has been in sight for a moment, and the answer names the digest of what was drawn, so that
//! whoever carries it out can compare that with what is asked by then.

mod view;

use std::time::{Duration, Instant};

use tui::{HostEvent, Rect};
use vt::{
    Position,
    input::{Key, KeyEventKind, Modifiers, MouseButton, MouseEventKind, WheelDirection},
};

/// A key that was on its way when another item appeared answers nothing.
const SEEN: Duration = Duration::from_millis(400);
/// What was answered is left out for this long while it is still reported: then it was asked again, or the answer had no
/// effect.
const SENT_STAYS: Duration = Duration::from_secs(3);

/// One thing that waits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InboxItem {
    /// Stays the same for as long as the same session waits for the same reason.
    pub id: String,
    pub who: String,
    /// How long it has waited, in two or three characters; empty in the first minute.
    pub since: String,
    /// What it is about, in a line.
    pub summary: String,
    /// All that has to be read before it may be allowed.
    pub detail: Vec<InboxText>,
    pub choices: Vec<InboxChoice>,
    /// What refuses it, if something does.
    pub deny: Option<String>,
    /// Names what is asked: another digest is another question.
    pub digest: String,
}

/// A paragraph of what is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InboxText {
    /// What it is, by patterm's own word.
    Note(String),
    /// What would be done, as it is.
    Quote(String),
    /// What the asker says of it: not to be trusted.
    Claim(String),
    /// What the person should mind.
    Warning(String),
}

/// One answer that the question offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxChoice {
    pub label: String,
    pub effect: ChoiceEffect,
    /// What chooses it, in whatever form the caller understands; `None` for what can only be chosen where it is asked.
    pub sends: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoiceEffect {
    AllowOnce,
    Deny,
    Other,
}

/// An answer to carry out, if the question is still the one that was drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxAnswer {
    pub id: String,
    pub digest: String,
    pub sends: String,
}

/// What an event led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InboxOutcome {
    Taken,
    Closed,
    /// The person wants to see where it is asked.
    Open(String),
    Answered(InboxAnswer),
}

/// Why the last key did nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InboxRefusal {
    /// The text goes on below.
    Unread,
    /// This can only be chosen where it is asked.
    OnlyThere,
}

/// All that waits, and the one that is looked at.
#[derive(Clone, Debug, Default)]
pub struct Inbox {
    items: Vec<InboxItem>,
    current: usize,
    scroll: usize,
    /// The end of the current text has been in sight.
    read: bool,
    refusal: Option<InboxRefusal>,
    /// Since when the current question is in sight.
    since: Option<Instant>,
    /// Answered, and perhaps not gone yet.
    sent: Vec<SentAnswer>,
}

#[derive(Clone, Debug)]
struct SentAnswer {
    id: String,
    digest: String,
    at: Instant,
}

impl Inbox {
    /// The person opens it: the item that has waited longest comes first.
    pub fn open(&mut self, items: Vec<InboxItem>, now: Instant) {
        self.items.clear();
        self.current = 0;
        self.set_items(items, now);
    }

    pub fn items(&self) -> &[InboxItem] {
        &self.items
    }

    pub fn current(&self) -> Option<&InboxItem> {
        self.items.get(self.current)
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// What waits now. What was answered is left out until it asks something else, and the person stays where they are.
    pub fn set_items(&mut self, items: Vec<InboxItem>, now: Instant) {
        let is_it = |sent: &SentAnswer, item: &InboxItem| sent.id == item.id && sent.digest == item.digest;
        self.sent.retain(|sent| {
            now.saturating_duration_since(sent.at) < SENT_STAYS && items.iter().any(|item| is_it(sent, item))
        });
        let before = self.current().map(|item| (item.id.clone(), item.digest.clone()));
        let is_sent = |item: &InboxItem| self.sent.iter().any(|sent| is_it(sent, item));
        self.items = items.into_iter().filter(|item| !is_sent(item)).collect();
        let same = before.as_ref().and_then(|(id, _)| self.items.iter().position(|item| item.id == *id));
        // Where it was, the next one stands now.
        self.current = same.unwrap_or_else(|| self.current.min(self.items.len().saturating_sub(1)));
        let is_same = before
            .as_ref()
            .is_some_and(|(id, digest)| self.current().is_some_and(|item| item.id == *id && item.digest == *digest));
        if !is_same {
            self.came_in_sight(now);
        }
    }

    /// An answer could not be carried out: the question stands there again.
    pub fn not_taken(&mut self, id: &str) {
        self.sent.retain(|sent| sent.id != id);
    }

    /// To the next item, from the last one to the first.
    pub fn next(&mut self, now: Instant) {
        self.step(1, now);
    }

    fn step(&mut self, by: isize, now: Instant) {
        let count = self.items.len();
        if count > 1 {
            self.current = (self.current + count).saturating_add_signed(by) % count;
            self.came_in_sight(now);
        }
    }

    fn came_in_sight(&mut self, now: Instant) {
        (self.scroll, self.read, self.refusal, self.since) = (0, false, None, Some(now));
    }

    /// `area` is the whole screen, as for [`draw`](Self::draw).
    pub fn update(&mut self, event: &HostEvent, area: Rect, now: Instant) -> InboxOutcome {
        // What is drawn in this area has been in sight.
        self.look(area);
        let outcome = match event {
            HostEvent::Key(key) if key.kind != KeyEventKind::Release => {
                self.refusal = None;
                match key.key {
                    Key::Escape => InboxOutcome::Closed,
                    Key::Enter => {
                        self.current().map_or(InboxOutcome::Closed, |item| InboxOutcome::Open(item.id.clone()))
                    }
                    Key::Tab if key.modifiers.contains(Modifiers::SHIFT) => self.stepped(-1, now),
                    Key::Tab | Key::Right => self.stepped(1, now),
                    Key::Left => self.stepped(-1, now),
                    Key::Up => self.scrolled(-1, area),
                    Key::Down => self.scrolled(1, area),
                    Key::PageUp => self.scrolled(-self.page(area), area),
                    Key::PageDown => self.scrolled(self.page(area), area),
                    Key::Char(letter) if (key.modifiers - Modifiers::SHIFT).is_empty() => self.typed(letter, now),
                    _ => InboxOutcome::Taken,
                }
            }
            HostEvent::Mouse(mouse) => match mouse.kind {
                MouseEventKind::Wheel(WheelDirection::Up) => self.scrolled(-3, area),
                MouseEventKind::Wheel(WheelDirection::Down) => self.scrolled(3, area),
                MouseEventKind::Press(MouseButton::Left) => {
                    self.clicked(area, Position { row: mouse.row, col: mouse.col }, now)
                }
                _ => InboxOutcome::Taken,
            },
            _ => InboxOutcome::Taken,
        };
        self.look(area);
        outcome
    }

    fn stepped(&mut self, by: isize, now: Instant) -> InboxOutcome {
        self.step(by, now);
        InboxOutcome::Taken
    }

    fn scrolled(&mut self, by: isize, area: Rect) -> InboxOutcome {
        self.scroll = self.scroll.saturating_add_signed(by).min(self.last_scroll(area));
        InboxOutcome::Taken
    }

    fn page(&self, area: Rect) -> isize {
        isize::try_from(self.text_rows(area)).unwrap_or(1).max(1)
    }

    fn look(&mut self, area: Rect) {
        self.read |= self.text_rows(area) > 0 && self.scroll >= self.last_scroll(area);
    }

    fn clicked(&mut self, area: Rect, at: Position, now: Instant) -> InboxOutcome {
        match self.row_at(area, at) {
            Some(index) if index != self.current => {
                self.current = index;
                self.came_in_sight(now);
                InboxOutcome::Taken
            }
            None if !self.place(area).contains(at) => InboxOutcome::Closed,
            _ => InboxOutcome::Taken,
        }
    }

    /// `o` allows once, `d` denies, a digit takes the choice of that number.
    fn typed(&mut self, letter: char, now: Instant) -> InboxOutcome {
        let Some(item) = self.current() else { return InboxOutcome::Taken };
        let only = |effect| {
            let mut found = item.choices.iter().filter(|choice| choice.effect == effect);
            found.next().filter(|_| found.next().is_none())
        };
        let (sends, effect) = match letter {
            'o' => match only(ChoiceEffect::AllowOnce) {
                Some(choice) => (choice.sends.clone(), choice.effect),
                None => return InboxOutcome::Taken,
            },
            'd' => (item.denial().map(str::to_owned), ChoiceEffect::Deny),
            digit => match digit.to_digit(10).and_then(|digit| item.choices.get((digit as usize).checked_sub(1)?)) {
                Some(choice) => (choice.sends.clone(), choice.effect),
                None => return InboxOutcome::Taken,
            },
        };
        let Some(sends) = sends else {
            self.refusal = (letter != 'd' || !item.choices.is_empty()).then_some(InboxRefusal::OnlyThere);
            return InboxOutcome::Taken;
        };
        if self.since.is_none_or(|since| now.saturating_duration_since(since) < SEEN) {
            return InboxOutcome::Taken;
        }
        if effect != ChoiceEffect::Deny && !self.read {
            self.refusal = Some(InboxRefusal::Unread);
            return InboxOutcome::Taken;
        }
        self.answered(sends, now)
    }

    fn answered(&mut self, sends: String, now: Instant) -> InboxOutcome {
        let item = self.items.remove(self.current);
        self.sent.push(SentAnswer { id: item.id.clone(), digest: item.digest.clone(), at: now });
        self.current = self.current.min(self.items.len().saturating_sub(1));
        self.came_in_sight(now);
        InboxOutcome::Answered(InboxAnswer { id: item.id, digest: item.digest, sends })
    }
}

impl InboxItem {
    /// What refuses it: the choice that does, or else what leaves it.
    fn denial(&self) -> Option<&str> {
        let choice = self.choices.iter().find(|choice| choice.effect == ChoiceEffect::Deny);
        choice.and_then(|choice| choice.sends.as_deref()).or(self.deny.as_deref())
    }

    fn may(&self, effect: ChoiceEffect) -> bool {
        self.choices.iter().filter(|choice| choice.effect == effect && choice.sends.is_some()).count() == 1
    }
}

#[cfg(test)]
mod tests;
