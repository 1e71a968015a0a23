//! A server's socket at a path that people choose: a stale socket is replaced, a live one is refused. A lock file
//! beside it says which process owns the path.

use std::{
    os::unix::net::UnixListener,
    path::{Path, PathBuf},
};

use crate::{
    folder::create_private,
    lock_file::{LockError, LockFile},
    socket::{Occupant, SocketError, SocketFile, SocketPermissions, check_length, refused, remove_if_stale},
};

/// Listening, and locked. Dropping it removes the socket if the file is still ours.
#[derive(Debug)]
pub struct LockedSocket {
    _socket: SocketFile,
    // Declared last, so that it is dropped last: no other process may bind until the socket is removed.
    _lock: LockFile,
}

impl LockedSocket {
    pub fn bind(path: &Path, permissions: SocketPermissions) -> Result<(Self, UnixListener), SocketError> {
        check_length(path)?;
        if let Some(folder) = path.parent() {
            create_private(folder).map_err(refused("creating the folder of", path))?;
        }
        let lock = LockFile::acquire(&lock_path(path)).map_err(|error| match error {
            LockError::Held { pid, .. } => SocketError::Alive { path: path.into(), pid },
            LockError::NotOurs { path } => SocketError::NotALock { path },
            LockError::System { path: lock, error } => refused("locking", &lock)(error),
        })?;
        // We hold the lock, so no coordinator is alive here; but a different program may be listening.
        match remove_if_stale(path)? {
            Occupant::Nobody => {}
            Occupant::LivingProcess => return Err(SocketError::Alive { path: path.into(), pid: None }),
            Occupant::OtherFile => return Err(SocketError::NotASocket { path: path.into() }),
        }
        let (socket, listener) = SocketFile::listen(path, permissions)?;
        Ok((LockedSocket { _socket: socket, _lock: lock }, listener))
    }
}

fn lock_path(socket: &Path) -> PathBuf {
    let mut path = socket.as_os_str().to_owned();
    path.push(".lock");
    path.into()
}

#[cfg(test)]
mod tests {
    use std::os::unix::{
        fs::{MetadataExt, PermissionsExt},
        net::UnixStream,
    };

    use super::*;

    fn mode_of(path: &Path) -> u32 {
        path.symlink_metadata().unwrap().mode() & 0o777
    }

    #[test]
    fn private_from_birth_and_gone_afterwards() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("new/folder/x.sock");
        let (socket, _listener) = LockedSocket::bind(&path, SocketPermissions::PRIVATE).unwrap();
        assert_eq!((mode_of(&path), mode_of(path.parent().unwrap())), (0o600, 0o700));
        drop(socket);
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_is_there_is_left_alone() {
        let root = tempfile::tempdir().unwrap();
        std::fs::set_permissions(root.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = root.path().join("x.sock");
        let (_socket, _listener) = LockedSocket::bind(&path, SocketPermissions { mode: 0o660, group: None }).unwrap();
        assert_eq!((mode_of(&path), mode_of(root.path())), (0o660, 0o755));
    }

    #[test]
    fn a_live_one_is_refused_and_kept() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.sock");
        let (_socket, _listener) = LockedSocket::bind(&path, SocketPermissions::PRIVATE).unwrap();
        assert!(matches!(
            LockedSocket::bind(&path, SocketPermissions::PRIVATE),
            Err(SocketError::Alive { pid: Some(_), .. })
        ));
        UnixStream::connect(&path).unwrap();
    }

    #[test]
    fn another_programs_live_socket_is_refused_and_kept() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.sock");
        let _theirs = UnixListener::bind(&path).unwrap();
        assert!(matches!(
            LockedSocket::bind(&path, SocketPermissions::PRIVATE),
            Err(SocketError::Alive { pid: None, .. })
        ));
        UnixStream::connect(&path).unwrap();
    }

    #[test]
    fn a_stale_one_is_taken_over() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.sock");
        drop(UnixListener::bind(&path).unwrap());
        let (_socket, _listener) = LockedSocket::bind(&path, SocketPermissions::PRIVATE).unwrap();
        UnixStream::connect(&path).unwrap();
    }
}
