//! A session as a message.

use std::time::Duration;

use engine::{ExitStatus, RunEnding, SessionInfo};

use super::timestamp;
use crate::proto::{ProgramReport, Session, SessionExited, SessionStatus};

pub(crate) fn session(info: SessionInfo) -> Session {
    let ended = info.status.has_ended();
    let ending = info.ending.filter(|_| ended);
    let exit = ending.and_then(|ending| ending.exit);
    let status = if ended { SessionStatus::Exited } else { SessionStatus::Running };
    Session {
        name: info.name.map(|name| name.to_string()).unwrap_or_default(),
        status: status.into(),
        cols: info.size.cols.into(),
        rows: info.size.rows.into(),
        exit_code: ending.map_or(0, |_| exit_code(exit)),
        created_at: Some(timestamp(info.created_at)),
        exited_at: ending.map(|ending| timestamp(ending.at)),
        id: info.id.to_string(),
        title: info.title,
        signal: ops::signal_name(exit).unwrap_or_default(),
        kind: info.kind.to_string(),
        idle: info.idle.try_into().ok(),
        pid: info.pid.map_or(0, engine::Pid::as_raw),
        argv: info.argv.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        working_dir: info.working_dir.map(|dir| dir.to_string_lossy().into_owned()).unwrap_or_default(),
        parent_id: info.parent.map(|parent| parent.to_string()).unwrap_or_default(),
        owner: info.owner.as_str().to_owned(),
        started_at: info.started_at.map(timestamp),
        state: info.status.to_string(),
        screen_version: info.version,
        alternate_screen: info.alternate_screen,
        watchers: i32::try_from(info.watchers).unwrap_or(i32::MAX),
        reports: ops::ProgramReport::all(&info.reports).into_iter().map(report).collect(),
        ..Session::default()
    }
}

fn report(report: ops::ProgramReport) -> ProgramReport {
    ProgramReport {
        id: report.id,
        state: report.state,
        kind: report.kind.unwrap_or_default(),
        progress: report.progress.map(u32::from),
        app: report.app.unwrap_or_default(),
        title: report.title.unwrap_or_default(),
        msg: report.msg.unwrap_or_default(),
        age: Duration::from_millis(report.age_ms).try_into().ok(),
    }
}

/// How a session ended.
pub(crate) fn exited(id: engine::SessionId, ending: Option<RunEnding>) -> SessionExited {
    let exit = ending.and_then(|ending| ending.exit);
    SessionExited { exit_code: exit_code(exit), signal: ops::signal_name(exit).unwrap_or_default(), id: id.to_string() }
}

/// A single number that tells success from failure, for clients that know only the protocol's first fields. As in
/// shells, a death by signal is 128 plus the signal's number.
fn exit_code(exit: Option<ExitStatus>) -> i32 {
    match exit {
        Some(ExitStatus::Code(code)) => code,
        Some(ExitStatus::Signal(number)) => 128 + number,
        None => NEVER_RAN,
    }
}

/// The exit code that shells give a program that could not be started.
const NEVER_RAN: i32 = 127;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_success_is_0() {
        let codes = [Some(ExitStatus::Code(0)), Some(ExitStatus::Code(3)), Some(ExitStatus::Signal(11)), None];
        assert_eq!(codes.map(exit_code), [0, 3, 139, 127]);
    }
}
