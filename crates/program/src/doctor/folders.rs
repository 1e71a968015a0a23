//! The folders that we write into: whose they are, who else may enter, and how much room is left.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use rustix::fs::{Access, access, statvfs};

use super::DoctorFinding;
use crate::{
    folder::{FolderError, check_private},
    socket::{check_length, refused},
};

/// Below this many MiB of free space we warn: one recording can take as much.
const LITTLE_ROOM: u64 = 100;
/// The longest name of a socket that a process gets by its id.
const LONGEST_SOCKET: &str = "4194304-15.sock";

/// A folder, and what a person would call it.
#[derive(Clone, Copy, Debug)]
pub struct FolderUse<'a> {
    /// For example `the data folder`.
    pub name: &'a str,
    pub path: &'a Path,
}

/// A folder that is created when it is first needed, and that others may look into.
pub fn check_folder(area: &'static str, folder: FolderUse<'_>, user: u32) -> DoctorFinding {
    let FolderUse { name, path } = folder;
    let shown = format!("{name} {}", path.display());
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return check_missing(area, &shown, path),
        Err(error) => return DoctorFinding::fault(area, format!("{shown}: {error}"), "check the folders above it"),
    };
    let mode = found.mode() & 0o777;
    if !found.is_dir() {
        return DoctorFinding::fault(area, format!("{shown} is not a folder"), "move that file away");
    }
    if found.uid() != user {
        let text = format!("{shown} belongs to user {}, and you are user {user}", found.uid());
        return DoctorFinding::fault(area, text, "it may have been made with sudo: give it to yourself with chown -R");
    }
    if access(path, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK).is_err() {
        let text = format!("{shown} can't be written into (mode {mode:03o})");
        return DoctorFinding::fault(area, text, "give yourself access with chmod u+rwx, or mount it for writing");
    }
    if mode & 0o022 != 0 {
        let text = format!("{shown} can be changed by other users (mode {mode:03o})");
        return DoctorFinding::warning(area, text, "what is in it decides what you run: chmod go-w");
    }
    DoctorFinding::ok(area, format!("{shown} is yours (mode {mode:03o})"))
}

/// Whether a missing folder could be created.
fn check_missing(area: &'static str, shown: &str, path: &Path) -> DoctorFinding {
    let above = path.ancestors().skip(1).find(|above| above.exists());
    match above {
        Some(above) if above.is_dir() && access(above, Access::WRITE_OK | Access::EXEC_OK).is_ok() => {
            DoctorFinding::ok(area, format!("{shown} does not exist yet; it is made when it is needed"))
        }
        _ => {
            let above = above.unwrap_or(Path::new("/")).display();
            let text = format!("{shown} does not exist, and can't be made in {above}");
            DoctorFinding::fault(area, text, "make it yourself, or give yourself access to the folder above it")
        }
    }
}

/// The folder for sockets, which only its owner may enter.
pub fn check_socket_folder(area: &'static str, path: &Path, user: u32) -> DoctorFinding {
    let shown = format!("the folder for sockets {}", path.display());
    if let Err(error) = check_length(&path.join(LONGEST_SOCKET)) {
        return DoctorFinding::fault(area, error.to_string(), "set XDG_RUNTIME_DIR to a shorter path");
    }
    match check_private(path, user) {
        Ok(()) => DoctorFinding::ok(area, format!("{shown} is yours (mode 700)")),
        Err(FolderError::System { error, .. }) if error.kind() == io::ErrorKind::NotFound => {
            check_missing_socket_folder(area, &shown, path)
        }
        // The error says what to do.
        Err(error) => DoctorFinding::fault(area, error.to_string(), ""),
    }
}

/// Only the folder itself is made, and none above it.
fn check_missing_socket_folder(area: &'static str, shown: &str, path: &Path) -> DoctorFinding {
    let above = path.parent().map(PathBuf::from).unwrap_or_default();
    if above.is_dir() {
        return check_missing(area, shown, path);
    }
    let text = format!("{shown} can't be made, because there is no {}", above.display());
    DoctorFinding::fault(area, text, "make that folder, or set XDG_RUNTIME_DIR to one that exists")
}

