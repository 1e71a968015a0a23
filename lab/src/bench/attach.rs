//! The latency of a key through `vtr attach`, from writing it to its echo on the screen, compared with the same program
//! on a terminal of its own, behind two processes that only pass bytes on and, if tmux is installed, attached in tmux.
//! One key at a time in turn, with pauses like those of a person.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use pty::{PollFd, PollFlags, Pty, ReadOutcome, Signal, SpawnRequest};

use super::median;
use crate::Verdict;

/// Keys through `vtr attach`, a bare terminal and tmux
#[derive(Args)]
pub(crate) struct Arguments {
    /// Keys on each side
    #[arg(long, default_value_t = 300)]
    keys: usize,
    /// An existing vtr; use a release build
    #[arg(long)]
    vtr: PathBuf,
}

/// The goal, as a multiple of the bare terminal's time.
const BAR: f64 = 2.0;
/// Longer than the pause between two frames, so that no key waits for one.
const PAUSE: Duration = Duration::from_millis(45);
const PATIENCE: Duration = Duration::from_secs(20);
/// Echoes each key itself, as an editor does: the terminal does not.
const ECHO: [&str; 3] = ["/bin/sh", "-c", "stty raw -echo; echo ready; exec cat"];
/// The time of two processes that only pass bytes on.
const RELAYS: [(&str, &[&str]); 4] = [
    ("two processes", &[]),
    ("two awake for the echo", &["--awake"]),
    ("two with HTTP/2", &["--http2"]),
    ("two with HTTP/2, awake", &["--http2", "--awake"]),
];

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let vtr = arguments.vtr.canonicalize().context("finding vtr")?;
    let folder = tempfile::tempdir()?;
    let mut sides: Vec<(&str, Side)> = vec![("bare terminal", Side::start(folder.path(), &ECHO)?)];
    let socket = folder.path().join("vtr.sock");
    let coordinator = Daemon::start(&vtr, &socket, folder.path())?;
    let (vtr, socket) = (vtr.display().to_string(), socket.display().to_string());
    for (name, session, more) in [("vtr attach", "one", None), ("vtr attach --no-frame", "two", Some("--no-frame"))] {
        // One session each: a session used by two clients in turn would be resized with every key.
        coordinator.run(&[&["spawn", session, "--wait", "ready", "--"], &ECHO[..]].concat())?;
        let argv: Vec<&str> = [vtr.as_str(), "--socket", &socket, "attach", session].into_iter().chain(more).collect();
        sides.push((name, Side::start(folder.path(), &argv)?));
    }
    let mut relays = Vec::new();
    for (name, options) in RELAYS {
        let relay = Relay::start(folder.path(), options)?;
        sides.push((name, Side::start(folder.path(), &relay.near())?));
        relays.push(relay);
    }
    let tmux = folder.path().join("tmux.sock").display().to_string();
    if Command::new("tmux").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok() {
        let argv = [&["tmux", "-f", "/dev/null", "-S", &tmux, "new-session"], &ECHO[..]].concat();
        sides.push(("tmux", Side::start(folder.path(), &argv)?));
    }
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); sides.len()];
    for number in 0..arguments.keys {
        for ((_, side), times) in sides.iter_mut().zip(&mut times) {
            thread::sleep(PAUSE);
            // Letters that occur nowhere else on the screen at the place where they will appear.
            times.push(side.key(b'A' + (number % 26) as u8)?.as_secs_f64() * 1e3);
        }
    }
    let bare = median(times[0].clone());
    let mut verdict = Verdict::Good;
    for ((name, _), times) in sides.iter().zip(times) {
        let mut sorted = times.clone();
        sorted.sort_by(f64::total_cmp);
        let p99 = sorted[(sorted.len() * 99 / 100).min(sorted.len() - 1)];
        let (p50, ratio) = (median(times), median(sorted.clone()) / bare);
        let missed = name.starts_with("vtr") && ratio > BAR;
        let word = if missed { format!("  MISSED: at most {BAR} times") } else { String::new() };
        println!("{name:24} p50 {p50:.3} ms  p99 {p99:.3} ms  {ratio:.1} times the bare terminal{word}");
        if missed {
            verdict = Verdict::Bad;
        }
    }
    for (_, side) in &mut sides {
        side.end()?;
    }
    if Path::new(&tmux).exists() {
        // Its only session has ended, and normally the server ends with it.
        let _ = Command::new("tmux").args(["-S", &tmux, "kill-server"]).stderr(Stdio::null()).status();
    }
    coordinator.run(&["rm", "one", "two"])?;
    drop((coordinator, relays));
    Ok(verdict)
}

/// A program on a terminal of its own; we hold the other end.
struct Side {
    pty: Pty,
    child: pty::ChildProcess,
}

impl Side {
    fn start(home: &Path, argv: &[&str]) -> Result<Self> {
        let variables = [("TERM", "xterm-256color".into()), ("HOME", home.into()), ("LANG", "C.UTF-8".into())];
        let (pty, child) = pty::spawn(SpawnRequest {
            argv: argv.iter().map(Into::into).collect(),
            env: std::env::var_os("PATH")
                .map(|path| ("PATH".into(), path))
                .into_iter()
                .chain(variables.into_iter().map(|(name, value)| (name.into(), value)))
                .collect(),
            working_dir: Some(home.to_owned()),
            size: pty::PtySize { cols: 100, rows: 30 },
        })?;
        let side = Side { pty, child };
        side.until(b"ready")?;
        // Output and queries of its start are not an echo.
        side.drain(Duration::from_millis(700))?;
        Ok(side)
    }

