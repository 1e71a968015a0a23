//! Which processes belong together: by session, by process group, by descent.

use std::collections::HashSet;

use super::{ProcessStat, all_pids, stat};
use crate::Pid;

pub(super) fn all_stats() -> Vec<ProcessStat> {
    all_pids().filter_map(stat).collect()
}

/// A process's session, zombies included. A system call, thirty times as fast as reading its `stat`.
#[expect(
    unsafe_code,
    reason = "rustix takes 0 for impossible, which is the session of kernel threads and of others' namespaces"
)]
pub(super) fn session_of(pid: Pid) -> i32 {
    // SAFETY: takes a number and touches no memory of ours.
    unsafe { libc::getsid(pid.as_raw()) }
}

/// The living processes of a session.
pub(crate) fn stats_in_session(session: Pid) -> Vec<ProcessStat> {
    let members = all_pids().filter(|pid| session_of(*pid) == session.as_raw());
    members.filter_map(stat).filter(|process| process.session == session.as_raw() && !process.dead).collect()
}

/// More processes than this below one child are a fork bomb; walking all of them would make us part of it.
pub(super) const MAX_DESCENDANTS: usize = 4096;

pub(super) fn descendants_by_parent(pid: Pid, everyone: &[ProcessStat]) -> Vec<Pid> {
    let mut found = Vec::new();
    let mut next = 0;
    let mut parent = pid;
    loop {
        let children = everyone.iter().filter(|process| process.parent == parent.as_raw());
        let children: Vec<Pid> =
            children.map(|process| process.pid).filter(|child| *child != pid && !found.contains(child)).collect();
        found.extend(children);
        if next == found.len() || found.len() >= MAX_DESCENDANTS {
            found.truncate(MAX_DESCENDANTS);
            return found;
        }
        parent = found[next];
        next += 1;
    }
}

/// The processes in a process group, without zombies. Reads every process of the system.
pub fn process_group_members(group: Pid) -> Vec<Pid> {
    let everyone = all_stats().into_iter();
    everyone.filter(|process| !process.dead && process.group == group.as_raw()).map(|process| process.pid).collect()
}

/// The processes in a session without zombies, which for a [`ChildProcess`](crate::ChildProcess) are all its
/// descendants that did not start a session of their own. Reads every process of the system.
pub fn session_members(session: Pid) -> Vec<Pid> {
    stats_in_session(session).into_iter().map(|process| process.pid).collect()
}

/// Those of `sessions` that have at least one process, zombies not counted. Reads every process of the system once
/// (about 1 µs each), however many sessions are given.
pub fn living_sessions(sessions: &HashSet<Pid>) -> HashSet<Pid> {
    let mut living = HashSet::new();
    for pid in all_pids() {
        if let Some(session) = Pid::new(session_of(pid))
            && sessions.contains(&session)
            && !living.contains(&session)
            && stat(pid).is_some_and(|process| process.session == session.as_raw() && !process.dead)
        {
            living.insert(session);
        }
    }
    living
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pid(raw: i32) -> Pid {
        Pid::new(raw).unwrap()
    }

    #[test]
    fn descendants_by_parent_ends_even_if_glimpses_make_a_circle() {
        let process =
            |number, parent| ProcessStat { pid: pid(number), dead: false, parent, group: 1, session: 1, started: 0 };
        let everyone = [process(2, 4), process(3, 2), process(4, 3), process(9, 1)];
        assert_eq!(descendants_by_parent(pid(2), &everyone), [pid(3), pid(4)]);
    }
}
