//! What coordinators and their sessions report, handled in the loop.

use engine::SessionId;
use fleet::{RosterEvent, RosterReport};
use grpc::proto::watch_sessions_event::Event;
use program::printable;
use tokio::sync::{mpsc, oneshot};
use tui::Sign;

use super::WAITING_EVENTS;
use crate::app::{
    attach_mode,
    model::{InterfaceState, LoopTask},
    sources::{RemoteEvent, RemoteNews, SourceSession},
};

/// Passes on what coordinators report. What comes meanwhile waits, and is handled together.
pub(super) async fn report(mut heard: mpsc::Receiver<RemoteEvent>, loop_tasks: mpsc::UnboundedSender<LoopTask>) {
    let mut events = Vec::new();
    while heard.recv_many(&mut events, WAITING_EVENTS).await > 0 {
        let events = std::mem::take(&mut events);
        let handle = |app: &mut InterfaceState| {
            for event in events {
                match event {
                    RemoteEvent::Roster(report) => roster_changed(app, report),
                    RemoteEvent::Session(id, news) => told(app, id, news),
                }
            }
        };
        if !in_loop(&loop_tasks, handle).await {
            return;
        }
    }
}

/// Does this in the loop, and waits until it is done: a coordinator that talks all the time must not fill the memory,
/// nor keep the loop from everything else. False after the end of the loop.
pub(super) async fn in_loop(
    loop_tasks: &mpsc::UnboundedSender<LoopTask>,
    act: impl FnOnce(&mut InterfaceState) + Send + 'static,
) -> bool {
    let (done, handled) = oneshot::channel();
    let sent = loop_tasks.send(Box::new(move |app: &mut InterfaceState| {
        act(app);
        // The task that waits may have ended with the program.
        let _ = done.send(());
    }));
    sent.is_ok() && handled.await.is_ok()
}

/// A coordinator's list has changed, or the coordinator came or went.
fn roster_changed(app: &mut InterfaceState, report: RosterReport) {
    let RosterReport { place, event } = report;
    // What is opened again runs with the other tasks.
    let tasks = app.tasks.clone();
    let _entered = tasks.enter();
    let opened = app.remote.opened.iter().filter(|opened| opened.place == place).map(|opened| &opened.session);
    let mut news = Vec::new();
    for session in opened {
        let told = match &event {
            RosterEvent::Here(client) => {
                session.reached(Some((**client).clone()));
                None
            }
            RosterEvent::Silent(_) => {
                session.reached(None);
                None
            }
            RosterEvent::Change(change) => match &change.event {
                Some(Event::Snapshot(list)) => match list.sessions.iter().find(|listed| session.is_there(&listed.id)) {
                    Some(listed) => Some(session.listed(listed)),
                    None => session.not_listed(),
                },
                Some(Event::Added(listed) | Event::Changed(listed)) => {
                    session.is_there(&listed.id).then(|| session.listed(listed))
                }
                Some(Event::Removed(removed)) => session.is_there(&removed.id).then(|| session.removed()).flatten(),
                None => None,
            },
        };
        news.extend(told.map(|told| (session.id(), told)));
    }
    app.remote.roster.apply(place, event);
    app.remote.revision += 1;
    for (id, news) in news {
        told(app, id, news);
    }
    app.dirty = true;
    attach_mode::end_if_nobody_answers(app);
}

/// Something has become of an opened session.
pub(super) fn told(app: &mut InterfaceState, id: SessionId, news: RemoteNews) {
    let Some(session) = app.remote.find(id) else { return };
    let address = session.address();
    let coordinator = printable(&session.coordinator().name);
    (app.stale, app.dirty) = (true, true);
    match news {
        RemoteNews::Changed => {}
        RemoteNews::Lost { why, typed_for } => {
            let typed =
                typed_for.map_or_else(String::new, |secs| format!(" What was typed in the last {secs} s may be lost."));
            app.toast(Sign::Failed, format!("{coordinator}: {why}. Trying again…{typed}"));
        }
        RemoteNews::Back => app.toast(Sign::Running, format!("{address}: connected again")),
        RemoteNews::Gone(why) => app.toast(Sign::Failed, format!("{address} is gone: {why}")),
        RemoteNews::Silent => {
            let text = format!("{coordinator} does not answer: input is queued for it, and lost if it ends");
            app.toast(Sign::Failed, text);
        }
        RemoteNews::Refused(why) => app.toast(Sign::Failed, format!("{address}: {why}")),
    }
}
