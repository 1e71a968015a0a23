//! The presets that come with the program, and their installation into the person's folder.
//!
//! A small file beside them records what was written: a preset that was edited is never touched again, one that was
//! deleted does not come back, and an unchanged one is updated with the program.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// A preset that comes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shipped {
    pub file_name: &'static str,
    pub text: &'static str,
}

pub const SHIPPED: &[Shipped] = &[
    Shipped { file_name: "claude.json", text: include_str!("../../../../presets/claude.json") },
    Shipped { file_name: "codex.json", text: include_str!("../../../../presets/codex.json") },
    Shipped { file_name: "opencode.json", text: include_str!("../../../../presets/opencode.json") },
];

/// Presets for further CLIs. They are installed only where the program is present.
pub const MORE: &[Shipped] = &[
    Shipped { file_name: "copilot.json", text: include_str!("../../../../presets/more/copilot.json") },
    Shipped { file_name: "gemini.json", text: include_str!("../../../../presets/more/gemini.json") },
    Shipped { file_name: "goose.json", text: include_str!("../../../../presets/more/goose.json") },
    Shipped { file_name: "qwen.json", text: include_str!("../../../../presets/more/qwen.json") },
];

/// Hidden, so that it is never read as a preset.
const MEMORY: &str = ".shipped.json";

/// File names and the hashes of what was written last.
type Memory = BTreeMap<String, String>;

/// Installs the shipped agent presets into `presets/agents`, and returns which files it wrote.
pub fn install_shipped(presets: &Path) -> io::Result<Vec<PathBuf>> {
    install(presets, SHIPPED)
}

/// The same for those of [`MORE`] whose program `is_there`.
pub fn install_more(presets: &Path, is_there: impl Fn(&str) -> bool) -> io::Result<Vec<PathBuf>> {
    let wanted: Vec<Shipped> = MORE.iter().filter(|more| is_there(more.program())).copied().collect();
    install(presets, &wanted)
}

impl Shipped {
    /// Each is named after the program it starts.
    pub fn program(&self) -> &'static str {
        self.file_name.trim_end_matches(".json")
    }

    /// The preset whose name starts a recording's name.
    pub fn of_recording(name: &str) -> Option<&'static Shipped> {
        SHIPPED.iter().chain(MORE).find(|shipped| name.starts_with(shipped.program()))
    }
}

fn install(presets: &Path, shipped: &[Shipped]) -> io::Result<Vec<PathBuf>> {
    let folder = presets.join("agents");
    fs::create_dir_all(&folder)?;
    let memory_file = folder.join(MEMORY);
    let mut memory = read_memory(&memory_file)?;
    let mut written = Vec::new();
    for Shipped { file_name, text } in shipped {
        let path = folder.join(file_name);
        let new = hash(text.as_bytes());
        let there = match fs::read(&path) {
            Ok(bytes) => Some(hash(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let wanted = match (memory.get(*file_name), &there) {
            (None, None) => true,
            (Some(known), Some(there)) => known == there && *there != new,
            (Some(_), None) | (None, Some(_)) => false,
        };
        if wanted {
            write_whole(&path, text.as_bytes())?;
            written.push(path);
        }
        if wanted || !memory.contains_key(*file_name) {
            memory.insert((*file_name).to_owned(), new);
        }
    }
    let text = serde_json::to_string_pretty(&memory).map_err(io::Error::other)? + "\n";
    if fs::read_to_string(&memory_file).ok().as_deref() != Some(&text) {
        write_whole(&memory_file, text.as_bytes())?;
    }
    Ok(written)
}

/// An unreadable record counts as empty: existing files are then never touched.
fn read_memory(file: &Path) -> io::Result<Memory> {
    match fs::read(file) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).unwrap_or_default()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Memory::new()),
        Err(error) => Err(error),
    }
}

/// Atomic, so that a watcher never reads half a preset.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let mut file = fs::File::create(&part)?;
    let done = file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&part, path));
    if done.is_err() {
        _ = fs::remove_file(&part);
    }
    done
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &[Shipped] =
        &[Shipped { file_name: "a.json", text: "old a" }, Shipped { file_name: "b.json", text: "old b" }];
    const NEW: &[Shipped] =
        &[Shipped { file_name: "a.json", text: "new a" }, Shipped { file_name: "b.json", text: "new b" }];

    fn read(presets: &Path, name: &str) -> Option<String> {
        fs::read_to_string(presets.join("agents").join(name)).ok()
    }

    #[test]
    fn presets_are_installed_once_and_followed_while_nobody_edits_them() {
        let folder = tempfile::tempdir().unwrap();
        let presets = folder.path();
        assert_eq!(install(presets, OLD).unwrap().len(), 2);
        assert_eq!(install(presets, OLD).unwrap().len(), 0);
        assert_eq!(install(presets, NEW).unwrap().len(), 2);
        assert_eq!(read(presets, "a.json").as_deref(), Some("new a"));
    }

    #[test]
    fn edited_deleted_and_foreign_files_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let presets = folder.path();
        install(presets, OLD).unwrap();
        fs::write(presets.join("agents/a.json"), "mine").unwrap();
        fs::remove_file(presets.join("agents/b.json")).unwrap();
        assert_eq!(install(presets, NEW).unwrap(), Vec::<PathBuf>::new());
        assert_eq!(read(presets, "a.json").as_deref(), Some("mine"));
        assert_eq!(read(presets, "b.json"), None);

        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("agents")).unwrap();
        fs::write(folder.path().join("agents/a.json"), "there before us").unwrap();
        install(folder.path(), OLD).unwrap();
        install(folder.path(), NEW).unwrap();
        assert_eq!(read(folder.path(), "a.json").as_deref(), Some("there before us"));
    }

    #[test]
    fn what_is_shipped_can_be_read() {
        for shipped in SHIPPED.iter().chain(MORE) {
            let parsed = super::super::parse_agent(Path::new(shipped.file_name), shipped.text);
            let parsed = parsed.unwrap_or_else(|problem| panic!("{problem}"));
            assert_eq!(parsed.warnings, []);
            assert_eq!(format!("{}.json", parsed.preset.name), shipped.file_name);
            assert_eq!(parsed.preset.argv[0], shipped.program());
        }
    }

    #[test]
    fn more_come_with_their_programs() {
        let folder = tempfile::tempdir().unwrap();
        let presets = folder.path();
        assert_eq!(install_more(presets, |_| false).unwrap(), Vec::<PathBuf>::new());
        assert_eq!(install_more(presets, |program| program == "gemini").unwrap(), [presets.join("agents/gemini.json")]);
        install_shipped(presets).unwrap();
        fs::remove_file(presets.join("agents/gemini.json")).unwrap();
        assert_eq!(install_more(presets, |_| true).unwrap().len(), MORE.len() - 1, "what was deleted stays away");
    }
}
