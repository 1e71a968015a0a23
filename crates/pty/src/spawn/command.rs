//! Prepares a start as C data, and turns its failures into readable errors. How a process is made of it is in
//! `vfork.rs` (Linux) and `fork.rs` (macOS).

use std::ffi::{CStr, CString, OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::{SpawnError, SpawnRequest, start};
use crate::Pid;
use crate::child::ChildHandle;

/// What the child executes.
pub(super) struct ExecImage<'a> {
    /// Paths to try, in order.
    pub(super) candidates: &'a [CString],
    pub(super) argv: &'a [CString],
    pub(super) env: &'a [CString],
    pub(super) working_dir: Option<&'a CStr>,
}

/// The step at which a start failed. The child reports it as a number: its place in [`StartStep::ALL`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartStep {
    Stack,
    Clone,
    ParentDeath,
    ExitWatch,
    Session,
    ControllingTerminal,
    StandardStreams,
    WorkingDirectory,
    Exec,
}

impl StartStep {
    /// Of all systems, in the order of their numbers.
    pub(super) const ALL: [Self; 9] = [
        Self::Stack,
        Self::Clone,
        Self::ParentDeath,
        Self::ExitWatch,
        Self::Session,
        Self::ControllingTerminal,
        Self::StandardStreams,
        Self::WorkingDirectory,
        Self::Exec,
    ];
}

#[derive(Debug)]
pub(super) struct StartFailure {
    pub(super) stage: StartStep,
    pub(super) errno: i32,
}

impl StartFailure {
    pub(super) fn new(stage: StartStep, error: &io::Error) -> Self {
        Self { stage, errno: error.raw_os_error().unwrap_or(libc::EIO) }
    }
}

/// A request in the form that the kernel takes.
pub(super) struct ExecCommand {
    program: OsString,
    /// The paths to try in turn.
    candidates: Vec<CString>,
    argv: Vec<CString>,
    env: Vec<CString>,
    working_dir: Option<CString>,
}

/// The search path when the environment has no `PATH`: the C library's default.
const DEFAULT_PATH: &[u8] = b"/bin:/usr/bin";

impl ExecCommand {
    /// Refuses strings that can't be passed to the kernel.
    pub(super) fn new(request: SpawnRequest) -> Result<Self, SpawnError> {
        let program = request.argv[0].clone();
        let path = request.env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_bytes());
        let candidates = candidates(&program, path.unwrap_or(DEFAULT_PATH))?;
        let argv = request.argv.into_iter().map(|argument| c_string(argument.into_vec(), "an argument"));
        let env = request.env.into_iter().map(|(name, value)| {
            if name.is_empty() || name.as_bytes().contains(&b'=') {
                return Err(SpawnError::BadVariable { name });
            }
            c_string([name.as_bytes(), b"=", value.as_bytes()].concat(), "an environment variable")
        });
        let working_dir =
            request.working_dir.map(|path| c_string(path.into_os_string().into_vec(), "the working directory"));
        Ok(Self {
            program,
            candidates,
            argv: argv.collect::<Result<_, _>>()?,
            env: env.collect::<Result<_, _>>()?,
            working_dir: working_dir.transpose()?,
        })
    }
}

fn c_string(bytes: Vec<u8>, what: &'static str) -> Result<CString, SpawnError> {
    CString::new(bytes).map_err(|_| SpawnError::BadArgument { what })
}

/// The paths that execvp(3) would try: the program itself if it has a slash, else beneath every
/// entry of `path`, of which an empty one means the working directory.
fn candidates(program: &OsStr, path: &[u8]) -> Result<Vec<CString>, SpawnError> {
    let program = program.as_bytes();
    if program.contains(&b'/') {
        return Ok(vec![c_string(program.to_vec(), "an argument")?]);
    }
    let folders = path.split(|byte| *byte == b':');
    folders
        .map(|folder| {
            let path = if folder.is_empty() { program.to_vec() } else { [folder, b"/", program].concat() };
            c_string(path, "an environment variable")
        })
        .collect()
}

impl ExecCommand {
    /// Starts the program with `terminal`, a slave side, as its terminal.
    pub(super) fn start(self, terminal: OwnedFd) -> Result<(Pid, ChildHandle), SpawnError> {
        let ExecCommand { candidates, argv, env, working_dir, .. } = &self;
        let image = ExecImage { candidates, argv, env, working_dir: working_dir.as_deref() };
        start(&image, terminal.as_fd()).map_err(|failure| self.explain(failure))
    }

