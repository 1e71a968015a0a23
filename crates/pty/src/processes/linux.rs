//! Inspects processes through `/proc`.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::process::{WaitId, WaitIdOptions, waitid};

use super::members::{MAX_DESCENDANTS, all_stats, descendants_by_parent, session_of};
use super::{MAX_OPEN_FILES, ProcessStat};
use crate::Pid;

impl ProcessStat {
    /// `PID (NAME) STATE PARENT GROUP SESSION …`. The name is the process's own choice and may hold
    /// spaces, brackets and newlines: the fields are counted from its last bracket.
    fn parse(pid: Pid, text: &[u8]) -> Option<Self> {
        let after_name = text.iter().rposition(|byte| *byte == b')')? + 1;
        let rest = std::str::from_utf8(&text[after_name..]).ok()?;
        let mut fields = rest.split_ascii_whitespace();
        let dead = matches!(fields.next()?.as_bytes().first()?, b'Z' | b'X');
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        let session = fields.next()?.parse().ok()?;
        // proc(5) counts from 1 at the pid: session is field 6, the start time field 22.
        let started = fields.nth(22 - 6 - 1)?.parse().ok()?;
        Some(Self { pid, dead, parent, group, session, started })
    }
}

pub(crate) fn stat(pid: Pid) -> Option<ProcessStat> {
    ProcessStat::parse(pid, &fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// Every process of the system that this user may see.
pub(super) fn all_pids() -> impl Iterator<Item = Pid> {
    numbers_in(Path::new("/proc")).filter_map(Pid::new)
}

/// The current time in the unit of [`ProcessStat::started`].
pub(crate) fn now() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let per_second = rustix::param::clock_ticks_per_second();
    let seconds = u64::try_from(now.tv_sec).expect("time since boot is positive");
    let nanos = u64::try_from(now.tv_nsec).expect("a part of a second is positive");
    seconds * per_second + nanos * per_second / 1_000_000_000
}

/// The descendants of `pid`, nearest first, without `pid` itself. The cost depends on their number, not on the number
/// of processes in the system. A process whose parent has ended belongs to the first process and is not found: see
/// [`session_members`](super::session_members).
pub fn descendants(pid: Pid) -> Vec<Pid> {
    let mut found = Vec::new();
    let mut seen = HashSet::from([pid]);
    let mut next = 0;
    let mut parent = pid;
    loop {
        match children_of(parent) {
            Ok(children) => found.extend(children.into_iter().filter(|child| seen.insert(*child))),
            // A kernel built without the list of children.
            Err(error) if error.kind() == io::ErrorKind::NotFound && parent == pid && stat(pid).is_some() => {
                return descendants_by_parent(pid, &all_stats());
            }
            Err(_) => {}
        }
        if next == found.len() || found.len() >= MAX_DESCENDANTS {
            found.truncate(MAX_DESCENDANTS);
            return found;
        }
        parent = found[next];
        next += 1;
    }
}

/// Each thread has its own list of the children that it started.
fn children_of(pid: Pid) -> io::Result<Vec<Pid>> {
    let main_thread = children_of_thread(pid, pid.as_raw())?;
    let others = numbers_in(Path::new(&format!("/proc/{pid}/task"))).filter(|thread| *thread != pid.as_raw());
    let others = others.filter_map(|thread| children_of_thread(pid, thread).ok()).flatten();
    Ok(main_thread.into_iter().chain(others).collect())
}

fn children_of_thread(pid: Pid, thread: i32) -> io::Result<Vec<Pid>> {
    let list = fs::read_to_string(format!("/proc/{pid}/task/{thread}/children"))?;
    Ok(list.split_ascii_whitespace().filter_map(|number| Pid::new(number.parse().ok()?)).collect())
}

/// Reaps children that this process did not start but inherited, as the first process of a container does: those that
/// have ended, are in another session than this process, and are not among its `own`. Returns how many there were.
pub fn reap_orphans(own: &HashSet<Pid>) -> usize {
    let Some(me) = Pid::new(rustix::process::getpid().as_raw_pid()) else { return 0 };
    // The kernel gives orphans to the first thread. Children of other threads were started by them.
    let children = children_of_thread(me, me.as_raw()).unwrap_or_else(|_| {
        all_stats().into_iter().filter(|process| process.parent == me.as_raw()).map(|process| process.pid).collect()
    });
    let our_session = session_of(me);
    let is_orphan = |process: &ProcessStat| process.dead && process.session != our_session;
    let orphans = children.into_iter().filter(|child| !own.contains(child)).filter_map(stat).filter(is_orphan);
    let reap = |orphan: &ProcessStat| {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        matches!(waitid(WaitId::Pid(orphan.pid.to_rustix()), options), Ok(Some(_)))
    };
    orphans.filter(reap).count()
}

/// The process's working directory; `None` also if that folder has been deleted.
pub fn working_dir(pid: Pid) -> Option<PathBuf> {
    let path = fs::read_link(format!("/proc/{pid}/cwd")).ok()?;
    let deleted = path.as_os_str().as_encoded_bytes().ends_with(b" (deleted)") && !path.exists();
    (!deleted).then_some(path)
}

/// The files that the process has open, as far as they have names.
pub fn open_files(pid: Pid) -> Vec<PathBuf> {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let names = open.filter_map(|entry| fs::read_link(entry.path()).ok());
    names.filter(|name| name.is_absolute()).take(MAX_OPEN_FILES).collect()
}

/// The process's short name (at most 15 bytes of its own choice), without control characters.
pub fn command_name(pid: Pid) -> Option<String> {
    let name = fs::read(format!("/proc/{pid}/comm")).ok()?;
    let name = String::from_utf8_lossy(&name);
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    (!name.is_empty()).then_some(name)
}

/// Differs after each boot.
pub(super) fn boot_id() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// The entries of a folder that are numbers.
pub(super) fn numbers_in(folder: &Path) -> impl Iterator<Item = i32> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pid(raw: i32) -> Pid {
        Pid::new(raw).unwrap()
    }

    #[test]
    fn a_stat_line_is_read_from_behind_a_hostile_name() {
        let line = b"77 (a) Z 1 1 1 (b\n) S 5 70 60 34816 80 4194560 1 2 3 4 5 6 7 8 20 0 1 0 123456 9 9\n";
        let read = ProcessStat::parse(pid(77), line).unwrap();
        assert_eq!(
            read,
            ProcessStat { pid: pid(77), dead: false, parent: 5, group: 70, session: 60, started: 123_456 }
        );
    }

    #[test]
    fn open_files_are_listed_by_their_names() {
        let folder = std::env::temp_dir();
        let path = folder.join(format!("patterm-open-{}", std::process::id()));
        let file = fs::File::create(&path).unwrap();
        let real = path.canonicalize().unwrap();
        assert!(open_files(pid(std::process::id() as i32)).contains(&real));
        drop(file);
        fs::remove_file(&path).unwrap();
        assert!(!open_files(pid(std::process::id() as i32)).contains(&real));
        assert_eq!(open_files(pid(i32::MAX)), Vec::<PathBuf>::new());
    }

    #[test]
    fn broken_stat_lines_are_no_process() {
        for line in
            [&b""[..], b"77 (x", b"77 (x) ", b"77 (x) S 1 2", b"77 (x) S a b c 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"]
        {
            assert_eq!(ProcessStat::parse(pid(77), line), None);
        }
    }

    #[test]
    fn the_clock_counts_in_the_unit_of_start_times() {
        let me = stat(pid(i32::try_from(std::process::id()).unwrap())).unwrap();
        let now = now();
        assert!(me.started <= now, "started at {} but it is {now}", me.started);
        let hour = 3600 * rustix::param::clock_ticks_per_second();
        assert!(now - me.started < 24 * hour, "a test that ran for a day? {} {now}", me.started);
    }
}
