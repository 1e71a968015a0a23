//! What each part of the status line says.

use std::time::Instant;

use engine::Owner;
use program::printable;
use project::{GitHead, settings::StatusPart};
use tui::{
    Sign, Skin, SkinRole, Span,
    widgets::{StyledLine, cut_middle},
};

use super::{key_name, line_cols, minutes};
use crate::app::{
    attach_mode, attention, commands,
    model::{InterfaceState, KeyboardFocus},
    recordings, remote_sessions,
    sessions::SessionItem,
    sources::SourceConnection,
};
use crate::{
    spelled::spelled,
    status_line::{PieceWidth, StatusPiece},
};

/// Characters of what a program says of itself.
const MAX_SAID: usize = 60;
/// Columns of a branch, a folder and the like.
const MAX_NAME: usize = 40;

/// One piece as it can be shown.
#[derive(Debug)]
pub(super) struct SaidPiece {
    pub(super) piece: StatusPiece,
    pub(super) full: StyledLine,
    pub(super) short: StyledLine,
}

impl SaidPiece {
    pub(super) fn width(&self) -> PieceWidth {
        PieceWidth { piece: self.piece, full: line_cols(&self.full), short: line_cols(&self.short) }
    }
}

/// What a piece says now; nothing where there is nothing to say.
pub(super) fn said(app: &InterfaceState, piece: StatusPiece) -> SaidPiece {
    let full = match piece {
        StatusPiece::Typing => typing(app),
        StatusPiece::Part(part) => of_part(app, part),
    };
    // The sign or the key alone.
    let is_shorter = matches!(piece, StatusPiece::Part(StatusPart::Keys | StatusPart::Waiting));
    let short = if is_shorter { full.iter().take(1).cloned().collect() } else { full.clone() };
    SaidPiece { piece, full, short }
}

fn of_part(app: &InterfaceState, part: StatusPart) -> StyledLine {
    match part {
        StatusPart::Control => control(app),
        StatusPart::Recording => recording(app),
        StatusPart::Notes => notes(app),
        StatusPart::Session => session(app),
        StatusPart::Project => muted(app, &crate::app::branch::project_name(app)),
        StatusPart::Branch => branch(app),
        StatusPart::Clock => muted(app, &jiff::Zoned::now().strftime("%H:%M").to_string()),
        StatusPart::Counts => counts(app.sessions.items().iter().map(SessionItem::own_sign), &app.skin),
        StatusPart::Size => size(app),
        StatusPart::Folder => folder(app),
        StatusPart::Program => muted(app, app.sessions.focused().map(|item| item.program.as_str()).unwrap_or_default()),
        StatusPart::Waiting => waiting(app),
        StatusPart::Keys => keys(app),
    }
}

/// A text from outside, in a few words.
fn muted(app: &InterfaceState, text: &str) -> StyledLine {
    if text.is_empty() {
        return Vec::new();
    }
    let text = cut_middle(&printable(text), MAX_NAME, app.skin.glyphs.more());
    vec![Span::new(text, app.skin.style(SkinRole::Muted))]
}

/// Who drives the session in sight, or how it stands otherwise.
fn control(app: &InterfaceState) -> StyledLine {
    let skin = &app.skin;
    let (muted, accent) = (skin.style(SkinRole::Muted), skin.style(SkinRole::Accent));
    let mut line: StyledLine = Vec::new();
    if let Some(item) = app.sessions.focused() {
        let (sign, text, style) = match (item.has_ended(), item.owner) {
            _ if item.remote.is_some() => {
                let style = if item.sign() == Sign::Failed { skin.style(SkinRole::Bad) } else { muted };
                (item.sign(), elsewhere(app, item), style)
            }
            (true, _) => (item.sign(), ended(app, item), muted),
            (false, Owner::Orchestrator) => (Sign::Working, "orchestrator driving".to_owned(), accent),
            (false, Owner::User) => (Sign::Running, "you have control".to_owned(), muted),
        };
        line.push(Span::new(format!("{} ", skin.glyphs.sign(sign)), skin.sign_style(sign)));
        line.push(Span::new(text, style));
    }
    if app.remote.manner.read_only {
        line.push(Span::new("  READ ONLY", skin.style(SkinRole::Warning)));
    }
    if app.pass_through.is_some() {
        line.push(Span::new("  all keys go to the program", skin.style(SkinRole::Warning)));
    }
    line
}

