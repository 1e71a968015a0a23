//! The socket of one process: in a folder that is nobody else's, named after the process, removed by the one who made
//! it, and never taken from somebody who lives.

use std::{
    fs::{self, DirBuilder, File},
    io,
    os::unix::{
        fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt},
        net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
};

use rustix::net::{self, AddressFamily, SocketAddrUnix, SocketFlags, SocketType, socket_with};

/// Connections waiting to be taken; the kernel has its own upper bound.
const BACKLOG: i32 = 1024;
/// What a socket's address holds on Linux, without the closing zero.
const PATH_LIMIT: usize = 107;
/// Names to try: one is taken only when processes of several containers share the folder and a number.
const NAMES: u32 = 16;

#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    #[error("{} belongs to user {owner}, not to you (user {user}): remove it, or set XDG_RUNTIME_DIR", folder.display())]
    NotOurs { folder: PathBuf, owner: u32, user: u32 },
    #[error("{} is open to others (mode {mode:03o}): make it private with chmod 700", folder.display())]
    Open { folder: PathBuf, mode: u32 },
    #[error("{} is not a folder", .0.display())]
    NotAFolder(PathBuf),
    #[error("the socket path {} is {} bytes long; the system takes at most {PATH_LIMIT}", .0.display(), .0.as_os_str().len())]
    TooLong(PathBuf),
    #[error("every name for a socket in {} is taken by a running process", .0.display())]
    Taken(PathBuf),
    #[error("{what}: {source}")]
    System { what: String, source: io::Error },
}

fn system(what: &str, path: &Path) -> impl FnOnce(io::Error) -> SocketError {
    let what = format!("{what} {}", path.display());
    move |source| SocketError::System { what, source }
}

/// Makes `folder` (0700) unless it is there, and makes sure that it is ours and ours alone. Links are not followed.
pub fn private_folder(folder: &Path, user: u32) -> Result<(), SocketError> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(system("making the folder", folder)(error)),
    }
    let found = folder.symlink_metadata().map_err(system("looking at", folder))?;
    if !found.is_dir() {
        return Err(SocketError::NotAFolder(folder.into()));
    }
    if found.uid() != user {
        return Err(SocketError::NotOurs { folder: folder.into(), owner: found.uid(), user });
    }
    match found.mode() & 0o777 {
        0o700 => Ok(()),
        mode => Err(SocketError::Open { folder: folder.into(), mode }),
    }
}

/// Listening. Dropping it removes the socket if it is still ours.
#[derive(Debug)]
pub struct PrivateSocket {
    path: PathBuf,
    identity: (u64, u64),
}

impl PrivateSocket {
    /// Listens on `FOLDER/PID.sock`, mode 0600, in a folder that [`private_folder`] has made or approved. What a
    /// dead process has left there is removed.
    pub fn bind(folder: &Path, pid: u32) -> Result<(Self, UnixListener), SocketError> {
        let _lock = lock(folder)?;
        for attempt in 0..NAMES {
            let name = if attempt == 0 { format!("{pid}.sock") } else { format!("{pid}-{attempt}.sock") };
            let path = folder.join(name);
            if path.as_os_str().len() > PATH_LIMIT {
                return Err(SocketError::TooLong(path));
            }
            if is_free(&path)? {
                return Self::bind_at(path);
            }
        }
        Err(SocketError::Taken(folder.into()))
    }

    /// Removes the sockets in `folder` that dead processes have left, and says which.
    pub fn remove_stale(folder: &Path) -> Result<Vec<PathBuf>, SocketError> {
        let _lock = lock(folder)?;
        let mut removed = Vec::new();
        for entry in fs::read_dir(folder).map_err(system("looking into", folder))?.flatten() {
            let path = entry.path();
            let is_socket = entry.file_type().is_ok_and(|kind| kind.is_socket());
            if is_socket && path.extension().is_some_and(|extension| extension == "sock") && is_free(&path)? {
                removed.push(path);
            }
        }
        Ok(removed)
    }

