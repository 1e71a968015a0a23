//! What keys do: in the prompt box, at a permission prompt, at a dialog.

use std::time::{Duration, Instant};

use super::{Actor, Ending};
use crate::costume::Shortcut;
use crate::keys::Key;
use crate::scene::{Answer, Front};

/// Characters in one read that count as a burst.
const BURST: usize = 3;
/// How long after a burst Enter still belongs to it.
const BURST_TIME: Duration = Duration::from_millis(20);

impl Actor {
    pub(super) fn press_all(&mut self, bytes: &[u8], now: Instant) {
        let mut typed = 0;
        for key in self.decoder.feed(bytes) {
            match &key {
                Key::Char(_) => typed += 1,
                Key::Paste(_) => {}
                _ => typed = 0,
            }
            let manners = self.stage.costume.manners();
            let large = matches!(&key, Key::Paste(text) if (self.stage.costume.paste_rule().is_large)(text));
            let burst =
                (manners.typed_burst_is_a_paste && typed >= BURST) || (manners.loses_enter_after_large_paste && large);
            self.press(key, now);
            if burst && self.line.script.settings.burst_rule {
                self.burst = Some(now);
            }
        }
    }

    pub(super) fn press(&mut self, key: Key, now: Instant) {
        self.scene.unseen_end = false;
        if key != Key::Interrupt {
            self.scene.leaving = false;
        }
        if key != Key::Escape {
            self.scene.interrupting = false;
        }
        match self.scene.front {
            Front::PromptBox => self.press_in_box(key, now),
            Front::Question(_) => self.press_at_question(key, now),
            Front::Dialog(_) => self.press_at_dialog(key),
        }
    }

    fn press_in_box(&mut self, key: Key, now: Instant) {
        let rule = self.line.script.settings.collapse_pastes.then(|| self.stage.costume.paste_rule());
        match key {
            Key::Char(c) => self.scene.draft.type_char(c),
            Key::Newline => self.scene.draft.type_char('\n'),
            Key::Paste(text) => self.scene.draft.paste(&text, rule),
            Key::Backspace => self.scene.draft.delete_last(),
            Key::Clear => self.scene.draft.clear(),
            Key::Enter if self.belongs_to_burst(now) => {
                if self.stage.costume.manners().typed_burst_is_a_paste {
                    self.scene.draft.type_char('\n');
                }
            }
            Key::Enter => self.press_enter(now),
            Key::Escape => self.press_escape(now),
            Key::Interrupt => self.press_interrupt(now),
            Key::EndOfInput if self.scene.draft.is_empty() => self.ending = Some(Ending::Exit(0)),
            Key::EndOfInput | Key::Tab | Key::BackTab | Key::Up | Key::Down | Key::Left | Key::Right => {}
        }
    }

    fn belongs_to_burst(&mut self, now: Instant) -> bool {
        self.burst.take().is_some_and(|burst| now.saturating_duration_since(burst) < BURST_TIME)
    }

    fn press_enter(&mut self, now: Instant) {
        let text = self.scene.draft.text().trim().to_owned();
        if text.is_empty() {
            return;
        }
        let shown = self.scene.draft.shown().trim().to_owned();
        self.scene.draft.clear();
        if matches!(text.as_str(), "/exit" | "/quit") {
            self.ending = Some(Ending::Exit(0));
            return;
        }
        self.submit(text, shown, now);
    }

    fn press_escape(&mut self, now: Instant) {
        if self.scene.work.is_none() {
            return;
        }
        if self.stage.costume.manners().escapes_to_interrupt > 1 && !self.scene.interrupting {
            self.scene.interrupting = true;
        } else {
            self.interrupt_turn(now);
        }
    }

    fn press_interrupt(&mut self, now: Instant) {
        if !self.scene.draft.is_empty() {
            self.scene.draft.clear();
        } else if self.scene.work.is_some() {
            self.interrupt_turn(now);
        } else if self.stage.costume.manners().interrupts_to_leave > 1 && !self.scene.leaving {
            self.scene.leaving = true;
        } else {
            self.ending = Some(Ending::Exit(0));
        }
    }

    fn press_at_question(&mut self, key: Key, now: Instant) {
        let Front::Question(question) = &mut self.scene.front else { return };
        let answers = self.stage.costume.answers(&question.about);
        let last = answers.len() - 1;
        let shortcut = match key {
            Key::Char(c) => self.stage.costume.shortcut(c),
            _ => None,
        };
        let answer = match (key, shortcut) {
            (_, Some(Shortcut::Answer(answer))) => Some(answer),
            (Key::Up | Key::Left | Key::BackTab, _) | (_, Some(Shortcut::Back)) => {
                question.marked = question.marked.saturating_sub(1);
                None
            }
            (Key::Down | Key::Right, _) | (_, Some(Shortcut::Forward)) => {
                question.marked = (question.marked + 1).min(last);
                None
            }
            (Key::Char(c), _) => {
                let number = c.to_digit(10).and_then(|digit| usize::try_from(digit).ok());
                number.and_then(|number| answers.get(number.checked_sub(1)?).copied())
            }
            // A stray Enter approves, as it does with the real ones.
            (Key::Enter, _) => Some(answers[question.marked.min(last)]),
            (Key::Escape | Key::Interrupt, _) => Some(Answer::Refuse),
            _ => None,
        };
        if let Some(answer) = answer {
            self.answer_question(answer, now);
        }
    }

    fn press_at_dialog(&mut self, key: Key) {
        let Front::Dialog(dialog) = &mut self.scene.front else { return };
        let count = dialog.options.len();
        let choice = match key {
            Key::Up | Key::BackTab => {
                dialog.marked = dialog.marked.saturating_sub(1);
                None
            }
            Key::Down | Key::Tab => {
                dialog.marked = (dialog.marked + 1).min(count.saturating_sub(1));
                None
            }
            Key::Char(c) => c.to_digit(10).map(|digit| digit as usize).filter(|number| (1..=count).contains(number)),
            Key::Enter => Some(dialog.marked + 1),
            Key::Escape | Key::Interrupt => Some(0),
            _ => None,
        };
        let Some(choice) = choice else { return };
        if dialog.exits.is_some_and(|exit| choice == exit || choice == 0) {
            self.ending = Some(Ending::Exit(0));
            return;
        }
        self.scene.front = Front::PromptBox;
        self.choose(choice);
    }
}
