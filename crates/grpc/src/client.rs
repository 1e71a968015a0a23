//! Connects to a coordinator: through its socket, or through a command that bridges to one.

mod busy_wait;
mod channel;
mod dial;
mod error;

use std::{fmt, path::PathBuf, time::Duration};

use tokio::time::{Instant, timeout_at};
use tonic::Code;

use self::dial::DialledStream;
pub use self::{channel::CoordinatorChannel, error::ConnectError};
use crate::{
    failure::MAX_MESSAGE_BYTES,
    proto::{VersionRequest, VersionResponse, vtr_client::VtrClient},
};

/// Where a coordinator is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    Socket(PathBuf),
    /// A program and its arguments whose standard streams lead to a coordinator, such as `ssh host vtr dial-stdio`.
    Command(Vec<String>),
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Endpoint::Socket(path) => write!(f, "{}", path.display()),
            Endpoint::Command(argv) => write!(f, "`{}`", argv.join(" ")),
        }
    }
}

/// A connection to a coordinator that has answered. Cheap to clone; calls of all clones share it.
#[derive(Clone, Debug)]
pub struct CoordinatorClient {
    vtr: VtrClient<CoordinatorChannel>,
    server: Option<VersionResponse>,
}

impl CoordinatorClient {
    /// The client for calls. Calls take `&mut`, so this is a clone.
    pub fn vtr(&self) -> VtrClient<CoordinatorChannel> {
        self.vtr.clone()
    }

    /// The server's version; `None` if the coordinator is too old to tell.
    pub fn server(&self) -> Option<&VersionResponse> {
        self.server.as_ref()
    }
}

/// How long [`connect`] waits for an answer.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Connects, and asks for the server's version to check that it is a coordinator.
pub async fn connect(endpoint: &Endpoint) -> Result<CoordinatorClient, ConnectError> {
    connect_within(endpoint, CONNECT_TIMEOUT).await
}

pub async fn connect_within(endpoint: &Endpoint, patience: Duration) -> Result<CoordinatorClient, ConnectError> {
    let deadline = Instant::now() + patience;
    let timed_out = || ConnectError::TimedOut { endpoint: endpoint.clone(), after: patience };
    let dialled = timeout_at(deadline, dial::dial(endpoint)).await.map_err(|_| timed_out())??;
    let complaints = dialled.complaints();
    match timeout_at(deadline, greet(endpoint, dialled)).await {
        Ok(Ok(client)) => Ok(client),
        Ok(Err(reason)) => {
            if let Some(complaints) = complaints
                && let Some(failed) = complaints.failure(deadline).await
            {
                return Err(failed);
            }
            Err(ConnectError::NoCoordinator { endpoint: endpoint.clone(), reason })
        }
        Err(_) => Err(timed_out()),
    }
}

/// Opens the connection and asks for the server's version, or returns why there is no answer.
async fn greet(endpoint: &Endpoint, dialled: DialledStream) -> Result<CoordinatorClient, String> {
    let vtr = VtrClient::new(CoordinatorChannel::new(endpoint.clone(), dialled));
    let mut vtr = vtr.max_decoding_message_size(MAX_MESSAGE_BYTES);
    let server = match vtr.version(VersionRequest {}).await {
        Ok(answer) => Some(answer.into_inner()),
        Err(status) if status.code() == Code::Unimplemented => None,
        Err(status) => return Err(error::innermost(&status)),
    };
    Ok(CoordinatorClient { vtr, server })
}
