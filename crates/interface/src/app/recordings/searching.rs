//! Searches when text was on the screen of a recording: beside the loop, with its progress shown; Escape cancels.

use std::sync::Arc;

use replay::{Sighting, SightingSearch, Tape, clock};
use tokio::sync::watch;
use tui::{Canvas, CanvasCursor, HostEvent, Layer, LayerOutcome, Rect, Sign, SkinRole, Span};
use vt::input::{Key, KeyEventKind};

use super::{beside, playing, with_tape};
use crate::app::{
    line_prompt,
    model::InterfaceState,
    palette::{self, Palette, PaletteEntry},
};

/// How many sightings are listed: more than anyone reads.
const MAX_FOUND: usize = 500;
/// Bytes of output between two checks for cancellation: a few milliseconds of work.
const WORK: usize = 1 << 18;

pub(super) fn ask_pattern(app: &mut InterfaceState, name: &str) {
    let name = name.to_owned();
    line_prompt::ask(app, "text that was on screen (a regular expression)", "", move |app, text| {
        let pattern = replay::pattern(text).map_err(|error| error.to_string())?;
        begin(app, &name, |tape| SightingSearch::new(tape, pattern, MAX_FOUND));
        Ok(())
    });
}

fn begin(app: &mut InterfaceState, name: &str, search_in: impl FnOnce(Arc<Tape>) -> SightingSearch + Send + 'static) {
    // The channel also signals both ends: the receiver is gone after a cancellation, the sender when the search is
    // done.
    let (told, percent) = watch::channel(0);
    app.open(Searching { name: name.to_owned(), percent });
    with_tape(app, name, move |app, name, tape| {
        let (name, tape, loop_tasks) = (name.to_owned(), Arc::new(tape), app.loop_tasks());
        let searched = Arc::clone(&tape);
        let work = move || {
            let found = finish(search_in(searched), |percent| {
                if told.send_if_modified(|known| std::mem::replace(known, percent) != percent) {
                    let _ = loop_tasks.send(Box::new(|app| app.dirty = true));
                }
                !told.is_closed()
            });
            found.map(|found| (found, told))
        };
        beside(app, work, move |app, found| {
            if let Some((found, told)) = found
                && !told.is_closed()
            {
                list(app, name, tape, found);
            }
        });
    });
}

/// After each piece of work, asks whether to go on and reports the progress in percent. `None` if the search was
/// cancelled.
fn finish(mut search: SightingSearch, mut goes_on: impl FnMut(usize) -> bool) -> Option<Vec<Sighting>> {
    loop {
        if !goes_on(search.percent()) {
            return None;
        }
        if search.go_on(WORK) {
            return Some(search.found());
        }
    }
}

/// The times at which the text was visible; choosing one plays the recording from there.
fn list(app: &mut InterfaceState, name: String, tape: Arc<Tape>, found: Vec<Sighting>) {
    if found.is_empty() {
        app.toast(Sign::Unknown, format!("nothing on the screens of {name} matches"));
        return;
    }
    let found = Arc::new(found);
    let entries = found.iter().enumerate().map(|(number, one)| {
        let until = one.until.map_or_else(|| "end".to_owned(), clock);
        let (name, tape, found) = (name.clone(), Arc::clone(&tape), Arc::clone(&found));
        let show = move |app: &mut InterfaceState| playing::show(app, &name, tape, found.to_vec(), number);
        // The time first: a line may be longer than the list is wide.
        let text = format!("{} – {until}  {}", clock(one.from), one.line.trim());
        PaletteEntry::new(format!("sighting/{number}"), text, show)
    });
    let entries = entries.collect();
    app.open(Palette::new("when it was on screen", entries));
}

/// The progress display. Dropping it cancels the search.
#[derive(Debug)]
struct Searching {
    name: String,
    percent: watch::Receiver<usize>,
}

impl Layer<InterfaceState> for Searching {
    fn update(&mut self, event: &HostEvent, app: &mut InterfaceState) -> LayerOutcome<InterfaceState> {
        match event {
            HostEvent::Key(key) if key.key == Key::Escape && key.kind != KeyEventKind::Release => {
                app.toast(Sign::Exited, format!("the search in {} was cancelled", self.name));
                LayerOutcome::Close
            }
            _ => LayerOutcome::Taken,
        }
    }

    fn is_over(&self) -> bool {
        self.percent.has_changed().is_err()
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &InterfaceState) -> Option<CanvasCursor> {
        let skin = &app.skin;
        let place = palette::place_for(area, 1);
        palette::frame(canvas, place, &format!("searching {}", self.name), app);
        let percent = Span::new(format!("{:>3} %  ", *self.percent.borrow()), skin.style(SkinRole::Text));
        let hint =
            [Span::new("Esc", skin.style(SkinRole::KeyName)), Span::new(" ends it", skin.style(SkinRole::Muted))];
        let line: Vec<Span<'_>> = [percent].into_iter().chain(hint).collect();
        canvas.draw_line(place.inner(1, 1), 0, &line, skin.style(SkinRole::Text));
        None
    }

    fn is_modal(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use replay::TapeLimits;

    use super::*;

    #[test]
    fn a_search_ends_when_nobody_waits_for_it() {
        let mut file = "{\"version\":2,\"width\":20,\"height\":2}\n".to_owned();
        for number in 0..20 {
            file += &format!("[{number},\"o\",\"{}\\r\\nline {number}\\r\\n\"]\n", "x".repeat(100_000));
        }
        let tape = Arc::new(Tape::read(file.as_bytes(), TapeLimits::default()).unwrap());
        let found = |most: usize| {
            let mut asked = 0;
            let search = SightingSearch::new(Arc::clone(&tape), replay::pattern("line").unwrap(), MAX_FOUND);
            let found = finish(search, |percent| {
                asked += 1;
                assert!(percent < 100);
                asked <= most
            });
            (found.map(|found| found.len()), asked)
        };
        assert_eq!(found(2), (None, 3));
        let (all, asked) = found(usize::MAX);
        assert!(all == Some(20) && asked > 5, "{all:?} {asked}");
    }
}
