//! The tokens of one run: whom they identify, and the connect files that hold them.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use engine::SessionId;
use ops::Caller;
use project::{Entrance, Identities};
use subtle::ConstantTimeEq;

use super::connect_file::ConnectFile;

/// How long an agent that connects early waits until its start has been registered.
const ASSIGNMENT_TIME: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) struct RunIdentities {
    socket: PathBuf,
    /// The folder of this run, 0700.
    folder: PathBuf,
    state: Mutex<IdentityTable>,
    assigned: Condvar,
}

#[derive(Default)]
struct IdentityTable {
    next: u64,
    known: Vec<KnownToken>,
}

struct KnownToken {
    number: u64,
    token: String,
    connect_file: PathBuf,
    /// None until the agent has been started.
    caller: Option<Caller>,
}

impl std::fmt::Debug for IdentityTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("known", &self.known.len()).finish_non_exhaustive()
    }
}

impl RunIdentities {
    pub(crate) fn new(socket: &Path, folder: &Path) -> Self {
        RunIdentities {
            socket: socket.into(),
            folder: folder.into(),
            state: Mutex::default(),
            assigned: Condvar::new(),
        }
    }

    /// Creates the connect file for clients that act as the human.
    pub(crate) fn open_operator(&self) -> io::Result<PathBuf> {
        let entrance = self.open_as("operator")?;
        self.assign(&entrance, Caller::operator());
        Ok(entrance.connect_file)
    }

    fn open_as(&self, name: &str) -> io::Result<Entrance> {
        let token = token()?;
        let mut state = self.state();
        state.next += 1;
        let number = state.next;
        let connect_file = self.folder.join(format!("{name}-{number}.json"));
        ConnectFile { socket: self.socket.clone(), token: token.clone() }.write(&connect_file)?;
        state.known.push(KnownToken { number, token, connect_file: connect_file.clone(), caller: None });
        Ok(Entrance { number, connect_file })
    }

    fn state(&self) -> MutexGuard<'_, IdentityTable> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn drop_where(&self, gone: impl Fn(&KnownToken) -> bool) {
        let mut state = self.state();
        state.known.retain(|known| {
            let gone = gone(known);
            if gone {
                // A file that can't be removed now is removed with the run's folder.
                let _ = fs::remove_file(&known.connect_file);
            }
            !gone
        });
    }
}

impl IdentityTable {
    /// Compares every token in full, so that the time taken reveals nothing about them.
    fn find(&self, token: &str) -> Option<&KnownToken> {
        let mut found = None;
        for known in &self.known {
            if bool::from(known.token.as_bytes().ct_eq(token.as_bytes())) {
                found = Some(known);
            }
        }
        found
    }
}

impl Identities for RunIdentities {
    fn resolve(&self, token: &str) -> Option<Caller> {
        let unassigned = |state: &mut IdentityTable| state.find(token).is_some_and(|known| known.caller.is_none());
        let waited = self.assigned.wait_timeout_while(self.state(), ASSIGNMENT_TIME, unassigned);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.find(token)?.caller.clone()
    }

    fn open(&self) -> io::Result<Entrance> {
        self.open_as("agent")
    }

    fn assign(&self, entrance: &Entrance, caller: Caller) {
        let mut state = self.state();
        if let Some(known) = state.known.iter_mut().find(|known| known.number == entrance.number) {
            known.caller = Some(caller);
        }
        drop(state);
        self.assigned.notify_all();
    }

    fn close(&self, entrance: &Entrance) {
        self.drop_where(|known| known.number == entrance.number);
        self.assigned.notify_all();
    }

    fn forget(&self, session: SessionId) {
        self.drop_where(|known| known.caller.as_ref().is_some_and(|caller| caller.session == Some(session)));
    }
}

/// 256 random bits, as hex.
fn token() -> io::Result<String> {
    let mut random = [0; 32];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use std::{os::unix::fs::MetadataExt, sync::Arc};

    use ops::Role;

    use super::*;

    fn agent() -> Caller {
        Caller { role: Role::SubAgent, session: None }
    }

    fn token_of(file: &Path) -> String {
        ConnectFile::parse(&fs::read_to_string(file).unwrap()).unwrap().token
    }

    #[test]
    fn a_token_is_known_from_its_assignment_until_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let identities = Arc::new(RunIdentities::new(Path::new("/s"), folder.path()));
        let operator = identities.open_operator().unwrap();
        assert_eq!(operator.metadata().unwrap().mode() & 0o777, 0o600);
        assert_eq!(identities.resolve(&token_of(&operator)), Some(Caller::operator()));
        let entrance = identities.open().unwrap();
        let token = token_of(&entrance.connect_file);
        let early = { (identities.clone(), token.clone()) };
        let early = std::thread::spawn(move || early.0.resolve(&early.1));
        identities.assign(&entrance, agent());
        assert_eq!(early.join().unwrap(), Some(agent()), "it waits for the assignment");
        for wrong in ["", &token[1..], &format!("{token}0"), &token.to_uppercase().replace(char::is_numeric, "0")] {
            assert_eq!(identities.resolve(wrong), None);
        }
        identities.close(&entrance);
        assert_eq!(identities.resolve(&token), None);
        assert!(!entrance.connect_file.exists());
        assert!(!format!("{identities:?}").contains(&token_of(&operator)));
    }

    #[test]
    fn what_is_never_assigned_leads_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let identities = RunIdentities::new(Path::new("/s"), folder.path());
        let entrance = identities.open().unwrap();
        assert_eq!(identities.resolve(&token_of(&entrance.connect_file)), None);
    }
}
