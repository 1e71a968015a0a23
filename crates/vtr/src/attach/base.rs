//! The lowest layer: the session's screen in its frame, with the status bar, and what keys and mouse do there.

use std::time::Instant;

use tui::{
    Canvas, CanvasCursor, ClickCounter, Event, Handled, Layer, PaneView, Rect, Role, SelectionUnit, Sign, Skin, Span,
    widgets::{Toast, draw_status_line, draw_toasts},
};
use vt::{
    Attributes, Position, Style,
    input::{Key, KeyEvent, MouseButton, MouseEvent, MouseEventKind, WheelDirection},
};

use super::{
    app::{Action, App, LookBack, Shown, State},
    bindings::{LeaderCommand, LeaderOutcome, LeaderState},
    dialogs::{self, KeysDialog, RenameDialog},
    mirror::{PLAIN, crop},
    picker::Picker,
    wire_input,
};
use crate::output::printable;

/// Names the pane across frames.
const SLOT: u64 = 1;
/// Rows or key presses that one step of the wheel stands for.
const WHEEL_ROWS: isize = 3;

#[derive(Debug, Default)]
pub(crate) struct Base {
    leader: LeaderState,
    clicks: ClickCounter,
    pressed: Option<Position>,
}

impl Base {
    fn command(&mut self, command: LeaderCommand, app: &mut App) -> Handled<App> {
        if command.changes() && !app.may_change() {
            return Handled::Taken;
        }
        match command {
            LeaderCommand::Detach => app.actions.push(Action::Detach),
            LeaderCommand::Next => app.actions.push(Action::Beside(1)),
            LeaderCommand::Previous => app.actions.push(Action::Beside(-1)),
            LeaderCommand::Unseen => app.actions.push(Action::Unseen),
            LeaderCommand::LookBack => app.actions.push(Action::LookBack(LookBack::Keys)),
            LeaderCommand::HideFrame => app.framed = !app.framed,
            LeaderCommand::Record => app.actions.push(Action::ToggleRecording),
            LeaderCommand::Sessions => return Handled::Open(Box::new(Picker::open(app))),
            LeaderCommand::Create => return Handled::Open(dialogs::create(app)),
            LeaderCommand::Help => return Handled::Open(Box::new(KeysDialog::default())),
            LeaderCommand::Rename => match &app.shown {
                Some(shown) => return Handled::Open(Box::new(RenameDialog::of(shown))),
                None => app.notice("no session is shown", Sign::Idle),
            },
            LeaderCommand::Kill => match &app.shown {
                Some(shown) => return Handled::Open(dialogs::kill(shown)),
                None => app.notice("no session is shown", Sign::Idle),
            },
        }
        Handled::Taken
    }

    fn key(&mut self, key: &KeyEvent, app: &mut App) -> Handled<App> {
        let typed = self.leader.take(&app.bindings, key);
        let was_pending = std::mem::replace(&mut app.leader_pending, self.leader.pending());
        match typed {
            LeaderOutcome::ForChild(key) => {
                let sent = wire_input::key(&key).is_some_and(|input| app.send(input));
                app.only_typed = sent && was_pending == app.leader_pending;
            }
            LeaderOutcome::Command(command) => return self.command(command, app),
            LeaderOutcome::Unbound(key) => {
                let help = app.bindings.keys_of(LeaderCommand::Help);
                let leader = app.bindings.leader().clone();
                app.notice(format!("{leader} {key} means nothing: {help} lists the keys"), Sign::Idle);
            }
            LeaderOutcome::Taken => {}
        }
        Handled::Taken
    }

    fn mouse(&mut self, mouse: &MouseEvent, app: &mut App) {
        let at = Position { row: mouse.row, col: mouse.col };
        app.button_down = matches!(
            mouse.kind,
            MouseEventKind::Press(MouseButton::Left) | MouseEventKind::Motion(Some(MouseButton::Left))
        );
        let Some(cell) = app.cell_at(at) else { return };
        let Some(shown) = &app.shown else { return };
        let about = &shown.mirror.about;
        if about.wants_mouse && shown.state == State::Live {
            let idle = matches!(mouse.kind, MouseEventKind::Motion(None));
            if !idle || about.wants_mouse_moves {
                app.send(wire_input::mouse(&MouseEvent { row: cell.row, col: cell.col, ..*mouse }));
            }
            return;
        }
        let alternate = about.alternate_screen;
        match mouse.kind {
            // A pager that does not ask for the mouse still scrolls, as it does in most terminals.
            MouseEventKind::Wheel(direction @ (WheelDirection::Up | WheelDirection::Down)) if alternate => {
                let key = if direction == WheelDirection::Up { Key::Up } else { Key::Down };
                for _ in 0..WHEEL_ROWS {
                    wire_input::key(&KeyEvent::press(key)).map(|input| app.send(input));
                }
            }
            MouseEventKind::Wheel(WheelDirection::Up) => {
                app.actions.push(Action::LookBack(LookBack::Scroll(-WHEEL_ROWS)));
            }
            MouseEventKind::Press(MouseButton::Left) => {
                self.pressed = Some(at);
                match self.clicks.press(at, Instant::now()) {
                    SelectionUnit::Character => {}
                    unit => app.actions.push(Action::LookBack(LookBack::Pick(at, unit))),
                }
            }
            MouseEventKind::Motion(Some(MouseButton::Left)) => {
                if let Some(from) = self.pressed.take() {
                    app.actions.push(Action::LookBack(LookBack::Drag(from, at)));
                }
            }
            MouseEventKind::Release(_) => self.pressed = None,
            _ => {}
        }
    }
}

