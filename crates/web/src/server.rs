//! The server's API for the program: start it with settings, create links, run it.

use std::{io, net::SocketAddr, path::PathBuf, sync::Arc};

use axum::http::{HeaderMap, HeaderValue, header};
use program::{HttpScheme, OriginGuard};
use tokio::{net::TcpListener, sync::Semaphore};
use tokio_rustls::rustls::ServerConfig;

pub use crate::access::NoRandomness;
use crate::{
    access::{AccessRights, LoggedInVisitor, LoginRegistry},
    directory::{CoordinatorFleet, LiveDirectory},
    guard::written,
    listener::{self, TlsError},
    routes,
};

/// Maximum recordings played at once by all pages: each may take some hundred megabytes.
const MAX_REPLAYS: usize = 8;

/// Prefix of the login's key among the WebSocket protocols that the page offers.
const KEY_PROTOCOL: &str = "key.";

#[derive(Clone, Debug)]
pub struct WebSettings {
    pub listen: SocketAddr,
    /// Host names accepted besides the address; the first one is used in links.
    pub hosts: Vec<String>,
    pub tls: Option<TlsFiles>,
    /// Nobody may type, whatever the link allows.
    pub read_only: bool,
    /// Folder of recordings that can be played.
    pub recordings: Option<PathBuf>,
    /// The program's version, shown on the page.
    pub version: String,
}

/// Paths of PEM files.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(
        "{0} can be reached from other machines, and links could be intercepted: give --tls-cert and --tls-key, or listen on 127.0.0.1 and come through `ssh -L`"
    )]
    NeedsTls(SocketAddr),
    #[error("{address} is in use: stop the program that listens there, or give --listen 127.0.0.1:0 for any free port")]
    Taken { address: SocketAddr },
    #[error("can't listen on {address}: {source}")]
    Bind { address: SocketAddr, source: io::Error },
    #[error(transparent)]
    Tls(#[from] TlsError),
}

/// State shared by the routes.
#[derive(Debug)]
pub(crate) struct WebState {
    pub(crate) access: LoginRegistry,
    pub(crate) directory: LiveDirectory,
    pub(crate) guard: Arc<OriginGuard>,
    pub(crate) scheme: HttpScheme,
    /// Contains the port, since browsers send a cookie to every port of a host.
    pub(crate) cookie_name: String,
    /// Permits for recordings in memory.
    pub(crate) replays: Arc<Semaphore>,
    pub(crate) recordings: Option<PathBuf>,
    pub(crate) version: String,
    /// For example `http://127.0.0.1:7780`.
    origin: String,
}

impl WebState {
    /// The request's login, if it has both halves.
    pub(crate) fn visitor(&self, headers: &HeaderMap) -> Option<LoggedInVisitor> {
        let key = key_in(headers)?;
        self.cookies(headers).find_map(|cookie| self.access.admit(cookie, key))
    }

    /// Whether the browser has a login's cookie: enough for the page itself, where browsers send nothing else.
    pub(crate) fn knows_browser(&self, headers: &HeaderMap) -> bool {
        self.cookies(headers).any(|cookie| self.access.knows_cookie(cookie))
    }

    /// All values of our cookie. Servers on other ports of the host may have set some too.
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

/// The key in a request. A page can't set headers of a WebSocket request, but it can name protocols.
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
    /// Starts listening and watching the coordinators.
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
        let scheme = if tls.is_some() { HttpScheme::Https } else { HttpScheme::Http };
        let name = match settings.hosts.first() {
            Some(name) => name.clone(),
            None if address.ip().is_unspecified() => "localhost".to_owned(),
            None => written(address.ip()),
        };
        let inner = Arc::new(WebState {
            access: LoginRegistry::new(if settings.read_only { AccessRights::ReadOnly } else { AccessRights::Full }),
            directory: LiveDirectory::new(fleet),
            guard: Arc::new(OriginGuard::of(address, &settings.hosts, scheme)),
            scheme,
            cookie_name: format!("vtr_web_{}", address.port()),
            replays: Arc::new(Semaphore::new(MAX_REPLAYS)),
            recordings: settings.recordings,
            version: settings.version,
            origin: format!("{}://{name}:{}", scheme.as_str(), address.port()),
        });
        Ok(WebServer { inner, listener, tls, address })
    }

    /// The address it listens on, with the actual port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Creates links while the server runs.
    pub fn links(&self) -> LinkMaker {
        LinkMaker { inner: self.inner.clone() }
    }

    /// Serves until dropped.
    pub async fn run(self) {
        listener::serve(self.listener, self.tls, routes::router(self.inner)).await;
    }
}

/// Creates links.
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
