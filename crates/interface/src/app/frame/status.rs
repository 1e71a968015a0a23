//! The status line: who drives at the left, where one is and how to get on at the right.

use std::{
    ops::Range,
    time::{Duration, Instant},
};

use engine::Owner;
use tui::{
    Canvas, Rect, Sign, SkinRole, Span,
    widgets::{StyledLine, draw_status_line},
};
use vt::Position;

use crate::app::{
    attention, commands,
    model::{InterfaceState, KeyboardFocus},
    recordings,
};
use crate::spelled::spelled;

/// Characters of what a program says of itself.
const MAX_SAID: usize = 60;

/// How long, in two or three characters.
pub(crate) fn ago(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3600 => format!("{}m", seconds / 60),
        seconds @ 3600..86_400 => format!("{}h", seconds / 3600),
        seconds => format!("{}d", seconds / 86_400),
    }
}

/// How long, for what is always in sight: nothing in the first minute, so that nothing moves by the second.
pub(crate) fn minutes(duration: Duration) -> String {
    if duration < Duration::from_secs(60) { String::new() } else { ago(duration) }
}

/// `ctrl+k` as people write it: `Ctrl-K`.
pub(crate) fn key_name(keys: &str) -> String {
    let key = |key: &str| {
        let parts: Vec<&str> = key.split('+').filter(|part| !part.is_empty()).collect();
        let modified = parts.len() > 1;
        let part = |part: &&str| {
            let mut letters = part.chars();
            match letters.next() {
                Some(first) if modified || part.chars().count() > 1 => {
                    first.to_uppercase().collect::<String>() + letters.as_str()
                }
                _ => (*part).to_owned(),
            }
        };
        parts.iter().map(part).collect::<Vec<_>>().join("-")
    };
    keys.split_whitespace().map(key).collect::<Vec<_>>().join(" ")
}

/// What the status line says at both ends, and where it says how much waits for the person.
struct StatusParts {
    left: StyledLine,
    right: StyledLine,
    waiting: Option<Range<u16>>,
}

pub(super) fn draw(canvas: &mut Canvas, area: Rect, app: &InterfaceState) {
    let StatusParts { left, right, .. } = parts(app, area.cols);
    draw_status_line(canvas, area, &left, &right, &app.skin);
}

/// Whether the count of what waits for the person is at a place of the status line.
pub(crate) fn is_on_waiting(app: &InterfaceState, area: Rect, at: Position) -> bool {
    let col = area.contains(at).then(|| at.col - area.col);
    col.zip(parts(app, area.cols).waiting).is_some_and(|(col, waiting)| waiting.contains(&col))
}

fn parts(app: &InterfaceState, cols: u16) -> StatusParts {
    let skin = &app.skin;
    let (muted, key) = (skin.style(SkinRole::Muted), skin.style(SkinRole::KeyName));
    let left = who_drives(app);
    let about = in_sight(app);
    let mut waiting = waiting_mark(app);
    let palette = key_name(&app.keymap.keys_of(commands::PALETTE).unwrap_or_default());
    let mut hint = match app.pass_through {
        // Its key goes to the program meanwhile.
        Some(_) => vec![Span::new(format!("{palette} three times"), key), Span::new(" ends pass-through ", muted)],
        None => vec![Span::new(palette, key), Span::new(" commands ", muted)],
    };
    let line_cols = |line: &StyledLine| line.iter().map(Span::cols).sum::<usize>();
    let room = usize::from(cols);
    // What is in sight can be seen: it goes first. Then the words beside the keys, then who drives.
    let needed = line_cols(&waiting) + line_cols(&hint);
    let about = if line_cols(&left) + line_cols(&about) + needed > room { Vec::new() } else { about };
    if needed > room {
        waiting.truncate(1);
        hint.truncate(1);
    }
    let end = room.saturating_sub(line_cols(&hint));
    let start = end.saturating_sub(line_cols(&waiting));
    let place = (!waiting.is_empty()).then_some(start as u16..end as u16);
    StatusParts { left, right: [about, waiting, hint].concat(), waiting: place }
}

