//! Newer rules for a preset, without a release: a file that takes the place of what the preset says of states and
//! prompts, and of nothing that is run, set or allowed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::agent::{AgentPreset, ReadySignal, Submit, TrimHint};
use super::catalog::{Found, read_bounded};
use super::content::ContentChange;
use super::parse::{ParsedPreset, Problem, checked_agent, read};
use super::prompt::PromptRule;
use super::rule::{ModeRule, Region, Rule};
use super::versions::PresetVersions;

/// A file in `presets/rules`. Each field takes the place of the preset's field of the same name; what is left out stays
/// as the preset has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RulesFile {
    /// For editors: the schema of this file. Has no effect.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The name of the agent preset that these rules are for.
    pub preset: String,
    /// Counts only where it is higher than the preset's own.
    pub rules_version: u64,
    #[serde(default)]
    pub versions: Option<PresetVersions>,
    #[serde(default)]
    pub ready_signal: Option<ReadySignal>,
    #[serde(default)]
    pub regions: Option<BTreeMap<String, Region>>,
    #[serde(default)]
    pub rules: Option<Vec<Rule>>,
    #[serde(default)]
    pub modes: Option<Vec<ModeRule>>,
    #[serde(default)]
    pub prompts: Option<Vec<PromptRule>>,
    #[serde(default)]
    pub submit: Option<Submit>,
    #[serde(default)]
    pub chrome_trim_hints: Option<Vec<TrimHint>>,
}

/// A file of rules that can be used, for some preset.
#[derive(Clone, Debug)]
pub struct ParsedRules {
    pub file: PathBuf,
    pub preset: String,
    pub rules_version: u64,
    /// What it puts in the preset's place.
    fields: serde_json::Map<String, Value>,
}

/// Why a file of rules is not used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RulesError {
    #[error("{0}")]
    Unusable(Box<Problem>),
    #[error("{}: there is no agent preset '{preset}' of your own: presets are {}", file.display(), known.join(", "))]
    NoPreset { file: PathBuf, preset: String, known: Vec<String> },
    #[error(
        "{}: its rules have the version {given}, and those in use for '{preset}' have {in_use}: nothing to do", file.display()
    )]
    NotNewer { file: PathBuf, preset: String, given: u64, in_use: u64 },
}

impl ParsedRules {
    pub fn read_file(file: &Path) -> Result<Self, Problem> {
        let unreadable = |error| Problem::error(file, format!("the file can't be read: {error}"));
        Self::parse(file, &read_bounded(file).map_err(unreadable)?)
    }

    /// `file` is named in problems; it is not read.
    pub fn parse(file: &Path, text: &str) -> Result<Self, Problem> {
        let (rules, content): (RulesFile, _) = read(file, text)?;
        let Value::Object(mut fields) = content.into_value() else {
            return Err(Problem::error(file, "a file of rules is one JSON object: begin it with {"));
        };
        for not_a_field in ["$schema", "preset"] {
            fields.remove(not_a_field);
        }
        Ok(ParsedRules { file: file.into(), preset: rules.preset, rules_version: rules.rules_version, fields })
    }

    /// The preset with these rules, whichever version they have.
    pub fn applied_to(&self, found: &Found<AgentPreset>) -> Result<ParsedPreset<AgentPreset>, Problem> {
        let mut value = found.content.clone().into_value();
        if let Value::Object(preset) = &mut value {
            preset.extend(self.fields.clone());
        }
        checked_agent(&self.file, &found.preset.name, value)
    }

    /// What would change in the preset, by place.
    pub fn changes(&self, found: &Found<AgentPreset>) -> Result<Vec<ContentChange>, Problem> {
        let after = self.applied_to(found)?;
        Ok(after.content.changes_since(&found.content))
    }

    /// The one of the person's own presets that these rules are for; an error where they would change nothing.
    pub fn target<'a>(&self, presets: &'a [Found<AgentPreset>]) -> Result<&'a Found<AgentPreset>, RulesError> {
        let Some(found) = presets.iter().find(|found| found.preset.name == self.preset) else {
            let known = presets.iter().map(|found| found.preset.name.clone()).collect();
            return Err(RulesError::NoPreset { file: self.file.clone(), preset: self.preset.clone(), known });
        };
        let in_use = found.preset.rules_version;
        if self.rules_version <= in_use {
            let (file, preset) = (self.file.clone(), self.preset.clone());
            return Err(RulesError::NotNewer { file, preset, given: self.rules_version, in_use });
        }
        self.applied_to(found).map_err(|problem| RulesError::Unusable(Box::new(problem)))?;
        Ok(found)
    }
}

