//! Child processes that can't outlive their test, whatever the test did to them, and never keep a test waiting for
//! ever.

use std::{
    ops::{Deref, DerefMut},
    process::{Child, Command, ExitStatus},
    sync::{
        Once,
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use tokio::signal::unix::{SignalKind, signal};

use crate::wait::DEADLINE;

/// How long a child may live before it is killed, so that even a blocking read of its output ends. Longer than the
/// slowest test needs, shorter than the limit of `.ci/run` on all tests together.
const LONGEST_LIFE: Duration = Duration::from_secs(300);

/// A child process. Dropping it continues it if it was stopped, asks it to end, and kills it if it does not.
#[derive(Debug)]
pub struct TestChild {
    child: Child,
    _limit: LifeLimit,
}

impl TestChild {
    #[track_caller]
    pub fn start(command: &mut Command) -> Self {
        Self::start_for(LONGEST_LIFE, command)
    }

    /// Like [`TestChild::start`], with a different time limit.
    #[track_caller]
    pub fn start_for(longest: Duration, command: &mut Command) -> Self {
        pass_on_no_ignored_signals();
        let child = command.spawn().unwrap_or_else(|error| panic!("{command:?} can't be started: {error}"));
        let limit = LifeLimit::set(pid_of(&child), longest);
        TestChild { child, _limit: limit }
    }

    pub fn pid(&self) -> Pid {
        pid_of(&self.child)
    }

    /// Sends a signal to a running child.
    #[track_caller]
    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("the child is there");
    }

    /// Waits for its end, which must come within [`DEADLINE`].
    #[track_caller]
    pub fn ended(&mut self) -> ExitStatus {
        match self.ends_within(DEADLINE) {
            Some(status) => status,
            None => panic!("waited {DEADLINE:?} in vain until process {} has ended", self.id()),
        }
    }

    /// Asks it to end, and kills it if it has not ended by the deadline. A stopped child is continued first.
    pub fn end(&mut self) -> ExitStatus {
        if let Ok(Some(status)) = self.try_wait() {
            return status;
        }
        // These fail only if it has just ended.
        let _ = kill_process(self.pid(), Signal::TERM);
        let _ = kill_process(self.pid(), Signal::CONT);
        self.ends_within(DEADLINE).unwrap_or_else(|| {
            let _ = self.kill();
            self.wait().expect("it is our child")
        })
    }

    /// Its exit status, if it ends within this time.
    pub fn ends_within(&mut self, patience: Duration) -> Option<ExitStatus> {
        let start = Instant::now();
        loop {
            let last = start.elapsed() >= patience;
            match self.try_wait().expect("it is our child") {
                Some(status) => return Some(status),
                None if last => return None,
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        }
    }
}

impl Deref for TestChild {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.child
    }
}

impl DerefMut for TestChild {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.child
    }
}

impl Drop for TestChild {
    fn drop(&mut self) {
        self.end();
    }
}

/// Ignored signals are inherited: as a background job of a script, this process ignores INT, and so would its children,
/// which would fail a test of INT. A handler that does nothing has the same effect here and is not inherited.
fn pass_on_no_ignored_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
        let ignored = |kind: &SignalKind| mask.unwrap_or(0) >> (kind.as_raw_value() - 1) & 1 == 1;
        let kinds = [SignalKind::hangup(), SignalKind::interrupt(), SignalKind::quit(), SignalKind::terminate()];
        let kinds: Vec<SignalKind> = kinds.into_iter().filter(ignored).collect();
        if kinds.is_empty() {
            return;
        }
        // In a thread of its own: the test may run in a task, where a runtime must not be dropped.
        let handled = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("it is small");
            let _inside = runtime.enter();
            // The handlers stay when their receivers are dropped.
            kinds.into_iter().for_each(|kind| drop(signal(kind).expect("these can be handled")));
        });
        handled.join().expect("the handlers are there");
    });
}

fn pid_of(child: &Child) -> Pid {
    Pid::from_child(child)
}

