//! `vtr kill`

use grpc::proto::KillRequest;
use serde_json::json;

use crate::{
    coordinators::Address,
    failure::{Exit, Outcome},
    invocation::Invocation,
};

/// Send a signal to a session; it stays, and can be read
#[derive(Debug, clap::Args)]
pub(crate) struct Kill {
    #[arg(value_name = "SESSION")]
    session: Address,
    /// TERM, KILL, INT, HUP …, with or without SIG, or a number
    #[arg(short, long, value_name = "SIGNAL", default_value = "TERM")]
    signal: String,
}

impl Kill {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let target = invocation.target(&self.session).await?;
        let request = KillRequest { name: target.session.clone(), signal: self.signal };
        let answer = target.client.vtr().kill(request).await.map_err(|status| target.failure(&status))?.into_inner();
        let reply = json!({
            "coordinator": target.coordinator.name, "session": target.session, "id": answer.id, "state": answer.state,
        });
        invocation.output.answer(&reply, "")?;
        Ok(Exit::Done)
    }
}
