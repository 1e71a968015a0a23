//! `patterm --headless`: clients that call and leave, half of them in the middle of a call, strangers that send
//! nonsense, and agents that are started and closed.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    os::unix::{
        fs::{DirBuilderExt, PermissionsExt},
        net::UnixStream,
    },
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
    thread,
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Footprint, Shift, Soaked, chance};
use crate::{agents::headless::Headless, fuzz::random::Random, own_process::bare_command, process::resident_bytes};

pub(super) fn soak(program: &Path, length: Duration) -> Result<Soaked> {
    let folder = place(program)?;
    let root = folder.path();
    let mut command = bare_command(program, &root.join("home"));
    command.arg("--headless").env("XDG_RUNTIME_DIR", root.join("run")).current_dir(root.join("project"));
    let path = std::env::var("PATH").unwrap_or_default();
    command.stderr(Stdio::null()).env("PATH", format!("{}:{path}", root.join("bin").display()));
    let patterm = Headless::start(program, &mut command)?;
    let pid = patterm.pid();
    let door = Arc::new(Door::read(patterm.connect_file())?);
    // Allocations of the first use belong to the start.
    door.agent()?;
    thread::sleep(Duration::from_secs(12));
    let start = Footprint::of(pid)?;
    let shift = Arc::new(Shift::new(length));
    let workers: Vec<_> = (0..3)
        .map(|number| {
            let (shift, door) = (Arc::clone(&shift), Arc::clone(&door));
            thread::spawn(move || {
                let mut random = chance(number);
                while !shift.is_over() {
                    let what = match number {
                        0 => door.client(&mut random)?,
                        1 => door.stranger(&mut random)?,
                        _ => door.agent()?,
                    };
                    shift.done(what);
                }
                anyhow::Ok(())
            })
        })
        .collect();
    let mut most_memory = start.memory;
    while workers.iter().any(|worker| !worker.is_finished()) {
        most_memory = most_memory.max(resident_bytes(pid)?);
        thread::sleep(Duration::from_millis(500));
    }
    for worker in workers {
        worker.join().map_err(|_| anyhow::anyhow!("a worker panicked"))??;
    }
    let end = Footprint::at_rest(pid, &start)?;
    patterm.end()?;
    let shift = Arc::into_inner(shift).context("all workers have ended")?;
    Ok(Soaked { start, most_memory, end, work: shift.into_work() })
}

/// Folders of its own, and a fake on the path instead of an agent's CLI.
fn place(program: &Path) -> Result<TempDir> {
    let folder = tempfile::tempdir()?;
    for name in ["home", "run", "project", "bin"] {
        fs::DirBuilder::new().mode(0o700).create(folder.path().join(name))?;
    }
    let fake = folder.path().join("bin/claude");
    let line = format!("exec '{}' fake-agent claude --story echo --fast \"$@\"", program.display());
    fs::write(&fake, format!("#!/bin/sh\n{line}\n"))?;
    fs::set_permissions(&fake, fs::Permissions::from_mode(0o755))?;
    Ok(folder)
}

/// The content of a connect file.
struct Door {
    socket: PathBuf,
    token: String,
}

impl Door {
    fn read(file: &Path) -> Result<Self> {
        let said: Value = serde_json::from_str(&fs::read_to_string(file)?)?;
        let word = |name: &str| said[name].as_str().map(str::to_owned).context("a connect file names socket and token");
        Ok(Door { socket: word("socket")?.into(), token: word("token")? })
    }

    fn connect(&self) -> Result<Line> {
        let writer = UnixStream::connect(&self.socket).context("connecting")?;
        let mut line = Line { reader: BufReader::new(writer.try_clone()?), writer, asked: 0 };
        line.say(&json!({ "patterm_identity": self.token }))?;
        line.ask("initialize", &json!({ "protocolVersion": "2025-11-25", "capabilities": {} }))?;
        line.answer()?;
        Ok(line)
    }

    /// Calls, and leaves; every other time in the middle of a call.
    fn client(&self, random: &mut Random) -> Result<&'static str> {
        let mut line = self.connect()?;
        line.call("whoami", &json!({}))?;
        if random.one_in(2) {
            line.call("list_processes", &json!({}))?;
            return Ok("clients");
        }
        let command = json!({ "kind": "command", "argv": ["cat"] });
        let spawned = line.call("spawn_process", &command)?;
        let id = spawned["process_id"].as_str().context("a session has an id")?.to_owned();
        let never = json!({ "process_id": id, "pattern": "never", "timeout_seconds": 60 });
        line.ask("tools/call", &json!({ "name": "wait_for_pattern", "arguments": never }))?;
        // Its session remains, so another client closes it.
        drop(line);
        self.connect()?.call("close_process", &json!({ "process_id": id }))?;
        Ok("clients gone in a call")
    }

    /// Neither a token nor a protocol.
    fn stranger(&self, random: &mut Random) -> Result<&'static str> {
        let mut stream = UnixStream::connect(&self.socket).context("connecting")?;
        let first: &[u8] = [&b"{\"patterm_identity\":\"wrong\"}\n"[..], b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"{", b""]
            [random.below(4)];
        let noise: Vec<u8> = (0..random.below(4096)).map(|_| random.below(256) as u8).collect();
        // It may be disconnected while it still sends.
        let _ = stream.write_all(first).and_then(|()| stream.write_all(&noise));
        // As many strangers as clients: without a pause there would be only strangers.
        thread::sleep(Duration::from_millis(50));
        Ok("strangers")
    }

    fn agent(&self) -> Result<&'static str> {
        let mut line = self.connect()?;
        let agent = json!({ "agent": "claude", "agent_instructions": "say something" });
        let spawned = line.call("spawn_agent", &agent)?;
        let wanted =
            json!({ "process_id": spawned["process_id"], "turn_id": spawned["turn_id"], "timeout_seconds": 60 });
        line.call("wait_for_state", &wanted)?;
        line.call("close_process", &json!({ "process_id": spawned["process_id"] }))?;
        Ok("agents")
    }
}

/// A connection as an operator.
struct Line {
    reader: BufReader<UnixStream>,
    writer: UnixStream,
    asked: u64,
}

impl Line {
    fn say(&mut self, message: &Value) -> Result<()> {
        Ok(self.writer.write_all(format!("{message}\n").as_bytes())?)
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<()> {
        self.asked += 1;
        self.say(&json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params }))
    }

    fn answer(&mut self) -> Result<Value> {
        let mut line = String::new();
        ensure!(self.reader.read_line(&mut line)? > 0, "patterm closed the connection");
        let answer: Value = serde_json::from_str(&line)?;
        ensure!(answer["id"] == self.asked && answer["error"].is_null(), "{line}");
        Ok(answer["result"].clone())
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        let result = self.answer()?;
        ensure!(result["isError"] != true, "{tool}: {result}");
        Ok(result["structuredContent"].clone())
    }
}
