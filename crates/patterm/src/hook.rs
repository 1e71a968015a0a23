//! `patterm hook`: the command that an agent's CLI runs when an event happens in it. It reports the event and exits; it
//! starts no runtime and prints nothing on standard output, because some CLIs take that for part of the prompt. The
//! CLI's description of the event is read within bounds; if it is invalid, the event is still reported by name.

mod said;

use std::{
    ffi::OsString,
    io::{self, BufRead, BufReader, IsTerminal, Write},
    os::unix::net::UnixStream,
    path::Path,
    time::{Duration, Instant},
};

use mcp::OneCall;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::json;

use program::Exit;

use self::said::HookWords;
use crate::run::connect_file::ConnectFile;

const USAGE: &str = "usage: patterm hook --connect FILE [--conversation ID] EVENT [DETAIL]";
/// The limit for reading the CLI's description, and again for the answer; the sum is less than presets allow a hook to
/// take.
const PATIENCE: Duration = Duration::from_secs(2);
/// Characters of detail that are passed on: it is one line in a list.
const DETAIL: usize = 500;

pub(crate) fn run(words: &[OsString]) -> Exit {
    let input = take_input();
    match tell(words, &input) {
        Ok(()) => Exit::Done,
        Err((exit, message)) => {
            let _ = writeln!(io::stderr(), "patterm hook: {message}");
            exit
        }
    }
}

fn tell(words: &[OsString], input: &[u8]) -> Result<(), (Exit, String)> {
    let usage = || (Exit::Usage, USAGE.to_owned());
    let words: Vec<&str> = words.iter().map(|word| word.to_str()).collect::<Option<_>>().ok_or_else(usage)?;
    let (file, told, words) = match *words.as_slice() {
        ["--connect", file, "--conversation", id, ref words @ ..] => (file, Some(id.to_owned()), words),
        ["--connect", file, ref words @ ..] => (file, None, words),
        _ => return Err(usage()),
    };
    let (event, detail) = match *words {
        [event] => (event, None),
        [event, detail] => (event, Some(detail.to_owned())),
        _ => return Err(usage()),
    };
    let way_in = ConnectFile::read(Path::new(file)).map_err(|message| (Exit::Usage, message))?;
    let words = match detail {
        Some(detail) => HookWords { detail, ..HookWords::default() },
        None => said::read(event, input).unwrap_or_else(|why| {
            let _ = writeln!(io::stderr(), "patterm hook: reporting the event's name only: {why}");
            HookWords::default()
        }),
    };
    let detail: String = words.detail.chars().take(DETAIL).collect();
    let conversation = told.or(words.conversation);
    let arguments = json!({ "event": event, "detail": detail, "command": words.command, "conversation": conversation });
    let call = OneCall { operation: "report_hook".into(), arguments };
    let unreachable = |error: io::Error| {
        (Exit::Unreachable, format!("patterm can't be reached at {} ({error})", way_in.socket.display()))
    };
    let mut socket = UnixStream::connect(&way_in.socket).map_err(unreachable)?;
    socket.set_read_timeout(Some(PATIENCE)).map_err(unreachable)?;
    socket.write_all(mcp::greeting_with_call(&way_in.token, &call).as_bytes()).map_err(unreachable)?;
    let mut answer = String::new();
    BufReader::new(&socket).read_line(&mut answer).map_err(unreachable)?;
    if answer.is_empty() || answer.contains("\"error\"") {
        return Err((Exit::Refused, answer.trim().to_owned()));
    }
    Ok(())
}

/// Some CLIs write a description to their hooks and fail when nobody reads all of it. We keep only as much as is parsed
/// as JSON, and one more byte, which shows that there was more.
fn take_input() -> Vec<u8> {
    let stdin = io::stdin();
    let mut input = Vec::new();
    if stdin.is_terminal() {
        return input;
    }
    let deadline = Instant::now() + PATIENCE;
    let mut buffer = [0; 64 << 10];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(left).expect("seconds fit");
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&timeout)) {
            Ok(ready) if ready > 0 => {}
            _ => return input,
        }
        match rustix::io::read(&stdin, &mut buffer) {
            Ok(length) if length > 0 => {
                let room = (said::MAX_BYTES + 1).saturating_sub(input.len());
                input.extend_from_slice(&buffer[..length.min(room)]);
            }
            _ => return input,
        }
    }
}