    fn explain(self, failure: StartFailure) -> SpawnError {
        let source = io::Error::from_raw_os_error(failure.errno);
        match failure.stage {
            StartStep::Clone => match failure.errno {
                libc::EAGAIN | libc::ENOMEM => SpawnError::TooManyProcesses { source },
                _ => {
                    SpawnError::descriptors_or(source, |source| SpawnError::System { step: "clone a process", source })
                }
            },
            StartStep::Stack => SpawnError::System { step: "map a stack", source },
            StartStep::ParentDeath => SpawnError::System { step: "set the parent-death signal", source },
            StartStep::ExitWatch => {
                SpawnError::descriptors_or(source, |source| SpawnError::System { step: "watch for the exit", source })
            }
            StartStep::Session => SpawnError::System { step: "begin a session", source },
            StartStep::ControllingTerminal => SpawnError::System { step: "set the controlling terminal", source },
            StartStep::StandardStreams => SpawnError::System { step: "connect the terminal", source },
            StartStep::WorkingDirectory => {
                let path = self.working_dir.expect("it was entered only if it was given").into_bytes();
                SpawnError::WorkingDirectory { path: PathBuf::from(OsString::from_vec(path)), source }
            }
            StartStep::Exec => self.explain_exec(failure.errno, source),
        }
    }

    fn explain_exec(self, errno: i32, source: io::Error) -> SpawnError {
        let program = self.program.clone();
        match errno {
            // "No such file" is also the error for a script whose interpreter is missing.
            libc::ENOENT => match self.existing_candidate() {
                Some(program) => SpawnError::MissingInterpreter { program },
                None => SpawnError::NotFound { program },
            },
            libc::ENAMETOOLONG | libc::ELOOP => SpawnError::NotFound { program },
            libc::EACCES | libc::EPERM => SpawnError::PermissionDenied { program },
            libc::E2BIG => SpawnError::TooLong,
            libc::EAGAIN | libc::ENOMEM => SpawnError::TooManyProcesses { source },
            _ => SpawnError::descriptors_or(source, |source| SpawnError::Exec { program, source }),
        }
    }

    fn existing_candidate(self) -> Option<PathBuf> {
        let folder = self.working_dir.map(|path| OsString::from_vec(path.into_bytes())).unwrap_or_default();
        let paths = self.candidates.into_iter().map(|path| Path::new(&folder).join(OsStr::from_bytes(path.as_bytes())));
        paths.into_iter().find(|path| path.is_file())
    }
}

/// Puts an ignored `SIGCHLD` back to its default, and leaves a handler alone.
#[expect(unsafe_code, reason = "signal dispositions have no safe interface")]
pub(super) fn keep_exit_statuses() -> io::Result<()> {
    let mut action = crate::signal::action(libc::SIGCHLD)?;
    if action.sa_sigaction == libc::SIG_IGN {
        action.sa_sigaction = libc::SIG_DFL;
    } else if action.sa_flags & libc::SA_NOCLDWAIT == 0 {
        return Ok(());
    }
    action.sa_flags &= !libc::SA_NOCLDWAIT;
    // SAFETY: the action is the one in force, with its handler kept or replaced by the default.
    match unsafe { libc::sigaction(libc::SIGCHLD, &action, std::ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_is_found_by_its_number() {
        for (number, step) in StartStep::ALL.into_iter().enumerate() {
            assert_eq!(step as usize, number);
        }
    }

    fn paths(program: &str, path: &str) -> Vec<String> {
        let candidates = candidates(OsStr::new(program), path.as_bytes()).unwrap();
        candidates.into_iter().map(|path| path.into_string().unwrap()).collect()
    }

    #[test]
    fn a_bare_name_is_looked_for_in_every_folder_of_the_path() {
        assert_eq!(paths("ls", "/a:/b"), ["/a/ls", "/b/ls"]);
        assert_eq!(paths("ls", ":/b:"), ["ls", "/b/ls", "ls"]);
        assert_eq!(paths("ls", ""), ["ls"]);
    }

    #[test]
    fn a_name_with_a_slash_is_taken_as_it_is() {
        assert_eq!(paths("./ls", "/a:/b"), ["./ls"]);
        assert_eq!(paths("/bin/ls", ""), ["/bin/ls"]);
    }
}
