//! Who is behind a token, as the program around the project decides.

use std::path::PathBuf;

use engine::SessionId;
use ops::Caller;

/// An entrance for one agent that is about to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrance {
    /// Unique among a program's entrances, and not secret.
    pub number: u64,
    /// The 0600 file that the agent's proxy and hooks read, with socket and token.
    pub connect_file: PathBuf,
}

/// Issues tokens and recognises them. The listener that checks them belongs to the program.
pub trait Identities: Send + Sync {
    /// The caller behind a token. A token whose entrance is open but not assigned yet belongs to an agent that was
    /// started a moment ago: wait for the assignment, at most a second.
    fn resolve(&self, token: &str) -> Option<Caller>;

    /// Opens an entrance for an agent about to be started. Until it is assigned, its token is not accepted.
    fn open(&self) -> std::io::Result<Entrance>;

    /// The agent was started: from now on its token stands for `caller`.
    fn assign(&self, entrance: &Entrance, caller: Caller);

    /// The start failed: revokes the token and removes the file.
    fn close(&self, entrance: &Entrance);

    /// The session is gone: closes every entrance assigned to it.
    fn forget(&self, session: SessionId);
}

/// Knows no tokens and admits nobody.
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
