//! The limit on open files.

use rustix::process::{Resource, getrlimit, setrlimit};

/// About three descriptors for each of 1,024 sessions, and some for clients.
const WANTED: u64 = 16 << 10;

/// Raises the limit; the usual 1,024 is enough for only about 300 sessions.
pub fn allow_many_files() {
    let mut limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(WANTED, |maximum| maximum.min(WANTED));
    if limit.current.is_some_and(|current| current < wanted) {
        limit.current = Some(wanted);
        // If this fails, the limit stays, and sessions beyond it are refused one by one.
        let _ = setrlimit(Resource::Nofile, limit);
    }
}
