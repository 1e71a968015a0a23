//! Reaching a coordinator, and every way not to.

use std::{path::PathBuf, time::Duration};

use grpc::{
    client::{ConnectError, Endpoint, connect, connect_within},
    proto::ListRequest,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{UnixListener, UnixStream},
};

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

/// What grpcio sends when it is told nothing of a host: on a Unix socket it takes the socket's path for one.
#[tokio::test]
async fn a_host_that_is_a_path_is_served() {
    let stage = Stage::new();
    let mut stream = UnixStream::connect(stage.socket()).await.unwrap();
    let block = b"@\x05:path\x10/vtr.VTR/Version@\x0a:authority\x15tmp%2Fwire%2Fcap.sock\x83\x86\
        @\x0ccontent-type\x10application/grpc@\x02te\x08trailers@\x0cgrpc-timeout\x022S";
    let mut sent = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00".to_vec();
    for id in [1, 3] {
        // The second call names the headers of the first by their numbers: what was remembered of them must be the same.
        let again: &[u8] = &[0xc2, 0xc1, 0x83, 0x86, 0xc0, 0xbf, 0xbe];
        let block: &[u8] = if id == 1 { block } else { again };
        sent.extend([0, 0, u8::try_from(block.len()).unwrap(), 1, 4, 0, 0, 0, id]);
        sent.extend(block);
        // An empty message, and the end.
        sent.extend([0, 0, 5, 0, 1, 0, 0, 0, id, 0, 0, 0, 0, 0]);
    }
    stream.write_all(&sent).await.unwrap();
    let mut answered = Vec::new();
    while answered.len() < 2 {
        let mut head = [0; 9];
        soon("a frame comes", stream.read_exact(&mut head)).await.unwrap();
        let mut payload = vec![0; u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize];
        soon("its payload comes", stream.read_exact(&mut payload)).await.unwrap();
        let (kind, flags, id) = (head[3], head[4], head[8]);
        assert!(kind != 3 && kind != 7, "refused: {head:?} {payload:?}");
        // A block that is the end of its stream: the trailers.
        if kind == 1 && flags & 1 != 0 {
            answered.push(id);
        }
    }
    answered.sort_unstable();
    assert_eq!(answered, [1, 3]);
    stage.close().await;
}
