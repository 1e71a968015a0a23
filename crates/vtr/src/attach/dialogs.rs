//! Dialogs: naming a session, choosing where to start one, ending one, and the list of keys.

use program::printable;
use tui::{
    Canvas, CanvasCursor, HostEvent, Layer, LayerOutcome, Rect, SkinRole, Span,
    widgets::{HelpEntry, HelpTable, InputOutcome, LineInput, Modal, ModalOutcome},
};
use vt::input::{Key, KeyEventKind, MouseEventKind, WheelDirection};

use super::app::{AttachAction, AttachState, EndChoice, ShownSession, ShownState};

/// Draws a box in the middle with `rows` rows inside, and returns its inside.
fn draw_box(canvas: &mut Canvas, area: Rect, title: &str, cols: u16, rows: u16, app: &AttachState) -> Rect {
    let place = area.centered(cols + 4, rows + 2);
    for row in 0..place.rows {
        canvas.draw_line(place, row, &[], app.skin.style(SkinRole::Modal));
    }
    let title = [Span::new(format!(" {title} "), app.skin.style(SkinRole::Heading))];
    canvas.draw_box(place, app.skin.glyphs.box_lines(), app.skin.style(SkinRole::BorderFocused), &title);
    place.inner(2, 1)
}

/// Draws a box with an input line.
fn draw_prompt(
    canvas: &mut Canvas,
    area: Rect,
    title: &str,
    hint: &str,
    input: &LineInput,
    app: &AttachState,
) -> Option<CanvasCursor> {
    let inner = draw_box(canvas, area, title, 48, 2, app);
    canvas.draw_line(
        inner,
        1,
        &[Span::new(hint.to_owned(), app.skin.style(SkinRole::Muted))],
        app.skin.style(SkinRole::Modal),
    );
    input.draw(canvas, inner.line(0), app.skin.style(SkinRole::Input))
}

fn type_into(input: &mut LineInput, event: &HostEvent) -> InputOutcome {
    match event {
        HostEvent::Key(key) => input.update(key),
        HostEvent::Paste(text) => {
            input.insert(text);
            InputOutcome::Changed
        }
        _ => InputOutcome::Passed,
    }
}

/// Asks for a new name of the shown session.
#[derive(Debug)]
pub(crate) struct RenameDialog(LineInput);

impl RenameDialog {
    pub(crate) fn of(shown: &ShownSession) -> Self {
        RenameDialog(LineInput::new(shown.name.clone()))
    }
}

impl Layer<AttachState> for RenameDialog {
    fn update(&mut self, event: &HostEvent, app: &mut AttachState) -> LayerOutcome<AttachState> {
        match type_into(&mut self.0, event) {
            InputOutcome::Submitted => {
                app.actions.push(AttachAction::Rename(self.0.text().trim().to_owned()));
                LayerOutcome::Close
            }
            InputOutcome::Cancelled => LayerOutcome::Close,
            _ => LayerOutcome::Taken,
        }
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &AttachState) -> Option<CanvasCursor> {
        draw_prompt(canvas, area, "Rename the session", "enter renames, esc cancels", &self.0, app)
    }

    fn is_modal(&self) -> bool {
        true
    }
}

/// Asks for a coordinator if there are several, and then for a name.
pub(crate) fn create(app: &AttachState) -> Box<dyn Layer<AttachState>> {
    let here = app.shown.as_ref().map_or(0, |shown| shown.session.coordinator);
    if app.roster.members().len() > 1 { Box::new(Where(here)) } else { Box::new(NewName::at(here)) }
}

/// Asks on which coordinator to start a session.
#[derive(Debug)]
struct Where(usize);

