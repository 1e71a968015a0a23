//! Asks for the version of an agent's CLI beside its start, and tells it where it may explain what people see.

use std::sync::Arc;

use agents::{
    AgentLaunch, AgentPreset,
    version::{CliVersion, VersionQuestion, find_program},
};
use engine::Session;

use crate::{
    events::ProjectEvent,
    project::{Project, lock},
};

impl Project {
    /// Asks in the background while the agent starts. A file that was asked before is not asked again.
    pub(crate) fn ask_version(&self, session: &Session, preset: Arc<AgentPreset>, launch: &AgentLaunch) {
        let Some(versions) = preset.versions.clone() else { return };
        let inner = &self.inner;
        let own_path = launch.env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value);
        let path = own_path.unwrap_or(&inner.search_path);
        let program = launch.argv.first().and_then(|program| find_program(program, &launch.working_dir, path));
        let Some(program) = program else { return };
        let question = VersionQuestion {
            program,
            versions,
            env: launch.env.clone(),
            env_unset: launch.env_unset.clone(),
            working_dir: launch.working_dir.clone(),
        };
        let (programs, engine, session) = (inner.program_versions.clone(), inner.engine.clone(), session.id());
        let project = Arc::downgrade(inner);
        tokio::spawn(async move {
            let Some(version) = programs.ask(&engine, question).await else { return };
            let Some(version) = CliVersion::judge(&preset, version) else { return };
            let Some(inner) = project.upgrade() else { return };
            if let Some(note) = version.sentence.clone()
                && lock(&inner.noted_versions).insert(note.clone())
            {
                // Having no listener is no error.
                let _ = inner.events.send(ProjectEvent::VersionNote { session, note });
            }
            inner.crew.note_version(session, version);
        });
    }
}
