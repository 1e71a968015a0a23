//! Signals by name and number.

use std::fmt;
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::{AsRawFd, BorrowedFd};
use std::str::FromStr;

#[cfg(target_os = "linux")]
use rustix::io::Errno;

use crate::Pid;

/// A signal that this system knows: 1 to the last real-time signal. 0 is not a signal; it only probes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signal(i32);

/// Aliases come after the name that [`Signal::name`] returns.
const NAMES: &[(&str, i32)] = &[
    ("SIGHUP", libc::SIGHUP),
    ("SIGINT", libc::SIGINT),
    ("SIGQUIT", libc::SIGQUIT),
    ("SIGILL", libc::SIGILL),
    ("SIGTRAP", libc::SIGTRAP),
    ("SIGABRT", libc::SIGABRT),
    ("SIGIOT", libc::SIGABRT),
    ("SIGBUS", libc::SIGBUS),
    ("SIGFPE", libc::SIGFPE),
    ("SIGKILL", libc::SIGKILL),
    ("SIGUSR1", libc::SIGUSR1),
    ("SIGSEGV", libc::SIGSEGV),
    ("SIGUSR2", libc::SIGUSR2),
    ("SIGPIPE", libc::SIGPIPE),
    ("SIGALRM", libc::SIGALRM),
    ("SIGTERM", libc::SIGTERM),
    #[cfg(target_os = "linux")]
    ("SIGSTKFLT", 16),
    ("SIGCHLD", libc::SIGCHLD),
    ("SIGCLD", libc::SIGCHLD),
    ("SIGCONT", libc::SIGCONT),
    ("SIGSTOP", libc::SIGSTOP),
    ("SIGTSTP", libc::SIGTSTP),
    ("SIGTTIN", libc::SIGTTIN),
    ("SIGTTOU", libc::SIGTTOU),
    ("SIGURG", libc::SIGURG),
    ("SIGXCPU", libc::SIGXCPU),
    ("SIGXFSZ", libc::SIGXFSZ),
    ("SIGVTALRM", libc::SIGVTALRM),
    ("SIGPROF", libc::SIGPROF),
    ("SIGWINCH", libc::SIGWINCH),
    ("SIGIO", libc::SIGIO),
    ("SIGPOLL", libc::SIGIO),
    #[cfg(target_os = "linux")]
    ("SIGPWR", libc::SIGPWR),
    ("SIGSYS", libc::SIGSYS),
];

/// The highest signal number: the last real-time signal on Linux, the last named one elsewhere.
const LAST: i32 = if cfg!(target_os = "linux") { 64 } else { 31 };

impl Signal {
    pub const HUP: Self = Self(libc::SIGHUP);
    pub const INT: Self = Self(libc::SIGINT);
    pub const QUIT: Self = Self(libc::SIGQUIT);
    pub const KILL: Self = Self(libc::SIGKILL);
    pub const USR1: Self = Self(libc::SIGUSR1);
    pub const USR2: Self = Self(libc::SIGUSR2);
    pub const TERM: Self = Self(libc::SIGTERM);
    pub const CONT: Self = Self(libc::SIGCONT);
    pub const STOP: Self = Self(libc::SIGSTOP);
    pub const TSTP: Self = Self(libc::SIGTSTP);
    pub const WINCH: Self = Self(libc::SIGWINCH);

    pub const fn as_raw(self) -> i32 {
        self.0
    }

    /// The name with its `SIG`; real-time signals have none.
    pub fn name(self) -> Option<&'static str> {
        NAMES.iter().find(|(_, number)| *number == self.0).map(|(name, _)| *name)
    }

    /// Whether this process ignores it. At the program's start this means that its parent wanted that.
    pub fn is_ignored(self) -> io::Result<bool> {
        Ok(action(self.0)?.sa_sigaction == libc::SIG_IGN)
    }
}

/// The given text or number is not a signal of this system.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{given:?} is no signal here: use a name such as HUP, INT, QUIT, KILL, USR1, USR2, TERM, CONT, STOP, TSTP \
     or WINCH (in any case, with or without SIG), or a number from 1 to {LAST}"
)]
pub struct ParseSignalError {
    /// The input, cut to 40 characters.
    pub given: String,
}

/// Maximum characters of a wrong name in an error: enough to recognise it.
const SHOWN: usize = 40;

impl TryFrom<i32> for Signal {
    type Error = ParseSignalError;

