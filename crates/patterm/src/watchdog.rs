//! `patterm watchdog`: cleans up when patterm itself was killed and could not.
//!
//! patterm starts it with a pipe, reports its sessions, and kills it at an orderly shutdown. End of file on the pipe
//! means that patterm was killed: the sessions' programs die with it, and the watchdog ends their jobs. Until then it
//! sleeps, in a session of its own, with no terminal and one thread. docs/decisions/0022-watchdog.md says why it is a
//! process.

use std::{
    collections::HashMap,
    ffi::OsString,
    fmt,
    io::{self, BufRead},
    str::FromStr,
    time::Duration,
};

use engine::{Pid, RememberedSession};

use program::Exit;

/// The command's name; users never type it.
pub(crate) const COMMAND: &str = "watchdog";

/// Its process name, so that `killall -9 patterm` does not hit it. macOS lets no process choose its name.
#[cfg(target_os = "linux")]
const NAME: &std::ffi::CStr = c"session-watch";

/// A message from patterm about a session, identified by the process id of its program. One line each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SessionWord {
    Began(Pid),
    /// The program has ended; jobs of it may remain.
    Ended(Pid),
    /// Nothing of it remains.
    Gone(Pid),
}

impl fmt::Display for SessionWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SessionWord::Began(pid) => write!(f, "began {pid}"),
            SessionWord::Ended(pid) => write!(f, "ended {pid}"),
            SessionWord::Gone(pid) => write!(f, "gone {pid}"),
        }
    }
}

impl FromStr for SessionWord {
    type Err = ();

    fn from_str(line: &str) -> Result<Self, ()> {
        let (word, number) = line.split_once(' ').ok_or(())?;
        let pid = Pid::new(number.parse().map_err(|_| ())?).ok_or(())?;
        match word {
            "began" => Ok(SessionWord::Began(pid)),
            "ended" => Ok(SessionWord::Ended(pid)),
            "gone" => Ok(SessionWord::Gone(pid)),
            _ => Err(()),
        }
    }
}

/// `words` is the grace period in milliseconds.
pub(crate) fn run(words: &[OsString]) -> Exit {
    let Some(grace) = words.first().and_then(|word| word.to_str()?.parse().ok()) else { return Exit::Usage };
    // Keeps away Ctrl-C and the closing window's signals. It can't fail, because we lead no process group.
    let _ = rustix::process::setsid();
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::set_name(NAME);
    // Don't keep a file system busy.
    let _ = std::env::set_current_dir("/");
    let left = listen(io::stdin().lock());
    if left.is_empty() {
        return Exit::Done;
    }
    match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => {
            runtime.block_on(engine::end_remembered_sessions(left, Duration::from_millis(grace)));
            Exit::Done
        }
        Err(_) => Exit::Refused,
    }
}

/// The sessions that were left when patterm ended.
fn listen(patterm: impl BufRead) -> Vec<RememberedSession> {
    let mut sessions = HashMap::new();
    // An unreadable line counts as the end.
    for line in patterm.lines().map_while(Result::ok) {
        match line.parse() {
            Ok(SessionWord::Began(pid)) => {
                sessions.insert(pid, RememberedSession::new(pid));
            }
            Ok(SessionWord::Ended(pid)) => {
                sessions.entry(pid).and_modify(RememberedSession::note_end);
            }
            Ok(SessionWord::Gone(pid)) => {
                sessions.remove(&pid);
            }
            // patterm was killed in the middle of a line.
            Err(()) => {}
        }
    }
    let mut left: Vec<RememberedSession> = sessions.into_values().collect();
    // Their programs die with patterm, and whoever inherits them reaps them.
    left.iter_mut().for_each(RememberedSession::note_end);
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_what_began_and_is_not_gone() {
        let text = "began 10\nbegan 11\nbegan 12\nended 11\nended 12\ngone 12\ngone 77\nnonsense\nbegan -1\nbegan 13";
        let mut left: Vec<i32> = listen(text.as_bytes()).iter().map(|session| session.leader().as_raw()).collect();
        left.sort_unstable();
        assert_eq!(left, [10, 11, 13]);
    }

    #[test]
    fn a_word_reads_back() {
        let pid = Pid::new(4711).unwrap();
        for word in [SessionWord::Began(pid), SessionWord::Ended(pid), SessionWord::Gone(pid)] {
            assert_eq!(word.to_string().parse(), Ok(word));
        }
    }
}
