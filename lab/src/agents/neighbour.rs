//! An MCP server like one of the user's own: it shows what a CLI records of any server.

use std::io::{self, BufRead, Write};

use anyhow::Result;
use serde_json::{Value, json};

use crate::Verdict;

/// Its name, which is also the word to search for.
pub(crate) const NAME: &str = "neighbour";

/// A small MCP server on standard input and output, for `home`
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Made when somebody asks for its tools. Stands where our own server is told how to connect
    listed: std::path::PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        if message.get("id").is_none() {
            continue;
        }
        let result = match message["method"].as_str().unwrap_or_default() {
            "initialize" => json!({
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": { "tools": {} },
                "serverInfo": { "name": NAME, "version": "1" },
                "instructions": "Ask the neighbour to look round.",
            }),
            "tools/list" => {
                // A start is not kept from going on by it: whoever waits for the file says so.
                let _ = std::fs::write(&arguments.listed, "");
                json!({ "tools": [{
                    "name": "look",
                    "description": "The neighbour looks round.",
                    "inputSchema": { "type": "object", "properties": {} },
                }] })
            }
            "tools/call" => {
                let answer = json!({ "detail": "the neighbour saw nobody" });
                let text = json!({ "type": "text", "text": answer.to_string() });
                // Servers of newer revisions say in each result who answers, ours among them, and claude writes it down.
                let meta = json!({ "io.modelcontextprotocol/serverInfo": { "name": NAME, "version": "1" } });
                json!({ "content": [text], "structuredContent": answer, "_meta": meta })
            }
            method => {
                let error = json!({ "code": -32601, "message": format!("there is no {method}") });
                answer(&json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }))?;
                continue;
            }
        };
        answer(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }))?;
    }
    Ok(Verdict::Good)
}

fn answer(message: &Value) -> Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{message}")?;
    Ok(out.flush()?)
}
