//! A runtime where the system has no room for its threads.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use testkit::in_own_process;

#[test]
fn threads_that_cannot_be_had_are_told_in_a_sentence() {
    in_own_process("runtime::threads_that_cannot_be_had_are_told_in_a_sentence", || {
        let before = getrlimit(Resource::As);
        // Room for one stack of 2 MiB.
        let used = rustix::param::page_size() as u64 * pages();
        setrlimit(Resource::As, Rlimit { current: Some(used + (3 << 20)), ..before }).unwrap();
        let refused = engine::build_runtime("task").map(drop);
        setrlimit(Resource::As, before).unwrap();
        let message = refused.unwrap_err().to_string();
        assert!(message.contains("threads") && message.contains("ulimit -u"), "{message}");
        engine::build_runtime("task").unwrap().block_on(async {});
    });
}

/// Pages of this process, resident or not.
fn pages() -> u64 {
    std::fs::read_to_string("/proc/self/statm").unwrap().split(' ').next().unwrap().parse().unwrap()
}
