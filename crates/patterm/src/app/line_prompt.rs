//! One line that is asked for, over everything else.

use tui::{
    Canvas, CanvasCursor, HostEvent, Layer, LayerOutcome, Rect, Sign, SkinRole, Span,
    widgets::{InputOutcome, LineInput},
};

use super::model::InterfaceState;

/// Asks for a line that begins as `text`. What `act` complains of is shown, and the line stays to be mended.
pub(super) fn ask(
    app: &mut InterfaceState,
    title: impl Into<String>,
    text: &str,
    act: impl FnMut(&mut InterfaceState, &str) -> Result<(), String> + 'static,
) {
    app.open(LinePrompt { title: title.into(), input: LineInput::new(text), act });
}

struct LinePrompt<F> {
    title: String,
    input: LineInput,
    act: F,
}

impl<F: FnMut(&mut InterfaceState, &str) -> Result<(), String>> Layer<InterfaceState> for LinePrompt<F> {
    fn update(&mut self, event: &HostEvent, app: &mut InterfaceState) -> LayerOutcome<InterfaceState> {
        app.dirty = true;
        match event {
            HostEvent::Paste(text) => self.input.insert(text),
            HostEvent::Key(key) => match self.input.update(key) {
                InputOutcome::Cancelled => return LayerOutcome::Close,
                InputOutcome::Submitted => match (self.act)(app, self.input.text().trim()) {
                    Ok(()) => return LayerOutcome::Close,
                    Err(complaint) => app.toast(Sign::Failed, complaint),
                },
                _ => {}
            },
            _ => {}
        }
        LayerOutcome::Taken
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &InterfaceState) -> Option<CanvasCursor> {
        let skin = &app.skin;
        let place = area.centered(area.cols.saturating_sub(4).min(60), 3);
        let ground = skin.style(SkinRole::Modal);
        for row in 0..place.rows {
            canvas.draw_line(place, row, &[], ground);
        }
        let title = [Span::new(format!(" {} ", self.title), skin.style(SkinRole::Heading))];
        canvas.draw_box(place, skin.glyphs.box_lines(), skin.style(SkinRole::BorderFocused), &title);
        self.input.draw(canvas, place.inner(2, 1), ground)
    }

    fn is_modal(&self) -> bool {
        true
    }
}
