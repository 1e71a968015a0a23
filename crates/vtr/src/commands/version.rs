//! `vtr version`

use fleet::reach;
use program::{Exit, Failure, Outcome};
use serde_json::json;

use crate::invocation::Invocation;

/// Show the version of this program, and of coordinators
#[derive(Debug, clap::Args)]
pub(crate) struct VersionArgs {
    /// Ask the coordinators too
    #[arg(long)]
    server: bool,
}

impl VersionArgs {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let ours = env!("CARGO_PKG_VERSION");
        let mut servers = Vec::new();
        if self.server {
            let known = invocation.coordinators()?;
            let answers = reach::versions(&known).await;
            if let [(_, Err(silence))] = answers.as_slice() {
                return Err(Failure::unreachable(silence.to_string()));
            }
            for (coordinator, answer) in answers {
                match answer {
                    Ok(version) => servers.push((coordinator.name, version)),
                    Err(silence) => invocation.output.not_heard(&coordinator.name, &silence),
                }
            }
        }
        if invocation.output.json {
            let servers: Vec<_> = servers
                .iter()
                .map(|(name, answer)| {
                    json!({
                        "coordinator": name, "program": answer.program, "version": answer.version, "pid": answer.pid,
                    })
                })
                .collect();
            let mut reply = json!({ "version": ours });
            if self.server {
                reply["coordinators"] = servers.into();
            }
            invocation.output.object(&reply)?;
            return Ok(Exit::Done);
        }
        invocation.output.line(format!("vtr {ours}"))?;
        for (name, answer) in servers {
            invocation
                .output
                .line(format!("coordinator {name}: {} {} (pid {})", answer.program, answer.version, answer.pid))?;
        }
        Ok(Exit::Done)
    }
}