    /// The mode is set between naming the socket and listening on it: until then every connection is refused, so
    /// it is private from its first moment whatever the mask for new files says.
    fn bind_at(path: PathBuf) -> Result<(Self, UnixListener), SocketError> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let listener = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)
            .and_then(|listener| net::bind(&listener, &SocketAddrUnix::new(&path)?).map(|()| listener))
            .map_err(|error| system("making the socket", &path)(error.into()))?;
        let made = path.symlink_metadata().map_err(system("looking at", &path))?;
        let socket = PrivateSocket { path, identity: (made.dev(), made.ino()) };
        let path = &socket.path;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(system("setting the mode of", path))?;
        net::listen(&listener, BACKLOG).map_err(|error| system("listening on", path)(error.into()))?;
        Ok((socket, UnixListener::from(listener)))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateSocket {
    fn drop(&mut self) {
        let there = self.path.symlink_metadata();
        if there.is_ok_and(|there| (there.dev(), there.ino()) == self.identity) {
            // Failing leaves a stale socket, which the next process of this number removes.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Held while we look and bind, so that nobody removes as stale what another has just made.
fn lock(folder: &Path) -> Result<File, SocketError> {
    let lock = File::open(folder).map_err(system("opening", folder))?;
    lock.lock().map_err(system("locking", folder))?;
    Ok(lock)
}

/// Nothing is there, or nothing but what a dead process has left.
fn is_free(path: &Path) -> Result<bool, SocketError> {
    let found = match path.symlink_metadata() {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(system("looking at", path)(error)),
    };
    if !found.file_type().is_socket() {
        return Ok(false);
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(system("removing the stale socket", path))?;
            Ok(true)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        _ => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user() -> u32 {
        rustix::process::geteuid().as_raw()
    }

    #[test]
    fn a_folder_is_made_private_or_refused() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("patterm");
        private_folder(&folder, user()).unwrap();
        private_folder(&folder, user()).unwrap();
        assert!(matches!(private_folder(&folder, user() + 1), Err(SocketError::NotOurs { .. })));
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o750)).unwrap();
        assert!(matches!(private_folder(&folder, user()), Err(SocketError::Open { mode: 0o750, .. })));
        let link = root.path().join("link");
        std::os::unix::fs::symlink(root.path(), &link).unwrap();
        assert!(matches!(private_folder(&link, user()), Err(SocketError::NotAFolder(_))));
    }

    #[test]
    fn the_stale_is_replaced_the_living_is_left_and_only_our_own_is_removed() {
        let root = tempfile::tempdir().unwrap();
        let (first, _listener) = PrivateSocket::bind(root.path(), 7).unwrap();
        assert_eq!(first.path(), root.path().join("7.sock"));
        assert_eq!(first.path().metadata().unwrap().mode() & 0o777, 0o600);
        let (second, listener) = PrivateSocket::bind(root.path(), 7).unwrap();
        assert_eq!(second.path(), root.path().join("7-1.sock"), "somebody lives there");
        drop(listener);
        std::mem::forget(second);
        let (third, _listener) = PrivateSocket::bind(root.path(), 7).unwrap();
        assert_eq!(third.path(), root.path().join("7-1.sock"), "nobody lives there any more");
        fs::remove_file(third.path()).unwrap();
        let theirs = UnixListener::bind(third.path()).unwrap();
        drop(third);
        UnixStream::connect(root.path().join("7-1.sock")).unwrap();
        drop((theirs, first));
        assert_eq!(PrivateSocket::remove_stale(root.path()).unwrap(), [root.path().join("7-1.sock")]);
        assert!(!root.path().join("7.sock").exists());
    }

    #[test]
    fn a_file_in_the_way_and_a_path_too_long_harm_nothing() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("7.sock"), "precious").unwrap();
        let (socket, _listener) = PrivateSocket::bind(root.path(), 7).unwrap();
        assert_eq!(socket.path(), root.path().join("7-1.sock"));
        assert_eq!(fs::read_to_string(root.path().join("7.sock")).unwrap(), "precious");
        let deep = root.path().join("x".repeat(120));
        fs::create_dir(&deep).unwrap();
        assert!(matches!(PrivateSocket::bind(&deep, 7), Err(SocketError::TooLong(_))));
    }
}
