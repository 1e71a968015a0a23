//! A session's history as a file, for the person's editor.

use std::{
    fs::OpenOptions,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::PathBuf,
};

use tui::Sign;

use super::{editor, model::InterfaceState, sources::SessionHandle};

/// Writes the whole history of the session in sight to a temporary file, and opens it.
pub(super) fn edit(app: &mut InterfaceState) {
    let Some(item) = app.sessions.focused() else { return };
    let (session, name) = (item.session.clone(), item.name.clone());
    let folder = app.surroundings.temp_dir.clone();
    let loop_tasks = app.loop_tasks();
    // Writing a long history takes a while.
    app.tasks.spawn_blocking(move || {
        let written = write(&session, &folder, &name);
        let _ = loop_tasks.send(Box::new(move |app| match written {
            Ok(file) => editor::open(app, file, true),
            Err(error) => app.toast(Sign::Failed, format!("the history can't be written: {error}")),
        }));
    });
}

/// A part of a file's name. A coordinator may call its sessions anything.
fn plain_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

fn write(session: &SessionHandle, folder: &std::path::Path, name: &str) -> io::Result<PathBuf> {
    let text = session.history_text().map_err(io::Error::other)?;
    let mut bytes = [0; 4];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    let file = folder.join(format!("patterm-{}-{:08x}.txt", plain_name(name), u32::from_ne_bytes(bytes)));
    // A new file, readable only by us: somebody else may have created one of this name.
    let mut opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file)?;
    opened.write_all(text.as_bytes())?;
    Ok(file)
}
