//! One agent under a headless patterm, used as a person uses it.

use std::{
    fs,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use regex::Regex;
use serde_json::{Value, json};

use super::{sampler::StateSampler, tape::SessionTape};
use crate::agents::{client::Client, headless::Headless, stage::Stage, vendors::Vendor};

/// For what must come: a machine may be busy.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// A CLI at rest prints nothing for so long; some never stop, and count as at rest after a while.
const QUIET: Duration = Duration::from_millis(800);
const REST_AT_LAST: Duration = Duration::from_secs(6);

pub(super) struct DrivenAgent<'a> {
    stage: &'a Stage,
    vendor: &'a Vendor,
    client: Client,
    pub(super) process: String,
    pub(super) sampler: StateSampler,
    pub(super) tape: SessionTape,
    /// Since when it is known to work or to ask: nothing was typed since.
    pub(super) busy_since: Option<Instant>,
}

impl<'a> DrivenAgent<'a> {
    pub(super) fn start(stage: &'a Stage, vendor: &'a Vendor, patterm: &Headless) -> Result<Self> {
        let mut client = patterm.operator()?;
        let started = client.call("spawn_agent", &json!({ "agent": vendor.name }))?;
        let process = started["process_id"].as_str().context("an agent has an id")?.to_owned();
        Ok(DrivenAgent {
            stage,
            vendor,
            client,
            sampler: StateSampler::start(patterm.operator()?, &process),
            tape: SessionTape::of(&stage.seen(), &process),
            process,
            busy_since: None,
        })
    }

    pub(super) fn close(mut self) -> Result<SessionTape> {
        self.client.call("close_process", &json!({ "process_id": self.process }))?;
        Ok(self.tape)
    }

    pub(super) fn grid(&mut self) -> String {
        self.tape.grid()
    }

    pub(super) fn type_text(&mut self, text: &str) -> Result<()> {
        self.send(json!({ "kind": "text", "text": text, "submit": false }), text)
    }

    pub(super) fn press(&mut self, key: &str) -> Result<()> {
        self.send(json!({ "kind": "key", "key": key }), key)?;
        self.pause(Duration::from_millis(250));
        Ok(())
    }

    fn send(&mut self, mut input: Value, shown: &str) -> Result<()> {
        self.tape.typed(shown);
        self.busy_since = None;
        input["process_id"] = self.process.as_str().into();
        self.client.call("send_input", &input)?;
        Ok(())
    }

    /// As a person does it: pasted, and Enter a moment later.
    pub(super) fn prompt(&mut self, text: &str) -> Result<()> {
        let before = self.prompts_with(text);
        self.send(json!({ "kind": "paste", "text": text }), text)?;
        self.pause(Duration::from_millis(600));
        self.press("enter")?;
        self.arrived(text, before)
    }

    /// With patterm's delivery.
    pub(super) fn message(&mut self, text: &str) -> Result<()> {
        let before = self.prompts_with(text);
        self.tape.typed(text);
        self.busy_since = None;
        self.client.call("send_message", &json!({ "target_process_id": self.process, "message": text }))?;
        self.arrived(text, before)
    }

    /// With patterm's delivery, while the CLI waits for a decision.
    pub(super) fn queue(&mut self, text: &str) -> Result<()> {
        let sent = self.client.call("send_message", &json!({ "target_process_id": self.process, "message": text }))?;
        ensure!(sent["delivery"] == "queued", "the message was to wait: {sent}");
        Ok(())
    }

    /// Nothing was done with what was queued.
    pub(super) fn untyped(&mut self, text: &str) -> Result<()> {
        ensure!(!self.grid().contains(text), "the message was typed while it was to wait");
        ensure!(self.prompts_with(text) == 0, "the model has the message that was to wait");
        Ok(())
    }

    pub(super) fn came_once(&self, text: &str) -> Result<()> {
        let times = self.prompts_with(text);
        ensure!(times == 1, "the message came {times} times");
        Ok(())
    }

    fn prompts_with(&self, text: &str) -> usize {
        self.stage.model.prompts(self.vendor.name).iter().filter(|prompt| prompt.contains(text)).count()
    }

    /// Waits until the model has it, `before` having been there already.
    pub(super) fn arrived(&mut self, text: &str, before: usize) -> Result<()> {
        self.until(&format!("the model has '{text}'"), |agent| agent.prompts_with(text) > before)?;
        self.busy_since = Some(Instant::now());
        Ok(())
    }

    /// Until a request with these words has come, from the agent or what it has set to work.
    pub(super) fn asked(&mut self, words: &str) -> Result<()> {
        self.until(&format!("the model was asked '{words}'"), |agent| {
            agent.stage.model.received().iter().any(|received| received.conversation.user.contains(words))
        })?;
        self.busy_since.get_or_insert_with(Instant::now);
        Ok(())
    }

    pub(super) fn open(&mut self, gate: &str) {
        self.stage.model.open_gate(gate);
    }

    pub(super) fn see(&mut self, sign: &Regex) -> Result<()> {
        self.until(&format!("the screen shows '{sign}'"), |agent| sign.is_match(&agent.grid()))
    }

    pub(super) fn gone(&mut self, sign: &Regex) -> Result<()> {
        self.until(&format!("the screen no longer shows '{sign}'"), |agent| !sign.is_match(&agent.grid()))
    }

    /// A command of its own runs, which is work.
    pub(super) fn file(&mut self, name: &str) -> Result<()> {
        let path = self.stage.project().join(name);
        self.until(&format!("there is a file {name}"), |_| path.exists())?;
        self.busy_since.get_or_insert_with(Instant::now);
        Ok(())
    }

    pub(super) fn touch(&self, name: &str) -> Result<()> {
        Ok(fs::write(self.stage.project().join(name), "")?)
    }

    /// `busy` is for a CLI that shows its prompt box while it works: on a busy machine it may stand still meanwhile.
    pub(super) fn rest(&mut self, prompt: &Regex, busy: Option<&Regex>) -> Result<()> {
        self.see(prompt)?;
        let since = Instant::now();
        self.until("it is at rest", |agent| {
            let at_rest = agent.tape.silent_for() > QUIET || since.elapsed() > REST_AT_LAST;
            let grid = agent.grid();
            at_rest && prompt.is_match(&grid) && busy.is_none_or(|busy| !busy.is_match(&grid))
        })
    }

    /// Looks at the recording meanwhile.
    pub(super) fn pause(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            self.tape.look();
            std::thread::sleep(left.min(LOOK_EVERY));
        }
    }

    fn until(&mut self, what: &str, mut holds: impl FnMut(&mut Self) -> bool) -> Result<()> {
        let began = Instant::now();
        while !holds(self) {
            if began.elapsed() > PATIENCE {
                bail!("not within {} s: {what}", PATIENCE.as_secs());
            }
            let status = self.client.call("get_process_status", &json!({ "process_id": self.process }))?;
            ensure!(status["status"] == "running", "it ended before this: {what}");
            self.pause(LOOK_EVERY);
        }
        Ok(())
    }
}
