//! A Unix socket to listen on: private from the moment it exists, never taken from a running program, and removed only
//! by the process that created it. [`LockedSocket`](crate::LockedSocket) and [`ProcessSocket`](crate::ProcessSocket)
//! choose its path.

use std::{
    fs, io,
    os::fd::OwnedFd,
    os::unix::{
        fs::{FileTypeExt, MetadataExt, PermissionsExt},
        net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
};

use rustix::{
    io::Errno,
    net::{self, AddressFamily, SocketAddrUnix, SocketType},
};

#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    #[error("a coordinator is already running on {}{}", path.display(), pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default())]
    Alive { path: PathBuf, pid: Option<u32> },
    #[error("{} exists and is not a socket", path.display())]
    NotASocket { path: PathBuf },
    #[error("{} exists, and is not a coordinator's lock file", path.display())]
    NotALock { path: PathBuf },
    #[error("the socket path {} is {} bytes long; the system takes at most {PATH_LIMIT}", path.display(), path.as_os_str().len())]
    TooLong { path: PathBuf },
    #[error("every name for a socket in {} is taken by a running process", folder.display())]
    Taken { folder: PathBuf },
    #[error("{what}: {error}")]
    System { what: String, error: io::Error },
}

/// The system refused an action on a path.
pub(crate) fn refused(what: &str, path: &Path) -> impl FnOnce(io::Error) -> SocketError {
    let what = format!("{what} {}", path.display());
    move |error| SocketError::System { what, error }
}

/// The longest path of a socket address, without the terminating zero.
const PATH_LIMIT: usize = if cfg!(target_os = "macos") { 103 } else { 107 };
/// How many connections may wait to be accepted; the kernel has its own upper limit.
const BACKLOG: i32 = 4096;

/// Who may connect, by the file system's permissions.
#[derive(Clone, Copy, Debug)]
pub struct SocketPermissions {
    pub mode: u32,
    pub group: Option<u32>,
}

impl SocketPermissions {
    /// Only the owner.
    pub const PRIVATE: Self = SocketPermissions { mode: 0o600, group: None };
}

/// A listening socket. Dropping it removes the file if it is still the same one.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    identity: (u64, u64),
}

