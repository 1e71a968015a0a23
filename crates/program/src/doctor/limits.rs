//! The system's limits on what we may open and start.

use rustix::process::{Resource, getrlimit};

use super::DoctorFinding;
use crate::open_files::WANTED;

/// Descriptors of one session, with some for its clients.
const FILES_PER_SESSION: u64 = 4;
/// Below this, a person who works with many agents meets the limit.
const FEW_FILES: u64 = 1024;
/// An agent with its tools easily has fifty processes and threads.
const FEW_PROCESSES: u64 = 1000;

/// A limit as the system gives it; `None` is no limit.
#[derive(Clone, Copy, Debug)]
struct SystemLimit {
    soft: Option<u64>,
    hard: Option<u64>,
}

pub fn check_limits(area: &'static str) -> Vec<DoctorFinding> {
    let limit = |resource| {
        let limit = getrlimit(resource);
        SystemLimit { soft: limit.current, hard: limit.maximum }
    };
    vec![judge_files(area, limit(Resource::Nofile)), judge_processes(area, limit(Resource::Nproc))]
}

/// By the hard limit, because we raise the soft one ourselves.
fn judge_files(area: &'static str, limit: SystemLimit) -> DoctorFinding {
    let most = limit.hard.map_or(WANTED, |hard| hard.min(WANTED)).max(limit.soft.unwrap_or(WANTED));
    let text = format!("open files: {most}, enough for about {} sessions", most / FILES_PER_SESSION);
    if most < FEW_FILES {
        return DoctorFinding::warning(area, text, format!("raise the hard limit (`ulimit -Hn`) to {WANTED}"));
    }
    DoctorFinding::ok(area, text)
}

/// Not raised by us: it counts everything that runs as this user.
fn judge_processes(area: &'static str, limit: SystemLimit) -> DoctorFinding {
    match limit.soft {
        None => DoctorFinding::ok(area, "processes and threads: no limit for this user"),
        Some(most) if most < FEW_PROCESSES => DoctorFinding::warning(
            area,
            format!("processes and threads: {most} in all for this user"),
            "agents start many: raise the limit (`ulimit -u`)",
        ),
        Some(most) => DoctorFinding::ok(area, format!("processes and threads: {most} in all for this user")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::FindingState;

    #[test]
    fn only_low_limits_are_worth_a_warning() {
        let files = |soft, hard| judge_files("x", SystemLimit { soft, hard });
        assert_eq!(files(Some(1024), Some(1 << 20)).state, FindingState::Ok, "we raise it");
        assert!(files(Some(1024), Some(1 << 20)).text.contains("16384"));
        assert!(files(Some(1 << 20), None).text.contains("1048576"));
        assert_eq!(files(Some(256), Some(256)).state, FindingState::Warning);
        let processes = |soft| judge_processes("x", SystemLimit { soft, hard: None }).state;
        assert_eq!(processes(None), FindingState::Ok);
        assert_eq!(processes(Some(60_000)), FindingState::Ok);
        assert_eq!(processes(Some(200)), FindingState::Warning);
    }

    #[test]
    fn the_system_tells_both() {
        assert_eq!(check_limits("x").len(), 2);
    }
}
