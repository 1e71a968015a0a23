//! The project's part in the shared operations.

use std::path::PathBuf;

use agents::State;
use engine::{Kind, Session};
use ops::{
    Caller, CallerEvent, ErrorKind, HelpTopic, Host, IdleState, InputGuard, OpError, Preset, Role, SessionNotes,
    StartRequest,
};
use serde_json::json;

use crate::{
    free_commands::is_free,
    help_topics, permissions, presets,
    project::{Inner, lock},
    trust::{Key, SubjectKind},
};

impl Host for Inner {
    fn resolve(&self, token: &str) -> Option<Caller> {
        self.identities.resolve(token)
    }

    fn authorise_start(&self, request: &StartRequest<'_>) -> Result<(), OpError> {
        let asked_by = request.caller.session;
        let catalog = self.presets.current();
        if is_free(request) && !self.lets_agents_compose() {
            return self.authorise_free(request);
        }
        if let Some(session) = request.session {
            // Everything that agents started is known, except for a moment at its start.
            let of_agent = asked_by.is_some() && session.parent().is_some();
            if of_agent && !self.lets_agents_compose() && !self.trust.knows(session.id()) {
                let message = format!("nobody has noted down yet what session {} was started with", session.id());
                return Err(OpError::new(ErrorKind::NeedsTrust, message)
                    .with_hint("try again; if that does not help, close the session and spawn a new one"));
            }
            let subject = |kind, name: &str| presets::subject(&catalog, kind, name);
            return self.trust.authorise_again(session.id(), asked_by, subject);
        }
        // A command composed by an agent was judged when the call was authorised.
        let Some(preset) = request.preset else { return Ok(()) };
        match presets::subject(&catalog, SubjectKind::Command, &preset.name)
            .filter(|now| now.hash == preset.fingerprint)
        {
            Some(subject) => self.trust.authorise(&subject, asked_by),
            None => {
                Err(OpError::new(ErrorKind::NeedsTrust, format!("the preset '{}' has just been edited", preset.name))
                    .with_hint("try again"))
            }
        }
    }

    fn started(&self, session: &Session, request: &StartRequest<'_>) {
        let composed = is_free(request);
        if composed {
            self.started_freely(session.id(), request);
        }
        let Some(preset) = request.preset.filter(|_| !composed || self.lets_agents_compose()) else { return };
        // A file that has just been removed tells nothing any more: then the stricter rule applies.
        let subject = presets::subject(&self.presets.current(), SubjectKind::Command, &preset.name);
        let of_project = subject.is_none_or(|subject| subject.of_project);
        let (hash, standing) = (preset.fingerprint.clone(), preset.fingerprint.clone());
        self.trust.started(
            session.id(),
            Key { kind: SubjectKind::Command, name: preset.name.clone(), hash, standing, tree: None, of_project },
        );
    }

    fn preset(&self, kind: Kind, name: &str) -> Result<Preset, OpError> {
        if kind != Kind::Command {
            return Err(OpError::invalid_args(format!("presets are for commands, and the kind is {kind}"))
                .with_hint("leave the kind out, or give argv; agents are started with spawn_agent"));
        }
        let catalog = self.presets.current();
        let Some(found) = catalog.process(name) else {
            let names: Vec<&str> = catalog.processes().map(|found| found.preset.name.as_str()).collect();
            return Err(OpError::new(
                ErrorKind::NotFound,
                format!("there is no command preset '{}'", engine::shown_name(name)),
            )
            .with_hint(there_are(&names, "give argv instead")));
        };
        Ok(presets::command(found, &self.layout.project_dir, &self.home))
    }

    fn help_topics(&self, role: Role) -> Vec<HelpTopic> {
        help_topics::for_role(role)
    }

    fn annotate(&self, session: &Session) -> SessionNotes {
        let mut notes = SessionNotes { trusted: self.trust.of_session(session.id()), ..SessionNotes::default() };
        let (status, on_the_way) = self.crew.status(session);
        // For other sessions, silence is the only sign, unless they report their state themselves.
        if session.kind() == Kind::Agent || status.source == Some(agents::Source::SelfReport) {
            let idle_state = match status.state {
                State::Exited => IdleState::Exited,
                State::Idle | State::Blocked => IdleState::Idle,
                State::Starting | State::Working | State::Unknown => IdleState::Working,
            };
            notes.idle = Some((idle_state, format!("{}: {}", status.state, status.detail)));
        }
        notes.more.insert("state".to_owned(), json!(crate::operations::wait_for_state::StateFacts::of(&status)));
        if let Some(turn) = self.crew.turns(session.id()).and_then(|turns| turns.current()) {
            notes.more.insert("turn".to_owned(), json!(turn.facts()));
        }
        if let Some(prompt) = self.crew.prompt(session.id()) {
            notes.more.insert("prompt".to_owned(), json!(prompt));
        }
        if on_the_way > 0 {
            notes.more.insert("prompts_on_the_way".to_owned(), json!(on_the_way));
        }
        notes
    }

    fn trim_grid(&self, session: &Session, grid: String) -> String {
        match self.crew.preset(session.id()) {
            Some(preset) => agents::chrome::trim(&grid, &preset.chrome_trim_hints),
            None => grid,
        }
    }

    fn looked(&self, caller: &Caller, session: &Session) {
        if session.kind() == Kind::Agent && caller.session.is_some() {
            let prompt = self.crew.prompt(session.id());
            self.read_prompts.note(caller, session.id(), prompt.as_ref().map(|prompt| prompt.digest.as_str()));
        }
    }

    fn guard_input(&self, guard: &InputGuard<'_>) -> Result<(), OpError> {
        permissions::guard(guard, &self.crew, &self.read_prompts, &self.settings.permissions)
    }

    fn heard(&self, caller: &Caller, event: CallerEvent) {
        if let (Some(session), CallerEvent::ListedTools) = (caller.session, event) {
            self.crew.tools_listed(session);
        }
    }

    fn default_size(&self) -> ops::Size {
        *lock(&self.default_size)
    }

    fn default_working_dir(&self) -> Option<PathBuf> {
        Some(self.layout.project_dir.clone())
    }

    fn recording_folder(&self) -> Option<PathBuf> {
        Some(self.layout.recordings())
    }
}

pub(crate) fn there_are(names: &[&str], otherwise: &str) -> String {
    if names.is_empty() { format!("there are none; {otherwise}") } else { format!("use one of {}", names.join(", ")) }
}
