//! A question over everything else: one of its answers does something, the others only close it.

use tui::{
    Canvas, CanvasCursor, Event, Handled, Layer, Rect,
    widgets::{Modal, ModalOutcome},
};

use super::model::App;

/// Asks; `act` runs when the answer at `index` is given.
pub(super) fn ask(app: &mut App, modal: Modal, index: usize, act: impl FnOnce(&mut App) + 'static) {
    app.open(QuestionLayer { modal, index, act: Some(act) });
}

struct QuestionLayer<F> {
    modal: Modal,
    index: usize,
    act: Option<F>,
}

impl<F: FnOnce(&mut App)> Layer<App> for QuestionLayer<F> {
    fn update(&mut self, event: &Event, app: &mut App) -> Handled<App> {
        app.dirty = true;
        match self.modal.update(event, app.area) {
            ModalOutcome::Taken => return Handled::Taken,
            ModalOutcome::Answered(answer) if answer == self.index => {
                if let Some(act) = self.act.take() {
                    act(app);
                }
            }
            ModalOutcome::Answered(_) | ModalOutcome::Cancelled => {}
        }
        Handled::Close
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &App) -> Option<CanvasCursor> {
        self.modal.draw(canvas, area, &app.skin)
    }

    fn is_modal(&self) -> bool {
        true
    }
}
