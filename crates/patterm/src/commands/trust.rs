//! `patterm trust`

use std::{path::Path, time::SystemTime};

use agents::{
    Catalog,
    preset::{Content, Place},
};
use clap::Subcommand;
use project::{
    Layout, Turn,
    trust::{Grant, Grants, Subject, TrustError},
};
use serde_json::{Value, json};

use super::presets::{self, Kind};
use crate::{
    failure::{Exit, Failure, Outcome},
    output::{Output, columns, printable},
    surroundings::Surroundings,
};

/// Which presets agents may start in this project
///
/// A preset is trusted with the content it has now: when its file changes, it has to be trusted again. Running patterms
/// notice at once.
#[derive(Debug, clap::Args)]
pub(crate) struct Trust {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List what is trusted, and what has changed since
    Ls,
    /// Trust a preset as it is now
    Grant {
        name: String,
        /// Which, when an agent and a process have the name
        #[arg(long)]
        kind: Option<Kind>,
    },
    /// Trust a preset no more, whatever its content
    Revoke {
        name: String,
        /// Only the agent's, or only the process's
        #[arg(long)]
        kind: Option<Kind>,
    },
}

impl Kind {
    fn of_session(self) -> engine::Kind {
        match self {
            Kind::Agent => engine::Kind::Agent,
            Kind::Process => engine::Kind::Command,
        }
    }

    fn of_grant(grant: &Grant) -> Self {
        if grant.kind == engine::Kind::Agent { Kind::Agent } else { Kind::Process }
    }
}

fn refused(error: &TrustError) -> Failure {
    Failure::new(Exit::Refused, "trust", error.to_string())
}

impl Trust {
    pub(crate) fn run(self, project: &Path, surroundings: &Surroundings, output: &mut Output) -> Outcome {
        let layout =
            Layout::new(project, &surroundings.data_dir).map_err(|error| Failure::not_found(error.to_string()))?;
        let grants = Grants::new(layout.folder.clone());
        let catalog = Catalog::scan(&presets::folders(surroundings, &layout.project_dir));
        match self.command {
            Command::Ls => list(&grants, &catalog, output),
            Command::Grant { name, kind } => grant(&grants, &subject(&catalog, &name, kind)?, output),
            Command::Revoke { name, kind } => {
                let taken = grants
                    .revoke(&Turn::default(), kind.map(Kind::of_session), &name)
                    .map_err(|error| refused(&error))?;
                if taken == 0 {
                    return Err(Failure::not_found(format!("'{}' is not trusted here", printable(&name)))
                        .with_hint("see `patterm trust ls`"));
                }
                let line = format!("{} is trusted no more", printable(&name));
                output.answer(&json!({ "revoked": taken, "preset": name }), &[line])?;
                Ok(Exit::Done)
            }
        }
    }
}

/// The hash of a preset as it is now; none when it is gone.
fn hash_now(catalog: &Catalog, kind: Kind, name: &str) -> Option<String> {
    match kind {
        Kind::Agent => catalog.agent(name).map(|found| found.hash.as_str().to_owned()),
        Kind::Process => catalog.process(name).map(|found| found.hash.as_str().to_owned()),
    }
}

fn list(grants: &Grants, catalog: &Catalog, output: &mut Output) -> Outcome {
    let all = grants.all().map_err(|error| refused(&error))?;
    let mut rows = Vec::new();
    let mut objects: Vec<Value> = Vec::new();
    for grant in all.iter() {
        let kind = Kind::of_grant(grant);
        let state = match hash_now(catalog, kind, &grant.preset) {
            Some(hash) if hash == grant.hash => "as it is",
            Some(_) => "with other content",
            None => "gone",
        };
        rows.push([kind.word().to_owned(), grant.preset.clone(), state.to_owned(), grant.granted_at.clone()]);
        objects.push(json!({
            "kind": kind, "preset": grant.preset, "hash": grant.hash, "granted_at": grant.granted_at,
            "current": state == "as it is",
        }));
    }
    let lines = if rows.is_empty() {
        vec!["nothing is trusted in this project".to_owned()]
    } else {
        columns(["KIND", "PRESET", "TRUSTED", "SINCE"], &rows)
    };
    output.answer(&json!({ "grants": objects }), &lines)?;
    Ok(Exit::Done)
}

fn subject(catalog: &Catalog, name: &str, kind: Option<Kind>) -> Result<Subject, Failure> {
    let agent = catalog.agent(name).filter(|_| kind != Some(Kind::Process));
    let process = catalog.process(name).filter(|_| kind != Some(Kind::Agent));
    match (agent, process) {
        (Some(found), None) => Ok(Subject {
            kind: engine::Kind::Agent,
            name: name.to_owned(),
            of_project: found.place != Place::Global,
            hash: found.hash.as_str().to_owned(),
            content: found.content.canonical(),
            command: found.preset.argv.clone(),
            working_dir: found.preset.working_dir.clone(),
            env: found.preset.env.keys().cloned().collect(),
        }),
        (None, Some(found)) => Ok(Subject {
            kind: engine::Kind::Command,
            name: name.to_owned(),
            of_project: found.place != Place::Global,
            hash: found.hash.as_str().to_owned(),
            content: found.content.canonical(),
            command: found.preset.command(),
            working_dir: found.preset.working_dir.clone(),
            env: found.preset.env.keys().cloned().collect(),
        }),
        (Some(_), Some(_)) => {
            Err(Failure::new(Exit::Usage, "ambiguous", format!("an agent and a process are called '{name}'"))
                .with_hint("say which with --kind"))
        }
        (None, None) => Err(Failure::not_found(format!("there is no preset '{}'", printable(name)))
            .with_hint("see `patterm presets ls`")),
    }
}

fn grant(grants: &Grants, subject: &Subject, output: &mut Output) -> Outcome {
    let before = grants.latest(subject.kind, &subject.name).map_err(|error| refused(&error))?;
    grants.grant(&Turn::default(), subject, SystemTime::now()).map_err(|error| refused(&error))?;
    let mut lines = vec![format!("{} is trusted: {}", subject.name, printable(&subject.command.join(" ")))];
    let contents = before.and_then(|before| {
        Some((Content::from_canonical(&before.content)?, Content::from_canonical(&subject.content)?))
    });
    let changes: Vec<String> = contents.map_or_else(Vec::new, |(before, now)| {
        now.changes_since(&before).iter().map(|change| printable(&change.to_string())).collect()
    });
    lines.extend(changes.iter().map(|change| format!("  {change}")));
    let granted = json!({
        "preset": subject.name, "hash": subject.hash, "command": subject.command, "changes": changes,
    });
    output.answer(&granted, &lines)?;
    Ok(Exit::Done)
}
