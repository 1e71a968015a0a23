//! The signals that ask a program to end.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// A signal that asks the program to end.
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

    /// Whether the signal comes from somebody in a hurry when shutdown has already begun. A hang-up does not: closing
    /// one window sends several, from the system and again from the shell.
    pub fn is_urgent(self) -> bool {
        self != EndSignal::HangUp
    }
}

/// Listens for these signals. TERM is always listened for.
#[derive(Debug)]
pub struct EndSignals {
    terminate: Signal,
    interrupt: Option<Signal>,
    hang_up: Option<Signal>,
    quit: Option<Signal>,
}

impl EndSignals {
    /// For a server. HUP and INT stay ignored if they were ignored when it started: `nohup` relies on that, and so does
    /// a script that shields background processes from Ctrl-C. QUIT keeps its default action. Must be called inside a
    /// tokio runtime.
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

    /// For a program that draws on a terminal and has to restore it: all signals, even those ignored before. The keys
    /// for INT and QUIT arrive as ordinary keys there, so these signals come from other processes. Must be called
    /// inside a tokio runtime.
    pub fn on_a_terminal() -> io::Result<Self> {
        Ok(EndSignals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: Some(signal(SignalKind::interrupt())?),
            hang_up: Some(signal(SignalKind::hangup())?),
            quit: Some(signal(SignalKind::quit())?),
        })
    }

    /// The next signal. Cancel-safe: dropping the future loses none.
    pub async fn next(&mut self) -> EndSignal {
        tokio::select! {
            _ = self.terminate.recv() => EndSignal::Terminate,
            () = came(&mut self.interrupt) => EndSignal::Interrupt,
            () = came(&mut self.hang_up) => EndSignal::HangUp,
            () = came(&mut self.quit) => EndSignal::Quit,
        }
    }

    /// The next urgent signal.
    pub async fn next_urgent(&mut self) -> EndSignal {
        loop {
            let signal = self.next().await;
            if signal.is_urgent() {
                return signal;
            }
        }
    }
}

/// Never completes if the signal is not listened for.
async fn came(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}
