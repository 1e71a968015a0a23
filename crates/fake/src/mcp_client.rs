//! A small MCP client: JSON-RPC lines over a child's standard streams, with the features that an agent CLI uses.
//!
//! It never blocks: requests are written, and the server's messages come in through the main loop
//! ([`ActorInput::Server`]) and are handled by [`McpClient::hear`]. It knows no particular tools.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use crate::make::AgentMake;
use crate::run::ActorInput;
use crate::script::McpEra;
use crate::server_config::McpServerConfig;

/// Maximum size of a server's message. A longer one ends the connection.
const MAX_LINE: u64 = 16 << 20;
/// How long a server may take to exit after its input is closed.
const PATIENCE: Duration = Duration::from_millis(500);
const STATELESS: &str = "2026-07-28";

#[derive(Debug)]
pub(crate) struct McpClient {
    pub(crate) config: McpServerConfig,
    make: AgentMake,
    era: McpEra,
    child: Child,
    input: Option<ChildStdin>,
    last_id: u64,
    stage: HandshakeStage,
    pub(crate) tools: Vec<McpTool>,
}

#[derive(Clone, Debug)]
pub(crate) struct McpTool {
    pub(crate) name: String,
    pub(crate) description: String,
}

#[derive(Debug, PartialEq, Eq)]
enum HandshakeStage {
    /// `initialize` or `server/discover` with this id is in progress.
    Opening(u64),
    Listing(u64),
    Ready,
    Gone,
}

/// The meaning of a message for the fake.
#[derive(Debug)]
pub(crate) enum McpEvent {
    Nothing,
    Ready,
    Reply(u64, ToolCallOutcome),
    Gone,
}

/// The answer to a tool call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToolCallOutcome {
    /// The structured content if there is any, else the text, parsed as JSON if possible.
    pub(crate) value: Value,
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

