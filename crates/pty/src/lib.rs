//! Pseudo-terminals and the processes in them: start, read, write, resize, signal, wait.
//!
//! [`spawn()`] starts a program in a new terminal and hands back two halves: the [`Pty`] (bytes,
//! size, terminal facts) and the [`ChildProcess`] (signals, exit status). Nothing here blocks except
//! [`ChildProcess::wait`], [`poll()`], and the few hundred microseconds of a start; a session's I/O thread
//! waits with [`poll()`] on the terminal, on [`ChildProcess::exit_fd`] and on its [`PollWaker`].
//!
//! Called by the engine only. It knows no sessions, screens, escape sequences, configuration or
//! async runtime, and never reads this process's environment: a child gets exactly what its
//! [`SpawnRequest`] says. Every operating-system call and every `unsafe` block of the house is here.
//!
//! Linux 5.4 or newer is the tested home. macOS goes through the same interface; it is built and has not been run.
//! docs/platforms.md says what each system does in its own way, and what macOS can't do.

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
compile_error!("patterm runs on Linux and on macOS");

mod child;
#[cfg(target_os = "macos")]
mod exit_watch;
mod held_process;
mod memory;
mod peer_groups;
mod pid;
mod poll;
pub mod processes;
mod pty;
mod queue;
mod remembered;
mod short_file;
mod signal;
mod spawn;
mod waker;

pub use child::{ChildProcess, ExitStatus};
pub use held_process::HeldProcess;
pub use memory::{return_free_pages, return_large_blocks};
pub use peer_groups::peer_groups;
pub use pid::Pid;
pub use poll::{PollFd, PollFlags, poll};
pub use pty::{Pty, PtySize, ReadOutcome, TtyFacts};
pub use queue::{QueueFull, WriteQueue};
pub use remembered::RememberedSession;
pub use short_file::read_short_file;
pub use signal::{ParseSignalError, Signal};
pub use spawn::{SpawnError, SpawnRequest, spawn};
pub use waker::PollWaker;
