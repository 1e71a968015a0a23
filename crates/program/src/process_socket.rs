//! The socket of one process: named after its process id, in a private folder.

use std::{
    fs::{self, File},
    os::unix::{fs::FileTypeExt, net::UnixListener},
    path::{Path, PathBuf},
};

use crate::socket::{Occupant, SocketError, SocketFile, SocketPermissions, check_length, refused, remove_if_stale};

/// How many names to try. A name is taken only if processes in different containers share the folder and a process id.
const NAMES: u32 = 16;

/// Listening. Dropping it removes the socket if the file is still ours.
#[derive(Debug)]
pub struct ProcessSocket(SocketFile);

impl ProcessSocket {
    /// Listens on `FOLDER/PID.sock`, mode 0600, in a folder that [`private_folder`](crate::private_folder) created or
    /// checked. Removes the stale sockets of dead processes that stand in the way.
    pub fn bind(folder: &Path, pid: u32) -> Result<(Self, UnixListener), SocketError> {
        let _lock = lock(folder)?;
        for attempt in 0..NAMES {
            let name = if attempt == 0 { format!("{pid}.sock") } else { format!("{pid}-{attempt}.sock") };
            let path = folder.join(name);
            check_length(&path)?;
            if remove_if_stale(&path)? == Occupant::Nobody {
                let (socket, listener) = SocketFile::listen(&path, SocketPermissions::PRIVATE)?;
                return Ok((ProcessSocket(socket), listener));
            }
        }
        Err(SocketError::Taken { folder: folder.into() })
    }

    /// Removes the sockets in `folder` that dead processes left behind, and returns their paths.
    pub fn remove_stale(folder: &Path) -> Result<Vec<PathBuf>, SocketError> {
        let _lock = lock(folder)?;
        let mut removed = Vec::new();
        for entry in fs::read_dir(folder).map_err(refused("looking into", folder))?.flatten() {
            let path = entry.path();
            let is_socket = entry.file_type().is_ok_and(|kind| kind.is_socket());
            let named_so = path.extension().is_some_and(|extension| extension == "sock");
            if is_socket && named_so && remove_if_stale(&path)? == Occupant::Nobody {
                removed.push(path);
            }
        }
        Ok(removed)
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

/// Held while we check and bind, so that no other process removes a socket that was just created as stale.
fn lock(folder: &Path) -> Result<File, SocketError> {
    let lock = File::open(folder).map_err(refused("opening", folder))?;
    lock.lock().map_err(refused("locking", folder))?;
    Ok(lock)
}

#[cfg(test)]
mod tests {
    use std::os::unix::{fs::MetadataExt, net::UnixStream};

    use super::*;

    #[test]
    fn the_stale_is_replaced_the_living_is_left_and_only_our_own_is_removed() {
        let root = tempfile::tempdir().unwrap();
        let (first, _listener) = ProcessSocket::bind(root.path(), 7).unwrap();
        assert_eq!(first.path(), root.path().join("7.sock"));
        assert_eq!(first.path().metadata().unwrap().mode() & 0o777, 0o600);
        let (second, listener) = ProcessSocket::bind(root.path(), 7).unwrap();
        assert_eq!(second.path(), root.path().join("7-1.sock"), "somebody lives there");
        drop(listener);
        std::mem::forget(second);
        let (third, _listener) = ProcessSocket::bind(root.path(), 7).unwrap();
        assert_eq!(third.path(), root.path().join("7-1.sock"), "nobody lives there any more");
        fs::remove_file(third.path()).unwrap();
        let theirs = UnixListener::bind(third.path()).unwrap();
        drop(third);
        UnixStream::connect(root.path().join("7-1.sock")).unwrap();
        drop((theirs, first));
        assert_eq!(ProcessSocket::remove_stale(root.path()).unwrap(), [root.path().join("7-1.sock")]);
        assert!(!root.path().join("7.sock").exists());
    }

    #[test]
    fn a_file_in_the_way_and_a_path_too_long_harm_nothing() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("7.sock"), "precious").unwrap();
        let (socket, _listener) = ProcessSocket::bind(root.path(), 7).unwrap();
        assert_eq!(socket.path(), root.path().join("7-1.sock"));
        assert_eq!(fs::read_to_string(root.path().join("7.sock")).unwrap(), "precious");
        let deep = root.path().join("x".repeat(120));
        fs::create_dir(&deep).unwrap();
        assert!(matches!(ProcessSocket::bind(&deep, 7), Err(SocketError::TooLong { .. })));
    }
}
