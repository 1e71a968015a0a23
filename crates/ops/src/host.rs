//! The interface through which a program adds its own behaviour to the shared operations.

use std::{borrow::Cow, collections::BTreeMap, path::PathBuf};

use engine::{Input, Kind, Session};

use crate::{
    caller::{Caller, Role},
    entry::IdleState,
    error::{ErrorKind, OpError},
    recordings::RecordingRules,
};

/// What a caller asks to start.
#[derive(Clone, Debug)]
pub struct StartRequest<'a> {
    pub caller: &'a Caller,
    pub kind: Kind,
    /// The preset, if any, as returned by [`Host::preset`].
    pub preset: Option<&'a Preset>,
    pub argv: &'a [String],
    /// Variables that the caller sets in addition to the preset's.
    pub env: &'a BTreeMap<String, String>,
    /// The folder that the caller named.
    pub working_dir: Option<&'a str>,
    /// The session that is started again; `None` for a new one.
    pub session: Option<&'a Session>,
}

/// A stored command with a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preset {
    pub name: String,
    /// Identifies the preset's exact content: an edit changes it.
    pub fingerprint: String,
    pub argv: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub env_unset: Vec<String>,
    pub working_dir: Option<PathBuf>,
}

/// A page of `help`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelpTopic {
    pub name: &'static str,
    pub content: Cow<'static, str>,
    pub related_tools: Vec<&'static str>,
}

/// What a program knows about a session in addition to the engine.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct SessionNotes {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trusted: Option<bool>,
    /// Whether the session is at work, and the reason, if the program knows more than silence tells.
    #[serde(skip)]
    pub idle: Option<(IdleState, String)>,
    /// Further fields that the program lists with a session: an agent's state, a pending approval.
    #[serde(flatten)]
    pub more: serde_json::Map<String, serde_json::Value>,
}

/// Input that is about to be sent.
#[derive(Clone, Debug)]
pub struct InputGuard<'a> {
    pub caller: &'a Caller,
    pub session: &'a Session,
    pub input: &'a Input,
    /// The digest of the prompt that the caller has read, if it answers one.
    pub digest: Option<&'a str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallerEvent {
    Connected,
    ListedTools,
    Gone,
}

/// The program around the operations. The default methods are those of a program that adds nothing.
pub trait Host: Send + Sync {
    /// The caller behind a token; `None` refuses it.
    fn resolve(&self, token: &str) -> Option<Caller> {
        let _ = token;
        None
    }

    /// Trust: whether this may be started.
    fn authorise_start(&self, request: &StartRequest<'_>) -> Result<(), OpError> {
        let _ = request;
        Ok(())
    }

    /// Called after a new session was started as requested.
    fn started(&self, session: &Session, request: &StartRequest<'_>) {
        let _ = (session, request);
    }

    /// The preset with that name for sessions of this kind.
    fn preset(&self, kind: Kind, name: &str) -> Result<Preset, OpError> {
        let _ = kind;
        Err(OpError::new(ErrorKind::NotFound, format!("there is no preset '{}'", engine::shown_name(name)))
            .with_hint("this program keeps no presets: give argv instead"))
    }

    /// The size of sessions for which none is given.
    fn default_size(&self) -> vt::Size {
        vt::Size::default()
    }

    /// The folder of sessions for which none is given; `None` for the program's own.
    fn default_working_dir(&self) -> Option<PathBuf> {
        None
    }

    /// The folder of recordings for which no file is given; `None` if a file is required.
    fn recording_folder(&self) -> Option<PathBuf> {
        None
    }

    /// How recordings are made.
    fn recording_rules(&self) -> RecordingRules {
        RecordingRules::default()
    }

    /// Explains why there is no session with this id or name, if the program knows the reason.
    fn missing_session(&self, id_or_name: &str) -> Option<OpError> {
        let _ = id_or_name;
        None
    }

    /// A notice for people beside the list of sessions.
    fn notice(&self) -> Option<String> {
        None
    }

    /// Called when a session that should have been recorded from its start is not.
    fn recording_failed(&self, session: &Session, error: &OpError) {
        let _ = (session, error);
    }

    /// The help pages for a caller of this role; one named `topics` introduces the list of them.
    fn help_topics(&self, role: Role) -> Vec<HelpTopic> {
        let _ = role;
        crate::operations::help::about_sessions()
    }

    fn annotate(&self, session: &Session) -> SessionNotes {
        let _ = session;
        SessionNotes::default()
    }

    /// A grid without the chrome that the program draws around the conversation.
    fn trim_grid(&self, session: &Session, grid: String) -> String {
        let _ = session;
        grid
    }

    /// Called before the caller is told what the session shows.
    fn looked(&self, caller: &Caller, session: &Session) {
        let _ = (caller, session);
    }

    /// Called before each input, and again before an Enter that follows on its own.
    fn guard_input(&self, guard: &InputGuard<'_>) -> Result<(), OpError> {
        let _ = guard;
        Ok(())
    }

    fn heard(&self, caller: &Caller, event: CallerEvent) {
        let _ = (caller, event);
    }
}

/// A program that adds nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHost;

impl Host for NoHost {}
