//! Inspects the processes in a terminal: which they are, their folders, the sockets they listen on.
//!
//! Linux is asked by `/proc`, macOS by libproc. Every answer is a snapshot: a process may end, fork or move before the
//! caller reads it. Nothing here fails: a process that can't be inspected is left out.

use std::net::IpAddr;

use crate::Pid;

#[cfg(any(target_os = "macos", test))]
mod descriptors;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
mod members;
#[cfg(target_os = "linux")]
mod sockets;
pub mod table;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
use macos as system;

#[cfg(target_os = "macos")]
pub use macos::listening_sockets;
pub(crate) use members::stats_in_session;
pub use members::{living_sessions, process_group_members, session_members};
#[cfg(target_os = "linux")]
pub use sockets::listening_sockets;
use system::{all_pids, boot_id};
pub use system::{command_name, descendants, open_files, reap_orphans, working_dir};
pub(crate) use system::{now, stat};

/// Open files of one process that are looked at: more of them is no program that a person sits in front of.
const MAX_OPEN_FILES: usize = 1024;

/// What is needed of a process here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProcessStat {
    pub(crate) pid: Pid,
    /// A zombie: only its exit status is left, which its parent has not collected.
    dead: bool,
    parent: i32,
    pub(crate) group: i32,
    pub(crate) session: i32,
    /// The time since boot, in a unit of the system's: clock ticks on Linux, those of `mach_absolute_time` on macOS.
    pub(crate) started: u64,
}

/// A TCP socket that accepts connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListeningSocket {
    pub port: u16,
    /// The bound address; unspecified (`0.0.0.0`, `::`) for all addresses.
    pub address: IpAddr,
    /// The first of the given processes that has the socket open.
    pub pid: Pid,
}
