//! The latency of an agent's tool call: through `patterm mcp-stdio` to a headless patterm, in the way that vendors'
//! CLIs call, compared with a bare ping-pong on a Unix socket in the same run.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Read, Write},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::{Value, json};

use crate::Verdict;

/// Calls through the proxy: idle, beside floods, and waking a wait
#[derive(Args)]
pub(crate) struct Arguments {
    /// Calls of each kind
    #[arg(long, default_value_t = 2000)]
    calls: usize,
    /// Waits to wake
    #[arg(long, default_value_t = 200)]
    waits: usize,
    /// An existing patterm, instead of a release build
    #[arg(long)]
    patterm: Option<PathBuf>,
}

/// Milliseconds; kilobytes for the last one.
const IDLE_P50: f64 = 0.3;
const FLOODED_P99: f64 = 1.0;
const WAKE: f64 = 5.0;
const PROXY_MEMORY: u64 = 5 * 1024;

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let program = match &arguments.patterm {
        // It is started in a folder of its own.
        Some(program) => program.canonicalize()?,
        None => build()?,
    };
    let folder = Folder::new()?;
    let patterm = Headless::start(&program, &folder.0)?;
    let mut client = Client::start(&program, &patterm.connect)?;
    let mut bare = PingPong::start()?;
    let mut good = true;

    let (calls, pings) = side_by_side(arguments.calls, &mut bare, || client.call("whoami", json!({})).map(drop))?;
    good &= report("whoami, idle", &calls, &pings, Figure::Median, IDLE_P50);

    let quiet = client.spawn(&["sh", "-c", "seq 30; exec cat"])?;
    client.wait_for(&quiet, "^30$")?;
    let floods: Vec<String> = (0..5)
        .map(|_| client.spawn(&["sh", "-c", "exec yes 2026-11-15T12:00:00Z INFO request served in 12 ms by worker 7"]))
        .collect::<Result<_>>()?;
    let read = |id: &str| json!({ "process_id": id, "mode": "grid" });
    let (calls, pings) =
        side_by_side(arguments.calls, &mut bare, || client.call("get_process_output", read(&quiet)).map(drop))?;
    good &=
        report("get_process_output of a quiet session beside five floods", &calls, &pings, Figure::P99, FLOODED_P99);
    let (calls, pings) =
        side_by_side(arguments.calls, &mut bare, || client.call("get_process_output", read(&floods[0])).map(drop))?;
    good &= report("get_process_output of a flooding session", &calls, &pings, Figure::P99, FLOODED_P99);
    let printed = client.structured("get_process_status", json!({ "process_id": floods[0] }))?;
    ensure!(printed["status"] == "running", "the flood has ended: {printed}");
    for id in floods {
        client.call("close_process", json!({ "process_id": id }))?;
    }

    let lines = folder.0.join("lines");
    fs::write(&lines, "2026-11-15T12:00:00Z INFO request served in 12 ms by worker 7\n".repeat(1640))?;
    let script = format!("while :; do cat {}; sleep 0.1; done", lines.display());
    for _ in 0..10 {
        client.spawn(&["sh", "-c", &script])?;
    }
    let fifo = folder.0.join("fifo");
    ensure!(Command::new("mkfifo").arg(&fifo).status()?.success(), "mkfifo");
    let woken = client.spawn(&["sh", "-c", &format!("exec cat {}", fifo.display())])?;
    let mut pen = File::options().write(true).open(&fifo)?;
    let wakes = (0..arguments.waits).map(|number| client.wake(&woken, &mut pen, number)).collect::<Result<Vec<_>>>()?;
    good &=
        report("a wait, from the byte to the answer, beside ten sessions at 1 MB/s", &wakes, &[], Figure::P99, WAKE);

    let memory = client.private_memory()?;
    let verdict = memory <= PROXY_MEMORY;
    say(&format!("private memory of the proxy: {memory} kB (bar {PROXY_MEMORY} kB){}", miss(verdict)));
    drop(client);
    patterm.end()?;
    Ok(if good && verdict { Verdict::Good } else { Verdict::Bad })
}

