//! The least that two processes and a Unix socket can do between a terminal and a program: bytes are handed on, and
//! nothing else. What it takes on a machine is what no attach that sleeps between keys can go below there.

use std::{
    io,
    os::{
        fd::AsFd,
        unix::net::{UnixListener, UnixStream},
    },
    path::PathBuf,
};

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use pty::{PollFd, PollFlags, SpawnRequest};

use crate::Verdict;

/// One end of it
#[derive(Args)]
pub(crate) struct Arguments {
    end: End,
    socket: PathBuf,
    /// The program, at the far end
    #[arg(last = true)]
    argv: Vec<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum End {
    /// Has the person's terminal, as `vtr attach` does
    Near,
    /// Has the program's terminal, as the coordinator does
    Far,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    match arguments.end {
        End::Near => near(arguments)?,
        End::Far => far(arguments)?,
    }
    Ok(Verdict::Good)
}

fn near(arguments: &Arguments) -> Result<()> {
    let line = UnixStream::connect(&arguments.socket).context("connecting to the far end")?;
    // Standard input and output are one terminal, in raw mode already.
    hand_on(&io::stdin(), &io::stdout(), &line)
}

fn far(arguments: &Arguments) -> Result<()> {
    let listener = UnixListener::bind(&arguments.socket).context("making the socket")?;
    let (line, _) = listener.accept()?;
    let (pty, mut child) = pty::spawn(SpawnRequest {
        argv: arguments.argv.iter().map(Into::into).collect(),
        env: std::env::vars_os().collect(),
        working_dir: None,
        size: pty::Size { cols: 100, rows: 30 },
    })?;
    let handed_on = hand_on(&pty, &pty, &line);
    child.signal_group(pty::Signal::KILL)?;
    child.wait()?;
    handed_on
}

/// Until one side ends.
fn hand_on(input: &impl AsFd, output: &impl AsFd, line: &UnixStream) -> Result<()> {
    let mut buffer = [0; 4096];
    loop {
        let mut fds = [PollFd::new(input, PollFlags::IN), PollFd::new(line, PollFlags::IN)];
        pty::poll(&mut fds, None)?;
        let ready = [!fds[0].revents().is_empty(), !fds[1].revents().is_empty()];
        let ways = [(input.as_fd(), line.as_fd()), (line.as_fd(), output.as_fd())];
        for (from, to) in ready.into_iter().zip(ways).filter_map(|(ready, way)| ready.then_some(way)) {
            let count = match rustix::io::read(from, &mut buffer) {
                // A terminal that hung up says so with an error.
                Ok(0) | Err(_) => return Ok(()),
                Ok(count) => count,
            };
            ensure!(rustix::io::write(to, &buffer[..count])? == count, "the other side took only a part");
        }
    }
}
