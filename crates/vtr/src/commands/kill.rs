//! `vtr kill`

use std::time::Duration;

use engine::Signal;
use fleet::SessionAddress;
use grpc::proto::KillRequest;
use program::{Exit, Failure, Outcome};
use serde_json::json;

use super::time_span;
use crate::{invocation::Invocation, wire};

/// Send a signal to a session; its screen can still be read afterwards
///
/// After TERM, KILL, HUP or QUIT the command waits briefly for the end. Exits with 3 if the session still runs then: an
/// interactive shell ignores TERM.
#[derive(Debug, clap::Args)]
pub(crate) struct KillArgs {
    #[arg(value_name = "SESSION")]
    session: SessionAddress,
    /// TERM, KILL, INT, HUP …, with or without SIG, or a number
    #[arg(short, long, value_name = "SIGNAL", default_value = "TERM")]
    signal: String,
    /// How long to wait for its end; 0s: don't wait [default: 1s after TERM, KILL, HUP and QUIT]
    #[arg(long, value_name = "TIME", value_parser = time_span)]
    wait: Option<Duration>,
}

/// Long enough for programs that clean up, short enough to wait for.
const MOMENT: Duration = Duration::from_secs(1);
/// These signals are sent in order to end the program.
const MEANT_TO_END: [Signal; 4] = [Signal::TERM, Signal::KILL, Signal::HUP, Signal::QUIT];

impl KillArgs {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let signal = self.signal.parse::<Signal>().map_err(|error| Failure::usage(error.to_string()))?;
        let wait = self.wait.unwrap_or(if MEANT_TO_END.contains(&signal) { MOMENT } else { Duration::ZERO });
        let target = invocation.target(&self.session).await?;
        let request =
            KillRequest { name: target.session.clone(), signal: self.signal, wait: Some(wire::duration(wait)) };
        let answer = target.client.vtr().kill(request).await.map_err(|status| target.failure(&status))?.into_inner();
        let reply = json!({
            "coordinator": target.coordinator.name, "session": target.session, "id": answer.id, "state": answer.state,
        });
        invocation.output.answer(&reply, "")?;
        if wait.is_zero() || answer.state != "running" {
            return Ok(Exit::Done);
        }
        if !invocation.output.json {
            let name = &self.session.session;
            let message = format!("{name} got {signal} and still runs after {}", humantime::format_duration(wait));
            let hint = format!(
                "`vtr kill {0} --signal HUP` ends shells, `--signal KILL` ends anything; `vtr rm {0}` also removes it",
                self.session
            );
            invocation.output.failure(&Failure::new(Exit::TimedOut, "timeout", message).with_hint(hint));
        }
        Ok(Exit::TimedOut)
    }
}
