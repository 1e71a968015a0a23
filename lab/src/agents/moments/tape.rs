//! The output of one agent, followed through the files that `--debug` writes: its full screen, including what patterm
//! leaves out for its readers, and a recording with labelled points in the format of `fixtures/recordings/agents`.

use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use serde_json::{Value, json};
use vt::{Size, Terminal, TerminalOptions};

/// The size of sessions in headless runs.
const SIZE: Size = Size::new(120, 40);

pub(super) struct SessionTape {
    raw: GrowingFile,
    times: GrowingFile,
    screen: Terminal,
    last_output: Instant,
    /// The start of the file's times, as far as known: no line is read before it was written.
    began: Option<Instant>,
    typed: Vec<(Instant, String)>,
    points: Vec<LabelledPoint>,
}

struct LabelledPoint {
    at: Instant,
    offset: usize,
    label: String,
    state: String,
}

impl SessionTape {
    /// `seen` is the folder of `--debug`.
    pub(super) fn of(seen: &Path, process: &str) -> Self {
        let raw = seen.join("sessions").join(format!("{process}.raw"));
        SessionTape {
            times: GrowingFile::new(raw.with_extension("raw.timing.jsonl")),
            raw: GrowingFile::new(raw),
            screen: Terminal::new(TerminalOptions { size: SIZE, ..TerminalOptions::default() }),
            last_output: Instant::now(),
            began: None,
            typed: Vec::new(),
            points: Vec::new(),
        }
    }

    /// Reads more. The sooner after a write, the more exact are the times.
    pub(super) fn look(&mut self) {
        let new = self.raw.read_on();
        if new.is_empty() {
            return;
        }
        self.last_output = Instant::now();
        self.screen.feed(new);
        // patterm answers its queries.
        drop(self.screen.take_effects());
        self.times.read_on();
        let last = self.times.bytes.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let at = serde_json::from_slice::<Value>(last).ok().and_then(|line| line["t"].as_f64());
        let began = at.and_then(|at| Instant::now().checked_sub(Duration::try_from_secs_f64(at).ok()?));
        self.began = match (self.began, began) {
            (Some(known), Some(began)) => Some(known.min(began)),
            (known, began) => known.or(began),
        };
    }

    pub(super) fn grid(&mut self) -> String {
        self.look();
        let mut grid = String::new();
        self.screen.grid_text(&mut grid);
        grid
    }

    pub(super) fn silent_for(&mut self) -> Duration {
        self.look();
        self.last_output.elapsed()
    }

    pub(super) fn typed(&mut self, what: &str) {
        self.typed.push((Instant::now(), what.to_owned()));
    }

    pub(super) fn point(&mut self, label: &str, state: &str) {
        self.look();
        let (label, state) = (label.to_owned(), state.to_owned());
        self.points.push(LabelledPoint { at: Instant::now(), offset: self.raw.bytes.len(), label, state });
    }

    /// Writes the recording `name` and its times, and its points into points.json.
    pub(super) fn write(&self, folder: &Path, name: &str) -> Result<()> {
        let began = self.began.context("nothing was printed")?;
        let seconds = |at: Instant| (at.saturating_duration_since(began).as_secs_f64() * 1e3).round() / 1e3;
        let lines = self.times.bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let mut lines: Vec<Value> = lines.map(serde_json::from_slice).collect::<Result<_, _>>()?;
        lines.extend(self.typed.iter().map(|(at, what)| json!({ "t": seconds(*at), "send": what })));
        lines.sort_by(|one, other| one["t"].as_f64().unwrap_or(0.0).total_cmp(&other["t"].as_f64().unwrap_or(0.0)));
        fs::create_dir_all(folder)?;
        fs::write(folder.join(name), &self.raw.bytes)?;
        let times: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(folder.join(format!("{name}.timing.jsonl")), times)?;
        let file = folder.join("points.json");
        let mut points: Vec<Value> = match fs::read(&file) {
            Ok(bytes) => serde_json::from_slice(&bytes)?,
            Err(_) => Vec::new(),
        };
        points.retain(|point| point["raw"] != name);
        points.extend(self.points.iter().map(|point| {
            json!({ "raw": name, "off": point.offset, "t": seconds(point.at), "label": point.label, "state": point.state })
        }));
        Ok(fs::write(file, serde_json::to_string_pretty(&points)? + "\n")?)
    }
}

/// A file that another process appends to, and what was read of it so far.
struct GrowingFile {
    path: PathBuf,
    file: Option<File>,
    bytes: Vec<u8>,
}

impl GrowingFile {
    fn new(path: PathBuf) -> Self {
        GrowingFile { path, file: None, bytes: Vec::new() }
    }

    /// New content since the last call; nothing while there is no file.
    fn read_on(&mut self) -> &[u8] {
        let before = self.bytes.len();
        if self.file.is_none() {
            self.file = File::open(&self.path).ok();
        }
        if let Some(file) = &mut self.file {
            // Content that could not be read now is read the next time.
            let _ = file.read_to_end(&mut self.bytes);
        }
        &self.bytes[before..]
    }
}
