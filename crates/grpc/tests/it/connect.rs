//! Reaching a coordinator, and every way not to.

use std::{path::PathBuf, time::Duration};

use grpc::{
    client::{ConnectError, Endpoint, connect, connect_within},
    proto::ListRequest,
};
use tokio::net::UnixListener;

use crate::stage::{Stage, soon};

fn command(words: &[&str]) -> Endpoint {
    Endpoint::Command(words.iter().map(ToString::to_string).collect())
}

async fn failed(endpoint: Endpoint) -> ConnectError {
    soon("it fails", connect(&endpoint)).await.unwrap_err()
}

#[tokio::test]
async fn the_server_says_what_it_is() {
    let stage = Stage::new();
    let client = stage.connect().await;
    let server = client.server().unwrap();
    assert_eq!((server.program.as_str(), server.version.as_str()), ("stage", "1.2.3"));
    assert_eq!(server.pid, i32::try_from(std::process::id()).unwrap());
    stage.close().await;
}

#[tokio::test]
async fn no_socket_and_nobody_behind_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.sock");
    let error = failed(Endpoint::Socket(path.clone())).await;
    assert!(matches!(&error, ConnectError::NoSocket { path: at } if *at == path), "{error}");
    assert!(error.to_string().contains("vtr serve"), "{error}");
    drop(UnixListener::bind(&path).unwrap());
    assert!(matches!(failed(Endpoint::Socket(path)).await, ConnectError::Refused { .. }));
    let long = PathBuf::from(format!("/tmp/{}", "x".repeat(200)));
    assert!(matches!(failed(Endpoint::Socket(long)).await, ConnectError::Socket { .. }));
}

#[tokio::test]
async fn another_server_or_a_silent_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let endpoint = Endpoint::Socket(path);
    // Hangs up on everyone.
    let server = tokio::spawn(async move {
        loop {
            drop(listener.accept().await.unwrap());
        }
    });
    let error = failed(endpoint).await;
    assert!(matches!(error, ConnectError::NoCoordinator { .. }), "{error}");
    server.abort();
    // Takes the connection and never says a word.
    let path = folder.path().join("silent.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let error = connect_within(&Endpoint::Socket(path), Duration::from_millis(50)).await.unwrap_err();
    assert!(matches!(error, ConnectError::TimedOut { .. }), "{error}");
    drop(listener);
}

#[tokio::test]
async fn a_command_as_transport() {
    let stage = Stage::new();
    // Any byte bridge will do.
    let bridge = "import os, socket, sys, threading
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
def up():
    while (b := os.read(0, 65536)): s.sendall(b)
    s.shutdown(socket.SHUT_WR)
threading.Thread(target=up, daemon=True).start()
while (b := s.recv(65536)): os.write(1, b)
";
    let endpoint = command(&["python3", "-c", bridge, stage.socket().to_str().unwrap()]);
    let client = match soon("the bridge stands", connect(&endpoint)).await {
        // A machine without Python has nothing to bridge with.
        Err(ConnectError::CommandNotStarted { .. }) => return stage.close().await,
        other => other.unwrap(),
    };
    assert_eq!(client.server().unwrap().program, "stage");
    client.vtr().list(ListRequest::default()).await.unwrap();
    stage.close().await;
}

#[tokio::test]
async fn a_command_that_fails_is_quoted() {
    let error = failed(command(&["/bin/sh", "-c", "echo 'no route to host' >&2; exit 255"])).await;
    let ConnectError::CommandFailed { stderr, status, .. } = &error else { panic!("{error}") };
    assert_eq!((stderr.as_str(), status.as_str()), ("no route to host", "exit status: 255"));
    let error = failed(command(&["/no/such/program"])).await;
    assert!(matches!(error, ConnectError::CommandNotStarted { .. }), "{error}");
    assert!(matches!(failed(command(&[])).await, ConnectError::CommandNotStarted { .. }));
}
