//! The explained differences: `lab/differential_expected.json`, and the same for people in `docs/differential.md`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::repository;

const FILE: &str = "lab/differential_expected.json";
const PAGE: &str = "docs/differential.md";
/// Below this line, the page is generated.
const MARK: &str =
    "<!-- Written by `cargo lab differential`; change the reasons in lab/differential_expected.json -->\n";

#[derive(Default)]
pub(super) struct Explained(Vec<Entry>);

#[derive(Serialize, Deserialize)]
struct Entry {
    reason: String,
    /// Judge, recording, offset and aspect, as the tool prints them.
    differences: BTreeSet<String>,
}

impl Explained {
    pub(super) fn load() -> Result<Self> {
        let text = fs::read_to_string(repository(FILE)).with_context(|| format!("cannot read {FILE}"))?;
        Ok(Explained(serde_json::from_str(&text).with_context(|| format!("{FILE} is no list of reasons"))?))
    }

    pub(super) fn reason(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|entry| entry.differences.contains(name)).map(|entry| entry.reason.as_str())
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|entry| entry.differences.iter().map(String::as_str))
    }

    pub(super) fn explain(&mut self, reason: &str, names: Vec<String>) {
        match self.0.iter_mut().find(|entry| entry.reason == reason) {
            Some(entry) => entry.differences.extend(names),
            None => self.0.push(Entry { reason: reason.to_owned(), differences: names.into_iter().collect() }),
        }
    }

    pub(super) fn forget(&mut self, names: &[String]) {
        for entry in &mut self.0 {
            entry.differences.retain(|name| !names.contains(name));
        }
        self.0.retain(|entry| !entry.differences.is_empty());
    }

    pub(super) fn save(&self) -> Result<()> {
        let mut text = serde_json::to_string_pretty(&self.0)?;
        text.push('\n');
        fs::write(repository(FILE), text).with_context(|| format!("cannot write {FILE}"))?;
        fs::write(repository(PAGE), self.page()?).with_context(|| format!("cannot write {PAGE}"))
    }

    /// Whether the page agrees with the list.
    pub(super) fn documented(&self) -> Result<bool> {
        Ok(fs::read_to_string(repository(PAGE))? == self.page()?)
    }

    fn page(&self) -> Result<String> {
        let text = fs::read_to_string(repository(PAGE)).with_context(|| format!("cannot read {PAGE}"))?;
        let (head, _) = text.split_once(MARK).with_context(|| format!("{PAGE} has lost the line {MARK}"))?;
        Ok(format!("{head}{MARK}{}", self.list()))
    }

    fn list(&self) -> String {
        let mut list = String::new();
        for entry in &self.0 {
            let _ = write!(list, "\n**{}**\n\n", entry.reason);
            let mut places: BTreeMap<(&str, &str), BTreeMap<usize, Vec<&str>>> = BTreeMap::new();
            for name in &entry.differences {
                let mut words = name.splitn(4, ' ');
                let mut word = || words.next().unwrap_or_default();
                let (judge, recording, offset, aspect) = (word(), word(), word(), word());
                let offset = offset.parse().unwrap_or_default();
                places.entry((judge, recording)).or_default().entry(offset).or_default().push(aspect);
            }
            for ((judge, recording), offsets) in places {
                let offsets: Vec<String> =
                    offsets.iter().map(|(offset, aspects)| format!("at {offset} {}", aspects.join(", "))).collect();
                let _ = writeln!(list, "- {judge}, {recording}: {}", offsets.join("; "));
            }
        }
        list
    }
}