/// The room on the file system that a folder is on, or will be.
pub fn check_free_space(area: &'static str, folder: FolderUse<'_>) -> DoctorFinding {
    let existing = folder.path.ancestors().find(|path| path.exists()).unwrap_or(Path::new("/"));
    match statvfs(existing).map_err(|error| refused("looking at", existing)(error.into())) {
        Ok(found) => judge_free_space(area, folder.name, found.f_bavail.saturating_mul(found.f_frsize) >> 20),
        Err(error) => DoctorFinding::note(area, format!("free space is not known: {error}"), ""),
    }
}

fn judge_free_space(area: &'static str, name: &str, mebibytes: u64) -> DoctorFinding {
    match mebibytes {
        0 => DoctorFinding::fault(area, format!("there is no room left for {name}"), "free some space on that disk"),
        1..LITTLE_ROOM => DoctorFinding::warning(
            area,
            format!("there are only {mebibytes} MiB left for {name}"),
            "free some space on that disk: recordings and logs need it",
        ),
        _ => DoctorFinding::ok(area, format!("there are {} of free space for {name}", spelled_size(mebibytes))),
    }
}

fn spelled_size(mebibytes: u64) -> String {
    match mebibytes {
        small @ 0..10_240 => format!("{small} MiB"),
        large => format!("{} GiB", large >> 10),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs::Permissions, os::unix::fs::PermissionsExt};

    use super::*;
    use crate::doctor::FindingState;

    fn me() -> u32 {
        rustix::process::geteuid().as_raw()
    }

    fn make(path: &Path, mode: u32) {
        fs::create_dir_all(path).unwrap();
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_folder_is_judged_by_owner_and_mode() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("deep/data");
        let check = |user| check_folder("x", FolderUse { name: "the data folder", path: &path }, user);
        assert!(check(me()).text.contains("does not exist yet"), "{:?}", check(me()));
        assert!(!root.path().join("deep").exists(), "looking makes nothing");
        make(&path, 0o755);
        assert_eq!(check(me()).state, FindingState::Ok);
        assert!(check(me() + 1).state == FindingState::Fault && check(me() + 1).advice.contains("chown"));
        make(&path, 0o777);
        assert!(check(me()).state == FindingState::Warning && check(me()).text.contains("777"), "{:?}", check(me()));
        fs::remove_dir(&path).unwrap();
        fs::write(&path, "").unwrap();
        assert!(check(me()).text.ends_with("is not a folder"), "{:?}", check(me()));
    }

    #[test]
    fn the_folder_for_sockets_is_private_and_its_path_short() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("run/patterm");
        let check = |path: &Path| check_socket_folder("x", path, me());
        assert!(check(&path).text.contains("because there is no"), "{:?}", check(&path));
        make(path.parent().unwrap(), 0o755);
        assert_eq!(check(&path).state, FindingState::Ok);
        make(&path, 0o755);
        assert!(check(&path).state == FindingState::Fault && check(&path).text.contains("chmod 700"));
        make(&path, 0o700);
        assert_eq!(check(&path).state, FindingState::Ok);
        let long = root.path().join("x".repeat(99));
        assert!(check(&long).advice.contains("shorter"), "{:?}", check(&long));
    }

    #[test]
    fn little_room_is_said() {
        let state = |mebibytes| judge_free_space("x", "data", mebibytes).state;
        assert_eq!([state(0), state(99), state(100)], [FindingState::Fault, FindingState::Warning, FindingState::Ok]);
        assert!(judge_free_space("x", "data", 20 << 10).text.contains("20 GiB"));
        let missing = Path::new("/no/such/folder");
        assert!(check_free_space("x", FolderUse { name: "data", path: missing }).text.contains("data"));
    }
}
