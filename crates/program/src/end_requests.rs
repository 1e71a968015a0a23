//! Requests to end a run: from a signal, from the person, or because the terminal is gone; and requests to end it at
//! once.

use std::{io, sync::Arc};

use crate::EndSignals;
use tokio::sync::watch;

/// What has been requested so far, and why.
#[derive(Clone, Copy, Debug)]
enum EndRequest {
    Stay,
    Leave(&'static str),
    Hurry(&'static str),
}

/// The requesting side. Cheap to clone.
#[derive(Clone, Debug)]
pub struct EndRequests(Arc<watch::Sender<EndRequest>>);

impl Default for EndRequests {
    fn default() -> Self {
        EndRequests(Arc::new(watch::Sender::new(EndRequest::Stay)))
    }
}

impl EndRequests {
    /// Requests an orderly end. Later requests change nothing.
    pub fn leave(&self, why: &'static str) {
        self.0.send_if_modified(|wish| {
            let first = matches!(wish, EndRequest::Stay);
            if first {
                *wish = EndRequest::Leave(why);
            }
            first
        });
    }

    /// Requests an orderly end, or an immediate one if the run is ending already.
    pub fn insist(&self, why: &'static str) {
        self.0.send_modify(|wish| {
            *wish = match wish {
                EndRequest::Stay => EndRequest::Leave(why),
                EndRequest::Leave(_) | EndRequest::Hurry(_) => EndRequest::Hurry(why),
            }
        });
    }

    /// Turns the signals of a server into requests from now on. Must be called inside a tokio runtime.
    pub fn hear_signals(&self) -> io::Result<()> {
        self.hear(EndSignals::of_a_server()?);
        Ok(())
    }

    /// Turns these signals into requests from now on. Must be called inside a tokio runtime.
    pub fn hear(&self, mut signals: EndSignals) {
        let ending = self.clone();
        tokio::spawn(async move {
            loop {
                let signal = signals.next().await;
                match signal.is_urgent() {
                    true => ending.insist(signal.name()),
                    false => ending.leave(signal.name()),
                }
            }
        });
    }

    pub fn wishes(&self) -> EndWatch {
        EndWatch(self.0.subscribe())
    }
}

/// The receiving side; it also sees requests made before.
#[derive(Clone, Debug)]
pub struct EndWatch(watch::Receiver<EndRequest>);

impl EndWatch {
    /// Waits for a request to end, and returns its reason.
    pub async fn leaving(&mut self) -> &'static str {
        self.find(|wish| match wish {
            EndRequest::Stay => None,
            EndRequest::Leave(why) | EndRequest::Hurry(why) => Some(why),
        })
        .await
    }

    /// Waits for a request to end at once, and returns its reason.
    pub async fn hurry(&mut self) -> &'static str {
        self.find(|wish| match wish {
            EndRequest::Stay | EndRequest::Leave(_) => None,
            EndRequest::Hurry(why) => Some(why),
        })
        .await
    }

    async fn find(&mut self, wanted: impl Fn(EndRequest) -> Option<&'static str>) -> &'static str {
        let found = self.0.wait_for(|wish| wanted(*wish).is_some()).await.map(|wish| *wish);
        match found.ok().and_then(wanted) {
            Some(why) => why,
            // Nobody is left who could request anything.
            None => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Poll;

    use super::*;

    fn is_hurried(ending: &EndRequests) -> bool {
        let mut wishes = ending.wishes();
        let mut hurry = std::pin::pin!(wishes.hurry());
        hurry.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop())) != Poll::Pending
    }

    #[test]
    fn only_who_insists_after_a_wish_is_in_a_hurry() {
        let ending = EndRequests::default();
        ending.leave("HUP");
        ending.leave("the interface has ended");
        ending.leave("HUP");
        assert!(!is_hurried(&ending));
        ending.insist("TERM");
        assert!(is_hurried(&ending));

        let ending = EndRequests::default();
        ending.insist("TERM");
        ending.leave("the interface has ended");
        assert!(!is_hurried(&ending));
    }
}
