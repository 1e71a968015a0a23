//! `patterm watchdog`: what ends the rest when patterm itself was killed and could not.
//!
//! patterm starts it with a pipe, tells it the sessions, and kills it at its own orderly end. A pipe that ends means that
//! patterm was killed: its programs die with it, and their jobs are ended here. It sleeps until then, in a session of its
//! own, with no terminal and one thread. Why it is a process: docs/decisions/0022-watchdog.md.

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

/// The command; nobody types it.
pub(crate) const COMMAND: &str = "watchdog";

/// What it is called in lists of processes: `killall -9 patterm` is not meant for it.
const NAME: &std::ffi::CStr = c"session-watch";

/// What patterm tells of a session, by the process id of its program. One line each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SessionWord {
    Began(Pid),
    /// The program has ended; jobs of it may be left.
    Ended(Pid),
    /// Nothing is left of it.
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

/// `words` is the grace in milliseconds.
pub(crate) fn run(words: &[OsString]) -> Exit {
    let Some(grace) = words.first().and_then(|word| word.to_str()?.parse().ok()) else { return Exit::Usage };
    // Neither a Ctrl-C nor the end of patterm's window is meant for us. We are nobody's group leader, so it can't fail.
    let _ = rustix::process::setsid();
    let _ = rustix::thread::set_name(NAME);
    // Whatever folder it is, it can be unmounted.
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

/// The sessions that patterm left, once it has gone.
fn listen(patterm: impl BufRead) -> Vec<RememberedSession> {
    let mut sessions = HashMap::new();
    // A line that can't be read is the end as well.
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
            // It was killed in mid-word.
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
