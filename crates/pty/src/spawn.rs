//! Starting programs in new terminals.

use std::ffi::{CString, OsString};
use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::{ChildProcess, Pty, PtySize};

mod command;
#[cfg(target_os = "macos")]
mod fork;
#[cfg(target_os = "linux")]
mod vfork;

use command::{ExecCommand, keep_exit_statuses};
#[cfg(target_os = "macos")]
use fork::start;
#[cfg(target_os = "linux")]
use vfork::start;

/// What to start, and in which environment. Nothing is added to it.
#[derive(Clone)]
pub struct SpawnRequest {
    /// The program and its arguments. A program without a slash is looked for in the `PATH` of
    /// `env`, as a shell would.
    pub argv: Vec<OsString>,
    /// The complete environment.
    pub env: Vec<(OsString, OsString)>,
    /// Where it starts; `None` for this process's own folder. A relative program path and relative
    /// `PATH` entries count from here.
    pub working_dir: Option<PathBuf>,
    pub size: PtySize,
}

/// Environment values are secrets more often than not: only their number is shown.
impl fmt::Debug for SpawnRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpawnRequest")
            .field("argv", &self.argv)
            .field("env", &format_args!("{} variables", self.env.len()))
            .field("working_dir", &self.working_dir)
            .field("size", &self.size)
            .finish()
    }
}

/// Why a program was not started. Nothing is left behind: no process, no descriptor.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    #[error("the command is empty: name a program to run")]
    EmptyCommand,
    #[error("{what} holds a NUL byte, which no process can be given: remove it")]
    BadArgument { what: &'static str },
    #[error("{name:?} can't name an environment variable: use a name that is not empty and holds no `=`")]
    BadVariable { name: OsString },
    #[error("`{}` was not found: check its spelling, install it, or give its full path (the child's PATH was searched)", .program.display())]
    NotFound { program: OsString },
    #[error("`{}` may not be run: check that it is a file with its execute permission set, and that its folders can be entered", .program.display())]
    PermissionDenied { program: OsString },
    #[error("`{}` is there, but the interpreter or loader that it names is not: look at its `#!` line, or at the system it was built for", .program.display())]
    MissingInterpreter { program: PathBuf },
    #[error("can't start in `{}` ({source}): choose a folder that exists and may be entered", .path.display())]
    WorkingDirectory { path: PathBuf, source: io::Error },
    #[error("arguments and environment together are larger than the system allows: pass less, or pass it in a file")]
    TooLong,
    #[error(
        "no terminal could be opened ({source}): end some sessions, or raise the system's limit on pseudo-terminals ({limit})",
        limit = if cfg!(target_os = "macos") { "kern.tty.ptmx_max" } else { "kernel.pty.max" }
    )]
    NoPty { source: io::Error },
    #[error("no more files can be opened ({source}): end some sessions, or raise the limit (ulimit -n)")]
    TooManyFiles { source: io::Error },
    #[error(
        "no more processes can be started ({source}): end some, or raise the limit (ulimit -u, or the container's pids limit)"
    )]
    TooManyProcesses { source: io::Error },
    #[error("`{}` could not be run ({source}): try it in a shell to see more", .program.display())]
    Exec { program: OsString, source: io::Error },
    #[error(
        "the system refused to {step} for a new child ({source}): it may be too old ({oldest} is needed) or a sandbox forbids it",
        oldest = if cfg!(target_os = "macos") { "macOS 11" } else { "Linux 5.4" }
    )]
    System { step: &'static str, source: io::Error },
}

impl SpawnError {
    /// Tells running out of descriptors apart from `other` failures.
    fn descriptors_or(source: io::Error, other: impl FnOnce(io::Error) -> Self) -> Self {
        match source.raw_os_error() {
            Some(libc::EMFILE | libc::ENFILE) => Self::TooManyFiles { source },
            _ => other(source),
        }
    }
}

/// Starts a program in a new terminal: leader of its own session and process group, with the
/// terminal as its controlling one and as its descriptors 0, 1 and 2, no others, and with every
/// signal at its default and unblocked. Returns when it has become the program, well under a
/// millisecond later, unless the program or its working directory lies on a file system that hangs.
///
/// The child is killed when the *thread* that called this ends, however suddenly, and so with this
/// process: call it from a thread that lives as long as the child, such as a worker of the program's own async runtime,
/// and never from its pool for blocking work, whose threads end when they are idle. (Not
/// its own children, which get `SIGHUP` from the vanishing terminal; and not a child that changed
/// its user, such as `sudo`, which gets `SIGHUP` too.) Linux only: macOS has no such signal, so there the child gets the
/// hang-up of its terminal and nothing else when this process dies.
///
/// If this process inherited an ignored `SIGCHLD`, that is undone: with it the kernel would throw
/// the children's exit statuses away.
pub fn spawn(request: SpawnRequest) -> Result<(Pty, ChildProcess), SpawnError> {
    if request.argv.first().is_none_or(|program| program.is_empty()) {
        return Err(SpawnError::EmptyCommand);
    }
    keep_exit_statuses().map_err(|source| SpawnError::System { step: "keep exit statuses", source })?;
    let size = request.size;
    let command = ExecCommand::new(request)?;
    let (pty, terminal) =
        Pty::open(size).map_err(|source| SpawnError::descriptors_or(source, |source| SpawnError::NoPty { source }))?;
    let (pid, handle) = command.start(terminal)?;
    Ok((pty, ChildProcess::new(pid, handle)))
}

fn pointers(strings: &[CString]) -> Vec<*const libc::c_char> {
    strings.iter().map(|string| string.as_ptr()).chain([std::ptr::null()]).collect()
}

/// One past the last descriptor that can be open. Closing one by one is bounded: beyond this, descriptors are left to
/// their close-on-exec flags.
fn descriptor_limit() -> libc::c_int {
    const MOST: u64 = 65_536;
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(MOST).min(MOST);
    libc::c_int::try_from(limit).expect("65,536 fits")
}
