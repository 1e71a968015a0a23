//! The server as the program sees it: started with settings, asked for links, and run.

use std::{io, net::SocketAddr, path::PathBuf, sync::Arc};

use axum::http::{HeaderMap, header};
use tokio::{net::TcpListener, sync::Semaphore};
use tokio_rustls::rustls::ServerConfig;

pub use crate::access::NoRandomness;
use crate::{
    access::{Access, Rights},
    directory::{Directory, Fleet},
    guard::{Guard, Scheme, written},
    listener::{self, TlsError},
    routes,
};

/// Pages that are open at once.
const MAX_PAGES: usize = 64;
/// Recordings that are played at once, by all pages together: each may take some hundred megabytes.
const MAX_REPLAYS: usize = 8;

#[derive(Clone, Debug)]
pub struct Settings {
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
pub(crate) struct Inner {
    pub(crate) access: Access,
    pub(crate) directory: Directory,
    pub(crate) guard: Arc<Guard>,
    pub(crate) scheme: Scheme,
    /// With the port: browsers send a cookie to every port of a host.
    pub(crate) cookie_name: String,
    pub(crate) pages: Arc<Semaphore>,
    /// Recordings in memory.
    pub(crate) replays: Arc<Semaphore>,
    pub(crate) recordings: Option<PathBuf>,
    pub(crate) version: String,
    /// As `http://127.0.0.1:7780`.
    origin: String,
    read_only: bool,
}

impl Inner {
    /// What a request's cookie allows.
    pub(crate) fn rights(&self, headers: &HeaderMap) -> Option<Rights> {
        let pairs = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let values = pairs.flat_map(|pairs| pairs.split(';')).filter_map(|pair| {
            let (name, value) = pair.trim().split_once('=')?;
            (name == self.cookie_name).then_some(value)
        });
        let rights = values.filter_map(|value| self.access.rights_of(value)).next()?;
        Some(if self.read_only { Rights::ReadOnly } else { rights })
    }

    pub(crate) fn new_link(&self, rights: Rights) -> Result<String, NoRandomness> {
        Ok(format!("{}/login?token={}", self.origin, self.access.new_token(rights)?))
    }
}

#[derive(Debug)]
pub struct Server {
    inner: Arc<Inner>,
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    address: SocketAddr,
}

impl Server {
    /// Listens, and begins to watch the coordinators.
    pub async fn start(settings: Settings, fleet: Arc<dyn Fleet>) -> Result<Self, StartError> {
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
        let inner = Arc::new(Inner {
            access: Access::default(),
            directory: Directory::new(fleet),
            guard: Arc::new(Guard::new(address, &settings.hosts, scheme)),
            scheme,
            cookie_name: format!("vtr_web_{}", address.port()),
            pages: Arc::new(Semaphore::new(MAX_PAGES)),
            replays: Arc::new(Semaphore::new(MAX_REPLAYS)),
            recordings: settings.recordings,
            version: settings.version,
            origin: format!("{}://{name}:{}", scheme.as_str(), address.port()),
            read_only: settings.read_only,
        });
        Ok(Server { inner, listener, tls, address })
    }

    /// Where it listens, with the port it was given.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What links are made with while the server runs.
    pub fn links(&self) -> Links {
        Links { inner: self.inner.clone() }
    }

    /// Serves until dropped.
    pub async fn run(self) {
        listener::serve(self.listener, self.tls, routes::router(self.inner)).await;
    }
}

/// Makes links.
#[derive(Clone, Debug)]
pub struct Links {
    inner: Arc<Inner>,
}

impl Links {
    /// A link that logs one browser in.
    pub fn new_link(&self, rights: Rights) -> Result<String, NoRandomness> {
        self.inner.new_link(rights)
    }
}
