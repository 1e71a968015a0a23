//! The program: helper threads that read, and the main loop that owns all state.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use crate::actor::{FakeActor, PerformanceEnd};
use crate::command_line::{CommandLine, TERM_IS_IGNORED};
use crate::make::AgentMake;
use crate::options::FakeOptions;
use crate::terminal::{self, RawMode};

/// Input from the helper threads.
#[derive(Debug)]
pub(crate) enum ActorInput {
    Keys(Vec<u8>),
    /// The keyboard input has ended.
    EndOfKeys,
    /// A line of the MCP server with this index; `None` when it has closed its output.
    Server(usize, Option<String>),
}

/// Capacity of the queue to the main loop. It fills only while the loop is frozen; then the readers stop, and in turn
/// the programs that write to us.
const CAPACITY: usize = 1024;
/// Bytes per read of the keyboard.
const READ: usize = 64 << 10;

/// Runs the fake to its end. The terminal is restored when this returns.
pub fn run(options: FakeOptions) -> ExitCode {
    if options.arguments.first().is_some_and(|word| word == "--version") {
        return tell_version(options.make);
    }
    let line = match CommandLine::read(&options) {
        Ok(line) => line,
        Err(error) => return complain(&error.to_string()),
    };
    if line.script.settings.ignore_term && !line.ignores_term {
        return complain(&start_again_without_term(&options));
    }
    let silence = pace(line.fast, line.script.settings.silent_ms);
    // Before raw mode, as in the real CLIs: keys typed now are echoed by the terminal.
    std::thread::sleep(silence);
    let raw = RawMode::enter();
    let (incoming, outcome) = mpsc::sync_channel(CAPACITY);
    let keys = incoming.clone();
    // Not joined: it blocks in a read that only ends with the terminal.
    std::thread::spawn(move || read_keys(&keys));
    let mut actor = FakeActor::new(options, line, incoming);
    let ending = perform(&mut actor, &outcome);
    let code = actor.leave(ending);
    drop(actor);
    drop(raw);
    ExitCode::from(code)
}

/// The version of the CLI that its costume was drawn after.
fn tell_version(make: AgentMake) -> ExitCode {
    match writeln!(std::io::stdout(), "{}", make.version()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn perform(actor: &mut FakeActor, incoming: &Receiver<ActorInput>) -> PerformanceEnd {
    actor.enter();
    loop {
        let now = Instant::now();
        if let Some(ending) = actor.advance(now) {
            return ending;
        }
        if actor.draw(now).is_err() {
            return PerformanceEnd::NobodyLooks;
        }
        match incoming.recv_timeout(actor.until_next_look(Instant::now())) {
            Ok(first) => {
                actor.take(first, Instant::now());
                // Handles all pending input before the next frame, up to a limit.
                for next in incoming.try_iter().take(CAPACITY) {
                    actor.take(next, Instant::now());
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return PerformanceEnd::NobodyLooks,
        }
    }
}

fn read_keys(incoming: &SyncSender<ActorInput>) {
    let mut buffer = vec![0; READ];
    let mut input = std::io::stdin().lock();
    loop {
        let read = match input.read(&mut buffer) {
            Ok(0) => ActorInput::EndOfKeys,
            Ok(count) => ActorInput::Keys(buffer[..count].to_vec()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => ActorInput::EndOfKeys,
        };
        let over = matches!(read, ActorInput::EndOfKeys);
        if incoming.send(read).is_err() || over {
            return;
        }
    }
}

/// Does not return on success: this process executes the other program.
fn start_again_without_term(options: &FakeOptions) -> String {
    let own = options.again.len().saturating_sub(options.arguments.len());
    let mut command = options.again.clone();
    // Before the vendor's arguments: after a `--` it would be a prompt.
    command.insert(own, TERM_IS_IGNORED.into());
    let error = Command::new("/bin/sh").args(["-c", "trap '' TERM; exec \"$@\"", "sh"]).args(command).exec();
    format!("the shell that ignores SIGTERM can't be started: {error}")
}

/// A delay of the script, shortened if `--fast` is given.
pub(crate) fn pace(fast: bool, ms: u64) -> Duration {
    let whole = Duration::from_millis(ms);
    if fast { whole / 20 } else { whole }
}

fn complain(text: &str) -> ExitCode {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    // If even this fails, there is no way left to report it.
    let _ = terminal::complain(&format!("fake-agent: {text}\n"));
    ExitCode::from(2)
}
