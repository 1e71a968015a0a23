//! The whole story with real CLIs: one leads two others, both ask for permission, the lead answers one and calls the
//! human for the other, reads their results, and closes them. Nothing is left. For four children see [`children`], for long
//! commands [`long_commands`].

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use testkit::model::{Conversation, ModelAnswer, ModelScript};

use super::{client::Client, headless, stage::Stage, vendors::Vendor};
use crate::Verdict;

mod children;
mod long_commands;

/// One real CLI leads others through patterm's tools
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// claude, codex or opencode
    #[arg(long, value_name = "NAME")]
    orchestrator: String,
    /// Two workers, or four children of three vendors
    #[arg(long, value_name = "2|4", default_value = "2", value_parser = ["2", "4"])]
    children: String,
    /// Two children of its own make instead, which ask for leave to run commands of more than 400 characters
    #[arg(long, conflicts_with = "children")]
    long_commands: bool,
    #[arg(long, default_value_t = 1)]
    runs: usize,
    /// An existing patterm
    #[arg(long)]
    patterm: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let program = headless::program(arguments.patterm.as_deref())?;
    let lead = Vendor::named(&arguments.orchestrator)?;
    let name = lead.name;
    let story: Box<dyn Story> = match arguments.children.as_str() {
        _ if arguments.long_commands => Box::new(long_commands::LongCommands::led_by(lead)),
        "4" => Box::new(children::FourChildren::led_by(lead)),
        _ => Box::new(TwoWorkers::led_by(lead)?),
    };
    let mut misses = 0;
    for number in 1..=arguments.runs {
        let start = Instant::now();
        let played = play(story.as_ref(), &program);
        let seconds = start.elapsed().as_secs_f64();
        match played {
            Ok(told) => println!("{name} leads, run {number}: good, {seconds:.1} s; {told}"),
            Err(error) => {
                misses += 1;
                println!("{name} leads, run {number}: MISS, {seconds:.1} s: {error:#}");
            }
        }
    }
    println!("{name} leads: {} of {} runs good", arguments.runs - misses, arguments.runs);
    Ok(if misses == 0 { Verdict::Good } else { Verdict::Bad })
}

/// A story, and its required results.
trait Story {
    fn vendors(&self) -> Result<Vec<Vendor>>;
    fn script(&self) -> ModelScript;
    /// The human's part.
    fn follow(&self, stage: &Stage, human: &mut Client) -> Result<()>;
    /// The content of the screens, for the report of a failure.
    fn scene(&self, human: &mut Client, stage: &Stage) -> String;
    /// What the models were told, which is what the agents learned.
    fn check(&self, stage: &Stage) -> Result<()>;
}

/// The roles.
struct TwoWorkers {
    lead: Vendor,
    reviewer: Vendor,
    builder: Vendor,
}

/// A command that only reads: the lead may allow it.
const HARMLESS: &str = "git log --oneline";
/// A command that writes: the human is asked.
const DOUBTFUL: &str = "touch built";

impl TwoWorkers {
    fn led_by(lead: Vendor) -> Result<Self> {
        let (reviewer, builder) = match lead.name {
            "claude" => ("codex", "opencode"),
            "codex" => ("claude", "opencode"),
            "opencode" => ("codex", "claude"),
            other => bail!("the orchestrator is claude, codex or opencode, not '{other}'"),
        };
        Ok(TwoWorkers { lead, reviewer: Vendor::named(reviewer)?, builder: Vendor::named(builder)? })
    }
}

impl Story for TwoWorkers {
    fn vendors(&self) -> Result<Vec<Vendor>> {
        Ok(vec![self.lead.clone(), self.reviewer.clone(), self.builder.clone()])
    }

