//! An MCP server with four tools that does as it is told, for trying the fakes and for their tests.
//!
//! `tiny-mcp-server [--log FILE] [--mute]` answers on standard output and appends every line it reads to FILE, after
//! one line with the names of its environment variables; `--mute` never answers; `--any JSON` gives that answer to
//! every call. `tiny-mcp-server --socket PATH`
//! pumps bytes to a server that listens there.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::{env, thread};

use serde_json::{Value, json};

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let after = |flag: &str| words.iter().position(|word| word == flag).and_then(|index| words.get(index + 1));
    let done = match after("--socket") {
        Some(path) => pump(path),
        None => {
            let any = after("--any").and_then(|text| serde_json::from_str(text).ok());
            serve(after("--log").map(String::as_str), words.iter().any(|word| word == "--mute"), any.as_ref())
        }
    };
    if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn pump(path: &str) -> io::Result<()> {
    let socket = UnixStream::connect(path)?;
    let mut up = socket.try_clone()?;
    thread::spawn(move || {
        let copied = io::copy(&mut io::stdin(), &mut up);
        copied.and_then(|_| up.shutdown(Shutdown::Write))
    });
    let mut out = io::stdout();
    let mut down = socket;
    // Line by line would be enough, but messages may be cut anywhere.
    let mut buffer = [0; 64 << 10];
    loop {
        match io::Read::read(&mut down, &mut buffer)? {
            0 => return Ok(()),
            count => out.write_all(&buffer[..count]).and_then(|()| out.flush())?,
        }
    }
}

fn serve(log: Option<&str>, mute: bool, any: Option<&Value>) -> io::Result<()> {
    let mut log = log.map(|path| OpenOptions::new().append(true).create(true).open(path)).transpose()?;
    let names: Vec<String> = env::vars().map(|(name, _)| name).collect();
    note(&mut log, &format!("environment {}", names.join(" ")))?;
    let mut out = io::stdout();
    for line in io::stdin().lock().lines() {
        let line = line?;
        note(&mut log, &line)?;
        let message: Value = serde_json::from_str(&line).unwrap_or_default();
        let Some(id) = message.get("id").filter(|_| !mute) else { continue };
        let Some(answer) = answer(&message, any) else { return Ok(()) };
        let mut reply = json!({ "jsonrpc": "2.0", "id": id });
        match answer {
            Ok(result) => reply["result"] = result,
            Err(text) => reply["error"] = json!({ "code": -32601, "message": text }),
        }
        writeln!(out, "{reply}").and_then(|()| out.flush())?;
    }
    Ok(())
}

fn note(log: &mut Option<File>, line: &str) -> io::Result<()> {
    log.as_mut().map_or(Ok(()), |file| writeln!(file, "{line}"))
}

/// `None` is the end of the server.
fn answer(message: &Value, any: Option<&Value>) -> Option<Result<Value, String>> {
    let arguments = &message["params"]["arguments"];
    let text = |text: String| json!([{ "type": "text", "text": text }]);
    let tool =
        |name: &str, about: &str| json!({ "name": name, "description": about, "inputSchema": { "type": "object" } });
    Some(Ok(match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "tiny", "version": "1" },
        }),
        "server/discover" | "ping" => json!({}),
        "tools/list" => json!({ "tools": [
            tool("whoami", "Return the identity of the caller."),
            tool("spawn", "Return a process id made of the name."),
            tool("fail", "Refuse."),
            tool("quit", "End the server."),
        ] }),
        "tools/call" if any.is_some() => json!({ "content": text(any.map(Value::to_string).unwrap_or_default()) }),
        "tools/call" => match message["params"]["name"].as_str().unwrap_or_default() {
            "whoami" => json!({ "content": text("TINY-OK identity".into()) }),
            "spawn" => {
                let id = format!("p_{}", arguments["name"].as_str().unwrap_or("nobody"));
                json!({ "content": text(id.clone()), "structuredContent": { "process_id": id } })
            }
            "fail" => {
                json!({ "content": text(r#"{"kind":"role_forbidden","message":"not you"}"#.into()), "isError": true })
            }
            "quit" => return None,
            other => return Some(Err(format!("there is no tool {other}"))),
        },
        other => return Some(Err(format!("{other} is not known here"))),
    }))
}
