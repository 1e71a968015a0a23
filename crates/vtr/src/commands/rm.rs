//! `vtr rm`

use fleet::SessionAddress;
use grpc::proto::RemoveRequest;
use program::{Exit, Failure, Outcome};
use serde_json::json;

use crate::invocation::{Invocation, SessionTarget};

/// Remove sessions, ending those that still run
#[derive(Debug, clap::Args)]
pub(crate) struct RmArgs {
    #[arg(value_name = "SESSION", required = true)]
    session: Vec<SessionAddress>,
}

impl RmArgs {
    /// Removes all that it can; the exit code is that of the first failure.
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let (mut removed, mut failures) = (Vec::new(), Vec::new());
        for (address, target) in self.session.iter().zip(invocation.targets(&self.session).await?) {
            match remove(target).await {
                Ok(coordinator) => removed.push(format!("{coordinator}:{}", address.session)),
                Err(failure) => failures.push(failure),
            }
        }
        if failures.is_empty() || !removed.is_empty() {
            invocation.output.answer(&json!({ "removed": removed }), "")?;
        }
        for failure in &failures {
            invocation.output.failure(failure);
        }
        Ok(failures.first().map_or(Exit::Done, |failure| failure.exit))
    }
}

/// Returns the name of its coordinator.
async fn remove(target: Result<SessionTarget, Failure>) -> Result<String, Failure> {
    let target = target?;
    let request = RemoveRequest { name: target.session.clone() };
    target.client.vtr().remove(request).await.map_err(|status| target.failure(&status))?;
    Ok(target.coordinator.name)
}
