//! How a program adds itself to the shared operations.

use std::{borrow::Cow, collections::BTreeMap, path::PathBuf};

use engine::{Input, Kind, Session};

use crate::{
    caller::{Caller, Role},
    entry::IdleState,
    error::{ErrorKind, OpError},
    recordings::RecordingRules,
};

/// What a caller wants to start.
#[derive(Clone, Debug)]
pub struct StartRequest<'a> {
    pub caller: &'a Caller,
    pub kind: Kind,
    /// The preset it comes from, if any, as [`Host::preset`] gave it.
    pub preset: Option<&'a Preset>,
    pub argv: &'a [String],
    /// What the caller itself sets on top of a preset's.
    pub env: &'a BTreeMap<String, String>,
    /// The folder that the caller itself names.
    pub working_dir: Option<&'a str>,
    /// The session that is started again; none for a new one.
    pub session: Option<&'a Session>,
}

/// A command that the program keeps under a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preset {
    pub name: String,
    /// What the program knows this very content by: an edit gives another one.
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

/// What a program knows of a session beyond the engine.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct SessionNotes {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trusted: Option<bool>,
    /// Whether it is at work, and how that is known, where the program knows more than silence.
    #[serde(skip)]
    pub idle: Option<(IdleState, String)>,
    /// Anything else the program lists with a session: an agent's state, a waiting approval.
    #[serde(flatten)]
    pub more: serde_json::Map<String, serde_json::Value>,
}

/// Input that is about to be sent.
#[derive(Clone, Debug)]
pub struct InputGuard<'a> {
    pub caller: &'a Caller,
    pub session: &'a Session,
    pub input: &'a Input,
    /// The digest of the prompt that the caller has read, when it answers one.
    pub digest: Option<&'a str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallerEvent {
    Connected,
    ListedTools,
    Gone,
}

/// The program around the operations. Every method has the answer of a program that adds nothing.
pub trait Host: Send + Sync {
    /// The caller behind a token; `None` refuses it.
    fn resolve(&self, token: &str) -> Option<Caller> {
        let _ = token;
        None
    }

    /// Trust: may this be started?
    fn authorise_start(&self, request: &StartRequest<'_>) -> Result<(), OpError> {
        let _ = request;
        Ok(())
    }

    /// A session was started anew, as it was asked for.
    fn started(&self, session: &Session, request: &StartRequest<'_>) {
        let _ = (session, request);
    }

    /// The preset of that name for sessions of this kind.
    fn preset(&self, kind: Kind, name: &str) -> Result<Preset, OpError> {
        let _ = kind;
        Err(OpError::new(ErrorKind::NotFound, format!("there is no preset '{}'", engine::shown_name(name)))
            .with_hint("this program keeps no presets: give argv instead"))
    }

    /// Of sessions that name no size.
    fn default_size(&self) -> vt::Size {
        vt::Size::default()
    }

    /// Of sessions that name no folder; `None`: the program's own.
    fn default_working_dir(&self) -> Option<PathBuf> {
        None
    }

    /// Where recordings go that name no file; `None`: they have to name one.
    fn recording_folder(&self) -> Option<PathBuf> {
        None
    }

    /// How recordings are made.
    fn recording_rules(&self) -> RecordingRules {
        RecordingRules::default()
    }

    /// Why there is no session of this id or name, where the program knows more than that.
    fn missing_session(&self, id_or_name: &str) -> Option<OpError> {
        let _ = id_or_name;
        None
    }

    /// What whoever lists the sessions should know beside them, for people.
    fn notice(&self) -> Option<String> {
        None
    }

    /// A session that should have been recorded from its start is not.
    fn recording_failed(&self, session: &Session, error: &OpError) {
        let _ = (session, error);
    }

    /// All pages of help for a caller of this role; one called `topics` opens the list of them.
    fn help_topics(&self, role: Role) -> Vec<HelpTopic> {
        let _ = role;
        crate::operations::help::about_sessions()
    }

    fn annotate(&self, session: &Session) -> SessionNotes {
        let _ = session;
        SessionNotes::default()
    }

    /// A grid without the chrome its program draws around the conversation.
    fn trim_grid(&self, session: &Session, grid: String) -> String {
        let _ = session;
        grid
    }

    /// The caller is about to be told what the session shows.
    fn looked(&self, caller: &Caller, session: &Session) {
        let _ = (caller, session);
    }

    /// Asked before each input, and again before an Enter that follows it on its own.
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
