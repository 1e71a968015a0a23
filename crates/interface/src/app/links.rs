//! Opens the link under the pointer: with the desktop's opener, else by putting it on the clipboard.

use std::process::Stdio;

use tui::{Rect, Sign};
use vt::Position;

use super::{frame, look_back, model::InterfaceState, sources::SessionHandle};

const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// Opens what is linked at `at`, a place of the screen; false if nothing is.
pub(super) fn open_at(app: &mut InterfaceState, session: &SessionHandle, pane: Rect, at: Position) -> bool {
    let screen = session.frame();
    let offset = frame::offset_in(session, &screen, pane);
    let inside = Position { row: at.row - pane.row + offset.row, col: at.col - pane.col + offset.col };
    let Some(link) = crate::links::link_at(&screen, inside) else { return false };
    open(app, link);
    true
}

fn open(app: &mut InterfaceState, link: String) {
    let loop_tasks = app.loop_tasks();
    // Where it really goes: its text may say something else.
    app.toast(Sign::Idle, format!("opening {link}"));
    app.tasks.spawn(async move {
        let mut opener = tokio::process::Command::new(OPENER);
        opener.arg(&link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let opened = opener.status().await.is_ok_and(|status| status.success());
        if !opened {
            let _ = loop_tasks.send(Box::new(move |app: &mut InterfaceState| {
                app.toast(Sign::Failed, format!("{OPENER} opens no links here: copied instead"));
                look_back::copy(app, link);
            }));
        }
    });
}
