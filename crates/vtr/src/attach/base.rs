//! The lowest layer: the session's screen in its frame, the status bar, and what keys and the mouse do there.

use std::time::Instant;

use fleet::{PLAIN_THEME, wire_input};
use program::printable;
use tui::{
    Canvas, CanvasCursor, ClickCounter, HostEvent, Layer, LayerOutcome, PaneView, Rect, SelectionUnit, Sign, Skin,
    SkinRole, Span,
    widgets::{Toast, draw_status_line, draw_toasts},
};
use vt::{
    Attributes, Position, Style,
    input::{Key, KeyEvent, MouseButton, MouseEvent, MouseEventKind, WheelDirection},
};

use super::{
    app::{AttachAction, AttachState, LookBackCause, ShownSession, ShownState, crop},
    bindings::{LeaderCommand, LeaderOutcome, LeaderState},
    dialogs::{self, KeysDialog, RenameDialog},
    picker::SessionPicker,
};

/// Identifies the pane across frames.
const SLOT: u64 = 1;
/// Rows, or key presses, for one step of the wheel.
const WHEEL_ROWS: isize = 3;

#[derive(Debug, Default)]
pub(crate) struct SessionLayer {
    leader: LeaderState,
    clicks: ClickCounter,
    pressed: Option<Position>,
}

impl SessionLayer {
    fn command(&mut self, command: LeaderCommand, app: &mut AttachState) -> LayerOutcome<AttachState> {
        if command.changes() && !app.may_change() {
            return LayerOutcome::Taken;
        }
        match command {
            LeaderCommand::Detach => app.actions.push(AttachAction::Detach),
            LeaderCommand::Next => app.actions.push(AttachAction::Beside(1)),
            LeaderCommand::Previous => app.actions.push(AttachAction::Beside(-1)),
            LeaderCommand::Unseen => app.actions.push(AttachAction::Unseen),
            LeaderCommand::LookBack => app.actions.push(AttachAction::LookBack(LookBackCause::Keys)),
            LeaderCommand::HideFrame => app.framed = !app.framed,
            LeaderCommand::Record => app.actions.push(AttachAction::ToggleRecording),
            LeaderCommand::Sessions => return LayerOutcome::Open(Box::new(SessionPicker::open(app))),
            LeaderCommand::Create => return LayerOutcome::Open(dialogs::create(app)),
            LeaderCommand::Help => return LayerOutcome::Open(Box::new(KeysDialog::default())),
            LeaderCommand::Rename => match &app.shown {
                Some(shown) => return LayerOutcome::Open(Box::new(RenameDialog::of(shown))),
                None => app.notice("no session is shown", Sign::Idle),
            },
            LeaderCommand::Kill => match &app.shown {
                Some(shown) => return LayerOutcome::Open(dialogs::kill(shown)),
                None => app.notice("no session is shown", Sign::Idle),
            },
        }
        LayerOutcome::Taken
    }

