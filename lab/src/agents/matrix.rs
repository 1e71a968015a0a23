//! `cargo lab agents matrix`: versions of the CLIs side by side, each led through the moments and sent prompts, and the
//! table of the results in docs/agents-matrix.md. Results are kept as data beside it, so that one row can be updated.

mod page;

use std::{fs, path::PathBuf};

use agents::version::ProgramVersion;
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

/// Try versions of the CLIs side by side, and write the results into docs/agents-matrix.md
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Run nothing; fail if the page does not match the results
    #[arg(long)]
    check: bool,
    /// Only this one, NAME@VERSION; a new row is added if there is none
    #[arg(long, value_name = "NAME@VERSION", value_delimiter = ',')]
    only: Vec<String>,
    /// Only this part
    #[arg(long, value_enum)]
    part: Option<Part>,
    /// The number of prompts
    #[arg(long, default_value_t = 50)]
    count: usize,
    /// An existing patterm
    #[arg(long)]
    patterm: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    Moments,
    Prompts,
    /// Neither: only regenerate the page from the results.
    Page,
}

/// One version of one CLI. Parts that were not run are missing.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MatrixRow {
    agent: String,
    version: String,
    /// A note for people, such as why it was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    states: Option<MomentResults>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompts: Option<PromptResults>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    if arguments.check {
        let page = fs::read_to_string(repository(PAGE)).unwrap_or_default();
        if page == page::of(&read()?) {
            return Ok(Verdict::Good);
        }
        println!("{PAGE} is not what {RESULTS} says: run cargo lab agents matrix --part page, and commit");
        return Ok(Verdict::Bad);
    }
    if arguments.part == Some(Part::Page) {
        write(read()?)?;
        return Ok(Verdict::Good);
    }
    let program = headless::program(arguments.patterm.as_deref())?;
    for mut row in chosen(&arguments.only)? {
        renew(&mut row, arguments, &program)?;
        // Saved at once, merged with what others wrote meanwhile: a run takes minutes, and may be interrupted.
        let mut rows = read()?;
        rows.retain(|other| (&other.agent, &other.version) != (&row.agent, &row.version));
        rows.push(row);
        write(rows)?;
    }
    Ok(Verdict::Good)
}

fn read() -> Result<Vec<MatrixRow>> {
    serde_json::from_str(&fs::read_to_string(repository(RESULTS))?).context(RESULTS)
}

/// The named rows, created if missing; or all.
fn chosen(only: &[String]) -> Result<Vec<MatrixRow>> {
    let rows = read()?;
    if only.is_empty() {
        return Ok(rows);
    }
    let named = |name: &String| {
        let Vendor { name, version, .. } = Vendor::named(name)?;
        let known = rows.iter().find(|row| row.agent == name && row.version == version).cloned();
        Ok(known.unwrap_or(MatrixRow { agent: name.to_owned(), version, note: None, states: None, prompts: None }))
    };
    only.iter().map(named).collect()
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

fn write(mut rows: Vec<MatrixRow>) -> Result<()> {
    let names: Vec<&str> = Vendor::all()?.iter().map(|vendor| vendor.name).collect();
    let place = |row: &MatrixRow| names.iter().position(|name| *name == row.agent);
    rows.sort_by_key(|row| (place(row), row.version.parse::<ProgramVersion>().ok()));
    fs::write(repository(RESULTS), serde_json::to_string_pretty(&rows)? + "\n")?;
    Ok(fs::write(repository(PAGE), page::of(&rows))?)
}
