//! The table of all processes, for the search for what a dead program's sessions left running.

use super::{ProcessStat, boot_id as system_boot_id, command_name, members, stat};
use crate::Pid;

/// A running process; of another user's process, macOS does not tell when it was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessLine {
    pub pid: i32,
    pub program: String,
    /// The process id of its terminal session's leader.
    pub session: i32,
    /// Since the machine was started, in a unit of the system's: the same id with another start is another process.
    pub started: u64,
}

/// `None` for a zombie too.
pub fn look(pid: i32) -> Option<ProcessLine> {
    line(&stat(Pid::new(pid)?)?)
}

/// Running processes; zombies are left out.
pub fn all() -> Vec<ProcessLine> {
    members::all_stats().iter().filter_map(line).collect()
}

/// Differs after each boot.
pub fn boot_id() -> String {
    system_boot_id()
}

fn line(process: &ProcessStat) -> Option<ProcessLine> {
    let ProcessStat { pid, dead, session, started, .. } = *process;
    let program = || command_name(pid).unwrap_or_default();
    (!dead).then(|| ProcessLine { pid: pid.as_raw(), program: program(), session, started })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_found() {
        let own = i32::try_from(std::process::id()).unwrap();
        let found = look(own).unwrap();
        assert!(found.pid == own && found.started > 0 && !found.program.is_empty() && all().contains(&found));
        assert_eq!((look(0), look(i32::MAX)), (None, None));
        assert!(!boot_id().is_empty());
    }
}