fn build() -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").context("run it as `cargo lab bench mcp`")?;
    let status = Command::new(cargo).args(["build", "--quiet", "--release", "--package", "patterm"]).status()?;
    ensure!(status.success(), "patterm could not be built");
    // Beside this program: lab is built with the same profile.
    Ok(std::env::current_exe()?.with_file_name("patterm"))
}

enum Figure {
    Median,
    P99,
}

/// Prints the figures; returns whether the decisive one is below the bar.
fn report(what: &str, calls: &[f64], pings: &[f64], counts: Figure, bar: f64) -> bool {
    let of = |values: &[f64], part: f64| {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted.get(((sorted.len() as f64 * part) as usize).min(sorted.len().saturating_sub(1))).copied().unwrap_or(0.0)
    };
    let (median, p99) = (of(calls, 0.5), of(calls, 0.99));
    let (figure, name) = match counts {
        Figure::Median => (median, "p50"),
        Figure::P99 => (p99, "p99"),
    };
    let beside = if pings.is_empty() {
        String::new()
    } else {
        format!("; bare ping-pong {:.3} / {:.3} ms", of(pings, 0.5), of(pings, 0.99))
    };
    let good = figure <= bar;
    let miss = miss(good);
    say(&format!("{what}: p50 {median:.3} ms, p99 {p99:.3} ms (bar: {name} {bar} ms){beside}{miss}"));
    good
}

fn miss(good: bool) -> &'static str {
    if good { "" } else { "  MISSED" }
}

#[allow(clippy::print_stdout, reason = "it talks to a person")]
fn say(line: &str) {
    println!("{line}");
}

/// One call, one ping, and so on, so that both meet the same conditions. In milliseconds.
fn side_by_side(
    rounds: usize,
    bare: &mut PingPong,
    mut call: impl FnMut() -> Result<()>,
) -> Result<(Vec<f64>, Vec<f64>)> {
    let (mut calls, mut pings) = (Vec::with_capacity(rounds), Vec::with_capacity(rounds));
    for round in 0..rounds + rounds / 10 {
        let (started, called) = (Instant::now(), call()?);
        let call_took = started.elapsed();
        let started = Instant::now();
        bare.ping()?;
        let () = called;
        // The first tenth is a warm-up.
        if round >= rounds / 10 {
            calls.push(call_took.as_secs_f64() * 1e3);
            pings.push(started.elapsed().as_secs_f64() * 1e3);
        }
    }
    Ok((calls, pings))
}

/// Two threads and a socket between them.
struct PingPong(UnixStream);

impl PingPong {
    fn start() -> Result<Self> {
        let (here, mut there) = UnixStream::pair()?;
        thread::spawn(move || {
            let mut message = [0; 128];
            while there.read_exact(&mut message).and_then(|()| there.write_all(&message)).is_ok() {}
        });
        Ok(PingPong(here))
    }

    fn ping(&mut self) -> Result<()> {
        let mut message = [b'x'; 128];
        self.0.write_all(&message)?;
        Ok(self.0.read_exact(&mut message)?)
    }
}

/// The files of one run; removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("patterm-bench-{}", std::process::id()));
        for name in ["run", "home", "project"] {
            fs::create_dir_all(path.join(name))?;
        }
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

struct Headless {
    process: Child,
    connect: PathBuf,
}

impl Headless {
    fn start(program: &Path, folder: &Path) -> Result<Self> {
        let mut process = Command::new(program)
            .arg("--headless")
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", folder.join("home"))
            .env("XDG_RUNTIME_DIR", folder.join("run"))
            .current_dir(folder.join("project"))
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("starting {}", program.display()))?;
        let mut hello = String::new();
        BufReader::new(process.stdout.take().context("its output is piped")?).read_line(&mut hello)?;
        let hello: Value = serde_json::from_str(&hello)?;
        let connect = hello["connect"].as_str().context("it says where to connect")?.into();
        Ok(Headless { process, connect })
    }

    fn end(mut self) -> Result<()> {
        let pid = i32::try_from(self.process.id())?;
        rustix::process::kill_process(
            rustix::process::Pid::from_raw(pid).context("a child has a number")?,
            rustix::process::Signal::TERM,
        )?;
        self.process.wait()?;
        Ok(())
    }
}

