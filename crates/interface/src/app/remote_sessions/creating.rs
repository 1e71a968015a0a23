//! Starting a session at a coordinator: where, if there are several, and under which name.

use fleet::refusal;
use grpc::proto::{Session, SpawnRequest};
use tui::Sign;
use vt::Size;

use super::{beginning, looked, reports::in_loop, walking};
use crate::app::{
    line_prompt,
    model::InterfaceState,
    palette::{Palette, PaletteEntry},
    sources::{CHANGES_ARE_OFF, CoordinatorWay, clean_name, clean_text},
};

/// Asks where to start a session, the coordinator of the session in sight first.
pub(super) fn ask(app: &mut InterfaceState) {
    if app.remote.manner.read_only {
        return app.toast(Sign::Blocked, CHANGES_ARE_OFF);
    }
    if !looked(app) {
        return;
    }
    let members = app.remote.roster.members();
    if members.len() < 2 {
        return ask_for_name(app, 0, "");
    }
    let here = walking::current(app).map(|session| session.coordinator);
    let mut places: Vec<usize> = (0..members.len()).collect();
    places.sort_by_key(|place| Some(*place) != here);
    let entry = |place: usize| {
        let member = &members[place];
        let silent = if member.silence.is_some() { "does not answer" } else { "" };
        let name = clean_name(&member.coordinator.name);
        PaletteEntry::new(format!("remote/{place}"), name, move |app| ask_for_name(app, place, "")).detail(silent)
    };
    let entries = places.into_iter().map(entry).collect();
    app.open(Palette::new("start a session on", entries));
}

fn ask_for_name(app: &mut InterfaceState, place: usize, text: &str) {
    let Some(member) = app.remote.roster.member(place) else { return };
    let coordinator = clean_name(&member.coordinator.name);
    let title = format!("Start a session on {coordinator}: its name, or none");
    line_prompt::ask(app, title, text, move |app, name| {
        start(app, place, name.to_owned());
        Ok(())
    });
}

/// Starts the login shell there. A refused name can be corrected.
fn start(app: &mut InterfaceState, place: usize, name: String) {
    let Some(member) = app.remote.roster.member(place) else { return };
    let way = CoordinatorWay { coordinator: member.coordinator.clone(), client: member.client.clone() };
    let coordinator = member.coordinator.clone();
    let (size, loop_tasks) = (app.places().panes.size(), app.loop_tasks());
    app.tasks.spawn(async move {
        let started = tokio::time::timeout(way.coordinator.timeout, spawn(way, name.clone(), size)).await;
        let started = started.unwrap_or_else(|_| Err("no answer in time".to_owned()));
        let then = move |app: &mut InterfaceState| match started {
            Ok(session) => beginning::show(app, &coordinator, &session),
            Err(why) => {
                app.toast(Sign::Failed, why);
                ask_for_name(app, place, &name);
            }
        };
        in_loop(&loop_tasks, then).await;
    });
}

async fn spawn(way: CoordinatorWay, name: String, size: Size) -> Result<Session, String> {
    let coordinator = way.coordinator.clone();
    let client = way.reach().await?;
    let request = SpawnRequest { name, cols: size.cols.into(), rows: size.rows.into(), ..SpawnRequest::default() };
    let answer = client.vtr().spawn(request).await;
    let refused = |status| clean_text(&refusal::failure(&status, &coordinator).message);
    Ok(answer.map_err(refused)?.into_inner().session.unwrap_or_default())
}
