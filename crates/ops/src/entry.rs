//! How a session is listed: the fields that several operations answer with.

use std::time::Duration;

use engine::{ExitStatus, Session, SessionInfo};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    host::{Host, SessionNotes},
    program_report::ProgramReport,
    vocabulary::{ActiveScreen, CursorPosition, ProcessKind, ProcessLife, ProcessOwner, rfc3339},
};

/// A session that has printed nothing for this long counts as idle.
pub const IDLE_AFTER: Duration = Duration::from_secs(1);

/// Whether a session seems to be at work, judged by its output alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdleState {
    Working,
    Idle,
    Exited,
}

/// One line of a list of sessions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProcessEntry {
    pub process_id: String,
    pub name: String,
    pub kind: ProcessKind,
    pub status: ProcessLife,
    /// The session that started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_process_id: Option<String>,
    /// The exit code, if the program exited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended the program, for example SIGKILL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// Milliseconds since the last output.
    pub idle_ms: u64,
    pub idle_state: IdleState,
    /// What `idle_state` was judged by.
    pub idle_reason: String,
    /// What its program reports of its own work (OSC 7501), if it does: a build, a deployment, an agent. At most eight,
    /// the most urgent ones; get_process_status has all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<ProgramReport>,
    #[serde(flatten)]
    pub notes: SessionNotes,
}

/// Everything there is to say of one session.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProcessStatus {
    #[serde(flatten)]
    pub entry: ProcessEntry,
    pub argv: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub working_dir: Option<String>,
    /// The program's process id, while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<i32>,
    pub created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exited_at: Option<String>,
    pub active_screen: ActiveScreen,
    pub rows: u16,
    pub cols: u16,
    pub cursor: CursorPosition,
    /// Grows whenever the screen changes.
    pub screen_version: u64,
    /// The title that the program set, or empty.
    pub title: String,
    pub owner: ProcessOwner,
    /// The same facts as the engine gives them, for faces that convert by type.
    #[serde(skip)]
    pub info: SessionInfo,
}

impl ProcessEntry {
    pub fn of(session: &Session, host: &dyn Host) -> Self {
        Self::from_info(&session.info(), host.annotate(session))
    }

    fn from_info(info: &SessionInfo, notes: SessionNotes) -> Self {
        let exit = info.ending.and_then(|ending| ending.exit);
        let (idle_state, idle_reason) = notes.idle.clone().unwrap_or_else(|| idleness(info));
        ProcessEntry {
            process_id: info.id.to_string(),
            name: info.name.as_ref().map(ToString::to_string).unwrap_or_default(),
            kind: info.kind.into(),
            status: info.status.into(),
            parent_process_id: info.parent.map(|parent| parent.to_string()),
            exit_code: exit_code(exit),
            signal: signal_name(exit),
            idle_ms: millis(info.idle),
            idle_state,
            idle_reason,
            reports: ProgramReport::listed(&info.reports),
            notes,
        }
    }
}

impl ProcessStatus {
    pub fn of(session: &Session, host: &dyn Host) -> Self {
        let info = session.info();
        let entry = ProcessEntry::from_info(&info, host.annotate(session));
        ProcessStatus {
            entry: ProcessEntry { reports: ProgramReport::all(&info.reports), ..entry },
            argv: info.argv.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
            working_dir: info.working_dir.as_ref().map(|dir| dir.to_string_lossy().into_owned()),
            pid: info.pid.map(engine::Pid::as_raw),
            created_at: rfc3339(info.created_at),
            started_at: info.started_at.map(rfc3339),
            exited_at: info.ending.map(|ending| rfc3339(ending.at)),
            active_screen: if info.alternate_screen { ActiveScreen::Alternate } else { ActiveScreen::Main },
            rows: info.size.rows,
            cols: info.size.cols,
            cursor: info.cursor.into(),
            screen_version: info.version,
            title: info.title.clone(),
            owner: info.owner.into(),
            info,
        }
    }
}

fn idleness(info: &SessionInfo) -> (IdleState, String) {
    if info.status.has_ended() {
        let how =
            info.ending.and_then(|ending| ending.exit).map_or_else(|| info.status.to_string(), |exit| exit.to_string());
        return (IdleState::Exited, how);
    }
    let seconds = info.idle.as_secs_f64();
    if info.idle >= IDLE_AFTER {
        (IdleState::Idle, format!("no output for {seconds:.1} s"))
    } else {
        (IdleState::Working, format!("output {seconds:.1} s ago"))
    }
}

pub fn exit_code(exit: Option<ExitStatus>) -> Option<i32> {
    match exit? {
        ExitStatus::Code(code) => Some(code),
        ExitStatus::Signal(_) => None,
    }
}

pub fn signal_name(exit: Option<ExitStatus>) -> Option<String> {
    match exit? {
        ExitStatus::Code(_) => None,
        ExitStatus::Signal(number) => {
            Some(engine::Signal::try_from(number).map_or_else(|_| number.to_string(), |signal| signal.to_string()))
        }
    }
}

pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