impl Drop for Headless {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

struct Client {
    process: Child,
    writer: Option<ChildStdin>,
    reader: BufReader<ChildStdout>,
    line: String,
    next_id: u64,
}

impl Client {
    fn start(program: &Path, connect: &Path) -> Result<Self> {
        let mut process = Command::new(program)
            .args(["mcp-stdio", "--connect"])
            .arg(connect)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let writer = process.stdin.take();
        let reader = BufReader::new(process.stdout.take().context("its output is piped")?);
        let mut client = Client { process, writer, reader, line: String::new(), next_id: 1 };
        client.ask("initialize", &json!({ "protocolVersion": "2025-11-25", "capabilities": {} }))?;
        client.answer()?;
        Ok(client)
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<()> {
        let message = json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params });
        self.next_id += 1;
        let writer = self.writer.as_mut().context("it is open")?;
        Ok(writer.write_all(format!("{message}\n").as_bytes())?)
    }

    /// Reads only as much of the answer as shows the client that it is there.
    fn answer(&mut self) -> Result<()> {
        self.line.clear();
        self.reader.read_line(&mut self.line)?;
        ensure!(self.line.contains("\"result\"") && !self.line.contains("\"isError\":true"), "{:.300}", self.line);
        Ok(())
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Result<&str> {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        self.answer()?;
        Ok(&self.line)
    }

    fn structured(&mut self, tool: &str, arguments: Value) -> Result<Value> {
        let answer: Value = serde_json::from_str(self.call(tool, arguments)?)?;
        Ok(answer["result"]["structuredContent"].clone())
    }

    fn spawn(&mut self, argv: &[&str]) -> Result<String> {
        let reply = self.structured("spawn_process", json!({ "kind": "command", "argv": argv }))?;
        Ok(reply["process_id"].as_str().context("a session has an id")?.to_owned())
    }

    fn wait_for(&mut self, id: &str, pattern: &str) -> Result<()> {
        let wanted = json!({ "process_id": id, "pattern": pattern, "scope": "scrollback", "timeout_seconds": 60 });
        let found = self.structured("wait_for_pattern", wanted)?;
        ensure!(found["matched"] == true, "{pattern} did not come: {found}");
        Ok(())
    }

    /// From writing a byte for the session's program until the wait is answered: in milliseconds.
    fn wake(&mut self, id: &str, pen: &mut File, number: usize) -> Result<f64> {
        let wanted = json!({ "process_id": id, "pattern": format!("wake-{number}!"), "scope": "scrollback",
                             "timeout_seconds": 60 });
        self.ask("tools/call", &json!({ "name": "wait_for_pattern", "arguments": wanted }))?;
        // So that the wait is set up before the byte comes; the result does not depend on it.
        thread::sleep(Duration::from_millis(20));
        let started = Instant::now();
        pen.write_all(format!("wake-{number}!\n").as_bytes())?;
        self.answer()?;
        Ok(started.elapsed().as_secs_f64() * 1e3)
    }

    /// Kilobytes that belong to the proxy alone.
    fn private_memory(&self) -> Result<u64> {
        let rollup = fs::read_to_string(format!("/proc/{}/smaps_rollup", self.process.id()))?;
        let field = |name: &str| -> Result<u64> {
            let line = rollup.lines().find_map(|line| line.strip_prefix(name)).context("smaps has it")?;
            Ok(line.trim().trim_end_matches(" kB").trim().parse()?)
        };
        Ok(field("Private_Clean:")? + field("Private_Dirty:")?)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.writer = None;
        let _ = self.process.wait();
    }
}
