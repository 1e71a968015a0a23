//! The signals that ask a program to end.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// A signal that asks for the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndSignal {
    Terminate,
    Interrupt,
    HangUp,
    Quit,
}

impl EndSignal {
    pub fn name(self) -> &'static str {
        match self {
            EndSignal::Terminate => "TERM",
            EndSignal::Interrupt => "INT",
            EndSignal::HangUp => "HUP",
            EndSignal::Quit => "QUIT",
        }
    }

    /// Whether it comes from somebody in a hurry when the end has begun already. A hang-up does not: one window that
    /// closes hangs up several times, as the system tells us and our shell tells us again.
    pub fn is_urgent(self) -> bool {
        self != EndSignal::HangUp
    }
}

/// Listens to them. TERM always asks for the end.
#[derive(Debug)]
pub struct EndSignals {
    terminate: Signal,
    interrupt: Option<Signal>,
    hang_up: Option<Signal>,
    quit: Option<Signal>,
}

impl EndSignals {
    /// For a program that serves. HUP and INT that were ignored when it started stay ignored, as everywhere: that is how
    /// `nohup` works, and how a script keeps Ctrl-C from what it runs in the background. QUIT does what it always does.
    /// Needs a tokio runtime around it.
    pub fn of_a_server() -> io::Result<Self> {
        let unless_ignored = |kind: SignalKind, known: pty::Signal| match known.is_ignored()? {
            true => Ok::<_, io::Error>(None),
            false => Ok(Some(signal(kind)?)),
        };
        Ok(EndSignals {
            interrupt: unless_ignored(SignalKind::interrupt(), pty::Signal::INT)?,
            hang_up: unless_ignored(SignalKind::hangup(), pty::Signal::HUP)?,
            terminate: signal(SignalKind::terminate())?,
            quit: None,
        })
    }

    /// For a program that draws on a terminal, which has to be put back: all of them, whatever was ignored before. INT
    /// and QUIT come from elsewhere then: their keys are keys there. Needs a tokio runtime around it.
    pub fn on_a_terminal() -> io::Result<Self> {
        Ok(EndSignals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: Some(signal(SignalKind::interrupt())?),
            hang_up: Some(signal(SignalKind::hangup())?),
            quit: Some(signal(SignalKind::quit())?),
        })
    }

    /// The next of them. Dropping the future loses none.
    pub async fn next(&mut self) -> EndSignal {
        tokio::select! {
            _ = self.terminate.recv() => EndSignal::Terminate,
            () = came(&mut self.interrupt) => EndSignal::Interrupt,
            () = came(&mut self.hang_up) => EndSignal::HangUp,
            () = came(&mut self.quit) => EndSignal::Quit,
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

/// Never, when it is not listened to.
async fn came(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}
