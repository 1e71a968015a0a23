//! How a program shows the interface: patterm for a project, `vtr attach` for coordinators.

use std::panic::{self, AssertUnwindSafe};

use program::{EndWatch, Exit, Failure, Surroundings};
use project::{Project, Settings};
use tokio::{runtime::Handle, sync::mpsc};
use tui::{
    KeySequence, Sign,
    host::{HostError, HostTerminal},
};

use super::{
    FaceError, SettingsFile, TerminalFace,
    attach_mode::{self, AttachEnd, AttachMode, AttachWishes},
    following, keys,
    model::InterfaceState,
    opening,
    panic_hook::PanicHook,
    remote_sessions,
    terminal::FaceTerminal,
    themes,
};

/// What to show at the start.
#[derive(Debug, Default)]
pub struct StartNotices {
    /// Shown in the status line all the time.
    pub notes: Vec<String>,
    /// The program was never used here before.
    pub first_run: bool,
    /// Warnings of the start: shown as notices, because the screen covers what was printed.
    pub warnings: Vec<String>,
    /// What is wrong with the record of the last run.
    pub last_run_faults: Vec<String>,
}

/// The terminal we were started on.
pub fn find_terminal() -> Result<HostTerminal, Failure> {
    FaceTerminal::find().map_err(|error| match error {
        HostError::NotATerminal(_) => Failure::new(Exit::NoTerminal, "no_terminal", "patterm needs a terminal")
            .with_hint("run it in one, or run `patterm --headless` for scripts and MCP clients"),
        error => Failure::new(Exit::Refused, "system", error.to_string()),
    })
}

/// Shows a project on `host` until the person leaves or `wishes` requests the end. `tasks` is the runtime for
/// operations.
pub fn run(
    project: Project,
    surroundings: &Surroundings,
    tasks: &Handle,
    host: HostTerminal,
    wishes: EndWatch,
    settings_file: SettingsFile,
    said: StartNotices,
) -> Result<(), Failure> {
    let start = || {
        let (sender, loop_tasks) = mpsc::unbounded_channel();
        let settings = project.settings().clone();
        let (keymap, faults) = keys::keymap(&settings);
        let mut app = InterfaceState::new(Some(project), settings, surroundings.clone(), tasks.clone(), sender, keymap);
        app.notes = said.notes;
        app.first_run = said.first_run;
        themes::follow_settings(&mut app);
        faults.into_iter().for_each(|fault| app.toast(Sign::Failed, fault));
        said.warnings.into_iter().for_each(|warning| app.toast(Sign::Blocked, warning));
        opening::offer(&mut app, said.last_run_faults);
        let followed = following::start(&app, settings_file);
        (app, loop_tasks, followed)
    };
    let restorer = host.restorer();
    let looped = shown(restorer, async || {
        let (app, loop_tasks, followed) = start();
        let face = TerminalFace::start(app, loop_tasks, host, wishes)?;
        let ended = face.run().await.map(drop);
        drop(followed);
        ended
    })?;
    match looped {
        Ok(Ok(()) | Err(FaceError::Gone)) => Ok(()),
        Ok(Err(error)) => Err(error.into()),
        Err(_) => Err(Failure::new(Exit::Refused, "internal", "the interface failed; all sessions were ended")
            .with_hint("this is a fault of patterm: please report it with the lines above")),
    }
}

/// Shows sessions of coordinators on `host` until the person leaves or `wishes` requests the end. `tasks` is the runtime
/// of their connections.
pub fn attach(
    asked: AttachWishes,
    surroundings: &Surroundings,
    tasks: &Handle,
    host: HostTerminal,
    wishes: EndWatch,
) -> Result<AttachEnd, Failure> {
    let restorer = host.restorer();
    let looped = shown(restorer, async || {
        let (sender, loop_tasks) = mpsc::unbounded_channel();
        let settings = Settings { report_status: asked.reports, ..attach_mode::settings() };
        let keymap = asked.keys.keymap.clone();
        let mut app = InterfaceState::new(None, settings, surroundings.clone(), tasks.clone(), sender, keymap);
        app.sequence = KeySequence::after_leader();
        themes::follow_settings(&mut app);
        app.attach = Some(AttachMode { leader: asked.keys.leader.clone(), framed: asked.framed, end: None });
        let mut face = TerminalFace::start(app, loop_tasks, host, wishes)?;
        remote_sessions::begin(&mut face.app, asked);
        let mut app = face.run().await?;
        let end = app.attach.as_mut().and_then(|attach| attach.end.take());
        Ok(end.unwrap_or_else(|| AttachEnd::Left(attach_mode::last_words(&app))))
    })?;
    match looped {
        Ok(Ok(end)) => Ok(end),
        Ok(Err(FaceError::Gone)) => Ok(AttachEnd::TerminalGone),
        Ok(Err(error)) => Err(error.into()),
        Err(panic) => panic::resume_unwind(panic),
    }
}

/// Runs the loop in a runtime of its own, and catches its panics.
fn shown<T>(
    restorer: tui::host::HostRestorer,
    work: impl AsyncFnOnce() -> Result<T, FaceError>,
) -> Result<std::thread::Result<Result<T, FaceError>>, Failure> {
    let failed = |error: std::io::Error| Failure::system("starting the interface", &error);
    let own = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let hook = PanicHook::install(restorer);
    let looped = panic::catch_unwind(AssertUnwindSafe(|| own.block_on(work())));
    drop(hook);
    Ok(looped)
}
