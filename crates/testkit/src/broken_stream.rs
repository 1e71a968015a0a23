//! Standard output and error that can't be written to, in each of the possible ways.

use std::{
    fs::{File, OpenOptions},
    io::{self, PipeReader, Write},
    os::fd::{AsFd, OwnedFd},
    process::{Command, Stdio},
};

use rustix::{
    fs::{Mode, OFlags, fcntl_getfl, fcntl_setfl},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenStream {
    /// ENOSPC: a full disk.
    Full,
    /// EBADF: `>&- 2>&-`.
    Closed,
    /// EPIPE: the reader has closed.
    ReaderGone,
    /// EIO: the terminal was closed.
    HungUp,
    /// A full pipe without a reader that empties it: writing blocks for ever.
    Unread,
}

impl BrokenStream {
    /// The kinds in which a write fails at once.
    pub const FAILING: [Self; 4] = [Self::Full, Self::Closed, Self::ReaderGone, Self::HungUp];
    pub const ALL: [Self; 5] = [Self::Full, Self::Closed, Self::ReaderGone, Self::HungUp, Self::Unread];

    /// Breaks both streams of the command in this way. The returned reader must be kept until the command has ended.
    /// The command must set its whole environment.
    /// command must set its whole environment.
    pub fn give_to(self, mut command: Command) -> (Command, Option<PipeReader>) {
        let both = |command: &mut Command, stream: OwnedFd| {
            let twin = stream.try_clone().expect("a descriptor can be doubled");
            command.stdout(Stdio::from(stream)).stderr(Stdio::from(twin));
        };
        match self {
            Self::Full => {
                both(&mut command, OpenOptions::new().write(true).open("/dev/full").expect("Linux has it").into());
            }
            Self::Closed => return (closed(&command), None),
            Self::ReaderGone => both(&mut command, io::pipe().expect("a pipe can be made").1.into()),
            Self::HungUp => both(&mut command, hung_up()),
            Self::Unread => {
                let (reader, writer) = io::pipe().expect("a pipe can be made");
                both(&mut command, filled(writer.into()));
                return (command, Some(reader));
            }
        }
        (command, None)
    }
}

/// Only a shell can start a program with a descriptor closed.
fn closed(command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec \"$0\" \"$@\" >&- 2>&-"]).arg(command.get_program()).args(command.get_args()).env_clear();
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if let Some(folder) = command.get_current_dir() {
        shell.current_dir(folder);
    }
    shell.stdin(Stdio::null());
    shell
}

fn hung_up() -> OwnedFd {
    let outer = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal can be made");
    grantpt(&outer).and_then(|()| unlockpt(&outer)).expect("a terminal of ours can be opened");
    let name = ptsname(&outer, Vec::new()).expect("a terminal has a name");
    rustix::fs::open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())
        .expect("a terminal of ours can be opened")
}

fn filled(writer: OwnedFd) -> OwnedFd {
    let blocking = fcntl_getfl(writer.as_fd()).expect("a pipe has flags");
    fcntl_setfl(&writer, blocking | OFlags::NONBLOCK).expect("a pipe's flags can be set");
    let mut pipe = File::from(writer);
    while pipe.write(&[b'x'; 4096]).is_ok() {}
    let writer = OwnedFd::from(pipe);
    fcntl_setfl(&writer, blocking).expect("a pipe's flags can be set");
    writer
}
