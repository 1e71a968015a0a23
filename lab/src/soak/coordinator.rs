//! `vtr serve`: sessions that come and go, sizes up to the largest, abandoned waits and subscriptions, recordings,
//! floods, and clients that are killed.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use grpc::{
    client::{self, CoordinatorChannel, Endpoint},
    proto::{
        GetHistoryRequest, ListRequest, RecordAction, RecordRequest, RemoveRequest, ResizeRequest, SpawnRequest,
        SubscribeRequest, WaitForRequest, vtr_client::VtrClient,
    },
};
use tempfile::TempDir;

use super::{Footprint, Shift, Soaked, chance};
use crate::{
    fuzz::random::Random,
    own_process::{EndedProcess, bare_command},
    process::resident_bytes,
};

/// Prints in many colours until it is ended.
const FLOOD: &str =
    r#"i=0; while :; do i=$((i+1)); printf '\033[3%dmline %d of many, in a colour\033[0m\n' $((i%8)) $i; done"#;

pub(super) fn soak(program: &Path, length: Duration) -> Result<Soaked> {
    let folder = tempfile::tempdir()?;
    let (process, socket) = serve(program, &folder)?;
    let pid = process.pid();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    // Allocations of the first use belong to the start.
    runtime.block_on(async {
        let mut ground = Ground::new(program, &socket, folder.path(), 0).await?;
        ground.spawn("first", &["true"]).await?;
        ground.remove("first").await
    })?;
    // At rest: the connection above is closed, and nobody waits for work.
    std::thread::sleep(Duration::from_secs(12));
    let start = Footprint::of(pid)?;
    let shift = Arc::new(Shift::new(length));
    let mut most_memory = start.memory;
    runtime.block_on(async {
        let mut workers = tokio::task::JoinSet::new();
        for number in 0..7 {
            let mut ground = Ground::new(program, &socket, folder.path(), number).await?;
            let shift = Arc::clone(&shift);
            workers.spawn(async move {
                while !shift.is_over() {
                    let what = ground.round(number).await.with_context(|| format!("worker {number}"))?;
                    shift.done(what);
                }
                anyhow::Ok(())
            });
        }
        let mut looks = tokio::time::interval(Duration::from_millis(500));
        loop {
            tokio::select! {
                ended = workers.join_next() => match ended {
                    Some(ended) => ended??,
                    None => break,
                },
                _ = looks.tick() => most_memory = most_memory.max(resident_bytes(pid)?),
            }
        }
        let left = Ground::new(program, &socket, folder.path(), 99).await?.vtr.list(ListRequest::default()).await?;
        ensure!(left.get_ref().sessions.is_empty(), "sessions are left: {left:?}");
        anyhow::Ok(())
    })?;
    drop(runtime);
    let end = Footprint::at_rest(pid, &start)?;
    let shift = Arc::into_inner(shift).context("all workers have ended")?;
    Ok(Soaked { start, most_memory, end, work: shift.into_work() })
}

fn serve(program: &Path, folder: &TempDir) -> Result<(EndedProcess, PathBuf)> {
    let socket = folder.path().join("vtr.sock");
    let mut process = bare_command(program, folder.path())
        .args(["serve", "--shell", "/bin/sh", "--kill-timeout", "1s", "--socket"])
        .arg(&socket)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let stdout = process.stdout.take().context("it was asked for")?;
    let process = EndedProcess(process);
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    if !line.contains("listening") {
        bail!("vtr serve said {line:?} instead of listening");
    }
    Ok((process, socket))
}

/// One worker's own connection, names and random numbers.
struct Ground {
    vtr: VtrClient<CoordinatorChannel>,
    program: PathBuf,
    socket: PathBuf,
    folder: PathBuf,
    random: Random,
    name: String,
    rounds: u64,
}

impl Ground {
    async fn new(program: &Path, socket: &Path, folder: &Path, number: u64) -> Result<Self> {
        let vtr = client::connect(&Endpoint::Socket(socket.to_owned())).await?.vtr();
        let (program, socket, folder) = (program.to_owned(), socket.to_owned(), folder.to_owned());
        Ok(Ground { vtr, program, socket, folder, random: chance(number), name: format!("w{number}"), rounds: 0 })
    }

