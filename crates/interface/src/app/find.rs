//! Find in all sessions on the screen: searches beside the loop, and goes to the line that is chosen.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use crate::find::{FindHit, FindInAll, FindOutcome, MAX_HITS};
use engine::{MatchPlace, Pattern, SearchRequest, SessionId};
use tui::{Canvas, CanvasCursor, HostEvent, Layer, LayerOutcome, Rect, Sign, plain_text_pattern};

use super::{look_back, model::InterfaceState, sources::SessionHandle};

/// Lines of one session that are listed.
const MAX_OF_ONE: usize = 100;
/// Bytes of text that are kept of one session.
const MAX_BYTES: usize = 1 << 20;

/// What is being looked for, while the layer is open.
#[derive(Debug, Default)]
pub(crate) struct FindState {
    find: FindInAll<SessionId>,
    /// The newest search: older ones stop when they see it.
    newest: Arc<AtomicU64>,
}

pub(super) fn open(app: &mut InterfaceState) {
    app.find = FindState::default();
    app.open(FindLayer);
}

/// What a search found: the lines, and whether there are more.
type FoundLines = (Vec<FindHit<SessionId>>, bool);

/// Searches all sessions, those in sight of the person first; none if a newer search has begun.
fn search(sessions: &[(SessionHandle, String)], pattern: &Pattern, goes_on: impl Fn() -> bool) -> Option<FoundLines> {
    let (mut hits, mut has_more) = (Vec::new(), false);
    for (session, name) in sessions {
        if !goes_on() {
            return None;
        }
        if hits.len() >= MAX_HITS {
            return Some((hits, true));
        }
        let request =
            SearchRequest { pattern: pattern.clone(), limit: MAX_OF_ONE, before: 0, after: 0, max_bytes: MAX_BYTES };
        let found = session.search(&request);
        has_more |= found.truncated;
        hits.extend(found.matches.into_iter().map(|found| FindHit {
            session: session.id(),
            name: name.clone(),
            line: match found.place {
                MatchPlace::Line(line) => Some(line),
                MatchPlace::Row(_) | MatchPlace::Output => None,
            },
            text: found.text.trim().to_owned(),
        }));
    }
    Some((hits, has_more))
}

fn begin(app: &mut InterfaceState, number: u64, query: &str) {
    let pattern = match Pattern::new(&plain_text_pattern(query)) {
        Ok(pattern) => pattern,
        Err(error) => return app.toast(Sign::Failed, error.to_string()),
    };
    let here = app.session_id();
    let mut items: Vec<_> = app.sessions.items().iter().collect();
    // A coordinator may take its time: our own sessions do not wait for that.
    items.sort_by_key(|item| (Some(item.id) != here, item.remote.is_some()));
    let sessions: Vec<(SessionHandle, String)> =
        items.into_iter().map(|item| (item.session.clone(), item.name.clone())).collect();
    app.find.newest.store(number, Ordering::Relaxed);
    let (newest, loop_tasks) = (app.find.newest.clone(), app.loop_tasks());
    app.tasks.spawn_blocking(move || {
        if let Some((hits, has_more)) = search(&sessions, &pattern, || newest.load(Ordering::Relaxed) == number) {
            let _ = loop_tasks.send(Box::new(move |app: &mut InterfaceState| {
                app.find.find.found(number, hits, has_more);
                app.dirty = true;
            }));
        }
    });
}

struct FindLayer;

impl Layer<InterfaceState> for FindLayer {
    fn update(&mut self, event: &HostEvent, app: &mut InterfaceState) -> LayerOutcome<InterfaceState> {
        app.dirty = true;
        let area = app.area;
        match app.find.find.update(event, area) {
            FindOutcome::Taken => LayerOutcome::Taken,
            FindOutcome::Closed => LayerOutcome::Close,
            FindOutcome::Search { number, query } => {
                begin(app, number, &query);
                LayerOutcome::Taken
            }
            FindOutcome::Go(hit) => {
                let pattern = plain_text_pattern(app.find.find.query());
                app.show(hit.session);
                if let Some(line) = hit.line {
                    look_back::go_to_line(app, line, &pattern);
                }
                LayerOutcome::Close
            }
        }
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &InterfaceState) -> Option<CanvasCursor> {
        app.find.find.draw(canvas, area, &app.skin)
    }

    fn is_modal(&self) -> bool {
        true
    }
}