fn recording(app: &InterfaceState) -> StyledLine {
    let text = format!("{} REC", app.skin.glyphs.sign(Sign::Working));
    if recordings::is_on(app) { vec![Span::new(text, app.skin.style(SkinRole::Bad))] } else { Vec::new() }
}

fn notes(app: &InterfaceState) -> StyledLine {
    let text = app.notes.join("  ");
    if text.is_empty() { Vec::new() } else { vec![Span::new(text, app.skin.style(SkinRole::Muted))] }
}

/// What is being typed, or else how to leave the rail.
fn typing(app: &InterfaceState) -> StyledLine {
    let skin = &app.skin;
    let pending = app.sequence.pending();
    if !pending.is_empty() {
        let typed: Vec<String> = pending.iter().map(ToString::to_string).collect();
        let mut line = vec![Span::new(format!("{}…", key_name(&typed.join(" "))), skin.style(SkinRole::Accent))];
        line.extend(attach_mode::leader_hints(app));
        line
    } else if app.focus() == KeyboardFocus::Rail {
        vec![Span::new("↑ ↓ Enter  Esc back", skin.style(SkinRole::Muted))]
    } else {
        Vec::new()
    }
}

/// The session that has the keyboard: its state, and what it says of itself.
fn session(app: &InterfaceState) -> StyledLine {
    let skin = &app.skin;
    let muted = skin.style(SkinRole::Muted);
    let Some(item) = app.sessions.focused() else { return Vec::new() };
    let since = minutes(Instant::now().saturating_duration_since(item.since()));
    let state = [item.word(), since].join(" ");
    let mut line = vec![
        Span::new(format!("{} ", item.name), skin.style(SkinRole::Text)),
        Span::new(state.trim_end().to_owned(), muted),
    ];
    if let Some(mode) = item.mode() {
        line.push(Span::new(format!("  {mode}"), skin.style(SkinRole::Warning)));
    }
    match item.waiting_prompts() {
        Some((1, _)) => line.push(Span::new("  1 prompt waits", muted)),
        Some((count, _)) => line.push(Span::new(format!("  {count} prompts wait"), muted)),
        None => {}
    }
    if let Some(said) = item.leading_report().and_then(|record| record.msg.as_ref()) {
        line.push(Span::new(format!("  {}", said.chars().take(MAX_SAID).collect::<String>()), muted));
    }
    line
}

fn branch(app: &InterfaceState) -> StyledLine {
    match app.branch.head() {
        Some(GitHead::Branch(name)) => muted(app, name),
        Some(GitHead::Detached(commit)) => muted(app, &format!("detached {commit}")),
        None => Vec::new(),
    }
}

/// `2 working 1 blocked 3 idle`: the sessions by their states.
fn counts(signs: impl Iterator<Item = Sign>, skin: &Skin) -> StyledLine {
    const WORDS: [(Sign, &str); 8] = [
        (Sign::Working, "working"),
        (Sign::Blocked, "blocked"),
        (Sign::Idle, "idle"),
        (Sign::Running, "running"),
        (Sign::Starting, "starting"),
        (Sign::Unknown, "unknown"),
        (Sign::Failed, "failed"),
        (Sign::Exited, "ended"),
    ];
    let signs: Vec<Sign> = signs.collect();
    let mut line = StyledLine::new();
    for (sign, word) in WORDS {
        let count = signs.iter().filter(|one| **one == sign).count();
        if count > 0 {
            let gap = if line.is_empty() { "" } else { " " };
            let role = if sign == Sign::Blocked { SkinRole::Warning } else { SkinRole::Muted };
            line.push(Span::new(format!("{gap}{count} {word}"), skin.style(role)));
        }
    }
    line
}