    fn key(&mut self, key: &KeyEvent, app: &mut AttachState) -> LayerOutcome<AttachState> {
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
                app.notice(format!("{leader} {key} is not bound: {help} lists the keys"), Sign::Idle);
            }
            LeaderOutcome::Taken => {}
        }
        LayerOutcome::Taken
    }

    fn mouse(&mut self, mouse: &MouseEvent, app: &mut AttachState) {
        let at = Position { row: mouse.row, col: mouse.col };
        app.button_down = matches!(
            mouse.kind,
            MouseEventKind::Press(MouseButton::Left) | MouseEventKind::Motion(Some(MouseButton::Left))
        );
        let Some(cell) = app.cell_at(at) else { return };
        let Some(shown) = &app.shown else { return };
        let about = &shown.mirror.about;
        if about.wants_mouse && shown.state == ShownState::Live {
            let idle = matches!(mouse.kind, MouseEventKind::Motion(None));
            if !idle || about.wants_mouse_moves {
                app.send(wire_input::mouse(&MouseEvent { row: cell.row, col: cell.col, ..*mouse }));
            }
            return;
        }
        let alternate = about.alternate_screen;
        match mouse.kind {
            // In a pager that does not ask for the mouse, the wheel still scrolls, as in most terminals.
            MouseEventKind::Wheel(direction @ (WheelDirection::Up | WheelDirection::Down)) if alternate => {
                let key = if direction == WheelDirection::Up { Key::Up } else { Key::Down };
                for _ in 0..WHEEL_ROWS {
                    wire_input::key(&KeyEvent::press(key)).map(|input| app.send(input));
                }
            }
            MouseEventKind::Wheel(WheelDirection::Up) => {
                app.actions.push(AttachAction::LookBack(LookBackCause::Scroll(-WHEEL_ROWS)));
            }
            MouseEventKind::Press(MouseButton::Left) => {
                self.pressed = Some(at);
                match self.clicks.press(at, Instant::now()) {
                    SelectionUnit::Character => {}
                    unit => app.actions.push(AttachAction::LookBack(LookBackCause::Pick(at, unit))),
                }
            }
            MouseEventKind::Motion(Some(MouseButton::Left)) => {
                if let Some(from) = self.pressed.take() {
                    app.actions.push(AttachAction::LookBack(LookBackCause::Drag(from, at)));
                }
            }
            MouseEventKind::Release(_) => self.pressed = None,
            _ => {}
        }
    }
}

