//! What the tests stand on: a program with the session operations, and calls to it.

use std::{path::PathBuf, time::Duration};

use engine::{Engine, EngineOptions, Kind, NewSession, Origin, Session};
use ops::{Call, Caller, Context, ErrorKind, Host, OpError, Operation, Role, SessionContext};
use serde_json::Value;
use testkit::{DEADLINE, Script};
pub(crate) use testkit::{line, soon, until};

/// A program that adds only a folder for recordings.
#[derive(Debug, Default)]
pub(crate) struct TestHost {
    pub(crate) recordings: Option<PathBuf>,
}

impl Host for TestHost {
    fn recording_folder(&self) -> Option<PathBuf> {
        self.recordings.clone()
    }
}

pub(crate) fn engine_options() -> EngineOptions {
    EngineOptions {
        base_env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        // Nothing here waits for a grace to run out.
        grace: DEADLINE,
        ..EngineOptions::default()
    }
}

pub(crate) struct Stage {
    pub(crate) context: SessionContext,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::with(TestHost::default())
    }

    pub(crate) fn with(host: impl Host + 'static) -> Self {
        let engine = Engine::new(engine_options());
        Stage { context: SessionContext::new(engine, host) }
    }

    pub(crate) fn engine(&self) -> &Engine {
        self.context.engine()
    }

    /// An operator's call by types.
    pub(crate) async fn run<O: Operation<SessionContext>>(&self, args: O::Args) -> Result<O::Reply, OpError> {
        self.run_as::<O>(Caller::operator(), args).await
    }

    pub(crate) async fn run_as<O: Operation<SessionContext>>(
        &self,
        caller: Caller,
        args: O::Args,
    ) -> Result<O::Reply, OpError> {
        soon(O::TRAITS.name, ops::run::<O, _>(Call::new(self.context.clone(), caller), args)).await
    }

    /// An operator's call by JSON.
    pub(crate) async fn json(&self, name: &str, args: Value) -> Result<Value, OpError> {
        self.json_as(Caller::operator(), name, args).await
    }

    pub(crate) async fn json_as(&self, caller: Caller, name: &str, args: Value) -> Result<Value, OpError> {
        let entry = self.context.table().get(name).unwrap();
        let answer = soon(name, entry.run(Call::new(self.context.clone(), caller), args)).await;
        // What is answered is in the reference.
        if let Err(error) = &answer {
            let declared = entry.errors.contains(&error.kind) || ErrorKind::OF_ANY.contains(&error.kind);
            assert!(declared, "{name} does not declare {error:?}");
        }
        answer
    }

    /// The kind of error of a call by JSON that must fail. Its message and hint must say something.
    pub(crate) async fn refusal(&self, name: &str, args: Value) -> ErrorKind {
        let error = self.json(name, args.clone()).await.expect_err(&format!("{name} {args}"));
        assert!(!error.message.is_empty() && !error.hint.is_empty(), "{name}: {error:?}");
        error.kind
    }

    pub(crate) async fn spawn(&self, script: Script) -> Session {
        self.engine().spawn(NewSession::new(Kind::Command, script.argv())).await.unwrap()
    }

    pub(crate) async fn shell(&self, command: &str) -> Session {
        self.engine().spawn(NewSession::new(Kind::Command, ["/bin/sh", "-c", command])).await.unwrap()
    }

    /// A session that an agent runs in, and the agent as a caller.
    pub(crate) async fn agent(&self, parent: Option<&Session>) -> (Session, Caller) {
        let session = self
            .engine()
            .spawn(NewSession {
                parent: parent.map(Session::id),
                origin: parent.map_or(Origin::Human, |parent| Origin::Agent(parent.id())),
                ..NewSession::new(Kind::Agent, Script::new().hang().argv())
            })
            .await
            .unwrap();
        let role = if parent.is_some() { Role::SubAgent } else { Role::Orchestrator };
        let caller = Caller { role, session: Some(session.id()) };
        (session, caller)
    }

    pub(crate) async fn close(self) {
        soon("the engine has shut down", self.engine().shutdown(Duration::ZERO)).await;
        soon("the recordings are closed", self.context.recordings().close()).await;
    }
}

pub(crate) fn id(session: &Session) -> String {
    session.id().to_string()
}

pub(crate) async fn ended(session: &Session) {
    assert!(session.wait_for_exit(DEADLINE).await.is_some(), "it does not end:\n{}", session.grid_text().1);
}
