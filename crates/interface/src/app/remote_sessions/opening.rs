//! Sessions of coordinators: opened here, closed here, and shown in place of others.

use std::sync::Arc;

use engine::SessionId;
use fleet::SessionRef;
use grpc::proto;
use tui::Sign;
use vt::Size;

use super::{OpenedSession, reports::told};
use crate::app::{
    model::InterfaceState,
    sources::{AttachManner, CoordinatorWay, RemoteSession, SourceSession},
};

/// Shows a session of a coordinator, in a tab of its own if it is not shown yet.
pub(in crate::app) fn open(app: &mut InterfaceState, wanted: &SessionRef) {
    if let Some(id) = attached(app, wanted) {
        app.show(id);
    }
}

/// Attaches to a session of a coordinator, unless that was done before; `None` if it is gone, which is said.
pub(super) fn attached(app: &mut InterfaceState, wanted: &SessionRef) -> Option<SessionId> {
    if let Some(opened) = app.remote.opened_as(wanted) {
        return Some(opened.session.id());
    }
    let id = app.foreign_id();
    let (size, manner) = (app.places().panes.size(), app.remote.manner);
    let Some(session) = attach(app, id, wanted, size, manner) else {
        app.toast(Sign::Failed, "the session is gone");
        return None;
    };
    app.remote.opened.push(OpenedSession { place: wanted.coordinator, session });
    app.refresh();
    Some(id)
}

/// An attachment to a session in a coordinator's list.
pub(super) fn attach(
    app: &InterfaceState,
    id: SessionId,
    wanted: &SessionRef,
    size: Size,
    manner: AttachManner,
) -> Option<Arc<RemoteSession>> {
    let (member, session) = app.remote.roster.member(wanted.coordinator).zip(app.remote.roster.find(wanted))?;
    let way = CoordinatorWay { coordinator: member.coordinator.clone(), client: member.client.clone() };
    // Its tasks run with the other tasks, not in our loop.
    let _entered = app.tasks.enter();
    Some(RemoteSession::open(id, way, session, size, manner, app.remote.events.clone()))
}

/// Closes a coordinator's session here, whatever operation would end one of our own; false if it is our own.
pub(in crate::app) fn close(app: &mut InterfaceState, operation: &str, id: SessionId) -> bool {
    let Some(session) = app.remote.find(id).filter(|_| operation == "close_process") else { return false };
    let (address, ended) = (session.address(), session.status().has_ended());
    forget(app, id);
    if !ended {
        app.toast(Sign::Idle, format!("{address} goes on there, and is not shown here any more"));
    }
    true
}

/// Shows a coordinator's session no longer.
pub(super) fn forget(app: &mut InterfaceState, id: SessionId) {
    if let Some(opened) = app.remote.opened.iter().find(|opened| opened.session.id() == id) {
        let (session, version) = (opened.reference(), opened.session.seen_version());
        app.remote.roster.saw(&session, version);
    }
    app.remote.opened.retain(|opened| opened.session.id() != id);
    app.stale = true;
}

/// The session of its coordinator that has the name of one that is gone.
pub(in crate::app) fn namesake(app: &InterfaceState, id: SessionId) -> Option<&proto::Session> {
    let OpenedSession { place, session } = app.remote.opened.iter().find(|opened| opened.session.id() == id)?;
    let name = session.name().filter(|_| session.is_gone())?;
    app.remote.roster.member(*place)?.sessions.iter().find(|session| session.name == name)
}

/// Shows the session that has the name of one that is gone, in its place; false if there is none.
pub(in crate::app) fn show_namesake(app: &mut InterfaceState, id: SessionId) -> bool {
    let Some((session, namesake)) = app.remote.find(id).cloned().zip(namesake(app, id).cloned()) else { return false };
    let tasks = app.tasks.clone();
    let _entered = tasks.enter();
    let news = session.attach_to(&namesake);
    told(app, id, news);
    true
}
