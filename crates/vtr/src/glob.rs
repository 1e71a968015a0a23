//! Path patterns of the client config: `*`, `?` and `[a-z]` within one part of a path.

use std::path::{Component, Path, PathBuf};

pub(crate) fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

/// Everything that matches, sorted. What can't be read matches nothing.
pub(crate) fn expand(pattern: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        let Component::Normal(part) = component else {
            found.iter_mut().for_each(|path| path.push(component));
            continue;
        };
        let part = part.to_string_lossy();
        if !is_pattern(&part) {
            found.iter_mut().for_each(|path| path.push(&*part));
            continue;
        }
        found = found.iter().flat_map(|folder| entries(folder, &part)).collect();
    }
    found.retain(|path| path.exists());
    found.sort();
    found
}

fn entries(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let pattern: Vec<char> = pattern.chars().collect();
    let Ok(listing) = folder.read_dir() else { return Vec::new() };
    let names = listing.flatten().map(|entry| entry.file_name());
    names
        .filter(|name| {
            let name: Vec<char> = name.to_string_lossy().chars().collect();
            // As in a shell: hidden files only when asked for.
            (name.first() != Some(&'.') || pattern.first() == Some(&'.')) && matches(&pattern, &name)
        })
        .map(|name| folder.join(name))
        .collect()
}

/// Linear in both: a `*` only ever goes back to the last one.
fn matches(pattern: &[char], name: &[char]) -> bool {
    let (mut at_pattern, mut at_name) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while at_name < name.len() {
        if pattern.get(at_pattern) == Some(&'*') {
            star = Some((at_pattern, at_name));
            at_pattern += 1;
            continue;
        }
        if let Some(used) = one(&pattern[at_pattern..], name[at_name]) {
            at_pattern += used;
            at_name += 1;
            continue;
        }
        let Some((star_pattern, star_name)) = star else { return false };
        star = Some((star_pattern, star_name + 1));
        (at_pattern, at_name) = (star_pattern + 1, star_name + 1);
    }
    pattern[at_pattern..].iter().all(|c| *c == '*')
}

/// How many characters of the pattern matched this one.
fn one(pattern: &[char], c: char) -> Option<usize> {
    match pattern.first()? {
        '?' => Some(1),
        '[' => {
            let Some(end) = pattern.iter().skip(2).position(|c| *c == ']').map(|end| end + 2) else {
                return (c == '[').then_some(1);
            };
            let negated = matches!(pattern[1], '!' | '^');
            let mut set = &pattern[if negated { 2 } else { 1 }..end];
            let mut inside = false;
            while let Some(first) = set.first() {
                let (last, used) = match set {
                    [_, '-', last, ..] => (last, 3),
                    _ => (first, 1),
                };
                inside |= (first..=last).contains(&&c);
                set = &set[used..];
            }
            (inside != negated).then_some(end + 1)
        }
        literal => (*literal == c).then_some(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_match(pattern: &str, name: &str) -> bool {
        matches(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
    }

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("*.sock", "a.sock", true),
            ("*.sock", ".sock", true),
            ("*.sock", "a.sock.lock", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-b-b", false),
            ("?.sock", "é.sock", true),
            ("?.sock", "ab.sock", false),
            ("[a-c]x", "bx", true),
            ("[a-c]x", "dx", false),
            ("[!a-c]x", "dx", true),
            ("[]]x", "]x", true),
            ("[x", "[x", true),
            ("*", "", true),
        ] {
            assert_eq!(is_match(pattern, name), expected, "{pattern} on {name}");
        }
    }

    #[test]
    fn a_hostile_pattern_stays_linear() {
        assert!(!is_match(&"*a".repeat(200), &"b".repeat(10_000)));
    }

    #[test]
    fn whole_paths() {
        let root = tempfile::tempdir().unwrap();
        for path in ["b/x.sock", "a/x.sock", "a/y.txt", "a/.h.sock"] {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let found = expand(&root.path().join("*/*.sock"));
        assert_eq!(found, [root.path().join("a/x.sock"), root.path().join("b/x.sock")]);
        assert_eq!(expand(&root.path().join("none/*")), Vec::<PathBuf>::new());
    }
}
