//! What patterm reports to its host terminal: what waits for the person, what is working, and what has finished.

use tui::Sign;
use vt::ProgramState;

use super::{attention, model::InterfaceState};

/// Characters of what waits that a title has.
const MAX_WAITING: usize = 60;

/// The title of the window: the project, and before it how much waits for the person.
pub(super) fn title(app: &InterfaceState) -> String {
    let project = match &app.project {
        Some(project) => {
            let folder = project.project_dir();
            folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned()
        }
        None => app.sessions.focused().map(|item| item.name.clone()).unwrap_or_default(),
    };
    match attention::first(app) {
        Some(first) => {
            let (sign, count) = (app.skin.glyphs.sign(Sign::Blocked), attention::count(app));
            format!("{sign} {count} {project} - {}", first.chars().take(MAX_WAITING).collect::<String>())
        }
        None if project.is_empty() => app.program().to_owned(),
        None => format!("{project} - {}", app.program()),
    }
}

/// Summarises all sessions as one state and one line.
pub(super) fn summary(app: &InterfaceState) -> (ProgramState, String) {
    if app.attach.is_some() {
        return app.remote.summary(app.program());
    }
    let named = |sign: Sign| -> Vec<&str> {
        app.sessions.items().iter().filter(|item| item.sign() == sign).map(|item| item.name.as_str()).collect()
    };
    if let Some(first) = attention::first(app) {
        let msg = match attention::count(app) {
            1 => first,
            count => format!("{first} (and {} more)", count - 1),
        };
        return (ProgramState::Blocked, msg);
    }
    let working = named(Sign::Working);
    if !working.is_empty() {
        return (ProgramState::Working, working.join(", "));
    }
    match named(Sign::Unseen) {
        unseen if unseen.is_empty() => (ProgramState::Idle, String::new()),
        unseen => (ProgramState::Done, unseen.join(", ")),
    }
}
