//! The effect of keys: in the prompt box, at a permission prompt, in a dialog.

use std::time::{Duration, Instant};

use super::{FakeActor, PerformanceEnd};
use crate::costume::PromptShortcut;
use crate::keys::TypedKey;
use crate::scene::{QuestionAnswer, SceneFront};

/// Characters in one read that count as a burst.
const BURST: usize = 3;
/// How long after a burst Enter still belongs to it.
const BURST_TIME: Duration = Duration::from_millis(20);

impl FakeActor {
    pub(super) fn press_all(&mut self, bytes: &[u8], now: Instant) {
        let mut typed = 0;
        for key in self.decoder.feed(bytes) {
            match &key {
                TypedKey::Char(_) => typed += 1,
                TypedKey::Paste(_) => {}
                _ => typed = 0,
            }
            let manners = self.stage.costume.manners();
            let large = matches!(&key, TypedKey::Paste(text) if (self.stage.costume.paste_rule().is_large)(text));
            let burst =
                (manners.typed_burst_is_a_paste && typed >= BURST) || (manners.loses_enter_after_large_paste && large);
            self.press(key, now);
            if burst && self.line.script.settings.burst_rule {
                self.burst = Some(now);
            }
        }
    }

    pub(super) fn press(&mut self, key: TypedKey, now: Instant) {
        self.scene.unseen_end = false;
        if key != TypedKey::Interrupt {
            self.scene.leaving = false;
        }
        if key != TypedKey::Escape {
            self.scene.interrupting = false;
        }
        match self.scene.front {
            SceneFront::PromptBox => self.press_in_box(key, now),
            SceneFront::Question(_) => self.press_at_question(key, now),
            SceneFront::Dialog(_) => self.press_at_dialog(key),
        }
    }

    fn press_in_box(&mut self, key: TypedKey, now: Instant) {
        let rule = self.line.script.settings.collapse_pastes.then(|| self.stage.costume.paste_rule());
        match key {
            TypedKey::Char(c) => self.scene.draft.type_char(c),
            TypedKey::Newline => self.scene.draft.type_char('\n'),
            TypedKey::Paste(text) => self.scene.draft.paste(&text, rule),
            TypedKey::Backspace => self.scene.draft.delete_last(),
            TypedKey::Clear => self.scene.draft.clear(),
            TypedKey::Enter if self.belongs_to_burst(now) => {
                if self.stage.costume.manners().typed_burst_is_a_paste {
                    self.scene.draft.type_char('\n');
                }
            }
            TypedKey::Enter => self.press_enter(now),
            TypedKey::Escape => self.press_escape(now),
            TypedKey::Interrupt => self.press_interrupt(now),
            TypedKey::EndOfInput if self.scene.draft.is_empty() => self.ending = Some(PerformanceEnd::Exit(0)),
            TypedKey::EndOfInput
            | TypedKey::Tab
            | TypedKey::BackTab
            | TypedKey::Up
            | TypedKey::Down
            | TypedKey::Left
            | TypedKey::Right => {}
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
            self.ending = Some(PerformanceEnd::Exit(0));
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
            self.ending = Some(PerformanceEnd::Exit(0));
        }
    }

    fn press_at_question(&mut self, key: TypedKey, now: Instant) {
        let SceneFront::Question(question) = &mut self.scene.front else { return };
        let answers = self.stage.costume.answers(&question.about);
        let last = answers.len() - 1;
        let shortcut = match key {
            TypedKey::Char(c) => self.stage.costume.shortcut(c),
            _ => None,
        };
        let answer = match (key, shortcut) {
            (_, Some(PromptShortcut::Answer(answer))) => Some(answer),
            (TypedKey::Up | TypedKey::Left | TypedKey::BackTab, _) | (_, Some(PromptShortcut::Back)) => {
                question.marked = question.marked.saturating_sub(1);
                None
            }
            (TypedKey::Down | TypedKey::Right, _) | (_, Some(PromptShortcut::Forward)) => {
                question.marked = (question.marked + 1).min(last);
                None
            }
            (TypedKey::Char(c), _) => {
                let number = c.to_digit(10).and_then(|digit| usize::try_from(digit).ok());
                number.and_then(|number| answers.get(number.checked_sub(1)?).copied())
            }
            // A stray Enter approves, as in the real CLIs.
            (TypedKey::Enter, _) => Some(answers[question.marked.min(last)]),
            (TypedKey::Escape | TypedKey::Interrupt, _) => Some(QuestionAnswer::Refuse),
            _ => None,
        };
        if let Some(answer) = answer {
            self.answer_question(answer, now);
        }
    }

    fn press_at_dialog(&mut self, key: TypedKey) {
        let SceneFront::Dialog(dialog) = &mut self.scene.front else { return };
        let count = dialog.options.len();
        let choice = match key {
            TypedKey::Up | TypedKey::BackTab => {
                dialog.marked = dialog.marked.saturating_sub(1);
                None
            }
            TypedKey::Down | TypedKey::Tab => {
                dialog.marked = (dialog.marked + 1).min(count.saturating_sub(1));
                None
            }
            TypedKey::Char(c) => {
                c.to_digit(10).map(|digit| digit as usize).filter(|number| (1..=count).contains(number))
            }
            TypedKey::Enter => Some(dialog.marked + 1),
            TypedKey::Escape | TypedKey::Interrupt => Some(0),
            _ => None,
        };
        let Some(choice) = choice else { return };
        if dialog.exits.is_some_and(|exit| choice == exit || choice == 0) {
            self.ending = Some(PerformanceEnd::Exit(0));
            return;
        }
        self.scene.front = SceneFront::PromptBox;
        self.choose(choice);
    }
}
