//! The server as the program sees it: started with settings, asked for links, and run.

use std::{io, net::SocketAddr, path::PathBuf, sync::Arc};

use axum::http::{HeaderMap, HeaderValue, header};
use tokio::{net::TcpListener, sync::Semaphore};
use tokio_rustls::rustls::ServerConfig;

pub use crate::access::NoRandomness;
use crate::{
    access::{AccessRights, LoggedInVisitor, LoginRegistry},
    directory::{CoordinatorFleet, LiveDirectory},
    guard::{Guard, Scheme, written},
    listener::{self, TlsError},
    routes,
};

/// Recordings that are played at once, by all pages together: each may take some hundred megabytes.
const MAX_REPLAYS: usize = 8;

/// What stands before a login's key among the protocols that the page's WebSocket names.
const KEY_PROTOCOL: &str = "key.";

#[derive(Clone, Debug)]
pub struct WebSettings {
    pub listen: SocketAddr,
    /// Names beside the address under which browsers come; the first is the one in links.
    pub hosts: Vec<String>,
    pub tls: Option<TlsFiles>,
    /// Nobody may type, whatever their link says.
    pub read_only: bool,
    /// Where recordings are that can be played.
    pub recordings: Option<PathBuf>,
    /// Of the program, for the page.
    pub version: String,
}

/// PEM files.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(
        "{0} can be reached from other machines, where a link could be read on its way: give --tls-cert and --tls-key, or listen on 127.0.0.1 and come through `ssh -L`"
    )]
    NeedsTls(SocketAddr),
    #[error("{address} is taken: end what listens there, or give --listen 127.0.0.1:0 for any free port")]
    Taken { address: SocketAddr },
    #[error("listening on {address} is not possible: {source}")]
    Bind { address: SocketAddr, source: io::Error },
    #[error(transparent)]
    Tls(#[from] TlsError),
}

/// What the routes share.
#[derive(Debug)]
pub(crate) struct WebState {
    pub(crate) access: LoginRegistry,
    pub(crate) directory: LiveDirectory,
    pub(crate) guard: Arc<Guard>,
    pub(crate) scheme: Scheme,
    /// With the port: browsers send a cookie to every port of a host.
    pub(crate) cookie_name: String,
    /// Recordings in memory.
    pub(crate) replays: Arc<Semaphore>,
    pub(crate) recordings: Option<PathBuf>,
    pub(crate) version: String,
    /// As `http://127.0.0.1:7780`.
    origin: String,
}

impl WebState {
    /// Who asks, if the request has both halves of a login.
    pub(crate) fn visitor(&self, headers: &HeaderMap) -> Option<LoggedInVisitor> {
        let key = key_in(headers)?;
        self.cookies(headers).find_map(|cookie| self.access.admit(cookie, key))
    }

    /// Whether the browser has logged in: enough for the page's own address, where a browser sends nothing else.
    pub(crate) fn knows_browser(&self, headers: &HeaderMap) -> bool {
        self.cookies(headers).any(|cookie| self.access.knows_cookie(cookie))
    }

    /// Values of our cookie. Other ports of the host may set some too.
    fn cookies<'a>(&'a self, headers: &'a HeaderMap) -> impl Iterator<Item = &'a str> {
        let pairs = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        pairs.flat_map(|pairs| pairs.split(';')).filter_map(|pair| {
            let (name, value) = pair.trim().split_once('=')?;
            (name == self.cookie_name).then_some(value)
        })
    }

    pub(crate) fn new_link(&self, rights: AccessRights) -> Result<String, NoRandomness> {
        Ok(format!("{}/login?token={}", self.origin, self.access.new_token(rights)?))
    }
}

/// The key that the page has shown. A WebSocket of a browser has no headers of the page's choice, but names protocols.
fn key_in(headers: &HeaderMap) -> Option<&str> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let offered = text(header::SEC_WEBSOCKET_PROTOCOL).into_iter().flat_map(|names| names.split(','));
    let shown = offered.filter_map(|name| name.trim().strip_prefix(KEY_PROTOCOL)).next();
    shown.or_else(|| text(header::AUTHORIZATION)?.strip_prefix("Bearer "))
}

#[derive(Debug)]
pub struct WebServer {
    inner: Arc<WebState>,
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    address: SocketAddr,
}

impl WebServer {
    /// Listens, and begins to watch the coordinators.
    pub async fn start(settings: WebSettings, fleet: Arc<dyn CoordinatorFleet>) -> Result<Self, StartError> {
        let wanted = settings.listen;
        if !wanted.ip().is_loopback() && settings.tls.is_none() {
            return Err(StartError::NeedsTls(wanted));
        }
        let tls = settings.tls.map(|files| listener::tls(&files.certificate, &files.key)).transpose()?;
        let listener = TcpListener::bind(wanted).await.map_err(|source| match source.kind() {
            io::ErrorKind::AddrInUse => StartError::Taken { address: wanted },
            _ => StartError::Bind { address: wanted, source },
        })?;
        let address = listener.local_addr().map_err(|source| StartError::Bind { address: wanted, source })?;
        let scheme = if tls.is_some() { Scheme::Https } else { Scheme::Http };
        let name = match settings.hosts.first() {
            Some(name) => name.clone(),
            None if address.ip().is_unspecified() => "localhost".to_owned(),
            None => written(address.ip()),
        };
        let inner = Arc::new(WebState {
            access: LoginRegistry::new(if settings.read_only { AccessRights::ReadOnly } else { AccessRights::Full }),
            directory: LiveDirectory::new(fleet),
            guard: Arc::new(Guard::new(address, &settings.hosts, scheme)),
            scheme,
            cookie_name: format!("vtr_web_{}", address.port()),
            replays: Arc::new(Semaphore::new(MAX_REPLAYS)),
            recordings: settings.recordings,
            version: settings.version,
            origin: format!("{}://{name}:{}", scheme.as_str(), address.port()),
        });
        Ok(WebServer { inner, listener, tls, address })
    }

    /// Where it listens, with the port it was given.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What links are made with while the server runs.
    pub fn links(&self) -> LinkMaker {
        LinkMaker { inner: self.inner.clone() }
    }

    /// Serves until dropped.
    pub async fn run(self) {
        listener::serve(self.listener, self.tls, routes::router(self.inner)).await;
    }
}

/// Makes links.
#[derive(Clone, Debug)]
pub struct LinkMaker {
    inner: Arc<WebState>,
}

impl LinkMaker {
    /// A link that logs one browser in.
    pub fn new_link(&self, rights: AccessRights) -> Result<String, NoRandomness> {
        self.inner.new_link(rights)
    }
}
