//! The least that two processes and a Unix socket can do between a terminal and a program: bytes are only passed on,
//! either as they are, or as messages on an HTTP/2 stream, like gRPC's. No attach built in the same way can be faster
//! on the same machine.

mod http2;

use std::{
    io,
    os::{
        fd::AsFd,
        unix::net::{UnixListener, UnixStream},
    },
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use pty::{PollFd, PollFlags, SpawnRequest};

use crate::Verdict;

/// One end of the relay
#[derive(Args)]
pub(crate) struct Arguments {
    end: End,
    socket: PathBuf,
    /// Use an HTTP/2 stream
    #[arg(long)]
    http2: bool,
    /// Busy-wait for the echo of a key instead of sleeping until it comes
    #[arg(long)]
    awake: bool,
    /// The program, at the far end
    #[arg(last = true)]
    argv: Vec<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum End {
    /// Owns the person's terminal, like `vtr attach`
    Near,
    /// Owns the program's terminal, like the coordinator
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
    // Standard input and output are one terminal, which is already in raw mode.
    let (input, output) = (io::stdin(), io::stdout());
    let vigil = Vigil::new(arguments.awake);
    if arguments.http2 { http2::near(&input, &output, line, vigil) } else { hand_on(&input, &output, &line, vigil) }
}

fn far(arguments: &Arguments) -> Result<()> {
    let listener = UnixListener::bind(&arguments.socket).context("making the socket")?;
    let (line, _) = listener.accept()?;
    let (pty, mut child) = pty::spawn(SpawnRequest {
        argv: arguments.argv.iter().map(Into::into).collect(),
        env: std::env::vars_os().collect(),
        working_dir: None,
        size: pty::PtySize { cols: 100, rows: 30 },
    })?;
    let vigil = Vigil::new(arguments.awake);
    let handed_on = if arguments.http2 { http2::far(&pty, line, vigil) } else { hand_on(&pty, &pty, &line, vigil) };
    child.signal_group(pty::Signal::KILL)?;
    child.wait()?;
    handed_on
}

/// Busy-waits from a key to its echo, but not otherwise: an idle relay must use no CPU time.
struct Vigil {
    wanted: bool,
    until: Option<Instant>,
}

impl Vigil {
    /// A program that does not answer is only waited for this long.
    const LONGEST: Duration = Duration::from_millis(2);

    fn new(wanted: bool) -> Self {
        Vigil { wanted, until: None }
    }

    /// A key passed by, or its echo arrived.
    fn passed(&mut self) {
        let begins = self.wanted && !self.lasts();
        self.until = begins.then(|| Instant::now() + Self::LONGEST);
    }

    fn lasts(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() < until)
    }
}

/// Until one side ends.
fn hand_on(input: &impl AsFd, output: &impl AsFd, line: &UnixStream, mut vigil: Vigil) -> Result<()> {
    let mut buffer = [0; 4096];
    loop {
        let mut fds = [PollFd::new(input, PollFlags::IN), PollFd::new(line, PollFlags::IN)];
        pty::poll(&mut fds, vigil.lasts().then_some(Duration::ZERO))?;
        let ready = [!fds[0].revents().is_empty(), !fds[1].revents().is_empty()];
        if ready == [false; 2] {
            thread::yield_now();
            continue;
        }
        let ways = [(input.as_fd(), line.as_fd()), (line.as_fd(), output.as_fd())];
        for (from, to) in ready.into_iter().zip(ways).filter_map(|(ready, way)| ready.then_some(way)) {
            let count = match rustix::io::read(from, &mut buffer) {
                // A terminal that hung up reports this as an error.
                Ok(0) | Err(_) => return Ok(()),
                Ok(count) => count,
            };
            ensure!(rustix::io::write(to, &buffer[..count])? == count, "the other side took only a part");
            vigil.passed();
        }
    }
}
