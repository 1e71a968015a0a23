//! The presets that come with the program.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

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

/// Writes the shipped agent presets that are not there yet into `presets/agents`, and says which.
/// A file that exists is never touched, edited or not.
pub fn install_shipped(presets: &Path) -> io::Result<Vec<PathBuf>> {
    let folder = presets.join("agents");
    fs::create_dir_all(&folder)?;
    let mut written = Vec::new();
    for shipped in SHIPPED {
        let path = folder.join(shipped.file_name);
        match fs::File::create_new(&path) {
            Ok(mut file) => {
                if let Err(error) = file.write_all(shipped.text.as_bytes()) {
                    // Half a preset would never be written again.
                    _ = fs::remove_file(&path);
                    return Err(error);
                }
                written.push(path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(written)
}
