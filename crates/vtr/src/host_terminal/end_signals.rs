//! The signals that end a program on the terminal. INT and QUIT come from elsewhere: the keys are keys there.

use std::{io, task::Poll};

use tokio::signal::unix::{Signal, SignalKind, signal};

#[derive(Debug)]
pub(crate) struct EndSignals {
    signals: Vec<(&'static str, Signal)>,
}

impl EndSignals {
    pub(crate) fn new() -> io::Result<Self> {
        let kinds = [
            ("TERM", SignalKind::terminate()),
            ("HUP", SignalKind::hangup()),
            ("INT", SignalKind::interrupt()),
            ("QUIT", SignalKind::quit()),
        ];
        let listen = |(name, kind)| Ok((name, signal(kind)?));
        Ok(EndSignals { signals: kinds.into_iter().map(listen).collect::<io::Result<_>>()? })
    }

    pub(crate) async fn next(&mut self) -> &'static str {
        std::future::poll_fn(|context| {
            let came =
                |(name, signal): &mut (&'static str, Signal)| signal.poll_recv(context).is_ready().then_some(*name);
            self.signals.iter_mut().find_map(came).map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}
