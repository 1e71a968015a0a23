//! Looking back: a snapshot of history and screen, to scroll, search and copy in while the session goes on.

use std::sync::Arc;

use fleet::ScreenMirror;
use grpc::proto::{GetHistoryResponse, HistoryLine};
use tui::{
    Canvas, CanvasCursor, CopyMode, CopyOutcome, Document, HostEvent, Layer, LayerOutcome, Rect, SearchDirection,
    SkinRole, Span, widgets::draw_status_line,
};
use vt::{
    Position,
    input::{MouseEventKind, WheelDirection},
};

use super::app::{AttachAction, AttachState};

/// Identifies the pane across frames.
const SLOT: u64 = 3;
/// The key hints, from long to short: the first one that leaves room for the count is shown.
const HINTS: [&str; 4] = [
    " looking back: / searches, v selects, y copies, q leaves",
    " looking back: / search, v select, y copy, q leave",
    " looking back: q leaves",
    " q leaves",
];

#[derive(Debug)]
pub(crate) struct LookingBack(CopyMode);

impl LookingBack {
    /// `None` if there is nothing to show.
    pub(crate) fn new(answer: GetHistoryResponse, pane: Rect) -> Option<Self> {
        let mut mirror = ScreenMirror::default();
        let mut line = |line: &HistoryLine| Arc::new(mirror.line(&line.runs, false));
        let lines: Vec<Arc<vt::Line>> = answer.lines.iter().map(&mut line).collect();
        let open = answer.open_line.as_ref().map(line);
        mirror.apply(answer.screen?);
        let frame = mirror.frame()?;
        let document = Document::new(lines, open, frame);
        Some(LookingBack(CopyMode::new(document, frame.cursor.position, pane.rows)))
    }

    pub(crate) fn mode(&mut self) -> &mut CopyMode {
        &mut self.0
    }

    /// How far to scroll right so that the cursor is visible.
    fn left(&self, pane: Rect) -> u16 {
        let col = u16::try_from(self.0.cursor().col).unwrap_or(u16::MAX);
        (col.saturating_add(1)).saturating_sub(pane.cols)
    }
}

impl Layer<AttachState> for LookingBack {
    fn update(&mut self, event: &HostEvent, app: &mut AttachState) -> LayerOutcome<AttachState> {
        let pane = app.pane();
        if let HostEvent::Resize(_) = event {
            self.0.set_rows(pane.rows);
            return LayerOutcome::Passed;
        }
        match self.0.update(event, pane) {
            CopyOutcome::Copied(text) => {
                app.actions.push(AttachAction::Copy(text));
                LayerOutcome::Close
            }
            CopyOutcome::Closed => LayerOutcome::Close,
            CopyOutcome::Taken | CopyOutcome::Passed => {
                // Turning the wheel down past the end returns to the live screen.
                let down = matches!(
                    event,
                    HostEvent::Mouse(mouse) if mouse.kind == MouseEventKind::Wheel(WheelDirection::Down)
                );
                if down && self.0.at_end() && self.0.selection().is_none() {
                    LayerOutcome::Close
                } else {
                    LayerOutcome::Taken
                }
            }
        }
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &AttachState) -> Option<CanvasCursor> {
        let pane = app.pane();
        let marks = self.0.marks(&app.skin);
        let view = self.0.view(&marks).cropped(Position { row: 0, col: self.left(pane) });
        let cursor = view.draw(canvas, pane, SLOT);
        let (_, status) = area.split_bottom(1);
        let accent = app.skin.style(SkinRole::Accent);
        match self.0.prompt() {
            Some((direction, input)) => {
                let sign = if direction == SearchDirection::Down { "/" } else { "?" };
                let (before, line) = status.split_left(1);
                canvas.draw_line(before, 0, &[Span::new(sign, accent)], app.skin.style(SkinRole::Input));
                input.draw(canvas, line, app.skin.style(SkinRole::Input))
            }
            None => {
                let right = [Span::new(format!("{} ", self.0.status()), accent)];
                let room = usize::from(status.cols).saturating_sub(right[0].cols() + 1);
                let hint = HINTS.into_iter().find(|hint| hint.len() <= room).unwrap_or_default();
                let left = [Span::new(hint, accent)];
                draw_status_line(canvas, status, &left, &right, &app.skin);
                cursor
            }
        }
    }

    fn is_modal(&self) -> bool {
        true
    }
}
