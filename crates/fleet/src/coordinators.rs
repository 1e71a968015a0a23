//! The coordinators that a command may talk to, and which of them `coordinator:session` means.
//!
//! Nothing here connects; `reach` does.

use std::{
    os::unix::fs::FileTypeExt,
    path::{Path, PathBuf},
    time::Duration,
};

use grpc::client::Endpoint;
use program::{Exit, Failure};

use crate::{ClientConfig, ClientSurroundings, ConfiguredCoordinator, default_socket, path_pattern};

/// The default time limit of a coordinator's answer: enough for an ssh handshake.
pub const TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
pub struct Coordinator {
    pub name: String,
    pub endpoint: Endpoint,
    pub timeout: Duration,
}

impl Coordinator {
    pub fn at(socket: PathBuf, timeout: Duration) -> Self {
        let file = socket.file_name().unwrap_or_default().to_string_lossy();
        let name = file.strip_suffix(".sock").unwrap_or(&file).to_owned();
        Coordinator { name, endpoint: Endpoint::Socket(socket), timeout }
    }

    /// Its socket or its command, for people.
    pub fn place(&self) -> String {
        match &self.endpoint {
            Endpoint::Socket(path) => path.display().to_string(),
            Endpoint::Command(argv) => argv.join(" "),
        }
    }
}

/// The one of `--socket`, or those in the config, or the default one.
pub fn known(
    socket: Option<&Path>,
    config: &ClientConfig,
    surroundings: &ClientSurroundings,
) -> Result<Vec<Coordinator>, Failure> {
    let timeout = config.defaults.coordinator_timeout.unwrap_or(TIMEOUT);
    if let Some(socket) = socket {
        return Ok(vec![Coordinator::at(surroundings.working_dir.join(socket), timeout)]);
    }
    // Inside a session VTR_SOCKET is always set, and must not hide the other coordinators.
    let inside = surroundings.own_session.is_some();
    let named = surroundings.socket.is_some();
    if (named && !inside) || config.coordinators.is_empty() {
        return Ok(vec![Coordinator::at(default_socket::for_client(surroundings)?, timeout)]);
    }
    let mut known: Vec<Coordinator> = Vec::new();
    for entry in &config.coordinators {
        for coordinator in expand(entry, timeout, surroundings) {
            if !known.iter().any(|other| other.endpoint == coordinator.endpoint) {
                known.push(coordinator);
            }
        }
    }
    if named {
        let own = Coordinator::at(default_socket::for_client(surroundings)?, timeout);
        if !known.iter().any(|other| other.endpoint == own.endpoint) {
            known.push(own);
        }
    }
    Ok(known)
}

/// The coordinators that one config entry currently stands for: the sockets that match a pattern, or a single path
/// whether it exists or not.
pub fn expand(entry: &ConfiguredCoordinator, timeout: Duration, surroundings: &ClientSurroundings) -> Vec<Coordinator> {
    let timeout = entry.timeout.unwrap_or(timeout);
    let mut found = match (&entry.path, &entry.command) {
        (Some(path), _) if path_pattern::is_pattern(path) => {
            let is_socket = |path: &PathBuf| path.metadata().is_ok_and(|found| found.file_type().is_socket());
            let paths = path_pattern::expand(&surroundings.absolute(path)).into_iter().filter(is_socket);
            paths.map(|path| Coordinator::at(path, timeout)).collect()
        }
        (Some(path), _) => vec![Coordinator::at(surroundings.absolute(path), timeout)],
        (None, Some(command)) => {
            vec![Coordinator { name: String::new(), endpoint: Endpoint::Command(command.clone()), timeout }]
        }
        (None, None) => Vec::new(),
    };
    if let (Some(name), [only]) = (&entry.name, found.as_mut_slice()) {
        only.name.clone_from(name);
    }
    found
}

/// `session` or `coordinator:session`, as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionAddress {
    pub coordinator: Option<String>,
    pub session: String,
}

impl std::fmt::Display for SessionAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.coordinator {
            Some(coordinator) => write!(f, "{coordinator}:{}", self.session),
            None => f.write_str(&self.session),
        }
    }
}

