//! Paths in presets, relative to the project or to the home folder.

use std::path::{Path, PathBuf};

/// The folder that a preset's session starts in.
pub fn resolve_folder(working_dir: Option<&str>, project_root: &Path, home: &Path) -> PathBuf {
    match working_dir {
        None | Some("") => project_root.to_owned(),
        // Joining an absolute path gives that path.
        Some(folder) => project_root.join(expand_home(folder, home)),
    }
}

/// Expands `~` and `~/…` to the home folder.
pub(crate) fn expand_home(path: &str, home: &Path) -> PathBuf {
    match path.strip_prefix('~') {
        Some("") => home.to_owned(),
        Some(rest) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => PathBuf::from(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_relative_to_the_project_or_home() {
        let (project, home) = (Path::new("/p"), Path::new("/h"));
        for (given, expected) in [
            (None, "/p"),
            (Some(""), "/p"),
            (Some("web"), "/p/web"),
            (Some("/srv"), "/srv"),
            (Some("~"), "/h"),
            (Some("~/x"), "/h/x"),
            (Some("~other"), "/p/~other"),
        ] {
            assert_eq!(resolve_folder(given, project, home), Path::new(expected), "{given:?}");
        }
    }
}
