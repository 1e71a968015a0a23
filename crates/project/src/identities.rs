//! Who stands behind a token, as the program around the project decides it.

use std::path::PathBuf;

use engine::SessionId;
use ops::Caller;

/// The way in for one agent that is about to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrance {
    /// Unique among the entrances of a program, and no secret.
    pub number: u64,
    /// The 0600 file that the agent's proxy and hooks read: socket and token.
    pub connect_file: PathBuf,
}

/// Gives out tokens and knows them again. The listener that checks them is the program's.
pub trait Identities: Send + Sync {
    /// The caller behind a token. A token whose entrance is open but not assigned yet belongs to an agent that
    /// was started a moment ago: wait for the assignment, a second at most.
    fn resolve(&self, token: &str) -> Option<Caller>;

    /// A way in for an agent about to be started. Until it is assigned it leads nowhere.
    fn open(&self) -> std::io::Result<Entrance>;

    /// The agent was started: from now on its token stands for `caller`.
    fn assign(&self, entrance: &Entrance, caller: Caller);

    /// The start failed: forgets the token and removes the file.
    fn close(&self, entrance: &Entrance);

    /// The session is gone: closes every entrance assigned to it.
    fn forget(&self, session: SessionId);
}

/// Knows nobody and lets nobody in.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoIdentities;

impl Identities for NoIdentities {
    fn resolve(&self, _: &str) -> Option<Caller> {
        None
    }

    fn open(&self) -> std::io::Result<Entrance> {
        Err(std::io::Error::new(std::io::ErrorKind::Unsupported, "this program lets no agent in"))
    }

    fn assign(&self, _: &Entrance, _: Caller) {}

    fn close(&self, _: &Entrance) {}

    fn forget(&self, _: SessionId) {}
}
