//! The session picker: the sessions of all coordinators, filtered by typing, with a live preview of the one under the
//! cursor.

use fleet::{SessionRef, is_running, reference};
use grpc::proto::Session;
use tui::{
    Canvas, CanvasCursor, HostEvent, Layer, LayerOutcome, PaneView, Rect, Sign, SkinRole, Span,
    widgets::{FuzzyList, ListEntry, ListOutcome},
};

use super::{address, opening, preview};
use crate::app::{
    model::InterfaceState,
    sources::{SourceConnection, SourceSession, clean_name, clean_text},
};

/// Identifies the preview's pane across frames.
const SLOT: u64 = 2;
/// Characters of a command line.
const MAX_DETAIL: usize = 300;
/// Below this width there is no preview.
const ROOM_FOR_PREVIEW: u16 = 70;

/// What choosing an entry of the list does.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PickerChoice {
    Open(SessionRef),
    /// A coordinator without sessions: says why there are none.
    Explain(Sign, String),
}

#[derive(Debug)]
pub(super) struct SessionPicker {
    list: FuzzyList,
    choices: Vec<PickerChoice>,
    previewed: Option<SessionRef>,
    /// What the list was made of.
    revision: u64,
}

impl SessionPicker {
    pub(super) fn new(app: &mut InterfaceState) -> Self {
        let mut picker =
            SessionPicker { list: FuzzyList::default(), choices: Vec::new(), previewed: None, revision: 0 };
        picker.look(app);
        picker
    }

    fn look(&mut self, app: &mut InterfaceState) {
        let (entries, choices) = entries(app).into_iter().unzip();
        self.choices = choices;
        self.revision = app.remote.revision;
        self.list.set_entries(entries);
        self.preview(app);
    }

    /// Shows the session under the cursor beside the list, if there is room.
    fn preview(&mut self, app: &mut InterfaceState) {
        let choice = self.list.current().and_then(|index| self.choices.get(index));
        let place = places(app.area).1;
        let wanted = match (choice, place) {
            (Some(PickerChoice::Open(session)), Some(_)) => Some(session.clone()),
            _ => None,
        };
        if wanted != self.previewed {
            let size = place.unwrap_or(app.area).inner(1, 1).size();
            preview::show(app, wanted.as_ref(), size);
            self.previewed = wanted;
        }
    }

    fn choose(&self, index: usize, app: &mut InterfaceState) {
        match self.choices.get(index) {
            Some(PickerChoice::Open(session)) => opening::open(app, session),
            Some(PickerChoice::Explain(sign, why)) => app.toast(*sign, why.clone()),
            None => {}
        }
    }
}

/// The list, and the preview beside it.
fn places(area: Rect) -> (Rect, Option<Rect>) {
    let outer = area.inner(1, 1);
    if outer.cols < ROOM_FOR_PREVIEW {
        return (outer, None);
    }
    let (list, preview) = outer.split_left(outer.cols * 2 / 5);
    (list, Some(preview))
}

/// The sessions of each coordinator, or why it has none.
fn entries(app: &InterfaceState) -> Vec<(ListEntry, PickerChoice)> {
    let mut entries = Vec::new();
    for (place, member) in app.remote.roster.members().iter().enumerate() {
        let coordinator = clean_name(&member.coordinator.name);
        let nothing = match &member.silence {
            Some(why) => Some((clean_text(why.lines().next().unwrap_or_default()), Sign::Failed)),
            None if member.client.is_none() => Some(("asking…".to_owned(), Sign::Starting)),
            None if member.sessions.is_empty() => Some(("it has no sessions".to_owned(), Sign::Idle)),
            None => None,
        };
        if let Some((why, sign)) = nothing {
            let choice = PickerChoice::Explain(sign, format!("{coordinator}: {why}"));
            entries.push((ListEntry { detail: why, sign: Some(sign), ..ListEntry::new(coordinator) }, choice));
        }
        for session in &member.sessions {
            let found = reference(place, session);
            let here = app.remote.opened_as(&found).is_some();
            let entry = ListEntry {
                detail: clean_text(&detail(session, here)),
                sign: Some(sign(session)),
                ..ListEntry::new(address(app, &member.coordinator.name, &session.name))
            };
            entries.push((entry, PickerChoice::Open(found)));
        }
    }
    entries
}

impl Layer<InterfaceState> for SessionPicker {
    fn update(&mut self, event: &HostEvent, app: &mut InterfaceState) -> LayerOutcome<InterfaceState> {
        app.dirty = true;
        let outcome = self.list.update(event, places(app.area).0.inner(1, 1));
        match outcome {
            ListOutcome::Taken | ListOutcome::Passed => {
                self.preview(app);
                return LayerOutcome::Taken;
            }
            ListOutcome::Chosen(index) => self.choose(index, app),
            // There is nothing else to see.
            ListOutcome::Cancelled => app.done |= app.attach.is_some() && app.sessions.is_empty(),
        }
        preview::show(app, None, app.area.size());
        LayerOutcome::Close
    }

