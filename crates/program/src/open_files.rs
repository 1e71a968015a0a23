//! The limit on open files.

use rustix::process::{Resource, getrlimit, setrlimit};

/// About three descriptors for each of 1,024 sessions, and some for clients.
pub(crate) const WANTED: u64 = 16 << 10;
/// macOS takes no more than its own setting (kern.maxfilesperproc), which is at least this, whatever the maximum says.
const WANTED_AT_LEAST: u64 = 10_240;

/// Raises the limit; the usual 1,024 is enough for only about 300 sessions.
pub fn allow_many_files() {
    let limit = getrlimit(Resource::Nofile);
    for wanted in [WANTED, WANTED_AT_LEAST] {
        let wanted = limit.maximum.map_or(wanted, |maximum| maximum.min(wanted));
        if limit.current.is_none_or(|current| current >= wanted) {
            return;
        }
        // If all fail, the limit stays, and sessions beyond it are refused one by one.
        if setrlimit(Resource::Nofile, rustix::process::Rlimit { current: Some(wanted), ..limit }).is_ok() {
            return;
        }
    }
}
