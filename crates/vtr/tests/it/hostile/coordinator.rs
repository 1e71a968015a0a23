//! A gRPC server that answers every call of the protocol with a message made to harm.

use std::{path::Path, sync::Arc};

use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD};
use bytes::{BufMut, Bytes};
use h2::server::SendResponse;
use http::{HeaderMap, HeaderValue, Response};

use super::{
    HOSTILE,
    message::{Protocol, error_details},
};

/// How it answers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Conduct {
    /// With messages; the number decides what is not text.
    Answers(usize),
    /// With errors of a kind, after it has said its version.
    Refuses(&'static str),
    /// With errors that say nothing of their kind.
    RefusesPlainly(u64),
    /// With errors from the first call on.
    Turns,
}

impl Conduct {
    pub(super) const ALL: [Conduct; 11] = [
        Conduct::Answers(0),
        Conduct::Answers(1),
        Conduct::Answers(2),
        Conduct::Answers(3),
        Conduct::Answers(4),
        Conduct::Refuses("not_found"),
        Conduct::Refuses(HOSTILE),
        Conduct::RefusesPlainly(7),
        Conduct::RefusesPlainly(14),
        Conduct::RefusesPlainly(99),
        Conduct::Turns,
    ];
}

/// Serves a socket in this process, until dropped.
pub(super) struct HostileCoordinator {
    _runtime: tokio::runtime::Runtime,
}

impl HostileCoordinator {
    pub(super) fn serve(socket: &Path, conduct: Conduct) -> Self {
        let _ = std::fs::remove_file(socket);
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let listener = std::os::unix::net::UnixListener::bind(socket).unwrap();
        listener.set_nonblocking(true).unwrap();
        let protocol = Arc::new(Protocol::read());
        runtime.spawn(async move {
            let listener = tokio::net::UnixListener::from_std(listener).unwrap();
            while let Ok((stream, _)) = listener.accept().await {
                let protocol = Arc::clone(&protocol);
                tokio::spawn(async move {
                    let mut connection = h2::server::handshake(stream).await?;
                    while let Some(accepted) = connection.accept().await {
                        let (request, respond) = accepted?;
                        answer(request.uri().path(), respond, conduct, &protocol);
                    }
                    Ok::<_, h2::Error>(())
                });
            }
        });
        HostileCoordinator { _runtime: runtime }
    }
}

fn answer(path: &str, mut respond: SendResponse<Bytes>, conduct: Conduct, protocol: &Protocol) {
    let response = Response::builder().header("content-type", "application/grpc").body(()).unwrap();
    // The client is free to go before it was answered.
    let Ok(mut stream) = respond.send_response(response, false) else { return };
    let version = path.ends_with("/Version");
    let (taste, trailers) = match conduct {
        Conduct::Answers(taste) => (Some(taste), status(0, None)),
        Conduct::Refuses(_) | Conduct::RefusesPlainly(_) if version => (Some(0), status(0, None)),
        Conduct::Refuses(kind) => (None, status(5, Some(kind))),
        Conduct::RefusesPlainly(code) => (None, status(code, None)),
        Conduct::Turns => (None, status(7, None)),
    };
    if let Some(taste) = taste {
        let message = protocol.answer(path, taste);
        let mut framed = vec![0];
        framed.put_u32(u32::try_from(message.len()).unwrap());
        framed.extend(message);
        let _ = stream.send_data(framed.into(), false);
    }
    let _ = stream.send_trailers(trailers);
}

fn status(code: u64, kind: Option<&str>) -> HeaderMap {
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", code.into());
    if code > 0 {
        let message: String = HOSTILE.bytes().map(|byte| format!("%{byte:02X}")).collect();
        trailers.insert("grpc-message", HeaderValue::from_str(&message).unwrap());
    }
    if let Some(kind) = kind {
        let details = STANDARD_NO_PAD.encode(error_details(code, kind));
        trailers.insert("grpc-status-details-bin", HeaderValue::from_str(&details).unwrap());
    }
    trailers
}
