//! `vtr key`

use fleet::SessionAddress;
use grpc::proto::SendKeyRequest;
use program::{Exit, Outcome};

use super::done;
use crate::invocation::Invocation;

/// Press keys
///
/// enter, tab, escape, space, backspace, delete, insert, up, down, left, right, home, end, pageup, pagedown, f1 to f12,
/// a single character, or any of these with modifiers: ctrl+c, C-c, alt+x, shift+tab, ctrl+alt+left. Keys are encoded
/// by the program's keyboard modes.
#[derive(Debug, clap::Args)]
pub(crate) struct KeyArgs {
    #[arg(value_name = "SESSION")]
    session: SessionAddress,
    /// The keys, in order
    #[arg(value_name = "KEY", required = true)]
    keys: Vec<String>,
}

impl KeyArgs {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let target = invocation.target(&self.session).await?;
        for key in self.keys {
            let request = SendKeyRequest { name: target.session.clone(), key };
            target.client.vtr().send_key(request).await.map_err(|status| target.failure(&status))?;
        }
        invocation.output.answer(&done(&target), "")?;
        Ok(Exit::Done)
    }
}
