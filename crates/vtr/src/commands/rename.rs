//! `vtr rename`

use fleet::SessionAddress;
use grpc::proto::RenameRequest;
use program::{Exit, Outcome};

use crate::{invocation::Invocation, wire::SessionJson};

/// Rename a session
#[derive(Debug, clap::Args)]
pub(crate) struct RenameArgs {
    #[arg(value_name = "SESSION")]
    session: SessionAddress,
    /// Letters, digits, dot, underscore and dash, at most 64
    #[arg(value_name = "NAME")]
    new_name: String,
}

impl RenameArgs {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let target = invocation.target(&self.session).await?;
        let request = RenameRequest { name: target.session.clone(), new_name: self.new_name };
        let answer = target.client.vtr().rename(request).await.map_err(|status| target.failure(&status))?.into_inner();
        let session = SessionJson::of(answer.session.unwrap_or_default(), &target.coordinator);
        invocation.output.answer(&session, "")?;
        Ok(Exit::Done)
    }
}
