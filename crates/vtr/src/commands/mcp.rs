//! `vtr mcp`

use fleet::{SessionAddress, coordinators::meant};
use grpc::client::Endpoint;
use program::{Exit, Failure, Outcome};

use super::dial_stdio::pump;
use crate::invocation::Invocation;

/// Serve a coordinator's sessions as MCP tools on standard input and output
///
/// For MCP clients, which start it themselves. It serves one coordinator.
#[derive(Debug, clap::Args)]
pub(crate) struct McpArgs {
    /// The coordinator's name, if several are configured
    #[arg(value_name = "COORDINATOR")]
    coordinator: Option<String>,
}

impl McpArgs {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let known = invocation.coordinators()?;
        let address = SessionAddress { coordinator: self.coordinator, session: String::new() };
        let only = match meant(&address, &known)?.as_slice() {
            [only] => (*only).clone(),
            several => {
                let names = several.iter().map(|coordinator| coordinator.name.clone()).collect();
                return Err(Failure::new(Exit::Usage, "ambiguous", "several coordinators are configured:")
                    .with_candidates(names)
                    .with_hint("choose one: vtr mcp NAME, or give --socket PATH"));
            }
        };
        match &only.endpoint {
            Endpoint::Socket(path) => pump(path).await,
            Endpoint::Command(argv) => run(argv).await,
        }
    }
}

/// The command connects to the coordinator already, so it gets our input and output.
async fn run(argv: &[String]) -> Outcome {
    let Some((program, arguments)) = argv.split_first() else { return Ok(Exit::Done) };
    let status = tokio::process::Command::new(program).args(arguments).kill_on_drop(true).status().await;
    match status {
        Ok(status) if status.success() => Ok(Exit::Done),
        Ok(status) => Err(Failure::unreachable(format!("{} ended with {status}", argv.join(" ")))),
        Err(error) => Err(Failure::unreachable(format!("starting {program}: {error}"))),
    }
}
