//! The name of a new scratchpad, typed.

use project::PadName;
use tui::{
    Canvas, CanvasCursor, Event, Handled, Layer, Rect, Role, Sign, Span,
    widgets::{InputOutcome, LineInput},
};

use crate::app::model::App;

#[derive(Debug, Default)]
pub(super) struct Naming {
    input: LineInput,
}

impl Layer<App> for Naming {
    fn update(&mut self, event: &Event, app: &mut App) -> Handled<App> {
        app.dirty = true;
        match event {
            Event::Paste(text) => self.input.insert(text),
            Event::Key(key) => match self.input.update(key) {
                InputOutcome::Cancelled => return Handled::Close,
                InputOutcome::Submitted => match PadName::new(self.input.text().trim()) {
                    Ok(name) => {
                        super::create(app, name);
                        return Handled::Close;
                    }
                    Err(error) => app.toast(Sign::Failed, error.to_string()),
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
        let title = [Span::new(" name of the scratchpad ", skin.style(Role::Heading))];
        canvas.draw_box(place, skin.glyphs.box_lines(), skin.style(Role::BorderFocused), &title);
        self.input.draw(canvas, place.inner(2, 1), ground)
    }

    fn is_modal(&self) -> bool {
        true
    }
}
