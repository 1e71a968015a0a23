//! Whether sessions are at work: what idle timers wait for.

use std::time::Duration;

use engine::Session;
use tokio::sync::watch;

/// Where a session stands between work and rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rest {
    pub phase: Phase,
    /// Counts the changes, so that who looks seldom can tell "at rest again" from "still at rest".
    pub changes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Working,
    /// Waits: for a prompt, or for somebody's decision.
    Resting,
    /// Its program has ended, or the session is gone.
    Ended,
}

/// Knows whether sessions are at work.
pub trait Activity: Send + Sync {
    /// The present, and every change as long as somebody listens.
    fn watch(&self, session: &Session) -> watch::Receiver<Rest>;
}

/// By output alone: a session that has printed nothing for a while is at rest.
#[derive(Clone, Copy, Debug)]
pub struct BySilence {
    pub idle_after: Duration,
}

impl Activity for BySilence {
    fn watch(&self, session: &Session) -> watch::Receiver<Rest> {
        let idle_after = self.idle_after;
        let phase = phase(session, idle_after);
        let (sender, receiver) = watch::channel(Rest { phase, changes: 0 });
        let session = session.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = follow(&session, idle_after, &sender) => {}
                () = sender.closed() => {}
            }
        });
        receiver
    }
}

fn phase(session: &Session, idle_after: Duration) -> Phase {
    match session.status() {
        status if status.has_ended() => Phase::Ended,
        _ if session.idle_for() >= idle_after => Phase::Resting,
        _ => Phase::Working,
    }
}

/// Until the session is gone.
async fn follow(session: &Session, idle_after: Duration, sender: &watch::Sender<Rest>) {
    // No deadline: the wait ends with quiet or with the run.
    const EVER: Duration = Duration::MAX;
    let mut pulse = session.pulse();
    loop {
        let printed = {
            let pulse = pulse.borrow_and_update();
            if pulse.removed {
                return tell(sender, Phase::Ended);
            }
            pulse.output_offset
        };
        let now = phase(session, idle_after);
        tell(sender, now);
        match now {
            Phase::Working => {
                session.wait_for_quiet(idle_after, EVER).await;
                // The end of the run is the next pulse's business, quiet is none of it.
                let ended = session.status().has_ended();
                tell(sender, if ended { Phase::Ended } else { Phase::Resting });
            }
            Phase::Resting | Phase::Ended => {
                let moved = |pulse: &engine::Pulse| {
                    pulse.removed || pulse.output_offset != printed || pulse.status.has_ended() != (now == Phase::Ended)
                };
                // The sender lives in the session, which we hold.
                let _ = pulse.wait_for(moved).await;
            }
        }
    }
}

fn tell(sender: &watch::Sender<Rest>, phase: Phase) {
    sender.send_if_modified(|rest| {
        let changed = rest.phase != phase;
        if changed {
            *rest = Rest { phase, changes: rest.changes + 1 };
        }
        changed
    });
}
