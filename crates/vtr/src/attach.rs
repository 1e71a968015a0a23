//! `vtr attach`: shows a session in the person's own terminal, and leads to all other sessions.
//!
//! The parts: from `fleet` come the link that keeps one `Attach` stream open, the roster of the sessions of all
//! coordinators, and the mirror that turns updates into frames; the layers ([`base`], [`picker`], [`dialogs`], [`look_back`]) draw and handle
//! events, and the [`attach_loop`] connects terminal, layers and tasks. Everything about sessions is decided by the
//! coordinator; this module only requests and draws.

mod app;
mod attach_loop;
mod base;
mod bindings;
mod dialogs;
mod errands;
mod look_back;
mod news;
mod outward;
mod picker;

use fleet::{Coordinator, SessionAddress, coordinators};
use grpc::{
    client::CoordinatorClient,
    proto::{InfoRequest, Session},
};
use program::{Exit, Failure, Outcome};

use crate::{host_terminal, invocation::Invocation};
pub(crate) use bindings::LeaderBindings;

/// What the command line asked for.
#[derive(Debug)]
pub(crate) struct AttachWishes {
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

pub(crate) async fn run(invocation: &mut Invocation, wishes: AttachWishes) -> Outcome {
    let config = &invocation.config.attach;
    let bindings = LeaderBindings::new(config.leader.as_deref(), &config.keys).map_err(Failure::usage)?;
    let host = host_terminal::open("`vtr screen` reads a session without a terminal")?;
    // Everything that can fail is tried before the terminal is touched.
    let beginning = match &wishes.session {
        Some(address) => with_session(invocation, address).await?,
        // The coordinators answer while the picker is already shown.
        None => match invocation.coordinators()? {
            known if known.is_empty() => return Err(coordinators::none()),
            known => Beginning { known, clients: Vec::new(), session: None },
        },
    };
    let attach_loop = attach_loop::AttachLoop::new(host, invocation, bindings, &wishes, beginning)?;
    let end = attach_loop.run().await?;
    match end {
        attach_loop::AttachEnd::Left(words) => {
            invocation.output.line(words)?;
            Ok(Exit::Done)
        }
        attach_loop::AttachEnd::Signal(name) => {
            Err(Failure::new(Exit::Refused, "ended", format!("ended by the signal {name}; the session goes on")))
        }
        attach_loop::AttachEnd::NobodyAnswered(silences) => {
            for (coordinator, silence) in &silences {
                invocation.output.not_heard(coordinator, &silence.clone().into());
            }
            Err(coordinators::silent())
        }
        attach_loop::AttachEnd::TerminalGone => Err(Failure::new(Exit::Refused, "ended", "the terminal is gone")),
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
