//! Why a coordinator could not be reached, and what to do about it.

use std::{
    error::Error,
    io,
    os::unix::fs::FileTypeExt,
    path::{Path, PathBuf},
    time::Duration,
};

use super::Endpoint;

#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("there is no socket {path}: start a coordinator with `vtr serve --socket {path}`, or name another socket", path = .path.display())]
    NoSocket { path: PathBuf },
    #[error("nobody listens on {path}: the coordinator has ended, start it again with `vtr serve --socket {path}`", path = .path.display())]
    Refused { path: PathBuf },
    #[error("{path} is not a socket: name the coordinator's, or start one elsewhere with `vtr serve --socket PATH`", path = .path.display())]
    NotASocket { path: PathBuf },
    #[error("you may not use {path}: ask its owner for `vtr serve --socket-mode 0660 --socket-group GROUP` or `--allow-uid`", path = .path.display())]
    NotPermitted { path: PathBuf },
    #[error("{path} can't be connected to ({source}): check that it is a coordinator's socket", path = .path.display())]
    Socket { path: PathBuf, source: io::Error },
    #[error(
        "no vtr coordinator answers at {endpoint} ({reason}): check the address; it also hangs up on users whom it was not told to let in (`vtr serve --allow-uid`, `--socket-group`)"
    )]
    NoCoordinator { endpoint: Endpoint, reason: String },
    #[error("no answer from {endpoint} within {after:?}: check that the coordinator runs, and try again")]
    TimedOut { endpoint: Endpoint, after: Duration },
    #[error("the command {command} can't be started ({source}): check that it is installed and in PATH")]
    CommandNotStarted { command: Endpoint, source: io::Error },
    #[error(
        "the command {command} printed {said:?} where the coordinator's answer belongs: see that nothing else writes there, as a greeting in a shell's start file does"
    )]
    Chatter { command: Endpoint, said: String },
    #[error("the command {command} ended with {status}: {stderr}; run it by hand to see what it needs")]
    CommandFailed { command: Endpoint, status: String, stderr: String },
}

impl ConnectError {
    /// What happened, in a few words and on one line, for a list of many coordinators: without the address, which the
    /// coordinator's name stands for, and without advice.
    pub fn brief(&self) -> String {
        match self {
            ConnectError::NoSocket { .. } => "its socket does not exist".into(),
            ConnectError::Refused { .. } => "nobody listens on its socket".into(),
            ConnectError::NotASocket { .. } => "its path is not a socket".into(),
            ConnectError::NotPermitted { .. } => "you may not use its socket".into(),
            ConnectError::Socket { source, .. } => shortened(&source.to_string()),
            ConnectError::NoCoordinator { reason, .. } => shortened(reason),
            ConnectError::TimedOut { after, .. } => format!("no answer within {after:?}"),
            ConnectError::CommandNotStarted { source, .. } => {
                shortened(&format!("its command can't be started: {source}"))
            }
            ConnectError::Chatter { said, .. } => shortened(&format!("its command printed {said:?}")),
            // The last line is the one that tells: those before it are greetings and warnings.
            ConnectError::CommandFailed { status, stderr, .. } => {
                match stderr.lines().rfind(|line| !line.trim().is_empty()) {
                    Some(line) => shortened(line.trim()),
                    None => format!("its command ended with {status}"),
                }
            }
        }
    }

    /// The error of connecting to a socket.
    pub fn socket(path: PathBuf, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::NotFound => ConnectError::NoSocket { path },
            io::ErrorKind::ConnectionRefused if is_no_socket(&path) => ConnectError::NotASocket { path },
            io::ErrorKind::ConnectionRefused => ConnectError::Refused { path },
            io::ErrorKind::PermissionDenied => ConnectError::NotPermitted { path },
            _ => ConnectError::Socket { path, source },
        }
    }
}

fn is_no_socket(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| !found.file_type().is_socket())
}

/// The first line, as far as a terminal's row has room beside the name.
fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(MOST) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line.to_owned(),
    }
}

/// The innermost cause of an error: the outer ones only say that something failed.
pub(super) fn innermost(error: &dyn Error) -> String {
    let mut at = error;
    while let Some(source) = at.source() {
        at = source;
    }
    at.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_brief_it_is_one_short_line_without_the_address() {
        let endpoint = || Endpoint::Command(vec!["ssh".into(), "far".into(), "vtr".into(), "dial-stdio".into()]);
        let failed = |stderr: &str| ConnectError::CommandFailed {
            command: endpoint(),
            status: "exit status: 255".into(),
            stderr: stderr.into(),
        };
        assert_eq!(
            failed("Welcome!\nssh: connect to host far: No route\n").brief(),
            "ssh: connect to host far: No route"
        );
        assert_eq!(failed("").brief(), "its command ended with exit status: 255");
        let long = ConnectError::NoCoordinator { endpoint: endpoint(), reason: "é".repeat(500) };
        assert_eq!(long.brief(), format!("{}…", "é".repeat(60)));
        let timed_out = ConnectError::TimedOut { endpoint: endpoint(), after: Duration::from_secs(5) };
        assert_eq!(timed_out.brief(), "no answer within 5s");
    }
}
