//! A text to read and close: an operation's answer.

use tui::{
    Canvas, CanvasCursor, HostEvent, Layer, LayerOutcome, Rect, SkinRole, Span,
    widgets::{Modal, ModalOutcome, StyledLine},
};

use super::model::InterfaceState;

/// How many lines of a long answer are kept.
const MAX_LINES: usize = 5000;

struct TextView(Modal);

pub(crate) fn open(app: &mut InterfaceState, title: &str, text: &str) {
    let style = app.skin.style(SkinRole::Text);
    let line = |line: &str| -> StyledLine { vec![Span::new(line.to_owned(), style)] };
    let body = text.lines().take(MAX_LINES).map(line).collect();
    app.open(TextView(Modal::new(title, body).answer('q', "close")));
}

impl Layer<InterfaceState> for TextView {
    fn update(&mut self, event: &HostEvent, app: &mut InterfaceState) -> LayerOutcome<InterfaceState> {
        app.dirty = true;
        match self.0.update(event, app.area) {
            ModalOutcome::Taken => LayerOutcome::Taken,
            ModalOutcome::Answered(_) | ModalOutcome::Cancelled => LayerOutcome::Close,
        }
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &InterfaceState) -> Option<CanvasCursor> {
        self.0.draw(canvas, area, &app.skin);
        None
    }

    fn is_modal(&self) -> bool {
        true
    }
}
