//! A small MCP client: lines out, lines in. It stores messages that it did not wait for.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Read, Write},
    os::unix::net::UnixStream,
    path::Path,
    process::{Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
};

use serde_json::{Value, json};
use testkit::{DEADLINE, TestChild};

use crate::stage::PATTERM;

pub(crate) struct Client {
    writer: Option<Box<dyn Write + Send>>,
    lines: Receiver<String>,
    waiting: VecDeque<Value>,
    next_id: u64,
    /// The proxy, if there is one.
    pub(crate) process: Option<TestChild>,
}

impl Client {
    fn new(writer: impl Write + Send + 'static, reader: impl Read + Send + 'static) -> Self {
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(reader).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Client { writer: Some(Box::new(writer)), lines, waiting: VecDeque::new(), next_id: 1, process: None }
    }

    /// Directly on the socket, before any message.
    pub(crate) fn on_socket(socket: &Path) -> Self {
        let stream = UnixStream::connect(socket).unwrap();
        Client::new(stream.try_clone().unwrap(), stream)
    }

    pub(crate) fn raw_proxy(words: &[&str]) -> Self {
        let mut command = Command::new(PATTERM);
        Client::behind(command.arg("mcp-stdio").args(words).env_clear())
    }

    /// Through a command's standard streams, before any message.
    pub(crate) fn behind(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = TestChild::start(command);
        let mut client = Client::new(process.stdin.take().unwrap(), process.stdout.take().unwrap());
        client.process = Some(process);
        client
    }

    /// Like a vendor's CLI: a proxy as a child process, and the handshake done.
    #[track_caller]
    pub(crate) fn behind_proxy(connect_file: &Path) -> Self {
        let mut client = Client::raw_proxy(&["--connect", connect_file.to_str().unwrap()]);
        client.initialize();
        client
    }

    #[track_caller]
    pub(crate) fn initialize(&mut self) -> Value {
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "0" },
        });
        let result = self.result("initialize", params);
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        result
    }

    pub(crate) fn write(&mut self, text: &str) {
        self.try_write(text).unwrap();
    }

    /// Fails if the server is gone.
    pub(crate) fn try_write(&mut self, text: &str) -> std::io::Result<()> {
        self.writer.as_mut().unwrap().write_all(text.as_bytes())
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.write(&format!("{message}\n"));
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The next message, or `None` at the end.
    #[track_caller]
    pub(crate) fn try_next(&mut self) -> Option<Value> {
        if let Some(message) = self.waiting.pop_front() {
            return Some(message);
        }
        match self.lines.recv_timeout(DEADLINE) {
            Ok(line) => Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))),
            Err(mpsc::RecvTimeoutError::Disconnected) => None,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("nothing came within {DEADLINE:?}"),
        }
    }

    #[track_caller]
    pub(crate) fn next(&mut self) -> Value {
        self.try_next().expect("the server is still there")
    }

    /// The answer to `id`; messages before it are stored.
    #[track_caller]
    pub(crate) fn answer_to(&mut self, id: u64) -> Value {
        let mut others = VecDeque::new();
        let answer = loop {
            let message = self.next();
            if message["id"] == id {
                break message;
            }
            others.push_back(message);
        };
        others.append(&mut self.waiting);
        self.waiting = others;
        answer
    }

    #[track_caller]
    pub(crate) fn answer(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer_to(id)
    }

    #[track_caller]
    pub(crate) fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer(method, params);
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }

    /// A tool's answer.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.result("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert_eq!(result["isError"], false, "{tool}: {result}");
        result["structuredContent"].clone()
    }

    /// The error of a failing tool.
    #[track_caller]
    pub(crate) fn failure(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.result("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert_eq!(result["isError"], true, "{tool}: {result}");
        serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap()
    }

    #[track_caller]
    pub(crate) fn tools(&mut self) -> Vec<String> {
        let listed = self.result("tools/list", json!({}));
        listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Starts a command; returns its process id.
    #[track_caller]
    pub(crate) fn spawn(&mut self, argv: &[&str]) -> String {
        let reply = self.call("spawn_process", json!({ "kind": "command", "argv": argv }));
        reply["process_id"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    pub(crate) fn see(&mut self, process: &str, pattern: &str) {
        let wanted = json!({ "process_id": process, "pattern": pattern, "scope": "scrollback", "timeout_seconds": 60 });
        let found = self.call("wait_for_pattern", wanted);
        assert_eq!(found["matched"], true, "{pattern}: {found}");
    }

    /// Starts an agent below the caller, with a first prompt unless it is empty; returns its process id.
    #[track_caller]
    pub(crate) fn spawn_agent(&mut self, make: &str, name: &str, prompt: &str) -> String {
        let mut arguments = json!({ "agent": make, "name": name });
        if !prompt.is_empty() {
            arguments["agent_instructions"] = prompt.into();
        }
        self.call("spawn_agent", arguments)["process_id"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    pub(crate) fn wait_for_state(&mut self, process: &str, state: &str) -> Value {
        let wanted = json!({ "process_id": process, "states": [state], "timeout_seconds": 60 });
        let reached = self.call("wait_for_state", wanted);
        assert_eq!(reached["reached"], true, "{state}: {reached}; {}", self.grid(process));
        reached
    }

    /// The text of a screen.
    #[track_caller]
    pub(crate) fn grid(&mut self, process: &str) -> String {
        let read = self.call("get_process_output", json!({ "process_id": process, "mode": "grid" }));
        read["content"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    pub(crate) fn status(&mut self, process: &str) -> Value {
        self.call("get_process_status", json!({ "process_id": process }))
    }

    /// Closes our side.
    pub(crate) fn close_input(&mut self) {
        self.writer = None;
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.writer = None;
        if let Some(process) = &mut self.process {
            // It ends with its standard input.
            let ended = process.ends_within(DEADLINE).is_some();
            assert!(ended || thread::panicking(), "the proxy outlives its standard input");
        }
    }
}
