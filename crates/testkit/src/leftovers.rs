//! The resources that this process holds: take a snapshot before and after a test, and compare. Linux only.
//!
//! The tests of one binary are threads of one process and see each other's resources, so compare inside
//! [`in_own_process`](crate::in_own_process).

use std::fs;

/// An open file descriptor of this process.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpenDescriptor {
    pub number: i32,
    /// Its target as in `/proc`: a path, `pipe:[1234]`, `anon_inode:[pidfd]`.
    pub target: String,
}

/// The open descriptors, by number.
pub fn open_fds() -> Vec<OpenDescriptor> {
    let mut numbers = numbers_in("/proc/self/fd");
    numbers.sort_unstable();
    // The folder itself was open while it was read; it is closed by now.
    let targets =
        numbers.into_iter().filter_map(|number| Some((number, fs::read_link(format!("/proc/self/fd/{number}")).ok()?)));
    targets.map(|(number, target)| OpenDescriptor { number, target: target.to_string_lossy().into_owned() }).collect()
}

/// The children of this process, zombies included.
pub fn child_pids() -> Vec<i32> {
    let threads = numbers_in("/proc/self/task").into_iter();
    let lists = threads.filter_map(|thread| fs::read_to_string(format!("/proc/self/task/{thread}/children")).ok());
    let mut pids: Vec<i32> =
        lists.flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()).collect();
    pids.sort_unstable();
    pids
}

/// A thread of this process.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunningThread {
    pub id: i32,
    pub name: String,
}

/// The running threads, by id.
pub fn threads() -> Vec<RunningThread> {
    let mut ids = numbers_in("/proc/self/task");
    ids.sort_unstable();
    let named =
        ids.into_iter().filter_map(|id| Some((id, fs::read_to_string(format!("/proc/self/task/{id}/comm")).ok()?)));
    named.map(|(id, name)| RunningThread { id, name: name.trim_end().to_owned() }).collect()
}

fn numbers_in(folder: &str) -> Vec<i32> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder} can't be read: {error}"));
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_seen() {
        let file = fs::File::open("/proc/self/status").unwrap();
        let number = std::os::fd::AsRawFd::as_raw_fd(&file);
        assert!(open_fds().iter().any(|fd| fd.number == number && fd.target.ends_with("/status")), "{:?}", open_fds());

        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        assert!(child_pids().contains(&i32::try_from(child.id()).unwrap()));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!child_pids().contains(&i32::try_from(child.id()).unwrap()));

        let (release, held) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::Builder::new().name("seen".into()).spawn(move || held.recv()).unwrap();
        crate::wait_until("the thread has its name", || threads().iter().any(|thread| thread.name == "seen"));
        drop(release);
        thread.join().unwrap().unwrap_err();
    }
}
