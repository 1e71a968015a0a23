//! Presets from the project's point of view: what would run, and what the human has to judge.

use std::path::Path;

use agents::{
    AgentPreset, Found, ProcessPreset, RunFact,
    preset::{Catalog, Place, resolve_folder},
    run_facts,
};
use ops::Preset;

use crate::trust::{Subject, SubjectKind};

/// The preset of this kind, as the human judges it.
pub fn subject(catalog: &Catalog, kind: SubjectKind, name: &str) -> Option<Subject> {
    match kind {
        SubjectKind::Agent => catalog.agent(name).map(of_agent),
        SubjectKind::Command => catalog.process(name).map(of_process),
        SubjectKind::Program | SubjectKind::StartSet => None,
    }
}

pub(crate) fn of_agent(found: &Found<AgentPreset>) -> Subject {
    judged(SubjectKind::Agent, &found.preset.name, run_facts::of_agent(&found.preset), found)
}

fn of_process(found: &Found<ProcessPreset>) -> Subject {
    judged(SubjectKind::Command, &found.preset.name, run_facts::of_process(&found.preset), found)
}

fn judged<P>(kind: SubjectKind, name: &str, facts: Vec<RunFact>, found: &Found<P>) -> Subject {
    Subject {
        kind,
        name: name.to_owned(),
        of_project: matches!(found.place, Place::Project { .. }),
        overrides: found.place == Place::Project { overrides: true },
        hash: found.hash.to_string(),
        standing: found.hash.to_string(),
        tree: None,
        content: found.content.without_values().canonical(),
        facts,
    }
}

/// What spawn_process runs.
pub(crate) fn command(found: &Found<ProcessPreset>, project: &Path, home: &Path) -> Preset {
    let preset = &found.preset;
    Preset {
        name: preset.name.clone(),
        fingerprint: found.hash.to_string(),
        argv: preset.command(),
        env: preset.env.clone(),
        env_unset: preset.env_unset.clone(),
        working_dir: Some(resolve_folder(preset.working_dir.as_deref(), project, home)),
    }
}
