//! Versions of agent CLIs: which one is installed, and whether its preset was made for it.
//!
//! [`ProgramVersion`] is the number, [`ProgramVersions`] asks the programs, and [`VersionFit`] is the preset's
//! statement on a version. None of this prevents an agent from being started.

mod ask;
mod number;

pub use ask::{ProgramVersions, VersionQuestion, VersionSilence, ask_once, find_program};
pub use number::{ProgramVersion, VersionError};
use schemars::JsonSchema;
use serde::Serialize;

use crate::preset::{AgentPreset, PresetVersions};

/// A preset's statement on a version of its CLI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VersionFit {
    Tested,
    /// Between tested versions, or older than all of them and not known to be too old.
    Untested,
    /// Newer than all tested versions.
    Newer,
    /// Known not to work with the launch.
    TooOld,
}

/// The version of the CLI in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CliVersion {
    pub version: ProgramVersion,
    pub fit: VersionFit,
    /// A hint for people, if the version may explain what they see.
    pub sentence: Option<String>,
}

impl PresetVersions {
    pub fn fit(&self, version: &ProgramVersion) -> VersionFit {
        if self.oldest.as_ref().is_some_and(|oldest| version < oldest) {
            return VersionFit::TooOld;
        }
        match self.tested.iter().max() {
            _ if self.tested.contains(version) => VersionFit::Tested,
            Some(newest) if version > newest => VersionFit::Newer,
            _ => VersionFit::Untested,
        }
    }
}

impl CliVersion {
    /// `None` if the preset names no versions.
    pub fn judge(preset: &AgentPreset, version: ProgramVersion) -> Option<Self> {
        let versions = preset.versions.as_ref()?;
        let name = &preset.name;
        let fit = versions.fit(&version);
        let sentence = match (fit, &versions.oldest, versions.tested.iter().max()) {
            (VersionFit::TooOld, Some(oldest), _) => {
                let update =
                    preset.install.as_ref().map_or_else(|| "update it".into(), |how| format!("update it: {how}"));
                Some(format!(
                    "{name} {version} is older than {oldest}, the oldest version that its preset works with; {update}"
                ))
            }
            (VersionFit::Newer, _, Some(newest)) => Some(format!(
                "{name} {version} is newer than {newest}, the newest version that its rules were tested with; where it is \
                 told wrong what it does, look for newer rules (patterm rules) or send a report (patterm report)"
            )),
            _ => None,
        };
        Some(CliVersion { version, fit, sentence })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::preset::parse_agent;

    fn preset(versions: &str) -> AgentPreset {
        let text = format!(r#"{{"argv": ["cli"], "install": "npm i -g cli", "versions": {versions}}}"#);
        parse_agent(Path::new("cli.json"), &text).unwrap_or_else(|problem| panic!("{problem}")).preset
    }

    #[test]
    fn a_version_is_tested_newer_too_old_or_in_between() {
        let preset = preset(r#"{"tested": ["1.10.0", "1.2.0"], "oldest": "1.1"}"#);
        for (printed, fit) in [
            ("1.2.0 (The CLI)", VersionFit::Tested),
            ("cli-agent v1.10.0\n", VersionFit::Tested),
            ("1.10.1", VersionFit::Newer),
            ("1.10.0-beta.2", VersionFit::Untested),
            ("1.9.9", VersionFit::Untested),
            ("1.1.0", VersionFit::Untested),
            ("1.0.99", VersionFit::TooOld),
        ] {
            let version = preset.versions.as_ref().unwrap().find(printed).unwrap();
            let judged = CliVersion::judge(&preset, version).unwrap();
            assert_eq!(judged.fit, fit, "{printed}");
            assert_eq!(judged.sentence.is_some(), matches!(fit, VersionFit::Newer | VersionFit::TooOld), "{printed}");
        }
        let told = |version: &str| CliVersion::judge(&preset, version.parse().unwrap()).unwrap().sentence.unwrap();
        assert_eq!(
            told("0.9"),
            "cli 0.9 is older than 1.1, the oldest version that its preset works with; update it: npm i -g cli"
        );
        assert!(told("2.0").starts_with("cli 2.0 is newer than 1.10.0, the newest version that its rules were tested"));
    }

    #[test]
    fn what_is_no_version_says_nothing() {
        let versions = preset(r#"{"pattern": "version (\\S+)", "tested": ["1.0"]}"#).versions.unwrap();
        assert_eq!(versions.find("cli 3.0 version 1.0").unwrap().to_string(), "1.0");
        for printed in ["", "cli 3.0", "version x", "version 1.0\u{1b}[2J-", "version 99999999999999999999.1"] {
            assert_eq!(versions.find(printed), None, "{printed:?}");
        }
        let silent = parse_agent(Path::new("cli.json"), r#"{"argv": ["cli"]}"#).unwrap().preset;
        assert_eq!(CliVersion::judge(&silent, "1.0".parse().unwrap()), None);
    }
}