impl Layer<AttachState> for Where {
    fn update(&mut self, event: &HostEvent, app: &mut AttachState) -> LayerOutcome<AttachState> {
        let HostEvent::Key(key) = event else { return LayerOutcome::Taken };
        if key.kind == KeyEventKind::Release {
            return LayerOutcome::Taken;
        }
        let last = app.roster.members().len().saturating_sub(1);
        match key.key {
            Key::Down | Key::Char('j') => self.0 = (self.0 + 1).min(last),
            Key::Up | Key::Char('k') => self.0 = self.0.saturating_sub(1),
            Key::Enter => return LayerOutcome::Replace(Box::new(NewName::at(self.0))),
            Key::Escape | Key::Char('q') => return LayerOutcome::Close,
            _ => {}
        }
        LayerOutcome::Taken
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &AttachState) -> Option<CanvasCursor> {
        let members = app.roster.members();
        let rows = u16::try_from(members.len()).unwrap_or(u16::MAX).min(area.rows.saturating_sub(6)).max(1);
        let inner = draw_box(canvas, area, "Start a session on", 48, rows, app);
        let top = (self.0 + 1).saturating_sub(usize::from(rows));
        for (row, (index, member)) in (0..rows).zip(members.iter().enumerate().skip(top)) {
            let here = index == self.0;
            let style = app.skin.style(if here { SkinRole::Cursor } else { SkinRole::Text });
            let sign = if here { "› " } else { "  " };
            let silent = if member.silence.is_some() { "  (does not answer)" } else { "" };
            let text = format!("{sign}{}{silent}", printable(&member.coordinator.name));
            canvas.draw_line(inner, row, &[Span::new(text, style)], style);
        }
        None
    }

    fn is_modal(&self) -> bool {
        true
    }
}

/// Asks for the name of a new session.
#[derive(Debug)]
struct NewName {
    place: usize,
    input: LineInput,
}

impl NewName {
    fn at(place: usize) -> Self {
        NewName { place, input: LineInput::default() }
    }
}

impl Layer<AttachState> for NewName {
    fn update(&mut self, event: &HostEvent, app: &mut AttachState) -> LayerOutcome<AttachState> {
        match type_into(&mut self.input, event) {
            InputOutcome::Submitted => {
                let name = self.input.text().trim().to_owned();
                app.actions.push(AttachAction::Create { place: self.place, name });
                LayerOutcome::Close
            }
            InputOutcome::Cancelled => LayerOutcome::Close,
            _ => LayerOutcome::Taken,
        }
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &AttachState) -> Option<CanvasCursor> {
        let name = app.roster.member(self.place).map(|member| printable(&member.coordinator.name)).unwrap_or_default();
        let title = format!("Start a session on {name}");
        draw_prompt(canvas, area, &title, "its name; leave empty for a generated one", &self.input, app)
    }

    fn is_modal(&self) -> bool {
        true
    }
}

/// Asks whether to end a session, or to remove it if it has ended.
#[derive(Debug)]
struct EndDialog {
    modal: Modal,
    /// The action of each answer, in the same order.
    answers: Vec<Option<AttachAction>>,
}

pub(crate) fn kill(shown: &ShownSession) -> Box<dyn Layer<AttachState>> {
    let text = |text: &str| vec![Span::new(text.to_owned(), vt::Style::default())];
    let name = printable(&shown.name);
    let (modal, answers) = match shown.state {
        ShownState::Exited(_) | ShownState::Gone(_) => (
            Modal::new(format!("Remove {name}?"), vec![text("It has ended; its last screen goes with it.")])
                .answer('n', "no")
                .answer('r', "remove"),
            vec![None, Some(AttachAction::Remove)],
        ),
        _ => {
            let body = vec![
                text("Kill asks its program to end (TERM); shells ignore that."),
                text("Hang up does what closing a window does (HUP)."),
                text("Force kills it (KILL). All three keep the last screen."),
                text("Remove ends it, by force if necessary, and discards the screen."),
            ];
            let modal = Modal::new(format!("End {name}?"), body)
                .answer('n', "no")
                .answer('y', "kill")
                .answer('h', "hang up")
                .answer('f', "force")
                .answer('r', "remove");
            let signals =
                [EndChoice::Term, EndChoice::Hup, EndChoice::Kill].map(|signal| Some(AttachAction::Kill(signal)));
            (modal, [None].into_iter().chain(signals).chain([Some(AttachAction::Remove)]).collect())
        }
    };
    Box::new(EndDialog { modal, answers })
}

