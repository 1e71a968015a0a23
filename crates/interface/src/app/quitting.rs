//! Quitting: asks first if sessions still run, and lists them.

use tui::{
    SkinRole, Span,
    widgets::{Modal, StyledLine},
};

use super::{model::InterfaceState, question, sessions::SessionItem};

/// How many sessions are listed by name; the rest are counted.
const MAX_LISTED: usize = 20;

/// The person wants to quit.
pub(super) fn ask(app: &mut InterfaceState) {
    if own_running(app).next().is_none() {
        app.done = true;
        return;
    }
    let running = own_running(app).count();
    let label = if running == 1 { "end it and quit" } else { "end them and quit" };
    let modal = Modal::new("Quit patterm?", body(app)).answer('q', label).answer('c', "cancel");
    question::ask(app, modal, 0, |app| app.done = true);
}

/// The sessions that end with us; those of coordinators don't.
fn own_running(app: &InterfaceState) -> impl Iterator<Item = &SessionItem> {
    app.sessions.items().iter().filter(|item| item.remote.is_none() && !item.has_ended())
}

fn body(app: &InterfaceState) -> Vec<StyledLine> {
    let live: Vec<&SessionItem> = own_running(app).collect();
    let mut lines = running_list(app, &live, "");
    lines.push(vec![]);
    lines.push(vec![Span::new("Scratchpads stay.", app.skin.style(SkinRole::Muted))]);
    lines
}

/// The sessions that would be ended: the count, and the names. `whose` says which ones they are.
pub(super) fn running_list(app: &InterfaceState, live: &[&SessionItem], whose: &str) -> Vec<StyledLine> {
    let (plain, muted) = (app.skin.style(SkinRole::Modal), app.skin.style(SkinRole::Muted));
    let whose = if whose.is_empty() { String::new() } else { format!(" {whose}") };
    let count = match live.len() {
        1 => format!("1 session{whose} is still running and will be ended:"),
        count => format!("{count} sessions{whose} are still running and will be ended:"),
    };
    let mut lines = vec![vec![Span::new(count, plain)], vec![]];
    for item in live.iter().take(MAX_LISTED) {
        let sign = item.sign();
        lines.push(vec![
            Span::new(format!("{}{} ", "  ".repeat(item.depth), app.skin.glyphs.sign(sign)), app.skin.sign_style(sign)),
            Span::new(item.name.clone(), plain),
            Span::new(format!("  {}", item.word()), muted),
        ]);
    }
    if live.len() > MAX_LISTED {
        lines.push(vec![Span::new(format!("and {} more", live.len() - MAX_LISTED), muted)]);
    }
    lines
}
