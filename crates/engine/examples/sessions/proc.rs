//! What the kernel counts for this process.

use std::fs;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// A thousand sessions need some three thousand descriptors.
pub(crate) fn allow_many_files() {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum }).unwrap();
}

/// Resident memory, in bytes.
pub(crate) fn resident() -> usize {
    let pages = fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * rustix::param::page_size()
}

/// User and system time of this process, in seconds.
pub(crate) fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    let ticks = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
    ticks / rustix::param::clock_ticks_per_second() as f64
}

/// How often each I/O thread went to sleep so far, all together: one more is one wake-up.
pub(crate) fn io_thread_sleeps() -> u64 {
    let threads = fs::read_dir("/proc/self/task").unwrap().flatten();
    let statuses = threads.filter_map(|thread| fs::read_to_string(thread.path().join("status")).ok());
    let ours = statuses.filter(|status| status.starts_with("Name:\tio-p_"));
    ours.map(|status| {
        let line = status.lines().find(|line| line.starts_with("voluntary_ctxt_switches")).unwrap();
        line.split('\t').next_back().unwrap().parse::<u64>().unwrap()
    })
    .sum()
}
