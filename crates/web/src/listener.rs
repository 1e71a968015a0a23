//! Accepts connections, does TLS where configured, and hands them to the routes, with time limits.

use std::{io, path::Path, sync::Arc, time::Duration};

use axum::{Router, body::Body};
use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        self, ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem, pem::PemObject},
    },
};
use tower::ServiceExt;

use crate::connections::{AnswerBody, ConnectionGuard, ConnectionTable};

/// Time limit of a TLS handshake, and of each request's head.
const PATIENCE: Duration = Duration::from_secs(5);
/// Delay after a failed accept: the system is short of some resource.
const BREATH: Duration = Duration::from_millis(100);

#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("the certificate {path} can't be read: {source}", path = .path.display())]
    Certificate { path: std::path::PathBuf, source: pem::Error },
    #[error("{path} holds no certificate: give a PEM file with the certificate and those above it", path = .path.display())]
    NoCertificate { path: std::path::PathBuf },
    #[error("the key {path} can't be read: {source}", path = .path.display())]
    Key { path: std::path::PathBuf, source: pem::Error },
    #[error("certificate and key can't be used: {0}")]
    Unusable(#[from] rustls::Error),
}

pub(crate) fn tls(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, TlsError> {
    let unreadable = |source| TlsError::Certificate { path: certificate.to_owned(), source };
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
        .map_err(unreadable)?
        .collect::<Result<_, _>>()
        .map_err(unreadable)?;
    if chain.is_empty() {
        return Err(TlsError::NoCertificate { path: certificate.to_owned() });
    }
    let key = PrivateKeyDer::from_pem_file(key).map_err(|source| TlsError::Key { path: key.to_owned(), source })?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// Serves until dropped, which also closes its connections.
pub(crate) async fn serve(listener: TcpListener, tls: Option<Arc<ServerConfig>>, router: Router) {
    let tls = tls.map(TlsAcceptor::from);
    let connections = Arc::new(ConnectionTable::default());
    let mut tasks = JoinSet::new();
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::debug!(%error, "accepting a connection");
                sleep(BREATH).await;
                continue;
            }
        };
        // A key press must not wait until more of them fill a packet.
        let _ = stream.set_nodelay(true);
        let presence = connections.enter().await;
        let (tls, router) = (tls.clone(), router.clone());
        tasks.spawn(async move {
            let ended = tokio::select! {
                ended = converse(stream, tls, router, &presence) => ended,
                () = presence.has_to_leave() => Err(Box::from("closed as the longest silent connection")),
            };
            if let Err(error) = ended {
                tracing::debug!(%error, "a connection ended");
            }
        });
        while tasks.try_join_next().is_some() {}
    }
}

type Ended = Result<(), Box<dyn std::error::Error + Send + Sync>>;

async fn converse(stream: TcpStream, tls: Option<TlsAcceptor>, router: Router, presence: &ConnectionGuard) -> Ended {
    match tls {
        None => talk(stream, router, presence).await,
        Some(tls) => match timeout(PATIENCE, tls.accept(stream)).await {
            Ok(stream) => talk(stream?, router, presence).await,
            Err(_) => Err(Box::from(io::Error::from(io::ErrorKind::TimedOut))),
        },
    }
}

async fn talk<S>(stream: S, router: Router, presence: &ConnectionGuard) -> Ended
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(|request: Request<Incoming>| {
        let answering = presence.answering();
        let answer = router.clone().oneshot(request.map(Body::new));
        async move { answer.await.map(|response| response.map(|body| AnswerBody::new(body, answering))) }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await?;
    Ok(())
}
