//! `vtr rm`

use grpc::proto::RemoveRequest;
use serde_json::json;

use crate::{
    coordinators::Address,
    failure::{Exit, Outcome},
    invocation::Invocation,
};

/// Remove sessions, ending what still runs
#[derive(Debug, clap::Args)]
pub(crate) struct Rm {
    #[arg(value_name = "SESSION", required = true)]
    session: Vec<Address>,
}

impl Rm {
    /// In order, up to the first that fails.
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let mut removed = Vec::new();
        for address in self.session {
            let target = invocation.target(&address).await?;
            let request = RemoveRequest { name: target.session.clone() };
            target.client.vtr().remove(request).await.map_err(|status| target.failure(&status))?;
            removed.push(format!("{}:{}", target.coordinator.name, address.session));
        }
        invocation.output.answer(&json!({ "removed": removed }), "")?;
        Ok(Exit::Done)
    }
}
