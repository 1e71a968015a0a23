//! The session picker: a list across all coordinators that is filtered by typing, with a live preview of the session
//! under the cursor.

use fleet::{PLAIN_THEME, SessionRef, is_running, reference};
use grpc::proto::Session;
use program::printable;
use tui::{
    Canvas, CanvasCursor, HostEvent, Layer, LayerOutcome, PaneView, Rect, Sign, SkinRole, Span,
    widgets::{FuzzyList, ListEntry, ListOutcome},
};

use super::app::{AttachAction, AttachState, crop};

/// Identifies the preview's pane across frames.
const SLOT: u64 = 2;
/// Below this width there is no preview.
const ROOM_FOR_PREVIEW: u16 = 70;

#[derive(Debug)]
pub(crate) struct SessionPicker {
    list: FuzzyList,
    sessions: Vec<SessionRef>,
    previewed: Option<SessionRef>,
}

impl SessionPicker {
    pub(crate) fn open(app: &mut AttachState) -> Self {
        app.actions.push(AttachAction::LookForCoordinators);
        let mut picker = SessionPicker { list: FuzzyList::default(), sessions: Vec::new(), previewed: None };
        picker.look(app);
        picker
    }

    fn look(&mut self, app: &mut AttachState) {
        let current = app.shown.as_ref().map(|shown| shown.session.clone());
        let mut entries = Vec::new();
        self.sessions.clear();
        for (place, session) in app.roster.all() {
            let member = app.roster.member(place).expect("the roster lists only sessions of its own members");
            let found = reference(place, session);
            let here = current.as_ref() == Some(&found);
            entries.push(ListEntry {
                text: printable(&app.address(&member.coordinator.name, &session.name)),
                detail: printable(&detail(session, here)),
                sign: Some(sign(session)),
                ..ListEntry::default()
            });
            self.sessions.push(found);
        }
        self.list.set_entries(entries);
        self.preview(app);
    }

    /// Shows the session under the cursor beside the list.
    fn preview(&mut self, app: &mut AttachState) {
        let wanted = self.list.current().and_then(|index| self.sessions.get(index)).cloned();
        if wanted != self.previewed {
            self.previewed.clone_from(&wanted);
            app.actions.push(AttachAction::Preview(wanted));
        }
    }

    fn places(area: Rect) -> (Rect, Option<Rect>) {
        let outer = area.inner(1, 1);
        if outer.cols < ROOM_FOR_PREVIEW {
            return (outer, None);
        }
        let (list, preview) = outer.split_left(outer.cols * 2 / 5);
        (list, Some(preview))
    }

    fn close(app: &mut AttachState) -> LayerOutcome<AttachState> {
        app.actions.push(AttachAction::Preview(None));
        LayerOutcome::Close
    }
}

impl Layer<AttachState> for SessionPicker {
    fn update(&mut self, event: &HostEvent, app: &mut AttachState) -> LayerOutcome<AttachState> {
        let outcome = self.list.update(event, Self::places(app.area).0.inner(1, 1));
        self.preview(app);
        match outcome {
            ListOutcome::Chosen(index) => {
                if let Some(session) = self.sessions.get(index) {
                    app.actions.push(AttachAction::Show(session.clone()));
                }
                Self::close(app)
            }
            ListOutcome::Cancelled => {
                if app.shown.is_none() {
                    app.actions.push(AttachAction::Detach);
                }
                Self::close(app)
            }
            ListOutcome::Taken | ListOutcome::Passed => LayerOutcome::Taken,
        }
    }

    fn refresh(&mut self, app: &mut AttachState) {
        self.look(app);
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &AttachState) -> Option<CanvasCursor> {
        let (list, preview) = Self::places(area);
        let skin = &app.skin;
        let ground = skin.style(SkinRole::Modal);
        (0..list.rows).for_each(|row| canvas.draw_line(list, row, &[], ground));
        let silent = app.roster.members().iter().filter(|member| member.silence.is_some()).count();
        let mut title = vec![Span::new(" Sessions ", skin.style(SkinRole::Heading))];
        if silent > 0 {
            title.push(Span::new(format!("{silent} coordinators silent "), skin.style(SkinRole::Warning)));
        } else if !app.roster.complete() {
            title.push(Span::new("asking… ", skin.style(SkinRole::Muted)));
        }
        canvas.draw_box(list, skin.glyphs.box_lines(), skin.style(SkinRole::BorderFocused), &title);
        let cursor = self.list.draw(canvas, list.inner(1, 1), "> ", skin);
        if let Some(preview) = preview {
            self.draw_preview(canvas, preview, app);
        }
        cursor
    }

    fn is_modal(&self) -> bool {
        true
    }
}

impl SessionPicker {
    fn draw_preview(&self, canvas: &mut Canvas, area: Rect, app: &AttachState) {
        let inner = area.inner(1, 1);
        let skin = &app.skin;
        let session = self.previewed.as_ref().and_then(|session| app.roster.find(session));
        let title = session.map(|session| format!(" {} ", printable(&session.name))).unwrap_or_default();
        canvas.draw_box(
            area,
            skin.glyphs.box_lines(),
            skin.style(SkinRole::Border),
            &[Span::new(title, skin.style(SkinRole::Muted))],
        );
        match app.preview.as_ref().and_then(|preview| preview.mirror.frame()) {
            Some(frame) => {
                let offset = crop(frame, inner);
                let view = PaneView::frame(frame).cropped(offset).with_cursor(None);
                view.with_themes(&frame.theme, &PLAIN_THEME).draw(canvas, inner, SLOT);
            }
            None => (0..inner.rows).for_each(|row| canvas.draw_line(inner, row, &[], skin.style(SkinRole::Text))),
        }
    }
}

fn sign(session: &Session) -> Sign {
    match (is_running(session), session.exit_code, session.signal.as_str()) {
        (true, ..) => Sign::Running,
        (false, 0, "") if session.state != "errored" => Sign::Exited,
        _ => Sign::Failed,
    }
}

fn detail(session: &Session, here: bool) -> String {
    let mut detail = match (is_running(session), session.signal.as_str()) {
        (true, _) => String::new(),
        (false, "") if session.state == "errored" => "never ran ".into(),
        (false, "") => format!("exited {} ", session.exit_code),
        (false, signal) => format!("exited {signal} "),
    };
    if here {
        detail.push_str("(here) ");
    }
    detail.push_str(&session.argv.join(" "));
    detail
}
