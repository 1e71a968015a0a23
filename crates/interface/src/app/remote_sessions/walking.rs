//! Walking through the sessions of all coordinators: to the next one, the one before, and the next one that has printed
//! since it was shown here.

use engine::SessionId;
use fleet::{Coordinator, SessionRef};
use grpc::{
    client::CoordinatorClient,
    proto::{ListRequest, Session},
};
use tui::Sign;

use super::{OpenedSession, opening, reports::in_loop};
use crate::{
    app::{model::InterfaceState, sources::SourceSession},
    layout::PaneTree,
};

/// Shows the session so many places further in the list of all sessions.
pub(in crate::app) fn beside(app: &mut InterfaceState, by: isize) {
    let current = current(app);
    match app.remote.roster.beside(current.as_ref(), by) {
        Some(next) if Some(&next) != current.as_ref() => walk_to(app, &next),
        _ => app.toast(Sign::Idle, "there is no other session"),
    }
}

/// Shows the next session that has printed since it was shown here. Lists name no versions of screens that change all
/// the time, so the coordinators are asked.
pub(in crate::app) fn unseen(app: &mut InterfaceState) {
    let asked = app.remote.roster.members().iter().enumerate();
    let asked: Vec<(usize, Coordinator, CoordinatorClient)> =
        asked.filter_map(|(place, member)| Some((place, member.coordinator.clone(), member.client.clone()?))).collect();
    let loop_tasks = app.loop_tasks();
    app.tasks.spawn(async move {
        let mut all = Vec::new();
        for (place, coordinator, client) in asked {
            let mut vtr = client.vtr();
            let answer = tokio::time::timeout(coordinator.timeout, vtr.list(ListRequest::default())).await;
            // One that does not answer has nothing new to show.
            if let Ok(Ok(answer)) = answer {
                all.extend(answer.into_inner().sessions.into_iter().map(|session| (place, session)));
            }
        }
        in_loop(&loop_tasks, move |app| show_unseen(app, &all)).await;
    });
}

fn show_unseen(app: &mut InterfaceState, all: &[(usize, Session)]) {
    let shown: Vec<(SessionRef, u64)> =
        app.remote.opened.iter().map(|opened| (opened.reference(), opened.session.seen_version())).collect();
    for (session, version) in shown {
        app.remote.roster.saw(&session, version);
    }
    match app.remote.roster.unseen(current(app).as_ref(), all) {
        Some(next) => walk_to(app, &next),
        None => app.toast(Sign::Idle, "no session has new output"),
    }
}

/// The session in sight, if it is a coordinator's.
pub(super) fn current(app: &InterfaceState) -> Option<SessionRef> {
    let id = app.session_id()?;
    app.remote.opened.iter().find(|opened| opened.session.id() == id).map(OpenedSession::reference)
}

/// Shows a session. One that was only walked past is closed here again, or walking would leave a tab for each.
fn walk_to(app: &mut InterfaceState, wanted: &SessionRef) {
    let known = app.remote.opened_as(wanted).is_some();
    let Some(next) = opening::attached(app, wanted) else { return };
    let left = app.session_id().filter(|left| app.remote.walked_to == Some(*left) && is_alone(app));
    app.show(next);
    if let Some(left) = left {
        opening::forget(app, left);
    }
    if left.is_some() || !known {
        app.remote.walked_to = (!known).then_some(next);
    }
}

/// Whether the session in sight is all there is in its tab.
fn is_alone(app: &InterfaceState) -> bool {
    app.sessions.panes().is_some_and(PaneTree::is_single)
}

/// The person does something with a session that was walked to: it stays.
pub(in crate::app) fn keep(app: &mut InterfaceState, id: SessionId) {
    app.remote.walked_to = app.remote.walked_to.filter(|walked_to| *walked_to != id);
}
