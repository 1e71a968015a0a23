//! The kernel's figures for a coordinator: memory, descriptors, threads, children. Linux only.

use std::fs;

/// Resident bytes now.
pub(crate) fn resident(pid: i32) -> u64 {
    status(pid, "VmRSS:") << 10
}

/// The highest number of resident bytes so far.
pub(crate) fn peak(pid: i32) -> u64 {
    status(pid, "VmHWM:") << 10
}

/// Resets the highest number.
pub(crate) fn forget_peak(pid: i32) {
    fs::write(format!("/proc/{pid}/clear_refs"), "5").unwrap();
}

pub(crate) fn threads(pid: i32) -> u64 {
    status(pid, "Threads:")
}

pub(crate) fn descriptors(pid: i32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count()
}

/// Includes zombies.
pub(crate) fn children(pid: i32) -> usize {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists.map(|list| list.split_whitespace().count()).sum()
}

fn status(pid: i32, field: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_else(|| panic!("no {field}"));
    line.split_whitespace().next().unwrap().parse().unwrap()
}
