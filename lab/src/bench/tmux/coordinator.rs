//! Our side: a `vtr serve` process and one connection to it.

use std::{
    future::Future,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};
use grpc::{
    client::{self, CoordinatorChannel, CoordinatorClient, Endpoint},
    proto::{
        RemoveRequest, SpawnRequest, SubscribeRequest, WaitForRequest, WaitScope, subscribe_event::Event,
        vtr_client::VtrClient,
    },
};
use tokio::{runtime::Runtime, task::JoinSet};

use super::pair::{COLS, HISTORY, ROWS};
use crate::own_process::{EndedProcess, bare_command};

pub(super) struct Coordinator {
    // Dropped in this order: the client before the server.
    client: CoordinatorClient,
    runtime: Runtime,
    process: EndedProcess,
    program: PathBuf,
    socket: PathBuf,
    folder: PathBuf,
}

impl Coordinator {
    pub(super) fn start(program: &Path, folder: &Path) -> Result<Self> {
        let socket = folder.join("vtr.sock");
        let mut process = bare_command(program, folder)
            .args(["serve", "--shell", "/bin/sh", "--scrollback", &HISTORY.to_string(), "--socket"])
            .arg(&socket)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("starting {}", program.display()))?;
        let stdout = process.stdout.take().context("it was asked for")?;
        let process = EndedProcess(process);
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        if !line.contains("listening") {
            bail!("vtr serve said {line:?} instead of listening");
        }
        // The same runtime as the command line's: a client that waits for one answer at a time needs no second thread.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let client = runtime.block_on(client::connect(&Endpoint::Socket(socket.clone())))?;
        Ok(Coordinator { client, runtime, process, program: program.into(), socket, folder: folder.into() })
    }

    pub(super) fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// The RPCs, on the one connection.
    pub(super) fn vtr(&self) -> VtrClient<CoordinatorChannel> {
        self.client.vtr()
    }

    pub(super) fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// `vtr` for this coordinator.
    pub(super) fn command(&self, words: &[&str]) -> Command {
        let mut command = bare_command(&self.program, &self.folder);
        command.env("VTR_SOCKET", &self.socket).args(words).stdout(Stdio::null());
        command
    }

    pub(super) fn spawn(&self, name: &str, argv: &[&str]) -> Result<()> {
        self.wait(self.vtr().spawn(spawn_request(name, argv))).with_context(|| format!("spawning {name}"))?;
        Ok(())
    }

    /// Sends all requests before the first answer.
    pub(super) fn spawn_all(&self, names: &[String], argv: &[&str]) -> Result<()> {
        self.wait(async {
            let mut spawns = JoinSet::new();
            for name in names {
                let (mut vtr, request) = (self.vtr(), spawn_request(name, argv));
                spawns.spawn(async move { vtr.spawn(request).await });
            }
            while let Some(spawned) = spawns.join_next().await {
                spawned?.context("spawning all at once")?;
            }
            Ok(())
        })
    }

    pub(super) fn remove(&self, name: &str) -> Result<()> {
        self.wait(self.vtr().remove(RemoveRequest { name: name.into() }))
            .with_context(|| format!("removing {name}"))?;
        Ok(())
    }

    /// Waits until the session shows it.
    pub(super) fn see(&self, name: &str, pattern: &str) -> Result<()> {
        let request = WaitForRequest {
            name: name.into(),
            pattern: pattern.into(),
            scope: WaitScope::Grid.into(),
            timeout: Some(prost_types::Duration { seconds: 120, nanos: 0 }),
        };
        if !self.wait(self.vtr().wait_for(request))?.into_inner().matched {
            bail!("{name} never showed {pattern:?}");
        }
        Ok(())
    }

    /// Waits until the session has ended, without reading its output.
    pub(super) fn see_end(&self, name: &str) -> Result<()> {
        self.wait(async {
            let mut vtr = self.vtr();
            let request = SubscribeRequest { name: name.into(), ..Default::default() };
            let mut events = vtr.subscribe(request).await?.into_inner();
            while let Some(event) = events.message().await? {
                if matches!(event.event, Some(Event::SessionExited(_))) {
                    return Ok(());
                }
            }
            bail!("{name} never ended");
        })
    }
}

fn spawn_request(name: &str, argv: &[&str]) -> SpawnRequest {
    let argv = argv.iter().map(|word| (*word).to_owned()).collect();
    let (cols, rows) = (COLS.into(), ROWS.into());
    SpawnRequest { name: name.into(), argv, cols, rows, ..Default::default() }
}
