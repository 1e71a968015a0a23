//! A modal question, and what its answers do.

use tui::{
    Canvas, CanvasCursor, HostEvent, Layer, LayerOutcome, Rect,
    widgets::{Modal, ModalOutcome},
};

use super::model::InterfaceState;

/// Asks; `act` runs if the answer at `index` is chosen. The others only close the question.
pub(super) fn ask(
    app: &mut InterfaceState,
    modal: Modal,
    index: usize,
    act: impl FnOnce(&mut InterfaceState) + 'static,
) {
    choose(app, modal, move |app, answer| {
        if answer == index {
            act(app);
        }
    });
}

/// Asks; `act` gets the index of the answer that is chosen.
pub(super) fn choose(app: &mut InterfaceState, modal: Modal, act: impl FnOnce(&mut InterfaceState, usize) + 'static) {
    app.open(QuestionLayer { modal, act: Some(act) });
}

struct QuestionLayer<F> {
    modal: Modal,
    act: Option<F>,
}

impl<F: FnOnce(&mut InterfaceState, usize)> Layer<InterfaceState> for QuestionLayer<F> {
    fn update(&mut self, event: &HostEvent, app: &mut InterfaceState) -> LayerOutcome<InterfaceState> {
        app.dirty = true;
        match self.modal.update(event, app.area) {
            ModalOutcome::Taken => return LayerOutcome::Taken,
            ModalOutcome::Answered(answer) => {
                if let Some(act) = self.act.take() {
                    act(app, answer);
                }
            }
            ModalOutcome::Cancelled => {}
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
