//! Whether a person has chosen something in a CLI's own settings. The files are only read.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde_json::Value;

use crate::preset::{DefaultChoice, Values, expand_home};

/// Bytes of a settings file that are read.
const MAX_SETTINGS_BYTES: u64 = 1 << 20;

/// A file that is missing, too long or not JSON chooses nothing: then the preset's choice is made, which is the careful one.
pub(super) fn is_chosen(choice: &DefaultChoice, values: Values<'_>) -> bool {
    let pointer = format!("/{}", choice.key.replace('.', "/"));
    choice.files.iter().any(|file| {
        let file = Path::new(values.project).join(expand_home(file, Path::new(values.home)));
        read_settings(&file).is_some_and(|settings| settings.pointer(&pointer).is_some_and(|value| !value.is_null()))
    })
}

fn read_settings(file: &Path) -> Option<Value> {
    // A pipe or a device would be waited for.
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(file).ok()?.take(MAX_SETTINGS_BYTES).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}
