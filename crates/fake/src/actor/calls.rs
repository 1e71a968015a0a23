//! Tool calls on MCP servers: asking for permission where the CLI does, sending, receiving, drawing.

use std::time::Instant;

use serde_json::{Value, json};

use super::{FakeActor, QUESTION_NUDGE_MS};
use crate::mcp_client::{McpEvent, ToolCallOutcome};
use crate::scene::{CallState, PermissionQuestion, QuestionAnswer, QuestionSubject, SceneEntry, SceneFront};
use crate::script::CallStep;
use crate::turn::{CallStage, FakeTurn, PlannedCall, TurnWait};
use crate::values::NoSuchVariable;

impl FakeActor {
    pub(super) fn hear(&mut self, index: usize, line: Option<&str>) {
        let Some(client) = self.clients.get_mut(index) else { return };
        match client.hear(line) {
            McpEvent::Nothing => {}
            McpEvent::Ready | McpEvent::Gone => {
                self.scene.connected_servers = self.clients.iter().filter(|client| client.is_ready()).count();
                self.scene.booting = !self.clients.iter().all(|client| client.is_ready() || client.is_gone());
                if line.is_none() {
                    self.fail_calls_of(index);
                }
            }
            McpEvent::Reply(id, outcome) => self.reply(index, id, &outcome),
        }
    }

    fn fail_calls_of(&mut self, index: usize) {
        let gone =
            ToolCallOutcome { value: json!("the server is gone"), text: "the server is gone".into(), is_error: true };
        let Some(FakeTurn { wait: TurnWait::Replies(calls), .. }) = &self.turn else { return };
        let sent = calls.iter().filter(|call| call.server == index);
        let ids: Vec<u64> =
            sent.filter_map(|call| if let CallStage::Sent(id) = call.stage { Some(id) } else { None }).collect();
        for id in ids {
            self.reply(index, id, &gone);
        }
    }

    fn reply(&mut self, index: usize, id: u64, outcome: &ToolCallOutcome) {
        let Some(FakeTurn { wait: TurnWait::Replies(calls), .. }) = &mut self.turn else { return };
        let sent = CallStage::Sent(id);
        let Some(call) = calls.iter_mut().find(|call| call.server == index && call.stage == sent) else { return };
        call.stage = CallStage::Over;
        let server = &self.clients[index].config.name;
        let state = if outcome.is_error {
            CallState::Failed(outcome.text.clone())
        } else {
            CallState::Done(outcome.text.clone())
        };
        self.scene.entries[call.entry] = SceneEntry::Call { server: server.clone(), tool: call.tool.clone(), state };
        let told = json!({
            "tool_name": format!("mcp__{server}__{}", call.tool),
            "tool_input": call.arguments,
            "tool_response": outcome.value,
        });
        self.hooks.fire("PostToolUse", told);
        if let Some(name) = &call.bind {
            self.variables.set(name.clone(), outcome.value.clone());
        }
        self.variables.set("last", outcome.value.clone());
        self.variables.set("last_is_error", json!(outcome.is_error));
        self.variables.set("last_text", json!(outcome.text));
    }

    /// Whether the servers for these calls are connected or have failed.
    pub(super) fn is_settled(&self, calls: &[CallStep]) -> bool {
        calls.iter().all(|call| {
            let client = self.server_of(call).and_then(|index| self.clients.get(index));
            client.is_none_or(|client| client.is_ready() || client.is_gone())
        })
    }

    fn server_of(&self, call: &CallStep) -> Option<usize> {
        match &call.server {
            Some(name) => self.clients.iter().position(|client| client.config.name == *name),
            None => (!self.clients.is_empty()).then_some(0),
        }
    }