impl Layer<App> for Base {
    fn update(&mut self, event: &Event, app: &mut App) -> Handled<App> {
        match event {
            Event::Key(key) => return self.key(key, app),
            Event::Paste(text) => {
                app.send(wire_input::paste(text));
            }
            Event::Mouse(mouse) => self.mouse(mouse, app),
            Event::Focus(focus) => {
                let wanted =
                    |shown: &Shown| shown.mirror.about.wants_focus && shown.state == State::Live && !app.read_only;
                if app.shown.as_ref().is_some_and(wanted) {
                    app.send(wire_input::focus(*focus));
                }
            }
            _ => return Handled::Passed,
        }
        Handled::Taken
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &App) -> Option<CanvasCursor> {
        let pane = app.pane();
        if app.framed && !app.frame_stands {
            let (outer, status) = area.split_bottom(1);
            let style = app.skin.style(border(app));
            canvas.draw_box(outer, app.skin.glyphs.box_lines(), style, &title(app));
            draw_status_line(canvas, status, &left_end(app), &right_end(app), &app.skin);
        }
        let frame = app.shown.as_ref().and_then(|shown| shown.mirror.frame());
        let cursor = match (&app.shown, frame) {
            (Some(shown), Some(frame)) => {
                let view = PaneView::frame(frame)
                    .cropped(crop(frame, pane))
                    .dimmed(matches!(shown.state, State::Lost(_)))
                    .with_themes(&frame.theme, &PLAIN);
                let screen =
                    Rect { cols: pane.cols.min(frame.size.cols), rows: pane.rows.min(frame.size.rows), ..pane };
                draw_rest(canvas, pane, screen, &app.skin);
                view.draw(canvas, screen, SLOT).filter(|_| shown.state == State::Live)
            }
            _ => {
                (0..pane.rows).for_each(|row| canvas.draw_line(pane, row, &[], Style::default()));
                None
            }
        };
        let mut toasts: Vec<Toast> = app.notices.iter().map(|(toast, _)| toast.clone()).collect();
        if !app.framed
            && let Some(badge) = app.shown.as_ref().and_then(badge)
        {
            toasts.push(Toast { text: badge, sign: Sign::Exited });
        }
        draw_toasts(canvas, pane, &toasts, cursor.map(|cursor| cursor.position.row), &app.skin);
        cursor
    }
}

/// Where a session is smaller than the room for it, its edge, and nothing beyond.
fn draw_rest(canvas: &mut Canvas, pane: Rect, screen: Rect, skin: &Skin) {
    let (lines, style) = (skin.glyphs.box_lines(), skin.style(Role::Border));
    let [.., corner] = lines.corners;
    let right_of = |row: u16| pane.line(row).split_left(screen.cols).1;
    for row in 0..screen.rows {
        canvas.draw_line(right_of(row), 0, &[Span::new(lines.vertical.to_string(), style)], Style::default());
    }
    let below = lines.horizontal.to_string().repeat(usize::from(screen.cols));
    let edge = [Span::new(below, style), Span::new(corner.to_string(), style)];
    for row in screen.rows..pane.rows {
        let spans = if row == screen.rows { &edge[..] } else { &[] };
        canvas.draw_line(pane, row, spans, Style::default());
    }
}

fn border(app: &App) -> Role {
    match app.shown.as_ref().map(|shown| &shown.state) {
        Some(State::Exited(_) | State::Gone(_)) => Role::Bad,
        Some(State::Lost(_)) => Role::Warning,
        Some(State::Connecting | State::Live) if app.shown.as_ref().is_some_and(Shown::is_silent) => Role::Warning,
        Some(State::Live) => Role::BorderFocused,
        Some(State::Connecting) | None => Role::Border,
    }
}

