//! The agent CLIs of the presets: where they are, their versions, and whether the rules know these.
//!
//! Only the person's own presets are asked. What comes with a project could name any program, so nothing of it is
//! started: neither its presets nor a program that is found by a relative path. For the same reason the CLIs run in the
//! home folder.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use agents::{
    AgentPreset, Catalog, PresetFolders,
    preset::{MORE, Place, SHIPPED, Shipped, parse_agent},
    version::{ProgramVersion, VersionFit, VersionQuestion, VersionSilence, ask_once, find_program},
};
use engine::{Engine, EngineOptions};
use program::{Surroundings, doctor::DoctorFinding};
use tokio::sync::Semaphore;

use crate::commands::presets;

const AREA: &str = "agents";
/// How long a CLI may take to print its version; the slowest need a few seconds on a busy machine.
const PATIENCE: Duration = Duration::from_secs(10);
/// CLIs that are asked at the same time: each start is heavy.
const AT_ONCE: usize = 4;
/// Presets that are looked at: more than anybody has. It bounds the time of all together.
const MAX_PRESETS: usize = 40;

pub(super) async fn check(project: &Path, surroundings: &Surroundings) -> Vec<DoctorFinding> {
    let folders = presets::folders(surroundings, project);
    let path = absolute_folders(surroundings.variable("PATH").unwrap_or_default());
    let presets = own_presets(&folders, &path);
    let engine = Engine::new(EngineOptions { base_env: surroundings.environment.clone(), ..EngineOptions::default() });
    let turns = Arc::new(Semaphore::new(AT_ONCE));
    let (mut asked, mut any_found) = (Vec::new(), false);
    for preset in presets.into_iter().take(MAX_PRESETS) {
        let place = ProgramPlace::of(&preset, &path);
        any_found |= matches!(place, ProgramPlace::At(_));
        let (engine, turns, home) = (engine.clone(), turns.clone(), surroundings.home.clone());
        asked.push(tokio::spawn(async move {
            let _turn = turns.acquire().await;
            check_preset(&engine, &preset, place, home).await
        }));
    }
    let mut found = Vec::new();
    for one in asked {
        found.extend(one.await);
    }
    engine.shutdown(Duration::ZERO).await;
    if !any_found {
        let advice = "install one of them, or write a preset for another (docs/guide/agents.md)";
        found.push(DoctorFinding::warning(AREA, "none of the agent CLIs was found", advice));
    }
    found.extend(check_projects_presets(&folders));
    found.push(check_git(&path));
    found
}

/// Where a preset's program is.
enum ProgramPlace {
    At(PathBuf),
    /// Its path is relative: every project has another one.
    InProject(String),
    Missing(String),
}

impl ProgramPlace {
    fn of(preset: &AgentPreset, path: &OsStr) -> Self {
        let named = preset.argv.first().cloned().unwrap_or_default();
        let program = Path::new(&named);
        if program.is_relative() && named.contains('/') {
            return ProgramPlace::InProject(named);
        }
        // As at a launch, the preset's own PATH comes first. The folder matters only for relative paths.
        let own_path = preset.env.get("PATH").map(|own| absolute_folders(own.as_ref()));
        match find_program(program.as_os_str(), Path::new("/"), own_path.as_deref().unwrap_or(path)) {
            Some(place) => ProgramPlace::At(place),
            None => ProgramPlace::Missing(named),
        }
    }
}

/// The presets that the next start would have: before the first one, those that it installs.
fn own_presets(folders: &PresetFolders, path: &OsStr) -> Vec<Arc<AgentPreset>> {
    if folders.global.join("agents").exists() {
        let own = PresetFolders { project: None, ..folders.clone() };
        return Catalog::scan(&own).agents().map(|found| found.preset.clone()).collect();
    }
    let is_there = |more: &&Shipped| find_program(more.program().as_ref(), Path::new("/"), path).is_some();
    let shipped = SHIPPED.iter().chain(MORE.iter().filter(is_there));
    let parsed = shipped.filter_map(|one| parse_agent(one.file_name.as_ref(), one.text).ok());
    parsed.map(|one| Arc::new(one.preset)).collect()
}

/// A relative folder on the PATH may lead into a project.
fn absolute_folders(path: &OsStr) -> OsString {
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    std::env::join_paths(folders).unwrap_or_default()
}

async fn check_preset(engine: &Engine, preset: &AgentPreset, place: ProgramPlace, home: PathBuf) -> DoctorFinding {
    let name = &preset.name;
    let program = match place {
        ProgramPlace::At(program) => program,
        ProgramPlace::InProject(named) => {
            let text = format!("{name}: {named} is another program in each project, and was not asked");
            return DoctorFinding::note(AREA, text, "");
        }
        ProgramPlace::Missing(named) => {
            let install = preset.install.as_ref().map(|how| format!("if you want to use it: {how}"));
            let what = if named == *name { named } else { format!("{name}: {named}") };
            return DoctorFinding::note(AREA, format!("{what} was not found"), install.unwrap_or_default());
        }
    };
    let place = program.display().to_string();
    let Some(versions) = preset.versions.clone() else {
        return DoctorFinding::ok(AREA, format!("{name}: {place}; its preset names no versions"));
    };
    let plain = preset.env.iter().filter(|(_, value)| !value.contains("${"));
    let question = VersionQuestion {
        program,
        versions,
        env: plain.map(|(name, value)| (name.into(), value.into())).collect(),
        env_unset: preset.env_unset.iter().map(OsString::from).collect(),
        working_dir: home,
    };
    match ask_once(engine, &question, PATIENCE).await {
        Ok(version) => judge(preset, &version, &place),
        Err(silence) => judge_silence(name, &question, silence),
    }
}

