//! Other Unix systems: the standard library's fork and exec. Untested, and without a parent-death
//! signal: a host that dies suddenly leaves its children the hang-up of their terminals only.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Stdio;

use super::{SpawnError, SpawnRequest};
use crate::Pid;
use crate::child::ChildHandle;

pub(super) struct StdCommand {
    program: OsString,
    working_dir: Option<PathBuf>,
    command: std::process::Command,
}

impl StdCommand {
    pub(super) fn new(request: SpawnRequest) -> Result<Self, SpawnError> {
        let whole = |text: &OsString, what| {
            if text.as_bytes().contains(&0) { Err(SpawnError::BadArgument { what }) } else { Ok(()) }
        };
        for argument in &request.argv {
            whole(argument, "an argument")?;
        }
        for (name, value) in &request.env {
            if name.is_empty() || name.as_bytes().contains(&b'=') {
                return Err(SpawnError::BadVariable { name: name.clone() });
            }
            whole(name, "an environment variable")?;
            whole(value, "an environment variable")?;
        }
        let mut command = std::process::Command::new(&request.argv[0]);
        command.args(&request.argv[1..]).env_clear().envs(request.env);
        if let Some(path) = &request.working_dir {
            whole(&path.clone().into_os_string(), "the working directory")?;
            command.current_dir(path);
        }
        Ok(Self { program: request.argv[0].clone(), working_dir: request.working_dir, command })
    }

    /// Starts the program with `terminal`, a slave side, as its terminal.
    #[expect(unsafe_code, reason = "code between fork and exec")]
    pub(super) fn start(self, terminal: OwnedFd) -> Result<(Pid, ChildHandle), SpawnError> {
        let StdCommand { program, working_dir, mut command } = self;
        let system = |step| move |source| SpawnError::System { step, source };
        if let Some(path) = working_dir {
            // The standard library's error would not tell a missing folder from a missing program.
            if let Err(source) = std::fs::read_dir(&path) {
                return Err(SpawnError::WorkingDirectory { path, source });
            }
        }
        let copy = || terminal.try_clone().map_err(|source| SpawnError::TooManyFiles { source });
        command.stdin(Stdio::from(copy()?)).stdout(Stdio::from(copy()?)).stderr(Stdio::from(terminal));
        // SAFETY: only async-signal-safe calls, and none of them allocates.
        unsafe {
            command.pre_exec(|| {
                for signal in 1..32 {
                    libc::signal(signal, libc::SIG_DFL);
                }
                rustix::process::setsid()?;
                rustix::process::ioctl_tiocsctty(std::os::fd::BorrowedFd::borrow_raw(0))?;
                Ok(())
            });
        }
        let mut child = command.spawn().map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => SpawnError::NotFound { program },
            io::ErrorKind::PermissionDenied => SpawnError::PermissionDenied { program },
            io::ErrorKind::ArgumentListTooLong => SpawnError::TooLong,
            _ => match source.raw_os_error() {
                Some(libc::EAGAIN | libc::ENOMEM) => SpawnError::TooManyProcesses { source },
                _ => SpawnError::descriptors_or(source, |source| SpawnError::Exec { program, source }),
            },
        })?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::new).expect("a pid is a positive pid_t");
        match ChildHandle::new(pid) {
            Ok(handle) => Ok((pid, handle)),
            Err(source) => {
                // Errors of these two can't be handled: the child is lost either way.
                let _ = child.kill();
                let _ = child.wait();
                Err(SpawnError::descriptors_or(source, system("watch for the exit")))
            }
        }
    }
}

/// Does nothing: an ignored `SIGCHLD` stays ignored on these systems.
pub(super) fn keep_exit_statuses() -> io::Result<()> {
    Ok(())
}
