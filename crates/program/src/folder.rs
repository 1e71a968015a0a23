//! Folders that only their owner can open.

use std::{
    fs::DirBuilder,
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
};

#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("{} belongs to user {owner}, not to you (user {user}): remove it, or set XDG_RUNTIME_DIR", folder.display())]
    NotOurs { folder: PathBuf, owner: u32, user: u32 },
    #[error("{} is open to others (mode {mode:03o}): make it private with chmod 700", folder.display())]
    Open { folder: PathBuf, mode: u32 },
    #[error("{} is not a folder", folder.display())]
    NotAFolder { folder: PathBuf },
    #[error("{what} {}: {error}", folder.display())]
    System { what: &'static str, folder: PathBuf, error: io::Error },
}

/// Creates the missing parts of a path, each with mode 0700. Existing folders keep their mode.
pub fn create_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Creates `folder` with mode 0700 if it is missing, and checks that it belongs to us and is private. Symbolic links
/// are not followed.
pub fn private_folder(folder: &Path, user: u32) -> Result<(), FolderError> {
    let system = |what| move |error| FolderError::System { what, folder: folder.into(), error };
    match DirBuilder::new().mode(0o700).create(folder) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(system("making the folder")(error)),
    }
    check_private(folder, user)
}

/// Checks that a folder belongs to us and is private, as [`private_folder`] does, and creates nothing.
pub(crate) fn check_private(folder: &Path, user: u32) -> Result<(), FolderError> {
    let found = folder.symlink_metadata().map_err(|error| FolderError::System {
        what: "looking at",
        folder: folder.into(),
        error,
    })?;
    if !found.is_dir() {
        return Err(FolderError::NotAFolder { folder: folder.into() });
    }
    if found.uid() != user {
        return Err(FolderError::NotOurs { folder: folder.into(), owner: found.uid(), user });
    }
    match found.mode() & 0o777 {
        0o700 => Ok(()),
        mode => Err(FolderError::Open { folder: folder.into(), mode }),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    #[test]
    fn a_folder_is_made_private_or_refused() {
        let user = rustix::process::geteuid().as_raw();
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("patterm");
        private_folder(&folder, user).unwrap();
        private_folder(&folder, user).unwrap();
        assert!(matches!(private_folder(&folder, user + 1), Err(FolderError::NotOurs { .. })));
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o750)).unwrap();
        assert!(matches!(private_folder(&folder, user), Err(FolderError::Open { mode: 0o750, .. })));
        let link = root.path().join("link");
        std::os::unix::fs::symlink(root.path(), &link).unwrap();
        assert!(matches!(private_folder(&link, user), Err(FolderError::NotAFolder { .. })));
    }
}
