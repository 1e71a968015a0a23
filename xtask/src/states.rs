//! Writes docs/state-accuracy.md: how the shipped rules judge the recordings of real agents.

use std::{collections::BTreeMap, fmt::Write, fs, path::Path, time::Duration};

use agents::{
    preset::{Shipped, parse_agent},
    state::{
        Behaviour, Recording, Score, ScorePoint, Timing, hooks_from_jsonl, points_from_json, replay, typed_from_jsonl,
    },
};
use anyhow::{Context, Result};

use crate::{Verdict, repository};

const PAGE: &str = "docs/state-accuracy.md";
const RECORDINGS: &str = "fixtures/recordings/agents";
/// A wrong idle that lasts longer would be acted on by those who wait for it.
const LONGEST_WRONG_IDLE: Duration = Duration::from_millis(300);

/// Judge the recordings of real agents by the shipped state rules, and write the table into docs
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Write nothing; fail if the page is out of date
    #[arg(long)]
    check: bool,
    /// Also print the points that are wrong without the recorded times
    #[arg(long)]
    settled: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let mut page = String::from(HEAD);
    let mut good = true;
    let (mut right, mut judged, mut settled_right, mut longest) = (0, 0, 0, Duration::ZERO);
    for (recording, points) in recordings()? {
        let Scores { timed, settled } = score(&recording, &points)?;
        let of = points.iter().filter(|point| point.state.is_some()).count();
        let wrong = timed.longest_wrong_idle();
        let (known, unknown) = (timed.right, settled.right);
        writeln!(page, "| {recording} | {known} of {of} | {} ms | {unknown} of {of} |", wrong.as_millis())?;
        tell(&recording, "", &timed);
        if arguments.settled {
            tell(&recording, "without times, ", &settled);
        }
        good &= timed.wrong.is_empty() && wrong <= LONGEST_WRONG_IDLE;
        (right, judged, longest) = (right + known, judged + of, longest.max(wrong));
        settled_right += unknown;
    }
    writeln!(
        page,
        "| **all** | **{right} of {judged}** | **{} ms** | **{settled_right} of {judged}** |",
        longest.as_millis()
    )?;
    let path = repository(PAGE);
    if !arguments.check {
        fs::write(&path, &page).with_context(|| format!("writing {PAGE}"))?;
    } else if fs::read_to_string(&path).ok().as_ref() != Some(&page) {
        println!("{PAGE} is out of date: run `cargo xtask states` and commit");
        good = false;
    }
    Ok(if good { Verdict::Good } else { Verdict::Bad })
}

fn tell(recording: &str, how: &str, score: &Score) {
    for wrong in &score.wrong {
        let (point, found) = (&wrong.point, &wrong.found);
        let (state, source) = (found.state, found.source.map_or("-", |source| source.as_str()));
        println!(
            "{recording}: {how}at '{}' (offset {}) it is said to be {state} since {} by {source}: {}",
            point.label, point.offset, found.offset, found.detail
        );
    }
}

const HEAD: &str = "\
# How often the state is right

<!-- Written by `cargo xtask states`. Change it there. -->

The rules of the shipped presets over recordings of the real programs, as `patterm replay-state` runs them: they see
only what came before the moment they are asked about. *Points* are moments that people have labelled idle, working or
blocked. *Wrong idle* is the longest time that the timeline says `idle` while the agent is known not to be: between two
labelled points in a row of which neither is idle, when nothing was typed between them; and where, after the first
prompt, `idle` turns into `working` or `blocked` though nothing was typed since it began. At most 300 ms are allowed.
Recordings have no delivery, and most have no hooks: a live agent gives more evidence than these.

*Without times* is the same for a recording that has no times beside it: every picture then counts as settled, and what
rules wait for (that a sign stays, that it gets quiet) can't be told from what passes by.

| recording | points right | wrong idle, at most | points right without times |
|---|---|---|---|
";

/// All recordings with their labelled points, by name.
fn recordings() -> Result<BTreeMap<String, Vec<ScorePoint>>> {
    let folder = repository(RECORDINGS);
    let mut recordings = points_from_json(&fs::read(folder.join("points.json"))?)?;
    for entry in fs::read_dir(&folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".raw") {
            recordings.entry(name).or_default();
        }
    }
    Ok(recordings)
}

struct Scores {
    timed: Score,
    settled: Score,
}

fn score(recording: &str, points: &[ScorePoint]) -> Result<Scores> {
    let shipped = Shipped::of_recording(recording);
    let shipped = shipped.with_context(|| format!("{recording} is named after no shipped preset"))?;
    let parsed = parse_agent(Path::new(shipped.file_name), shipped.text);
    let behaviour = Behaviour::from(&parsed.map_err(|problem| anyhow::anyhow!("{problem}"))?.preset);
    let file = repository(RECORDINGS).join(recording);
    let bytes = fs::read(&file).with_context(|| format!("reading {recording}"))?;
    let times = fs::read_to_string(file.with_extension("raw.timing.jsonl"))?;
    let timing = Timing::from_jsonl(&times).with_context(|| format!("{recording} has no times"))?;
    let hooks = hooks_from_jsonl(&times);
    let played = |timing| {
        let recording = Recording { bytes: &bytes, size: vt::Size::new(120, 40), timing, hooks: &hooks };
        Score::of(&replay(recording, &behaviour), points, &typed_from_jsonl(&times))
    };
    Ok(Scores { timed: played(&timing), settled: played(&Timing::Settled) })
}
