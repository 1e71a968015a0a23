//! `patterm trust`

use std::{path::Path, time::SystemTime};

use agents::Catalog;
use clap::Subcommand;
use project::{
    FileLockTurn, Layout,
    trust::{Grant, Grants, Subject, SubjectKind, TrustError, changes},
};
use serde_json::{Value, json};

use super::presets::{self, PresetKindArg};
use interface::spelled::{fact_lines, spelled};
use program::{Exit, Failure, Outcome, Surroundings};

use crate::output::{Output, columns, printable};

/// Which presets agents may start in this project
///
/// Trust covers a preset's current content: after a change it must be granted again. Running patterms notice changes at
/// once.
#[derive(Debug, clap::Args)]
pub(crate) struct TrustArgs {
    #[command(subcommand)]
    command: TrustAction,
}

#[derive(Debug, Subcommand)]
enum TrustAction {
    /// List what is trusted, and what has changed since it was
    Ls,
    /// Show everything that a preset would run, set, write and allow
    Show {
        name: String,
        /// Which kind, if an agent and a process have this name
        #[arg(long)]
        kind: Option<PresetKindArg>,
    },
    /// Trust a preset's current content; `show` prints what you would allow
    Grant {
        name: String,
        /// Which kind, if an agent and a process have this name
        #[arg(long)]
        kind: Option<PresetKindArg>,
    },
    /// Withdraw the trust in a preset, whatever its content, or in a program that agents may start
    Revoke {
        name: String,
        /// Only the agent's, or only the process's
        #[arg(long)]
        kind: Option<PresetKindArg>,
    },
}

impl PresetKindArg {
    fn of_subject(self) -> SubjectKind {
        match self {
            PresetKindArg::Agent => SubjectKind::Agent,
            PresetKindArg::Process => SubjectKind::Command,
        }
    }
}

fn refused(error: &TrustError) -> Failure {
    Failure::new(Exit::Refused, "trust", error.to_string())
}

impl TrustArgs {
    pub(crate) fn run(self, project: &Path, surroundings: &Surroundings, output: &mut Output) -> Outcome {
        let layout =
            Layout::new(project, &surroundings.data_dir).map_err(|error| Failure::not_found(error.to_string()))?;
        let grants = Grants::new(layout.folder.clone());
        let catalog = Catalog::scan(&presets::folders(surroundings, &layout.project_dir));
        match self.command {
            TrustAction::Ls => list(&grants, &catalog, output),
            TrustAction::Show { name, kind } => show(&grants, &subject(&catalog, &name, kind)?, output),
            TrustAction::Grant { name, kind } => grant(&grants, &subject(&catalog, &name, kind)?, output),
            TrustAction::Revoke { name, kind } => {
                let taken = grants
                    .revoke(&FileLockTurn::default(), kind.map(PresetKindArg::of_subject), &name)
                    .map_err(|error| refused(&error))?;
                if taken == 0 {
                    return Err(Failure::not_found(format!("'{}' is not trusted here", printable(&name)))
                        .with_hint("see `patterm trust ls`"));
                }
                let line = format!("{} is no longer trusted", printable(&name));
                output.answer(&json!({ "revoked": taken, "preset": name }), &[line])?;
                Ok(Exit::Done)
            }
        }
    }
}

/// The preset is what it was when it was trusted.
const CURRENT: &str = "current content";

/// How a grant compares to what exists now.
fn standing(catalog: &Catalog, grant: &Grant) -> String {
    if grant.kind == SubjectKind::Program {
        let content: Value = serde_json::from_str(&grant.content).unwrap_or_default();
        return format!("to agents in tabs led by {}", content["lead"].as_str().unwrap_or_default());
    }
    if grant.kind == SubjectKind::StartSet {
        return "with what it held then".to_owned();
    }
    match project::presets::subject(catalog, grant.kind, &grant.preset) {
        Some(subject) if subject.hash == grant.hash => CURRENT.to_owned(),
        Some(_) => "earlier content".to_owned(),
        None => "gone".to_owned(),
    }
}

fn word(kind: SubjectKind) -> &'static str {
    match kind {
        SubjectKind::Agent => PresetKindArg::Agent.word(),
        SubjectKind::Command => PresetKindArg::Process.word(),
        SubjectKind::Program => "program",
        SubjectKind::StartSet => "start-set",
    }
}

