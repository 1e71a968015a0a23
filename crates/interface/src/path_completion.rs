//! Completes the last word of a command line as a path.

/// Names that are told when there are several: more than fit into a row.
const MAX_CHOICES: usize = 50;

/// A file or folder that the word may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderEntry {
    pub name: String,
    pub is_folder: bool,
}

/// What the line becomes, and what it may still mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathCompletion {
    pub line: String,
    /// Empty where there is only one, or none.
    pub choices: Vec<String>,
}

/// Completes `line`. `entries_of` lists a folder, which is given as it is typed: empty for the one the command runs in.
pub fn complete_path(line: &str, entries_of: impl FnOnce(&str) -> Vec<FolderEntry>) -> PathCompletion {
    let start = word_start(line);
    let word = unescaped(&line[start..]);
    let (folder, begun) = match word.rfind('/') {
        Some(slash) => word.split_at(slash + 1),
        None => ("", word.as_str()),
    };
    // Hidden ones are meant only by whoever types the dot.
    let is_meant =
        |entry: &FolderEntry| entry.name.starts_with(begun) && (begun.starts_with('.') || !entry.name.starts_with('.'));
    let mut found: Vec<FolderEntry> = entries_of(folder).into_iter().filter(is_meant).collect();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    let with_end = |entry: &FolderEntry| if entry.is_folder { format!("{}/", entry.name) } else { entry.name.clone() };
    let (name, choices) = match found.as_slice() {
        [] => return PathCompletion { line: line.to_owned(), choices: Vec::new() },
        [only] if only.is_folder => (with_end(only), Vec::new()),
        [only] => (format!("{} ", only.name), Vec::new()),
        several => (common_start(several), several.iter().take(MAX_CHOICES).map(with_end).collect()),
    };
    let (name, end) = match name.strip_suffix(' ') {
        Some(name) => (name.to_owned(), " "),
        None => (name, ""),
    };
    PathCompletion { line: format!("{}{}{}{end}", &line[..start], escaped(folder), escaped(&name)), choices }
}

/// Where the last word begins: behind the last blank that is no part of it.
fn word_start(line: &str) -> usize {
    let mut start = 0;
    let mut is_escaped = false;
    for (at, c) in line.char_indices() {
        if c == ' ' && !is_escaped {
            start = at + 1;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    start
}

fn unescaped(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    let mut characters = word.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => out.extend(characters.next()),
            c => out.push(c),
        }
    }
    out
}

/// As a shell reads it as one word and nothing else.
fn escaped(name: &str) -> String {
    let is_plain =
        |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | ',' | ':' | '@' | '%' | '~');
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if !is_plain(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn common_start(found: &[FolderEntry]) -> String {
    let first = &found[0].name;
    let same = |other: &FolderEntry| {
        let pairs = first.chars().zip(other.name.chars());
        pairs.take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf8()).sum::<usize>()
    };
    let end = found.iter().map(same).min().unwrap_or(0);
    first[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(line: &str) -> (String, Vec<String>) {
        let entries = |folder: &str| -> Vec<FolderEntry> {
            let names: &[&str] = match folder {
                "" => &["src/", "scripts/", "Cargo.toml", ".git/", "my notes/", "naïve", "naïf", "a;b"],
                "src/" => &["main.rs"],
                "my notes/" => &["day one.md"],
                _ => &[],
            };
            let entry = |name: &&str| FolderEntry {
                name: name.trim_end_matches('/').to_owned(),
                is_folder: name.ends_with('/'),
            };
            names.iter().map(entry).collect()
        };
        let done = complete_path(line, entries);
        (done.line, done.choices)
    }

    #[test]
    fn one_is_written_out_several_as_far_as_they_agree() {
        for (line, done, choices) in [
            ("ls sr", "ls src/", &[][..]),
            ("ls src/", "ls src/main.rs ", &[]),
            ("cat src/ma", "cat src/main.rs ", &[]),
            ("ls s", "ls s", &["scripts/", "src/"]),
            ("C", "Cargo.toml ", &[]),
            ("ls x", "ls x", &[]),
            ("ls none/", "ls none/", &[]),
            ("ls .", "ls .git/", &[]),
            ("ls na", "ls na\u{ef}", &["na\u{ef}f", "na\u{ef}ve"]),
            ("", "", &["Cargo.toml", "a;b", "my notes/", "na\u{ef}f", "na\u{ef}ve", "scripts/", "src/"]),
        ] {
            assert_eq!(
                complete(line),
                (done.to_owned(), choices.iter().map(|&name| name.to_owned()).collect()),
                "{line}"
            );
        }
    }

    #[test]
    fn a_shell_reads_what_is_written_as_one_word() {
        assert_eq!(complete("ls my").0, "ls my\\ notes/");
        assert_eq!(complete("cat my\\ notes/d").0, "cat my\\ notes/day\\ one.md ");
        assert_eq!(complete("rm a").0, "rm a\\;b ");
    }
}
