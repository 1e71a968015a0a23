//! What the tabs of this run are now.

use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
    sync::{Arc, Mutex},
};

use agents::ConversationId;
use engine::{Engine, EngineEvent, Kind, Session, SessionId};
use tokio::sync::broadcast;

use super::{
    record::{RecordedProgram, RecordedTab, RunRecord},
    run_layout::RunLayout,
};
use crate::{crew::Crew, project::lock, trust::ProjectTrust};

#[derive(Debug)]
pub(super) struct TabSurvey {
    engine: Engine,
    crew: Crew,
    trust: ProjectTrust,
    left_out: Arc<Mutex<HashSet<SessionId>>>,
    /// Where each shell was when that could last be seen: it may end shortly before its run does.
    folders: HashMap<SessionId, PathBuf>,
}

impl TabSurvey {
    pub(super) fn new(
        engine: Engine,
        crew: Crew,
        trust: ProjectTrust,
        left_out: Arc<Mutex<HashSet<SessionId>>>,
    ) -> Self {
        TabSurvey { engine, crew, trust, left_out, folders: HashMap::new() }
    }

    pub(super) fn events(&self) -> broadcast::Receiver<EngineEvent> {
        self.engine.events()
    }

    /// `layout` is how the interface says that they are arranged. Reads the process table: not for async tasks.
    pub(super) fn look(&mut self, layout: &RunLayout<SessionId>) -> RunRecord {
        let left_out = lock(&self.left_out).clone();
        let roots = self.engine.list().into_iter().filter(|session| session.parent().is_none());
        let roots: Vec<Session> = roots.filter(|session| !left_out.contains(&session.id())).collect();
        self.folders.retain(|id, _| roots.iter().any(|root| root.id() == *id));
        let mut tabs: Vec<(SessionId, RecordedTab)> =
            roots.iter().filter_map(|session| Some((session.id(), self.tab(session)?))).collect();
        // What the interface has not heard of yet is new.
        tabs.sort_by_key(|(id, _)| layout.place_of(*id).unwrap_or(usize::MAX));
        let (ids, tabs): (Vec<SessionId>, Vec<RecordedTab>) = tabs.into_iter().unzip();
        RunRecord { tabs, layout: layout.mapped(|session| ids.iter().position(|id| *id == session)) }
    }

    fn tab(&mut self, session: &Session) -> Option<RecordedTab> {
        let name = session.name()?.to_string();
        let info = session.info();
        let program = match session.kind() {
            Kind::Agent => self.agent(session)?,
            Kind::Command => self.command(session, &info.argv)?,
            // A shell, as the engine starts it.
            Kind::Terminal if info.argv.len() == 2 && info.argv[1] == "-i" => RecordedProgram::Terminal,
            // A program of somebody's choice is not run again unasked.
            Kind::Terminal => self.command(session, &info.argv)?,
        };
        let mut folder = info.working_dir;
        if program == RecordedProgram::Terminal {
            if let Some(now) = session.program_folder() {
                self.folders.insert(session.id(), now);
            }
            folder = self.folders.get(&session.id()).cloned().or(folder);
        }
        // JSON has no words for others.
        let folder = folder.filter(|folder| folder.to_str().is_some());
        Some(RecordedTab { name, folder, program })
    }

    fn agent(&self, session: &Session) -> Option<RecordedProgram> {
        let preset = self.crew.preset(session.id())?;
        let mut conversation = self.crew.conversation(session.id());
        if let Some(resume) = preset.resume.as_ref().filter(|resume| resume.open_file.is_some()) {
            let mut open = session.open_files();
            // Conversations that it has beside its first were opened later, and their files are named by the time.
            open.sort();
            let open: Vec<_> = open.iter().filter_map(|file| resume.conversation_of(file)).collect();
            let is_open = |known: &ConversationId| open.contains(known);
            if let Some(first) = open.first().filter(|_| !conversation.as_ref().is_some_and(is_open)) {
                self.crew.note_conversation(session.id(), first.clone());
                conversation = Some(first.clone());
            }
        }
        Some(RecordedProgram::Agent { preset: preset.name.clone(), conversation })
    }

    fn command(&self, session: &Session, argv: &[std::ffi::OsString]) -> Option<RecordedProgram> {
        if let Some(name) = self.trust.command_preset(session.id()) {
            return Some(RecordedProgram::Preset { name });
        }
        let argv = argv.iter().map(|word| word.to_str().map(str::to_owned)).collect::<Option<_>>()?;
        Some(RecordedProgram::Command { argv })
    }
}