/// What must not be overlooked.
fn badge(shown: &Shown) -> Option<String> {
    match &shown.state {
        State::Connecting | State::Live => shown.is_silent().then(|| "DOES NOT ANSWER".into()),
        State::Lost(reason) => Some(format!("LOST: {reason}")),
        State::Exited(how) if how.is_empty() => Some("EXITED".into()),
        State::Exited(how) => Some(format!("EXITED {how}")),
        State::Gone(reason) => Some(format!("GONE: {reason}")),
    }
}

fn title(app: &App) -> Vec<Span<'static>> {
    let Some(shown) = &app.shown else { return Vec::new() };
    let skin = &app.skin;
    let mut spans = vec![Span::new(format!(" {} ", printable(&shown.name)), skin.style(Role::Heading))];
    if let Some(badge) = badge(shown) {
        let style = skin.style(border(app));
        let style = Style { attributes: style.attributes | Attributes::INVERSE | Attributes::BOLD, ..style };
        spans.push(Span::new(format!(" {badge} "), style));
        spans.push(Span::new(" ", Style::default()));
    }
    if app.read_only {
        spans.push(Span::new("READ ONLY ", skin.style(Role::Warning)));
    }
    let title = printable(&shown.mirror.about.title);
    if !title.is_empty() {
        spans.push(Span::new(format!("{title} "), skin.style(Role::Muted)));
    }
    spans
}

fn left_end(app: &App) -> Vec<Span<'static>> {
    let skin = &app.skin;
    if app.leader_pending {
        let keys = [LeaderCommand::Detach, LeaderCommand::Sessions, LeaderCommand::Next, LeaderCommand::Help];
        let names = ["leave", "sessions", "next", "help"];
        let last = |command| app.bindings.keys_of(command).rsplit(' ').next().unwrap_or_default().to_owned();
        let mut spans = vec![Span::new(format!(" {} … ", app.bindings.leader()), skin.style(Role::KeyName))];
        for (command, name) in keys.into_iter().zip(names) {
            spans.push(Span::new(format!(" {}", last(command)), skin.style(Role::KeyName)));
            spans.push(Span::new(format!(" {name} "), skin.style(Role::Muted)));
        }
        return spans;
    }
    let Some(shown) = &app.shown else {
        return vec![Span::new(" no session", skin.style(Role::Muted))];
    };
    let mut spans = vec![Span::new(format!(" {}:{}", shown.coordinator, shown.name), bold(skin, Role::Accent))];
    if let State::Exited(_) | State::Gone(_) = shown.state {
        let (leave, next) =
            (app.bindings.keys_of(LeaderCommand::Detach), app.bindings.keys_of(LeaderCommand::Sessions));
        let namesake = if shown.namesake { "another session has its name now; " } else { "" };
        let text = format!("  {namesake}{leave} leaves, {next} lists sessions");
        spans.push(Span::new(text, skin.style(Role::Warning)));
        return spans;
    }
    let info = &shown.info;
    let command = match (info.foreground.as_str(), info.argv.is_empty()) {
        ("", true) => String::new(),
        ("", false) => info.argv.join(" "),
        (foreground, _) => foreground.to_owned(),
    };
    let dir = if info.current_dir.is_empty() { &info.working_dir } else { &info.current_dir };
    for part in [command.as_str(), dir] {
        if !part.is_empty() {
            spans.push(Span::new(format!("  {}", printable(part)), skin.style(Role::Muted)));
        }
    }
    spans
}

fn right_end(app: &App) -> Vec<Span<'static>> {
    let skin = &app.skin;
    let mut spans = vec![Span::new("  ", skin.style(Role::Muted))];
    if let Some(shown) = &app.shown {
        if shown.info.recording {
            spans.push(Span::new("● REC ", bold(skin, Role::Bad)));
        }
        if let Some(frame) = shown.mirror.frame() {
            let pane = app.pane();
            let cropped = frame.size.cols > pane.cols || frame.size.rows > pane.rows;
            let more = if cropped { " cropped" } else { "" };
            spans.push(Span::new(format!("{}x{}{more} ", frame.size.cols, frame.size.rows), skin.style(Role::Muted)));
        }
    }
    spans.push(Span::new(format!(" {} ", app.clock), skin.style(Role::Text)));
    spans
}

fn bold(skin: &Skin, role: Role) -> Style {
    let style = skin.style(role);
    Style { attributes: style.attributes | Attributes::BOLD, ..style }
}
