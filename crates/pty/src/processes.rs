//! Inspects the processes in a terminal: which they are, their folders, the sockets they listen on.
//!
//! On Linux it reads `/proc`; on other systems the answers are empty. Every answer is a snapshot: a process may end,
//! fork or move before the caller reads it. Nothing here fails: a process that can't be inspected is left out.

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
    command_name, descendants, living_sessions, open_files, process_group_members, reap_orphans, session_members,
    working_dir,
};
#[cfg(target_os = "linux")]
pub use sockets::listening_sockets;

/// A TCP socket that accepts connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListeningSocket {
    pub port: u16,
    /// The bound address; unspecified (`0.0.0.0`, `::`) for all addresses.
    pub address: IpAddr,
    /// The first of the given processes that has the socket open.
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
    pub fn open_files(_: Pid) -> Vec<PathBuf> {
        Vec::new()
    }
    pub fn command_name(_: Pid) -> Option<String> {
        None
    }
}
#[cfg(not(target_os = "linux"))]
pub use nothing::{
    command_name, descendants, listening_sockets, living_sessions, open_files, process_group_members, reap_orphans,
    session_members, working_dir,
};