/// How much waits for the person, and the key that shows it; nothing where nothing does.
pub(crate) fn waiting_mark(app: &InterfaceState) -> StyledLine {
    let (skin, count) = (&app.skin, attention::count(app));
    let mut waiting: StyledLine = Vec::new();
    if count > 0 {
        let style = skin.sign_style(Sign::Blocked);
        waiting.push(Span::new(format!(" {} {count} ", skin.glyphs.sign(Sign::Blocked)), style));
        if let Some(keys) = app.keymap.keys_of(commands::WAITING) {
            waiting.push(Span::new(format!("{}  ", key_name(&keys)), skin.style(SkinRole::KeyName)));
        }
    }
    waiting
}

/// Who drives the session in sight, and what else holds for it.
fn who_drives(app: &InterfaceState) -> StyledLine {
    let skin = &app.skin;
    let (muted, accent) = (skin.style(SkinRole::Muted), skin.style(SkinRole::Accent));
    let mut left: StyledLine = Vec::new();
    if let Some(item) = app.sessions.focused() {
        let (sign, text, style) = match (item.has_ended(), item.owner) {
            (true, _) => (item.sign(), ended(item), muted),
            (false, Owner::Orchestrator) => (Sign::Working, "orchestrator driving".to_owned(), accent),
            (false, Owner::User) => (Sign::Running, "you have control".to_owned(), muted),
        };
        left.push(Span::new(format!(" {} ", skin.glyphs.sign(sign)), skin.sign_style(sign)));
        left.push(Span::new(text, style));
    }
    if recordings::is_on(app) {
        left.push(Span::new(format!("  {} REC", skin.glyphs.sign(Sign::Working)), skin.style(SkinRole::Bad)));
    }
    if app.pass_through.is_some() {
        left.push(Span::new("  all keys go to the program", skin.style(SkinRole::Warning)));
    }
    for note in &app.notes {
        left.push(Span::new(format!("  {note}"), muted));
    }
    left
}

/// What is being typed, or else what is in sight.
fn in_sight(app: &InterfaceState) -> StyledLine {
    let skin = &app.skin;
    let muted = skin.style(SkinRole::Muted);
    let mut about: StyledLine = Vec::new();
    let pending = app.sequence.pending();
    if !pending.is_empty() {
        let typed: Vec<String> = pending.iter().map(ToString::to_string).collect();
        about.push(Span::new(format!("{}…  ", key_name(&typed.join(" "))), skin.style(SkinRole::Accent)));
    } else if app.focus() == KeyboardFocus::Rail {
        about.push(Span::new("↑ ↓ Enter  Esc back  ", muted));
    }
    if let Some(item) = app.sessions.focused() {
        let since = minutes(Instant::now().saturating_duration_since(item.since()));
        let gap = if since.is_empty() { "" } else { " " };
        about.push(Span::new(format!("{} ", item.name), skin.style(SkinRole::Text)));
        about.push(Span::new(format!("{}{gap}{since}  ", item.word()), muted));
        if let Some(mode) = item.mode() {
            about.push(Span::new(format!("{mode}  "), skin.style(SkinRole::Warning)));
        }
        match item.waiting_prompts() {
            Some((1, _)) => about.push(Span::new("1 prompt waits  ", muted)),
            Some((count, _)) => about.push(Span::new(format!("{count} prompts wait  "), muted)),
            None => {}
        }
        if let Some(said) = item.leading_report().and_then(|record| record.msg.as_ref()) {
            about.push(Span::new(format!("{}  ", said.chars().take(MAX_SAID).collect::<String>()), muted));
        }
    }
    about
}

fn ended(item: &crate::app::sessions::SessionItem) -> String {
    if item.waits() {
        let command: Vec<String> =
            item.session.info().argv.iter().map(|word| spelled(&word.to_string_lossy())).collect();
        return format!("Enter runs: {}", command.join(" ").chars().take(MAX_SAID).collect::<String>());
    }
    format!("{} · Enter closes it", item.word())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_keys_are_short() {
        let shown = |seconds| ago(Duration::from_secs(seconds));
        assert_eq!([shown(0), shown(59), shown(60), shown(7199), shown(90_000)], ["0s", "59s", "1m", "1h", "1d"]);
        assert_eq!(minutes(Duration::from_secs(59)), "");
        assert_eq!(minutes(Duration::from_secs(61)), "1m");
        assert_eq!(key_name("ctrl+k"), "Ctrl-K");
        assert_eq!(key_name("ctrl+k g"), "Ctrl-K g");
        assert_eq!(key_name("f5"), "F5");
    }
}
