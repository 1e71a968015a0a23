//! Where a coordinator listens by default: the same answer for client and server.

use std::{
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use rustix::fs::{Access, access};

use program::Failure;

use crate::ClientSurroundings;

const SYSTEM_SOCKET: &str = "/var/run/vtr.sock";

/// The system-wide socket if this user may create it, otherwise one in the user's runtime folder.
pub fn for_server(surroundings: &ClientSurroundings) -> Result<PathBuf, Failure> {
    choose(surroundings, Path::new(SYSTEM_SOCKET))
}

/// The same choice as the server's. A user without a coordinator of their own gets the system-wide one, if they may
/// connect to it.
pub fn for_client(surroundings: &ClientSurroundings) -> Result<PathBuf, Failure> {
    let system = Path::new(SYSTEM_SOCKET);
    let chosen = choose(surroundings, system)?;
    if !chosen.exists() && access(system, Access::WRITE_OK).is_ok() {
        return Ok(system.into());
    }
    Ok(chosen)
}

fn choose(surroundings: &ClientSurroundings, system: &Path) -> Result<PathBuf, Failure> {
    if let Some(socket) = &surroundings.socket {
        return Ok(surroundings.working_dir.join(socket));
    }
    let folder = system.parent().unwrap_or(Path::new("/"));
    if access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok() {
        return Ok(system.into());
    }
    let folder = own_folder(surroundings);
    // The temporary folder is shared, and the runtime folder may be: a folder of our name that belongs to somebody else
    // is a trap.
    match std::fs::symlink_metadata(&folder) {
        Ok(found) if found.uid() != surroundings.user || !found.is_dir() || found.mode() & 0o077 != 0 => {
            let message = format!("{} is not a private folder of this user", folder.display());
            let hint = "set XDG_RUNTIME_DIR to a folder of your own, chmod this one to 0700 if it is yours, or give --socket PATH";
            Err(Failure::usage(message).with_hint(hint))
        }
        _ => Ok(folder.join("vtr.sock")),
    }
}

/// The folder of default sockets, unless the system-wide one is usable. The only folder that we create.
pub fn own_folder(surroundings: &ClientSurroundings) -> PathBuf {
    surroundings.socket_folder("vtr")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn nowhere(root: &Path) -> ClientSurroundings {
        ClientSurroundings::of(&program::Surroundings::nowhere("vtr".as_ref(), root))
    }

    #[test]
    fn the_users_runtime_folder_stands_in_for_the_systems() {
        let root = tempfile::tempdir().unwrap();
        let mut around = nowhere(root.path());
        around.process.runtime_dir = Some("/run/user/1".into());
        let missing = root.path().join("no/such/vtr.sock");
        assert_eq!(choose(&around, &missing).unwrap(), Path::new("/run/user/1/vtr/vtr.sock"));
        let writable = root.path().join("vtr.sock");
        assert_eq!(choose(&around, &writable).unwrap(), writable);
        around.socket = Some("mine.sock".into());
        assert_eq!(choose(&around, &writable).unwrap(), root.path().join("mine.sock"));
    }

    #[test]
    fn a_strangers_folder_is_refused_in_a_runtime_folder_that_is_shared() {
        let root = tempfile::tempdir().unwrap();
        let mut around = nowhere(root.path());
        around.process.runtime_dir = Some(root.path().into());
        let missing = root.path().join("no/such/vtr.sock");
        let folder = root.path().join("vtr");
        std::fs::create_dir(&folder).unwrap();
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(choose(&around, &missing).unwrap(), folder.join("vtr.sock"));
        around.process.user += 1;
        assert!(choose(&around, &missing).unwrap_err().message.contains("private"), "another user's");
        around.process.user -= 1;
        std::fs::remove_dir(&folder).unwrap();
        std::os::unix::fs::symlink(root.path(), &folder).unwrap();
        choose(&around, &missing).unwrap_err();
    }

    #[test]
    fn a_folder_others_can_enter_is_refused_in_the_temporary_folder() {
        let root = tempfile::tempdir().unwrap();
        let around = nowhere(root.path());
        let missing = root.path().join("no/such/vtr.sock");
        let folder = around.temp_dir.join(format!("vtr-{}", around.process.user));
        assert_eq!(choose(&around, &missing).unwrap(), folder.join("vtr.sock"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert!(choose(&around, &missing).unwrap_err().message.contains("private"));
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(choose(&around, &missing).unwrap(), folder.join("vtr.sock"));
    }
}
