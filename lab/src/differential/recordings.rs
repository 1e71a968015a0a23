//! Recordings of terminal output, and the offsets at which their screens are compared.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::repository;

pub(super) struct Recording {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    /// In the order of their offsets.
    pub(super) points: Vec<Point>,
}

/// An entry of `points.json`; its other fields are for other tools.
#[derive(Clone, Deserialize)]
pub(super) struct Point {
    raw: String,
    #[serde(rename = "off")]
    pub(super) offset: usize,
}

pub(super) fn load_fixtures() -> Result<Vec<Recording>> {
    let mut recordings = Vec::new();
    for folder in ["agents", "programs"] {
        let path = repository("fixtures/recordings").join(folder);
        recordings.extend(load(&path, None, &format!("{folder}/"))?);
    }
    Ok(recordings)
}

/// Every recording that a point names; `prefix` is put before its file name.
pub(super) fn load(folder: &Path, points: Option<&Path>, prefix: &str) -> Result<Vec<Recording>> {
    let file = points.map_or_else(|| folder.join("points.json"), Path::to_path_buf);
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut points: Vec<Point> =
        serde_json::from_str(&text).with_context(|| format!("{} holds no points", file.display()))?;
    ensure!(!points.is_empty(), "{} holds no points", file.display());
    points.sort_by(|a, b| (&a.raw, a.offset).cmp(&(&b.raw, b.offset)));
    points.dedup_by(|a, b| (&a.raw, a.offset) == (&b.raw, b.offset));
    points
        .chunk_by(|a, b| a.raw == b.raw)
        .map(|points| {
            let raw = &points[0].raw;
            let path = folder.join(raw);
            let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            Ok(Recording { name: format!("{prefix}{raw}"), bytes, points: points.to_vec() })
        })
        .collect()
}
