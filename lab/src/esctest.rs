//! Runs esctest2 headless against `vt`, or against a judge for comparison.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
    time::Instant,
};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use vt::Size;

use crate::{
    Verdict,
    emulator::{Answering, Factory, Kind},
    python::{PythonTool, to_bytes, to_text},
    repository,
};

/// Run esctest2 (a checkout of ThomasDickey/esctest2) against a terminal and count what passes
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The checkout: the folder that holds `esctest/`
    #[arg(long, value_name = "DIR")]
    suite: PathBuf,
    /// Which tests count, as JSON
    #[arg(long, value_name = "FILE")]
    subsets: Option<PathBuf>,
    /// Run only tests whose name matches this (Python) regular expression; then no bar applies
    #[arg(long, value_name = "RE")]
    filter: Option<String>,
    /// The terminal to test
    #[arg(long, value_enum, default_value_t = Kind::Vt)]
    terminal: Kind,
    /// Interpreter for the driver; for ghostty, one that can import pyghostty
    #[arg(long, value_name = "PY")]
    python: Option<PathBuf>,
    /// Write every outcome to this file
    #[arg(long, value_name = "OUT")]
    json: Option<PathBuf>,
    /// Show why each test failed
    #[arg(long)]
    verbose: bool,
    /// Further options for esctest, such as --xterm-reverse-wrap=383
    #[arg(last = true, value_name = "OPTION")]
    options: Vec<String>,
}

/// esctest's own screen size; each of its tests begins by requesting it.
const SIZE: Size = Size::new(80, 25);
/// Window operations need a window. `--timeout` has no effect: see the driver.
const OPTIONS: [&str; 3] = ["--xterm-checksum=334", "--max-vt-level=4", "--expected-terminal=xterm"];
const EVERYTHING: &str = "^(?!XtermWinops)";

#[derive(Deserialize)]
struct Subsets {
    screen_tests: BTreeSet<String>,
    everyday: BTreeSet<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Passed,
    Failed,
    /// esctest expects xterm itself to fail here, and the terminal failed too.
    #[serde(rename = "known bug")]
    KnownBug,
    /// The test needs a higher VT level than is claimed.
    Skipped,
}

#[derive(Serialize)]
struct Report {
    outcome: Outcome,
    detail: String,
}

/// A message from the driver.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Message {
    Write(String),
    Read,
    Test { name: String, outcome: Outcome, detail: String },
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let path = arguments.subsets.clone().unwrap_or_else(|| repository("lab/esctest_subsets.json"));
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let subsets: Subsets =
        serde_json::from_str(&text).with_context(|| format!("{} holds no subsets", path.display()))?;

    let started = Instant::now();
    let reports = run_suite(arguments)?;
    if let Some(path) = &arguments.json {
        fs::write(path, serde_json::to_vec_pretty(&reports)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let count = |outcome| reports.values().filter(|report| report.outcome == outcome).count();
    println!(
        "{}: {} tests in {:.1} s: {} passed, {} failed, {} known bugs of xterm, {} skipped",
        arguments.terminal.name(),
        reports.len(),
        started.elapsed().as_secs_f64(),
        count(Outcome::Passed),
        count(Outcome::Failed),
        count(Outcome::KnownBug),
        count(Outcome::Skipped)
    );

    let mut met = true;
    for (name, bar, tests) in [("screen", 320, &subsets.screen_tests), ("everyday", 196, &subsets.everyday)] {
        let ran: Vec<_> = tests.iter().filter_map(|test| reports.get(test).map(|report| (test, report))).collect();
        if ran.len() < tests.len() && arguments.filter.is_none() {
            bail!("{} of the {name} tests are not in {}", tests.len() - ran.len(), arguments.suite.display());
        }
        let passed = ran.iter().filter(|(_, report)| report.outcome == Outcome::Passed).count();
        println!("{name} {passed} of {} (bar {bar})", tests.len());
        met &= passed >= bar;
    }
    print_failures(&reports, &subsets, arguments.verbose);
    Ok(if met || arguments.filter.is_some() { Verdict::Good } else { Verdict::Bad })
}

fn run_suite(arguments: &Arguments) -> Result<BTreeMap<String, Report>> {
    let factory = Factory::new(arguments.terminal, arguments.python.clone())?;
    let mut terminal = Answering::new(factory.make(SIZE)?);
    let python = arguments.python.clone().unwrap_or_else(|| PathBuf::from("python3"));
    let include = arguments.filter.as_deref().unwrap_or(EVERYTHING);
    let mut driver = PythonTool::start(&python, &repository("tools/esctest_driver.py"), |command| {
        command.arg(&arguments.suite).args(OPTIONS).arg(format!("--include={include}")).args(&arguments.options);
    })?;
    let mut reports = BTreeMap::new();
    while let Some(message) = driver.receive()? {
        match message {
            Message::Write(bytes) => terminal.feed(&to_bytes(&bytes).context("the driver writes bytes")?)?,
            Message::Read => driver.send(&to_text(&terminal.take_replies()))?,
            Message::Test { name, outcome, detail } => {
                reports.insert(name, Report { outcome, detail });
            }
        }
    }
    driver.finish()?;
    Ok(reports)
}

fn print_failures(reports: &BTreeMap<String, Report>, subsets: &Subsets, verbose: bool) {
    for (name, report) in reports {
        let subset = match (subsets.screen_tests.contains(name), subsets.everyday.contains(name)) {
            (true, true) => "everyday",
            (true, false) => "screen",
            // Queries and window operations: outside both subsets, shown on demand.
            (false, _) if verbose => "other",
            (false, _) => continue,
        };
        if report.outcome == Outcome::Passed {
            continue;
        }
        println!("  {:9} {subset:8} {name}: {}", format!("{:?}", report.outcome), reason(&report.detail));
        if verbose {
            for line in report.detail.lines() {
                println!("      {line}");
            }
        }
    }
}

/// The exception's message: the first line of a traceback that is not indented, and the first cell it complains of.
fn reason(detail: &str) -> String {
    let mut lines = detail.lines().skip_while(|line| !line.starts_with("Traceback")).skip(1);
    match lines.find(|line| !line.starts_with(' ')) {
        Some(line) if line.ends_with(':') => format!("{line} {}", lines.next().unwrap_or_default()),
        Some(line) => line.to_owned(),
        None => detail.lines().next().unwrap_or_default().to_owned(),
    }
}
