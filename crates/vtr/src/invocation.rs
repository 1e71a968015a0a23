//! One run of a client command: its config, its output, and the way to the session it names.

use std::time::Duration;

use fleet::{
    ClientConfig, Coordinator, OutputFormat, ReachedCoordinator, SessionAddress, SessionSearch, coordinators, reach,
    refusal,
};
use grpc::client::CoordinatorClient;
use program::{Exit, Failure};

use crate::{cli::GlobalFlags, client_config, output::Output, surroundings::Surroundings};

#[derive(Debug)]
pub(crate) struct Invocation {
    pub(crate) surroundings: Surroundings,
    pub(crate) config: ClientConfig,
    pub(crate) output: Output,
    pub(crate) everywhere: GlobalFlags,
    warned_of_version: bool,
    /// The command's own time limit, if it has one: no coordinator is waited for longer.
    pub(crate) patience: Option<Duration>,
}

/// Enough to connect and get a greeting on a busy machine.
const LEAST_PATIENCE: Duration = Duration::from_secs(1);

/// A session to talk about, on a coordinator that answers.
#[derive(Debug)]
pub(crate) struct SessionTarget {
    pub(crate) coordinator: Coordinator,
    pub(crate) client: CoordinatorClient,
    /// Its name or id, as given.
    pub(crate) session: String,
}

impl SessionTarget {
    /// The failure that the coordinator reported.
    pub(crate) fn failure(&self, status: &tonic::Status) -> Failure {
        refusal::failure(status, &self.coordinator)
    }
}

impl Invocation {
    pub(crate) fn new(everywhere: GlobalFlags, surroundings: Surroundings) -> Result<Self, Box<(Output, Failure)>> {
        let color = surroundings.stdout_is_terminal && !surroundings.no_color;
        let mut output = Output::new(everywhere.json, color, surroundings.stdout_is_terminal);
        let config = match client_config::load(&surroundings.client_config_file()) {
            Ok(config) => config,
            // With --socket nothing from the file is needed.
            Err(failure) if everywhere.socket.is_some() => {
                output.warn(format_args!("{}; its defaults are ignored", failure.message));
                ClientConfig::default()
            }
            Err(failure) => return Err(Box::new((output, failure))),
        };
        if let Some(file) = surroundings.client_config.as_ref().filter(|file| !file.exists()) {
            output.warn(format_args!("VTR_CONFIG names {}, which does not exist", file.display()));
        }
        output.json |= config.defaults.output_format == OutputFormat::Json && !everywhere.human;
        Ok(Invocation { surroundings, config, output, everywhere, warned_of_version: false, patience: None })
    }

    pub(crate) fn coordinators(&self) -> Result<Vec<Coordinator>, Failure> {
        let mut known = coordinators::known(self.everywhere.socket.as_deref(), &self.config, &self.surroundings)?;
        if let Some(patience) = self.patience {
            for coordinator in &mut known {
                coordinator.timeout = coordinator.timeout.min(patience.max(LEAST_PATIENCE));
            }
        }
        Ok(known)
    }

    /// Finds the session that an address names, on any coordinator.
    pub(crate) async fn target(&mut self, address: &SessionAddress) -> Result<SessionTarget, Failure> {
        let [target] =
            <[_; 1]>::try_from(self.targets(std::slice::from_ref(address)).await?).expect("one was asked for");
        target
    }

