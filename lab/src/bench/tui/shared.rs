//! The programs that are measured: an echo alone, in tmux, and in patterm.

use std::path::Path;

use anyhow::{Context, Result};
use grpc::{
    client::{self, CoordinatorClient, Endpoint},
    proto::SpawnRequest,
};
use tokio::runtime::Runtime;

use super::SIZE;
use crate::seat::{Seat, make_folders, plain_env};

/// Echoes its input at once and unchanged; the terminal itself does not.
pub(super) const ECHO: &str = "stty raw -echo; printf ready; exec cat";

pub(super) fn bare(folder: &Path) -> Result<Seat> {
    let mut seat = Seat::start(&["sh", "-c", ECHO], plain_env(folder), folder, SIZE)?;
    seat.see("ready")?;
    Ok(seat)
}

pub(super) fn tmux(folder: &Path) -> Result<Seat> {
    let socket = folder.join("tmux.sock");
    let socket = socket.to_string_lossy();
    let argv = ["tmux", "-u", "-f", "/dev/null", "-S", &socket, "new-session", "sh", "-c", ECHO];
    let mut seat = Seat::start(&argv, plain_env(folder), folder, SIZE)?;
    seat.see("ready")?;
    Ok(seat)
}

/// Ends the server, which outlives its client.
pub(super) fn end_tmux(folder: &Path) {
    let socket = folder.join("tmux.sock");
    let _ = std::process::Command::new("tmux").arg("-S").arg(socket).arg("kill-server").output();
}

/// patterm, and a way to start sessions in it.
pub(super) struct Patterm {
    // Dropped in this order: the client before the server.
    client: CoordinatorClient,
    runtime: Runtime,
    pub(super) seat: Seat,
}

impl Patterm {
    pub(super) fn start(program: &str, folder: &Path) -> Result<Self> {
        make_folders(folder)?;
        let socket = folder.join("share.sock");
        let share = format!("--share={}", socket.display());
        let mut seat = Seat::start(&[program, &share], plain_env(folder), &folder.join("project"), SIZE)?;
        seat.see("commands")?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let client = runtime.block_on(client::connect(&Endpoint::Socket(socket)))?;
        Ok(Patterm { client, runtime, seat })
    }

    /// The first one is in sight, and stays in sight.
    pub(super) fn spawn(&self, name: &str, argv: &[&str]) -> Result<()> {
        let argv = argv.iter().map(|word| (*word).to_owned()).collect();
        let request = SpawnRequest { name: name.into(), argv, ..Default::default() };
        self.runtime.block_on(self.client.vtr().spawn(request)).with_context(|| format!("spawning {name}"))?;
        Ok(())
    }

    pub(super) fn is_running(&self, name: &str) -> Result<bool> {
        let request = grpc::proto::InfoRequest { name: name.into() };
        let info = self.runtime.block_on(self.client.vtr().info(request))?.into_inner();
        Ok(info.session.is_some_and(|session| session.state == "running"))
    }

    /// Nanoseconds of CPU time so far of the drawing thread, which is the program's first.
    pub(super) fn drawing_nanos(&self) -> Result<u64> {
        let pid = self.seat.pid();
        let text = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/schedstat")).context("reading schedstat")?;
        text.split(' ').next().and_then(|nanos| nanos.parse().ok()).context("reading schedstat")
    }
}
