//! Which keys are down, and who got their presses: a release goes where its press went, and nowhere else.

use engine::SessionId;
use vt::input::{Key, KeyEvent, KeyEventKind};

/// Keys that are remembered: more than fingers. Hosts that report no releases never take them back.
const MAX_HELD: usize = 16;

/// The presses whose releases are still to come, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct PressedKeys {
    /// With the session that was told; none if the press was ours.
    keys: Vec<(Key, Option<SessionId>)>,
}

impl PressedKeys {
    /// A press is ours until a session gets it.
    pub(crate) fn pressed(&mut self, key: &KeyEvent) {
        if key.kind != KeyEventKind::Release {
            self.note(key, None);
        }
    }

    /// A session gets the press.
    pub(super) fn told(&mut self, key: &KeyEvent, session: SessionId) {
        self.note(key, Some(session));
    }

    /// Whether the release of `key` is for `session`. One whose press nobody saw is: it is as it would be without us.
    pub(super) fn released(&mut self, key: &KeyEvent, session: SessionId) -> bool {
        let wanted = folded(&key.key);
        let found = self.keys.iter().position(|(held, _)| *held == wanted).map(|index| self.keys.remove(index));
        found.is_none_or(|(_, told)| told == Some(session))
    }

    fn note(&mut self, key: &KeyEvent, session: Option<SessionId>) {
        let key = folded(&key.key);
        self.keys.retain(|(held, _)| *held != key);
        if self.keys.len() >= MAX_HELD {
            self.keys.remove(0);
        }
        self.keys.push((key, session));
    }
}

/// Hosts report the press of a letter as they type it, and its release as the key without Shift.
fn folded(key: &Key) -> Key {
    match key {
        Key::Char(c) => Key::Char(c.to_lowercase().next().unwrap_or(*c)),
        other => *other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(key: &str) -> KeyEvent {
        key.parse().unwrap()
    }

    fn release(key: &str) -> KeyEvent {
        press(key).with_kind(KeyEventKind::Release)
    }

    #[test]
    fn a_release_follows_its_press() {
        let (one, other): (SessionId, SessionId) = ("p_000001".parse().unwrap(), "p_000002".parse().unwrap());
        let mut held = PressedKeys::default();
        held.pressed(&press("enter"));
        assert!(!held.released(&release("enter"), one), "the press was ours");
        assert!(held.released(&release("enter"), one), "that press was before our time");
        held.pressed(&press("A"));
        held.told(&press("A"), one);
        assert!(held.released(&release("a"), one), "the press was its own");
        held.told(&press("x"), one);
        assert!(!held.released(&release("x"), other), "the press was another's");
        held.pressed(&press("esc"));
        held.told(&press("esc"), one);
        held.pressed(&release("esc"));
        assert!(held.released(&release("esc"), one), "the last press counts, and a release is none");
    }

    #[test]
    fn keys_that_never_come_up_are_forgotten() {
        let mut held = PressedKeys::default();
        ('a'..='z').for_each(|c| held.pressed(&KeyEvent::press(c)));
        assert_eq!(held.keys.len(), MAX_HELD);
    }
}