fn list(grants: &Grants, catalog: &Catalog, output: &mut Output) -> Outcome {
    let all = grants.all().map_err(|error| refused(&error))?;
    let mut rows = Vec::new();
    let mut objects: Vec<Value> = Vec::new();
    for grant in all.iter() {
        let (kind, state) = (word(grant.kind), standing(catalog, grant));
        let lasting = matches!(grant.kind, SubjectKind::Program | SubjectKind::StartSet);
        let current = lasting || state == CURRENT;
        objects.push(json!({
            "kind": kind, "preset": grant.preset, "hash": grant.hash, "granted_at": grant.granted_at,
            "current": current,
        }));
        rows.push([kind.to_owned(), grant.preset.clone(), state, grant.granted_at.clone()]);
    }
    let lines = if rows.is_empty() {
        vec!["nothing is trusted in this project".to_owned()]
    } else {
        columns(["KIND", "NAME", "TRUSTED", "SINCE"], &rows)
    };
    output.answer(&json!({ "grants": objects }), &lines)?;
    Ok(Exit::Done)
}

fn subject(catalog: &Catalog, name: &str, kind: Option<PresetKindArg>) -> Result<Subject, Failure> {
    let of_kind = |wanted: PresetKindArg| {
        let fits = kind.is_none_or(|kind| kind == wanted);
        fits.then(|| project::presets::subject(catalog, wanted.of_subject(), name)).flatten()
    };
    match (of_kind(PresetKindArg::Agent), of_kind(PresetKindArg::Process)) {
        (Some(subject), None) | (None, Some(subject)) => Ok(subject),
        (Some(_), Some(_)) => {
            Err(Failure::new(Exit::Usage, "ambiguous", format!("an agent and a process are called '{name}'"))
                .with_hint("say which with --kind"))
        }
        (None, None) => Err(Failure::not_found(format!("there is no preset '{}'", printable(name)))
            .with_hint("see `patterm presets ls`")),
    }
}

/// What the user would allow, as the dialog on the screen shows it.
fn show(grants: &Grants, subject: &Subject, output: &mut Output) -> Outcome {
    let trusted = grants.holds(subject.kind, &subject.name, &subject.hash).map_err(|error| refused(&error))?;
    let changes = changes_since(grants, subject)?;
    let state = if trusted { "is trusted with its current content" } else { "is not trusted" };
    let mut lines = vec![format!("{} {state}", spelled(&subject.name))];
    lines.extend(described(subject, &changes));
    let shown = json!({
        "preset": subject.name, "hash": subject.hash, "trusted": trusted, "of_project": subject.of_project,
        "overrides": subject.overrides, "facts": facts(subject), "changes": changes,
    });
    output.answer(&shown, &lines)?;
    Ok(Exit::Done)
}

fn grant(grants: &Grants, subject: &Subject, output: &mut Output) -> Outcome {
    let changes = changes_since(grants, subject)?;
    grants.grant(&FileLockTurn::default(), subject, SystemTime::now()).map_err(|error| refused(&error))?;
    let mut lines = vec![format!("{} is now trusted with all of this:", spelled(&subject.name))];
    lines.extend(described(subject, &changes));
    let granted = json!({
        "preset": subject.name, "hash": subject.hash, "facts": facts(subject), "changes": changes,
    });
    output.answer(&granted, &lines)?;
    Ok(Exit::Done)
}

fn changes_since(grants: &Grants, subject: &Subject) -> Result<Vec<String>, Failure> {
    let before = grants.latest(subject.kind, &subject.name).map_err(|error| refused(&error))?;
    Ok(before.map_or_else(Vec::new, |before| changes(&before.content, &subject.content)))
}

fn facts(subject: &Subject) -> Vec<Value> {
    subject.facts.iter().map(|fact| json!({ "label": fact.label, "lines": fact.lines })).collect()
}

fn described(subject: &Subject, changes: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    if subject.of_project {
        lines.push("It comes with this project, not from your own folder.".to_owned());
    }
    if subject.overrides {
        lines.push(format!("It replaces your own {}.", spelled(&subject.name)));
    }
    if !changes.is_empty() {
        lines.push("Changed since you allowed it:".to_owned());
        lines.extend(changes.iter().map(|change| format!("  {}", spelled(change))));
    }
    lines.extend(fact_lines(&subject.facts).into_iter().map(|(label, text)| (label + &text).trim_end().to_owned()));
    lines
}
