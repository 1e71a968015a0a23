//! Opening a tab that was written down: by an earlier run, or in the project's start set.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
};

use agents::{AgentPreset, Catalog, Found, preset::slug};
use engine::{Kind, NameChoice, NewSession, Session, SessionId, SessionName};
use ops::{
    Call, Caller, Context, ErrorKind, Host, OpError, Operation, Preset, StartRequest,
    operations::{SpawnProcess, spawn_process},
};

use super::record::{RecordedProgram, RecordedTab};
use crate::{
    operations::spawn_agent::{AgentStart, start_agent},
    presets,
    project::Project,
};

const MISSING: &str = "put the preset back, and try again";

/// A tab that is there again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReopenedTab {
    pub session: SessionId,
    /// How it differs from what it was.
    pub note: Option<String>,
}

/// Why tabs are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpeningReason {
    /// Nothing is typed, and no command is run: shells and agents start, commands wait.
    LastRun,
    /// The human has allowed all of it, and its commands run.
    StartSet,
}

impl Project {
    /// Opens a tab, as the person.
    pub(crate) async fn open_tab(
        &self,
        tab: &RecordedTab,
        catalog: &Catalog,
        reason: OpeningReason,
    ) -> Result<ReopenedTab, OpError> {
        let mut note = None;
        let folder = tab.folder.clone().filter(|folder| is_folder(folder));
        if tab.folder.is_some() && folder.is_none() {
            note = Some("its folder is gone, so it is in the project's".to_owned());
        }
        let session = match &tab.program {
            RecordedProgram::Agent { preset, conversation } => {
                let Some(found) = catalog.agent(preset) else {
                    let message = format!("there is no agent preset '{}'", engine::shown_name(preset));
                    return Err(OpError::new(ErrorKind::UnknownAgent, message).with_hint(MISSING));
                };
                let name = self.name_for(tab, NameChoice::FromSlug(slug(preset, "agent")));
                let wanted = AgentStart { name, conversation: conversation.clone(), folder };
                let (session, changed) = self.open_agent(found, wanted, reason).await?;
                note = changed.or(note);
                session
            }
            RecordedProgram::Preset { name: preset } => {
                let Some(found) = catalog.process(preset) else {
                    let message = format!("there is no command preset '{}'", engine::shown_name(preset));
                    return Err(OpError::new(ErrorKind::NotFound, message).with_hint(MISSING));
                };
                let name = self.name_for(tab, NameChoice::FromSlug(preset.clone()));
                let preset = presets::command(found, self.project_dir(), &self.inner.home);
                let argv = preset.argv.clone();
                self.open_command(name, Some(preset), argv, folder, reason).await?
            }
            RecordedProgram::Command { argv } => {
                let name = self.name_for(tab, NameChoice::FromKind);
                self.open_command(name, None, argv.clone(), folder, reason).await?
            }
            RecordedProgram::Terminal => self.open_terminal(tab, folder).await?,
        };
        Ok(ReopenedTab { session, note })
    }

    /// The tab's own name, unless another session has it now.
    fn name_for(&self, tab: &RecordedTab, otherwise: NameChoice) -> NameChoice {
        match SessionName::new(tab.name.as_str()) {
            Ok(name) if self.inner.engine.find(name.as_str()).is_err() => NameChoice::Exactly(name),
            _ => otherwise,
        }
    }

    async fn open_agent(
        &self,
        found: &Found<AgentPreset>,
        mut wanted: AgentStart,
        reason: OpeningReason,
    ) -> Result<(SessionId, Option<String>), OpError> {
        let subject = presets::of_agent(found);
        if reason == OpeningReason::LastRun {
            self.trust().authorise(&subject, None)?;
        }
        let note = match (&found.preset.resume, &wanted.conversation) {
            _ if reason == OpeningReason::StartSet => None,
            (Some(_), Some(_)) => None,
            (Some(_), None) => Some("its conversation is not known, so it begins a new one".to_owned()),
            (None, _) => Some("its preset does not say how to go on (`resume`), so it begins a new one".to_owned()),
        };
        let call = Call::new(self.clone(), Caller::operator());
        wanted.conversation = wanted.conversation.filter(|_| note.is_none());
        let session = start_agent(&call, found, &subject, wanted).await?;
        Ok((session.id(), note))
    }

    async fn open_command(
        &self,
        name: NameChoice,
        preset: Option<Preset>,
        argv: Vec<String>,
        folder: Option<PathBuf>,
        reason: OpeningReason,
    ) -> Result<SessionId, OpError> {
        let text = |words: &[String]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let Preset { env, env_unset, working_dir, .. } = preset.clone().unwrap_or_default();
        let session: Session = self
            .inner
            .engine
            .spawn(NewSession {
                name,
                env: env.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
                env_unset: text(&env_unset),
                working_dir: folder.or(working_dir).or_else(|| self.inner.default_working_dir()),
                size: self.inner.default_size(),
                waits: reason == OpeningReason::LastRun,
                ..NewSession::new(Kind::Command, text(&argv))
            })
            .await?;
        // Whether one that waits may run is asked when it is to.
        let (caller, none) = (Caller::operator(), BTreeMap::new());
        self.inner.started(
            &session,
            &StartRequest {
                caller: &caller,
                kind: Kind::Command,
                preset: preset.as_ref(),
                argv: &argv,
                env: &none,
                working_dir: None,
                session: None,
            },
        );
        Ok(session.id())
    }

    async fn open_terminal(&self, tab: &RecordedTab, folder: Option<PathBuf>) -> Result<SessionId, OpError> {
        let name = match self.name_for(tab, NameChoice::FromKind) {
            NameChoice::Exactly(name) => Some(name.to_string()),
            _ => None,
        };
        let args = spawn_process::Args {
            kind: Some(spawn_process::SpawnKind::Terminal),
            name,
            working_dir: folder.and_then(|folder| folder.to_str().map(str::to_owned)),
            ..spawn_process::Args::default()
        };
        let call = Call::new(self.clone(), Caller::operator());
        let started = SpawnProcess::run(call, args).await?;
        Ok(self.engine().find(&started.process_id)?.id())
    }
}

fn is_folder(folder: &Path) -> bool {
    folder.is_absolute() && folder.is_dir()
}