impl McpClient {
    /// Starts the server and sends the first request. `index` identifies it in incoming messages.
    pub(crate) fn start(
        config: McpServerConfig,
        make: AgentMake,
        era: McpEra,
        environment: &[(OsString, OsString)],
        index: usize,
        incoming: SyncSender<ActorInput>,
    ) -> std::io::Result<Self> {
        let [program, arguments @ ..] = &config.command[..] else {
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "its command is empty"));
        };
        let mut child = Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(environment.iter().map(|(key, value)| (key, value)))
            .envs(config.environment.iter().map(|(key, value)| (key, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take();
        let output = child.stdout.take().expect("piped above");
        std::thread::spawn(move || read_lines(output, index, &incoming));
        let mut client =
            McpClient { config, make, era, child, input, last_id: 0, stage: HandshakeStage::Gone, tools: Vec::new() };
        client.open();
        Ok(client)
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.stage == HandshakeStage::Ready
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.stage == HandshakeStage::Gone
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> u64 {
        let arguments = if arguments.is_null() { json!({}) } else { arguments.clone() };
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    pub(crate) fn cancel(&mut self, id: u64) {
        self.notify("notifications/cancelled", json!({ "requestId": id, "reason": "interrupted by the user" }));
    }

    /// `line` is `None` after the server has closed its output.
    pub(crate) fn hear(&mut self, line: Option<&str>) -> McpEvent {
        let Some(line) = line else {
            self.stage = HandshakeStage::Gone;
            return McpEvent::Gone;
        };
        // A server that prints anything else is broken, but must not crash the fake.
        let Ok(message) = serde_json::from_str::<Value>(line) else { return McpEvent::Nothing };
        if let Some(method) = message["method"].as_str() {
            self.answer(method, &message["id"]);
            return McpEvent::Nothing;
        }
        let Some(id) = message["id"].as_u64() else { return McpEvent::Nothing };
        match self.stage {
            HandshakeStage::Opening(open) if open == id => {
                if self.era == McpEra::Handshake {
                    self.notify("notifications/initialized", json!({}));
                }
                self.stage = HandshakeStage::Listing(self.last_id + 1);
                self.request("tools/list", json!({}));
                McpEvent::Nothing
            }
            HandshakeStage::Listing(list) if list == id => {
                let tools = message["result"]["tools"].as_array().into_iter().flatten();
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                self.tools = tools
                    .map(|tool| McpTool { name: text(&tool["name"]), description: text(&tool["description"]) })
                    .collect();
                self.stage = HandshakeStage::Ready;
                McpEvent::Ready
            }
            _ => McpEvent::Reply(id, ToolCallOutcome::of(&message)),
        }
    }

    fn open(&mut self) {
        self.stage = HandshakeStage::Opening(self.last_id + 1);
        match self.era {
            McpEra::Handshake => {
                let params = json!({
                    "protocolVersion": self.make.protocol_version(),
                    "capabilities": self.capabilities(),
                    "clientInfo": self.client_info(),
                });
                self.request("initialize", params);
            }
            McpEra::Stateless => {
                self.request("server/discover", json!({}));
            }
        }
    }

    fn capabilities(&self) -> Value {
        match self.make {
            AgentMake::Claude => json!({ "roots": {}, "elicitation": {} }),
            AgentMake::Codex => json!({ "elicitation": {} }),
            AgentMake::Opencode => json!({ "roots": {} }),
        }
    }

    fn client_info(&self) -> Value {
        json!({ "name": self.make.client_name(), "version": self.make.version() })
    }

    fn request(&mut self, method: &str, mut params: Value) -> u64 {
        if self.era == McpEra::Stateless {
            let mut meta = Map::new();
            for (key, value) in [
                ("protocolVersion", STATELESS.into()),
                ("clientInfo", self.client_info()),
                ("clientCapabilities", self.capabilities()),
            ] {
                meta.insert(format!("io.modelcontextprotocol/{key}"), value);
            }
            params["_meta"] = Value::Object(meta);
        }
        self.last_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params }));
        self.last_id
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// A request of the server. Notifications have no id and are ignored.
    fn answer(&mut self, method: &str, id: &Value) {
        if id.is_null() {
            return;
        }
        let mut message = json!({ "jsonrpc": "2.0", "id": id });
        match method {
            "ping" => message["result"] = json!({}),
            "roots/list" => message["result"] = json!({ "roots": [] }),
            _ => message["error"] = json!({ "code": -32601, "message": format!("{method} is not known here") }),
        }
        self.send(&message);
    }

    /// A server that no longer reads is noticed when its output ends.
    fn send(&mut self, message: &Value) {
        if let Some(input) = &mut self.input {
            let _ = input.write_all(format!("{message}\n").as_bytes()).and_then(|()| input.flush());
        }
    }
}

impl ToolCallOutcome {
    fn of(message: &Value) -> Self {
        if let Some(error) = message.get("error") {
            let text = error["message"].as_str().unwrap_or("the server refused").to_owned();
            return ToolCallOutcome { value: error.clone(), text, is_error: true };
        }
        let result = &message["result"];
        let parts = result["content"].as_array().into_iter().flatten();
        let text = parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n");
        let value = match result.get("structuredContent") {
            Some(structure) if !structure.is_null() => structure.clone(),
            _ => serde_json::from_str(&text).unwrap_or_else(|_| Value::String(text.clone())),
        };
        ToolCallOutcome { value, text, is_error: result["isError"] == true }
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        self.input = None;
        let start = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) {
            if start.elapsed() > PATIENCE {
                // Fails only if the server has just exited.
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn read_lines(output: impl Read, index: usize, incoming: &SyncSender<ActorInput>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        match output.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
            Ok(count) if count > 0 && line.ends_with(b"\n") => {}
            _ => break,
        }
        let line = String::from_utf8_lossy(&line).trim().to_owned();
        if !line.is_empty() && incoming.send(ActorInput::Server(index, Some(line))).is_err() {
            return;
        }
    }
    // The main loop may have ended already.
    let _ = incoming.send(ActorInput::Server(index, None));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_structure_json_or_text() {
        let of = |result: Value| ToolCallOutcome::of(&json!({ "id": 1, "result": result }));
        let text = |text: &str| json!([{ "type": "text", "text": text }]);
        assert_eq!(of(json!({ "content": text("x"), "structuredContent": { "a": 1 } })).value, json!({ "a": 1 }));
        assert_eq!(of(json!({ "content": text("{\"a\":1}") })).value, json!({ "a": 1 }));
        assert_eq!(of(json!({ "content": text("plain") })).value, json!("plain"));
        assert!(of(json!({ "content": text("no"), "isError": true })).is_error);
        let refused = ToolCallOutcome::of(&json!({ "id": 1, "error": { "code": -32602, "message": "no such tool" } }));
        assert_eq!((refused.text.as_str(), refused.is_error), ("no such tool", true));
    }
}
