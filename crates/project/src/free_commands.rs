//! Commands that agents compose themselves, and the settings for them.
//!
//! A command line of the agent's own, a shell, and a preset with the agent's own variables or folder are treated alike:
//! the human has not written down what runs. What an agent types into a running program is not covered.

use engine::{Kind, SessionId};
use ops::{ErrorKind, OpError, StartRequest};
use serde_json::json;

use crate::{
    project::Inner,
    settings::FreeCommands,
    trust::{Subject, SubjectKind},
};

/// Whether an agent starts something other than a plain preset.
pub(crate) fn is_free(request: &StartRequest<'_>) -> bool {
    let changed = !request.env.is_empty() || request.working_dir.is_some();
    request.caller.session.is_some() && request.session.is_none() && (request.preset.is_none() || changed)
}

impl Inner {
    /// Whether the settings let agents start any command.
    pub(crate) fn lets_agents_compose(&self) -> bool {
        self.settings.agents.free_commands == FreeCommands::Allow
    }

    /// Whether this may be started according to the settings.
    pub(crate) fn authorise_free(&self, request: &StartRequest<'_>) -> Result<(), OpError> {
        match self.settings.agents.free_commands {
            FreeCommands::Allow => Ok(()),
            FreeCommands::Deny => {
                let message = "agents may start nothing here but presets as they are (agents.free_commands is deny)";
                Err(OpError::new(ErrorKind::NeedsTrust, message).with_hint(
                    "use a preset without env and working_dir, or tell the human what you need with \
                     request_human_attention",
                ))
            }
            FreeCommands::Ask => self.trust.authorise(&self.free_subject(request), request.caller.session),
        }
    }

    /// Records it, for the log, the rail and a later start.
    pub(crate) fn started_freely(&self, session: SessionId, request: &StartRequest<'_>) {
        let program = program(request);
        let by = request.caller.session.map(|caller| caller.to_string()).unwrap_or_default();
        // Arguments may contain anything; the program's name is enough for a question.
        tracing::info!(%session, %by, program = %engine::shown_name(&program), "an agent started a command of its own");
        let subject = (!self.lets_agents_compose()).then(|| self.free_subject(request));
        self.trust.started_freely(session, program, subject);
    }

    /// A command line in the form that the human judges: completely for one start; by its program, its variables and
    /// the tab's lead for longer.
    pub(crate) fn free_subject(&self, request: &StartRequest<'_>) -> Subject {
        let program = program(request);
        let folder = request.working_dir.map(str::to_owned).or_else(|| {
            let preset = request.preset.and_then(|preset| preset.working_dir.as_ref());
            preset.map(|folder| folder.to_string_lossy().into_owned())
        });
        let mut env = request.preset.map(|preset| preset.env.clone()).unwrap_or_default();
        env.extend(request.env.iter().map(|(name, value)| (name.clone(), value.clone())));
        let unset = request.preset.map(|preset| preset.env_unset.clone()).unwrap_or_default();
        let root = request.caller.session.map(|caller| self.root_of(caller));
        let lead = root.and_then(|root| self.crew.preset(root)).map(|preset| preset.name.clone()).unwrap_or_default();
        // A relative path depends on the folder; a bare name is looked up.
        let place = program.contains('/').then(|| {
            let folder = self.layout.project_dir.join(folder.as_deref().unwrap_or_default());
            folder.join(&program)
        });
        let argv = if request.argv.is_empty() { vec![program.clone()] } else { request.argv.to_vec() };
        let standing = json!({
            "program": program, "place": place, "env": env, "env_unset": unset, "lead": lead, "kind": request.kind.as_str(),
        });
        let exactly = json!({ "standing": standing, "argv": argv, "folder": folder });
        let mut facts = agents::run_facts::of_command(&argv, folder.as_deref(), &env, &unset);
        if request.kind == Kind::Terminal {
            facts.push(agents::RunFact {
                label: "terminal".to_owned(),
                lines: vec!["whatever the agent types there runs without another question".to_owned()],
            });
        }
        let shown = engine::shown_name(&program);
        let variables = if env.is_empty() { "" } else { " with these variables" };
        facts.push(agents::RunFact {
            label: "allowed in this run or always".to_owned(),
            lines: vec![format!(
                "every command line of {shown}{variables} that agents give: in this run those of this tab, always those in \
                 tabs led by {lead}"
            )],
        });
        Subject {
            kind: SubjectKind::Program,
            name: program,
            of_project: false,
            overrides: false,
            hash: digest(&exactly),
            standing: digest(&standing),
            tree: root,
            content: json!({ "lead": lead }).to_string(),
            facts,
        }
    }

    fn root_of(&self, session: SessionId) -> SessionId {
        let mut root = session;
        while let Some(parent) = self.engine.get(root).ok().and_then(|session| session.parent()) {
            root = parent;
        }
        root
    }
}

fn program(request: &StartRequest<'_>) -> String {
    request.argv.first().cloned().unwrap_or_else(|| "$SHELL".to_owned())
}

fn digest(value: &serde_json::Value) -> String {
    use sha2::{Digest, Sha256};
    crate::layout::hex(&Sha256::digest(value.to_string()))
}