    fn try_from(number: i32) -> Result<Self, ParseSignalError> {
        if (1..=LAST).contains(&number) {
            Ok(Self(number))
        } else {
            Err(ParseSignalError { given: number.to_string() })
        }
    }
}

/// `TERM`, `SIGTERM`, `term`, `15`.
impl FromStr for Signal {
    type Err = ParseSignalError;

    fn from_str(text: &str) -> Result<Self, ParseSignalError> {
        let wrong = || ParseSignalError { given: text.chars().take(SHOWN).collect() };
        let text = text.trim();
        if let Ok(number) = text.parse::<i32>() {
            return Self::try_from(number).map_err(|_| wrong());
        }
        let upper = text.to_ascii_uppercase();
        let bare = upper.strip_prefix("SIG").unwrap_or(&upper);
        let found = NAMES.iter().find(|(name, _)| &name[3..] == bare);
        found.map(|(_, number)| Self(*number)).ok_or_else(wrong)
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => self.0.fmt(f),
        }
    }
}

impl fmt::Debug for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signal({self})")
    }
}

/// This process's disposition of a signal.
#[expect(unsafe_code, reason = "signal dispositions have no safe interface")]
pub(crate) fn action(number: libc::c_int) -> io::Result<libc::sigaction> {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: only queries, and writes the answer to memory of the right size.
    if unsafe { libc::sigaction(number, std::ptr::null(), action.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call above succeeded and so filled it.
    Ok(unsafe { action.assume_init() })
}

/// Signals a process group by number. The caller knows that the number has not been reused.
#[expect(unsafe_code, reason = "rustix's signal type has no real-time signals")]
pub(crate) fn kill_group(group: Pid, signal: Signal) -> io::Result<()> {
    // SAFETY: takes two numbers and touches no memory of ours.
    match unsafe { libc::killpg(group.as_raw(), signal.0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Signals a process by number. The caller knows that the number has not been reused.
#[cfg(target_os = "macos")]
#[expect(unsafe_code, reason = "rustix's signal type does not take any number")]
pub(crate) fn kill_process(pid: Pid, signal: Signal) -> io::Result<()> {
    // SAFETY: takes two numbers and touches no memory of ours.
    match unsafe { libc::kill(pid.as_raw(), signal.0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Signals the process that a pidfd names.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "rustix offers neither the flags nor real-time signals here")]
pub(crate) fn send_by_pidfd(pidfd: BorrowedFd<'_>, signal: Signal, flags: u32) -> Result<(), Errno> {
    // SAFETY: the descriptor is open for the length of the call, and the null pointer asks for the
    // siginfo that `kill` would send, so no memory of ours is read.
    let result = unsafe {
        libc::syscall(
            libc::SYS_pidfd_send_signal,
            pidfd.as_raw_fd(),
            signal.as_raw(),
            std::ptr::null::<libc::siginfo_t>(),
            flags,
        )
    };
    match result {
        0 => Ok(()),
        _ => Err(Errno::from_io_error(&io::Error::last_os_error()).expect("a failed call leaves a number")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_read_by_any_spelling_of_its_name_and_by_number() {
        for text in ["TERM", "SIGTERM", "term", "sigterm", " SigTerm ", "15"] {
            assert_eq!(text.parse(), Ok(Signal::TERM), "{text}");
        }
        assert_eq!("CLD".parse::<Signal>(), "CHLD".parse());
    }

    #[test]
    fn every_signal_prints_as_something_that_reads_back() {
        for number in 1..=LAST {
            let signal = Signal::try_from(number).unwrap();
            assert_eq!(signal.to_string().parse(), Ok(signal));
        }
    }

    #[test]
    fn what_is_no_signal_is_refused_with_the_common_names() {
        for text in ["", "SIG", "0", "-9", "65", "99999999999999", "TERMINATE", "SIGSIGTERM"] {
            let error = text.parse::<Signal>().unwrap_err();
            assert_eq!(error.given, text);
            assert!(error.to_string().contains("TERM"), "{error}");
        }
    }

    #[test]
    fn a_wrong_name_is_repeated_short_and_without_control_bytes() {
        let message = format!("\x1b]0;{}", "x".repeat(100_000)).parse::<Signal>().unwrap_err().to_string();
        assert!(message.len() < 400);
        assert!(!message.contains('\x1b'));
    }
}
