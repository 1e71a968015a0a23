//! Writes docs/state-accuracy.md: what the shipped rules say over the recordings of real agents.

use std::{collections::BTreeMap, fmt::Write, fs, path::Path, time::Duration};

use agents::{
    preset::{MORE, SHIPPED, parse_agent},
    state::{Behaviour, Point, Recording, Score, State, Timing, replay, typed_from_jsonl},
};
use anyhow::{Context, Result};
use serde::Deserialize;

use crate::{Verdict, repository};

const PAGE: &str = "docs/state-accuracy.md";
const RECORDINGS: &str = "fixtures/recordings/agents";
/// A wrong idle that lasts longer is believed by those who wait.
const LONGEST_WRONG_IDLE: Duration = Duration::from_millis(300);

/// Judge the shipped state rules by the recordings of real agents, and write the table into docs
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Write nothing; fail when the page is not what would be written
    #[arg(long)]
    check: bool,
}

#[derive(Deserialize)]
struct Labelled {
    raw: String,
    off: usize,
    t: f64,
    label: String,
    state: Option<State>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let mut page = String::from(HEAD);
    let mut good = true;
    let (mut right, mut judged, mut longest) = (0, 0, Duration::ZERO);
    for (recording, points) in recordings()? {
        let score = score(&recording, &points)?;
        let of = points.iter().filter(|point| point.state.is_some()).count();
        let wrong = score.longest_wrong_idle();
        writeln!(page, "| {recording} | {} of {of} | {} ms |", score.right, wrong.as_millis())?;
        for wrong in &score.wrong {
            println!("{recording}: at '{}' it says {:?}", wrong.point.label, wrong.found);
        }
        good &= score.wrong.is_empty() && wrong <= LONGEST_WRONG_IDLE;
        (right, judged, longest) = (right + score.right, judged + of, longest.max(wrong));
    }
    writeln!(page, "| **all** | **{right} of {judged}** | **{} ms** |", longest.as_millis())?;
    let path = repository(PAGE);
    if !arguments.check {
        fs::write(&path, &page).with_context(|| format!("writing {PAGE}"))?;
    } else if fs::read_to_string(&path).ok().as_ref() != Some(&page) {
        println!("{PAGE} is not what `cargo xtask states` writes: run it and commit");
        good = false;
    }
    Ok(if good { Verdict::Good } else { Verdict::Bad })
}

const HEAD: &str = "\
# How often the state is right

<!-- Written by `cargo xtask states`. Change it there. -->

The rules of the shipped presets over recordings of the real programs, as `patterm replay-state` runs them: they see
only what came before the moment they are asked about. *Points* are moments that people have labelled idle, working or
blocked. *Wrong idle* is the longest time that the timeline says `idle` while the agent is known not to be: between two
labelled points in a row of which neither is idle, when nothing was typed between them; and where, after the first
prompt, `idle` turns into `working` or `blocked` though nothing was typed since it began. At most 300 ms are allowed.
Recordings have no hooks, no MCP server and no delivery: a live agent gives more evidence than these.

| recording | points right | wrong idle, at most |
|---|---|---|
";

/// All with their points, by name.
fn recordings() -> Result<BTreeMap<String, Vec<Point>>> {
    let folder = repository(RECORDINGS);
    let mut recordings: BTreeMap<String, Vec<Point>> = BTreeMap::new();
    for entry in fs::read_dir(&folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".raw") {
            recordings.insert(name, Vec::new());
        }
    }
    let labelled: Vec<Labelled> = serde_json::from_slice(&fs::read(folder.join("points.json"))?)?;
    for Labelled { raw, off, t, label, state } in labelled {
        let point = Point { offset: off, at: Duration::from_secs_f64(t), state, label };
        recordings.entry(raw).or_default().push(point);
    }
    Ok(recordings)
}

fn score(recording: &str, points: &[Point]) -> Result<Score> {
    let shipped =
        SHIPPED.iter().chain(MORE).find(|shipped| recording.starts_with(shipped.file_name.trim_end_matches(".json")));
    let shipped = shipped.with_context(|| format!("{recording} is named after no shipped preset"))?;
    let parsed = parse_agent(Path::new(shipped.file_name), shipped.text);
    let preset = parsed.map_err(|problem| anyhow::anyhow!("{problem}"))?.preset;
    let file = repository(RECORDINGS).join(recording);
    let bytes = fs::read(&file).with_context(|| format!("reading {recording}"))?;
    let times = fs::read_to_string(file.with_extension("raw.timing.jsonl"))?;
    let timing = Timing::from_jsonl(&times).with_context(|| format!("{recording} has no times"))?;
    let recording = Recording { bytes: &bytes, size: vt::Size::new(120, 40), timing: &timing };
    Ok(Score::of(&replay(recording, &Behaviour::from(&preset)), points, &typed_from_jsonl(&times)))
}
