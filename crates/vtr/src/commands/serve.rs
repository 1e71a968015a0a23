//! `vtr serve`

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use fleet::{Coordinator, coordinators, reach};
use program::{Exit, Failure, Outcome};
use serde_json::json;

use crate::{
    cli::GlobalFlags,
    output::Output,
    server::{
        daemon::{self, StartedDaemon},
        log, run,
        settings::{ServeFlags, ServeSettings},
        stop,
    },
    surroundings::Surroundings,
};

/// How long a coordinator that is being stopped may take to list its sessions; one that hangs is stopped all the same.
const PATIENCE: Duration = Duration::from_secs(2);

/// Run a coordinator, which owns sessions and serves them on a socket
///
/// Ends on TERM, INT or HUP, together with all its sessions.
#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    flags: ServeFlags,
    /// Run in the background; returns once the coordinator answers
    #[arg(long, conflicts_with = "stop")]
    daemon: bool,
    /// Stop the coordinator on this socket, or the one that holds the pid file
    #[arg(long)]
    stop: bool,
    /// Set for the process that `--daemon` starts.
    #[arg(long, hide = true)]
    in_background: bool,
}

impl ServeArgs {
    pub(crate) fn run(self, everywhere: &GlobalFlags, surroundings: &Surroundings, output: &mut Output) -> Outcome {
        let by_pid_file = self.flags.pid_file.is_some() && everywhere.socket.is_none();
        let flags = ServeFlags { socket: everywhere.socket.clone(), ..self.flags };
        if self.in_background {
            return in_background(flags, surroundings);
        }
        let settings = ServeSettings::decide(flags, surroundings)?;
        if self.stop {
            // With only a pid file, the socket is not known.
            let sessions = if by_pid_file { None } else { sessions_of(&settings.socket)? };
            let pid = stop::stop(&settings, by_pid_file)?;
            let mut reply = json!({ "stopped": true, "pid": pid });
            let mut text = format!("stopped the coordinator (pid {pid})");
            if let Some(names) = sessions {
                text += &match names.len() {
                    0 => ", which had no sessions".to_owned(),
                    1 => format!(", and with it 1 session: {}", names.join(", ")),
                    count => format!(", and with it {count} sessions: {}", names.join(", ")),
                };
                reply["sessions"] = json!(names);
            }
            output.answer(&reply, text)?;
            return Ok(Exit::Done);
        }
        if self.daemon {
            return start(&settings, surroundings, output);
        }
        log::to_stderr();
        let socket = settings.socket.clone();
        let bound = run::bind(settings, surroundings)?;
        in_runtime(run::serve(bound, surroundings, |lost| {
            let mut started = json!({ "socket": socket, "pid": std::process::id() });
            let listening = format!("listening on {}", socket.display());
            if let Some(lost) = &lost {
                started["lost"] = lost.as_str().into();
            }
            // Nobody may be reading; we serve all the same.
            let _ = match output.json {
                true => output.object(&started),
                false => output.lines(std::iter::once(listening).chain(lost)),
            };
        }))?;
        Ok(Exit::Done)
    }
}

/// The names of the sessions that will be ended; `None` if the coordinator does not answer.
fn sessions_of(socket: &Path) -> Result<Option<Vec<String>>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::system("starting the runtime", &error))?;
    let answers = runtime.block_on(reach::list_all(&[Coordinator::at(socket.to_owned(), PATIENCE)]));
    let heard = answers.into_iter().next().and_then(|(_, answer)| answer.ok());
    Ok(heard.map(|heard| heard.sessions.into_iter().map(|session| session.name).collect()))
}

fn in_background(flags: ServeFlags, surroundings: &Surroundings) -> Outcome {
    let ready = daemon::detach().and_then(|()| ServeSettings::decide(flags, surroundings)).and_then(|settings| {
        log::to_file(&settings.log_file);
        run::bind(settings, surroundings)
    });
    let outcome =
        ready.and_then(|bound| in_runtime(run::serve(bound, surroundings, |lost| daemon::announce(Ok(lost)))));
    match outcome {
        Ok(()) => Ok(Exit::Done),
        Err(failure) => {
            daemon::announce(Err(&failure));
            Err(failure)
        }
    }
}

fn in_runtime(serving: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    engine::return_large_blocks();
    let runtime = engine::build_runtime("vtr-task").map_err(|error| Failure::system("starting up", &error))?;
    let outcome = runtime.block_on(serving);
    runtime.shutdown_background();
    outcome
}

fn start(settings: &ServeSettings, surroundings: &Surroundings, output: &mut Output) -> Outcome {
    let started = daemon::start(settings, surroundings)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::system("starting the runtime", &error))?;
    let coordinator = Coordinator::at(PathBuf::from(&started.socket), coordinators::TIMEOUT);
    if let Err(silence) = runtime.block_on(reach::reach(&coordinator)) {
        let message = format!("the coordinator (pid {}) started, but does not answer: {silence}", started.pid);
        return Err(Failure::unreachable(message).with_hint(format!("see its log: {}", started.log.display())));
    }
    let StartedDaemon { socket, pid, log, lost } = &started;
    if output.json {
        output.object(&started)?;
    } else {
        let lines = [format!("listening on {} (pid {pid})", socket.display()), format!("log: {}", log.display())];
        output.lines(lines.into_iter().chain(lost.clone()))?;
    }
    Ok(Exit::Done)
}
