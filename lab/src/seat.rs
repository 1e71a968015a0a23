//! A program on a terminal of its own, and a simulated user who types, reads and looks at the screen. Its environment
//! contains nothing of the real user's.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use pty::{ChildProcess, PollFd, PollFlags, Pty, ReadOutcome, Signal, SpawnRequest};
use vt::{Effect, Size, Terminal, TerminalOptions};

use crate::repository;

/// How long a program may take to show something.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a program may take to end after it was asked to.
const LEAVING: Duration = Duration::from_secs(20);

pub(crate) struct Seat {
    pub(crate) screen: Terminal,
    /// Bytes read so far.
    pub(crate) bytes: u64,
    /// Synchronized updates begun so far.
    pub(crate) frames: u64,
    pty: Pty,
    child: ChildProcess,
    buffer: Vec<u8>,
}

impl Seat {
    pub(crate) fn start(argv: &[&str], env: Vec<(OsString, OsString)>, folder: &Path, size: Size) -> Result<Self> {
        let request = SpawnRequest {
            argv: argv.iter().map(OsString::from).collect(),
            env,
            working_dir: Some(folder.into()),
            size: pty::PtySize { cols: size.cols, rows: size.rows },
        };
        let (pty, child) = pty::spawn(request).with_context(|| format!("starting {argv:?}"))?;
        let screen = Terminal::new(TerminalOptions { size, ..TerminalOptions::default() });
        Ok(Seat { screen, bytes: 0, frames: 0, pty, child, buffer: vec![0; 256 << 10] })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.pid().as_raw().unsigned_abs()
    }

    pub(crate) fn write(&self, bytes: &[u8]) -> Result<()> {
        if self.pty.write(bytes)? != bytes.len() {
            bail!("the terminal takes no more input");
        }
        Ok(())
    }

    /// The next output within `patience`.
    fn read(&mut self, patience: Duration) -> Result<Option<usize>> {
        pty::poll(&mut [PollFd::new(&self.pty, PollFlags::IN)], Some(patience))?;
        match self.pty.read(&mut self.buffer)? {
            ReadOutcome::Bytes(count) => {
                self.bytes += count as u64;
                let update = b"\x1b[?2026h";
                self.frames += self.buffer[..count].windows(update.len()).filter(|part| part == update).count() as u64;
                Ok(Some(count))
            }
            ReadOutcome::WouldBlock => Ok(None),
            ReadOutcome::Eof => bail!("the program ended:\n{}", self.screen.frame().text()),
        }
    }

    /// Reads, draws, and answers the program's queries to its terminal.
    pub(crate) fn look(&mut self, patience: Duration) -> Result<()> {
        if let Some(count) = self.read(patience)? {
            self.screen.feed(&self.buffer[..count]);
            for effect in self.screen.take_effects() {
                if let Effect::Reply(reply) = effect {
                    self.write(&reply)?;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn text(&mut self) -> String {
        self.screen.frame().text()
    }

    pub(crate) fn see(&mut self, what: &str) -> Result<()> {
        self.until(what, |text| text.contains(what))
    }

    pub(crate) fn until(&mut self, what: &str, holds: impl Fn(&str) -> bool) -> Result<()> {
        let start = Instant::now();
        while !holds(&self.text()) {
            if start.elapsed() > PATIENCE {
                bail!("{what:?} was not seen:\n{}", self.text());
            }
            self.look(Duration::from_millis(100))?;
        }
        Ok(())
    }

    /// Reads until the program has closed its terminal.
    pub(crate) fn until_its_end(&mut self) -> Result<()> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            pty::poll(&mut [PollFd::new(&self.pty, PollFlags::IN)], Some(Duration::from_millis(100)))?;
            if matches!(self.pty.read(&mut self.buffer)?, ReadOutcome::Eof) {
                return Ok(());
            }
        }
        bail!("the program has not ended:\n{}", self.screen.frame().text())
    }

    /// Types, and reads until the terminal shows these bytes.
    pub(crate) fn time(&mut self, typed: &str) -> Result<Duration> {
        let wanted = typed.as_bytes();
        let mut seen: Vec<u8> = Vec::new();
        let start = Instant::now();
        self.write(wanted)?;
        loop {
            if let Some(count) = self.read(PATIENCE)? {
                seen.extend_from_slice(&self.buffer[..count]);
                if seen.windows(wanted.len()).any(|part| part == wanted) {
                    return Ok(start.elapsed());
                }
            }
            if start.elapsed() > PATIENCE {
                bail!("{typed:?} was never painted");
            }
        }
    }

    /// Reads until nothing has come for `pause`.
    pub(crate) fn rest(&mut self, pause: Duration) -> Result<()> {
        while self.read(pause)?.is_some() {}
        Ok(())
    }

    /// Reads for `time`, so that the program is never blocked.
    pub(crate) fn read_for(&mut self, time: Duration) -> Result<()> {
        let end = Instant::now() + time;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            self.read(left)?;
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let _ = self.child.signal_group(Signal::TERM);
        let start = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) {
            if start.elapsed() > LEAVING {
                let _ = self.child.signal_group(Signal::KILL);
            }
            // A full terminal would keep it from ending.
            if self.read(Duration::from_millis(20)).is_err() {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

/// The environment of a program that sees nothing of the user's.
pub(crate) fn plain_env(folder: &Path) -> Vec<(OsString, OsString)> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = [folder.join("bin").into_os_string(), path].join(&OsString::from(":"));
    let mut env: Vec<(OsString, OsString)> = [
        ("SHELL", "/bin/sh"),
        ("PS1", "$ "),
        ("LANG", "C.UTF-8"),
        ("TERM", "xterm-256color"),
        ("COLORTERM", "truecolor"),
    ]
    .map(|(name, value)| (name.into(), value.into()))
    .into();
    env.push(("PATH".into(), path));
    for (name, below) in [
        ("HOME", "home"),
        ("XDG_CONFIG_HOME", "config"),
        ("XDG_DATA_HOME", "data"),
        ("XDG_STATE_HOME", "state"),
        ("XDG_RUNTIME_DIR", "run"),
        ("TMPDIR", "tmp"),
    ] {
        env.push((name.into(), folder.join(below).into_os_string()));
    }
    env
}

/// The folders that [`plain_env`] names.
pub(crate) fn make_folders(folder: &Path) -> Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    for below in ["home", "config/patterm", "data", "state", "run", "tmp", "bin", "project"] {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder.join(below))?;
    }
    Ok(())
}

/// patterm, built beside this program.
pub(crate) fn build_patterm(release: bool) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--package", "patterm"]).current_dir(repository(""));
    if release {
        command.arg("--release");
    }
    let built = command.status().context("running cargo")?;
    let ours = std::env::current_exe().context("finding this program")?;
    let profile = if release { "release" } else { "debug" };
    let target = ours.parent().and_then(Path::parent).context("finding the target folder")?;
    let patterm = target.join(profile).join("patterm");
    if !built.success() || !patterm.exists() {
        bail!("no patterm at {}: build it, and give --patterm FILE", patterm.display());
    }
    Ok(patterm)
}
