//! `patterm replay-state`

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    str::FromStr,
};

use agents::{
    Catalog, Source, State,
    preset::{MORE, parse_agent},
    state::{Behaviour, RecordedHook, Recording, ReplayedState, Timing, hooks_from_jsonl, replay},
};
use clap::ValueHint;
use serde_json::json;

use super::presets;
use program::{Exit, Failure, Outcome, Surroundings};

use crate::output::{Output, printable};

/// Show what an agent was doing in a recording, judged by the current rules of its preset
///
/// RECORDING holds the raw bytes of a terminal, such as a `.raw` file of `--debug`. Their times are read from
/// RECORDING.timing.jsonl (lines with `t` in seconds, `off` and `n` in bytes, or `off`, `hook` and `detail`); without
/// that file, every read is judged as if the screen had settled. Prints one line for each change: offset, state,
/// source, detail, and the time if it is known.
#[derive(Debug, clap::Args)]
pub(crate) struct ReplayState {
    /// The name of the agent's preset
    #[arg(long, value_name = "NAME")]
    agent: String,
    /// The size of the recorded terminal
    #[arg(long, value_name = "COLSxROWS", default_value = "120x40")]
    size: ScreenSize,
    #[arg(value_hint = ValueHint::FilePath)]
    recording: PathBuf,
}

#[derive(Clone, Copy, Debug)]
struct ScreenSize(vt::Size);

impl FromStr for ScreenSize {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = "give columns and rows, for example 120x40";
        let (cols, rows) = text.split_once(['x', 'X']).ok_or(wrong)?;
        let (cols, rows) = (cols.parse().map_err(|_| wrong)?, rows.parse().map_err(|_| wrong)?);
        let size = vt::Size::new(cols, rows);
        if size == size.clamped() { Ok(ScreenSize(size)) } else { Err("no terminal has this size") }
    }
}

/// The largest size of a recording, and of its timing file.
const MAX_BYTES: u64 = 256 << 20;

impl ReplayState {
    pub(crate) fn run(self, project: &Path, surroundings: &Surroundings, output: &mut Output) -> Outcome {
        let folders = presets::folders(surroundings, project);
        presets::install_shipped(&folders, output);
        let catalog = Catalog::scan(&folders);
        let found = catalog.agent(&self.agent).map(|found| Behaviour::from(&*found.preset));
        let Some(behaviour) = found.or_else(|| behaviour_without_its_program(&self.agent)) else {
            return Err(Failure::not_found(format!("there is no agent preset '{}'", printable(&self.agent)))
                .with_hint("see `patterm presets ls`"));
        };
        let file = surroundings.working_dir.join(&self.recording);
        let bytes = read(&file)?;
        let mut times = file.clone().into_os_string();
        times.push(".timing.jsonl");
        let (timing, hooks) = times_of(Path::new(&times))?.unwrap_or((Timing::Settled, Vec::new()));
        let recording = Recording { bytes: &bytes, size: self.size.0, timing: &timing, hooks: &hooks };
        for change in replay(recording, &behaviour) {
            print(&change, output)?;
        }
        Ok(Exit::Done)
    }
}

/// The rules of a preset that is only installed along with its program: a recording can be replayed on a machine
/// without it.
fn behaviour_without_its_program(agent: &str) -> Option<Behaviour> {
    let shipped = MORE.iter().find(|shipped| shipped.program() == agent)?;
    let parsed = parse_agent(Path::new(shipped.file_name), shipped.text).ok()?;
    Some(Behaviour::from(&parsed.preset))
}

fn print(change: &ReplayedState, output: &mut Output) -> Result<(), Failure> {
    let ReplayedState { offset, at, state, source, detail } = change;
    let source = source.or((*state == State::Starting).then_some(Source::Process));
    if output.json {
        let mut line = json!({ "offset": offset, "state": state, "source": source, "detail": detail });
        if let Some(at) = at {
            line["t"] = json!(at.as_millis() as f64 / 1000.0);
        }
        return output.object(&line);
    }
    let time = at.map(|at| format!("t={:.3} ", at.as_secs_f64())).unwrap_or_default();
    let source = source.map_or("-", Source::as_str);
    output.line(format!("{time}offset={offset} state={state} source={source} detail={}", printable(detail)).trim_end())
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let refused = |error: io::Error| {
        let what = format!("reading {}", file.display());
        match error.kind() {
            io::ErrorKind::NotFound => Failure::not_found(format!("there is no {}", file.display())),
            _ => Failure::system(what, &error),
        }
    };
    if !fs::metadata(file).map_err(refused)?.is_file() {
        return Err(Failure::new(Exit::Usage, "usage", format!("{} is not a file", file.display())));
    }
    let mut bytes = Vec::new();
    File::open(file).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(refused)?;
    if bytes.len() as u64 > MAX_BYTES {
        let message = format!("{} has more than {} MiB", file.display(), MAX_BYTES >> 20);
        return Err(Failure::new(Exit::Usage, "usage", message).with_hint("cut it: only the end decides the state"));
    }
    Ok(bytes)
}

/// `None` if there is no such file.
fn times_of(file: &Path) -> Result<Option<(Timing, Vec<RecordedHook>)>, Failure> {
    if !file.exists() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&read(file)?).into_owned();
    match Timing::from_jsonl(&text) {
        Some(timing) => Ok(Some((timing, hooks_from_jsonl(&text)))),
        None => Err(Failure::new(Exit::Usage, "usage", format!("{} holds no times", file.display()))
            .with_hint("write lines such as {\"t\": 1.5, \"off\": 0, \"n\": 120}, or remove the file")),
    }
}
