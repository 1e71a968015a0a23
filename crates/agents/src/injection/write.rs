//! Writes a plan's files into the launch's folder.

use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Map, Value};
use toml_edit::DocumentMut;

use super::folder::{LaunchFolder, create_private, write_private};
use super::launch::LaunchError;
use super::merge::{merge, merge_toml};
use super::plan::PlannedFile;
use super::render::pretty;
use crate::preset::plain_json;

/// Maximum bytes of a person's own configuration file.
const MAX_CONFIG_BYTES: u64 = 4 << 20;
/// Maximum entries linked beside a copied file.
const MAX_SIBLINGS: usize = 1000;

pub(super) fn write(preset: &str, folder: &LaunchFolder, file: PlannedFile) -> Result<(), LaunchError> {
    let failed =
        |path: &Path, source: std::io::Error| LaunchError::Write { preset: preset.into(), path: path.into(), source };
    match file {
        PlannedFile::Text { name, text } => {
            folder.write(&name, text.as_bytes()).map_err(|source| failed(folder.path(), source))?;
        }
        PlannedFile::Copy { original, ours, name, linked_folder } => {
            let merged = merged(&original, ours).map_err(|reason| LaunchError::Config {
                preset: preset.into(),
                path: original.clone(),
                reason,
            })?;
            let target = match linked_folder {
                None => folder.path().to_owned(),
                Some(inner) => {
                    let target = folder.path().join(inner);
                    link_siblings(&original, &name, &target).map_err(|source| failed(&target, source))?;
                    target
                }
            };
            let copy = target.join(&name);
            write_private(&copy, merged.as_bytes()).map_err(|source| failed(&copy, source))?;
        }
    }
    Ok(())
}

/// The person's file with our content merged in.
fn merged(original: &Path, ours: Value) -> Result<String, String> {
    let theirs = read_config(original).map_err(|error| error.to_string())?;
    if original.extension().is_some_and(|extension| extension == "toml") {
        let mut document: DocumentMut = theirs.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
        merge_toml(&mut document, &ours);
        return Ok(document.to_string());
    }
    let mut value = read_json(&theirs)?;
    merge(&mut value, ours);
    Ok(pretty(&value))
}

/// Links the other entries, so that the CLI finds its login and history; only the one file differs.
fn link_siblings(original: &Path, name: &str, folder: &Path) -> std::io::Result<()> {
    create_private(folder)?;
    let Some(parent) = original.parent().filter(|parent| parent.is_dir()) else { return Ok(()) };
    for entry in fs::read_dir(parent)?.take(MAX_SIBLINGS) {
        let entry = entry?;
        if entry.file_name() != name {
            symlink(entry.path(), folder.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// A missing file counts as empty: the CLI has not been set up yet.
fn read_config(path: &Path) -> std::io::Result<String> {
    let file = match fs::File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(String::new()),
        file => file?,
    };
    let mut text = String::new();
    file.take(MAX_CONFIG_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_CONFIG_BYTES {
        return Err(std::io::Error::other(format!("it is longer than {MAX_CONFIG_BYTES} bytes")));
    }
    Ok(text)
}

fn read_json(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    let plain = plain_json(text).map_err(|error| error.to_string())?;
    let value: Value = serde_json::from_str(&plain).map_err(|error| error.to_string())?;
    if value.is_object() { Ok(value) } else { Err("it holds no JSON object".into()) }
}
