//! One call of an operation: its caller, its program, and its progress.

use std::sync::{Arc, OnceLock};

use engine::{Engine, Origin, Session, SessionId};

use crate::{
    caller::{Caller, Role},
    error::{ErrorKind, OpError},
    host::Host,
    recordings::Recordings,
    table::Table,
};

/// A program as operations see it. Session operations need no more than this; a program's own operations may.
pub trait Context: Clone + Send + Sync + 'static {
    fn engine(&self) -> &Engine;
    fn host(&self) -> &dyn Host;
    /// All operations of this program.
    fn table(&self) -> &Table<Self>;
    /// Recordings in progress and ended ones.
    fn recordings(&self) -> &Recordings;
}

/// A program with the session operations and no others. Cheap to clone.
#[derive(Clone)]
pub struct SessionContext {
    parts: Arc<Parts>,
}

struct Parts {
    engine: Engine,
    host: Box<dyn Host>,
    table: Table<SessionContext>,
    recordings: Recordings,
}

impl SessionContext {
    pub fn new(engine: Engine, host: impl Host + 'static) -> Self {
        let table = Table::new(crate::operations::entries());
        SessionContext {
            parts: Arc::new(Parts { engine, host: Box::new(host), table, recordings: Recordings::default() }),
        }
    }
}

impl Context for SessionContext {
    fn engine(&self) -> &Engine {
        &self.parts.engine
    }

    fn host(&self) -> &dyn Host {
        &*self.parts.host
    }

    fn table(&self) -> &Table<Self> {
        &self.parts.table
    }

    fn recordings(&self) -> &Recordings {
        &self.parts.recordings
    }
}

impl std::fmt::Debug for SessionContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionContext").field("engine", &self.parts.engine).finish_non_exhaustive()
    }
}

type Tell = dyn Fn(&str) + Send + Sync;

/// Reports that a long call is still running. Faces that can't pass this on leave it silent.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<Tell>>);

impl Progress {
    pub fn silent() -> Self {
        Progress(None)
    }

    pub fn new(tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Progress(Some(Arc::new(tell)))
    }

    pub fn tell(&self, what: &str) {
        if let Some(tell) = &self.0 {
            tell(what);
        }
    }

    pub fn is_heard(&self) -> bool {
        self.0.is_some()
    }
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Progress").field(&self.0.is_some()).finish()
    }
}

/// Dropping the future of a call cancels it.
#[derive(Clone, Debug)]
pub struct Call<C> {
    pub context: C,
    pub caller: Caller,
    pub progress: Progress,
    /// The session that the call is about, and the name that the caller used for it.
    named: Arc<OnceLock<(SessionId, String)>>,
}

impl<C: Context> Call<C> {
    pub fn new(context: C, caller: Caller) -> Self {
        Call { context, caller, progress: Progress::silent(), named: Arc::default() }
    }

    /// Sets the receiver of progress reports.
    pub fn with_progress(self, progress: Progress) -> Self {
        Call { progress, ..self }
    }

    pub fn engine(&self) -> &Engine {
        self.context.engine()
    }

    pub fn host(&self) -> &dyn Host {
        self.context.host()
    }

    pub fn origin(&self) -> Origin {
        self.caller.session.map_or(Origin::Human, Origin::Agent)
    }

    /// A session for reading. Every caller may read every session.
    pub fn session(&self, id_or_name: &str) -> Result<Session, OpError> {
        let session = self.engine().find(id_or_name).map_err(|error| match error {
            engine::Error::NotFound { .. } => {
                self.host().missing_session(id_or_name).unwrap_or_else(|| OpError::from(error))
            }
            other => other.into(),
        })?;
        if session.id().to_string() != id_or_name {
            // Only the first one counts: an operation is about a single session.
            let _ = self.named.set((session.id(), id_or_name.to_owned()));
        }
        Ok(session)
    }

    /// Puts the caller's name for the session into the error: the engine's errors name the id, which the caller may not
    /// know.
    pub(crate) fn in_the_callers_words(&self, mut error: OpError) -> OpError {
        if let Some((id, name)) = self.named.get() {
            let (id, name) = (id.to_string(), format!("'{name}'"));
            error.message = error.message.replace(&id, &name);
            error.hint = error.hint.replace(&id, &name);
        }
        error
    }

    /// A session for changing: an agent reaches only its own tree.
    pub fn own_session(&self, id_or_name: &str) -> Result<Session, OpError> {
        let session = self.session(id_or_name)?;
        let Some(own) = self.caller.session else { return Ok(session) };
        if self.caller.role == Role::Operator || self.is_in_tree(&session, own) {
            return Ok(session);
        }
        let message = format!("session {} is not in your own tree", session.id());
        Err(OpError::new(ErrorKind::NotRelated, message)
            .with_hint("you may read it; ask the human, or the agent that started it, to change it"))
    }

    /// The root of the tab that the caller runs in; `None` for an operator, and for a caller whose session is gone.
    pub fn own_tab(&self) -> Option<SessionId> {
        let mut at = self.engine().get(self.caller.session?).ok()?;
        while let Some(parent) = at.parent().and_then(|parent| self.engine().get(parent).ok()) {
            at = parent;
        }
        Some(at.id())
    }

    /// Whether `session` is `root` or below it.
    pub fn is_in_tree(&self, session: &Session, root: SessionId) -> bool {
        let mut at = Some(session.clone());
        while let Some(session) = at {
            if session.id() == root {
                return true;
            }
            at = session.parent().and_then(|parent| self.engine().get(parent).ok());
        }
        false
    }
}
