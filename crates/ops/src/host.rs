//! How a program adds itself to the shared operations.

use engine::{Kind, Session};

use crate::{caller::Caller, error::OpError};

/// What a caller wants to start.
#[derive(Clone, Debug)]
pub struct StartRequest<'a> {
    pub caller: &'a Caller,
    pub kind: Kind,
    /// The preset it comes from, if any.
    pub preset: Option<&'a str>,
    pub argv: &'a [String],
}

/// What a program knows of a session beyond the engine.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct SessionNotes {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trusted: Option<bool>,
    /// Anything else the program lists with a session: an agent's state, a waiting approval.
    #[serde(flatten)]
    pub more: serde_json::Map<String, serde_json::Value>,
}

/// Input that is about to be sent.
#[derive(Clone, Debug)]
pub struct InputGuard<'a> {
    pub caller: &'a Caller,
    pub session: &'a Session,
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

    fn annotate(&self, session: &Session) -> SessionNotes {
        let _ = session;
        SessionNotes::default()
    }

    /// A grid without the chrome its program draws around the conversation.
    fn trim_grid(&self, session: &Session, grid: String) -> String {
        let _ = session;
        grid
    }

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
