//! The first prompt of an agent that is about to be started: optional, of several lines.

use tui::{
    Canvas, CanvasCursor, HostEvent, Layer, LayerOutcome, Rect, SkinRole, Span,
    widgets::{EditorOutcome, TextEditor},
};
use vt::{
    Position,
    input::{MouseButton, MouseEventKind},
};

use super::{frame, place_for};
use crate::app::{model::InterfaceState, start};

/// Lines that are in sight at once.
const ROWS: usize = 8;
const START: &str = " Start ";

pub(super) struct FirstPrompt {
    agent: String,
    editor: TextEditor,
}

pub(super) fn open(app: &mut InterfaceState, agent: String) {
    app.open(FirstPrompt { agent, editor: TextEditor::default() });
}

impl FirstPrompt {
    /// Where the text goes, and the row below it.
    fn places(area: Rect) -> (Rect, Rect, Rect) {
        let place = place_for(area, ROWS + 1);
        let (text, below) = place.inner(1, 1).split_bottom(1);
        (place, text, below)
    }

    fn start(&self, app: &mut InterfaceState) -> LayerOutcome<InterfaceState> {
        start::agent(app, &self.agent, &self.editor.text());
        LayerOutcome::Close
    }
}

impl Layer<InterfaceState> for FirstPrompt {
    fn update(&mut self, event: &HostEvent, app: &mut InterfaceState) -> LayerOutcome<InterfaceState> {
        app.dirty = true;
        if let HostEvent::Mouse(mouse) = event {
            let (place, _, below) = Self::places(app.area);
            let at = Position { row: mouse.row, col: mouse.col };
            let pressed = mouse.kind == MouseEventKind::Press(MouseButton::Left);
            return match pressed {
                true if below.split_left(START.len() as u16).0.contains(at) => self.start(app),
                true if !place.contains(at) => LayerOutcome::Close,
                _ => LayerOutcome::Taken,
            };
        }
        match self.editor.update(event) {
            EditorOutcome::Submitted => self.start(app),
            EditorOutcome::Cancelled => {
                super::open(app);
                LayerOutcome::Close
            }
            _ => LayerOutcome::Taken,
        }
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &InterfaceState) -> Option<CanvasCursor> {
        let (place, text, below) = Self::places(area);
        frame(canvas, place, &format!("Spawn agent: {} › first prompt", self.agent), app);
        let skin = &app.skin;
        let cursor = self.editor.draw(canvas, text, skin.style(SkinRole::Input));
        if self.editor.is_empty() {
            let hint = "optional: what the agent is to do first";
            let after = Rect { col: text.col + 1, cols: text.cols.saturating_sub(1), ..text };
            canvas.draw_line(after, 0, &[Span::new(hint, skin.style(SkinRole::Muted))], skin.style(SkinRole::Text));
        }
        let spans = [
            Span::new(START, skin.style(SkinRole::ButtonActive)),
            Span::new("  Enter starts, Ctrl-J new line, Esc back", skin.style(SkinRole::Muted)),
        ];
        canvas.draw_line(below, 0, &spans, skin.style(SkinRole::Text));
        cursor
    }

    fn is_modal(&self) -> bool {
        true
    }
}
