//! What a program of ours tells the terminal that it runs in of its own work (OSC 7501): so that one patterm in another,
//! or in any terminal that keeps such records, shows what waits there.

use vt::{BlockedKind, ProgramState, StatusRecord, status_text};

/// Tells only what the host does not know yet.
#[derive(Debug)]
pub struct OutwardStatus {
    app: &'static str,
    told: Option<StatusRecord>,
}

impl OutwardStatus {
    /// `app`: what machines know the program by.
    pub fn new(app: &'static str) -> Self {
        OutwardStatus { app, told: None }
    }

    /// The bytes that tell it, if they say anything new. What blocks us is always a decision of the person's.
    pub fn tell(&mut self, state: ProgramState, msg: &str) -> Option<Vec<u8>> {
        let msg = status_text(msg, StatusRecord::MAX_MSG);
        let record = StatusRecord {
            kind: (state == ProgramState::Blocked).then_some(BlockedKind::Question),
            app: Some(self.app.to_owned()),
            msg: (!msg.is_empty()).then_some(msg),
            ..StatusRecord::new(state)
        };
        if self.told.as_ref() == Some(&record) {
            return None;
        }
        let bytes = record.sequence().into_bytes();
        self.told = Some(record);
        Some(bytes)
    }

    /// The bytes that take it back, if anything was told: before the terminal is left to somebody else.
    pub fn take_back(&mut self) -> Option<Vec<u8>> {
        self.told.take()?;
        StatusRecord::clear_sequence("").ok().map(String::into_bytes)
    }
}

#[cfg(test)]
mod tests {
    use vt::{Terminal, TerminalOptions};

    use super::*;

    #[test]
    fn a_terminal_of_ours_hears_it_once_and_forgets_it_at_the_end() {
        let mut host = Terminal::new(TerminalOptions::default());
        let mut outward = OutwardStatus::new("patterm");
        host.feed(&outward.tell(ProgramState::Blocked, "codex-1: run\nthis?").unwrap());
        assert_eq!(outward.tell(ProgramState::Blocked, "codex-1: run\nthis?"), None);
        let [record] = host.status_records() else { panic!("{:?}", host.status_records()) };
        assert_eq!((record.app.as_deref(), record.msg.as_deref()), (Some("patterm"), Some("codex-1: run this?")));
        host.feed(&outward.tell(ProgramState::Working, "").unwrap());
        assert_eq!(host.status_records()[0].state, ProgramState::Working);
        host.feed(&outward.take_back().unwrap());
        assert!(host.status_records().is_empty());
        assert_eq!(outward.take_back(), None);
    }
}