    /// Does one piece of work, and returns its name in the report.
    async fn round(&mut self, worker: u64) -> Result<&'static str> {
        self.rounds += 1;
        let name = self.name.clone();
        match worker {
            0 => {
                self.spawn(&name, &["sh", "-c", "echo here; exec sleep 60"]).await?;
                self.remove(&name).await?;
                Ok("sessions")
            }
            1 => {
                self.resizes(&name).await?;
                Ok("times twenty resizes")
            }
            2 => {
                self.waits(&name).await?;
                Ok("times twenty waits timed out")
            }
            3 => {
                self.subscriptions(&name).await?;
                Ok("subscriptions given up")
            }
            4 => {
                self.recording(&name).await?;
                Ok("recordings")
            }
            5 => {
                self.flood(&name).await?;
                Ok("floods")
            }
            _ => {
                self.killed_client(&name).await?;
                Ok("clients killed")
            }
        }
    }

    async fn spawn(&mut self, name: &str, argv: &[&str]) -> Result<()> {
        let argv = argv.iter().map(|word| (*word).to_owned()).collect();
        let request = SpawnRequest { name: name.into(), argv, ..SpawnRequest::default() };
        self.vtr.spawn(request).await.with_context(|| format!("spawning {name}"))?;
        Ok(())
    }

    async fn remove(&mut self, name: &str) -> Result<()> {
        let request = RemoveRequest { name: name.into() };
        self.vtr.remove(request).await.with_context(|| format!("removing {name}"))?;
        Ok(())
    }

    async fn resizes(&mut self, name: &str) -> Result<()> {
        self.spawn(name, &["sh", "-c", "seq 5000; exec cat"]).await?;
        for _ in 0..20 {
            let (cols, rows) = (self.random.between(2, 2000).into(), self.random.between(1, 1000).into());
            self.vtr.resize(ResizeRequest { name: name.into(), cols, rows }).await?;
        }
        self.remove(name).await
    }

    async fn waits(&mut self, name: &str) -> Result<()> {
        self.spawn(name, &["cat"]).await?;
        for _ in 0..20 {
            let timeout = Some(prost_types::Duration { seconds: 0, nanos: 5_000_000 });
            let request = WaitForRequest { name: name.into(), pattern: "never".into(), timeout, ..Default::default() };
            ensure!(self.vtr.wait_for(request).await?.into_inner().timed_out, "it came");
        }
        self.remove(name).await
    }

    async fn subscriptions(&mut self, name: &str) -> Result<()> {
        self.spawn(name, &["sh", "-c", FLOOD]).await?;
        let request = SubscribeRequest {
            name: name.into(),
            include_screen_updates: true,
            include_raw_output: self.random.one_in(2),
            ..SubscribeRequest::default()
        };
        let mut events = self.vtr.subscribe(request).await?.into_inner();
        for _ in 0..self.random.below(20) {
            ensure!(events.message().await?.is_some(), "the stream ended");
        }
        drop(events);
        self.remove(name).await
    }

    async fn recording(&mut self, name: &str) -> Result<()> {
        let file = self.folder.join(format!("{}.cast", self.rounds));
        self.spawn(name, &["sh", "-c", "seq 2000; exec cat"]).await?;
        let request = |action: RecordAction| RecordRequest {
            name: name.into(),
            action: action.into(),
            file: file.display().to_string(),
            ..RecordRequest::default()
        };
        self.vtr.record(request(RecordAction::Start)).await?;
        self.vtr.record(request(RecordAction::Stop)).await?;
        std::fs::remove_file(&file).context("a recording is a file")?;
        self.remove(name).await
    }

    /// Long enough to fill its history; read completely on the way.
    async fn flood(&mut self, name: &str) -> Result<()> {
        self.spawn(name, &["sh", "-c", FLOOD]).await?;
        let timeout = Some(prost_types::Duration { seconds: 60, nanos: 0 });
        let request =
            WaitForRequest { name: name.into(), pattern: "line 20000 ".into(), timeout, ..Default::default() };
        ensure!(self.vtr.wait_for(request).await?.into_inner().matched, "the flood is slow");
        self.vtr.get_history(GetHistoryRequest { name: name.into(), ..Default::default() }).await?;
        self.remove(name).await
    }

    async fn killed_client(&mut self, name: &str) -> Result<()> {
        self.spawn(name, &["cat"]).await?;
        let mut wait = Command::new(&self.program)
            .args(["wait", name, "never", "--socket"])
            .arg(&self.socket)
            .env("HOME", &self.folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        // Killed before it has connected, while it does, or when it waits.
        let patience = self.random.below(30) as u64;
        tokio::time::sleep(Duration::from_millis(patience)).await;
        wait.kill()?;
        wait.wait()?;
        self.remove(name).await
    }
}
