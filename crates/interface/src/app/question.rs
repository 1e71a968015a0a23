//! A modal question: one of its answers has an effect, the others only close it.

use tui::{
    Canvas, CanvasCursor, HostEvent, Layer, LayerOutcome, Rect,
    widgets::{Modal, ModalOutcome},
};

use super::model::InterfaceState;

/// Asks; `act` runs if the answer at `index` is chosen.
pub(super) fn ask(
    app: &mut InterfaceState,
    modal: Modal,
    index: usize,
    act: impl FnOnce(&mut InterfaceState) + 'static,
) {
    app.open(QuestionLayer { modal, index, act: Some(act) });
}

struct QuestionLayer<F> {
    modal: Modal,
    index: usize,
    act: Option<F>,
}

impl<F: FnOnce(&mut InterfaceState)> Layer<InterfaceState> for QuestionLayer<F> {
    fn update(&mut self, event: &HostEvent, app: &mut InterfaceState) -> LayerOutcome<InterfaceState> {
        app.dirty = true;
        match self.modal.update(event, app.area) {
            ModalOutcome::Taken => return LayerOutcome::Taken,
            ModalOutcome::Answered(answer) if answer == self.index => {
                if let Some(act) = self.act.take() {
                    act(app);
                }
            }
            ModalOutcome::Answered(_) | ModalOutcome::Cancelled => {}
        }
        LayerOutcome::Close
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &InterfaceState) -> Option<CanvasCursor> {
        self.modal.draw(canvas, area, &app.skin)
    }

    fn is_modal(&self) -> bool {
        true
    }
}