/// The size of the session in sight, and whether its pane shows only a part of it.
fn size(app: &InterfaceState) -> StyledLine {
    let Some(session) = app.session() else { return Vec::new() };
    let (size, pane) = (session.frame().size, app.places().pane);
    let cropped = if size.cols > pane.cols || size.rows > pane.rows { " cropped" } else { "" };
    muted(app, &format!("{}x{}{cropped}", size.cols, size.rows))
}

/// Where the session in sight was started.
fn folder(app: &InterfaceState) -> StyledLine {
    let Some(folder) = app.sessions.focused().and_then(|item| item.folder.as_deref()) else { return Vec::new() };
    match folder.strip_prefix(&app.surroundings.home) {
        Ok(below) if below.as_os_str().is_empty() => muted(app, "~"),
        Ok(below) => muted(app, &format!("~/{}", below.to_string_lossy())),
        Err(_) => muted(app, &folder.to_string_lossy()),
    }
}

/// How much waits for the person, and the key that shows it.
pub(super) fn waiting(app: &InterfaceState) -> StyledLine {
    let (skin, count) = (&app.skin, attention::count(app));
    let mut waiting = StyledLine::new();
    if count > 0 {
        let style = skin.sign_style(Sign::Blocked);
        waiting.push(Span::new(format!(" {} {count}", skin.glyphs.sign(Sign::Blocked)), style));
        if let Some(keys) = app.keymap.keys_of(commands::WAITING) {
            waiting.push(Span::new(format!(" {}", key_name(&keys)), skin.style(SkinRole::KeyName)));
        }
    }
    waiting
}

/// The key of the palette.
fn keys(app: &InterfaceState) -> StyledLine {
    let (muted, key) = (app.skin.style(SkinRole::Muted), app.skin.style(SkinRole::KeyName));
    let palette = key_name(&app.keymap.keys_of(commands::PALETTE).unwrap_or_default());
    match app.pass_through {
        // Its key goes to the program meanwhile.
        Some(_) => vec![Span::new(format!("{palette} three times"), key), Span::new(" ends pass-through", muted)],
        None => vec![Span::new(palette, key), Span::new(" commands", muted)],
    }
}

/// How a session of a coordinator stands.
fn elsewhere(app: &InterfaceState, item: &SessionItem) -> String {
    match item.connection() {
        Some(SourceConnection::Lost(why)) => format!("LOST: {why}. Trying again…"),
        Some(SourceConnection::Gone(why)) => match remote_sessions::namesake(app, item.id) {
            Some(_) => "GONE: another session has its name now · Enter shows that one".to_owned(),
            None => format!("GONE: {why} · {}", closing_hint(app)),
        },
        Some(SourceConnection::Silent) => "DOES NOT ANSWER".to_owned(),
        _ if item.has_ended() => ended(app, item),
        _ if app.attach.is_some() => item.name.clone(),
        _ => {
            let coordinator = item.remote.as_ref().map(|remote| remote.coordinator.as_str());
            format!("runs at {}", coordinator.unwrap_or_default())
        }
    }
}

/// What Enter does with a session that has ended.
fn closing_hint(app: &InterfaceState) -> &'static str {
    match attach_mode::only_session(app) {
        Some(_) => "Enter leaves",
        None => "Enter closes it",
    }
}

fn ended(app: &InterfaceState, item: &SessionItem) -> String {
    if item.waits() {
        let command: Vec<String> = item.session.argv().iter().map(|word| spelled(&word.to_string_lossy())).collect();
        return format!("Enter runs: {}", command.join(" ").chars().take(MAX_SAID).collect::<String>());
    }
    format!("{} · {}", item.word(), closing_hint(app))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_counted_by_their_states() {
        let said = |signs: &[Sign]| {
            counts(signs.iter().copied(), &Skin::default()).iter().map(|span| span.text.to_string()).collect::<String>()
        };
        assert_eq!(said(&[]), "");
        assert_eq!(
            said(&[Sign::Idle, Sign::Working, Sign::Idle, Sign::Blocked, Sign::Idle, Sign::Working]),
            "2 working 1 blocked 3 idle"
        );
        assert_eq!(said(&[Sign::Exited, Sign::Running, Sign::Failed]), "1 running 1 failed 1 ended");
    }
}
