//! `vtr attach`: the interface on the sessions of coordinators.
//!
//! Everything that can fail is tried here, before the terminal is touched. What is shown and what keys do is the crate
//! `interface`'s, which patterm uses as well.

use fleet::{Coordinator, SessionAddress, coordinators};
use grpc::{
    client::CoordinatorClient,
    proto::{InfoRequest, Session},
};
use interface::app::{self, AttachEnd, AttachWishes, LeaderKeys};
use program::{EndRequests, EndSignals, Exit, Failure, Outcome};
use tokio::{runtime::Handle, task};

use crate::{host_terminal, invocation::Invocation};

/// What the command line asked for.
#[derive(Debug)]
pub(crate) struct AttachRequest {
    /// None: start with the picker.
    pub(crate) session: Option<SessionAddress>,
    pub(crate) read_only: bool,
    pub(crate) no_resize: bool,
    pub(crate) framed: bool,
    /// Report the sessions' work to the host terminal, if it supports that.
    pub(crate) reports: bool,
}

/// What to show first.
#[derive(Debug)]
struct Beginning {
    known: Vec<Coordinator>,
    clients: Vec<(Coordinator, CoordinatorClient)>,
    session: Option<(Coordinator, Session)>,
}

pub(crate) async fn run(invocation: &mut Invocation, request: AttachRequest) -> Outcome {
    let config = &invocation.config.attach;
    let keys = LeaderKeys::new(config.leader.as_deref(), &config.keys).map_err(Failure::usage)?;
    let host = host_terminal::open("`vtr screen` reads a session without a terminal")?;
    let beginning = match &request.session {
        Some(address) => with_session(invocation, address).await?,
        // The coordinators answer while the picker is already shown.
        None => match invocation.coordinators()? {
            known if known.is_empty() => return Err(coordinators::none()),
            known => Beginning { known, clients: Vec::new(), session: None },
        },
    };
    let asked = AttachWishes {
        keys,
        socket: invocation.everywhere.socket.clone(),
        known: beginning.known,
        clients: beginning.clients,
        session: beginning.session,
        read_only: request.read_only,
        no_resize: request.no_resize,
        framed: request.framed,
        reports: request.reports,
    };
    let ending = EndRequests::default();
    ending.hear(EndSignals::on_a_terminal().map_err(|error| Failure::system("listening to signals", &error))?);
    let (surroundings, tasks, wishes) = (invocation.surroundings.process.clone(), Handle::current(), ending.wishes());
    // The loop has a runtime of its own, on its own thread; connections are served by this one.
    let looped = task::spawn_blocking(move || app::attach(asked, &surroundings, &tasks, host, wishes)).await;
    let end = looped.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))?;
    match end {
        AttachEnd::Left(words) => {
            invocation.output.line(words)?;
            Ok(Exit::Done)
        }
        AttachEnd::Signal(name) => {
            Err(Failure::new(Exit::Refused, "ended", format!("ended by the signal {name}; the session goes on")))
        }
        AttachEnd::NobodyAnswered(silences) => {
            for (coordinator, silence) in &silences {
                invocation.output.not_heard(coordinator, &silence.clone().into());
            }
            Err(coordinators::silent())
        }
        AttachEnd::TerminalGone => Err(Failure::new(Exit::Refused, "ended", "the terminal is gone")),
    }
}

async fn with_session(invocation: &mut Invocation, address: &SessionAddress) -> Result<Beginning, Failure> {
    let known = invocation.coordinators()?;
    let target = invocation.target(address).await?;
    let request = InfoRequest { name: target.session.clone() };
    let answer = target.client.vtr().info(request).await.map_err(|status| target.failure(&status))?;
    let session = answer.into_inner().session.unwrap_or_default();
    let clients = vec![(target.coordinator.clone(), target.client)];
    Ok(Beginning { known, clients, session: Some((target.coordinator, session)) })
}
