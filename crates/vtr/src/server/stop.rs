//! Stops a coordinator: signals its process, and waits for its end.

use std::{
    io,
    path::Path,
    time::{Duration, Instant},
};

use engine::{HeldProcess, Pid, Signal};
use program::LockFile;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::settings::ServeSettings;
use program::{Exit, Failure};

/// Added to the grace period of the sessions.
const MARGIN: Duration = Duration::from_secs(10);

/// Stops the process that listens on the socket, or the one that holds the pid file if only that was given.
pub(crate) fn stop(settings: &ServeSettings, by_pid_file: bool) -> Result<i32, Failure> {
    let pid = match &settings.pid_file {
        Some(file) if by_pid_file => holder(file)?,
        _ => listener(&settings.socket)?,
    };
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::PermissionDenied => {
            Failure::new(Exit::Refused, "refused", format!("process {pid} belongs to another user"))
                .with_hint("stop it as that user")
        }
        _ => Failure::system(format_args!("stopping process {pid}"), &error),
    };
    let raw = pid.as_raw();
    let process = match HeldProcess::hold(pid) {
        Ok(process) => process,
        // It has ended meanwhile.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(raw),
        Err(error) => return Err(failed(error)),
    };
    match process.signal(Signal::TERM) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let patience = settings.kill_timeout + MARGIN;
    let deadline = Instant::now() + patience;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(left).unwrap_or_default();
        match poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&timeout)) {
            Ok(0) => {
                let message = format!("process {pid} has not ended within {}", humantime::format_duration(patience));
                return Err(Failure::new(Exit::TimedOut, "timeout", message).with_hint(
                    "see its log; if the coordinator has a longer --kill-timeout, give the same flag here",
                ));
            }
            Ok(_) => return Ok(raw),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(failed(error.into())),
        }
    }
}

/// The kernel knows the listening process, in our own pid namespace.
fn listener(socket: &Path) -> Result<Pid, Failure> {
    let none = || {
        Failure::not_found(format!("no coordinator listens on {}", socket.display()))
            .with_hint("choose one with --socket PATH or --pid-file FILE")
    };
    // Through tokio, whose result can express "a process that you can't see".
    let asked = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .and_then(|runtime| runtime.block_on(async { tokio::net::UnixStream::connect(socket).await?.peer_cred() }));
    let peer = asked.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => none(),
        _ => Failure::system(format_args!("connecting to {}", socket.display()), &error),
    })?;
    peer.pid().and_then(Pid::new).ok_or_else(|| {
        Failure::new(Exit::Refused, "refused", "the coordinator's process is not visible from here")
            .with_hint("stop it inside its container")
    })
}

fn holder(file: &Path) -> Result<Pid, Failure> {
    let holder =
        LockFile::holder(file).map_err(|error| Failure::system(format_args!("reading {}", file.display()), &error))?;
    holder.and_then(|pid| Pid::new(pid.cast_signed())).ok_or_else(|| {
        Failure::not_found(format!("no running coordinator holds {}", file.display()))
            .with_hint("choose one with --socket PATH or --pid-file FILE")
    })
}
