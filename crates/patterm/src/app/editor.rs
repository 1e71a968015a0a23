//! Files in the person's own editor: a session like any other, which goes when the editor does.

use std::path::{Path, PathBuf};

use engine::{ExitStatus, SessionId, SessionName};
use serde_json::json;
use tui::Sign;

use super::{model::InterfaceState, start};

/// How a shell ends whose program can't be run, and can't be found.
const NOT_EXECUTABLE: i32 = 126;
const NOT_FOUND: i32 = 127;

/// What the editor's session leaves when it ends.
#[derive(Debug)]
pub(crate) struct EditorSession {
    session: SessionId,
    /// A file of ours, made for it.
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
                app.editing.push(EditorSession { session, remove: ours.then_some(file) });
                // It may have ended before we knew that it is one of ours.
                app.stale = true;
            }
            None if ours => drop(std::fs::remove_file(file)),
            None => {}
        }
    });
}

/// What the tab of an editor is called: by the file, as far as its name can be a session's.
fn session_name(file: &Path) -> Option<String> {
    let name: String =
        file.file_name()?.to_str()?.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    SessionName::new(format!("edit-{name}")).ok().map(|name| name.to_string())
}

/// Editors that have ended well go, and their files with them. One that could not be started stays with what it said.
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
                        let text = "your editor can't be started: set VISUAL or EDITOR to one, and start patterm anew";
                        app.toast(Sign::Failed, text);
                    }
                    Some((id, _)) => app.order("close_process", json!({ "process_id": id.to_string() })),
                    None => {}
                }
            }
        }
    }
}
