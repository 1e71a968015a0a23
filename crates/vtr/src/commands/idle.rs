//! `vtr idle`

use std::time::{Duration, Instant};

use fleet::SessionAddress;
use grpc::proto::WaitForIdleRequest;
use program::{Exit, Failure, Outcome};
use serde_json::json;

use super::wait::{LONGEST, try_again};
use crate::{invocation::Invocation, wire};

/// Wait until a session prints nothing for a while
///
/// Exits with 3 if the time limit passes first.
#[derive(Debug, clap::Args)]
pub(crate) struct IdleArgs {
    #[arg(value_name = "SESSION")]
    session: SessionAddress,
    /// How long it must be silent [default: 5s, or wait_for_idle_timeout in the config file]
    #[arg(long, value_name = "TIME", value_parser = super::time_span)]
    idle: Option<Duration>,
    /// The time limit
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = super::time_span)]
    timeout: Duration,
}

impl IdleArgs {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let idle = self.idle.or(invocation.config.defaults.wait_for_idle_timeout).unwrap_or(Duration::from_secs(5));
        invocation.patience = Some(self.timeout);
        let target = invocation.target(&self.session).await?;
        let start = Instant::now();
        let mut warned = false;
        let answer = loop {
            let left = self.timeout.saturating_sub(start.elapsed());
            let request = WaitForIdleRequest {
                name: target.session.clone(),
                idle_duration: Some(wire::duration(idle)),
                timeout: Some(wire::duration(left.min(LONGEST))),
            };
            let answer = match target.client.vtr().wait_for_idle(request).await {
                Ok(answer) => answer.into_inner(),
                Err(status) => {
                    let left = self.timeout.saturating_sub(start.elapsed());
                    try_again(&status, &target, left, &invocation.output, &mut warned).await?;
                    continue;
                }
            };
            if !answer.timed_out || answer.reason == "exited" || left <= LONGEST {
                break answer;
            }
        };
        let exit = if answer.idle { Exit::Done } else { Exit::TimedOut };
        if invocation.output.json {
            let mut reply = json!({
                "coordinator": target.coordinator.name, "session": target.session,
                "idle": answer.idle, "timed_out": answer.timed_out,
            });
            if !answer.reason.is_empty() {
                reply["reason"] = answer.reason.into();
            }
            invocation.output.object(&reply)?;
        } else if exit == Exit::TimedOut {
            let (message, hint) = match answer.reason.as_str() {
                "exited" => ("the session ended".to_owned(), "`vtr info` says how, `vtr screen` shows its last output"),
                _ => (
                    format!("still busy after {}", humantime::format_duration(self.timeout)),
                    "`vtr screen` shows what it does; try a longer --timeout or a shorter --idle",
                ),
            };
            invocation.output.failure(&Failure::new(exit, answer.reason, message).with_hint(hint));
        }
        Ok(exit)
    }
}