    fn script(&self) -> ModelScript {
        let (reviewer, builder) = (self.reviewer.name, self.builder.name);
        ModelScript::new()
            .when("LEAD-THE-WORK")
            .call(
                "patterm:spawn_agent",
                json!({ "agent": reviewer, "name": "reviewer", "agent_instructions": "REVIEW-TASK: look at the log" }),
            )
            .call(
                "patterm:spawn_agent",
                json!({ "agent": builder, "name": "builder", "agent_instructions": "BUILD-TASK: make it" }),
            )
            .then(|said| wait("reviewer", said, &["idle", "blocked"]))
            .call("patterm:explain_state", json!({ "process_id": "reviewer" }))
            .then(|said| allow("reviewer", said))
            .call(
                "patterm:timer_fire_when_idle_any",
                json!({ "watched": ["reviewer"], "body": "REVIEWER-RESTS", "max_wait_seconds": 120 }),
            )
            .say("I wait until the reviewer rests.")
            .when("REVIEW-TASK")
            .then(|said| ModelAnswer::shell(said, HARMLESS))
            .call("patterm:whoami", json!({}))
            .then(|said| {
                let parent = said.answer_of("whoami", |_| true)["parent_process_id"].clone();
                ModelAnswer::call(
                    "patterm:send_message",
                    json!({ "target_process_id": parent, "message": "REVIEW-REPORT: all is well" }),
                )
            })
            .say("REVIEW-DONE")
            .when("BUILD-TASK")
            .then(|said| ModelAnswer::shell(said, DOUBTFUL))
            .say("BUILD-DONE")
            .when("REVIEWER-RESTS")
            .call("patterm:get_process_output", json!({ "process_id": "reviewer", "mode": "grid" }))
            .then(|said| wait("builder", said, &["idle", "blocked"]))
            .call("patterm:explain_state", json!({ "process_id": "builder" }))
            // An agent may not answer this prompt, so it is refused.
            .then(|said| allow("builder", said))
            .call("patterm:request_human_attention", json!({ "process_id": "builder", "reason": "may it write here?" }))
            .call(
                "patterm:wait_for_state",
                json!({ "process_id": "builder", "states": ["idle"], "timeout_seconds": 180 }),
            )
            .call("patterm:get_process_output", json!({ "process_id": "builder", "mode": "grid" }))
            .call("patterm:close_process", json!({ "process_id": "reviewer" }))
            .call("patterm:close_process", json!({ "process_id": "builder" }))
            .call("patterm:list_processes", json!({}))
            .say("STORY-DONE")
            .when("REVIEW-REPORT")
            .say("Noted.")
    }

    fn follow(&self, stage: &Stage, human: &mut Client) -> Result<()> {
        let lead = json!({ "agent": self.lead.name, "name": "lead", "agent_instructions": "LEAD-THE-WORK" });
        let started = human.call("spawn_agent", &lead)?;
        ensure!(started["delivery"] != "failed", "the lead did not start: {started}");
        human_is_called(stage, "may it write here?")?;
        let asked = human
            .call("wait_for_state", &json!({ "process_id": "builder", "states": ["blocked"], "timeout_seconds": 5 }))?;
        ensure!(asked["reached"] == true, "the human is called to what waits for nothing: {asked}");
        human.call("send_input", &json!({ "process_id": "builder", "kind": "key", "key": "enter" }))?;
        ends_with_the_lead_alone(human)
    }

    fn scene(&self, human: &mut Client, stage: &Stage) -> String {
        scene(human, stage, &["lead", "reviewer", "builder"])
    }

    fn check(&self, stage: &Stage) -> Result<()> {
        let received = stage.model.received();
        let last = received
            .iter()
            .rfind(|one| one.client == self.lead.name && one.conversation.user.contains("REVIEWER-RESTS"));
        let said = &last.context("the lead was told that the reviewer rests")?.conversation;
        let find = |tool: &str, fits: &dyn Fn(&Value) -> bool| -> Result<Value> {
            let found = said.answer_of(tool, fits);
            ensure!(
                !found.is_null(),
                "no fitting answer of {tool} among {:?}",
                said.earlier.iter().chain(&said.results).collect::<Vec<_>>()
            );
            Ok(found)
        };
        find("explain_state", &|answer| answer["state"]["name"] == "blocked")?;
        find("send_input", &|answer| answer["ok"] == true)?;
        find("send_input", &|answer| answer["kind"] == "needs_trust")?;
        find("get_process_output", &|answer| {
            answer["content"].as_str().is_some_and(|text| text.contains("REVIEW-DONE"))
        })?;
        find("get_process_output", &|answer| {
            answer["content"].as_str().is_some_and(|text| text.contains("BUILD-DONE"))
        })?;
        find("wait_for_state", &|answer| answer["state"]["name"] == "idle" && answer["reached"] == true)?;
        ensure!(
            said.prompts.iter().any(|prompt| prompt.starts_with("[sub-agent:reviewer] REVIEW-REPORT")),
            "the reviewer's report did not come: {:?}",
            said.prompts
        );
        ensure!(stage.project().join("built").exists(), "what the human allowed was not done");
        for vendor in [&self.reviewer, &self.builder] {
            let prompts = stage.model.prompts(vendor.name);
            ensure!(prompts.len() == 1, "{} got {prompts:?}", vendor.name);
        }
        Ok(())
    }
}

