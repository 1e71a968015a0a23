//! How long a thread's turns on a processor are.

/// Asks for short turns for this thread. Threads and processes that it makes have them as usual.
///
/// A scheduler that knows them (Linux 6.12 and newer) lets a thread with short turns go first when it wakes up, before one
/// that is in the middle of a long turn, and gives it no more time than others. That is right for whoever waits for an
/// answer to hand on, beside programs that load or compile; a thread that reads a flood would wake up too often. Where it
/// can't be had, nothing happens.
pub fn take_short_turns() {
    #[cfg(target_os = "linux")]
    linux::take_short_turns();
}

#[cfg(target_os = "linux")]
mod linux {
    use std::mem::{MaybeUninit, size_of};

    use libc::sched_attr;

    /// The shortest that the kernel takes.
    pub(super) const SHORT_NANOSECONDS: u64 = 100_000;

    pub(super) fn take_short_turns() {
        let Some(usual) = attributes(0) else { return };
        // A policy of its own, or a better place than others', was given to it by someone who knows why. What it starts
        // would lose both.
        if usual.sched_policy == libc::SCHED_OTHER as u32 && usual.sched_nice >= 0 {
            let sched_flags = usual.sched_flags | libc::SCHED_FLAG_RESET_ON_FORK as u64;
            set(&sched_attr { sched_flags, sched_runtime: SHORT_NANOSECONDS, ..usual });
        }
    }

    /// Of a thread or process; 0 is the calling thread.
    #[expect(unsafe_code, reason = "a system call without a safe interface")]
    pub(super) fn attributes(of: libc::pid_t) -> Option<sched_attr> {
        let mut found = MaybeUninit::<sched_attr>::zeroed();
        // SAFETY: the kernel writes no more bytes than it is told that there are.
        let answer =
            unsafe { libc::syscall(libc::SYS_sched_getattr, of, found.as_mut_ptr(), size_of::<sched_attr>(), 0) };
        // SAFETY: numbers, which are zero or what the kernel wrote.
        (answer == 0).then(|| unsafe { found.assume_init() })
    }

    #[expect(unsafe_code, reason = "a system call without a safe interface")]
    fn set(attributes: &sched_attr) {
        // SAFETY: the kernel reads the bytes that the attributes say they have. A refusal changes nothing.
        unsafe { libc::syscall(libc::SYS_sched_setattr, 0, std::ptr::from_ref(attributes), 0) };
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::linux::{SHORT_NANOSECONDS, attributes};

    #[test]
    fn only_the_thread_that_asks_has_short_turns() {
        let before = attributes(0).unwrap();
        std::thread::spawn(move || {
            super::take_short_turns();
            let after = attributes(0).unwrap();
            assert_eq!((after.sched_policy, after.sched_nice), (before.sched_policy, before.sched_nice));
            // Before Linux 6.12 there are none.
            if before.sched_runtime != 0 {
                assert_eq!(after.sched_runtime, SHORT_NANOSECONDS);
            }
            let thread = std::thread::spawn(|| attributes(0).unwrap().sched_runtime);
            assert_eq!(thread.join().unwrap(), before.sched_runtime);
            let mut process = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
            let started = attributes(process.id() as libc::pid_t).unwrap().sched_runtime;
            process.kill().unwrap();
            process.wait().unwrap();
            assert_eq!(started, before.sched_runtime);
        })
        .join()
        .unwrap();
        assert_eq!(attributes(0).unwrap().sched_runtime, before.sched_runtime);
    }
}
