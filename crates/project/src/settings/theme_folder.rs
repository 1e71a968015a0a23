//! The folder of a person's own themes, beside config.json: which there are, and their texts. What a theme says is not
//! known here.
//!
//! A name leads to a file of this folder and nowhere else: it has no dots and slashes, and links are not followed.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use crate::folder::{FolderError, ProjectFolder};

/// The name of a theme: 1 to 64 lower-case letters, digits and hyphens.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThemeName(String);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{given}' can't be the name of a theme: use 1 to 64 lower-case letters, digits and hyphens")]
pub struct ThemeNameError {
    given: String,
}

impl ThemeName {
    pub fn new(name: &str) -> Result<Self, ThemeNameError> {
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        match (1..=64).contains(&name.len()) && name.bytes().all(is_plain) {
            true => Ok(ThemeName(name.to_owned())),
            false => Err(ThemeNameError { given: name.chars().take(64).collect() }),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Why the text of a theme can't be had.
#[derive(Debug, thiserror::Error)]
pub enum ThemeReadError {
    #[error("there is no such file")]
    Missing,
    #[error("{reason}")]
    Unreadable { reason: String },
}

/// A person's own themes.
#[derive(Clone, Debug)]
pub struct ThemeFolder {
    path: PathBuf,
}

impl ThemeFolder {
    /// More than this many themes are not listed.
    const MAX_LISTED: usize = 100;

    /// The folder beside config.json.
    pub fn beside(config_dir: &Path) -> Self {
        ThemeFolder { path: config_dir.join("themes") }
    }

    pub fn file(&self, name: &ThemeName) -> PathBuf {
        self.path.join(file_name(name))
    }

    /// The themes by name; none if the folder is missing or can't be read. Files with other names are left out.
    pub fn names(&self) -> Vec<ThemeName> {
        let found = ProjectFolder::open(&self.path).and_then(|folder| folder.names()).unwrap_or_default();
        let named = |file: &String| ThemeName::new(file.strip_suffix(".json")?).ok();
        let mut names: Vec<ThemeName> = found.iter().filter_map(named).collect();
        names.sort_unstable();
        names.truncate(Self::MAX_LISTED);
        names
    }

    /// The text of a theme, of at most `limit` bytes.
    pub fn read(&self, name: &ThemeName, limit: usize) -> Result<String, ThemeReadError> {
        let unreadable = |reason: &dyn ToString| ThemeReadError::Unreadable { reason: reason.to_string() };
        let read = ProjectFolder::open(&self.path).and_then(|folder| folder.read(&file_name(name), limit));
        let bytes = match read {
            Ok(Some((_, bytes))) => bytes,
            Ok(None) => return Err(ThemeReadError::Missing),
            // The folder is missing.
            Err(FolderError::Io(error)) if error.kind() == ErrorKind::NotFound => return Err(ThemeReadError::Missing),
            Err(error) => return Err(unreadable(&error)),
        };
        String::from_utf8(bytes).map_err(|_| unreadable(&"it is not text in UTF-8"))
    }
}

fn file_name(name: &ThemeName) -> String {
    format!("{}.json", name.as_str())
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn names_lead_nowhere_else() {
        for name in ["a", "high-contrast", "8bit", &"x".repeat(64)] {
            assert_eq!(ThemeName::new(name).unwrap().as_str(), name);
        }
        for name in ["", ".", "..", "../dark", "a/b", "Dark", "a.json", "a b", "é", "a\n", &"x".repeat(65)] {
            assert!(ThemeName::new(name).is_err(), "{name:?}");
        }
        let told = ThemeName::new(&"/".repeat(10_000)).unwrap_err().to_string();
        assert!(told.len() < 200, "{told}");
    }

    #[test]
    fn plain_files_of_a_bounded_size_are_read_and_links_are_not() {
        let root = tempfile::tempdir().unwrap();
        let folder = ThemeFolder::beside(root.path());
        let read = |name: &str| folder.read(&ThemeName::new(name).unwrap(), 10);
        assert!(folder.names().is_empty() && matches!(read("one"), Err(ThemeReadError::Missing)));
        let path = root.path().join("themes");
        fs::create_dir_all(path.join("folder.json")).unwrap();
        fs::write(path.join("one.json"), "{}").unwrap();
        fs::write(path.join("long.json"), "x".repeat(11)).unwrap();
        fs::write(path.join("bytes.json"), [0xff]).unwrap();
        fs::write(path.join("Named wrongly.json"), "{}").unwrap();
        fs::write(path.join("notes.txt"), "").unwrap();
        fs::write(root.path().join("outside"), "secret").unwrap();
        symlink(root.path().join("outside"), path.join("link.json")).unwrap();
        let names: Vec<String> = folder.names().iter().map(|name| name.as_str().to_owned()).collect();
        assert_eq!(names, ["bytes", "folder", "link", "long", "one"]);
        assert_eq!(read("one").unwrap(), "{}");
        assert!(matches!(read("none"), Err(ThemeReadError::Missing)));
        for (name, why) in [("folder", "no regular file"), ("link", "a link"), ("long", "limit"), ("bytes", "UTF-8")] {
            let told = read(name).unwrap_err().to_string();
            assert!(told.contains(why), "{name}: {told}");
        }
    }
}
