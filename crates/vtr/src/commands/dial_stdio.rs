//! `vtr dial-stdio`

use grpc::client::ConnectError;
use program::{Exit, Failure, Outcome};

use crate::{default_socket, invocation::Invocation};

/// Join standard input and output to the coordinator of this machine
///
/// For other programs, as in: ssh host vtr dial-stdio. Nothing else is read or written.
#[derive(Debug, clap::Args)]
pub(crate) struct DialStdio {}

impl DialStdio {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        // Not the config's: the one that calls from far away means this machine.
        let socket = match &invocation.everywhere.socket {
            Some(socket) => invocation.surroundings.working_dir.join(socket),
            None => default_socket::for_client(&invocation.surroundings)?,
        };
        pump(&socket).await
    }
}

/// Until one side closes.
pub(super) async fn pump(socket: &std::path::Path) -> Outcome {
    let stream = tokio::net::UnixStream::connect(socket)
        .await
        .map_err(|error| Failure::unreachable(ConnectError::socket(socket.to_owned(), error).to_string()))?;
    match mcp::pump(tokio::io::stdin(), tokio::io::stdout(), stream).await {
        Ok(_) => Ok(Exit::Done),
        // A side that vanished in mid-word has no more to say than one that closed.
        Err(mcp::PumpError::Client(_)) => Ok(Exit::ReaderGone),
        Err(error) => Err(Failure::unreachable(error.to_string())),
    }
}
