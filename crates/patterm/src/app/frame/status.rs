//! The status line: who drives at the left, where one is and how to get on at the right.

use std::time::{Duration, Instant};

use engine::Owner;
use tui::{Canvas, Rect, Role, Sign, Span, widgets::draw_status_line};

use crate::app::{
    commands,
    model::{App, Focus},
    recordings,
};

/// How long, in two or three characters.
pub(crate) fn ago(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3600 => format!("{}m", seconds / 60),
        seconds @ 3600..86_400 => format!("{}h", seconds / 3600),
        seconds => format!("{}d", seconds / 86_400),
    }
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

pub(super) fn draw(canvas: &mut Canvas, area: Rect, app: &App) {
    let skin = &app.skin;
    let (muted, accent) = (skin.style(Role::Muted), skin.style(Role::Accent));
    let mut left: Vec<Span<'_>> = Vec::new();
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
        left.push(Span::new(format!("  {} REC", skin.glyphs.sign(Sign::Working)), skin.style(Role::Bad)));
    }
    if app.pass_through.is_some() {
        left.push(Span::new("  keys pass through", skin.style(Role::Warning)));
    }
    for note in &app.notes {
        left.push(Span::new(format!("  {note}"), muted));
    }
    let mut right: Vec<Span<'_>> = Vec::new();
    let pending = app.sequence.pending();
    if !pending.is_empty() {
        let typed: Vec<String> = pending.iter().map(ToString::to_string).collect();
        right.push(Span::new(format!("{}…  ", key_name(&typed.join(" "))), accent));
    } else if app.focus() == Focus::Rail {
        right.push(Span::new("↑ ↓ Enter  Esc back  ", muted));
    }
    if let Some(item) = app.sessions.focused() {
        let since = ago(Instant::now().saturating_duration_since(item.since()));
        right.push(Span::new(format!("{} ", item.name), skin.style(Role::Text)));
        right.push(Span::new(format!("{} {since}  ", item.word()), muted));
    }
    let palette = app.keymap.keys_of(commands::PALETTE).unwrap_or_default();
    right.push(Span::new(key_name(&palette), skin.style(Role::KeyName)));
    right.push(Span::new(" commands ", muted));
    // The hint is the first to go where there is no room.
    let cols: usize = left.iter().chain(&right).map(Span::cols).sum();
    if cols > usize::from(area.cols) && right.len() > 2 {
        right.drain(..right.len() - 2);
    }
    draw_status_line(canvas, area, &left, &right, skin);
}

fn ended(item: &crate::app::sessions::Item) -> String {
    format!("{} · Enter closes it", item.word())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_keys_are_short() {
        let shown = |seconds| ago(Duration::from_secs(seconds));
        assert_eq!([shown(0), shown(59), shown(60), shown(7199), shown(90_000)], ["0s", "59s", "1m", "1h", "1d"]);
        assert_eq!(key_name("ctrl+k"), "Ctrl-K");
        assert_eq!(key_name("ctrl+k g"), "Ctrl-K g");
        assert_eq!(key_name("f5"), "F5");
    }
}
