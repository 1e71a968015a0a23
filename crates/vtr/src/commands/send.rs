//! `vtr send`

use std::{io::Read, time::Duration};

use fleet::SessionAddress;
use grpc::proto::SendTextRequest;
use program::{Exit, Failure, Outcome};
use serde::Serialize;
use serde_json::Value;

use super::{
    done,
    wait::{WaitResult, at_most_longest},
};
use crate::{invocation::Invocation, wire};

/// Type text
///
/// The text is sent unchanged, and Enter is only pressed if requested; a newline in the text is sent as Enter, like in
/// any terminal. Escapes such as \n are not interpreted; your shell can do that, as in $'a\nb'.
#[derive(Debug, clap::Args)]
pub(crate) struct SendArgs {
    #[arg(value_name = "SESSION")]
    session: SessionAddress,
    /// The text; "-" reads it from standard input
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    text: String,
    /// Press Enter afterwards; text of several lines is then sent as a paste
    #[arg(short, long)]
    enter: bool,
    /// Send it as a paste: in brackets if the program asked for bracketed paste
    #[arg(long)]
    paste: bool,
    /// Wait until later output matches, and print that line
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    wait: Option<String>,
    /// The time limit of --wait
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = super::time_span, requires = "wait")]
    timeout: Duration,
}

#[derive(Serialize)]
struct Reply {
    #[serde(flatten)]
    done: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    wait: Option<WaitResult>,
}

/// The hint when the awaited output did not come.
const WAIT_HINT: &str = "the text was sent; `vtr screen` shows the output";

impl SendArgs {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let text = if self.text == "-" { from_stdin()? } else { self.text };
        if self.wait.is_some() {
            at_most_longest(self.timeout, "send without --wait, then `vtr wait --scope scrollback`")?;
        }
        let target = invocation.target(&self.session).await?;
        let request = SendTextRequest {
            name: target.session.clone(),
            text,
            submit: self.enter,
            paste: self.paste,
            wait_timeout: self.wait.is_some().then(|| wire::duration(self.timeout)),
            wait_pattern: self.wait.unwrap_or_default(),
        };
        let answer = target.client.vtr().send_text(request).await.map_err(|status| target.failure(&status))?;
        let wait = answer.into_inner().wait.map(WaitResult::from);
        let exit = wait.as_ref().map_or(Exit::Done, WaitResult::exit);
        invocation.output.answer(&Reply { done: done(&target), wait: wait.clone() }, "")?;
        if let (Some(wait), false) = (wait, invocation.output.json) {
            wait.explain(&self.timeout, WAIT_HINT, &mut invocation.output)?;
        }
        Ok(exit)
    }
}

/// More hex digits and blanks than a coordinator accepts in one call; it refuses longer input itself.
const LIMIT: u64 = 8 << 20;

pub(super) fn from_stdin() -> Result<String, Failure> {
    let mut text = String::new();
    let read = std::io::stdin().lock().take(LIMIT).read_to_string(&mut text);
    match read.map_err(|error| Failure::usage(format!("reading standard input: {error}")))? as u64 {
        LIMIT.. => Err(Failure::usage("standard input is too long for one input")),
        _ => Ok(text),
    }
}
