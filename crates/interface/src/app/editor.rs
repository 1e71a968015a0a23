//! Opens files in the person's own editor: an ordinary session, which is closed when the editor ends.

use std::path::{Path, PathBuf};

use engine::{ExitStatus, SessionId, SessionName};
use serde_json::json;
use tui::Sign;

use super::{model::InterfaceState, start};

/// The shell's exit code if a program can't be executed; 127 if it can't be found.
const NOT_EXECUTABLE: i32 = 126;
const NOT_FOUND: i32 = 127;

/// What to clean up when the editor's session ends.
#[derive(Debug)]
pub(crate) struct EditorSession {
    session: SessionId,
    /// A temporary file of ours.
    remove: Option<PathBuf>,
}

/// Opens `file` in the person's editor, in a tab of its own. `ours`: the file is removed when the editor ends.
pub(crate) fn open(app: &mut InterfaceState, file: PathBuf, ours: bool) {
    let Some(path) = file.to_str().map(str::to_owned) else {
        return app.toast(Sign::Failed, format!("{} can't be passed to an editor", file.display()));
    };
    let line = r#"exec ${VISUAL:-${EDITOR:-vi}} "$1""#;
    let mut arguments = json!({ "kind": "command", "argv": ["sh", "-c", line, "sh", path] });
    if let Some(name) = session_name(&file).filter(|name| app.sessions.items().iter().all(|item| item.name != *name)) {
        arguments["name"] = name.into();
    }
    app.call("spawn_process", arguments, move |app, outcome| {
        let started = outcome.as_ref().ok().and_then(|reply| reply["process_id"].as_str()).map(str::to_owned);
        start::show_started(app, outcome);
        let id = app.sessions.items().iter().map(|item| item.id).find(|id| Some(id.to_string()) == started);
        match id {
            Some(session) => {
                if let Some(project) = &app.project {
                    project.leave_out_of_record(session);
                }
                app.editing.push(EditorSession { session, remove: ours.then_some(file) });
                // It may have ended before it was registered here.
                app.stale = true;
            }
            None if ours => drop(std::fs::remove_file(file)),
            None => {}
        }
    });
}

/// The name of an editor's tab: the file's name, as far as it is a valid session name.
fn session_name(file: &Path) -> Option<String> {
    let name: String =
        file.file_name()?.to_str()?.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    SessionName::new(format!("edit-{name}")).ok().map(|name| name.to_string())
}

/// Closes editors that ended successfully and removes their files. An editor that could not be started stays, with its
/// error message.
pub(super) fn tidy(app: &mut InterfaceState) {
    let editing = std::mem::take(&mut app.editing);
    for one in editing {
        match app.sessions.get(one.session) {
            Some(item) if !item.has_ended() => app.editing.push(one),
            ended => {
                if let Some(file) = &one.remove {
                    let _ = std::fs::remove_file(file);
                }
                match ended.map(|item| (item.id, item.exit)) {
                    Some((_, Some(ExitStatus::Code(NOT_EXECUTABLE | NOT_FOUND)))) => {
                        let text = "your editor can't be started: set VISUAL or EDITOR, and restart patterm";
                        app.toast(Sign::Failed, text);
                    }
                    Some((id, _)) => app.order("close_process", json!({ "process_id": id.to_string() })),
                    None => {}
                }
            }
        }
    }
}
