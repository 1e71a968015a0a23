//! A headless patterm, from its start to its orderly end.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::client::Client;

pub(crate) struct Headless {
    program: PathBuf,
    process: Child,
    connect: PathBuf,
}

impl Headless {
    /// `command` runs `patterm --headless`.
    pub(crate) fn start(program: &Path, command: &mut Command) -> Result<Self> {
        let mut process =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context("starting a headless patterm")?;
        let mut hello = String::new();
        BufReader::new(process.stdout.take().context("its output is piped")?).read_line(&mut hello)?;
        let hello: Value = serde_json::from_str(&hello).context("patterm says where it is")?;
        let connect = hello["connect"].as_str().context("it says where to connect")?.into();
        Ok(Headless { program: program.to_owned(), process, connect })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// For an operator of the test.
    pub(crate) fn connect_file(&self) -> &Path {
        &self.connect
    }

    pub(crate) fn operator(&self) -> Result<Client> {
        Client::start(&self.program, &self.connect)
    }

    /// Asks it to end, as if a person closed the terminal.
    pub(crate) fn end(mut self) -> Result<()> {
        let pid = Pid::from_raw(i32::try_from(self.process.id())?).context("a child has a number")?;
        kill_process(pid, Signal::TERM)?;
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(30) {
            if let Some(status) = self.process.try_wait()? {
                ensure!(status.success(), "patterm ended with {status}");
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        bail!("patterm did not end within 30 s")
    }
}

impl Drop for Headless {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The given one, or one built beside this program.
pub(crate) fn program(given: Option<&Path>) -> Result<PathBuf> {
    if let Some(program) = given {
        return program.canonicalize().with_context(|| format!("there is no {}", program.display()));
    }
    let cargo = std::env::var_os("CARGO").context("run it as `cargo lab agents …`, or name a --patterm")?;
    let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
    let status =
        Command::new(cargo).args(["build", "--quiet", "--profile", profile, "--package", "patterm"]).status()?;
    ensure!(status.success(), "patterm could not be built");
    Ok(std::env::current_exe()?.with_file_name("patterm"))
}
