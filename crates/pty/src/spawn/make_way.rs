//! Sends a program that has just begun to another processor than its starter's.
//!
//! The system gives a new process a processor that has nothing to do. If there is none, it stays with the thread that
//! started it, as that is about to wait for it. When it has become the program, both want to go on there, and so does
//! whoever the starter answers: they wait while the program loads itself, which takes longer than the start, even if
//! another processor is free by then. A process that waits for its turn is moved at no cost, and now it is one.

use std::sync::OnceLock;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::Pid;

/// `processor` is where the child was last seen. Nothing happens if that is not ours.
pub(super) fn make_way(child: Pid, processor: u32) {
    if this_processor() == Some(processor) {
        send_away(child, processor);
    }
}

/// Leaves a child alone that may not use every processor there is: someone has decided where it runs.
fn send_away(child: Pid, processor: u32) {
    let child = Some(child.to_rustix());
    let Ok(mut allowed) = sched_getaffinity(child) else { return };
    let processor = processor as usize;
    if processor >= CpuSet::MAX_CPU || allowed.count() < 2 || allowed.count() < processors() {
        return;
    }
    allowed.unset(processor);
    // The end of this follows within microseconds, and the program needs hundreds of them to load itself: it does not see
    // the beginning. If we should be that slow, and it has said by itself where it wants to run, that holds.
    if sched_setaffinity(child, &allowed).is_ok() && sched_getaffinity(child).is_ok_and(|now| now == allowed) {
        let _ = sched_setaffinity(child, &anywhere());
    }
}

/// On processors that come one day, too: as if nothing had been said.
fn anywhere() -> CpuSet {
    let mut set = CpuSet::new();
    (0..CpuSet::MAX_CPU).for_each(|processor| set.set(processor));
    set
}

#[expect(unsafe_code, reason = "rustix asks the vDSO, which valgrind hides from it")]
fn this_processor() -> Option<u32> {
    // SAFETY: it takes nothing and answers with a number, which is negative if it can't.
    u32::try_from(unsafe { libc::sched_getcpu() }).ok()
}

/// How many there are; more than anyone has if that can't be told. Asked once: it takes longer than all the rest.
fn processors() -> u32 {
    static COUNTED: OnceLock<u32> = OnceLock::new();
    *COUNTED.get_or_init(|| {
        let online = std::fs::read_to_string("/sys/devices/system/cpu/online").ok();
        online.and_then(|list| count(list.trim())).unwrap_or(u32::MAX)
    })
}

/// Of a list such as `0-3,8`.
fn count(list: &str) -> Option<u32> {
    let ranges = list.split(',').map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        last.parse::<u32>().ok()?.checked_sub(first.parse().ok()?)?.checked_add(1)
    });
    ranges.sum()
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use super::*;

    struct Sleeper(Child);

    impl Sleeper {
        fn start() -> Self {
            Sleeper(Command::new("sleep").arg("1000").spawn().unwrap())
        }

        fn pid(&self) -> Pid {
            Pid::new(self.0.id().cast_signed()).unwrap()
        }

        fn allowed(&self) -> CpuSet {
            sched_getaffinity(Some(self.pid().to_rustix())).unwrap()
        }
    }

    impl Drop for Sleeper {
        fn drop(&mut self) {
            self.0.kill().unwrap();
            self.0.wait().unwrap();
        }
    }

    #[test]
    fn who_was_sent_away_may_come_back() {
        let sleeper = Sleeper::start();
        let before = sleeper.allowed();
        for processor in (0..CpuSet::MAX_CPU).filter(|processor| before.is_set(*processor)) {
            send_away(sleeper.pid(), processor as u32);
            assert_eq!(sleeper.allowed(), before);
        }
    }

    #[test]
    fn who_has_its_processors_keeps_them() {
        let sleeper = Sleeper::start();
        let before = sleeper.allowed();
        let first = (0..CpuSet::MAX_CPU).find(|processor| before.is_set(*processor)).unwrap();
        let mut only = CpuSet::new();
        only.set(first);
        sched_setaffinity(Some(sleeper.pid().to_rustix()), &only).unwrap();
        send_away(sleeper.pid(), first as u32);
        assert_eq!(sleeper.allowed(), only);
    }

    #[test]
    fn processors_are_counted() {
        assert_eq!(count("0"), Some(1));
        assert_eq!(count("0-1"), Some(2));
        assert_eq!(count("0-3,8,10-11"), Some(7));
        for nonsense in ["", "a", "3-1", "0-", "0-4294967295"] {
            assert_eq!(count(nonsense), None, "{nonsense:?}");
        }
        assert_ne!(processors(), u32::MAX);
    }
}
