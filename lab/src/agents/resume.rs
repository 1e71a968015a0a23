//! Coming back: real CLIs talk in a patterm on a terminal, patterm is quit, the next one opens the last run's tabs, and
//! each conversation goes on: the model is sent what was said before.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;
use testkit::model::ModelScript;
use vt::Size;

use super::{client::Client, headless, stage::Stage, vendors::Vendor};
use crate::{Verdict, seat::Seat};

/// Quit patterm with real CLIs in it, open the last run's tabs, and see each conversation go on
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// NAME or NAME@VERSION; claude, codex and opencode without any
    #[arg(long = "agent", value_name = "NAME")]
    agents: Vec<String>,
    /// A patterm that is built already
    #[arg(long)]
    patterm: Option<PathBuf>,
}

const SIZE: Size = Size { cols: 120, rows: 40 };
const BEFORE: &str = "remember the word MAGPIE";
const AFTER: &str = "which word was it";

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let names = match &arguments.agents[..] {
        [] => ["claude", "codex", "opencode"].map(str::to_owned).to_vec(),
        names => names.to_vec(),
    };
    let vendors: Vec<Vendor> = names.iter().map(|name| Vendor::named(name)).collect::<Result<_>>()?;
    let program = headless::program(arguments.patterm.as_deref())?;
    let stage = Stage::new(ModelScript::new(), &vendors)?;
    visit(&stage, &program, |human, seat| {
        for vendor in &vendors {
            talk(seat, human, vendor)?;
        }
        quit(seat)
    })?;
    let mut good = true;
    visit(&stage, &program, |human, seat| {
        seat.see("Open last run's tabs?")?;
        println!("{}", seat.text().lines().filter(|line| line.contains('│')).collect::<Vec<_>>().join("\n"));
        seat.write(b"o")?;
        let is_there = |text: &str, name: &str| text.lines().next().is_some_and(|tabs| tabs.contains(name));
        seat.until("the tabs", |text| names.iter().all(|name| is_there(text, name.split('@').next().unwrap_or(name))))?;
        for vendor in &vendors {
            let went_on = goes_on(seat, human, &stage, vendor).inspect_err(|_| println!("{}", seat.text()));
            println!(
                "{} {}: {}",
                vendor.name,
                vendor.version,
                went_on
                    .as_ref()
                    .map_or_else(|error| format!("MISS: {error:#}"), |()| "its conversation goes on".to_owned())
            );
            good &= went_on.is_ok();
        }
        quit(seat)
    })?;
    let left = stage.left();
    ensure!(left.is_empty(), "left behind: {left:?}");
    Ok(if good { Verdict::Good } else { Verdict::Bad })
}

/// One run of patterm on a terminal, from its start to its end.
pub(super) fn visit(
    stage: &Stage,
    program: &Path,
    scene: impl FnOnce(&mut Client, &mut Seat) -> Result<()>,
) -> Result<()> {
    let program_name = program.to_str().context("patterm's path is plain text")?;
    let mut env: Vec<_> = stage.environment().into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    env.extend(
        [("TERM", "xterm-256color"), ("COLORTERM", "truecolor")].map(|(name, value)| (name.into(), value.into())),
    );
    let mut seat = Seat::start(&[program_name, "--operator-file"], env, &stage.project(), SIZE)?;
    seat.until("patterm", |text| text.contains("to spawn an agent") || text.contains("last run"))?;
    let mut human = Client::start(program, &stage.operator_file(seat.pid()))?;
    scene(&mut human, &mut seat)
}

/// Does `work` beside somebody who looks on: a terminal that nobody reads holds patterm up.
pub(super) fn beside<T: Send>(seat: &mut Seat, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    std::thread::scope(|scope| {
        let working = scope.spawn(work);
        while !working.is_finished() {
            seat.look(Duration::from_millis(50))?;
        }
        match working.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn talk(seat: &mut Seat, human: &mut Client, vendor: &Vendor) -> Result<()> {
    let name = vendor.name;
    beside(seat, || {
        human.call("spawn_agent", &json!({ "agent": name, "name": name, "agent_instructions": BEFORE }))?;
        human.wait_for_pattern(name, &format!("You said: {BEFORE}"), 150)?;
        rests(human, name)
    })
}

fn goes_on(seat: &mut Seat, human: &mut Client, stage: &Stage, vendor: &Vendor) -> Result<()> {
    let name = vendor.name;
    beside(seat, || {
        rests(human, name)?;
        let sent = human.call("send_message", &json!({ "target_process_id": name, "message": AFTER }))?;
        let wanted =
            json!({ "process_id": name, "turn_id": sent["turn_id"], "states": ["idle"], "timeout_seconds": 150 });
        let ended = human.call("wait_for_state", &wanted)?;
        ensure!(ended["reached"] == true, "the turn did not end: {ended}\n{}", human.grid(name));
        Ok(())
    })?;
    let received = stage.model.received();
    let last = received.iter().rev().find(|one| one.client == name && one.is_prompt()).context("nothing arrived")?;
    let said = &last.conversation.prompts;
    let is_there = |words: &str| said.iter().filter(|prompt| prompt.contains(words)).count();
    match (is_there(BEFORE), is_there(AFTER)) {
        (1, 1) => Ok(()),
        counts => bail!("its model was sent {counts:?} of the two prompts: {said:?}\n{}", human.grid(name)),
    }
}

fn rests(human: &mut Client, process: &str) -> Result<()> {
    let wanted = json!({ "process_id": process, "states": ["idle"], "timeout_seconds": 150 });
    let rested = human.call("wait_for_state", &wanted)?;
    ensure!(rested["reached"] == true, "it does not come to rest: {rested}\n{}", human.grid(process));
    Ok(())
}

/// As a person does.
pub(super) fn quit(seat: &mut Seat) -> Result<()> {
    seat.write(b"\x0b")?;
    seat.see("commands")?;
    seat.write(b":quit")?;
    seat.see("> :quit")?;
    seat.write(b"\r")?;
    seat.see("Quit patterm?")?;
    seat.write(b"q")?;
    seat.until_its_end()
}
