//! Prompts into a real CLI: each must arrive once, submitted and whole, and its receipt must say so.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use agents::delivery::{Tag, compose};
use anyhow::{Context, Result};
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
    /// A patterm that is built already
    #[arg(long)]
    patterm: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let vendor = Vendor::named(&arguments.agent)?;
    let program = headless::program(arguments.patterm.as_deref())?;
    let stage = Stage::new(ModelScript::new(), &[vendor])?;
    let patterm = stage.patterm(&program)?;
    let mut client = patterm.operator()?;
    let mut agent = Agent::start(&mut client, vendor)?;
    let mut tally = Tally::default();
    for number in arguments.first..arguments.first + arguments.count {
        let prompt = prompt(number);
        let start = Instant::now();
        let fault = agent.deliver(&mut client, &stage, &prompt)?;
        let took = start.elapsed();
        tally.count(took, fault.is_none());
        if let Some(fault) = fault {
            println!("{number} ({}, {} bytes): {fault}", prompt.sort, prompt.body.len());
            println!("{}", client.grid(&agent.id));
            // With what is left in its prompt box it would be no fair start for the next one.
            client.call("close_process", &json!({ "process_id": agent.id }))?;
            agent = Agent::start(&mut client, vendor)?;
        }
    }
    client.call("close_process", &json!({ "process_id": agent.id }))?;
    drop(client);
    patterm.end()?;
    let left = stage.left();
    println!("{}: {}", vendor.name, tally.summary());
    for left in &left {
        println!("left behind: {left}");
    }
    Ok(if tally.wrong == 0 && left.is_empty() { Verdict::Good } else { Verdict::Bad })
}

struct Agent {
    vendor: Vendor,
    id: String,
}

impl Agent {
    fn start(client: &mut Client, vendor: Vendor) -> Result<Self> {
        let started = client.call("spawn_agent", &json!({ "agent": vendor.name }))?;
        Ok(Agent { vendor, id: started["process_id"].as_str().context("an agent has an id")?.to_owned() })
    }

    /// What its model was asked in the conversation.
    fn prompts(&self, stage: &Stage) -> Vec<String> {
        let mut prompts = stage.model.prompts(self.vendor.name);
        prompts.retain(|prompt| !self.vendor.asks_for_itself(prompt));
        prompts
    }

    /// `None` when all went well.
    fn deliver(&self, client: &mut Client, stage: &Stage, prompt: &Prompt) -> Result<Option<String>> {
        let before = self.prompts(stage).len();
        let sent = client.call("send_message", &json!({ "target_process_id": self.id, "message": prompt.body }))?;
        let wanted =
            json!({ "process_id": self.id, "turn_id": sent["turn_id"], "states": ["idle"], "timeout_seconds": 150 });
        let ended = client.call("wait_for_state", &wanted)?;
        let expected = self.vendor.comparable(&compose(None, Some(Tag::Orchestrator), &prompt.body));
        let received = self.prompts(stage).split_off(before);
        let received: Vec<String> = received.iter().map(|one| self.vendor.comparable(one)).collect();
        Ok(fault(&ended, &expected, &received))
    }
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

/// Where two texts part.
fn difference(expected: &str, received: &str) -> String {
    let same = expected.chars().zip(received.chars()).take_while(|(one, other)| one == other).count();
    let show = |text: &str| text.chars().skip(same.saturating_sub(10)).take(40).collect::<String>();
    let (wanted, got) = (show(expected), show(received));
    let (long, short) = (expected.len(), received.len());
    format!("it differs after {same} characters ({long} bytes sent, {short} received): {wanted:?} became {got:?}")
}

#[derive(Default)]
struct Tally {
    right: usize,
    wrong: usize,
    took: Vec<Duration>,
}

impl Tally {
    fn count(&mut self, took: Duration, right: bool) {
        self.took.push(took);
        if right {
            self.right += 1;
        } else {
            self.wrong += 1;
        }
    }

    fn summary(&self) -> String {
        let mut took = self.took.clone();
        took.sort_unstable();
        let at = |part: usize| took.get(took.len() * part / 100).copied().unwrap_or_default().as_secs_f64();
        let all = self.right + self.wrong;
        format!(
            "{} of {all} arrived once, submitted and whole; a turn took p50 {:.2} s, p95 {:.2} s",
            self.right,
            at(50),
            at(95)
        )
    }
}
