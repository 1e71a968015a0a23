//! One line that is asked for, over everything else.

use tui::{
    Canvas, CanvasCursor, Event, Handled, Layer, Rect, Role, Sign, Span,
    widgets::{InputOutcome, LineInput},
};

use super::model::App;

/// Asks for a line that begins as `text`. What `act` complains of is shown, and the line stays to be mended.
pub(super) fn ask(
    app: &mut App,
    title: impl Into<String>,
    text: &str,
    act: impl FnMut(&mut App, &str) -> Result<(), String> + 'static,
) {
    app.open(LinePrompt { title: title.into(), input: LineInput::new(text), act });
}

struct LinePrompt<F> {
    title: String,
    input: LineInput,
    act: F,
}

impl<F: FnMut(&mut App, &str) -> Result<(), String>> Layer<App> for LinePrompt<F> {
    fn update(&mut self, event: &Event, app: &mut App) -> Handled<App> {
        app.dirty = true;
        match event {
            Event::Paste(text) => self.input.insert(text),
            Event::Key(key) => match self.input.update(key) {
                InputOutcome::Cancelled => return Handled::Close,
                InputOutcome::Submitted => match (self.act)(app, self.input.text().trim()) {
                    Ok(()) => return Handled::Close,
                    Err(complaint) => app.toast(Sign::Failed, complaint),
                },
                _ => {}
            },
            _ => {}
        }
        Handled::Taken
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &App) -> Option<CanvasCursor> {
        let skin = &app.skin;
        let place = area.centered(area.cols.saturating_sub(4).min(60), 3);
        let ground = skin.style(Role::Modal);
        for row in 0..place.rows {
            canvas.draw_line(place, row, &[], ground);
        }
        let title = [Span::new(format!(" {} ", self.title), skin.style(Role::Heading))];
        canvas.draw_box(place, skin.glyphs.box_lines(), skin.style(Role::BorderFocused), &title);
        self.input.draw(canvas, place.inner(2, 1), ground)
    }

    fn is_modal(&self) -> bool {
        true
    }
}
