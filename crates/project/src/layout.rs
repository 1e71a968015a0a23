//! Where a project's files lie.

use std::{
    fmt,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

/// Names a project's folder: the first 16 hex digits of the SHA-256 of its real path.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ProjectKey(String);

impl ProjectKey {
    /// Of a path without links, as `Path::canonicalize` gives it.
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
}

/// The folders and files of one project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The project itself, without links.
    pub project_dir: PathBuf,
    pub key: ProjectKey,
    /// Of this project, below the data folder.
    pub folder: PathBuf,
}

impl Layout {
    /// Finds the places; makes none.
    pub fn new(project_dir: &Path, data_dir: &Path) -> Result<Self, LayoutError> {
        let project_dir = project_dir
            .canonicalize()
            .map_err(|source| LayoutError::NoProject { path: project_dir.to_owned(), source })?;
        let key = ProjectKey::of(&project_dir);
        let folder = data_dir.join("projects").join(key.as_str());
        Ok(Layout { project_dir, key, folder })
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
        assert_eq!(ProjectKey::of(Path::new("/srv/foo")).as_str().len(), 16);
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
}
