//! One leads four children of three vendors. Three of them ask for permission and are refused while a second message is
//! queued for them; then each works on a third one, and a timer on all four tells the lead when they are done.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::json;
use testkit::model::{ModelAnswer, ModelScript};

use super::{
    super::{client::Client, stage::Stage, vendors::Vendor},
    DOUBTFUL, Story, ends_with_the_lead_alone, scene,
};

const CHILDREN: [&str; 4] = ["one", "two", "three", "four"];
/// A child's request is refused, except for the last child, which requests nothing.
const REFUSED: &[&str] = CHILDREN.split_at(3).0;
const VENDORS: [&str; 4] = ["claude", "codex", "opencode", "codex"];

pub(super) struct FourChildren {
    lead: Vendor,
}

impl FourChildren {
    pub(super) fn led_by(lead: Vendor) -> Self {
        FourChildren { lead }
    }
}

impl Story for FourChildren {
    fn vendors(&self) -> Result<Vec<Vendor>> {
        ["claude", "codex", "opencode"].into_iter().map(Vendor::named).collect()
    }

    fn script(&self) -> ModelScript {
        let mut script = ModelScript::new().when("LEAD-THE-FOUR");
        for (name, vendor) in CHILDREN.into_iter().zip(VENDORS) {
            let task = if REFUSED.contains(&name) { "REFUSED-TASK" } else { "QUIET-TASK" };
            script = script
                .call("patterm:spawn_agent", json!({ "agent": vendor, "name": name, "agent_instructions": task }));
        }
        script = script
            .call(
                "patterm:timer_fire_when_idle_all",
                json!({ "watched": CHILDREN, "body": "ALL-REST", "max_wait_seconds": 600 }),
            )
            .say("I wait until all rest.")
            .when("ALL-REST");
        let send = |script: ModelScript, task: &str| {
            CHILDREN.into_iter().fold(script, |script, name| {
                let message = json!({ "target_process_id": name, "message": format!("{task} for {name}") });
                script.call("patterm:send_message", message)
            })
        };
        script = send(script, "SECOND-TASK");
        for name in CHILDREN {
            script = script.then(move |said| {
                let sent = said.answer_of("send_message", |answer| answer["name"] == name);
                let turn = json!({ "process_id": name, "turn_id": sent["turn_id"], "states": ["idle"], "timeout_seconds": 180 });
                ModelAnswer::call("patterm:wait_for_state", turn)
            });
        }
        script = send(script, "THIRD-TASK")
            .call(
                "patterm:timer_fire_when_idle_all",
                json!({ "watched": CHILDREN, "body": "ALL-DONE", "max_wait_seconds": 600 }),
            )
            .say("I wait until all are done.")
            .when("ALL-DONE");
        for name in CHILDREN {
            script = script.call("patterm:close_process", json!({ "process_id": name }));
        }
        script
            .say("STORY-DONE")
            .when("THIRD-TASK")
            // Longer than the lead takes to set its timer: a timer on agents that are already at rest is not set.
            .then(|_| ModelAnswer::say("THIRD-DONE").paced(Duration::from_secs(12), Duration::ZERO))
            .when("SECOND-TASK")
            .say("SECOND-DONE")
            .when("REFUSED-TASK")
            .then(|said| ModelAnswer::shell(said, DOUBTFUL))
            .say("FIRST-DONE")
            .when("QUIET-TASK")
            .say("FIRST-DONE")
    }

    fn follow(&self, stage: &Stage, human: &mut Client) -> Result<()> {
        let lead = json!({ "agent": self.lead.name, "name": "lead", "agent_instructions": "LEAD-THE-FOUR" });
        human.call("spawn_agent", &lead)?;
        // Agents that wait for a decision are at rest: the second messages arrive while the questions are open.
        let asked = Instant::now();
        while !self.has_sent_messages(stage) {
            ensure!(asked.elapsed() < Duration::from_secs(300), "the lead has not sent its second messages");
            std::thread::sleep(Duration::from_millis(50));
        }
        for name in REFUSED {
            let blocked = human
                .call("wait_for_state", &json!({ "process_id": name, "states": ["blocked"], "timeout_seconds": 60 }))?;
            ensure!(blocked["reached"] == true, "{name} does not ask: {blocked}");
            human.call("send_input", &json!({ "process_id": name, "kind": "key", "key": "esc" }))?;
        }
        ends_with_the_lead_alone(human)
    }

    fn scene(&self, human: &mut Client, stage: &Stage) -> String {
        scene(human, stage, &[&["lead"], CHILDREN.as_slice()].concat())
    }

    fn check(&self, stage: &Stage) -> Result<()> {
        for (name, vendor) in CHILDREN.into_iter().zip(VENDORS) {
            for task in ["SECOND-TASK", "THIRD-TASK"] {
                let message = format!("{task} for {name}");
                let got = stage.model.prompts(vendor).iter().filter(|prompt| prompt.contains(&message)).count();
                ensure!(got == 1, "{name} got '{message}' {got} times");
            }
        }
        for timer in ["ALL-REST", "ALL-DONE"] {
            let came = stage.model.prompts(self.lead.name).iter().filter(|prompt| prompt.contains(timer)).count();
            ensure!(came == 1, "the timer {timer} came {came} times");
        }
        ensure!(!stage.project().join("built").exists(), "what was refused was done");
        Ok(())
    }
}

impl FourChildren {
    /// Whether the lead has sent its second messages: each tool's answer is in a request of its own.
    fn has_sent_messages(&self, stage: &Stage) -> bool {
        stage.model.received().iter().any(|one| {
            let said = &one.conversation;
            one.client == self.lead.name && said.user.contains("ALL-REST") && said.results.len() >= CHILDREN.len()
        })
    }
}