/// Puts newer rules in the place of a preset's. What can't be used is among the problems, and the preset stays as it is;
/// rules that are not newer are left alone: a release has overtaken them.
pub(super) fn overlay(found: &mut Found<AgentPreset>, rules: &ParsedRules, problems: &mut Vec<Problem>) {
    if rules.rules_version <= found.preset.rules_version {
        return;
    }
    match rules.applied_to(found) {
        Ok(parsed) => {
            found.hash = parsed.content.hash();
            found.content = parsed.content;
            found.preset = Arc::new(parsed.preset);
            found.rules = Some(rules.file.clone());
        }
        Err(problem) => problems.push(problem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preset::{Catalog, PresetFolders};

    const PRESET: &str = r#"{"argv": ["cli", "-x"], "rules_version": 5, "env": {"A": "b"},
        "rules": [{"name": "old", "when": {"screen": "old"}, "state": "idle"}]}"#;

    fn rules(version: u64, more: &str) -> String {
        format!(
            r#"{{"preset": "cli", "rules_version": {version}, {more}
                "rules": [{{"name": "new", "when": {{"screen": "new"}}, "state": "working"}}]}}"#
        )
    }

    fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, PresetFolders) {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let file = root.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let folders = PresetFolders { global: root.path().to_owned(), project: Some(root.path().join("project")) };
        (root, folders)
    }

    #[test]
    fn newer_rules_take_the_place_of_a_presets_and_nothing_else() {
        let (_root, folders) = folder(&[("agents/cli.json", PRESET), ("rules/cli.json", &rules(6, ""))]);
        let catalog = Catalog::scan(&folders);
        assert_eq!(catalog.problems, []);
        let found = catalog.agent("cli").unwrap();
        assert_eq!(found.preset.rules[0].name, "new");
        assert_eq!((found.preset.rules_version, found.preset.argv.len(), found.preset.env.len()), (6, 2, 1));
        assert_eq!(found.rules.as_deref(), Some(folders.global.join("rules/cli.json").as_path()));
        for version in [5, 4] {
            std::fs::write(folders.global.join("rules/cli.json"), rules(version, "")).unwrap();
            let catalog = Catalog::scan(&folders);
            assert_eq!(catalog.agent("cli").unwrap().preset.rules[0].name, "old", "{version}");
            assert_eq!(catalog.problems, [], "a release that is newer is no mistake of the person's");
        }
    }

    #[test]
    fn a_projects_preset_has_its_own_rules() {
        let (_root, folders) = folder(&[
            ("agents/cli.json", PRESET),
            ("project/agents/cli.json", PRESET),
            ("rules/cli.json", &rules(6, "")),
            ("project/rules/cli.json", &rules(7, "")),
        ]);
        assert_eq!(Catalog::scan(&folders).agent("cli").unwrap().preset.rules[0].name, "old");
    }

    #[test]
    fn rules_can_not_change_what_runs_and_mistakes_have_their_place() {
        for (more, place) in
            [("\"argv\": [\"sh\"],", Some(1)), ("\"permissions\": {},", Some(1)), ("\n\"regions\": 7,", Some(2))]
        {
            let problem = ParsedRules::parse(Path::new("r.json"), &rules(6, more)).unwrap_err();
            assert_eq!(problem.line, place, "{problem}");
        }
        let unknown_region =
            rules(6, "").replace("\"screen\": \"new\"", "\"screen\": \"new\", \"region\": \"nowhere\"");
        let (_root, folders) = folder(&[("agents/cli.json", PRESET), ("rules/cli.json", &unknown_region)]);
        let catalog = Catalog::scan(&folders);
        assert_eq!(catalog.agent("cli").unwrap().preset.rules[0].name, "old");
        assert!(catalog.problems[0].to_string().contains("rules/cli.json") && catalog.problems.len() == 1);
    }

    #[test]
    fn what_would_change_is_told_and_older_or_foreign_rules_are_refused() {
        let (_root, folders) = folder(&[("agents/cli.json", PRESET)]);
        let presets: Vec<_> = Catalog::scan(&folders).agents().cloned().collect();
        let parsed = |version| ParsedRules::parse(Path::new("r.json"), &rules(version, "")).unwrap();
        let found = parsed(6).target(&presets).unwrap();
        let changes: Vec<String> = parsed(6).changes(found).unwrap().iter().map(ToString::to_string).collect();
        assert!(changes.contains(&r#"rules[0].name: "old" → "new""#.to_owned()), "{changes:?}");
        assert!(changes.contains(&"rules_version: 5 → 6".to_owned()), "{changes:?}");
        assert!(matches!(parsed(5).target(&presets), Err(RulesError::NotNewer { in_use: 5, .. })));
        assert!(matches!(parsed(6).target(&[]), Err(RulesError::NoPreset { .. })));
    }
}