impl Layer<AttachState> for SessionLayer {
    fn update(&mut self, event: &HostEvent, app: &mut AttachState) -> LayerOutcome<AttachState> {
        match event {
            HostEvent::Key(key) => return self.key(key, app),
            HostEvent::Paste(text) => {
                app.send(wire_input::paste(text));
            }
            HostEvent::Mouse(mouse) => self.mouse(mouse, app),
            HostEvent::Focus(focus) => {
                let wanted = |shown: &ShownSession| {
                    shown.mirror.about.wants_focus && shown.state == ShownState::Live && !app.read_only
                };
                if app.shown.as_ref().is_some_and(wanted) {
                    app.send(wire_input::focus(*focus));
                }
            }
            _ => return LayerOutcome::Passed,
        }
        LayerOutcome::Taken
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &AttachState) -> Option<CanvasCursor> {
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
                    .dimmed(matches!(shown.state, ShownState::Lost(_)))
                    .with_themes(&frame.theme, &PLAIN_THEME);
                let screen =
                    Rect { cols: pane.cols.min(frame.size.cols), rows: pane.rows.min(frame.size.rows), ..pane };
                draw_rest(canvas, pane, screen, &app.skin);
                view.draw(canvas, screen, SLOT).filter(|_| shown.state == ShownState::Live)
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

/// Draws the edge of a session that is smaller than the pane, and clears the rest.
fn draw_rest(canvas: &mut Canvas, pane: Rect, screen: Rect, skin: &Skin) {
    let (lines, style) = (skin.glyphs.box_lines(), skin.style(SkinRole::Border));
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

fn border(app: &AttachState) -> SkinRole {
    match app.shown.as_ref().map(|shown| &shown.state) {
        Some(ShownState::Exited(_) | ShownState::Gone(_)) => SkinRole::Bad,
        Some(ShownState::Lost(_)) => SkinRole::Warning,
        Some(ShownState::Connecting | ShownState::Live) if app.shown.as_ref().is_some_and(ShownSession::is_silent) => {
            SkinRole::Warning
        }
        Some(ShownState::Live) => SkinRole::BorderFocused,
        Some(ShownState::Connecting) | None => SkinRole::Border,
    }
}

/// A badge for states that must not be overlooked.
fn badge(shown: &ShownSession) -> Option<String> {
    match &shown.state {
        ShownState::Connecting | ShownState::Live => shown.is_silent().then(|| "DOES NOT ANSWER".into()),
        ShownState::Lost(reason) => Some(format!("LOST: {reason}")),
        ShownState::Exited(how) if how.is_empty() => Some("EXITED".into()),
        ShownState::Exited(how) => Some(format!("EXITED {how}")),
        ShownState::Gone(reason) => Some(format!("GONE: {reason}")),
    }
}

fn title(app: &AttachState) -> Vec<Span<'static>> {
    let Some(shown) = &app.shown else { return Vec::new() };
    let skin = &app.skin;
    let mut spans = vec![Span::new(format!(" {} ", printable(&shown.name)), skin.style(SkinRole::Heading))];
    if let Some(badge) = badge(shown) {
        let style = skin.style(border(app));
        let style = Style { attributes: style.attributes | Attributes::INVERSE | Attributes::BOLD, ..style };
        spans.push(Span::new(format!(" {badge} "), style));
        spans.push(Span::new(" ", Style::default()));
    }
    if app.read_only {
        spans.push(Span::new("READ ONLY ", skin.style(SkinRole::Warning)));
    }
    let title = printable(&shown.mirror.about.title);
    if !title.is_empty() {
        spans.push(Span::new(format!("{title} "), skin.style(SkinRole::Muted)));
    }
    spans
}

fn left_end(app: &AttachState) -> Vec<Span<'static>> {
    let skin = &app.skin;
    if app.leader_pending {
        let keys = [LeaderCommand::Detach, LeaderCommand::Sessions, LeaderCommand::Next, LeaderCommand::Help];
        let names = ["leave", "sessions", "next", "help"];
        let last = |command| app.bindings.keys_of(command).rsplit(' ').next().unwrap_or_default().to_owned();
        let mut spans = vec![Span::new(format!(" {} … ", app.bindings.leader()), skin.style(SkinRole::KeyName))];
        for (command, name) in keys.into_iter().zip(names) {
            spans.push(Span::new(format!(" {}", last(command)), skin.style(SkinRole::KeyName)));
            spans.push(Span::new(format!(" {name} "), skin.style(SkinRole::Muted)));
        }
        return spans;
    }
    let Some(shown) = &app.shown else {
        return vec![Span::new(" no session", skin.style(SkinRole::Muted))];
    };
    let mut spans = vec![Span::new(format!(" {}:{}", shown.coordinator, shown.name), bold(skin, SkinRole::Accent))];
    if let ShownState::Exited(_) | ShownState::Gone(_) = shown.state {
        let (leave, next) =
            (app.bindings.keys_of(LeaderCommand::Detach), app.bindings.keys_of(LeaderCommand::Sessions));
        let namesake = if shown.namesake { "another session has its name now; " } else { "" };
        let text = format!("  {namesake}{leave} leaves, {next} lists sessions");
        spans.push(Span::new(text, skin.style(SkinRole::Warning)));
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
            spans.push(Span::new(format!("  {}", printable(part)), skin.style(SkinRole::Muted)));
        }
    }
    spans
}

fn right_end(app: &AttachState) -> Vec<Span<'static>> {
    let skin = &app.skin;
    let mut spans = vec![Span::new("  ", skin.style(SkinRole::Muted))];
    if let Some(shown) = &app.shown {
        if shown.info.recording {
            spans.push(Span::new("● REC ", bold(skin, SkinRole::Bad)));
        }
        if let Some(frame) = shown.mirror.frame() {
            let pane = app.pane();
            let cropped = frame.size.cols > pane.cols || frame.size.rows > pane.rows;
            let more = if cropped { " cropped" } else { "" };
            spans.push(Span::new(
                format!("{}x{}{more} ", frame.size.cols, frame.size.rows),
                skin.style(SkinRole::Muted),
            ));
        }
    }
    spans.push(Span::new(format!(" {} ", app.clock), skin.style(SkinRole::Text)));
    spans
}

fn bold(skin: &Skin, role: SkinRole) -> Style {
    let style = skin.style(role);
    Style { attributes: style.attributes | Attributes::BOLD, ..style }
}