impl Layer<AttachState> for EndDialog {
    fn update(&mut self, event: &HostEvent, app: &mut AttachState) -> LayerOutcome<AttachState> {
        match self.modal.update(event, app.area) {
            ModalOutcome::Taken => return LayerOutcome::Taken,
            ModalOutcome::Answered(answer) => app.actions.extend(self.answers.get_mut(answer).and_then(Option::take)),
            ModalOutcome::Cancelled => {}
        }
        LayerOutcome::Close
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &AttachState) -> Option<CanvasCursor> {
        self.modal.draw(canvas, area, &app.skin)
    }

    fn is_modal(&self) -> bool {
        true
    }
}

/// The list of keys.
#[derive(Debug, Default)]
pub(crate) struct KeysDialog {
    scroll: usize,
}

impl KeysDialog {
    /// How many entries are visible. If some are not, a row of its own says so.
    fn rows(all: usize, area: Rect) -> usize {
        let room = usize::from(area.rows.saturating_sub(4).max(1));
        if all <= room { all } else { (room - 1).max(1) }
    }

    fn table(app: &AttachState) -> HelpTable {
        let entry = |section: &str, keys: &str, text: &str| HelpEntry {
            section: section.into(),
            keys: keys.into(),
            text: text.into(),
        };
        let mut entries: Vec<HelpEntry> =
            app.bindings.help(app.read_only).into_iter().map(|(keys, text)| entry("Here", &keys, text)).collect();
        for (keys, text) in [
            ("h j k l, arrows", "move"),
            ("ctrl-u ctrl-d, pgup pgdn", "half a page, a page"),
            ("g G", "first line, last line"),
            ("/ ?", "search forward, search backward"),
            ("n N", "next match, the one before"),
            ("v V", "select characters, lines"),
            ("y enter", "copy and leave"),
            ("q esc", "leave"),
        ] {
            entries.push(entry("While looking back", keys, text));
        }
        HelpTable { entries }
    }
}

impl Layer<AttachState> for KeysDialog {
    fn update(&mut self, event: &HostEvent, app: &mut AttachState) -> LayerOutcome<AttachState> {
        let all = KeysDialog::table(app).len("");
        let page = KeysDialog::rows(all, app.area);
        let by = match event {
            HostEvent::Key(key) if key.kind == KeyEventKind::Release => return LayerOutcome::Taken,
            HostEvent::Key(key) => match key.key {
                Key::Down | Key::Char('j') => 1,
                Key::Up | Key::Char('k') => -1,
                Key::PageDown | Key::Char(' ') => page as isize,
                Key::PageUp => -(page as isize),
                Key::Home => isize::MIN,
                Key::End => isize::MAX,
                // A modifier is held in order to type the next key.
                Key::Modifier(_) => return LayerOutcome::Taken,
                _ => return LayerOutcome::Close,
            },
            HostEvent::Mouse(mouse) => match mouse.kind {
                MouseEventKind::Wheel(WheelDirection::Up) => -3,
                MouseEventKind::Wheel(WheelDirection::Down) => 3,
                _ => return LayerOutcome::Taken,
            },
            _ => return LayerOutcome::Taken,
        };
        self.scroll = self.scroll.saturating_add_signed(by).min(all - page);
        LayerOutcome::Taken
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &AttachState) -> Option<CanvasCursor> {
        let table = KeysDialog::table(app);
        let all = table.len("");
        let page = KeysDialog::rows(all, area);
        let scrolls = page < all;
        let cols = 70.min(area.cols.saturating_sub(6));
        let inner = draw_box(canvas, area, "Keys", cols, page as u16 + u16::from(scrolls), app);
        let (text, more) = inner.split_bottom(u16::from(scrolls));
        table.draw(canvas, text, "", self.scroll, &app.skin);
        let below = all.saturating_sub(self.scroll + page);
        let words = match below {
            0 => "esc closes".to_owned(),
            _ => format!("{below} more below: page down; esc closes"),
        };
        canvas.draw_line(
            more,
            0,
            &[Span::new(words, app.skin.style(SkinRole::Muted))],
            app.skin.style(SkinRole::Modal),
        );
        None
    }

    fn is_modal(&self) -> bool {
        true
    }
}
