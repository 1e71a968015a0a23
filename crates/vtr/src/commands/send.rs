//! `vtr send`

use std::io::Read;

use grpc::proto::SendTextRequest;

use super::done;
use crate::{
    coordinators::Address,
    failure::{Exit, Failure, Outcome},
    invocation::Invocation,
};

/// Type text
///
/// The text goes as it is, without Enter unless asked. Escapes such as \n are not read: your shell can, as in $'a\nb'.
#[derive(Debug, clap::Args)]
pub(crate) struct Send {
    #[arg(value_name = "SESSION")]
    session: Address,
    /// What to type; "-" reads it from standard input
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    text: String,
    /// Press Enter afterwards; text of several lines then goes as a paste
    #[arg(short, long)]
    enter: bool,
    /// As a paste: in brackets where the program asked for them
    #[arg(long)]
    paste: bool,
}

impl Send {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let text = if self.text == "-" { from_stdin()? } else { self.text };
        let target = invocation.target(&self.session).await?;
        let request = SendTextRequest { name: target.session.clone(), text, submit: self.enter, paste: self.paste };
        target.client.vtr().send_text(request).await.map_err(|status| target.failure(&status))?;
        invocation.output.answer(&done(&target), "")?;
        Ok(Exit::Done)
    }
}

/// Hex digits and blanks for more than the coordinator takes at once, which it then refuses.
const LIMIT: u64 = 8 << 20;

pub(super) fn from_stdin() -> Result<String, Failure> {
    let mut text = String::new();
    let read = std::io::stdin().lock().take(LIMIT).read_to_string(&mut text);
    match read.map_err(|error| Failure::usage(format!("reading standard input: {error}")))? as u64 {
        LIMIT.. => Err(Failure::usage("standard input is longer than one input can be")),
        _ => Ok(text),
    }
}
