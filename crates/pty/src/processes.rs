//! A look at the processes in a terminal: who they are, where they are, what they listen on.
//!
//! Linux reads `/proc`; other systems answer with nothing. Every answer is a glimpse: a process may
//! end, fork or move before the caller reads it. Nothing here fails: what can't be seen isn't there.

use std::net::IpAddr;

use crate::Pid;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod sockets;

#[cfg(target_os = "linux")]
pub(crate) use linux::{ProcessStat, now_in_ticks, stat, stats_in_session};
#[cfg(target_os = "linux")]
pub use linux::{
    command_name, descendants, living_sessions, process_group_members, reap_orphans, session_members, working_dir,
};
#[cfg(target_os = "linux")]
pub use sockets::listening_sockets;

/// A TCP socket waiting for connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListeningSocket {
    pub port: u16,
    /// The address it is bound to; unspecified (`0.0.0.0`, `::`) for all of them.
    pub address: IpAddr,
    /// The first of the processes asked for that holds the socket.
    pub pid: Pid,
}

#[cfg(not(target_os = "linux"))]
mod nothing {
    use std::collections::HashSet;
    use std::path::PathBuf;

    use super::{ListeningSocket, Pid};

    pub fn descendants(_: Pid) -> Vec<Pid> {
        Vec::new()
    }
    pub fn process_group_members(_: Pid) -> Vec<Pid> {
        Vec::new()
    }
    pub fn session_members(_: Pid) -> Vec<Pid> {
        Vec::new()
    }
    pub fn living_sessions(_: &HashSet<Pid>) -> HashSet<Pid> {
        HashSet::new()
    }
    pub fn reap_orphans(_: &HashSet<Pid>) -> usize {
        0
    }
    pub fn listening_sockets(_: &[Pid]) -> Vec<ListeningSocket> {
        Vec::new()
    }
    pub fn working_dir(_: Pid) -> Option<PathBuf> {
        None
    }
    pub fn command_name(_: Pid) -> Option<String> {
        None
    }
}
#[cfg(not(target_os = "linux"))]
pub use nothing::{
    command_name, descendants, listening_sockets, living_sessions, process_group_members, reap_orphans,
    session_members, working_dir,
};
