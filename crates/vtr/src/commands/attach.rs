//! `vtr attach`

use fleet::SessionAddress;
use grpc::{client::Endpoint, proto::InfoRequest};
use program::{Failure, Outcome};

use crate::{
    attach::{self, AttachRequest},
    invocation::Invocation,
};

/// Attach to a session: see it, and type into it
///
/// Without a session, choose one from all coordinators. Ctrl-b d leaves, Ctrl-b ? lists the keys; the leader and all
/// keys after it can be changed in the config file. Looking never changes the session's size; typing gives it the size
/// of your terminal. When the session ends, its last screen stays until you leave.
#[derive(Debug, clap::Args)]
pub(crate) struct AttachArgs {
    #[arg(value_name = "SESSION")]
    session: Option<SessionAddress>,
    /// Only look: input is ignored
    #[arg(long)]
    read_only: bool,
    /// Never change the session's size, even when typing
    #[arg(long)]
    no_resize: bool,
    /// Without border and status bar
    #[arg(long)]
    no_frame: bool,
}

impl AttachArgs {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        if let Some(address) = &self.session {
            refuse_mirrors(invocation, address).await?;
        }
        let framed = !self.no_frame && invocation.config.attach.frame.unwrap_or(true);
        let reports = invocation.config.attach.report_status.unwrap_or(true);
        let request = AttachRequest {
            session: self.session,
            read_only: self.read_only,
            no_resize: self.no_resize,
            framed,
            reports,
        };
        attach::run(invocation, request).await
    }
}

/// A session attached to itself would show itself inside itself without end.
async fn refuse_mirrors(invocation: &mut Invocation, address: &SessionAddress) -> Result<(), Failure> {
    let surroundings = &invocation.surroundings;
    let (Some(own), Some(socket)) = (surroundings.own_session.clone(), surroundings.socket.clone()) else {
        return Ok(());
    };
    let target = invocation.target(address).await?;
    let info = target.client.vtr().info(InfoRequest { name: target.session.clone() }).await;
    // If the question fails, attach itself reports the reason.
    let session = info.ok().and_then(|info| info.into_inner().session).unwrap_or_default();
    if target.coordinator.endpoint == Endpoint::Socket(socket) && session.id == own {
        let message = format!("this terminal is session {} itself", address.session);
        return Err(Failure::usage(message).with_hint("attach to it from another terminal"));
    }
    Ok(())
}
