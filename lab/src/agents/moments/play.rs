//! Plays the scenes with one CLI, and judges what patterm says meanwhile.

use std::{
    fs,
    path::Path,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use regex::Regex;

use super::{
    BrokenScene, MomentResult, MomentResults,
    book::{Scene, SceneBook, ScenePlan, Step},
    driver::DrivenAgent,
    script::{WAITING_COMMAND, script},
    tape::SessionTape,
};
use crate::agents::{headless::Headless, stage::Stage, vendors::Vendor};

/// What is printed of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Showing {
    Results,
    Screens,
}

/// A CLI that does not start would have each scene wait for it in vain.
const GIVE_UP_AFTER: usize = 3;

/// The scenes whose name holds one of `only`, or all. `into` is the folder for recordings and the middle of their names.
pub(crate) fn all(
    vendor: &Vendor,
    program: &Path,
    book: SceneBook,
    only: &[String],
    into: Option<(&Path, &str)>,
    showing: Showing,
) -> Result<MomentResults> {
    let plan = ScenePlan::read(vendor.name, &vendor.version.parse()?, book)?;
    let project = Arc::new(OnceLock::new());
    let script = script(&plan.facts.calls, project.clone());
    let vendors = std::slice::from_ref(vendor);
    let stage = if into.is_some() { Stage::at_a_fixed_place(script, vendors) } else { Stage::new(script, vendors) }?;
    project.get_or_init(|| stage.project());
    fs::write(stage.project().join("wait.sh"), WAITING_COMMAND)?;
    let patterm = stage.patterm(program)?;
    let signs = RestSigns::of(&plan)?;
    let mut player = Player {
        stage: &stage,
        vendor,
        patterm: &patterm,
        plan: &plan,
        signs,
        showing,
        agent: None,
        ended: Vec::new(),
    };
    let mut results = MomentResults::default();
    let chosen = |scene: &&Scene| only.is_empty() || only.iter().any(|name| scene.name.contains(name.as_str()));
    let mut in_a_row = 0;
    for scene in plan.scenes.iter().filter(chosen) {
        if in_a_row == GIVE_UP_AFTER {
            let reason = "not played, because those before it ended early".to_owned();
            results.broken.push(BrokenScene { scene: scene.name.clone(), reason });
        } else if let Err(error) = player.play(scene, &mut results.moments) {
            in_a_row += 1;
            let reason = format!("{error:#}");
            println!("{} {}: scene '{}' ends early: {reason}", vendor.name, vendor.version, scene.name);
            player.give_up();
            results.broken.push(BrokenScene { scene: scene.name.clone(), reason });
        } else {
            in_a_row = 0;
        }
    }
    player.close()?;
    let tapes = player.ended;
    patterm.end()?;
    if let Some((folder, what)) = into {
        for (number, tape) in (1..).zip(&tapes) {
            let more = if number == 1 { String::new() } else { format!("-{number}") };
            tape.write(folder, &format!("{}-{}-{what}{more}.raw", vendor.name, vendor.version))?;
        }
    }
    let left = stage.left();
    ensure!(left.is_empty(), "left behind: {left:?}");
    Ok(results)
}

/// How it is seen that a CLI is at rest.
struct RestSigns {
    prompt: Regex,
    busy: Option<Regex>,
}

impl RestSigns {
    fn of(plan: &ScenePlan) -> Result<Self> {
        let busy = plan.facts.has_sign("busy").then(|| plan.facts.sign("@busy")).transpose()?;
        Ok(RestSigns { prompt: plan.facts.sign("@prompt")?, busy })
    }

    fn wait(&self, agent: &mut DrivenAgent<'_>) -> Result<()> {
        agent.rest(&self.prompt, self.busy.as_ref())
    }
}

struct Player<'a> {
    stage: &'a Stage,
    vendor: &'a Vendor,
    patterm: &'a Headless,
    plan: &'a ScenePlan,
    signs: RestSigns,
    showing: Showing,
    agent: Option<DrivenAgent<'a>>,
    /// What was recorded of those that were closed.
    ended: Vec<SessionTape>,
}

