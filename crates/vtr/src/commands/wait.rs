//! `vtr wait`

use std::time::{Duration, Instant};

use grpc::proto::{WaitForRequest, WaitForResponse, WaitScope};
use program::{Exit, Failure, Outcome};
use serde::Serialize;

use crate::{
    coordinators::SessionAddress,
    invocation::{Invocation, SessionTarget},
    output::Output,
    wire,
};

/// Wait until output matches
///
/// Prints the line that matched. Exits with 3 when the time is up, or when the session ends first.
#[derive(Debug, clap::Args)]
pub(crate) struct WaitArgs {
    #[arg(value_name = "SESSION")]
    session: SessionAddress,
    /// A regular expression (RE2 style: no look-around, no back-references)
    #[arg(value_name = "PATTERN", allow_hyphen_values = true)]
    pattern: String,
    /// How long to wait at most
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = super::time_span)]
    timeout: Duration,
    /// Where to look
    #[arg(long, value_enum, default_value_t)]
    scope: WaitScopeArg,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum WaitScopeArg {
    /// In output from now on
    #[default]
    New,
    /// On the screen, as it is or will be
    Screen,
    /// In all lines, past and future
    Scrollback,
}

impl WaitScopeArg {
    /// When nothing matched.
    fn hint(self) -> &'static str {
        match self {
            WaitScopeArg::New => {
                "`vtr screen` shows what is there; --scope screen or scrollback also finds what came before"
            }
            WaitScopeArg::Screen => {
                "`vtr screen` shows what is there; --scope scrollback also finds what has scrolled away"
            }
            WaitScopeArg::Scrollback => "`vtr screen` shows what is there; a longer --timeout waits on",
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

/// How a wait ended.
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

    /// For people. `hint` says what to do when the time was up.
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
            at_most_longest(self.timeout, "--scope scrollback waits as long as you like")?;
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

/// What a coordinator accepts in one call.
pub(super) const LONGEST: Duration = Duration::from_secs(600);

/// New output is waited for in one call: between two, some would be missed.
pub(super) fn at_most_longest(timeout: Duration, hint: &str) -> Result<(), Failure> {
    if timeout <= LONGEST {
        return Ok(());
    }
    let message = format!("one wait for new output takes at most {}", humantime::format_duration(LONGEST));
    Err(Failure::usage(message).with_hint(hint))
}

/// Between two tries to reach a coordinator that was lost.
const PAUSE: Duration = Duration::from_secs(1);

/// After a call of a wait has failed: `Ok` when it may be made again, because the line was lost and there is time left.
pub(super) async fn try_again(
    status: &tonic::Status,
    target: &SessionTarget,
    left: Duration,
    output: &Output,
    warned: &mut bool,
) -> Result<(), Failure> {
    if !wire::is_lost(status) || left.is_zero() {
        return Err(target.failure(status));
    }
    if !std::mem::replace(warned, true) {
        output.warn(format_args!(
            "the line to {} was lost; it is tried again, and the wait goes on",
            target.coordinator.name
        ));
    }
    tokio::time::sleep(PAUSE.min(left)).await;
    Ok(())
}

/// Asks again when the time is longer than one call takes, or the line was lost: what was there is still there.
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
            Err(status) if scope == WaitScope::NewOutput && wire::is_lost(&status) => {
                let hint = "what was printed since is not known; a wait with --scope scrollback goes on by itself";
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
