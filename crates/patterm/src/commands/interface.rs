//! `patterm`, on a terminal

use program::{EndRequests, Exit, Failure, Outcome, Surroundings};
use std::{path::Path, time::Duration};

use interface::app;

use crate::{
    cli::RunFlags,
    commands::{config, run_options},
    observe::Observers,
    output::Output,
    run::{PattermRun, RunOptions},
};

/// If ending all sessions takes longer than this, we say so.
const SOON: Duration = Duration::from_millis(400);

pub(crate) fn run(flags: RunFlags, surroundings: &Surroundings, output: &mut Output) -> Outcome {
    // Before anything is created: without a terminal the user gets the error and nothing else.
    let host = app::find_terminal()?;
    if surroundings.variable("TERM").is_some_and(|term| term == "dumb") {
        return Err(Failure::new(Exit::NoTerminal, "no_terminal", "this terminal can't be drawn on: TERM is dumb")
            .with_hint("use another one, or set TERM to its type (xterm-256color fits most)"));
    }
    if surroundings.variable("PATTERM").is_some() {
        output.warn("you are already inside patterm; this is a separate one");
    }
    let observers = Observers::start(&flags, surroundings)?;
    let options = run_options(&flags, surroundings, output)?;
    let runtime = engine::build_runtime("patterm-task").map_err(|error| Failure::system("starting up", &error))?;
    let outcome = show(&runtime, host, options, surroundings, observers, output);
    // Don't wait for a thread that hangs in a system call.
    runtime.shutdown_background();
    outcome
}

fn show(
    runtime: &tokio::runtime::Runtime,
    host: tui::host::HostTerminal,
    options: RunOptions,
    surroundings: &Surroundings,
    observers: Observers,
    output: &mut Output,
) -> Outcome {
    let _entered = runtime.enter();
    // Before creating anything that a signal would leave behind.
    let ending = EndRequests::default();
    ending.hear_signals().map_err(|error| Failure::system("listening to signals", &error))?;
    // Every run creates a folder for its project.
    let first_run = !surroundings.data_dir.join("projects").exists();
    let run = runtime.block_on(PattermRun::start(options, surroundings, observers))?;
    let project = run.project.clone();
    // The name that vtr uses; there is no room for the whole path.
    let name = |socket: &Path| format!("shared as {}", socket.file_stem().unwrap_or_default().to_string_lossy());
    let notes = run.share().map(name).into_iter().collect();
    let last_run_faults = runtime.block_on(project.record_run());
    let said = app::StartNotices { notes, first_run, warnings: output.take_warnings(), last_run_faults };
    let mut served = runtime.spawn(run.serve(ending.wishes()));
    let settings_file = config::followed(surroundings);
    let shown = app::run(project, surroundings, runtime.handle(), host, ending.wishes(), settings_file, said);
    ending.leave("the interface has ended");
    let ended = runtime.block_on(async {
        match tokio::time::timeout(SOON, &mut served).await {
            Ok(ended) => ended,
            Err(_) => {
                output.warn("ending all sessions (Ctrl-C to kill them at once)");
                served.await
            }
        }
    });
    ended.map_err(|error| Failure::new(Exit::Refused, "internal", format!("serving failed: {error}")))??;
    shown.map(|()| Exit::Done)
}
