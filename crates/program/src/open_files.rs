//! How many files a process may have open.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Three descriptors or so for each of 1,024 sessions, and some for clients.
const WANTED: u64 = 16 << 10;

/// The usual limit of 1,024 would hold some 300 sessions.
pub fn allow_many_files() {
    let mut limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(WANTED, |maximum| maximum.min(WANTED));
    if limit.current.is_some_and(|current| current < wanted) {
        limit.current = Some(wanted);
        // If that fails it stays as it is, and the sessions that don't fit are refused one by one.
        let _ = setrlimit(Resource::Nofile, limit);
    }
}