    fn read(&self, wait: Duration) -> Result<Option<Vec<u8>>> {
        let mut buffer = vec![0; 64 << 10];
        let end = Instant::now() + wait;
        loop {
            match self.pty.read(&mut buffer)? {
                ReadOutcome::Bytes(count) => {
                    buffer.truncate(count);
                    return Ok(Some(buffer));
                }
                ReadOutcome::Eof => bail!("the program ended"),
                ReadOutcome::WouldBlock => {
                    let left = end.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Ok(None);
                    }
                    pty::poll(&mut [PollFd::new(&self.pty, PollFlags::IN)], Some(left))?;
                }
            }
        }
    }

    fn until(&self, text: &[u8]) -> Result<()> {
        let mut all = Vec::new();
        let end = Instant::now() + PATIENCE;
        while !all.windows(text.len()).any(|window| window == text) {
            ensure!(Instant::now() < end, "{:?} never came", String::from_utf8_lossy(text));
            all.extend(self.read(Duration::from_millis(100))?.unwrap_or_default());
        }
        Ok(())
    }

    fn drain(&self, quiet: Duration) -> Result<()> {
        while self.read(quiet)?.is_some() {}
        Ok(())
    }

    /// Waits from the key to the bytes that draw it. Sequences contain upper-case letters only at their end, and no
    /// sequence that draws an echo ends in the letter itself before the letter comes.
    fn key(&self, key: u8) -> Result<Duration> {
        self.drain(Duration::ZERO)?;
        let start = Instant::now();
        ensure!(self.pty.write(&[key])? == 1, "the terminal takes no key");
        loop {
            let Some(bytes) = self.read(PATIENCE)? else { bail!("no echo of {:?}", char::from(key)) };
            if printed(&bytes).contains(&key) {
                return Ok(start.elapsed());
            }
        }
    }

    fn end(&mut self) -> Result<()> {
        // TERM makes `vtr attach` and tmux's client leave; a program in the terminal ends with it.
        self.child.signal_group(Signal::KILL)?;
        self.child.wait()?;
        Ok(())
    }
}

/// The bytes outside of escape sequences.
fn printed(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = bytes.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != 0x1b {
            out.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'[') => while rest.next().is_some_and(|byte| !(0x40..=0x7e).contains(&byte)) {},
            Some(b']' | b'P') => while rest.next().is_some_and(|byte| byte != 0x07 && byte != b'\\') {},
            Some(b'(') => {
                rest.next();
            }
            _ => {}
        }
    }
    out
}

/// A coordinator that ends with us.
struct Daemon {
    vtr: PathBuf,
    socket: PathBuf,
    process: std::process::Child,
    home: PathBuf,
}

impl Daemon {
    fn start(vtr: &Path, socket: &Path, home: &Path) -> Result<Self> {
        let process = Command::new(vtr)
            .args(["serve", "--socket"])
            .arg(socket)
            .env("HOME", home)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let daemon = Daemon { vtr: vtr.into(), socket: socket.into(), process, home: home.into() };
        let end = Instant::now() + PATIENCE;
        while !daemon.command(&["ls"]).status()?.success() {
            ensure!(Instant::now() < end, "the coordinator never answered");
            thread::sleep(Duration::from_millis(10));
        }
        Ok(daemon)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.vtr);
        command.arg("--socket").arg(&self.socket).args(words).env("HOME", &self.home);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn run(&self, words: &[&str]) -> Result<()> {
        ensure!(self.command(words).status()?.success(), "vtr {} failed", words.join(" "));
        Ok(())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // Only our own child.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Two processes that only pass bytes on.
struct Relay {
    program: String,
    socket: String,
    options: &'static [&'static str],
    far: std::process::Child,
}

impl Relay {
    fn start(folder: &Path, options: &'static [&'static str]) -> Result<Self> {
        let program = std::env::current_exe().context("finding this program")?;
        let socket = folder.join(format!("relay{}.sock", options.concat()));
        let mut far = Command::new(&program);
        far.args(["bench", "relay", "far"]).arg(&socket).args(options).arg("--").args(ECHO);
        let far = far.stdout(Stdio::null()).spawn()?;
        let relay =
            Relay { program: program.display().to_string(), socket: socket.display().to_string(), options, far };
        let end = Instant::now() + PATIENCE;
        while !socket.exists() {
            ensure!(Instant::now() < end, "the relay never listened");
            thread::sleep(Duration::from_millis(10));
        }
        Ok(relay)
    }

    fn near(&self) -> Vec<&str> {
        let script = "stty raw -echo; exec \"$0\" bench relay near \"$@\"";
        [&["/bin/sh", "-c", script, &self.program, &self.socket], self.options].concat()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        // It ends by itself when its near end does, and it is our own child.
        let _ = self.far.kill();
        let _ = self.far.wait();
    }
}