impl<'a> Player<'a> {
    fn play(&mut self, scene: &Scene, moments: &mut Vec<MomentResult>) -> Result<()> {
        if self.agent.is_none() {
            let mut agent = DrivenAgent::start(self.stage, self.vendor, self.patterm)?;
            let looks_at_the_start = matches!(scene.steps.first(), Some(Step::Moment { .. }));
            if looks_at_the_start {
                agent.busy_since = Some(Instant::now());
            }
            let started = if looks_at_the_start { Ok(()) } else { self.signs.wait(&mut agent) };
            self.agent = Some(agent);
            started?;
        }
        for step in &scene.steps {
            if matches!(step, Step::Close) {
                self.close()?;
                continue;
            }
            let Some(agent) = &mut self.agent else { continue };
            if let Step::Moment { label, state, lasts } = step {
                let result = judge(agent, label, state, Duration::from_millis(*lasts))?;
                self.show(&result);
                moments.push(result);
            } else {
                take(agent, self.plan, &self.signs, step)?;
            }
        }
        Ok(())
    }

    fn show(&mut self, result: &MomentResult) {
        let MomentResult { label, truth, told, detail, wrong_idle_ms } = result;
        let verdict = if result.is_right() { "right" } else { "WRONG" };
        let idle = if *wrong_idle_ms == 0 { String::new() } else { format!(", told idle for {wrong_idle_ms} ms") };
        println!("{verdict}: {label}: it is {truth}, told {told}{idle} {}", detail.as_deref().unwrap_or_default());
        if let Some(agent) = &mut self.agent
            && (self.showing == Showing::Screens || !result.is_right())
        {
            println!("{}\n", agent.grid().trim_end());
        }
    }

    /// What it shows goes with the report of what failed.
    fn give_up(&mut self) {
        if let Some(agent) = &mut self.agent {
            println!("{}\n", agent.grid().trim_end());
        }
        // One that can't be closed is ended with patterm.
        let _ = self.close();
    }

    fn close(&mut self) -> Result<()> {
        if let Some(agent) = self.agent.take() {
            self.ended.push(agent.close()?);
        }
        Ok(())
    }
}

fn judge(agent: &mut DrivenAgent<'_>, label: &str, truth: &str, lasts: Duration) -> Result<MomentResult> {
    let began = agent.busy_since.unwrap_or_else(Instant::now);
    agent.pause(lasts);
    let end = Instant::now();
    let told = agent.sampler.after(end)?;
    agent.tape.point(label, truth);
    let wrong_idle = if truth == "idle" { Duration::ZERO } else { agent.sampler.longest("idle", began, end) };
    Ok(MomentResult {
        label: label.to_owned(),
        truth: truth.to_owned(),
        detail: (told.state != truth).then_some(told.detail),
        told: told.state,
        wrong_idle_ms: u64::try_from(wrong_idle.as_millis())?,
    })
}

fn take(agent: &mut DrivenAgent<'_>, plan: &ScenePlan, signs: &RestSigns, step: &Step) -> Result<()> {
    match step {
        Step::Prompt(text) => agent.prompt(text),
        Step::Message(text) => agent.message(text),
        Step::Queue(text) => agent.queue(text),
        Step::Untyped(text) => agent.untyped(text),
        Step::Arrives(text) => {
            agent.arrived(text, 0)?;
            signs.wait(agent)?;
            agent.came_once(text)
        }
        Step::Type(text) => agent.type_text(text),
        Step::Keys(names) => plan.facts.keys(names).iter().try_for_each(|key| match key.strip_prefix('@') {
            Some(_) => agent.see(&plan.facts.sign(key)?),
            None => agent.press(key),
        }),
        Step::See(words) => agent.see(&plan.facts.sign(words)?),
        Step::Gone(words) => agent.gone(&plan.facts.sign(words)?),
        Step::Open(gate) => {
            agent.open(gate);
            Ok(())
        }
        Step::Asked(words) => agent.asked(words),
        Step::File(name) => agent.file(name),
        Step::Touch(name) => agent.touch(name),
        Step::Pause(milliseconds) => {
            agent.pause(Duration::from_millis(*milliseconds));
            Ok(())
        }
        Step::Rest => signs.wait(agent),
        Step::Moment { .. } | Step::Close => Ok(()),
    }
}
