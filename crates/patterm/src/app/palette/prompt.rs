//! The first prompt of an agent that is about to be started: optional, of several lines.

use tui::{
    Canvas, CanvasCursor, Event, Handled, Layer, Rect, Role, Span,
    widgets::{EditorOutcome, TextEditor},
};
use vt::{
    Position,
    input::{MouseButton, MouseEventKind},
};

use super::{frame, place_for};
use crate::app::{model::App, start};

/// Lines that are in sight at once.
const ROWS: usize = 8;
const START: &str = " Start ";

pub(super) struct FirstPrompt {
    agent: String,
    editor: TextEditor,
}

pub(super) fn open(app: &mut App, agent: String) {
    app.open(FirstPrompt { agent, editor: TextEditor::default() });
}

impl FirstPrompt {
    /// Where the text goes, and the row below it.
    fn places(area: Rect) -> (Rect, Rect, Rect) {
        let place = place_for(area, ROWS + 1);
        let (text, below) = place.inner(1, 1).split_bottom(1);
        (place, text, below)
    }

    fn start(&self, app: &mut App) -> Handled<App> {
        start::agent(app, &self.agent, &self.editor.text());
        Handled::Close
    }
}

impl Layer<App> for FirstPrompt {
    fn update(&mut self, event: &Event, app: &mut App) -> Handled<App> {
        app.dirty = true;
        if let Event::Mouse(mouse) = event {
            let (place, _, below) = Self::places(app.area);
            let at = Position { row: mouse.row, col: mouse.col };
            let pressed = mouse.kind == MouseEventKind::Press(MouseButton::Left);
            return match pressed {
                true if below.split_left(START.len() as u16).0.contains(at) => self.start(app),
                true if !place.contains(at) => Handled::Close,
                _ => Handled::Taken,
            };
        }
        match self.editor.update(event) {
            EditorOutcome::Submitted => self.start(app),
            EditorOutcome::Cancelled => {
                super::open(app);
                Handled::Close
            }
            _ => Handled::Taken,
        }
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &App) -> Option<CanvasCursor> {
        let (place, text, below) = Self::places(area);
        frame(canvas, place, &format!("Spawn agent: {} › first prompt", self.agent), app);
        let skin = &app.skin;
        let cursor = self.editor.draw(canvas, text, skin.style(Role::Input));
        if self.editor.is_empty() {
            let hint = "optional: what the agent is to do first";
            let after = Rect { col: text.col + 1, cols: text.cols.saturating_sub(1), ..text };
            canvas.draw_line(after, 0, &[Span::new(hint, skin.style(Role::Muted))], skin.style(Role::Text));
        }
        let spans = [
            Span::new(START, skin.style(Role::ButtonActive)),
            Span::new("  Enter starts, Ctrl-J new line, Esc back", skin.style(Role::Muted)),
        ];
        canvas.draw_line(below, 0, &spans, skin.style(Role::Text));
        cursor
    }

    fn is_modal(&self) -> bool {
        true
    }
}
