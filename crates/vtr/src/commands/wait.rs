//! `vtr wait`

use std::time::{Duration, Instant};

use fleet::{SessionAddress, refusal};
use grpc::proto::{WaitForRequest, WaitForResponse, WaitScope};
use program::{Exit, Failure, Outcome};
use serde::Serialize;

use crate::{
    invocation::{Invocation, SessionTarget},
    output::Output,
    wire,
};

/// Wait until output matches
///
/// Prints the matching line. Exits with 3 if the time limit passes or the session ends first.
#[derive(Debug, clap::Args)]
pub(crate) struct WaitArgs {
    #[arg(value_name = "SESSION")]
    session: SessionAddress,
    /// A regular expression (RE2 style: no look-around, no back-references)
    #[arg(value_name = "PATTERN", allow_hyphen_values = true)]
    pattern: String,
    /// The time limit
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = super::time_span)]
    timeout: Duration,
    /// Where to search
    #[arg(long, value_enum, default_value_t)]
    scope: WaitScopeArg,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum WaitScopeArg {
    /// Output from now on
    #[default]
    New,
    /// The screen, now and as it changes
    Screen,
    /// All lines, past and future
    Scrollback,
}

impl WaitScopeArg {
    /// The hint when nothing matched.
    fn hint(self) -> &'static str {
        match self {
            WaitScopeArg::New => {
                "`vtr screen` shows the screen; --scope screen or scrollback also finds earlier output"
            }
            WaitScopeArg::Screen => {
                "`vtr screen` shows the screen; --scope scrollback also finds lines that scrolled away"
            }
            WaitScopeArg::Scrollback => "`vtr screen` shows the screen; try a longer --timeout",
        }
    }
}

impl From<WaitScopeArg> for WaitScope {
    fn from(scope: WaitScopeArg) -> Self {
        match scope {
            WaitScopeArg::New => WaitScope::NewOutput,
            WaitScopeArg::Screen => WaitScope::Grid,
            WaitScopeArg::Scrollback => WaitScope::Scrollback,
        }
    }
}

#[derive(Serialize)]
struct Reply<'a> {
    coordinator: &'a str,
    session: &'a str,
    #[serde(flatten)]
    waited: &'a WaitResult,
}

/// The result of a wait.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct WaitResult {
    pub(crate) matched: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) matched_line: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line_number: Option<u64>,
    pub(crate) timed_out: bool,
    /// Why nothing matched: `timeout` or `exited`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) reason: String,
}

impl From<WaitForResponse> for WaitResult {
    fn from(answer: WaitForResponse) -> Self {
        WaitResult {
            matched: answer.matched,
            matched_line: answer.matched_line,
            line_number: answer.line_number,
            timed_out: answer.timed_out,
            reason: answer.reason,
        }
    }
}

impl WaitResult {
    pub(crate) fn exit(&self) -> Exit {
        if self.matched { Exit::Done } else { Exit::TimedOut }
    }

    /// Prints the result for people. `hint` says what to do after a timeout.
    pub(crate) fn explain(&self, timeout: &Duration, hint: &str, output: &mut Output) -> Result<(), Failure> {
        if self.matched {
            return output.line(&self.matched_line);
        }
        let (kind, message) = match self.reason.as_str() {
            "exited" => ("exited", "the session ended before anything matched".to_owned()),
            _ => ("timeout", format!("nothing matched within {}", humantime::format_duration(*timeout))),
        };
        output.failure(&Failure::new(Exit::TimedOut, kind, message).with_hint(hint));
        Ok(())
    }
}

impl WaitArgs {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        if self.scope == WaitScopeArg::New {
            at_most_longest(self.timeout, "--scope scrollback can wait longer")?;
        }
        invocation.patience = Some(self.timeout);
        let target = invocation.target(&self.session).await?;
        let waited = wait_for(&target, &self.pattern, self.timeout, self.scope.into(), &invocation.output).await?;
        if invocation.output.json {
            let (coordinator, session) = (&target.coordinator.name, &target.session);
            invocation.output.object(&Reply { coordinator, session, waited: &waited })?;
        } else {
            waited.explain(&self.timeout, self.scope.hint(), &mut invocation.output)?;
        }
        Ok(waited.exit())
    }
}

/// The longest wait that a coordinator accepts in one call.
pub(super) const LONGEST: Duration = Duration::from_secs(600);

/// A wait for new output has to be a single call: between two calls some output would be missed.
pub(super) fn at_most_longest(timeout: Duration, hint: &str) -> Result<(), Failure> {
    if timeout <= LONGEST {
        return Ok(());
    }
    let message = format!("a wait for new output can last at most {}", humantime::format_duration(LONGEST));
    Err(Failure::usage(message).with_hint(hint))
}

/// The pause between attempts to reach a coordinator again.
const PAUSE: Duration = Duration::from_secs(1);

/// Called after a wait failed. `Ok` means that it can be repeated, because the connection was lost and there is time
/// left.
pub(super) async fn try_again(
    status: &tonic::Status,
    target: &SessionTarget,
    left: Duration,
    output: &Output,
    warned: &mut bool,
) -> Result<(), Failure> {
    if !refusal::is_lost(status) || left.is_zero() {
        return Err(target.failure(status));
    }
    if !std::mem::replace(warned, true) {
        output.warn(format_args!(
            "the connection to {} was lost; reconnecting, and the wait goes on",
            target.coordinator.name
        ));
    }
    tokio::time::sleep(PAUSE.min(left)).await;
    Ok(())
}

/// Repeats the call if the time limit is longer than one call allows, or if the connection was lost: earlier output is
/// still there.
pub(super) async fn wait_for(
    target: &SessionTarget,
    pattern: &str,
    timeout: Duration,
    scope: WaitScope,
    output: &Output,
) -> Result<WaitResult, Failure> {
    let start = Instant::now();
    let mut warned = false;
    loop {
        let left = timeout.saturating_sub(start.elapsed());
        let request = WaitForRequest {
            name: target.session.clone(),
            pattern: pattern.to_owned(),
            timeout: Some(wire::duration(left.min(LONGEST))),
            scope: scope.into(),
        };
        let answer = match target.client.vtr().wait_for(request).await {
            Ok(answer) => answer.into_inner(),
            Err(status) if scope == WaitScope::NewOutput && refusal::is_lost(&status) => {
                let hint =
                    "output since then may have been missed; with --scope scrollback the wait would go on by itself";
                return Err(target.failure(&status).with_hint(hint));
            }
            Err(status) => {
                try_again(&status, target, timeout.saturating_sub(start.elapsed()), output, &mut warned).await?;
                continue;
            }
        };
        if !answer.matched && answer.reason != "exited" && left > LONGEST {
            continue;
        }
        return Ok(answer.into());
    }
}
