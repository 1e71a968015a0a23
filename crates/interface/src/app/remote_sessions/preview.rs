//! The session under the picker's cursor, shown beside the list: attached to only to read, and not in the tabs.

use std::sync::Arc;

use engine::{Pulse, SessionId};
use fleet::SessionRef;
use tokio::sync::{mpsc, watch};
use vt::Size;

use super::{opening::attach, reports::in_loop};
use crate::app::{
    model::{InterfaceState, LoopTask},
    sources::{AttachManner, RemoteSession, SourceSession},
};

/// Dropping it ends the attachment.
#[derive(Debug, Default)]
pub(super) struct SessionPreview {
    /// What previews are known by, one after the other.
    id: Option<SessionId>,
    session: Option<Arc<RemoteSession>>,
}

impl SessionPreview {
    pub(super) fn session(&self) -> Option<&Arc<RemoteSession>> {
        self.session.as_ref()
    }
}

/// Shows this session beside the list, or none.
pub(super) fn show(app: &mut InterfaceState, wanted: Option<&SessionRef>, size: Size) {
    app.remote.preview.session = None;
    app.dirty = true;
    let Some(wanted) = wanted else { return };
    let id = app.remote.preview.id.unwrap_or_else(|| app.foreign_id());
    app.remote.preview.id = Some(id);
    let manner = AttachManner { read_only: true, no_resize: true };
    let Some(session) = attach(app, id, wanted, size, manner) else { return };
    app.tasks.spawn(draw_what_it_prints(session.pulse(), app.loop_tasks()));
    app.remote.preview.session = Some(session);
}

/// Nothing else wakes the loop for a session that is not in sight of a pane. It ends with the session.
async fn draw_what_it_prints(mut pulse: watch::Receiver<Pulse>, loop_tasks: mpsc::UnboundedSender<LoopTask>) {
    while pulse.changed().await.is_ok() && in_loop(&loop_tasks, |app| app.dirty = true).await {}
}

/// The screen was drawn, and with it the preview: its coordinator may send the next frame.
pub(in crate::app) fn drawn(app: &InterfaceState) {
    if let Some(session) = app.remote.preview.session() {
        session.drawn();
    }
}
