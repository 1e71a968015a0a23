//! The least that two processes and a Unix socket can do between a terminal and a program: bytes are handed on, and
//! nothing else; as they are, or as messages on an HTTP/2 stream, which is what gRPC is. What it takes on a machine is what
//! no attach made of the same can go below there.

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

/// One end of it
#[derive(Args)]
pub(crate) struct Arguments {
    end: End,
    socket: PathBuf,
    /// On an HTTP/2 stream
    #[arg(long)]
    http2: bool,
    /// Look again and again for the echo of a key instead of sleeping until it comes
    #[arg(long)]
    awake: bool,
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

/// Staying awake from a key to its echo. All day long would not do: what is idle takes no processor.
struct Vigil {
    wanted: bool,
    until: Option<Instant>,
}

impl Vigil {
    /// A program that does not answer is not waited for any longer.
    const LONGEST: Duration = Duration::from_millis(2);

    fn new(wanted: bool) -> Self {
        Vigil { wanted, until: None }
    }

    /// A key passed by, or the echo that was waited for.
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
                // A terminal that hung up says so with an error.
                Ok(0) | Err(_) => return Ok(()),
                Ok(count) => count,
            };
            ensure!(rustix::io::write(to, &buffer[..count])? == count, "the other side took only a part");
            vigil.passed();
        }
    }
}