/// Kills a process that is still running when its time is over. Dropping this lifts the limit.
#[derive(Debug)]
pub struct LifeLimit {
    lift: Option<Sender<()>>,
    waiting: Option<JoinHandle<()>>,
}

impl LifeLimit {
    /// The usual limit, for a process that is not a [`TestChild`].
    pub fn usual(pid: i32) -> Self {
        Self::set(Pid::from_raw(pid).expect("processes have positive numbers"), LONGEST_LIFE)
    }

    fn set(pid: Pid, longest: Duration) -> Self {
        let process = ProcessHandle::of(pid);
        let (lift, lifted) = mpsc::channel();
        let waiting = std::thread::spawn(move || {
            if lifted.recv_timeout(longest) == Err(RecvTimeoutError::Timeout) {
                process.kill();
            }
        });
        LifeLimit { lift: Some(lift), waiting: Some(waiting) }
    }
}

impl Drop for LifeLimit {
    fn drop(&mut self) {
        drop(self.lift.take());
        // Joined, so that a test that counts threads finds none of ours.
        if let Some(waiting) = self.waiting.take() {
            let _ = waiting.join();
        }
    }
}

/// Identifies one process for good: a bare process id may be reused before the process is killed.
struct ProcessHandle(#[cfg(target_os = "linux")] Option<std::os::fd::OwnedFd>);

impl ProcessHandle {
    #[cfg(target_os = "linux")]
    fn of(pid: Pid) -> Self {
        // None if it has ended and was reaped already.
        ProcessHandle(rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok())
    }

    #[cfg(target_os = "linux")]
    fn kill(&self) {
        if let Some(process) = &self.0 {
            let _ = rustix::process::pidfd_send_signal(process, Signal::KILL);
        }
    }

    /// Other systems have only the process id, which is not safe to kill by, so nothing is killed.
    #[cfg(not(target_os = "linux"))]
    fn of(_: Pid) -> Self {
        ProcessHandle()
    }

    #[cfg(not(target_os = "linux"))]
    fn kill(&self) {}
}

#[cfg(test)]
mod tests {
    use std::{io::Read, os::unix::process::ExitStatusExt, process::Stdio};

    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdout(Stdio::piped());
        command
    }

    #[test]
    fn a_stopped_child_is_continued_and_may_clean_up() {
        let mut child = TestChild::start(&mut shell("trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done"));
        let mut said = [0; 6];
        child.stdout.as_mut().unwrap().read_exact(&mut said).unwrap();
        child.signal(Signal::STOP);
        assert_eq!(child.end().code(), Some(7));
    }

    #[test]
    fn reading_from_a_child_that_says_nothing_ends_with_its_time() {
        let mut child = TestChild::start_for(Duration::from_millis(50), &mut shell("exec sleep 1000"));
        let mut said = String::new();
        child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!((said.as_str(), child.ended().signal()), ("", Some(9)));
    }

    /// Runs the tests from a script that ignores INT, like a background job.
    #[tokio::test]
    async fn an_ignored_signal_is_not_passed_on() {
        const INNER: &str = "TESTKIT_STARTED_BY_A_SCRIPT";
        if std::env::var_os(INNER).is_some() {
            assert_eq!(TestChild::start(&mut shell("kill -INT $$; exec sleep 1000")).ended().signal(), Some(2));
            return;
        }
        let mut script = Command::new("sh");
        script.args(["-c", "trap '' INT; exec \"$0\" --exact ended::tests::an_ignored_signal_is_not_passed_on"]);
        let ran = crate::run(script.arg(std::env::current_exe().unwrap()).env(INNER, "1"));
        assert!(ran.stdout.contains("1 passed"), "{ran:?}");
    }

    #[test]
    fn a_limit_is_lifted_at_once() {
        let start = Instant::now();
        assert!(TestChild::start(&mut shell("exit 0")).ended().success());
        assert!(start.elapsed() < DEADLINE);
    }
}
