//! What there is to see before anything was started.

use tui::{
    Canvas, Rect, SkinRole, Span,
    widgets::{cut, wrap_spans},
};

use super::status::key_name;
use crate::app::{commands, model::InterfaceState, scratchpads};

/// Where we are.
fn place(app: &InterfaceState) -> String {
    match &app.project {
        Some(project) => project.project_dir().display().to_string(),
        None => "no session is shown".to_owned(),
    }
}

pub(super) fn draw(canvas: &mut Canvas, area: Rect, app: &InterfaceState) {
    let plain = app.skin.style(SkinRole::Text);
    let (muted, key) = (app.skin.style(SkinRole::Muted), app.skin.style(SkinRole::KeyName));
    let palette = app.keymap.keys_of(commands::PALETTE).unwrap_or_default();
    let shown = key_name(&palette);
    let mut lines: Vec<Vec<Span<'_>>> = vec![
        vec![Span::new(app.program(), app.skin.style(SkinRole::Heading))],
        vec![Span::new(place(app), muted)],
        vec![],
    ];
    // Whole words where the line has no room.
    let (shown, does) = match app.attach {
        Some(_) => (key_name(&app.keymap.keys_of("open-remote").unwrap_or_default()), " to choose a session"),
        None => (shown, " to spawn an agent or process"),
    };
    let hint = [Span::new("Press ", plain), Span::new(shown, key), Span::new(does, plain)];
    lines.extend(wrap_spans(&hint, usize::from(area.cols), 0));
    lines.push(vec![Span::new("Ctrl-D quits", muted)]);
    let pads = scratchpads::names(app);
    if !pads.is_empty() {
        let text = cut(&format!("Scratchpads: {}", pads.join(", ")), usize::from(area.cols), app.skin.glyphs.more());
        lines.push(vec![]);
        lines.push(vec![Span::new(text, muted)]);
    }
    if app.first_run {
        let keys = match app.keymap.keys_of(commands::WAITING) {
            Some(waiting) => format!("{} lists what needs you; all other keys go to the program.", key_name(&waiting)),
            None => "All other keys go to the program you look at.".to_owned(),
        };
        let hints = [
            "Everything is in that list: type a few letters, Enter.",
            &keys,
            "Agents you spawn can spawn and drive others; you see them in the tree.",
        ];
        lines.push(Vec::new());
        let wrapped = |hint: &&str| wrap_spans(&[Span::new(*hint, muted)], usize::from(area.cols), 0);
        lines.extend(hints.iter().flat_map(wrapped));
    }
    if app.covered {
        // Half of a text around a box is harder to read than none.
        lines.clear();
    }
    let top = area.rows.saturating_sub(lines.len() as u16) / 2;
    for row in 0..area.rows {
        let line = row.checked_sub(top).and_then(|index| lines.get(usize::from(index)));
        let Some(line) = line else {
            canvas.draw_line(area, row, &[], plain);
            continue;
        };
        let cols: usize = line.iter().map(Span::cols).sum();
        let indent = usize::from(area.cols).saturating_sub(cols) / 2;
        let mut spans = vec![Span::new(" ".repeat(indent), plain)];
        spans.extend(line.iter().cloned());
        canvas.draw_line(area, row, &spans, plain);
    }
}
