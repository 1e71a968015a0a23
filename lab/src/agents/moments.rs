//! `cargo lab agents moments`: a real CLI under its preset is led through moments whose truth is known (by the scripted
//! model, by the command that runs, by the screen that was opened), and what patterm says of it meanwhile is compared.
//!
//! What is done to the CLIs is data: `lab/moments/scenes.json` (`waiting.json` with a message that waits) for all of them, and a
//! file for each with what only it has.

mod book;
mod driver;
mod play;
mod sampler;
mod script;
mod tape;

use std::{path::PathBuf, time::Duration};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use self::book::SceneBook;
use super::{headless, vendors::Vendor};
use crate::Verdict;

/// Lead a real CLI through moments whose true state is known, and compare patterm's answers
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// NAME, or NAME@VERSION
    #[arg(long, value_name = "NAME")]
    agent: String,
    /// Only scenes whose name holds one of these
    #[arg(long, value_delimiter = ',')]
    scenes: Vec<String>,
    /// Send a message at each question and at each screen that a person opens, instead: it must wait until that is left
    #[arg(long, conflicts_with = "into")]
    waiting: bool,
    /// A patterm that is built already
    #[arg(long)]
    patterm: Option<PathBuf>,
    /// Write a recording with labelled points into this folder, in the format of fixtures/recordings/agents
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    /// The middle of the recording's name: NAME-VERSION-WHAT.raw
    #[arg(long, value_name = "WHAT", default_value = "moments")]
    what: String,
    /// Print the screen at every moment
    #[arg(long)]
    screens: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let vendor = Vendor::named(&arguments.agent)?;
    let program = headless::program(arguments.patterm.as_deref())?;
    let what = arguments.into.as_ref().map(|folder| (folder.as_path(), arguments.what.as_str()));
    let showing = if arguments.screens { play::Showing::Screens } else { play::Showing::Results };
    let book = if arguments.waiting { SceneBook::Waiting } else { SceneBook::Moments };
    let told = play::all(&vendor, &program, book, &arguments.scenes, what, showing)?;
    println!("{} {}: {}", vendor.name, vendor.version, told.summary());
    Ok(if told.is_right() { Verdict::Good } else { Verdict::Bad })
}

/// All scenes, for the matrix.
pub(crate) fn trial(vendor: &Vendor, program: &std::path::Path) -> Result<MomentResults> {
    play::all(vendor, program, SceneBook::Moments, &[], None, play::Showing::Results)
}

/// What patterm said at every moment that was reached.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct MomentResults {
    pub(crate) moments: Vec<MomentResult>,
    /// Scenes that did not reach their end, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) broken: Vec<BrokenScene>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct MomentResult {
    pub(crate) label: String,
    pub(crate) truth: String,
    /// The answer when the moment had settled.
    pub(crate) told: String,
    /// Its reason, if it was wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<String>,
    /// The longest time that patterm said idle while the agent was known not to be.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) wrong_idle_ms: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BrokenScene {
    pub(crate) scene: String,
    pub(crate) reason: String,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A wrong idle that lasts longer would be acted on by those who wait for it.
pub(crate) const LONGEST_WRONG_IDLE: Duration = Duration::from_millis(300);

impl MomentResult {
    pub(crate) fn is_right(&self) -> bool {
        self.truth == self.told
    }
}

impl MomentResults {
    pub(crate) fn right(&self) -> usize {
        self.moments.iter().filter(|moment| moment.is_right()).count()
    }

    pub(crate) fn longest_wrong_idle(&self) -> Duration {
        Duration::from_millis(self.moments.iter().map(|moment| moment.wrong_idle_ms).max().unwrap_or_default())
    }

    fn is_right(&self) -> bool {
        self.broken.is_empty() && self.right() == self.moments.len() && self.longest_wrong_idle() <= LONGEST_WRONG_IDLE
    }

    pub(crate) fn summary(&self) -> String {
        let (right, all) = (self.right(), self.moments.len());
        let (idle, broken) = (self.longest_wrong_idle().as_millis(), self.broken.len());
        format!("{right} of {all} moments right, wrong idle at most {idle} ms, {broken} scenes not played to their end")
    }
}
