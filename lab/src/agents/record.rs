//! Recordings of the real CLIs for `fixtures/recordings/agents`: their output in a short conversation, with its times,
//! and their state at labelled moments. The scripted model knows the true state: it holds an answer back, streams it,
//! or requests a command.

use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use engine::{Engine, EngineOptions, Input, Kind, NewSession, Origin, Session, TapEvent, TapOptions};
use serde_json::{Value, json};
use testkit::model::{ModelAnswer, ModelScript};
use vt::input::{Key, KeyEvent, Modifiers};

use super::{stage::Stage, vendors::Vendor};
use crate::Verdict;

mod films;

use films::{Film, Step};

/// Record a CLI in a short conversation into fixtures/recordings/agents
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[arg(long, value_name = "NAME")]
    agent: String,
    /// What to film: `turns`, or one of this CLI's own films
    #[arg(long, value_name = "NAME", default_value = "turns")]
    film: String,
    /// The output folder, instead of the fixtures
    #[arg(long)]
    into: Option<PathBuf>,
}

/// Long enough for a CLI to finish drawing.
const SETTLED: Duration = Duration::from_millis(2500);

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let vendor = Vendor::named(&arguments.agent)?;
    let folder = arguments.into.clone().unwrap_or_else(|| crate::repository("fixtures/recordings/agents"));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let film = if arguments.film == "turns" { None } else { Some(Film::named(&vendor, &arguments.film)?) };
    let taken = runtime.block_on(record(&vendor, film))?;
    let name = format!("{}-{}-{}.raw", vendor.name, vendor.version, arguments.film);
    fs::write(folder.join(&name), &taken.bytes)?;
    fs::write(folder.join(format!("{name}.timing.jsonl")), taken.timing())?;
    let file = folder.join("points.json");
    let mut points: Vec<Value> = match fs::read(&file) {
        Ok(bytes) => serde_json::from_slice(&bytes)?,
        Err(_) => Vec::new(),
    };
    points.retain(|point| point["raw"] != name.as_str());
    points.extend(taken.points.iter().map(
        |point| json!({ "raw": name, "off": point.offset, "t": point.at, "label": point.label, "state": point.state }),
    ));
    fs::write(file, serde_json::to_string_pretty(&points)? + "\n")?;
    for point in &taken.points {
        println!(
            "=== {} at {:.1} s, byte {}: {}\n{}",
            point.label,
            point.at,
            point.offset,
            point.state,
            point.grid.trim_end()
        );
    }
    println!("{name}: {} bytes, {} points", taken.bytes.len(), taken.points.len());
    Ok(Verdict::Good)
}

/// The true state at one moment.
struct Point {
    offset: usize,
    /// Seconds since the start.
    at: f64,
    label: &'static str,
    state: &'static str,
    grid: String,
}

#[derive(Default)]
struct Taken {
    bytes: Vec<u8>,
    /// In order: each read with its offset, and each input.
    timing: Vec<Value>,
    points: Vec<Point>,
}

impl Taken {
    fn timing(&self) -> String {
        self.timing.iter().map(|line| format!("{line}\n")).collect()
    }
}

fn script() -> ModelScript {
    let answer = "One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen. ANSWER-END";
    ModelScript::new()
        .when("please think")
        .then(move |_| ModelAnswer::say(answer).behind_gate("think").paced(Duration::ZERO, Duration::from_millis(250)))
        .when("please wait")
        .then(|_| ModelAnswer::say("Never said.").behind_gate("never"))
        .when("please run")
        .then(|said| ModelAnswer::shell(said, "touch made-by-test"))
        .say("It is done.")
}