    fn refresh(&mut self, app: &mut InterfaceState) {
        // The preview's frames come through here as well.
        if self.revision != app.remote.revision {
            self.look(app);
        }
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &InterfaceState) -> Option<CanvasCursor> {
        let (list, preview) = places(area);
        let skin = &app.skin;
        let ground = skin.style(SkinRole::Modal);
        (0..list.rows).for_each(|row| canvas.draw_line(list, row, &[], ground));
        let silent = app.remote.roster.members().iter().filter(|member| member.silence.is_some()).count();
        let mut title = vec![Span::new(" Sessions ", skin.style(SkinRole::Heading))];
        match silent {
            0 if app.remote.roster.complete() => {}
            0 => title.push(Span::new(skin.glyphs.text("asking… "), skin.style(SkinRole::Muted))),
            1 => title.push(Span::new("1 coordinator silent ", skin.style(SkinRole::Warning))),
            _ => title.push(Span::new(format!("{silent} coordinators silent "), skin.style(SkinRole::Warning))),
        }
        canvas.draw_box(list, skin.glyphs.box_lines(), skin.style(SkinRole::BorderFocused), &title);
        let cursor = self.list.draw(canvas, list.inner(1, 1), "> ", skin);
        if let Some(preview) = preview {
            draw_preview(canvas, preview, app);
        }
        cursor
    }

    fn is_modal(&self) -> bool {
        true
    }
}

fn draw_preview(canvas: &mut Canvas, area: Rect, app: &InterfaceState) {
    let (inner, skin) = (area.inner(1, 1), &app.skin);
    let session = app.remote.preview.session();
    let standing = session.and_then(|session| session.remote());
    let mut title = vec![Span::new(
        session.and_then(|session| session.name()).map_or_else(String::new, |name| format!(" {name} ")),
        skin.style(SkinRole::Muted),
    )];
    let word = match standing.as_ref().map(|standing| &standing.connection) {
        Some(SourceConnection::Connecting) => "asking… ",
        Some(SourceConnection::Lost(_)) => "LOST ",
        Some(SourceConnection::Gone(_)) => "GONE ",
        Some(SourceConnection::Live | SourceConnection::Silent) | None => "",
    };
    title.push(Span::new(skin.glyphs.text(word), skin.style(SkinRole::Warning)));
    canvas.draw_box(area, skin.glyphs.box_lines(), skin.style(SkinRole::Border), &title);
    match session {
        Some(session) => {
            let frame = session.frame();
            let view = PaneView::frame(&frame).cropped(PaneView::offset_for(&frame, inner)).with_cursor(None);
            view.with_themes(&frame.theme, &fleet::PLAIN_THEME).draw(canvas, inner, SLOT);
        }
        None => (0..inner.rows).for_each(|row| canvas.draw_line(inner, row, &[], skin.style(SkinRole::Text))),
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
        (false, "") if session.state == "errored" => "never ran".into(),
        (false, "") => format!("exited {} ", session.exit_code),
        (false, signal) => format!("exited {signal} "),
    };
    if here {
        detail.push_str("(here) ");
    }
    let words = session.argv.iter().flat_map(|word| [word.as_str(), " "]).flat_map(str::chars);
    detail.extend(words.take(MAX_DETAIL));
    detail.truncate(detail.trim_end().len());
    detail
}

#[cfg(test)]
mod tests {
    use grpc::proto::SessionStatus;

    use super::*;

    #[test]
    fn an_entry_says_how_a_session_stands() {
        let argv = vec!["sh".to_owned(), "-c".to_owned(), "make".to_owned()];
        let runs = Session { argv, status: SessionStatus::Running.into(), ..Session::default() };
        assert_eq!((sign(&runs), detail(&runs, false)), (Sign::Running, "sh -c make".into()));
        assert_eq!(detail(&runs, true), "(here) sh -c make");
        let ended = |exit_code, signal: &str, state: &str| Session {
            status: SessionStatus::Exited.into(),
            exit_code,
            signal: signal.into(),
            state: state.into(),
            ..Session::default()
        };
        let says = |session: Session| (sign(&session), detail(&session, false));
        assert_eq!(says(ended(0, "", "exited")), (Sign::Exited, "exited 0".into()));
        assert_eq!(says(ended(2, "", "exited")), (Sign::Failed, "exited 2".into()));
        assert_eq!(says(ended(137, "SIGKILL", "stopped")), (Sign::Failed, "exited SIGKILL".into()));
        assert_eq!(says(ended(0, "", "errored")), (Sign::Failed, "never ran".into()));
    }

    #[test]
    fn a_narrow_screen_has_the_list_alone() {
        let wide = Rect { row: 0, col: 0, cols: 100, rows: 24 };
        let (list, preview) = places(wide);
        assert!(preview.is_some_and(|preview| preview.col == list.right() && preview.cols > list.cols));
        assert_eq!(places(Rect { cols: 71, ..wide }).1, None);
    }
}
