//! `vtr resize`

use fleet::SessionAddress;
use grpc::proto::ResizeRequest;
use program::{Exit, Outcome};
use serde_json::json;

use crate::invocation::Invocation;

/// Change the size of a session's terminal
#[derive(Debug, clap::Args)]
pub(crate) struct ResizeArgs {
    #[arg(value_name = "SESSION")]
    session: SessionAddress,
    #[arg(value_parser = super::cols)]
    cols: u16,
    #[arg(value_parser = super::rows)]
    rows: u16,
}

impl ResizeArgs {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let target = invocation.target(&self.session).await?;
        let (cols, rows) = (self.cols.into(), self.rows.into());
        let request = ResizeRequest { name: target.session.clone(), cols, rows };
        let answer = target.client.vtr().resize(request).await.map_err(|status| target.failure(&status))?.into_inner();
        if (answer.cols, answer.rows) != (cols, rows) {
            invocation.output.warn(format_args!("it is now {}x{}, the limit", answer.cols, answer.rows));
        }
        let reply = json!({
            "coordinator": target.coordinator.name, "session": target.session, "cols": answer.cols, "rows": answer.rows,
        });
        invocation.output.answer(&reply, "")?;
        Ok(Exit::Done)
    }
}
