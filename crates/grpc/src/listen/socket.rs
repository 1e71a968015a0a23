//! A server's socket: taken over when it is stale, refused when it is alive, and removed only by
//! the one who made it.

use std::{
    io,
    os::unix::{
        fs::{FileTypeExt, MetadataExt, PermissionsExt},
        net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
};

use rustix::net::{self, AddressFamily, SocketAddrUnix, SocketFlags, SocketType, socket_with};

use super::{
    create_private,
    lock_file::{LockError, LockFile},
};

#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    #[error("a coordinator is already running on {}{}", path.display(), pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default())]
    Alive { path: PathBuf, pid: Option<u32> },
    #[error("{} exists and is not a socket", path.display())]
    NotASocket { path: PathBuf },
    #[error("{} exists, and is no lock of a coordinator", path.display())]
    NotALock { path: PathBuf },
    #[error("the socket path {} is {} bytes long; the system takes at most 107", path.display(), path.as_os_str().len())]
    TooLong { path: PathBuf },
    #[error("{what}: {error}")]
    System { what: String, error: io::Error },
}

/// Connections waiting to be taken; the kernel has its own upper bound.
const BACKLOG: i32 = 4096;

/// Who may open the socket, as the file system sees it.
#[derive(Clone, Copy, Debug)]
pub struct Permissions {
    pub mode: u32,
    pub group: Option<u32>,
}

/// Listening, and locked. Dropping it removes the socket if it is still ours.
#[derive(Debug)]
pub struct Socket {
    path: PathBuf,
    identity: (u64, u64),
    // Dropped last: until the socket is gone, nobody else may come.
    _lock: LockFile,
}

impl Socket {
    /// The mode is set between naming the socket and listening on it: until then every connection is
    /// refused, so it is private from its first moment whatever the mask for new files says.
    pub fn bind(path: &Path, permissions: Permissions) -> Result<(Self, UnixListener), SocketError> {
        let system = |what: &str, error| SocketError::System { what: format!("{what} {}", path.display()), error };
        if path.as_os_str().len() > 107 {
            return Err(SocketError::TooLong { path: path.into() });
        }
        if let Some(folder) = path.parent() {
            create_private(folder).map_err(|error| system("creating the folder of", error))?;
        }
        let lock = LockFile::acquire(&lock_path(path)).map_err(|error| match error {
            LockError::Held { pid, .. } => SocketError::Alive { path: path.into(), pid },
            LockError::NotOurs { path } => SocketError::NotALock { path },
            LockError::System { path, error } => {
                SocketError::System { what: format!("locking {}", path.display()), error }
            }
        })?;
        remove_stale(path)?;
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let listener = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)
            .and_then(|listener| net::bind(&listener, &SocketAddrUnix::new(path)?).map(|()| listener))
            .map_err(|error| system("making the socket", error.into()))?;
        let made = path.symlink_metadata().map_err(|error| system("looking at", error))?;
        let socket = Socket { path: path.into(), identity: (made.dev(), made.ino()), _lock: lock };
        if let Some(group) = permissions.group {
            std::os::unix::fs::chown(path, None, Some(group)).map_err(|error| system("giving to the group", error))?;
        }
        let mode = std::fs::Permissions::from_mode(permissions.mode);
        std::fs::set_permissions(path, mode).map_err(|error| system("setting the mode of", error))?;
        net::listen(&listener, BACKLOG).map_err(|error| system("listening on", error.into()))?;
        let listener = UnixListener::from(listener);
        Ok((socket, listener))
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let there = self.path.symlink_metadata();
        if there.is_ok_and(|there| (there.dev(), there.ino()) == self.identity) {
            // Failing leaves a stale socket, which the next coordinator takes over.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn lock_path(socket: &Path) -> PathBuf {
    let mut path = socket.as_os_str().to_owned();
    path.push(".lock");
    path.into()
}

/// We hold the lock, so no coordinator of ours is alive; but another program may listen there.
fn remove_stale(path: &Path) -> Result<(), SocketError> {
    let found = match path.symlink_metadata() {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(SocketError::System { what: format!("looking at {}", path.display()), error }),
    };
    if !found.file_type().is_socket() {
        return Err(SocketError::NotASocket { path: path.into() });
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => std::fs::remove_file(path)
            .map_err(|error| SocketError::System { what: format!("removing the stale {}", path.display()), error }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        // It answers, or it is too busy to: alive.
        _ => Err(SocketError::Alive { path: path.into(), pid: None }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRIVATE: Permissions = Permissions { mode: 0o600, group: None };

    fn mode_of(path: &Path) -> u32 {
        path.symlink_metadata().unwrap().mode() & 0o777
    }

    #[test]
    fn private_from_birth_and_gone_afterwards() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("new/folder/x.sock");
        let (socket, _listener) = Socket::bind(&path, PRIVATE).unwrap();
        assert_eq!((mode_of(&path), mode_of(path.parent().unwrap())), (0o600, 0o700));
        drop(socket);
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_is_there_is_left_alone() {
        let root = tempfile::tempdir().unwrap();
        std::fs::set_permissions(root.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = root.path().join("x.sock");
        let (_socket, _listener) = Socket::bind(&path, Permissions { mode: 0o660, group: None }).unwrap();
        assert_eq!((mode_of(&path), mode_of(root.path())), (0o660, 0o755));
    }

    #[test]
    fn a_live_one_is_refused_and_kept() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.sock");
        let (_socket, _listener) = Socket::bind(&path, PRIVATE).unwrap();
        assert!(matches!(Socket::bind(&path, PRIVATE), Err(SocketError::Alive { pid: Some(_), .. })));
        UnixStream::connect(&path).unwrap();
    }

    #[test]
    fn another_programs_live_socket_is_refused_and_kept() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.sock");
        let _theirs = UnixListener::bind(&path).unwrap();
        assert!(matches!(Socket::bind(&path, PRIVATE), Err(SocketError::Alive { pid: None, .. })));
        UnixStream::connect(&path).unwrap();
    }

    #[test]
    fn a_stale_one_is_taken_over() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.sock");
        drop(UnixListener::bind(&path).unwrap());
        let (_socket, _listener) = Socket::bind(&path, PRIVATE).unwrap();
        UnixStream::connect(&path).unwrap();
    }

    #[test]
    fn a_file_is_never_taken_for_a_stale_socket() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.sock");
        std::fs::write(&path, "precious").unwrap();
        assert!(matches!(Socket::bind(&path, PRIVATE), Err(SocketError::NotASocket { .. })));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
    }

    #[test]
    fn a_successors_socket_is_not_removed() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.sock");
        let (socket, _listener) = Socket::bind(&path, PRIVATE).unwrap();
        std::fs::remove_file(&path).unwrap();
        let _theirs = UnixListener::bind(&path).unwrap();
        drop(socket);
        UnixStream::connect(&path).unwrap();
    }

    #[test]
    fn a_path_too_long_is_said() {
        let path = PathBuf::from(format!("/tmp/{}", "x".repeat(120)));
        assert!(matches!(Socket::bind(&path, PRIVATE), Err(SocketError::TooLong { .. })));
    }
}
