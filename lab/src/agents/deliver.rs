//! Prompts for a real CLI: each must arrive once, complete and submitted, and its receipt must say so.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use agents::delivery::{BodyTag, compose};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use testkit::model::ModelScript;

use super::{
    client::Client,
    headless,
    prompts::{Prompt, prompt},
    stage::Stage,
    vendors::Vendor,
};
use crate::Verdict;

/// Send prompts of every sort into a real CLI, and compare what its model received
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[arg(long, value_name = "NAME")]
    agent: String,
    #[arg(long, default_value_t = 10)]
    count: usize,
    /// The number of the first prompt
    #[arg(long, default_value_t = 0)]
    first: usize,
    /// An existing patterm
    #[arg(long)]
    patterm: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let vendor = Vendor::named(&arguments.agent)?;
    let program = headless::program(arguments.patterm.as_deref())?;
    let results = trial(&vendor, &program, arguments.first, arguments.count)?;
    println!("{} {}: {}", vendor.name, vendor.version, results.summary());
    Ok(if results.once == arguments.count { Verdict::Good } else { Verdict::Bad })
}

/// The results of the prompts that were sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PromptResults {
    pub(crate) sent: usize,
    /// Arrived once, complete and submitted.
    pub(crate) once: usize,
    /// The end of the turn was reported.
    pub(crate) turns_told: usize,
    /// How long a turn took.
    pub(crate) p50_ms: u64,
    pub(crate) p95_ms: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) faults: Vec<String>,
}

/// After this many failures in a row we stop: a CLI that accepts no prompt would make each one wait in vain.
const GIVE_UP_AFTER: usize = 3;

/// Sends the prompts of these numbers, one after the other.
pub(crate) fn trial(vendor: &Vendor, program: &Path, first: usize, count: usize) -> Result<PromptResults> {
    let stage = Stage::new(ModelScript::new(), std::slice::from_ref(vendor))?;
    let patterm = stage.patterm(program)?;
    let mut client = patterm.operator()?;
    let mut agent = Agent::start(&mut client, vendor)?;
    let mut tally = Tally::default();
    let mut in_a_row = 0;
    for number in first..first + count {
        let prompt = prompt(number);
        let start = Instant::now();
        let delivered = agent.deliver(&mut client, &stage, &prompt)?;
        tally.took.push(start.elapsed());
        tally.turns_told += usize::from(delivered.turn_told);
        let Some(fault) = delivered.fault else {
            in_a_row = 0;
            tally.once += 1;
            continue;
        };
        let fault = format!("prompt {number} ({}, {} bytes): {fault}", prompt.sort, prompt.body.len());
        println!("{fault}\n{}", client.grid(&agent.id));
        tally.faults.push(fault);
        in_a_row += 1;
        if in_a_row == GIVE_UP_AFTER {
            tally.faults.push(format!("no more were sent after {GIVE_UP_AFTER} faults in a row"));
            break;
        }
        // A text left in its prompt box would be an unfair start for the next prompt.
        client.call("close_process", &json!({ "process_id": agent.id }))?;
        agent = Agent::start(&mut client, vendor)?;
    }
    client.call("close_process", &json!({ "process_id": agent.id }))?;
    drop(client);
    patterm.end()?;
    let left = stage.left();
    ensure!(left.is_empty(), "left behind: {left:?}");
    Ok(tally.results(count))
}

struct Agent<'a> {
    vendor: &'a Vendor,
    id: String,
}

impl<'a> Agent<'a> {
    fn start(client: &mut Client, vendor: &'a Vendor) -> Result<Self> {
        let started = client.call("spawn_agent", &json!({ "agent": vendor.name }))?;
        Ok(Agent { vendor, id: started["process_id"].as_str().context("an agent has an id")?.to_owned() })
    }

    /// The prompts that its model got in the conversation.
    fn prompts(&self, stage: &Stage) -> Vec<String> {
        let mut prompts = stage.model.prompts(self.vendor.name);
        prompts.retain(|prompt| !self.vendor.asks_for_itself(prompt));
        prompts
    }

    fn deliver(&self, client: &mut Client, stage: &Stage, prompt: &Prompt) -> Result<Delivered> {
        let before = self.prompts(stage).len();
        let sent = client.call("send_message", &json!({ "target_process_id": self.id, "message": prompt.body }))?;
        let wanted =
            json!({ "process_id": self.id, "turn_id": sent["turn_id"], "states": ["idle"], "timeout_seconds": 150 });
        let ended = client.call("wait_for_state", &wanted)?;
        let expected = self.vendor.comparable(&compose(None, Some(BodyTag::Orchestrator), &prompt.body));
        let received = self.prompts(stage).split_off(before);
        let received: Vec<String> = received.iter().map(|one| self.vendor.comparable(one)).collect();
        let turn_told = ended["reached"] == true && !received.is_empty();
        Ok(Delivered { turn_told, fault: fault(&ended, &expected, &received) })
    }
}

struct Delivered {
    turn_told: bool,
    /// `None` if everything was right.
    fault: Option<String>,
}

fn fault(ended: &Value, expected: &str, received: &[String]) -> Option<String> {
    if ended["reached"] != true {
        let (reason, state, delivery) = (&ended["reason"], &ended["state"], &ended["delivery"]);
        return Some(format!("the turn did not end: {reason}, {state}, {delivery}; the model got {}", received.len()));
    }
    match received {
        [one] if *one == expected => None,
        [] => Some(format!("the receipt says {}, but nothing arrived", ended["delivery"])),
        [one] => Some(difference(expected, one)),
        more => Some(format!("it arrived {} times", more.len())),
    }
}

/// The first difference between two texts.
fn difference(expected: &str, received: &str) -> String {
    let same = expected.chars().zip(received.chars()).take_while(|(one, other)| one == other).count();
    let show = |text: &str| text.chars().skip(same.saturating_sub(10)).take(40).collect::<String>();
    let (wanted, got) = (show(expected), show(received));
    let (long, short) = (expected.len(), received.len());
    format!("it differs after {same} characters ({long} bytes sent, {short} received): {wanted:?} became {got:?}")
}

#[derive(Default)]
struct Tally {
    took: Vec<Duration>,
    once: usize,
    turns_told: usize,
    faults: Vec<String>,
}

impl Tally {
    /// The number of prompts that should have been sent.
    fn results(mut self, count: usize) -> PromptResults {
        self.took.sort_unstable();
        let at = |part: usize| self.took.get(self.took.len() * part / 100).copied().unwrap_or_default();
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        PromptResults {
            sent: count,
            once: self.once,
            turns_told: self.turns_told,
            p50_ms: milliseconds(at(50)),
            p95_ms: milliseconds(at(95)),
            faults: self.faults,
        }
    }
}

impl PromptResults {
    pub(crate) fn summary(&self) -> String {
        let seconds = |milliseconds: u64| milliseconds as f64 / 1e3;
        format!(
            "{} of {} arrived once, submitted and whole; {} turns told; a turn took p50 {:.2} s, p95 {:.2} s",
            self.once,
            self.sent,
            self.turns_told,
            seconds(self.p50_ms),
            seconds(self.p95_ms)
        )
    }
}
