//! The signals that ask a program to end, and its sessions with it.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// A signal that asks for the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndSignal {
    Terminate,
    Interrupt,
    HangUp,
}

impl EndSignal {
    pub fn name(self) -> &'static str {
        match self {
            EndSignal::Terminate => "TERM",
            EndSignal::Interrupt => "INT",
            EndSignal::HangUp => "HUP",
        }
    }

    /// Whether it comes from somebody in a hurry when the end has begun already. A hang-up does not: one window that
    /// closes hangs up several times, as the system tells us and our shell tells us again.
    pub fn is_urgent(self) -> bool {
        self != EndSignal::HangUp
    }
}

/// Listens to them. TERM always asks for the end. HUP and INT that were ignored when the program started stay ignored, as
/// everywhere: that is how `nohup` works, and how a script keeps Ctrl-C from what it runs in the background.
#[derive(Debug)]
pub struct EndSignals {
    terminate: Signal,
    interrupt: Option<Signal>,
    hang_up: Option<Signal>,
}

impl EndSignals {
    /// Needs a tokio runtime around it.
    pub fn new() -> io::Result<Self> {
        let unless_ignored = |kind: SignalKind, known: pty::Signal| match known.is_ignored()? {
            true => Ok::<_, io::Error>(None),
            false => Ok(Some(signal(kind)?)),
        };
        Ok(EndSignals {
            interrupt: unless_ignored(SignalKind::interrupt(), pty::Signal::INT)?,
            hang_up: unless_ignored(SignalKind::hangup(), pty::Signal::HUP)?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// The next of them. Dropping the future loses none.
    pub async fn next(&mut self) -> EndSignal {
        tokio::select! {
            _ = self.terminate.recv() => EndSignal::Terminate,
            () = came(&mut self.interrupt) => EndSignal::Interrupt,
            () = came(&mut self.hang_up) => EndSignal::HangUp,
        }
    }

    /// The next one from somebody in a hurry.
    pub async fn next_urgent(&mut self) -> EndSignal {
        loop {
            let signal = self.next().await;
            if signal.is_urgent() {
                return signal;
            }
        }
    }
}

/// Never, when it is ignored.
async fn came(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}
