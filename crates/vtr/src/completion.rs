//! Completion of command lines. Session names are requested from the coordinators, with a short time limit.

use std::{
    ffi::{OsStr, OsString},
    path::PathBuf,
    time::Duration,
};

use clap_complete::CompletionCandidate;
use fleet::{ClientConfig, coordinators, reach};
use program::printable;

use crate::surroundings::Surroundings;

/// A person is waiting at the Tab key.
const PATIENCE: Duration = Duration::from_millis(700);

/// The value of `--socket` in an unfinished command line.
pub(crate) fn typed_socket(words: impl Iterator<Item = OsString>) -> Option<PathBuf> {
    let mut words = words.skip_while(|word| word != "--").skip(1);
    while let Some(word) = words.next() {
        if word == "--socket" {
            return words.next().filter(|path| !path.is_empty()).map(PathBuf::from);
        }
        if let Some(path) = word.to_str().and_then(|word| word.strip_prefix("--socket=")) {
            return Some(path.into());
        }
    }
    None
}

/// Returns nothing if anything fails: a shell prompt is no place for our errors.
pub(crate) fn sessions(surroundings: &Surroundings, typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str() else { return Vec::new() };
    let Ok(config) = ClientConfig::load(&surroundings.client_config_file()) else { return Vec::new() };
    let Ok(mut known) = coordinators::known(None, &config, surroundings) else { return Vec::new() };
    for coordinator in &mut known {
        coordinator.timeout = coordinator.timeout.min(PATIENCE);
    }
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return Vec::new() };
    let heard = runtime.block_on(reach::list_all(&known));
    runtime.shutdown_background();
    let sessions: Vec<(String, String, String)> = heard
        .into_iter()
        .flat_map(|(coordinator, answer)| {
            let sessions = answer.map(|answer| answer.sessions).unwrap_or_default();
            // An invalid name could contain anything, and the shell would insert it into the command line.
            let named = sessions.into_iter().filter(|session| session.name.parse::<engine::SessionName>().is_ok());
            named.map(move |session| (coordinator.name.clone(), session.name, session.title))
        })
        .collect();
    let mut candidates = Vec::new();
    for (coordinator, name, title) in &sessions {
        let unique = sessions.iter().filter(|(_, other, _)| other == name).count() == 1;
        let long = format!("{coordinator}:{name}");
        let shown = if unique && !typed.contains(':') { name.clone() } else { long };
        if shown.starts_with(typed) {
            let help = if title.is_empty() { coordinator.clone() } else { printable(title) };
            candidates.push(CompletionCandidate::new(shown).help(Some(help.into())));
        }
    }
    candidates
}

/// The coordinators in the config.
pub(crate) fn coordinators(surroundings: &Surroundings, typed: &OsStr) -> Vec<CompletionCandidate> {
    let Ok(config) = ClientConfig::load(&surroundings.client_config_file()) else { return Vec::new() };
    let Ok(known) = coordinators::known(None, &config, surroundings) else { return Vec::new() };
    beginning_with(typed, known.into_iter().map(|coordinator| coordinator.name))
}

/// Key names; characters and modifiers are typed as they are.
pub(crate) fn keys(typed: &OsStr) -> Vec<CompletionCandidate> {
    const NAMES: &str = "enter tab escape space backspace delete insert up down left right home end pageup pagedown \
        ctrl+c ctrl+d f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12";
    beginning_with(typed, NAMES.split(' ').map(str::to_owned))
}

/// The signals that people usually send.
pub(crate) fn signals(typed: &OsStr) -> Vec<CompletionCandidate> {
    beginning_with(typed, "TERM KILL INT HUP QUIT USR1 USR2 STOP CONT TSTP WINCH".split(' ').map(str::to_owned))
}

fn beginning_with(typed: &OsStr, names: impl Iterator<Item = String>) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str() else { return Vec::new() };
    names.filter(|name| name.starts_with(typed)).map(CompletionCandidate::new).collect()
}