fn judge(preset: &AgentPreset, version: &ProgramVersion, place: &str) -> DoctorFinding {
    let name = &preset.name;
    let here = format!("{name} {version}: {place}");
    let Some(versions) = &preset.versions else { return DoctorFinding::ok(AREA, here) };
    let newest = versions.tested.iter().max().map(ToString::to_string).unwrap_or_default();
    let if_wrong =
        "if its state is shown wrong, look for newer rules (`patterm rules`) or send a report (`patterm report`)";
    match (versions.fit(version), &versions.oldest) {
        (VersionFit::Tested, _) => DoctorFinding::ok(AREA, format!("{here}; its rules were tested with this version")),
        (VersionFit::Newer, _) => {
            let text = format!("{here}; the newest version that its rules were tested with is {newest}");
            DoctorFinding::note(AREA, text, if_wrong)
        }
        (VersionFit::TooOld, Some(oldest)) => {
            let update = preset.install.as_ref().map_or_else(|| "update it".into(), |how| format!("update it: {how}"));
            let text = format!("{here}; the oldest version that its preset works with is {oldest}");
            DoctorFinding::warning(AREA, text, update)
        }
        (VersionFit::TooOld | VersionFit::Untested, _) if newest.is_empty() => {
            DoctorFinding::ok(AREA, format!("{here}; its preset names no tested versions"))
        }
        (VersionFit::TooOld | VersionFit::Untested, _) => {
            let text = format!("{here}; its rules were not tested with this version; the newest tested is {newest}");
            DoctorFinding::note(AREA, text, format!("update it; {if_wrong}"))
        }
    }
}

fn judge_silence(name: &str, question: &VersionQuestion, silence: VersionSilence) -> DoctorFinding {
    let place = question.program.display();
    let text = format!("{name}: {place}; its version is not known: {silence}");
    let try_it = format!("see what `{place} {}` does", question.versions.ask.join(" "));
    match silence {
        VersionSilence::NotStarted => DoctorFinding::fault(AREA, text, try_it),
        VersionSilence::TimedOut(_) | VersionSilence::NoVersion => DoctorFinding::warning(AREA, text, try_it),
    }
}

fn check_projects_presets(folders: &PresetFolders) -> Option<DoctorFinding> {
    let catalog = Catalog::scan(folders);
    let names: Vec<&str> =
        catalog.agents().filter(|found| found.place != Place::Global).map(|found| &*found.preset.name).collect();
    let text = format!("the project has presets of its own for {}; their programs were not asked", names.join(", "));
    (!names.is_empty()).then(|| DoctorFinding::note(AREA, text, "`patterm trust show NAME` says what one would start"))
}

/// Only looked for: on some systems, running it offers to install developer tools.
fn check_git(path: &OsStr) -> DoctorFinding {
    match find_program("git".as_ref(), "/".as_ref(), path) {
        Some(place) => DoctorFinding::ok(AREA, format!("git: {}", place.display())),
        None => DoctorFinding::note(AREA, "git was not found", "patterm does without it, but most agents use it"),
    }
}

#[cfg(test)]
mod tests {
    use program::doctor::FindingState;

    use super::*;

    fn preset(versions: &str) -> AgentPreset {
        let text = format!(r#"{{"argv": ["cli"], "install": "npm i -g cli", "versions": {versions}}}"#);
        parse_agent("cli.json".as_ref(), &text).unwrap().preset
    }

    #[test]
    fn a_version_is_judged_by_what_the_preset_was_tested_with() {
        let known = preset(r#"{"tested": ["1.2.0", "1.10.0"], "oldest": "1.1"}"#);
        let found = |version: &str| judge(&known, &version.parse().unwrap(), "/bin/cli");
        for (version, state, text, advice) in [
            ("1.10.0", FindingState::Ok, "cli 1.10.0: /bin/cli; its rules were tested", ""),
            ("2.0", FindingState::Note, "newest version that its rules were tested with is 1.10.0", "patterm rules"),
            ("1.3", FindingState::Note, "not tested with this version; the newest tested is 1.10.0", "update it"),
            ("1.0", FindingState::Warning, "oldest version that its preset works with is 1.1", "npm i -g cli"),
        ] {
            let finding = found(version);
            assert!(finding.state == state && finding.text.contains(text), "{finding:?}");
            assert!(finding.advice.contains(advice) && finding.advice.is_empty() == advice.is_empty(), "{finding:?}");
        }
        let unknown = judge(&preset("{}"), &"3.0".parse().unwrap(), "/bin/cli");
        assert!(unknown.state == FindingState::Ok && unknown.text.contains("no tested versions"), "{unknown:?}");
    }

    #[test]
    fn folders_of_the_path_are_absolute() {
        assert_eq!(absolute_folders("/a:.::b/c:/d".as_ref()), "/a:/d");
        assert_eq!(absolute_folders("".as_ref()), "");
    }
}