async fn record(vendor: &Vendor, film: Option<&Film>) -> Result<Taken> {
    let script = if film.is_some() { films::script() } else { script() };
    let stage = Stage::at_a_fixed_place(script, std::slice::from_ref(vendor))?;
    if let Some(film) = film {
        (film.prepare)(&stage)?;
    }
    let environment = stage.environment().into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    let engine = Engine::new(EngineOptions { base_env: environment, ..EngineOptions::default() });
    let arguments = film.map_or_else(|| vendor.bare_arguments(), Film::arguments);
    let argv: Vec<&str> = [vendor.name].into_iter().chain(arguments.iter().copied()).collect();
    let started = Instant::now();
    let session = engine
        .spawn(NewSession {
            working_dir: Some(stage.project()),
            size: vt::Size::new(120, 40),
            ..NewSession::new(Kind::Command, argv)
        })
        .await?;
    let mut tap = session.tap(TapOptions { input: false, capacity: 64 << 20 })?;
    // Output from before the tap is in the ring.
    let first = session.raw(0, usize::try_from(tap.start.offset)?).bytes;
    let mut camera = Camera { session: session.clone(), started, taken: Taken::default() };
    camera.keep(&first);
    let (sender, mut outputs) = tokio::sync::mpsc::unbounded_channel();
    let listening = tokio::spawn(async move {
        while let Some(event) = tap.next().await {
            if let TapEvent::Output { at, bytes } = event {
                let _ = sender.send((at, bytes));
            }
        }
    });
    let played = match film {
        Some(film) => show(&mut camera, &(film.steps)(), &mut outputs).await,
        None => play(&mut camera, &stage, vendor, &mut outputs).await,
    };
    engine.shutdown(Duration::from_secs(2)).await;
    listening.abort();
    played?;
    Ok(camera.taken)
}

type Outputs = tokio::sync::mpsc::UnboundedReceiver<(Instant, std::sync::Arc<[u8]>)>;

struct Camera {
    session: Session,
    started: Instant,
    taken: Taken,
}

impl Camera {
    fn keep(&mut self, bytes: &[u8]) {
        self.keep_at(Instant::now(), bytes);
    }

    fn keep_at(&mut self, at: Instant, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let at = self.seconds(at);
        self.taken.timing.push(json!({ "t": at, "off": self.taken.bytes.len(), "n": bytes.len() }));
        self.taken.bytes.extend_from_slice(bytes);
    }

    fn point(&mut self, label: &'static str, state: &'static str) {
        let at = self.seconds(Instant::now());
        let grid = self.session.grid_text().1;
        self.taken.points.push(Point { offset: self.taken.bytes.len(), at, label, state, grid });
    }

    /// Films for this long.
    async fn roll(&mut self, outputs: &mut Outputs, time: Duration) {
        let until = tokio::time::Instant::now() + time;
        while let Ok(Some((at, bytes))) = tokio::time::timeout_at(until, outputs.recv()).await {
            self.keep_at(at, &bytes);
        }
    }

    /// Films until nothing was printed for a while.
    async fn settle(&mut self, outputs: &mut Outputs) {
        let limit = Instant::now() + Duration::from_secs(60);
        while Instant::now() < limit {
            match tokio::time::timeout(SETTLED, outputs.recv()).await {
                Ok(Some((at, bytes))) => self.keep_at(at, &bytes),
                Ok(None) | Err(_) => return,
            }
        }
    }

    /// Films until `sign` appears on the screen, or disappears from it.
    async fn until(&mut self, outputs: &mut Outputs, sign: &str, there: bool) -> Result<()> {
        let began = Instant::now();
        while self.session.grid_text().1.contains(sign) != there {
            let missing = if there { "does not come" } else { "stays" };
            ensure!(began.elapsed() < Duration::from_secs(60), "'{sign}' {missing}:\n{}", self.session.grid_text().1);
            self.roll(outputs, Duration::from_millis(50)).await;
        }
        Ok(())
    }

    /// Time since the start, in milliseconds.
    fn seconds(&self, at: Instant) -> f64 {
        (at.saturating_duration_since(self.started).as_secs_f64() * 1e3).round() / 1e3
    }

    fn send(&mut self, input: Input, shown: &str) -> Result<()> {
        let at = self.seconds(Instant::now());
        self.taken.timing.push(json!({ "t": at, "send": shown }));
        self.session.send(input, Origin::Human)?;
        Ok(())
    }

    fn press(&mut self, key: KeyEvent) -> Result<()> {
        let shown = format!("{:?}", key.key);
        self.send(Input::Key(key), &shown)
    }

    async fn prompt(&mut self, outputs: &mut Outputs, text: &str) -> Result<()> {
        self.send(Input::Paste(text.into()), text)?;
        self.roll(outputs, Duration::from_millis(600)).await;
        self.press(KeyEvent::press(Key::Enter))
    }
}

