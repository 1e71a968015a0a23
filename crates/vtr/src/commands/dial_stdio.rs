//! `vtr dial-stdio`

use fleet::default_socket;
use grpc::client::ConnectError;
use program::{Exit, Failure, Outcome};

use crate::invocation::Invocation;

/// Connect standard input and output to the coordinator of this machine
///
/// For other programs, for example: ssh host vtr dial-stdio. Prints and reads nothing else.
#[derive(Debug, clap::Args)]
pub(crate) struct DialStdio {}

impl DialStdio {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        // Not the config's coordinators: a caller on another machine means the one here.
        let socket = match &invocation.everywhere.socket {
            Some(socket) => invocation.surroundings.working_dir.join(socket),
            None => default_socket::for_client(&invocation.surroundings)?,
        };
        pump(&socket).await
    }
}

/// Until either side closes.
pub(super) async fn pump(socket: &std::path::Path) -> Outcome {
    let stream = tokio::net::UnixStream::connect(socket)
        .await
        .map_err(|error| Failure::unreachable(ConnectError::socket(socket.to_owned(), error).to_string()))?;
    match mcp::pump(tokio::io::stdin(), tokio::io::stdout(), stream).await {
        Ok(_) => Ok(Exit::Done),
        // A side that disappeared in the middle of a message is treated like one that closed.
        Err(mcp::PumpError::Client(_)) => Ok(Exit::ReaderGone),
        Err(error) => Err(Failure::unreachable(error.to_string())),
    }
}
