//! `vtr attach`

use crate::{
    attach::{self, Wishes},
    coordinators::Address,
    failure::Outcome,
    invocation::Invocation,
};

/// Attach to a session: see it, and type into it
///
/// Without a session, choose one out of all coordinators. Ctrl-b d leaves, Ctrl-b ? lists the keys; the leader and all
/// keys behind it can be changed in the config file. Looking never changes the session's size; the one who types leads
/// it. After its end, the last screen stays until you leave.
#[derive(Debug, clap::Args)]
pub(crate) struct Attach {
    #[arg(value_name = "SESSION")]
    session: Option<Address>,
    /// Only look: what is typed goes nowhere
    #[arg(long)]
    read_only: bool,
    /// Never change the session's size, also when typing
    #[arg(long)]
    no_resize: bool,
    /// Without border and status bar
    #[arg(long)]
    no_frame: bool,
}

impl Attach {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let framed = !self.no_frame && invocation.config.attach.frame.unwrap_or(true);
        let wishes = Wishes { session: self.session, read_only: self.read_only, no_resize: self.no_resize, framed };
        attach::run(invocation, wishes).await
    }
}
