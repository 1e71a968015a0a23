//! A text to read and close: what an operation answered.

use tui::{
    Canvas, CanvasCursor, Event, Handled, Layer, Rect, Role, Span,
    widgets::{Modal, ModalOutcome, StyledLine},
};

use super::model::App;

/// Lines that are kept of a long answer.
const MAX_LINES: usize = 5000;

struct TextView(Modal);

pub(crate) fn open(app: &mut App, title: &str, text: &str) {
    let style = app.skin.style(Role::Text);
    let line = |line: &str| -> StyledLine { vec![Span::new(line.to_owned(), style)] };
    let body = text.lines().take(MAX_LINES).map(line).collect();
    app.open(TextView(Modal::new(title, body).answer('q', "close")));
}

impl Layer<App> for TextView {
    fn update(&mut self, event: &Event, app: &mut App) -> Handled<App> {
        app.dirty = true;
        match self.0.update(event, app.area) {
            ModalOutcome::Taken => Handled::Taken,
            ModalOutcome::Answered(_) | ModalOutcome::Cancelled => Handled::Close,
        }
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &App) -> Option<CanvasCursor> {
        self.0.draw(canvas, area, &app.skin);
        None
    }

    fn is_modal(&self) -> bool {
        true
    }
}
