//! An operator of a headless patterm: a small MCP client behind `patterm mcp-stdio`.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver},
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

/// Longer than any wait that a test requests.
const PATIENCE: Duration = Duration::from_secs(630);

pub(crate) struct Client {
    process: Child,
    writer: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: u64,
}

impl Client {
    pub(crate) fn start(program: &Path, connect_file: &Path) -> Result<Self> {
        let mut process = Command::new(program)
            .args(["mcp-stdio", "--connect"])
            .arg(connect_file)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("starting {}", program.display()))?;
        let writer = process.stdin.take();
        let reader = BufReader::new(process.stdout.take().context("its output is piped")?);
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in reader.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut client = Client { process, writer, lines, next_id: 1 };
        let info = json!({ "name": "lab", "version": "0" });
        client
            .ask("initialize", &json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info }))?;
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(client)
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let writer = self.writer.as_mut().context("it is open")?;
        Ok(writer.write_all(format!("{message}\n").as_bytes())?)
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let line =
                self.lines.recv_timeout(PATIENCE).with_context(|| format!("waiting for the answer to {method}"))?;
            let message: Value = serde_json::from_str(&line)?;
            if message["id"] == id && message.get("method").is_none() {
                ensure!(message["error"].is_null(), "{method}: {}", message["error"]);
                return Ok(message["result"].clone());
            }
        }
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        let result = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        if result["isError"] == true {
            bail!("{tool} {arguments}: {}", result["content"][0]["text"].as_str().unwrap_or_default());
        }
        Ok(result["structuredContent"].clone())
    }

    /// The text of a screen, for reports.
    pub(crate) fn grid(&mut self, process: &str) -> String {
        let read = self.call("get_process_output", &json!({ "process_id": process, "mode": "grid" }));
        match read {
            Ok(read) => read["content"].as_str().unwrap_or_default().to_owned(),
            Err(error) => format!("({error})"),
        }
    }

    pub(crate) fn wait_for_pattern(&mut self, process: &str, pattern: &str, seconds: u64) -> Result<()> {
        let wanted =
            json!({ "process_id": process, "pattern": pattern, "scope": "scrollback", "timeout_seconds": seconds });
        let found = self.call("wait_for_pattern", &wanted)?;
        ensure!(
            found["matched"] == true,
            "'{pattern}' did not come within {seconds} s; on the screen:\n{}",
            self.grid(process)
        );
        Ok(())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.writer = None;
        let _ = self.process.wait();
    }
}
