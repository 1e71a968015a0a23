//! The git branch of a folder, read from git's own files without running git.

use std::path::{Path, PathBuf};

/// Folders above the given one that are looked at.
const MAX_ABOVE: usize = 64;
/// Characters of a branch's name.
const MAX_NAME: usize = 200;
/// Hexadecimal digits that people know a commit by.
const SHORT_HASH: usize = 8;

/// What is checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitHead {
    Branch(String),
    /// No branch: the first digits of the commit.
    Detached(String),
}

/// What is checked out where `folder` is, in a worktree too; `None` outside of a repository, or if that can't be told.
/// Reads the disk.
pub fn git_head(folder: &Path) -> Option<GitHead> {
    let git = folder.ancestors().take(MAX_ABOVE).map(|above| above.join(".git")).find(|git| git.exists())?;
    let git = if git.is_dir() { git } else { linked(&git)? };
    head(&engine::read_short_file(&git.join("HEAD")).ok()?)
}

/// The folder that a worktree's or submodule's `.git` file names.
fn linked(file: &Path) -> Option<PathBuf> {
    let text = engine::read_short_file(file).ok()?;
    let named = text.strip_prefix("gitdir:")?.trim();
    Some(file.parent()?.join(named)).filter(|_| !named.is_empty())
}

fn head(text: &str) -> Option<GitHead> {
    let line = text.lines().next()?.trim();
    if let Some(reference) = line.strip_prefix("ref:") {
        let reference = reference.trim();
        let name = reference.strip_prefix("refs/heads/").unwrap_or(reference);
        // Written by the newer store of references, which keeps what is checked out elsewhere.
        let known = !name.is_empty() && name != ".invalid";
        return known.then(|| GitHead::Branch(name.chars().take(MAX_NAME).collect()));
    }
    let is_hash = matches!(line.len(), 40 | 64) && line.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| GitHead::Detached(line[..SHORT_HASH].to_owned()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const HASH: &str = "0123456789abcdef0123456789abcdef01234567";

    fn branch(name: &str) -> Option<GitHead> {
        Some(GitHead::Branch(name.to_owned()))
    }

    #[test]
    fn branches_and_detached_heads_are_told_apart() {
        assert_eq!(head("ref: refs/heads/main\n"), branch("main"));
        assert_eq!(head("ref: refs/heads/feature/status-line\n"), branch("feature/status-line"));
        assert_eq!(head("ref: refs/remotes/origin/x"), branch("refs/remotes/origin/x"));
        assert_eq!(head(HASH), Some(GitHead::Detached("01234567".to_owned())));
        for text in ["", "\n", "ref: ", "ref: refs/heads/", "ref: refs/heads/.invalid\n", "0123", &"x".repeat(40)] {
            assert_eq!(head(text), None, "{text:?}");
        }
        assert_eq!(head(&format!("ref: refs/heads/{}", "x".repeat(5000))), branch(&"x".repeat(MAX_NAME)));
    }

    #[test]
    fn a_folder_inside_a_repository_and_worktrees_have_their_branch() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        fs::create_dir_all(at("repo/.git/worktrees/wt")).unwrap();
        fs::create_dir_all(at("repo/src/deep")).unwrap();
        fs::create_dir_all(at("wt/src")).unwrap();
        fs::write(at("repo/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(at("repo/.git/worktrees/wt/HEAD"), "ref: refs/heads/other\n").unwrap();
        fs::write(at("wt/.git"), format!("gitdir: {}\n", at("repo/.git/worktrees/wt").display())).unwrap();
        assert_eq!((git_head(&at("repo")), git_head(&at("repo/src/deep"))), (branch("main"), branch("main")));
        assert_eq!(git_head(&at("wt/src")), branch("other"));
        fs::write(at("wt/.git"), "gitdir: ../repo/.git/worktrees/wt\n").unwrap();
        assert_eq!(git_head(&at("wt")), branch("other"), "relative to the file");
    }

    #[test]
    fn what_is_no_repository_has_none_and_nothing_blocks() {
        let root = tempfile::tempdir().unwrap();
        let git = root.path().join(".git");
        fs::write(&git, "gitdir:\n").unwrap();
        assert_eq!(git_head(root.path()), None);
        fs::write(&git, "gitdir: nowhere\n").unwrap();
        assert_eq!(git_head(root.path()), None);
        fs::remove_file(&git).unwrap();
        fs::create_dir(&git).unwrap();
        assert_eq!(git_head(root.path()), None);
        rustix::fs::mkfifoat(rustix::fs::CWD, git.join("HEAD"), rustix::fs::Mode::RUSR).unwrap();
        assert_eq!(git_head(root.path()), None, "a pipe is not waited for");
    }
}
