//! A recording's file: private to the user, and never overwritten.

use std::{
    fs::{DirBuilder, File, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Component, Path, PathBuf},
    time::SystemTime,
};

use crate::{ErrorKind, OpError, rfc3339};

/// Resolves the path: an absolute path as given, a bare name in `folder`, or a name made from the session's and the
/// time.
pub(super) fn choose(
    wanted: Option<&str>,
    folder: Option<&Path>,
    session: &str,
    now: SystemTime,
) -> Result<PathBuf, OpError> {
    let Some(wanted) = wanted else {
        let folder = folder.ok_or_else(|| {
            OpError::invalid_args("there is no folder for recordings").with_hint("give file as an absolute path")
        })?;
        let time: String = rfc3339(now).chars().filter(|c| c.is_ascii_alphanumeric()).collect();
        return Ok(folder.join(format!("{session}-{time}.cast")));
    };
    let path = Path::new(wanted);
    if path.is_absolute() {
        return Ok(path.to_owned());
    }
    let mut parts = path.components();
    match (parts.next(), parts.next(), folder) {
        (Some(Component::Normal(name)), None, Some(folder)) => Ok(folder.join(name)),
        // A relative path is refused: callers don't know the program's folder.
        _ => Err(OpError::invalid_args(format!("'{wanted}' is not an absolute path"))
            .with_hint("give an absolute path, or a bare file name where there is a folder for recordings")),
    }
}

/// Creates the file, and `folder` if it does not exist.
pub(super) fn create(path: &Path, folder: Option<&Path>) -> Result<File, OpError> {
    if let Some(folder) = folder {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|error| refused(folder, &error))?;
    }
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    file.map_err(|error| refused(path, &error))
}

/// Removes the oldest recordings in `folder` until `keep` are left; those in `in_use` and `new` stay.
pub(super) fn prune(folder: &Path, keep: usize, new: &Path, in_use: &[PathBuf]) {
    // Files that can't be read or removed are left: the new recording matters more.
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let age = |path: &Path| path.symlink_metadata().ok().filter(|found| found.is_file())?.modified().ok();
    let mut kept: Vec<(SystemTime, PathBuf)> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "cast"))
        .filter_map(|path| Some((age(&path)?, path)))
        .collect();
    kept.sort();
    let excess = kept.len().saturating_sub(keep.max(1));
    let old = kept.into_iter().map(|(_, path)| path).filter(|path| path != new && !in_use.contains(path));
    for path in old.take(excess) {
        let _ = std::fs::remove_file(path);
    }
}

/// A file into which not even the first bytes could be written: usually the disk is full.
pub(super) fn unwritten(path: &Path, error: &str) -> OpError {
    OpError::new(ErrorKind::LimitExceeded, format!("nothing is recorded: {} can't be written: {error}", path.display()))
        .with_hint("make room there, or choose another file")
}

pub(super) fn refused(path: &Path, error: &io::Error) -> OpError {
    let path = path.display();
    match error.kind() {
        io::ErrorKind::AlreadyExists => OpError::new(ErrorKind::AlreadyExists, format!("{path} exists already"))
            .with_hint("choose another file, or remove that one"),
        io::ErrorKind::NotFound => OpError::new(ErrorKind::NotFound, format!("the folder of {path} is not there"))
            .with_hint("make it first, or choose another"),
        _ => OpError::invalid_args(format!("{path} can't be written: {error}")).with_hint("choose another file"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn files_are_chosen_where_the_caller_can_mean_them() {
        let folder = Path::new("/recordings");
        let now = SystemTime::UNIX_EPOCH;
        let choose = |wanted, folder| choose(wanted, folder, "build", now).map_err(|error| error.kind);
        assert_eq!(choose(None, Some(folder)), Ok("/recordings/build-19700101T000000000Z.cast".into()));
        assert_eq!(choose(Some("a.cast"), Some(folder)), Ok("/recordings/a.cast".into()));
        assert_eq!(choose(Some("/tmp/a.cast"), None), Ok("/tmp/a.cast".into()));
        for wrong in ["../a.cast", "a/b.cast", "", ".", ".."] {
            assert_eq!(choose(Some(wrong), Some(folder)), Err(ErrorKind::InvalidArgs), "{wrong}");
        }
        assert_eq!(choose(Some("a.cast"), None), Err(ErrorKind::InvalidArgs));
        assert_eq!(choose(None, None), Err(ErrorKind::InvalidArgs));
    }

    #[test]
    fn the_oldest_recordings_go_first() {
        let home = tempfile::tempdir().unwrap();
        let path = |name: &str| home.path().join(name);
        for (age, name) in ["a.cast", "b.cast", "c.cast", "notes.txt", "d.cast"].into_iter().enumerate() {
            let file = File::create(path(name)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(age as u64)).unwrap();
        }
        prune(home.path(), 2, &path("d.cast"), &[path("a.cast")]);
        let left = |name: &str| path(name).exists();
        assert_eq!(["a.cast", "b.cast", "c.cast", "notes.txt", "d.cast"].map(left), [true, false, false, true, true]);
    }

    #[test]
    fn files_are_private_and_never_written_over() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("state/recordings");
        let path = folder.join("a.cast");
        create(&path, Some(&folder)).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&path)), (0o700, 0o600));
        assert_eq!(create(&path, Some(&folder)).unwrap_err().kind, ErrorKind::AlreadyExists);
        let nowhere = home.path().join("nowhere/a.cast");
        assert_eq!(create(&nowhere, None).unwrap_err().kind, ErrorKind::NotFound);
        assert_eq!(create(home.path(), None).unwrap_err().kind, ErrorKind::AlreadyExists);
    }
}
