//! What the tests stand on: an engine, a server on a socket of its own, a client, waits with a reason.

use std::{path::PathBuf, time::Duration};

use engine::{Engine, EngineOptions, Session};
use grpc::{
    client::{self, CoordinatorChannel, CoordinatorClient, Endpoint},
    proto::{SpawnRequest, vtr_client::VtrClient},
    server::{GrpcServer, ServerAbout},
};
use ops::{Caller, NoHost, SessionContext};
use testkit::{DEADLINE, Script};
pub(crate) use testkit::{soon, until};
use tokio::{net::UnixListener, task::JoinHandle};

pub(crate) struct Stage {
    pub(crate) engine: Engine,
    folder: tempfile::TempDir,
    accepting: JoinHandle<()>,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let engine = Engine::new(EngineOptions {
            base_env: vec![("PATH".into(), "/usr/bin:/bin".into())],
            grace: DEADLINE,
            ..EngineOptions::default()
        });
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join("vtr.sock")).unwrap();
        let context = SessionContext::new(engine.clone(), NoHost);
        let about = ServerAbout { program: "stage".into(), version: "1.2.3".into() };
        let server = GrpcServer::new(context, Caller::operator(), about);
        let accepting = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let server = server.clone();
                // A connection that breaks is what some tests are about.
                tokio::spawn(async move { server.serve_connection(stream, std::future::pending()).await });
            }
        });
        Stage { engine, folder, accepting }
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join("vtr.sock")
    }

    /// A connection of its own.
    pub(crate) async fn connect(&self) -> CoordinatorClient {
        client::connect(&Endpoint::Socket(self.socket())).await.unwrap()
    }

    pub(crate) async fn vtr(&self) -> VtrClient<CoordinatorChannel> {
        self.connect().await.vtr()
    }

    /// Spawned through the face.
    pub(crate) async fn spawn(&self, vtr: &mut VtrClient<CoordinatorChannel>, name: &str, script: Script) -> Session {
        let argv = script.argv().into_iter().map(|word| word.into_string().unwrap()).collect();
        let request = SpawnRequest { name: name.into(), argv, ..SpawnRequest::default() };
        let session = vtr.spawn(request).await.unwrap().into_inner().session.unwrap();
        self.engine.find(&session.id).unwrap()
    }

    pub(crate) async fn close(self) {
        self.accepting.abort();
        soon("the engine has shut down", self.engine.shutdown(Duration::ZERO)).await;
    }
}

/// Waits until the session's screen or history shows it.
pub(crate) async fn shows(session: &Session, pattern: &str) {
    let request = engine::WaitRequest {
        pattern: engine::Pattern::new(pattern).unwrap(),
        scope: engine::PatternScope::Scrollback,
        timeout: DEADLINE,
    };
    let outcome = session.wait_for_pattern(request).await;
    assert!(matches!(outcome, engine::WaitOutcome::Matched(_)), "{pattern}: {outcome:?}\n{}", session.grid_text().1);
}

pub(crate) fn seconds(seconds: f64) -> Option<prost_types::Duration> {
    Some(Duration::from_secs_f64(seconds).try_into().unwrap())
}
