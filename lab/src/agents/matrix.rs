//! `cargo lab agents matrix`: versions of the CLIs side by side, each led through the moments and sent prompts, and the table
//! in docs/agents-matrix.md of what was seen. Results are kept as data beside it, so that one row can be renewed.

mod page;

use std::{fs, path::PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::{
    deliver::{self, PromptResults},
    headless, install,
    moments::{self, MomentResults},
    vendors::Vendor,
};
use crate::{Verdict, repository};

const PAGE: &str = "docs/agents-matrix.md";
const RESULTS: &str = "docs/agents-matrix.json";

/// Try versions of the CLIs side by side, and write what was seen into docs/agents-matrix.md
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Run nothing; fail when the page is not what the results say
    #[arg(long)]
    check: bool,
    /// Only this one, NAME@VERSION; a row of its own is made where there is none
    #[arg(long, value_name = "NAME@VERSION", value_delimiter = ',')]
    only: Vec<String>,
    /// Only this part
    #[arg(long, value_enum)]
    part: Option<Part>,
    /// How many prompts are sent
    #[arg(long, default_value_t = 50)]
    count: usize,
    /// A patterm that is built already
    #[arg(long)]
    patterm: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    Moments,
    Prompts,
    /// Neither: the page is written anew from the results.
    Page,
}

/// One version of one CLI. What was not run is not there.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MatrixRow {
    agent: String,
    version: String,
    /// What people should know of it, such as why it was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    states: Option<MomentResults>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompts: Option<PromptResults>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let mut rows: Vec<MatrixRow> = serde_json::from_str(&fs::read_to_string(repository(RESULTS))?).context(RESULTS)?;
    if arguments.check {
        let page = fs::read_to_string(repository(PAGE)).unwrap_or_default();
        if page == page::of(&rows) {
            return Ok(Verdict::Good);
        }
        println!("{PAGE} is not what {RESULTS} says: run cargo lab agents matrix --part page, and commit");
        return Ok(Verdict::Bad);
    }
    if arguments.part != Some(Part::Page) {
        let program = headless::program(arguments.patterm.as_deref())?;
        for at in chosen(&mut rows, &arguments.only)? {
            renew(&mut rows[at], arguments, &program)?;
            // Each at once: a run takes minutes, and may be broken off.
            write(&rows)?;
        }
    }
    write(&rows)?;
    Ok(Verdict::Good)
}

/// Places in `rows`, after making those that are missing.
fn chosen(rows: &mut Vec<MatrixRow>, only: &[String]) -> Result<Vec<usize>> {
    if only.is_empty() {
        return Ok((0..rows.len()).collect());
    }
    let mut chosen = Vec::new();
    for name in only {
        let Vendor { name, version, .. } = Vendor::named(name)?;
        let at = rows.iter().position(|row| row.agent == name && row.version == version);
        chosen.push(at.unwrap_or_else(|| {
            rows.push(MatrixRow { agent: name.to_owned(), version, note: None, states: None, prompts: None });
            rows.len() - 1
        }));
    }
    Ok(chosen)
}

fn renew(row: &mut MatrixRow, arguments: &Arguments, program: &std::path::Path) -> Result<()> {
    let vendor = Vendor::named(&format!("{}@{}", row.agent, row.version))?;
    println!("=== {} {}", vendor.name, vendor.version);
    install::install(&vendor)?;
    if arguments.part != Some(Part::Prompts) {
        let states = moments::trial(&vendor, program)?;
        println!("{} {}: {}", vendor.name, vendor.version, states.summary());
        row.states = Some(states);
    }
    if arguments.part != Some(Part::Moments) {
        let prompts = deliver::trial(&vendor, program, 0, arguments.count)?;
        println!("{} {}: {}", vendor.name, vendor.version, prompts.summary());
        row.prompts = Some(prompts);
    }
    Ok(())
}

fn write(rows: &[MatrixRow]) -> Result<()> {
    let mut rows = rows.to_vec();
    let names: Vec<&str> = Vendor::all()?.iter().map(|vendor| vendor.name).collect();
    let place = |row: &MatrixRow| names.iter().position(|name| *name == row.agent);
    rows.sort_by_key(|row| (place(row), moments::numbers(&row.version)));
    fs::write(repository(RESULTS), serde_json::to_string_pretty(&rows)? + "\n")?;
    Ok(fs::write(repository(PAGE), page::of(&rows))?)
}
