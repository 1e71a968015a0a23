//! Path patterns of the client config: `*`, `?`, `[a-z]` and `[!a-z]` within one component of a path.
//!
//! The crate `glob` matches names, and we list the folders: its own listing leaves out hidden files even if the pattern
//! names them, and panics on names that are not UTF-8.

use std::path::{Component, Path, PathBuf};

use glob::{MatchOptions, Pattern};

/// As in a shell: hidden files only when the pattern names them.
const OPTIONS: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

pub fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

/// All matching paths, sorted. Unreadable folders match nothing.
pub fn expand(pattern: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        match name_pattern(component) {
            Some(pattern) => found = found.iter().flat_map(|folder| entries(folder, &pattern)).collect(),
            None => found.iter_mut().for_each(|path| path.push(component)),
        }
    }
    found.retain(|path| path.exists());
    found.sort();
    found
}

/// `None` for a component without a valid pattern, which is taken literally.
fn name_pattern(component: Component<'_>) -> Option<Pattern> {
    let Component::Normal(part) = component else { return None };
    let part = part.to_str().filter(|part| is_pattern(part))?;
    Pattern::new(part).ok()
}

fn entries(folder: &Path, pattern: &Pattern) -> Vec<PathBuf> {
    let Ok(listing) = folder.read_dir() else { return Vec::new() };
    let names = listing.flatten().map(|entry| entry.file_name());
    names.filter(|name| pattern.matches_with(&name.to_string_lossy(), OPTIONS)).map(|name| folder.join(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        ffi::OsStr,
        os::unix::ffi::OsStrExt,
        time::{Duration, Instant},
    };

    #[test]
    fn whole_paths() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &OsStr| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        };
        for path in ["b/x.sock", "a/x.sock", "a/y.txt", "a/.h.sock", "[x/z.sock"] {
            write(path.as_ref());
        }
        let found = |pattern: &str| {
            let found = expand(&root.path().join(pattern));
            let names = found.iter().map(|path| path.strip_prefix(root.path()).unwrap().display().to_string());
            names.collect::<Vec<_>>()
        };
        assert_eq!(found("[ab]/*.sock"), ["a/x.sock", "b/x.sock"]);
        assert_eq!(found("a/.*.sock"), ["a/.h.sock"]);
        assert_eq!(found("[!b]/?.sock"), ["a/x.sock"]);
        assert_eq!(found("[x/*"), ["[x/z.sock"], "a part that is no valid pattern stands for itself");
        assert_eq!(found("none/*"), [""; 0]);
        // A name that is not UTF-8 is found, and breaks nothing.
        write(OsStr::from_bytes(b"c/\xff.sock"));
        assert_eq!(expand(&root.path().join("c/*.sock")).len(), 1);
    }

    #[test]
    fn a_hostile_pattern_takes_no_time() {
        for (pattern, name) in [("*a".repeat(100), "b".repeat(255)), ("*a".repeat(100) + "c", "a".repeat(255))] {
            let start = Instant::now();
            assert!(!Pattern::new(&pattern).unwrap().matches_with(&name, OPTIONS));
            assert!(start.elapsed() < Duration::from_secs(10), "as long as a name can be");
        }
    }
}
