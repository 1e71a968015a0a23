//! What a CLI leaves in a home folder: with patterm the same files as without it, and no word of patterm in them.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use agents::preset::{SHIPPED, parse_agent};
use anyhow::{Context, Result, anyhow, ensure};
use regex::Regex;
use serde_json::json;
use testkit::model::Script;

use super::{headless, stage::Stage, vendors::Vendor};
use crate::Verdict;

/// Run a CLI bare and from its preset, and compare the files under its home
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[arg(long, value_name = "NAME")]
    agent: String,
    /// A patterm that is built already
    #[arg(long)]
    patterm: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let vendor = Vendor::named(&arguments.agent)?;
    let program = headless::program(arguments.patterm.as_deref())?;
    let bare = visit(vendor, &program, Dress::Bare)?;
    let dressed = visit(vendor, &program, Dress::Preset)?;
    let added: Vec<String> = dressed.keys().filter(|path| !bare.contains_key(*path)).cloned().collect();
    let missing: Vec<&String> = bare.keys().filter(|path| !dressed.contains_key(*path)).collect();
    let is_record = |path: &str| RECORDS.iter().any(|(record, _)| path.starts_with(record));
    let added: Vec<String> = added.into_iter().filter(|path| !is_record(path)).collect();
    let (records, dressed): (Home, Home) = dressed.into_iter().partition(|(path, _)| is_record(path));
    let traces: Vec<String> =
        dressed.iter().flat_map(|(path, lines)| lines.iter().map(move |line| format!("{path}: {line}"))).collect();
    println!("{}: {} files bare, {} from the preset", vendor.name, bare.len(), records.len() + dressed.len());
    for (record, why) in RECORDS
        .iter()
        .filter(|(record, _)| records.iter().any(|(path, lines)| path.starts_with(record) && !lines.is_empty()))
    {
        println!("names patterm, as it must: {record}: {why}");
    }
    for path in &added {
        println!("only from the preset: {path}");
    }
    for path in &missing {
        println!("only bare: {path}");
    }
    for trace in &traces {
        println!("names patterm: {trace}");
    }
    Ok(if added.is_empty() && traces.is_empty() { Verdict::Good } else { Verdict::Bad })
}

/// Records that a CLI keeps of every conversation and of every MCP server it is given, whoever gives it: there is no
/// setting that leaves one server out of them. Nothing in them is read again as configuration.
const RECORDS: [(&str, &str); 4] = [
    (".claude/projects/", "the transcript holds what the model was told, servers' instructions included"),
    (".cache/claude-cli-nodejs/PROJECT/mcp-logs-", "a log for each MCP server"),
    (".codex/sessions/", "the transcript holds what the model was told"),
    (".codex/logs_", "a log, with the start of each MCP server"),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Dress {
    /// As a person starts it: none of our servers, hooks or flags.
    Bare,
    Preset,
}

/// Files with their names made comparable, and the places in them that name patterm.
type Home = BTreeMap<String, Vec<String>>;

fn visit(vendor: Vendor, program: &Path, dress: Dress) -> Result<Home> {
    let stage = Stage::new(Script::new(), &[vendor])?;
    if dress == Dress::Bare {
        write_bare_preset(vendor, &stage.home())?;
    }
    let agent = if dress == Dress::Bare { "bare" } else { vendor.name };
    let patterm = stage.patterm(program)?;
    let mut human = patterm.operator()?;
    human.call("spawn_agent", &json!({ "agent": agent, "name": "one", "agent_instructions": "hello there" }))?;
    human.wait_for_pattern("one", "You said: hello there", 120)?;
    let rested =
        human.call("wait_for_state", &json!({ "process_id": "one", "states": ["idle"], "timeout_seconds": 60 }))?;
    ensure!(rested["reached"] == true, "it does not come to rest: {rested}");
    // Some of what it does for itself at a start comes late. Nothing tells of it; this long was enough.
    std::thread::sleep(Duration::from_secs(10));
    human.call("close_process", &json!({ "process_id": "one" }))?;
    drop(human);
    patterm.end()?;
    let left = stage.left();
    ensure!(left.is_empty(), "left behind: {left:?}");
    let mut home = Home::new();
    let (root, place) = (stage.home(), stage.project());
    walk(&root, &root, &mut |path, bytes| {
        let name = comparable(path, &place);
        home.entry(name).or_default().extend(traces(bytes));
    })?;
    Ok(home)
}

/// The shipped preset without what patterm adds.
fn write_bare_preset(vendor: Vendor, home: &Path) -> Result<()> {
    let file_name = format!("{}.json", vendor.name);
    let shipped = SHIPPED.iter().find(|shipped| shipped.file_name == file_name).context("it has a preset")?;
    let mut preset =
        parse_agent(Path::new(shipped.file_name), shipped.text).map_err(|problem| anyhow!("{problem}"))?.preset;
    preset.name = "bare".into();
    preset.argv.truncate(1);
    if vendor.name == "codex" {
        // Else it leaves a server running, which has nothing to do with us.
        preset.argv.push("--no-daemon".into());
    }
    preset.mcp_injection = None;
    preset.hooks_injection = None;
    preset.ready_signal.tools_listed = false;
    if vendor.name == "opencode" {
        // Without servers, its footer does not count them.
        preset.ready_signal.when.get_or_insert_default().screen = None;
    }
    let folder = home.join(".config/patterm/presets/agents");
    fs::create_dir_all(&folder)?;
    Ok(fs::write(folder.join("bare.json"), serde_json::to_string(&preset)?)?)
}

/// patterm's own files are none of the CLI's.
const OURS: [&str; 3] = [".config/patterm", ".local/share/patterm", ".local/state/patterm"];

fn walk(root: &Path, folder: &Path, see: &mut impl FnMut(&str, &[u8])) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let relative = path.strip_prefix(root)?.to_string_lossy().into_owned();
        if OURS.contains(&relative.as_str()) || path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            walk(root, &path, see)?;
        } else {
            see(&relative, &fs::read(&path).unwrap_or_default());
        }
    }
    Ok(())
}

/// Without what differs from run to run: ids, times, the project's own name, and where npm keeps its downloads.
fn comparable(path: &str, project: &Path) -> String {
    if path.starts_with(".npm/") {
        return ".npm".into();
    }
    let place = project.to_string_lossy().replace(['/', '.'], "-");
    let id = [
        "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}-[0-9]{2}(?:-[0-9]{3}Z)?",
        "[0-9a-f]{24,}",
        "ses_[0-9A-Za-z]+",
        "(?:arg0)[0-9A-Za-z]{6}\\b",
        "\\b[0-9]+\\b",
    ];
    let id = Regex::new(&id.join("|"));
    let id = id.expect("it is a regular expression");
    id.replace_all(&path.replace(&place, "PROJECT"), "#").into_owned()
}

/// Each place in a file that names patterm, with a few words around it.
fn traces(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let lower = text.to_ascii_lowercase();
    let around = |at: usize| {
        let clip: String = text[..at].chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
        let rest: String = text[at..].chars().take(60).collect();
        format!("{clip}{rest}").replace('\n', " ")
    };
    lower.match_indices("patterm").map(|(at, _)| around(at)).take(3).collect()
}
