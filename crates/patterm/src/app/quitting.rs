//! Leaving: asks first when sessions still run, and says which.

use tui::{
    Role, Span,
    widgets::{Modal, StyledLine},
};

use super::{model::App, question};

/// Sessions that are listed by name; the rest are counted.
const MAX_LISTED: usize = 20;

/// The person wants to leave.
pub(super) fn ask(app: &mut App) {
    if app.sessions.items().iter().all(super::sessions::Item::has_ended) {
        app.done = true;
        return;
    }
    let modal = Modal::new("Quit patterm?", body(app)).answer('q', "end them and quit").answer('c', "cancel");
    question::ask(app, modal, 0, |app| app.done = true);
}

fn body(app: &App) -> Vec<StyledLine> {
    let (plain, muted) = (app.skin.style(Role::Modal), app.skin.style(Role::Muted));
    let live: Vec<&super::sessions::Item> = app.sessions.items().iter().filter(|item| !item.has_ended()).collect();
    let count = match live.len() {
        1 => "One session still runs:".to_owned(),
        count => format!("{count} sessions still run:"),
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
    lines.push(vec![]);
    lines.push(vec![Span::new("They end with patterm. Scratchpads stay.", muted)]);
    lines
}
