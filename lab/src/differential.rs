//! Replays recordings through `vt` and its judges, and checks every difference against the list of explained ones.

mod explained;
mod recordings;

use std::{path::PathBuf, time::Instant};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use regex::Regex;
use vt::Size;

use self::{explained::Explained, recordings::Recording};
use crate::{
    Verdict,
    emulator::{Factory, Kind},
    screen::{Difference, Screen},
};

/// Replay recordings through `vt` and its judges and show where their screens differ
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A folder of recordings, instead of fixtures/recordings; nothing is explained there
    #[arg(long, value_name = "DIR")]
    recordings: Option<PathBuf>,
    /// The points to compare at, instead of that folder's points.json
    #[arg(long, value_name = "FILE", requires = "recordings")]
    points: Option<PathBuf>,
    /// The judge
    #[arg(long, value_enum, default_value_t = Judges::All)]
    judge: Judges,
    /// The terminal under test: one other than `vt` shows where the judges themselves disagree
    #[arg(long, value_enum, default_value_t = Kind::Vt)]
    terminal: Kind,
    /// An interpreter that can import pyghostty; without it, the pinned wheel is put into target/
    #[arg(long, value_name = "PY")]
    python: Option<PathBuf>,
    /// Only show differences whose name matches, for example "ghostty programs/vim.raw 3676 text 5"
    #[arg(long, value_name = "RE")]
    filter: Option<Regex>,
    /// Show explained differences too
    #[arg(long)]
    verbose: bool,
    /// Add the unexplained differences to the list, with this reason
    #[arg(long, value_name = "REASON", conflicts_with = "recordings")]
    explain: Option<String>,
    /// Remove differences from the list that no longer exist
    #[arg(long, conflicts_with = "recordings")]
    forget: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Judges {
    Alacritty,
    Ghostty,
    All,
}

/// The size of all recordings.
const SIZE: Size = Size::new(120, 40);

/// A difference, with its name in the list of explained ones.
struct Named {
    name: String,
    difference: Difference,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let started = Instant::now();
    let recordings = match &arguments.recordings {
        Some(folder) => recordings::load(folder, arguments.points.as_deref(), "")?,
        None => recordings::load_fixtures()?,
    };
    let judges: &[Kind] = match arguments.judge {
        Judges::Alacritty => &[Kind::Alacritty],
        Judges::Ghostty => &[Kind::Ghostty],
        Judges::All => &[Kind::Alacritty, Kind::Ghostty],
    };
    let ours = Factory::new(arguments.terminal, arguments.python.clone())?;
    let mut found = Vec::new();
    for &judge in judges {
        let theirs = Factory::new(judge, arguments.python.clone())?;
        for recording in &recordings {
            compare(&ours, &theirs, recording, &mut found)
                .with_context(|| format!("{} with {}", recording.name, judge.name()))?;
        }
    }
    let points: usize = recordings.iter().map(|recording| recording.points.len()).sum();
    let asked = |name: &str| {
        judges.iter().any(|judge| name.starts_with(judge.name()))
            && arguments.filter.as_ref().is_none_or(|filter| filter.is_match(name))
    };
    found.retain(|named| asked(&named.name));

    // Reasons are about `vt` and the fixtures; no other pair has any.
    let about_us = arguments.terminal == Kind::Vt && arguments.recordings.is_none();
    let mut explained = if about_us { Explained::load()? } else { Explained::default() };
    for named in &found {
        let reason = explained.reason(&named.name);
        if reason.is_none() || arguments.verbose {
            print_difference(named, arguments.terminal, reason);
        }
    }
    let unexplained: Vec<String> =
        found.iter().map(|named| named.name.clone()).filter(|name| explained.reason(name).is_none()).collect();
    let vanished: Vec<String> = explained
        .names()
        .filter(|name| asked(name) && !found.iter().any(|named| named.name == *name))
        .map(str::to_owned)
        .collect();
    for name in &vanished {
        println!("no longer there: {name}");
    }
    println!(
        "{} recordings, {points} points, {:.1} s: {} differences, {} unexplained, {} no longer there",
        recordings.len(),
        started.elapsed().as_secs_f64(),
        found.len(),
        unexplained.len(),
        vanished.len()
    );
    if !about_us {
        return Ok(if found.is_empty() { Verdict::Good } else { Verdict::Bad });
    }
    let mut good = unexplained.is_empty() && vanished.is_empty();
    if arguments.explain.is_some() || arguments.forget {
        if arguments.forget {
            explained.forget(&vanished);
        }
        if let Some(reason) = &arguments.explain {
            explained.explain(reason, unexplained);
        }
        explained.save()?;
    } else if !explained.documented()? {
        println!("docs/differential.md does not list the differences; run with --forget to write it anew");
        good = false;
    }
    Ok(if good { Verdict::Good } else { Verdict::Bad })
}

fn compare(ours: &Factory, theirs: &Factory, recording: &Recording, found: &mut Vec<Named>) -> Result<()> {
    let our_screens = screens(ours, recording)?;
    let their_screens = screens(theirs, recording)?;
    let kept = theirs.attributes_kept() & ours.attributes_kept();
    for ((point, our), their) in recording.points.iter().zip(&our_screens).zip(&their_screens) {
        for difference in our.differences(their, kept) {
            let name = format!("{} {} {} {}", theirs.kind().name(), recording.name, point.offset, difference.aspect);
            found.push(Named { name, difference });
        }
    }
    Ok(())
}

fn screens(factory: &Factory, recording: &Recording) -> Result<Vec<Screen>> {
    let mut emulator = factory.make(SIZE)?;
    let mut fed = 0;
    let mut screens = Vec::new();
    for point in &recording.points {
        let Some(bytes) = recording.bytes.get(fed..point.offset) else {
            bail!("{}: no point can be at {}", recording.name, point.offset);
        };
        emulator.feed(bytes)?;
        fed = point.offset;
        screens.push(emulator.screen()?);
    }
    Ok(screens)
}

fn print_difference(named: &Named, terminal: Kind, reason: Option<&str>) {
    let judge = named.name.split(' ').next().unwrap_or_default();
    println!("{}", named.name);
    if let Some(reason) = reason {
        println!("  explained: {reason}");
    }
    println!("  {:9} |{}", terminal.name(), named.difference.ours);
    println!("  {judge:9} |{}", named.difference.theirs);
}