async fn show(camera: &mut Camera, steps: &[Step], outputs: &mut Outputs) -> Result<()> {
    for step in steps {
        match *step {
            Step::Type(text) => camera.send(Input::Text(text.into()), text)?,
            Step::Press(key) => camera.press(key.parse()?)?,
            Step::Ask(text) => camera.prompt(outputs, text).await?,
            Step::See(sign) => camera.until(outputs, sign, true).await?,
            Step::Gone(sign) => camera.until(outputs, sign, false).await?,
            Step::Rest => camera.settle(outputs).await,
            Step::Roll(milliseconds) => camera.roll(outputs, Duration::from_millis(milliseconds)).await,
            Step::Is(label, state) => camera.point(label, state),
        }
    }
    Ok(())
}

async fn play(camera: &mut Camera, stage: &Stage, vendor: &Vendor, outputs: &mut Outputs) -> Result<()> {
    // Some print nothing for many seconds after their start.
    let began = Instant::now();
    while !vendor.shows_its_prompt(&camera.session.grid_text().1) {
        ensure!(began.elapsed() < Duration::from_secs(60), "no prompt:\n{}", camera.session.grid_text().1);
        camera.roll(outputs, Duration::from_millis(100)).await;
    }
    camera.settle(outputs).await;
    camera.point("ready", "idle");

    camera.prompt(outputs, "please think").await?;
    arrived(camera, stage, vendor, outputs, 1).await?;
    camera.roll(outputs, Duration::from_secs(2)).await;
    camera.point("before the first word", "working");
    stage.model.open_gate("think");
    camera.roll(outputs, Duration::from_secs(2)).await;
    camera.point("in the middle of the answer", "working");
    camera.settle(outputs).await;
    camera.point("answered", "idle");

    camera.prompt(outputs, "please run it").await?;
    arrived(camera, stage, vendor, outputs, 2).await?;
    asked(camera, vendor, outputs).await?;
    camera.point("asks for permission", "blocked");
    camera.press(KeyEvent::press(Key::Enter))?;
    camera.settle(outputs).await;
    camera.point("allowed, and done", "idle");

    camera.prompt(outputs, "please run it").await?;
    arrived(camera, stage, vendor, outputs, 3).await?;
    asked(camera, vendor, outputs).await?;
    camera.point("asks again", "blocked");
    camera.press(KeyEvent::press(Key::Escape))?;
    camera.settle(outputs).await;
    camera.point("refused", "idle");
    // One CLI puts the refused prompt back into its box.
    camera.press(KeyEvent::new('u', Modifiers::CTRL))?;
    camera.settle(outputs).await;

    camera.prompt(outputs, "please wait").await?;
    arrived(camera, stage, vendor, outputs, 4).await?;
    camera.roll(outputs, Duration::from_secs(3)).await;
    camera.point("waits for the model", "working");
    let (key, times) = vendor.interrupts_with();
    for _ in 0..times {
        camera.press(key.clone())?;
        camera.roll(outputs, Duration::from_millis(300)).await;
    }
    camera.settle(outputs).await;
    camera.point("interrupted", "idle");
    Ok(())
}

/// Waits for its question: one CLI takes seconds before it asks.
async fn asked(camera: &mut Camera, vendor: &Vendor, outputs: &mut Outputs) -> Result<()> {
    let began = Instant::now();
    while !vendor.asks(&camera.session.grid_text().1) {
        ensure!(began.elapsed() < Duration::from_secs(30), "it does not ask:\n{}", camera.session.grid_text().1);
        camera.roll(outputs, Duration::from_millis(50)).await;
    }
    camera.settle(outputs).await;
    Ok(())
}

async fn arrived(
    camera: &mut Camera,
    stage: &Stage,
    vendor: &Vendor,
    outputs: &mut Outputs,
    count: usize,
) -> Result<()> {
    let began = Instant::now();
    while stage.model.prompts(vendor.name).len() < count {
        ensure!(
            began.elapsed() < Duration::from_secs(20),
            "prompt {count} did not arrive:\n{}",
            camera.session.grid_text().1
        );
        camera.roll(outputs, Duration::from_millis(50)).await;
    }
    Ok(())
}
