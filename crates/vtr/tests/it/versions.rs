//! A coordinator of another version: one warning, and the command goes on.

use std::path::Path;

use engine::{Engine, EngineOptions};
use ops::SessionContext;

use crate::stage::Stage;

/// Serves one socket in this process under another version, until dropped.
struct Other {
    _runtime: tokio::runtime::Runtime,
}

impl Other {
    fn serve(socket: &Path, version: &str) -> Self {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let guard = runtime.enter();
        let context = SessionContext::new(Engine::new(EngineOptions::default()), ops::NoHost);
        let about = grpc::server::ServerAbout { program: "vtr".into(), version: version.into() };
        let server = grpc::server::GrpcServer::new(context, ops::Caller::operator(), about);
        let listener = tokio::net::UnixListener::bind(socket).unwrap();
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let server = server.clone();
                tokio::spawn(async move { server.serve_connection(stream, std::future::pending()).await });
            }
        });
        drop(guard);
        Other { _runtime: runtime }
    }
}

#[test]
fn another_version_is_said_once() {
    let stage = Stage::empty();
    let _other = Other::serve(&stage.path("run/old.sock"), "99.1.2");
    let ran = stage.vtr(&["spawn", "x", "--socket", "run/old.sock", "--wait", "hi", "--cmd", "echo hi; cat"]);
    assert_eq!(ran.stderr.matches("99.1.2").count(), 1, "{ran:?}");
    assert!(ran.stderr.contains(env!("CARGO_PKG_VERSION")), "{ran:?}");
    // The coordinator is the newer one: restarting it would help nobody.
    assert!(ran.stderr.contains("install that version here"), "{ran:?}");
    ran.ok();
    let ran = stage.vtr(&["rm", "x", "--socket", "run/old.sock", "--json"]);
    assert!(ran.stderr.contains("99.1.2"));
    ran.json();
}

#[test]
fn the_same_version_is_not_worth_a_word() {
    let stage = Stage::new();
    stage.spawn_cat("x");
    assert_eq!(stage.vtr(&["info", "x"]).stderr, "");
}