impl std::str::FromStr for SessionAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (coordinator, session) = match text.rsplit_once(':') {
            Some((coordinator, session)) => (Some(coordinator.to_owned()), session),
            None => (None, text),
        };
        if session.is_empty() || coordinator.as_deref() == Some("") {
            return Err("write it as session or coordinator:session".into());
        }
        Ok(SessionAddress { coordinator, session: session.into() })
    }
}

/// The config only lists sockets that do not exist.
pub fn none() -> Failure {
    Failure::unreachable("none of the configured coordinators is running").with_hint(
        "start one where the config looks: `vtr serve --daemon --socket PATH`; `vtr config ls` shows the paths",
    )
}

/// No coordinator answered.
pub fn silent() -> Failure {
    Failure::unreachable("no coordinator answered")
        .with_hint("see `vtr config resolve`, or start one with `vtr serve --daemon`")
}

/// The coordinators that an address may mean: the named one, or all.
pub fn meant<'a>(address: &SessionAddress, known: &'a [Coordinator]) -> Result<Vec<&'a Coordinator>, Failure> {
    let Some(wanted) = &address.coordinator else {
        if known.is_empty() {
            return Err(none());
        }
        return Ok(known.iter().collect());
    };
    let named: Vec<&Coordinator> = known.iter().filter(|coordinator| coordinator.name == *wanted).collect();
    match named.as_slice() {
        [] => {
            let names: Vec<&str> = known.iter().map(|coordinator| coordinator.name.as_str()).collect();
            let hint = match names.as_slice() {
                [] => "there are no known coordinators: see `vtr config resolve`".to_owned(),
                names => format!("the known ones are {}; see `vtr config resolve`", names.join(", ")),
            };
            Err(Failure::not_found(format!("no coordinator is called {wanted:?}")).with_hint(hint))
        }
        [_] => Ok(named),
        several => {
            let places = several.iter().map(|coordinator| coordinator.place()).collect();
            let message = format!("{} coordinators are called {wanted:?}:", several.len());
            Err(Failure::new(Exit::Usage, "ambiguous", message)
                .with_candidates(places)
                .with_hint("choose with --socket PATH, or name them in the config"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Coordinator {
        Coordinator { name: name.into(), endpoint: Endpoint::Socket(format!("/{name}.sock").into()), timeout: TIMEOUT }
    }

    #[test]
    fn addresses() {
        let parse = |text: &str| text.parse::<SessionAddress>();
        assert_eq!(parse("codex"), Ok(SessionAddress { coordinator: None, session: "codex".into() }));
        assert_eq!(parse("a:codex"), Ok(SessionAddress { coordinator: Some("a".into()), session: "codex".into() }));
        for wrong in ["", ":", "a:", ":b"] {
            parse(wrong).unwrap_err();
        }
    }

    #[test]
    fn names_come_from_files() {
        let name = |path: &str| Coordinator::at(path.into(), TIMEOUT).name;
        assert_eq!(
            [name("/run/project-a.sock"), name("/run/x.sock.d"), name("plain")],
            ["project-a", "x.sock.d", "plain"]
        );
    }

    #[test]
    fn an_address_picks_its_coordinator() {
        let known = [named("a"), named("b")];
        let pick = |text: &str| meant(&text.parse().unwrap(), &known).map(|found| found.len());
        assert_eq!(pick("x").unwrap(), 2);
        assert_eq!(pick("b:x").unwrap(), 1);
        let failure = pick("c:x").unwrap_err();
        assert_eq!(failure.exit, Exit::NotFound);
        assert!(failure.hint.contains("a, b"), "{failure:?}");
    }

    #[test]
    fn two_of_one_name_are_ambiguous() {
        let mut second = named("a");
        second.endpoint = Endpoint::Command(vec!["ssh".into()]);
        let failure = meant(&"a:x".parse().unwrap(), &[named("a"), second]).unwrap_err();
        assert_eq!((failure.exit, failure.candidates.len()), (Exit::Usage, 2));
    }
}
