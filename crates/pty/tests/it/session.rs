//! A child in a terminal, read with a deadline.

use std::ffi::OsString;
use std::os::fd::{AsFd, OwnedFd};

use pty::{ChildProcess, Pid, PollFd, PollFlags, Pty, PtySize, ReadOutcome, SpawnError, SpawnRequest, poll};
use testkit::{DEADLINE, LifeLimit, Script};

pub(crate) const SIZE: PtySize = PtySize { cols: 80, rows: 24 };

pub(crate) fn request(argv: Vec<OsString>) -> SpawnRequest {
    let env = vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()), ("TERM".into(), "xterm-256color".into())];
    SpawnRequest { argv, env, working_dir: None, size: SIZE }
}

pub(crate) fn spawn_error(request: SpawnRequest) -> SpawnError {
    pty::spawn(request).expect_err("this can't start")
}

pub(crate) struct Session {
    pub(crate) pty: Pty,
    pub(crate) child: ChildProcess,
    /// All that was read.
    pub(crate) output: Vec<u8>,
    /// So that even a blocking `wait` comes to an end.
    _limit: LifeLimit,
}

impl Session {
    #[track_caller]
    pub(crate) fn start(script: Script) -> Self {
        Self::of(pty::spawn(request(script.argv())).unwrap())
    }

    pub(crate) fn of((pty, child): (Pty, ChildProcess)) -> Self {
        let limit = LifeLimit::usual(child.pid().as_raw());
        Self { pty, child, output: Vec::new(), _limit: limit }
    }

    /// Waits for output and takes it; `false` at the end of it.
    #[track_caller]
    fn read_some(&mut self) -> bool {
        let mut fds = [PollFd::new(&self.pty, PollFlags::IN)];
        let ready = poll(&mut fds, Some(DEADLINE)).unwrap();
        assert_ne!(ready, 0, "nothing more after {:?}", self.text());
        let mut buffer = [0; 65536];
        match self.pty.read(&mut buffer).unwrap() {
            ReadOutcome::Bytes(count) => self.output.extend_from_slice(&buffer[..count]),
            ReadOutcome::WouldBlock => {}
            ReadOutcome::Eof => return false,
        }
        true
    }

    /// Reads to the end, and answers all the output.
    #[track_caller]
    pub(crate) fn read_to_end(&mut self) -> String {
        while self.read_some() {}
        self.text()
    }

    /// Reads until a line begins with `start`, and answers the rest of that line.
    #[track_caller]
    pub(crate) fn read_line(&mut self, start: &str) -> String {
        loop {
            // Only whole lines: the end of the last one may be still to come.
            let text = self.text();
            let lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
            if let Some(rest) = lines.map(str::trim_end).find_map(|line| line.strip_prefix(start)) {
                return rest.trim().to_owned();
            }
            assert!(self.read_some(), "no line begins with {start:?} in {text:?}");
        }
    }

    /// Reads the pid that the child's forking commands print.
    #[track_caller]
    pub(crate) fn read_pid(&mut self, start: &str) -> Pid {
        let number = self.read_line(start);
        Pid::new(number.parse().expect("a number")).expect("a positive one")
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.output).into_owned()
    }

    /// Waits for the child's end by its descriptor, without reaping it.
    #[track_caller]
    pub(crate) fn wait_for_exit(&self) {
        assert_readable(self.child.exit_fd());
    }
}

/// Waits until the descriptor is readable, which for a pidfd means that its process has ended.
#[track_caller]
pub(crate) fn assert_readable(fd: impl AsFd) {
    let mut fds = [PollFd::new(&fd, PollFlags::IN)];
    assert_eq!(poll(&mut fds, Some(DEADLINE)).unwrap(), 1, "not readable within {DEADLINE:?}");
}

/// A hold on any process that tells its end, even if somebody else reaps it. What a failed test
/// leaves alive is killed with it.
pub(crate) struct Watch(OwnedFd);

impl Watch {
    #[track_caller]
    pub(crate) fn new(pid: Pid) -> Self {
        let pid = rustix::process::Pid::from_raw(pid.as_raw()).unwrap();
        Self(rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).expect("the process is there"))
    }

    #[track_caller]
    pub(crate) fn wait_for_end(&self) {
        assert_readable(&self.0);
    }

    pub(crate) fn has_ended(&self) -> bool {
        let mut fds = [PollFd::new(&self.0, PollFlags::IN)];
        poll(&mut fds, Some(std::time::Duration::ZERO)).unwrap() == 1
    }

    /// For processes that nothing else ends.
    #[track_caller]
    pub(crate) fn kill(&self) {
        rustix::process::pidfd_send_signal(&self.0, rustix::process::Signal::KILL).expect("it is there");
        self.wait_for_end();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // Fails if it has ended, as it should have.
        let _ = rustix::process::pidfd_send_signal(&self.0, rustix::process::Signal::KILL);
    }
}
