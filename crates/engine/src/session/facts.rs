//! What a child has reported about itself beyond its screen: the latest of each kind, bounded.
//!
//! Readers and rules use the facts; [`SessionEvent`]s are only hints that one changed. A listener that missed events
//! reads the facts again.

use std::time::Instant;

use vt::{DesktopNotification, Effect, ProgressReport, PromptMark};

use crate::session::status::{Owner, Status};

/// A value and the time at which the child reported it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenValue<T> {
    pub value: T,
    pub at: Instant,
    /// The screen's version at that moment.
    pub version: u64,
}

/// Of one run of a session; a restart starts without any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChildFacts {
    pub title: Option<SeenValue<String>>,
    pub icon_name: Option<SeenValue<String>>,
    /// OSC 7, as reported by the child: not verified.
    pub working_directory: Option<SeenValue<String>>,
    pub progress: Option<SeenValue<ProgressReport>>,
    /// OSC 7501.
    pub agent_state: Option<SeenValue<Vec<(String, String)>>>,
    pub prompt: Option<SeenValue<PromptMark>>,
    /// The latest one; `notifications` counts them all.
    pub notification: Option<SeenValue<DesktopNotification>>,
    pub notifications: u64,
    /// When the bell rang last; `bells` counts the turns of output in which it did.
    pub bell: Option<SeenValue<()>>,
    pub bells: u64,
    pub resize_request: Option<SeenValue<vt::Size>>,
    /// The latest body of each OSC the terminal gives no meaning to, at most
    /// [`ChildFacts::MAX_UNKNOWN_OSC`] of them, most recent last.
    pub unknown_osc: Vec<(u32, SeenValue<String>)>,
}

/// An event of one session. A slow listener loses the oldest ones and is told so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionEvent {
    /// A request or report of the child. Never a `Reply`: those are already answered.
    Child(Effect),
    Owner(Owner),
    Status(Status),
}

impl ChildFacts {
    pub const MAX_UNKNOWN_OSC: usize = 16;

    /// Records what the child reported. Replays of recordings keep their own facts with this.
    pub fn note(&mut self, effect: &Effect, at: Instant, version: u64) {
        fn seen<T>(value: T, at: Instant, version: u64) -> Option<SeenValue<T>> {
            Some(SeenValue { value, at, version })
        }
        match effect {
            Effect::Title(title) => self.title = seen(title.clone(), at, version),
            Effect::IconName(name) => self.icon_name = seen(name.clone(), at, version),
            Effect::WorkingDirectory(directory) => self.working_directory = seen(directory.clone(), at, version),
            Effect::Bell => {
                self.bell = seen((), at, version);
                self.bells += 1;
            }
            Effect::Notification(notification) => {
                self.notification = seen(notification.clone(), at, version);
                self.notifications += 1;
            }
            Effect::Progress(progress) => self.progress = seen(*progress, at, version),
            Effect::AgentState(pairs) => self.agent_state = seen(pairs.clone(), at, version),
            Effect::Prompt(mark) => self.prompt = seen(*mark, at, version),
            Effect::ResizeRequest { cols, rows } => {
                self.resize_request = seen(vt::Size::new(*cols, *rows), at, version);
            }
            Effect::UnknownOsc { number, body } => self.note_osc(*number, body, at, version),
            // A clipboard write is only an event: what was copied must not be stored.
            Effect::Clipboard { .. } | Effect::Reply(_) => {}
        }
    }

    fn note_osc(&mut self, number: u32, body: &str, at: Instant, version: u64) {
        self.unknown_osc.retain(|(other, _)| *other != number);
        if self.unknown_osc.len() == Self::MAX_UNKNOWN_OSC {
            self.unknown_osc.remove(0);
        }
        self.unknown_osc.push((number, SeenValue { value: body.to_owned(), at, version }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_sequences_stay_bounded_and_the_newest_wins() {
        let mut facts = ChildFacts::default();
        let now = Instant::now();
        for number in 0..100 {
            facts.note(&Effect::UnknownOsc { number, body: "a".into() }, now, 1);
        }
        facts.note(&Effect::UnknownOsc { number: 99, body: "b".into() }, now, 2);
        assert_eq!(facts.unknown_osc.len(), ChildFacts::MAX_UNKNOWN_OSC);
        let (number, last) = facts.unknown_osc.last().unwrap();
        assert_eq!((*number, last.value.as_str()), (99, "b"));
    }

    #[test]
    fn what_was_copied_is_not_kept() {
        let mut facts = ChildFacts::default();
        facts.note(&Effect::Clipboard { selection: "c".into(), data: b"secret".to_vec() }, Instant::now(), 1);
        assert_eq!(facts, ChildFacts::default());
    }
}
