//! Which of patterm's tools a real CLI shows its model in the first turn, read from the request itself.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use ops::{Faces, Role};
use serde_json::json;
use testkit::model::{ModelScript, OfferedTool};

use super::{headless, stage::Stage, vendors::Vendor};
use crate::Verdict;

/// Start real CLIs from their presets and read which of patterm's tools their model is shown at the first turn
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// NAME or NAME@VERSION; all if omitted
    #[arg(long = "agent", value_name = "NAME")]
    agents: Vec<String>,
    /// An existing patterm
    #[arg(long)]
    patterm: Option<PathBuf>,
    /// Update the table in docs/agents-runs.md; rows of CLIs that were not asked for stay
    #[arg(long)]
    write: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let chosen: Vec<Vendor> = match &arguments.agents[..] {
        [] => Vendor::all()?,
        names => names.iter().map(|name| Vendor::named(name)).collect::<Result<_>>()?,
    };
    let program = headless::program(arguments.patterm.as_deref())?;
    let (mut verdict, mut lines) = (Verdict::Good, BTreeMap::new());
    for vendor in chosen {
        let shown = Shown::by(&vendor, &program)?;
        println!("{}", shown.line(&vendor));
        if !shown.missing.is_empty() {
            println!("{} does not show its model: {}", vendor.name, shown.missing.join(", "));
            verdict = Verdict::Bad;
        }
        lines.insert(vendor.name, shown.line(&vendor));
    }
    if arguments.write {
        write_table(&lines)?;
    }
    Ok(verdict)
}

/// The content of the first request of a lead's first turn.
struct Shown {
    /// patterm's tools, and their size in bytes.
    ours: usize,
    our_bytes: usize,
    others: usize,
    /// Tools that a lead is offered and that are missing.
    missing: Vec<String>,
}

const PROMPT: &str = "TELL-ME-YOUR-TOOLS";

impl Shown {
    fn by(vendor: &Vendor, program: &Path) -> Result<Self> {
        let script = ModelScript::new().when(PROMPT).say("TOOLS-TOLD");
        let stage = Stage::new(script, std::slice::from_ref(vendor))?;
        let patterm = stage.patterm(program)?;
        let mut human = patterm.operator()?;
        human.call("spawn_agent", &json!({ "agent": vendor.name, "name": "lead", "agent_instructions": PROMPT }))?;
        let told = human.wait_for_pattern("lead", "TOOLS-TOLD", 120);
        human.call("close_process", &json!({ "process_id": "lead" }))?;
        drop(human);
        patterm.end()?;
        told?;
        let received = stage.model.received();
        let first = received.iter().find(|one| one.is_prompt() && one.conversation.user.contains(PROMPT));
        let tools = &first.context("its model was asked")?.conversation.tools;
        let left = stage.left();
        ensure!(left.is_empty(), "left behind: {left:?}");
        Ok(Shown::among(tools))
    }

    fn among(tools: &[OfferedTool]) -> Self {
        let (mut ours, mut our_bytes, mut missing) = (0, 0, Vec::new());
        for name in offered_to_a_lead() {
            match tools.iter().find(|tool| tool.is_of("patterm", name)) {
                Some(tool) => (ours, our_bytes) = (ours + 1, our_bytes + tool.bytes),
                None => missing.push(name.to_owned()),
            }
        }
        Shown { ours, our_bytes, others: tools.len() - ours, missing }
    }

    /// A row of the table.
    fn line(&self, vendor: &Vendor) -> String {
        let Shown { ours, our_bytes, others, missing } = self;
        let kilobytes = (our_bytes + 500) / 1000;
        let all = ours + missing.len();
        format!("| {} | {} | {ours} of {all} | {kilobytes} kB | {others} |", vendor.name, vendor.version)
    }
}

fn offered_to_a_lead() -> impl Iterator<Item = &'static str> {
    let all = project::operations::entries().into_iter();
    all.filter(|entry| entry.traits.faces.contains(Faces::MCP) && entry.traits.roles.allow(Role::Orchestrator))
        .map(|entry| entry.name())
}

const PAGE: &str = "docs/agents-runs.md";
/// The table begins after this line.
const HEAD: &str = "| CLI | version | tools of patterm | they take | others |\n|---|---|---|---|---|\n";

fn write_table(lines: &BTreeMap<&str, String>) -> Result<()> {
    let path = crate::repository(PAGE);
    let page = fs::read_to_string(&path)?;
    let (before, rest) = page.split_once(HEAD).with_context(|| format!("{PAGE} has no table of tools"))?;
    let end = rest.find("\n\n").map_or(rest.len(), |end| end + 1);
    let (old, after) = rest.split_at(end);
    let mut table = String::new();
    for vendor in Vendor::all()? {
        let start = format!("| {} |", vendor.name);
        let old = || old.lines().find(|line| line.starts_with(&start)).map(str::to_owned);
        if let Some(line) = lines.get(vendor.name).cloned().or_else(old) {
            writeln!(table, "{line}")?;
        }
    }
    Ok(fs::write(&path, format!("{before}{HEAD}{table}{after}"))?)
}