fn human_is_called(stage: &Stage, reason: &str) -> Result<()> {
    let began = Instant::now();
    while !stage.events().contains(reason) {
        ensure!(began.elapsed() < Duration::from_secs(300), "nobody called the human");
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// The lead says that it is done and rests, its children are gone, and the human closes it.
fn ends_with_the_lead_alone(human: &mut Client) -> Result<()> {
    human.wait_for_pattern("lead", "STORY-DONE", 240)?;
    let ended =
        human.call("wait_for_state", &json!({ "process_id": "lead", "states": ["idle"], "timeout_seconds": 30 }))?;
    ensure!(ended["reached"] == true, "the lead does not come to rest: {ended}");
    let left = human.call("list_processes", &json!({ "all": true }))?;
    let left = left["processes"].as_array().context("a list")?;
    ensure!(left.len() == 1, "only the lead is left: {left:?}");
    human.call("close_process", &json!({ "process_id": "lead" }))?;
    Ok(())
}

fn wait(name: &'static str, said: &Conversation, states: &[&str]) -> ModelAnswer {
    let spawned = said.answer_of("spawn_agent", |answer| answer["name"] == name);
    let wanted = json!({ "process_id": name, "turn_id": spawned["turn_id"], "states": states, "timeout_seconds": 180 });
    ModelAnswer::call("patterm:wait_for_state", wanted)
}

/// The first choice of every CLI's question is yes, once; Enter takes it.
fn allow(name: &'static str, said: &Conversation) -> ModelAnswer {
    let explained = said.answer_of("explain_state", |_| true);
    let mut arguments = json!({ "process_id": name, "kind": "key", "key": "enter" });
    if let Some(digest) = explained["prompt"]["digest"].as_str() {
        arguments["digest"] = digest.into();
    }
    ModelAnswer::call("patterm:send_input", arguments)
}

fn play(story: &dyn Story, program: &Path) -> Result<String> {
    let stage = Stage::new(story.script(), &story.vendors()?)?;
    let patterm = stage.patterm(program)?;
    let mut human = patterm.operator()?;
    let played = story.follow(&stage, &mut human);
    if let Err(error) = played {
        return Err(error.context(story.scene(&mut human, &stage)));
    }
    drop(human);
    patterm.end()?;
    let left = stage.left();
    ensure!(left.is_empty(), "left behind: {left:?}");
    story.check(&stage)?;
    let received = stage.model.received();
    let prompts = received.iter().filter(|one| one.is_prompt()).count();
    Ok(format!("{} requests, {prompts} of them prompts", received.len()))
}

/// The content of the screens, for the report of a failure.
fn scene(human: &mut Client, stage: &Stage, sessions: &[&str]) -> String {
    let mut text = String::from("the story did not go on\n");
    for name in sessions {
        let state = human.call("explain_state", &json!({ "process_id": name })).unwrap_or_default();
        text.push_str(&format!("--- {name}: {}\n{}\n", state["state"], human.grid(name).trim_end()));
    }
    for received in stage.model.received() {
        let said = &received.conversation;
        let last = said.last_result().map_or("", |result| result.text.as_str());
        text.push_str(&format!("{} {:.40?} {} {last:.300}\n", received.client, said.user, said.results.len()));
    }
    text
}
