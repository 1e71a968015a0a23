//! What a CLI leaves in a home folder: with patterm the same files as without it, and no mention of patterm except in
//! its record of the conversation, as with any MCP server of the user's own.

mod places;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use agents::preset::{AgentPreset, Injection, SHIPPED, parse_agent};
use anyhow::{Context, Result, anyhow, ensure};
use regex::Regex;
use serde_json::{Value, json};
use testkit::model::ModelScript;

use super::{client::Client, headless, neighbour, stage::Stage, vendors::Vendor};
use crate::Verdict;

/// Run a CLI bare, with a server of the user's own and from its preset, and compare the files under its home
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[arg(long, value_name = "NAME")]
    agent: String,
    /// An existing patterm
    #[arg(long)]
    patterm: Option<PathBuf>,
    /// Copy the three homes into this folder, for inspection
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let vendor = Vendor::named(&arguments.agent)?;
    let program = headless::program(arguments.patterm.as_deref())?;
    let [bare, neighbour, dressed] = visits(&vendor, &program, arguments.keep.as_deref());
    let (bare, neighbour, dressed) = (bare?, neighbour?, dressed?);
    println!("{}: {} files bare, {} from the preset", vendor.name, bare.len(), dressed.len());
    let mut good = true;
    for path in dressed.keys().filter(|path| !bare.contains_key(*path)) {
        println!("only from the preset: {path}");
        good = false;
    }
    for path in bare.keys().filter(|path| !dressed.contains_key(*path)) {
        let why = FEWER.iter().find(|(fewer, _)| path.starts_with(fewer)).map(|(_, why)| *why);
        let why = why.or((!neighbour.contains_key(path)).then_some("not with a server of the person's own either"));
        println!("only bare: {path}: {}", why.unwrap_or("and nothing says why"));
        good &= why.is_some();
    }
    let nowhere = BTreeSet::new();
    for (path, places) in &dressed {
        let record = RECORDS.iter().any(|record| path.starts_with(record));
        let (as_any, traces): (Vec<&String>, Vec<&String>) =
            places.iter().partition(|place| record && neighbour.get(path).unwrap_or(&nowhere).contains(*place));
        if !as_any.is_empty() {
            println!("names patterm where it names any server: {path}: {}", list(&as_any));
        }
        for trace in &traces {
            println!("names patterm: {path}: {trace}");
        }
        good &= traces.is_empty();
    }
    let of_any: Vec<&String> =
        neighbour.iter().filter(|(_, places)| !places.is_empty()).map(|(path, _)| path).collect();
    println!("with a server of the person's own, these name it: {}", list(&of_any));
    Ok(if good { Verdict::Good } else { Verdict::Bad })
}

fn list(words: &[&String]) -> String {
    words.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(", ")
}

/// Where a CLI keeps its conversations, in order to resume them: docs/decisions/0013 says why these may mention us.
const RECORDS: [&str; 4] =
    [".claude/projects/", ".codex/sessions/", ".codex/thread_history_", ".local/share/opencode/opencode.db"];

