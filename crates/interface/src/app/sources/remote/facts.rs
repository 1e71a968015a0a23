//! What a coordinator tells of a session besides its screen, as the interface's own data.
//!
//! A coordinator is not trusted: text is made safe to draw, and everything is bounded.

use std::{ffi::OsString, path::PathBuf, sync::Arc, time::Duration};

use engine::{AgedReport, ExitStatus, Kind, Owner, Status};
use grpc::proto::{self, SessionExited, SessionStatus};
use program::printable;
use vt::{BlockedKind, ProgramState, StatusRecord};

const MAX_NAME: usize = 64;
const MAX_TEXT: usize = 300;
const MAX_WORDS: usize = 64;
const MAX_REPORTS: usize = 64;

#[derive(Clone, Debug)]
pub(super) struct RemoteFacts {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) status: Status,
    pub(super) exit: Option<ExitStatus>,
    pub(super) owner: Owner,
    pub(super) argv: Vec<OsString>,
    pub(super) folder: Option<PathBuf>,
    pub(super) reports: Vec<AgedReport>,
}

/// What lists leave out: the coordinator has to be asked for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AskedFacts {
    pub(super) recording: bool,
    /// The program that reads the keyboard, and its folder.
    pub(super) foreground: Option<String>,
    pub(super) folder: Option<PathBuf>,
}

impl AskedFacts {
    pub(super) fn of(session: &proto::Session) -> Self {
        AskedFacts {
            recording: session.recording,
            foreground: (!session.foreground.is_empty()).then(|| text(&session.foreground)),
            folder: (!session.current_dir.is_empty()).then(|| text(&session.current_dir).into()),
        }
    }
}

impl RemoteFacts {
    pub(super) fn of(session: &proto::Session) -> Self {
        let ended = session.status() == SessionStatus::Exited;
        let ran = session.state != Status::Errored.as_str();
        let known = [Status::Starting, Status::Running, Status::Stopped, Status::Exited, Status::Errored];
        let detailed = known.into_iter().find(|status| status.as_str() == session.state);
        RemoteFacts {
            name: name(&session.name),
            kind: Kind::ALL.into_iter().find(|kind| kind.as_str() == session.kind).unwrap_or(Kind::Command),
            status: detailed.unwrap_or(if ended { Status::Exited } else { Status::Running }),
            exit: (ended && ran).then(|| exit(session.exit_code, &session.signal)),
            owner: if session.owner == Owner::Orchestrator.as_str() { Owner::Orchestrator } else { Owner::User },
            argv: session.argv.iter().take(MAX_WORDS).map(|word| text(word).into()).collect(),
            folder: (!session.working_dir.is_empty()).then(|| text(&session.working_dir).into()),
            reports: session.reports.iter().take(MAX_REPORTS).filter_map(report).collect(),
        }
    }

    pub(super) fn ended(&mut self, exited: &SessionExited) {
        self.status = Status::Exited;
        self.exit = Some(exit(exited.exit_code, &exited.signal));
    }
}

/// A death by a signal comes as 128 and its number.
fn exit(code: i32, signal: &str) -> ExitStatus {
    match signal {
        "" => ExitStatus::Code(code),
        _ => ExitStatus::Signal(code.saturating_sub(128)),
    }
}

/// A name, safe to draw and bounded.
pub(crate) fn name(name: &str) -> String {
    cleaned(name, MAX_NAME)
}

/// Any other text, safe to draw and bounded.
pub(crate) fn text(text: &str) -> String {
    cleaned(text, MAX_TEXT)
}

fn cleaned(text: &str, chars: usize) -> String {
    let end = text.char_indices().nth(chars).map_or(text.len(), |(end, _)| end);
    printable(&text[..end])
}

/// `None` for a state that we don't know.
fn report(report: &proto::ProgramReport) -> Option<AgedReport> {
    let some = |words: &str| (!words.is_empty()).then(|| text(words));
    let record = StatusRecord {
        id: text(&report.id),
        state: ProgramState::ALL.into_iter().find(|state| state.as_str() == report.state)?,
        kind: BlockedKind::ALL.into_iter().find(|kind| kind.as_str() == report.kind),
        progress: report.progress.map(|percent| percent.min(100) as u8),
        app: some(&report.app),
        title: some(&report.title),
        msg: some(&report.msg),
    };
    let age = report.age.and_then(|age| age.try_into().ok()).unwrap_or(Duration::ZERO);
    Some(AgedReport { record: Arc::new(record), age })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_coordinator_says_is_bounded_and_drives_nothing() {
        let wild = format!("\x1b]0;x\x07{}", "é".repeat(10_000));
        let report = proto::ProgramReport { state: "blocked".into(), msg: wild.clone(), ..Default::default() };
        let unknown = proto::ProgramReport { state: "dancing".into(), ..Default::default() };
        let session = proto::Session {
            name: wild.clone(),
            kind: wild.clone(),
            state: wild.clone(),
            argv: vec![wild.clone(); 1000],
            reports: [vec![unknown], vec![report; 1000]].concat(),
            working_dir: wild,
            exit_code: i32::MIN,
            signal: "?".into(),
            ..proto::Session::default()
        };
        let facts = RemoteFacts::of(&proto::Session { status: SessionStatus::Exited.into(), ..session });
        assert_eq!((facts.kind, facts.status), (Kind::Command, Status::Exited));
        assert_eq!((facts.name.chars().count(), facts.argv.len(), facts.reports.len()), (64, 64, 63));
        assert!(!facts.name.contains('\x1b'));
        let said = facts.reports[0].record.msg.as_ref().unwrap();
        assert!(said.chars().count() == 300 && !said.contains('\x07'));
    }

    #[test]
    fn an_end_is_told_as_for_a_session_of_our_own() {
        let ended = |state: &str, exit_code, signal: &str| {
            RemoteFacts::of(&proto::Session {
                status: SessionStatus::Exited.into(),
                state: state.into(),
                exit_code,
                signal: signal.into(),
                ..proto::Session::default()
            })
        };
        assert_eq!(ended("exited", 3, "").exit, Some(ExitStatus::Code(3)));
        assert_eq!(ended("stopped", 143, "SIGTERM").exit, Some(ExitStatus::Signal(15)));
        assert_eq!(ended("errored", 127, "").exit, None);
    }
}
