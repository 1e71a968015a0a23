//! What `vtr attach` shows first: a session, or the choice of one.

use fleet::Coordinator;
use grpc::proto::Session;

use super::{OpenedSession, choose, watch};
use crate::app::{
    attach_mode::AttachWishes,
    model::InterfaceState,
    sources::{AttachManner, CoordinatorWay, RemoteSession},
};

pub(in crate::app) fn begin(app: &mut InterfaceState, asked: AttachWishes) {
    app.remote.socket = asked.socket;
    app.remote.manner = AttachManner { read_only: asked.read_only, no_resize: asked.no_resize };
    watch(app, &asked.known, &asked.clients);
    match &asked.session {
        Some((coordinator, session)) => show(app, coordinator, session),
        None => choose(app),
    }
}

/// Shows a session that no list has named yet.
pub(super) fn show(app: &mut InterfaceState, coordinator: &Coordinator, session: &Session) {
    watch(app, std::slice::from_ref(coordinator), &[]);
    let place = app.remote.roster.place_of(coordinator).expect("it is watched");
    let client = app.remote.roster.member(place).and_then(|member| member.client.clone());
    let way = CoordinatorWay { coordinator: coordinator.clone(), client };
    let (id, size, manner) = (app.foreign_id(), app.places().panes.size(), app.remote.manner);
    let events = app.remote.events.clone();
    let tasks = app.tasks.clone();
    let _entered = tasks.enter();
    let session = RemoteSession::open(id, way, session, size, manner, events);
    app.remote.opened.push(OpenedSession { place, session });
    app.refresh();
    app.show(id);
}
