//! Reaching a coordinator: through its socket, or through a command that bridges to one.

mod dial;
mod error;

use std::{fmt, path::PathBuf, time::Duration};

use tokio::time::{Instant, timeout_at};
use tonic::{Code, transport::Channel};

use self::dial::{Dialled, Dialler};
pub use self::error::ConnectError;
use crate::{
    failure::MAX_MESSAGE_BYTES,
    proto::{VersionRequest, VersionResponse, vtr_client::VtrClient},
};

/// Where a coordinator is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    Socket(PathBuf),
    /// A program and its arguments whose standard streams lead to a coordinator, as in
    /// `ssh host vtr dial-stdio`.
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
pub struct Client {
    vtr: VtrClient<Channel>,
    server: Option<VersionResponse>,
}

impl Client {
    /// The calls. Each takes `&mut`, so this is a clone.
    pub fn vtr(&self) -> VtrClient<Channel> {
        self.vtr.clone()
    }

    /// What serves; `None` for a coordinator that is too old to say.
    pub fn server(&self) -> Option<&VersionResponse> {
        self.server.as_ref()
    }
}

/// How long [`connect`] waits for an answer.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Bytes a server may send before this client has read the ones before: a whole screen of cells, so
/// that reading one takes no second round trip.
const WINDOW_BYTES: u32 = 1 << 20;
/// While an answer is awaited or a stream is open, the server is asked for a sign of life this often, and has as long to
/// give it: a line that is dead without a word, as after a sleep, is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// The largest HTTP/2 frame to receive: a screen in few pieces.
const FRAME_BYTES: u32 = 256 << 10;

/// Connects, and asks for the server's version to see that it is one.
pub async fn connect(endpoint: &Endpoint) -> Result<Client, ConnectError> {
    connect_within(endpoint, CONNECT_TIMEOUT).await
}

pub async fn connect_within(endpoint: &Endpoint, patience: Duration) -> Result<Client, ConnectError> {
    let deadline = Instant::now() + patience;
    let timed_out = || ConnectError::TimedOut { endpoint: endpoint.clone(), after: patience };
    let dialled = timeout_at(deadline, dial::dial(endpoint)).await.map_err(|_| timed_out())??;
    let complaints = dialled.complaints();
    let mut client = handshake(endpoint, dialled);
    let asked = timeout_at(deadline, client.vtr.version(VersionRequest {})).await;
    match asked {
        Ok(Ok(answer)) => client.server = Some(answer.into_inner()),
        Ok(Err(status)) if status.code() == Code::Unimplemented => {}
        Ok(Err(status)) => {
            if let Some(complaints) = complaints
                && let Some(failed) = complaints.failure(deadline).await
            {
                return Err(failed);
            }
            let reason = error::innermost(&status);
            return Err(ConnectError::NoCoordinator { endpoint: endpoint.clone(), reason });
        }
        Err(_) => return Err(timed_out()),
    }
    Ok(client)
}

fn handshake(endpoint: &Endpoint, dialled: Dialled) -> Client {
    // gRPC over Unix sockets has no host; h2 refuses anything but a valid authority.
    let channel = tonic::transport::Endpoint::from_static("http://localhost")
        .initial_stream_window_size(WINDOW_BYTES)
        .initial_connection_window_size(4 * WINDOW_BYTES)
        .max_frame_size(FRAME_BYTES)
        .http2_keep_alive_interval(KEEP_ALIVE)
        .keep_alive_timeout(KEEP_ALIVE)
        .connect_with_connector_lazy(Dialler::new(endpoint.clone(), dialled));
    let vtr = VtrClient::new(channel).max_decoding_message_size(MAX_MESSAGE_BYTES);
    Client { vtr, server: None }
}
