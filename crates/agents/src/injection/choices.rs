//! Whether a person has made a choice in a CLI's own settings. The files are only read.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde_json::Value;

use crate::preset::{DefaultChoice, TemplateValues, expand_home};

/// Maximum bytes of a settings file.
const MAX_SETTINGS_BYTES: u64 = 1 << 20;

/// A file that is missing, too long or invalid JSON counts as no choice: then the preset's careful choice is used.
pub(super) fn is_chosen(choice: &DefaultChoice, values: TemplateValues<'_>) -> bool {
    let pointer = format!("/{}", choice.key.replace('.', "/"));
    choice.files.iter().any(|file| {
        let file = Path::new(values.project).join(expand_home(file, Path::new(values.home)));
        read_settings(&file).is_some_and(|settings| settings.pointer(&pointer).is_some_and(|value| !value.is_null()))
    })
}

fn read_settings(file: &Path) -> Option<Value> {
    // Reading a pipe or a device might block.
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(file).ok()?.take(MAX_SETTINGS_BYTES).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}
