//! One scratchpad in full, kept current.

use project::PadName;
use tui::{
    Canvas, CanvasCursor, HostEvent, Layer, LayerOutcome, Rect, SkinRole, Span,
    widgets::{StyledLine, draw_scrollbar, render_markdown},
};
use vt::input::{Key, KeyEventKind, MouseEventKind, WheelDirection};

use crate::app::model::InterfaceState;

pub(super) struct ScratchpadReader {
    name: PadName,
    scroll: usize,
}

impl ScratchpadReader {
    pub(super) fn new(name: PadName) -> Self {
        ScratchpadReader { name, scroll: 0 }
    }

    fn place(area: Rect) -> Rect {
        area.centered(area.cols.saturating_sub(4).min(100), area.rows.saturating_sub(2))
    }

    fn lines(&self, cols: u16, app: &InterfaceState) -> Vec<StyledLine> {
        let muted = app.skin.style(SkinRole::Muted);
        let there = app.scratchpads.pads.iter().any(|pad| pad.name == self.name);
        match app.scratchpads.text(&self.name) {
            _ if !there => vec![vec![Span::new("it was deleted", muted)]],
            Some(Ok(text)) if text.is_empty() => vec![vec![Span::new("it is empty", muted)]],
            Some(Ok(text)) => render_markdown(text, cols, &app.skin),
            Some(Err(why)) => vec![vec![Span::new(why.clone(), app.skin.style(SkinRole::Bad))]],
            None => Vec::new(),
        }
    }

    fn last_scroll(&self, app: &InterfaceState) -> usize {
        let inside = Self::place(app.area).inner(2, 1);
        self.lines(inside.cols, app).len().saturating_sub(usize::from(inside.rows))
    }
}

impl Layer<InterfaceState> for ScratchpadReader {
    fn update(&mut self, event: &HostEvent, app: &mut InterfaceState) -> LayerOutcome<InterfaceState> {
        app.dirty = true;
        let page = usize::from(Self::place(app.area).rows / 2);
        match event {
            HostEvent::Key(key) if key.kind != KeyEventKind::Release => match key.key {
                Key::Escape | Key::Char('q') | Key::Enter => return LayerOutcome::Close,
                Key::Char('e') => {
                    super::edit(app, &self.name);
                    return LayerOutcome::Close;
                }
                Key::Char('d') => super::ask_to_delete(app, self.name.clone()),
                Key::Up | Key::Char('k') => self.scroll = self.scroll.saturating_sub(1),
                Key::Down | Key::Char('j') => self.scroll += 1,
                Key::PageUp => self.scroll = self.scroll.saturating_sub(page),
                Key::PageDown | Key::Char(' ') => self.scroll += page,
                Key::Home | Key::Char('g') => self.scroll = 0,
                Key::End | Key::Char('G') => self.scroll = usize::MAX,
                _ => {}
            },
            HostEvent::Mouse(mouse) => match mouse.kind {
                MouseEventKind::Wheel(WheelDirection::Up) => self.scroll = self.scroll.saturating_sub(3),
                MouseEventKind::Wheel(WheelDirection::Down) => self.scroll += 3,
                MouseEventKind::Press(_)
                    if !Self::place(app.area).contains(vt::Position { row: mouse.row, col: mouse.col }) =>
                {
                    return LayerOutcome::Close;
                }
                _ => {}
            },
            _ => {}
        }
        self.scroll = self.scroll.min(self.last_scroll(app));
        LayerOutcome::Taken
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &InterfaceState) -> Option<CanvasCursor> {
        let skin = &app.skin;
        let place = Self::place(area);
        let ground = skin.style(SkinRole::Modal);
        let inside = place.inner(2, 1);
        let lines = self.lines(inside.cols, app);
        let scroll = self.scroll.min(lines.len().saturating_sub(usize::from(inside.rows)));
        for row in 0..place.rows {
            canvas.draw_line(place, row, &[], ground);
        }
        let (muted, key) = (skin.style(SkinRole::Muted), skin.style(SkinRole::KeyName));
        let title = [
            Span::new(format!(" {} ", self.name.as_str()), skin.style(SkinRole::Heading)),
            Span::new(" e", key),
            Span::new(" edit ", muted),
            Span::new(" d", key),
            Span::new(" delete ", muted),
            Span::new(" Esc", key),
            Span::new(" close ", muted),
        ];
        canvas.draw_box(place, skin.glyphs.box_lines(), skin.style(SkinRole::BorderFocused), &title);
        for row in 0..inside.rows {
            let line = lines.get(scroll + usize::from(row)).map_or(&[][..], Vec::as_slice);
            canvas.draw_line(inside, row, line, ground);
        }
        if lines.len() > usize::from(inside.rows) {
            let (_, bar) = place.inner(0, 1).split_right(1);
            draw_scrollbar(canvas, bar, scroll, lines.len(), skin);
        }
        None
    }

    fn is_modal(&self) -> bool {
        true
    }
}