/// Files that a CLI only writes without a preset.
const FEWER: [(&str, &str); 2] = [
    (".codex/shell_snapshots/", "it would hold the session's environment, ours included"),
    (".codex/logs_", "its log goes with the launch, because it names each MCP server"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dress {
    /// As a user starts it: without our servers, hooks or flags.
    Bare,
    /// With an unrelated MCP server, configured in the way the preset configures ours.
    Neighbour,
    Preset,
}

impl Dress {
    /// The words to search the files for.
    fn word(self) -> &'static str {
        match self {
            Dress::Neighbour => neighbour::NAME,
            Dress::Bare | Dress::Preset => "patterm",
        }
    }

    /// The same prompts in each: two conversations, in the first of which a tool is used if there is one.
    fn script(self, vendor: &Vendor) -> ModelScript {
        let script = ModelScript::new().when(AGAIN).say(SAID_AGAIN);
        match self {
            Dress::Bare => script,
            Dress::Neighbour => script.when(USE_IT).call("neighbour:look", json!({})).say("The tool was used."),
            Dress::Preset => {
                let second = json!({ "agent": vendor.name, "name": "two", "agent_instructions": AGAIN });
                script.when(USE_IT).call("patterm:spawn_agent", second).say("The tool was used.")
            }
        }
    }
}

const USE_IT: &str = "use what you have";
const AGAIN: &str = "hello again";
const SAID_AGAIN: &str = "It was said again.";
/// In seconds. opencode installs packages into a new home before it answers, which took two minutes on a busy machine.
const PATIENCE: u64 = 300;

/// Files with their names made comparable, and the places in them that name the server.
type Home = BTreeMap<String, BTreeSet<String>>;

/// Bare, with the neighbour and from the preset, beside each other: most of a visit is waiting.
fn visits(vendor: &Vendor, program: &Path, keep: Option<&Path>) -> [Result<Home>; 3] {
    std::thread::scope(|scope| {
        let begun = [Dress::Bare, Dress::Neighbour, Dress::Preset].map(|dress| {
            scope.spawn(move || visit(vendor, program, dress, keep).with_context(|| format!("{dress:?}")))
        });
        begun.map(|visit| visit.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

fn visit(vendor: &Vendor, program: &Path, dress: Dress, keep: Option<&Path>) -> Result<Home> {
    let stage = Stage::new(dress.script(vendor), std::slice::from_ref(vendor))?;
    let agent = if dress == Dress::Preset { vendor.name } else { "other" };
    let listed = stage.seen().join("tools.listed");
    if dress != Dress::Preset {
        write_other_preset(vendor, dress, &stage.home(), &listed)?;
    }
    let patterm = stage.patterm(program)?;
    let mut human = patterm.operator()?;
    human.call("spawn_agent", &json!({ "agent": agent, "name": "one" }))?;
    if dress == Dress::Neighbour {
        // claude keeps from its model what a server lists after the first prompt.
        until_it_is_there(&listed)?;
    }
    human.call("send_message", &json!({ "target_process_id": "one", "message": "hello there" }))?;
    human.wait_for_pattern("one", "You said: .*hello there", PATIENCE)?;
    rests(&mut human, "one")?;
    human.call("send_message", &json!({ "target_process_id": "one", "message": USE_IT }))?;
    let answer = if dress == Dress::Bare { "You said: .*use what" } else { "The tool was used" };
    human.wait_for_pattern("one", answer, PATIENCE)?;
    if dress != Dress::Preset {
        human.call("spawn_agent", &json!({ "agent": agent, "name": "two", "agent_instructions": AGAIN }))?;
    }
    human.wait_for_pattern("two", SAID_AGAIN, PATIENCE)?;
    rests(&mut human, "one")?;
    rests(&mut human, "two")?;
    // Some of what it does for itself at a start comes late. Nothing tells of it; this long was enough.
    std::thread::sleep(Duration::from_secs(10));
    for process in ["two", "one"] {
        human.call("close_process", &json!({ "process_id": process }))?;
    }
    drop(human);
    patterm.end()?;
    let left = stage.left();
    ensure!(left.is_empty(), "left behind: {left:?}");
    let (root, place) = (stage.home(), stage.project());
    let kept = keep.map(|folder| folder.join(format!("{}-{dress:?}", vendor.name).to_lowercase()));
    let mut home = Home::new();
    walk(&root, &root, &mut |path, bytes| {
        let name = comparable(path, &place);
        let places = home.entry(name).or_default();
        places.extend(places::of(dress.word(), path, bytes));
        let Some(copy) = kept.as_ref().map(|kept| kept.join(path)) else { return Ok(()) };
        fs::create_dir_all(copy.parent().context("a file lies in a folder")?)?;
        Ok(fs::write(copy, bytes)?)
    })?;
    Ok(home)
}

fn until_it_is_there(file: &Path) -> Result<()> {
    let began = Instant::now();
    while !file.exists() {
        ensure!(began.elapsed() < Duration::from_secs(60), "nobody asked the neighbour for its tools within 60 s");
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

fn rests(human: &mut Client, process: &str) -> Result<()> {
    let wanted = json!({ "process_id": process, "states": ["idle"], "timeout_seconds": 60 });
    let rested = human.call("wait_for_state", &wanted)?;
    ensure!(rested["reached"] == true, "it does not come to rest: {rested}");
    Ok(())
}

/// The shipped preset without what patterm adds, or with another server in our place.
fn write_other_preset(vendor: &Vendor, dress: Dress, home: &Path, listed: &Path) -> Result<()> {
    let file_name = format!("{}.json", vendor.name);
    let shipped = SHIPPED.iter().find(|shipped| shipped.file_name == file_name).context("it has a preset")?;
    let mut preset =
        parse_agent(Path::new(shipped.file_name), shipped.text).map_err(|problem| anyhow!("{problem}"))?.preset;
    preset.name = "other".into();
    preset.argv.truncate(1);
    preset.env.retain(|_, value| !value.contains("${folder}"));
    if vendor.name == "codex" {
        // Otherwise it leaves a server running, which has nothing to do with us.
        preset.argv.push("--no-daemon".into());
    }
    let server = preset.mcp_injection.take();
    preset.hooks_injection = None;
    preset.ready_signal.tools_listed = false;
    if dress == Dress::Neighbour {
        invite_the_neighbour(&mut preset, &server.context("it gives our server")?, listed)?;
    } else if vendor.name == "opencode" {
        // Without servers, its footer does not count them.
        preset.ready_signal.when.get_or_insert_default().screen = None;
    }
    let folder = home.join(".config/patterm/presets/agents");
    fs::create_dir_all(&folder)?;
    Ok(fs::write(folder.join("other.json"), serde_json::to_string(&preset)?)?)
}

/// Gives another server in the very way that ours is given. It makes the file `listed` when it is asked for its tools.
fn invite_the_neighbour(preset: &mut AgentPreset, ours: &Injection, listed: &Path) -> Result<()> {
    let quoted = |path: &Path| Value::from(path.to_string_lossy()).to_string();
    let quoted_again = |path: &Path| quoted(path).replace('"', "\\\"");
    let program = std::env::current_exe()?;
    let theirs = serde_json::to_string(ours)?
        .replace("${command:toml}", &quoted_again(&program))
        .replace("\"${command}\"", &quoted(&program))
        .replace("${connect:toml}", &quoted_again(listed))
        .replace("\"${connect}\"", &quoted(listed))
        .replace("mcp-stdio", "agents")
        .replace("--connect", "neighbour")
        .replace("patterm", neighbour::NAME);
    preset.mcp_injection = Some(serde_json::from_str(&theirs)?);
    if preset.argv[0] == "claude" {
        preset.argv.extend(["--allowedTools", "mcp__neighbour"].map(String::from));
    }
    Ok(())
}

/// patterm's own files don't belong to the CLI.
const OURS: [&str; 3] = [".config/patterm", ".local/share/patterm", ".local/state/patterm"];

fn walk(root: &Path, folder: &Path, see: &mut impl FnMut(&str, &[u8]) -> Result<()>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let relative = path.strip_prefix(root)?.to_string_lossy().into_owned();
        if OURS.contains(&relative.as_str()) || path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            walk(root, &path, see)?;
        } else {
            see(&relative, &fs::read(&path).unwrap_or_default())?;
        }
    }
    Ok(())
}

/// Stores whose files differ from run to run: npm's downloads, and a Git repository that Git packs when it likes.
const STORES: [&str; 2] = [".npm/", ".local/share/opencode/snapshot/"];

/// Without parts that differ from run to run: ids, times, the project's own name, and the content of stores.
fn comparable(path: &str, project: &Path) -> String {
    if let Some(store) = STORES.iter().find(|store| path.starts_with(*store)) {
        return (*store).into();
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
