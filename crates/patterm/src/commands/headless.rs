//! `patterm --headless`

use program::{EndRequests, Exit, Failure, Outcome, Surroundings};
use serde_json::json;

use crate::{
    cli::RunFlags,
    commands::run_options,
    observe::{self, Observers},
    output::Output,
    run::{PattermRun, RunOptions},
};

pub(crate) fn run(flags: RunFlags, surroundings: &Surroundings, output: &mut Output) -> Outcome {
    if surroundings.variable("PATTERM").is_some() {
        output.warn("you are already inside patterm; this is a separate one");
    }
    let observers = Observers::start(&flags, surroundings)?;
    if !observers.logs() {
        observe::log_to_stderr();
    }
    let options = run_options(&flags, surroundings, output)?;
    let runtime = engine::build_runtime("patterm-task").map_err(|error| Failure::system("starting up", &error))?;
    let outcome = runtime.block_on(serve(options, surroundings, observers, output));
    // Don't wait for a thread that hangs in a system call.
    runtime.shutdown_background();
    outcome
}

async fn serve(options: RunOptions, surroundings: &Surroundings, observers: Observers, output: &mut Output) -> Outcome {
    // Before creating anything that a signal would leave behind.
    let ending = EndRequests::default();
    ending.hear_signals().map_err(|error| Failure::system("listening to signals", &error))?;
    let run = PattermRun::start(options, surroundings, observers.clone()).await?;
    let mut hello = json!({ "socket": run.socket(), "connect": run.operator() });
    if let Some(address) = run.http_address() {
        hello["http"] = format!("http://{address}/mcp").into();
    }
    if let Some(socket) = run.share() {
        hello["share"] = json!(socket);
    }
    if let Some(folder) = observers.debug_folder() {
        hello["debug"] = json!(folder);
    }
    if let Err(failure) = output.object(&hello) {
        // The reader may be gone. We keep serving; the connect file has the same information.
        tracing::warn!(error = failure.message, "standard output can't be written to");
    }
    run.serve(ending.wishes()).await?;
    Ok(Exit::Done)
}
