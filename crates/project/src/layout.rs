//! The places of a project's files.

use std::{
    fmt,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    time::SystemTime,
};

use sha2::{Digest, Sha256};

use crate::folder::{FolderError, ProjectFolder};

/// Identifies a project's folder: the first 16 hex digits of the SHA-256 of its real path.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ProjectKey(String);

impl ProjectKey {
    /// For a path without links, as returned by `Path::canonicalize`.
    pub fn of(real_path: &Path) -> Self {
        ProjectKey(hex(&Sha256::digest(real_path.as_os_str().as_bytes()))[..16].to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ProjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum LayoutError {
    #[error("the project's folder {path} can't be found ({source}): start patterm in a folder that exists")]
    NoProject { path: PathBuf, source: std::io::Error },
    #[error("patterm's folder {path} for this project can't be used ({reason}): check its permissions and free space")]
    Folder { path: PathBuf, reason: String },
}

/// meta.json: tells which project a folder belongs to.
#[derive(Debug, serde::Serialize)]
struct Meta<'a> {
    path: &'a str,
    last_opened: String,
    /// patterm's version.
    version: &'a str,
}

/// The folders and files of one project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The project itself, without links.
    pub project_dir: PathBuf,
    pub key: ProjectKey,
    /// The folder of this project, below the data folder.
    pub folder: PathBuf,
}

impl Layout {
    /// Computes the paths without creating anything.
    pub fn new(project_dir: &Path, data_dir: &Path) -> Result<Self, LayoutError> {
        let project_dir = project_dir
            .canonicalize()
            .map_err(|source| LayoutError::NoProject { path: project_dir.to_owned(), source })?;
        let key = ProjectKey::of(&project_dir);
        let folder = data_dir.join("projects").join(key.as_str());
        Ok(Layout { project_dir, key, folder })
    }

    /// Creates the project's folders, for their owner only, and records that it was opened.
    pub fn prepare(&self, now: SystemTime, version: &str) -> Result<(), LayoutError> {
        let failed = |error: FolderError| LayoutError::Folder { path: self.folder.clone(), reason: error.to_string() };
        let folder = ProjectFolder::make(&self.folder).map_err(failed)?;
        ProjectFolder::make(&self.scratchpads()).map_err(failed)?;
        // The process that holds the lock has opened the project as well, and recorded it.
        let Some(lock) = folder.try_lock().map_err(failed)? else { return Ok(()) };
        folder.sweep(&lock).map_err(failed)?;
        let path = self.project_dir.to_string_lossy();
        let meta = Meta { path: &path, last_opened: ops::rfc3339(now), version };
        let mut text = serde_json::to_vec_pretty(&meta).expect("three strings are plain JSON");
        text.push(b'\n');
        // The record is for people: a project without it works as well.
        if let Err(error) = folder.replace("meta.json", &text, &lock) {
            tracing::warn!(%error, "meta.json was not written");
        }
        Ok(())
    }

    pub fn meta(&self) -> PathBuf {
        self.folder.join("meta.json")
    }

    pub fn trust(&self) -> PathBuf {
        self.folder.join("trust.json")
    }

    pub fn scratchpads(&self) -> PathBuf {
        self.folder.join("scratchpads")
    }

    /// Created with the first record of a run's tabs.
    pub fn runs(&self) -> PathBuf {
        self.folder.join("runs")
    }

    /// Created with the first report of a state.
    pub fn reports(&self) -> PathBuf {
        self.folder.join("reports")
    }

    /// Created with the first recording.
    pub fn recordings(&self) -> PathBuf {
        self.folder.join("recordings")
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        write!(text, "{byte:02x}").expect("text takes text");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_of_the_real_path() {
        // `printf %s /srv/foo | sha256sum`
        assert_eq!(ProjectKey::of(Path::new("/srv/foo")).as_str(), "b4b7f30c77c2e09f");
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().join("real");
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, folder.path().join("link")).unwrap();
        let data = folder.path().join("data");
        let one = Layout::new(&real, &data).unwrap();
        assert_eq!(one, Layout::new(&folder.path().join("link"), &data).unwrap());
        assert_eq!(one.folder, data.join("projects").join(one.key.as_str()));
        assert!(matches!(Layout::new(&folder.path().join("none"), &data), Err(LayoutError::NoProject { .. })));
    }
    #[test]
    fn a_prepared_project_has_its_folders_and_says_whose_they_are() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        let layout = Layout::new(root.path(), &root.path().join("data")).unwrap();
        layout.prepare(SystemTime::UNIX_EPOCH, "1.2.3").unwrap();
        let meta: serde_json::Value = serde_json::from_slice(&std::fs::read(layout.meta()).unwrap()).unwrap();
        let path = layout.project_dir.to_str().unwrap();
        let expected = serde_json::json!({"path": path, "last_opened": "1970-01-01T00:00:00.000Z", "version": "1.2.3"});
        assert_eq!(meta, expected);
        for (path, mode) in [(&layout.folder, 0o700), (&layout.scratchpads(), 0o700), (&layout.meta(), 0o600)] {
            assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, mode, "{}", path.display());
        }
        let file = root.path().join("file");
        std::fs::write(&file, "").unwrap();
        let blocked = Layout::new(root.path(), &file).unwrap();
        assert!(matches!(blocked.prepare(SystemTime::UNIX_EPOCH, ""), Err(LayoutError::Folder { .. })));
    }
}
