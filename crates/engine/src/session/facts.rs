//! What a child has reported about itself beyond its screen: the latest of each kind, bounded.
//!
//! Readers and rules use the facts; [`SessionEvent`]s are only hints that one changed. A listener that missed events
//! reads the facts again.

use std::sync::Arc;
use std::time::Instant;

use vt::{DesktopNotification, Effect, ProgressReport, PromptMark, StatusChange, StatusRecord};

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
    /// OSC 7501: what the program says of its own work, least recently updated first.
    pub status_records: Vec<SeenValue<Arc<StatusRecord>>>,
    /// It has said something of the kind in this run, be it taken back since.
    pub has_reported_status: bool,
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
            Effect::ProgramStatus(change) => self.note_status(change, at, version),
            Effect::Prompt(mark) => self.prompt = seen(*mark, at, version),
            Effect::ResizeRequest { cols, rows } => {
                self.resize_request = seen(vt::Size::new(*cols, *rows), at, version);
            }
            Effect::UnknownOsc { number, body } => self.note_osc(*number, body, at, version),
            // A clipboard write is only an event: what was copied must not be stored.
            Effect::Clipboard { .. } | Effect::Reply(_) => {}
        }
    }

    /// The record that stands for the program; of equals the newest.
    pub fn leading_record(&self) -> Option<&SeenValue<Arc<StatusRecord>>> {
        self.status_records.iter().max_by_key(|seen| (seen.value.rank(), seen.at))
    }

    fn note_status(&mut self, change: &StatusChange, at: Instant, version: u64) {
        let id = match change {
            StatusChange::Set(record) => &record.id,
            StatusChange::Removed(id) => id,
        };
        self.status_records.retain(|seen| seen.value.id != *id);
        if let StatusChange::Set(record) = change {
            self.status_records.push(SeenValue { value: Arc::clone(record), at, version });
            self.has_reported_status = true;
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
    fn what_matters_most_leads_and_of_that_what_is_nearest_to_the_whole() {
        let (mut terminal, mut facts) = (vt::Terminal::new(vt::TerminalOptions::default()), ChildFacts::default());
        let mut leading = |body: &str| {
            terminal.feed(format!("\x1b]7501;{body}\x07").as_bytes());
            for effect in terminal.take_effects() {
                facts.note(&effect, Instant::now(), 1);
            }
            facts.leading_record().map(|seen| seen.value.id.clone())
        };
        assert_eq!(leading("state=done").as_deref(), Some(""));
        assert_eq!(leading("state=working:id=a/b").as_deref(), Some("a/b"));
        assert_eq!(leading("state=working").as_deref(), Some(""));
        assert_eq!(leading("state=blocked:id=c").as_deref(), Some("c"));
        assert_eq!(leading("state=clear:id=c").as_deref(), Some(""));
        assert_eq!(leading("state=clear"), None);
        assert!(facts.has_reported_status);
    }

    #[test]
    fn what_was_copied_is_not_kept() {
        let mut facts = ChildFacts::default();
        facts.note(&Effect::Clipboard { selection: "c".into(), data: b"secret".to_vec() }, Instant::now(), 1);
        assert_eq!(facts, ChildFacts::default());
    }
}
