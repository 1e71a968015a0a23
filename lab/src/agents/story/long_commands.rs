//! Two children ask for leave to run commands of more than 400 characters: one of a single line, which only reads, and one
//! of several lines, which writes. The lead reads both whole. It allows the first with the digest of the prompt; the second is
//! for the human, who answers with the digest as well.

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use testkit::model::{ModelAnswer, ModelScript};

use super::{
    super::{client::Client, stage::Stage, vendors::Vendor},
    Story, allow, ends_with_the_lead_alone, human_is_called, scene, wait,
};

pub(super) struct LongCommands {
    /// Its children are of the same make.
    lead: Vendor,
}

const CALLS: &str = "may it write these lines?";
const WRITTEN: &str = "written";

/// On the list of what an agent may allow.
fn reads() -> String {
    let names = (1..=20).map(|number| format!(" name-{number:02}-of-a-long-list"));
    format!("ls -d{}", names.collect::<String>())
}

/// No list names it.
fn writes() -> String {
    let lines = (1..=8).map(|number| format!("echo 'line {number} of a command that has several' >>{WRITTEN}"));
    lines.collect::<Vec<_>>().join("\n")
}

impl LongCommands {
    pub(super) fn led_by(lead: Vendor) -> Self {
        LongCommands { lead }
    }
}

impl Story for LongCommands {
    fn vendors(&self) -> Result<Vec<Vendor>> {
        Ok(vec![self.lead.clone()])
    }

    fn script(&self) -> ModelScript {
        let start =
            |name: &str, task: &str| json!({ "agent": self.lead.name, "name": name, "agent_instructions": task });
        let asks = ["blocked", "idle"];
        ModelScript::new()
            .when("LEAD-THE-LONG")
            .call("patterm:spawn_agent", start("reader", "READ-TASK"))
            .call("patterm:spawn_agent", start("writer", "WRITE-TASK"))
            .then(move |said| wait("reader", said, &asks))
            .call("patterm:explain_state", json!({ "process_id": "reader" }))
            .then(|said| allow("reader", said))
            .then(move |said| wait("writer", said, &asks))
            .call("patterm:explain_state", json!({ "process_id": "writer" }))
            .then(|said| allow("writer", said))
            .call("patterm:request_human_attention", json!({ "process_id": "writer", "reason": CALLS }))
            .then(|said| wait("writer", said, &["idle"]))
            .then(|said| wait("reader", said, &["idle"]))
            .call("patterm:close_process", json!({ "process_id": "reader" }))
            .call("patterm:close_process", json!({ "process_id": "writer" }))
            .say("STORY-DONE")
            .when("READ-TASK")
            .then(|said| ModelAnswer::shell(said, &reads()))
            .say("READ-DONE")
            .when("WRITE-TASK")
            .then(|said| ModelAnswer::shell(said, &writes()))
            .say("WRITE-DONE")
    }

    fn follow(&self, stage: &Stage, human: &mut Client) -> Result<()> {
        let lead = json!({ "agent": self.lead.name, "name": "lead", "agent_instructions": "LEAD-THE-LONG" });
        human.call("spawn_agent", &lead)?;
        human_is_called(stage, CALLS)?;
        let asked = human.call("explain_state", &json!({ "process_id": "writer" }))?;
        ensure!(is_whole(&asked, &writes()), "the human can't read the command whole: {}", asked["prompt"]);
        let digest = &asked["prompt"]["digest"];
        let answer = json!({ "process_id": "writer", "kind": "key", "key": "enter", "prompt_digest": digest });
        human.call("send_input", &answer)?;
        ends_with_the_lead_alone(human)
    }

    fn scene(&self, human: &mut Client, stage: &Stage) -> String {
        scene(human, stage, &["lead", "reader", "writer"])
    }

    fn check(&self, stage: &Stage) -> Result<()> {
        let received = stage.model.received();
        let told = |tool: &str, fits: &dyn Fn(&Value) -> bool| {
            received.iter().any(|one| !one.conversation.answer_of(tool, fits).is_null())
        };
        for command in [reads(), writes()] {
            ensure!(command.len() >= 400, "{} characters are not long", command.len());
            let whole = told("explain_state", &|answer| is_whole(answer, &command));
            ensure!(whole, "the lead could not read this whole: {command}");
        }
        ensure!(told("send_input", &|answer| answer["ok"] == true), "the lead could not allow what only reads");
        ensure!(told("send_input", &|answer| answer["kind"] == "needs_trust"), "the lead was to be refused the other");
        let written = std::fs::read_to_string(stage.project().join(WRITTEN)).unwrap_or_default();
        ensure!(written.lines().count() == writes().lines().count(), "what the human allowed was not done: {written}");
        Ok(())
    }
}

fn is_whole(explained: &Value, command: &str) -> bool {
    explained["prompt"]["command"] == command && explained["prompt"]["complete"] == true
}