impl SocketFile {
    /// The mode is set after binding and before listening: until then every connection is refused, so the socket is
    /// private from the start, whatever the umask.
    pub(crate) fn listen(path: &Path, permissions: SocketPermissions) -> Result<(Self, UnixListener), SocketError> {
        check_length(path)?;
        let listener = new_socket()
            .and_then(|listener| net::bind(&listener, &SocketAddrUnix::new(path)?).map(|()| listener))
            .map_err(|error| refused("making the socket", path)(error.into()))?;
        let made = path.symlink_metadata().map_err(refused("looking at", path))?;
        let socket = SocketFile { path: path.into(), identity: (made.dev(), made.ino()) };
        if let Some(group) = permissions.group {
            std::os::unix::fs::chown(path, None, Some(group)).map_err(refused("giving to the group", path))?;
        }
        let mode = fs::Permissions::from_mode(permissions.mode);
        fs::set_permissions(path, mode).map_err(refused("setting the mode of", path))?;
        net::listen(&listener, BACKLOG).map_err(|error| refused("listening on", path)(error.into()))?;
        Ok((socket, UnixListener::from(listener)))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let there = self.path.symlink_metadata();
        if there.is_ok_and(|there| (there.dev(), there.ino()) == self.identity) {
            // If this fails, a stale socket remains, which the next program that wants the path removes.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A Unix socket that never blocks, and is closed in programs that this one starts.
#[cfg(not(target_os = "macos"))]
fn new_socket() -> rustix::io::Result<OwnedFd> {
    let flags = net::SocketFlags::CLOEXEC | net::SocketFlags::NONBLOCK;
    net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)
}

/// macOS has no flags for it: a program that another thread starts between these calls inherits the socket.
#[cfg(target_os = "macos")]
fn new_socket() -> rustix::io::Result<OwnedFd> {
    let socket = net::socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
    rustix::io::ioctl_fionbio(&socket, true)?;
    Ok(socket)
}

pub(crate) fn check_length(path: &Path) -> Result<(), SocketError> {
    if path.as_os_str().len() > PATH_LIMIT { Err(SocketError::TooLong { path: path.into() }) } else { Ok(()) }
}

/// What exists at a socket's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occupant {
    Nobody,
    /// A process answered, or was too busy to.
    LivingProcess,
    OtherFile,
}

/// Whether anybody listens on a socket.
#[derive(Debug)]
pub(crate) enum SocketLife {
    /// A process answered, or was too busy to.
    Alive,
    /// Its process has ended.
    Stale,
    /// Removed meanwhile.
    Gone,
    /// It could not be asked.
    Closed(io::Error),
}

/// Asks without changing anything, and without waiting: a busy process has a full queue, and connecting would block.
pub(crate) fn look_at(path: &Path) -> SocketLife {
    let asked = new_socket().and_then(|socket| net::connect(&socket, &SocketAddrUnix::new(path)?));
    match asked {
        Ok(()) | Err(Errno::AGAIN | Errno::INPROGRESS) => SocketLife::Alive,
        Err(Errno::CONNREFUSED) => SocketLife::Stale,
        Err(Errno::NOENT) => SocketLife::Gone,
        Err(error) => SocketLife::Closed(error.into()),
    }
}

/// Checks what exists at the path, and removes the socket of a dead process. The caller holds a lock that everybody who
/// wants this path must take, so nobody can bind between the check and the removal.
pub(crate) fn remove_if_stale(path: &Path) -> Result<Occupant, SocketError> {
    let found = match path.symlink_metadata() {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Occupant::Nobody),
        Err(error) => return Err(refused("looking at", path)(error)),
    };
    if !found.file_type().is_socket() {
        return Ok(Occupant::OtherFile);
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(refused("removing the stale socket", path))?;
            Ok(Occupant::Nobody)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Occupant::Nobody),
        _ => Ok(Occupant::LivingProcess),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_from_birth_and_only_our_own_is_removed() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.sock");
        let (socket, _listener) = SocketFile::listen(&path, SocketPermissions::PRIVATE).unwrap();
        assert_eq!(path.symlink_metadata().unwrap().mode() & 0o777, 0o600);
        fs::remove_file(&path).unwrap();
        let _theirs = UnixListener::bind(&path).unwrap();
        drop(socket);
        UnixStream::connect(&path).unwrap();
        let path = root.path().join("y.sock");
        drop(SocketFile::listen(&path, SocketPermissions { mode: 0o660, group: None }).unwrap());
        assert!(!path.exists());
    }

    #[test]
    fn only_what_the_dead_have_left_is_removed() {
        let root = tempfile::tempdir().unwrap();
        let [nothing, dead, alive, file] = ["nothing", "dead", "alive", "file"].map(|name| root.path().join(name));
        drop(UnixListener::bind(&dead).unwrap());
        let _listener = UnixListener::bind(&alive).unwrap();
        fs::write(&file, "precious").unwrap();
        let found = [&nothing, &dead, &alive, &file].map(|path| remove_if_stale(path).unwrap());
        assert_eq!(found, [Occupant::Nobody, Occupant::Nobody, Occupant::LivingProcess, Occupant::OtherFile]);
        assert!(!dead.exists() && alive.exists());
        assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
    }

    #[test]
    fn a_path_too_long_is_said() {
        let path = PathBuf::from(format!("/tmp/{}", "x".repeat(120)));
        let listened = SocketFile::listen(&path, SocketPermissions::PRIVATE);
        assert!(matches!(listened, Err(SocketError::TooLong { .. })));
    }
}