    pub(super) fn plan(&mut self, calls: &[CallStep]) -> Result<Vec<PlannedCall>, NoSuchVariable> {
        let mut planned = Vec::new();
        for call in calls {
            let tool = self.variables.fill_text(&call.tool)?;
            let mut arguments = self.variables.fill(&call.args)?;
            // Arguments typed by the person stay text.
            if let Value::String(text) = &arguments {
                arguments = serde_json::from_str(text).unwrap_or_else(|_| json!({}));
            }
            let index = self.server_of(call).filter(|index| !self.clients[*index].is_gone());
            let Some(server) = index else {
                let server = call.server.clone().unwrap_or_else(|| "mcp".into());
                let text = "no such MCP server is connected".to_owned();
                self.variables.set("last_is_error", json!(true));
                self.variables.set("last_text", json!(text));
                self.scene.entries.push(SceneEntry::Call { server, tool, state: CallState::Failed(text) });
                continue;
            };
            let config = &self.clients[server].config;
            let allowed = self.line.may_call(config, &tool) || self.always.contains(&key_of(&config.name, &tool));
            let state = CallState::Running;
            self.scene.entries.push(SceneEntry::Call { server: config.name.clone(), tool: tool.clone(), state });
            let told = json!({ "tool_name": format!("mcp__{}__{tool}", config.name), "tool_input": arguments });
            self.hooks.fire("PreToolUse", told);
            planned.push(PlannedCall {
                server,
                tool,
                arguments,
                bind: call.bind.clone(),
                entry: self.scene.entries.len() - 1,
                stage: if allowed { CallStage::Allowed } else { CallStage::Unasked },
            });
        }
        Ok(planned)
    }

    /// Sends the permitted calls and asks about the others one at a time. True when all are done.
    pub(super) fn push_calls(&mut self, now: Instant) -> bool {
        let Some(FakeTurn { wait: TurnWait::Replies(calls), .. }) = &mut self.turn else { return true };
        for call in calls.iter_mut().filter(|call| call.stage == CallStage::Allowed) {
            call.stage = CallStage::Sent(self.clients[call.server].call(&call.tool, &call.arguments));
        }
        let over = calls.iter().all(|call| call.stage == CallStage::Over);
        if !matches!(self.scene.front, SceneFront::PromptBox) {
            return over;
        }
        if let Some(call) = calls.iter_mut().find(|call| call.stage == CallStage::Unasked) {
            call.stage = CallStage::Asked;
            let client = &self.clients[call.server];
            let known = client.tools.iter().find(|tool| tool.name == call.tool);
            let about = QuestionSubject::Tool {
                server: client.config.name.clone(),
                tool: call.tool.clone(),
                description: known.map(|tool| tool.description.clone()).unwrap_or_default(),
            };
            self.ask(about, String::new(), now);
        }
        over
    }

    pub(super) fn ask(&mut self, about: QuestionSubject, reason: String, now: Instant) {
        let (name, input) = match &about {
            QuestionSubject::Command(command) => ("Bash".into(), json!({ "command": command })),
            QuestionSubject::File(file) => ("Write".into(), json!({ "file_path": file })),
            QuestionSubject::Tool { server, tool, .. } => (format!("mcp__{server}__{tool}"), json!({})),
        };
        self.hooks.fire("PermissionRequest", json!({ "tool_name": name, "tool_input": input }));
        if self.line.notify_terminal {
            let text = crate::stage::one_line(&format!("Approval requested: {name}"));
            self.write(&self.stage.costume.notification(&text));
        }
        self.nudge = Some((now + self.pace(QUESTION_NUDGE_MS), "Claude needs your permission"));
        self.scene.front = SceneFront::Question(PermissionQuestion { about, reason, marked: 0 });
    }

    pub(super) fn answer_question(&mut self, answer: QuestionAnswer, now: Instant) {
        self.nudge = None;
        self.scene.front = SceneFront::PromptBox;
        match &mut self.turn {
            Some(FakeTurn { wait: TurnWait::Replies(calls), .. }) => {
                let asked = calls.iter_mut().find(|call| call.stage == CallStage::Asked);
                let Some(call) = asked else { return };
                if answer == QuestionAnswer::Refuse {
                    self.interrupt_turn(now);
                    return;
                }
                call.stage = CallStage::Allowed;
                if answer == QuestionAnswer::Always {
                    let key = key_of(&self.clients[call.server].config.name, &call.tool);
                    self.always.insert(key);
                }
            }
            _ => self.answer_permission(answer, now),
        }
    }
}

fn key_of(server: &str, tool: &str) -> String {
    format!("mcp__{server}__{tool}")
}