    /// Finds several sessions, in the order given. Those without a coordinator are searched for together.
    pub(crate) async fn targets(
        &mut self,
        addresses: &[SessionAddress],
    ) -> Result<Vec<Result<SessionTarget, Failure>>, Failure> {
        let known = self.coordinators()?;
        let anywhere = |address: &&SessionAddress| address.coordinator.is_none() && known.len() > 1;
        let names: Vec<String> = addresses.iter().filter(anywhere).map(|address| address.session.clone()).collect();
        let mut search = SessionSearch { found: Vec::new(), silent: Vec::new() };
        if !names.is_empty() {
            search = reach::search(&known, names).await;
        }
        for (coordinator, silence) in &search.silent {
            self.output.not_heard(&coordinator.name, silence);
        }
        let mut found = search.found.into_iter();
        let mut targets = Vec::new();
        for address in addresses {
            targets.push(if anywhere(&address) {
                let found = found.next().unwrap_or_default();
                match reach::only_one(&address.session, found, search.silent.len(), known.len()) {
                    Ok((reached, found)) => {
                        // By id from here on, because the name may pass to another session at any time.
                        let session = if found.id.is_empty() { found.name } else { found.id };
                        Ok(self.reached(reached, session))
                    }
                    Err(failure) if failure.exit == Exit::NotFound => {
                        let near = reach::near(&known, &address.session).await;
                        let guess = near.map_or_else(String::new, |near| format!(" (did you mean {near}?)"));
                        Err(Failure { message: failure.message + &guess, ..failure })
                    }
                    Err(failure) => Err(failure),
                }
            } else {
                match coordinators::meant(address, &known).map(|meant| meant[0].clone()) {
                    Ok(only) => self.reach(&only, &address.session).await,
                    Err(failure) => Err(failure),
                }
            });
        }
        Ok(targets)
    }

    /// The coordinator for a new session: the named one, or the only one.
    pub(crate) async fn place(&mut self, address: &SessionAddress) -> Result<SessionTarget, Failure> {
        let known = self.coordinators()?;
        match coordinators::meant(address, &known)?.as_slice() {
            [only] => {
                let only = (*only).clone();
                self.reach(&only, &address.session).await
            }
            several => {
                let candidates =
                    several.iter().map(|coordinator| format!("{}:{}", coordinator.name, address.session)).collect();
                Err(Failure::new(Exit::Usage, "ambiguous", "several coordinators are configured:")
                    .with_candidates(candidates)
                    .with_hint("choose one of these, or give --socket PATH"))
            }
        }
    }

    pub(crate) async fn reach(&mut self, coordinator: &Coordinator, session: &str) -> Result<SessionTarget, Failure> {
        match reach::reach(coordinator).await {
            Ok(reached) => Ok(self.reached(reached, session.to_owned())),
            Err(silence) => Err(Failure::unreachable(silence.to_string())),
        }
    }

    fn reached(&mut self, reached: ReachedCoordinator, session: String) -> SessionTarget {
        let ours = env!("CARGO_PKG_VERSION");
        let theirs = reached.client.server().map_or("too old to tell", |server| server.version.as_str());
        if theirs != ours && !self.warned_of_version {
            self.warned_of_version = true;
            let name = &reached.coordinator.name;
            self.output.warn(format_args!(
                "this is vtr {ours}; the coordinator {name} is {theirs}: {}",
                version_advice(theirs, ours)
            ));
        }
        SessionTarget { coordinator: reached.coordinator, client: reached.client, session }
    }
}

/// What a person can do about a coordinator of another version.
pub(crate) fn version_advice(theirs: &str, ours: &str) -> &'static str {
    match (release(theirs), release(ours)) {
        (Some(theirs), Some(ours)) if theirs > ours => "install that version here too",
        (Some(theirs), Some(ours)) if theirs < ours => "restart it when its sessions may end: a restart ends them all",
        _ => "some features may be missing on either side",
    }
}

/// A version as numbers, for comparing.
fn release(version: &str) -> Option<[u32; 3]> {
    let mut numbers = version.splitn(3, '.').map(|number| number.parse().ok());
    Some([numbers.next()??, numbers.next()??, numbers.next()??])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_older_coordinator_is_to_be_started_anew() {
        assert!(version_advice("1.9.9", "1.10.0").contains("ends them all"));
        assert!(version_advice("2.0.0", "1.10.0").contains("install"));
        for odd in ["too old to tell", "", "1.2", "1.2.x"] {
            assert!(version_advice(odd, "1.10.0").contains("missing"), "{odd}");
        }
    }
}
