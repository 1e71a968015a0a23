//! Presets as the project sees them: what would run, and what the human has to judge.

use std::path::Path;

use agents::{
    AgentPreset, Found, ProcessPreset,
    preset::{Catalog, Place, resolve_folder},
};
use engine::Kind;
use ops::Preset;

use crate::trust::Subject;

/// The preset of a session of this kind, as the human judges it.
pub fn subject(catalog: &Catalog, kind: Kind, name: &str) -> Option<Subject> {
    match kind {
        Kind::Agent => catalog.agent(name).map(of_agent),
        Kind::Command => catalog.process(name).map(of_process),
        Kind::Terminal => None,
    }
}

pub(crate) fn of_agent(found: &Found<AgentPreset>) -> Subject {
    let preset = &found.preset;
    let env = preset.env.keys().cloned().collect();
    common(Kind::Agent, &preset.name, preset.argv.clone(), preset.working_dir.clone(), env, found)
}

fn of_process(found: &Found<ProcessPreset>) -> Subject {
    let preset = &found.preset;
    let env = preset.env.keys().cloned().collect();
    common(Kind::Command, &preset.name, preset.command(), preset.working_dir.clone(), env, found)
}

fn common<P>(
    kind: Kind,
    name: &str,
    command: Vec<String>,
    working_dir: Option<String>,
    env: Vec<String>,
    found: &Found<P>,
) -> Subject {
    Subject {
        kind,
        name: name.to_owned(),
        of_project: matches!(found.place, Place::Project { .. }),
        hash: found.hash.to_string(),
        content: found.content.canonical(),
        command,
        working_dir,
        env,
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
