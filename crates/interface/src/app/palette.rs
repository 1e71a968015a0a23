//! The command palette: everything a person can do, found by typing.

mod entries;
mod form;
mod prompt;
mod schema;

use tui::{
    Canvas, CanvasCursor, HostEvent, Layer, LayerOutcome, Rect, Skin, SkinRole, Span,
    widgets::{FuzzyList, ListEntry, ListOutcome, StyledLine, wrap_spans},
};
use vt::input::KeyEventKind;

use super::{commands, model::InterfaceState, pass_through};

/// An entry, and what it does.
pub(crate) struct PaletteEntry {
    /// What it is remembered by when it was taken.
    pub(crate) id: String,
    pub(crate) list: ListEntry,
    pub(crate) action: Action,
}

impl std::fmt::Debug for PaletteEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PaletteEntry").field("id", &self.id).finish_non_exhaustive()
    }
}

/// What taking an entry does: anything to the program, further steps included.
pub(crate) type Action = Box<dyn FnOnce(&mut InterfaceState)>;

impl PaletteEntry {
    pub(crate) fn new(
        id: impl Into<String>,
        text: impl Into<String>,
        action: impl FnOnce(&mut InterfaceState) + 'static,
    ) -> Self {
        PaletteEntry { id: id.into(), list: ListEntry::new(text), action: Box::new(action) }
    }

    pub(crate) fn detail(mut self, detail: impl Into<String>) -> Self {
        self.list.detail = detail.into();
        self
    }
}

/// Opens the palette with everything that makes sense now.
pub(crate) fn open(app: &mut InterfaceState) {
    let palette = Palette::following("commands", entries::all, app);
    app.open(palette);
}

/// Does what the entry of an id does; false if there is none now.
pub(crate) fn run(app: &mut InterfaceState, id: &str) -> bool {
    let entry = entries::all(app).into_iter().find(|entry| entry.id == id);
    entry.map(|entry| (entry.action)(app)).is_some()
}

/// Opens the palette with what can be started.
pub(crate) fn open_on_spawning(app: &mut InterfaceState) {
    let palette = Palette::following("spawn", entries::spawning, app);
    app.open(palette);
}

/// Where a box with `rows` rows inside goes: in the upper part, so that what is below can be read on.
pub(super) fn place_for(area: Rect, rows: usize) -> Rect {
    let cols = area.cols.saturating_sub(4).min(MAX_COLS).max(area.cols.min(24));
    let rows = u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(2).min(MAX_ROWS);
    let rows = rows.min(area.rows.saturating_sub(2).max(area.rows.min(5)));
    let mut place = area.centered(cols, rows);
    place.row = area.row + (area.rows.saturating_sub(rows) / 3).min(3);
    place
}

/// The box, with its title.
pub(super) fn frame(canvas: &mut Canvas, place: Rect, title: &str, app: &InterfaceState) {
    let title = [Span::new(format!(" {} ", app.skin.glyphs.text(title)), app.skin.style(SkinRole::Heading))];
    canvas.draw_box(place, app.skin.glyphs.box_lines(), app.skin.style(SkinRole::BorderFocused), &title);
}

/// Beyond, lines are hard to follow with the eye, and the pane is hidden for nothing.
const MAX_COLS: u16 = 84;
const MAX_ROWS: u16 = 20;
/// Rows below the list for what the current entry has to say; more where it needs them.
const ABOUT_ROWS: u16 = 2;

pub(crate) struct Palette {
    title: &'static str,
    list: FuzzyList,
    entries: Vec<(String, Action)>,
    /// What it lists, for one that goes with what happens.
    source: Option<fn(&InterfaceState) -> Vec<PaletteEntry>>,
    preview: Option<PalettePreview>,
}

/// Shows what the entry under the cursor would do.
struct PalettePreview {
    /// Called with the entry's id, and with `None` when the palette is left and nothing was taken.
    show: fn(&mut InterfaceState, Option<&str>),
    /// The entry that is shown.
    shown: Option<usize>,
}

impl Palette {
    pub(crate) fn new(title: &'static str, entries: Vec<PaletteEntry>) -> Self {
        let (lists, entries) = parted(entries);
        Palette { title, list: FuzzyList::new(lists), entries, source: None, preview: None }
    }

    /// Lists what `source` gives, also when that changes meanwhile.
    pub(crate) fn following(
        title: &'static str,
        source: fn(&InterfaceState) -> Vec<PaletteEntry>,
        app: &InterfaceState,
    ) -> Self {
        Palette { source: Some(source), ..Palette::new(title, source(app)) }
    }

    /// Begins on the entry `here`, and shows what another one would do as soon as the cursor is on it.
    pub(crate) fn with_preview(mut self, here: usize, show: fn(&mut InterfaceState, Option<&str>)) -> Self {
        self.list.go_to(here);
        self.preview = Some(PalettePreview { show, shown: self.list.current() });
        self
    }

    fn preview(&mut self, app: &mut InterfaceState) {
        let current = self.list.current();
        if let Some(preview) = self.preview.as_mut().filter(|preview| preview.shown != current) {
            preview.shown = current;
            (preview.show)(app, current.map(|index| self.entries[index].0.as_str()));
        }
    }

    fn leave(&self, app: &mut InterfaceState) -> LayerOutcome<InterfaceState> {
        if let Some(preview) = &self.preview {
            (preview.show)(app, None);
        }
        LayerOutcome::Close
    }

    /// The box, the list in it, and the rows below for what has no room beside the current entry.
    fn places(&self, area: Rect) -> (Rect, Rect, Rect) {
        // The width of the box does not depend on its rows.
        let cols = place_for(area, 1).inner(1, 1).cols;
        let least = if self.list.cuts_details(cols) { ABOUT_ROWS } else { 0 };
        let needed = u16::try_from(self.about(cols, &Skin::default()).len()).unwrap_or(u16::MAX);
        let place = place_for(area, self.list.full_rows() + usize::from(least));
        let inside = place.inner(1, 1);
        let (list, about) = inside.split_bottom(needed.max(least).min(inside.rows / 2));
        (place, list, about)
    }

    fn about(&self, cols: u16, skin: &Skin) -> Vec<StyledLine> {
        match self.list.cut_detail(cols) {
            "" => Vec::new(),
            detail => {
                let detail = Span::new(detail, skin.style(SkinRole::Muted));
                wrap_spans(&[detail], usize::from(cols.saturating_sub(2)), 0)
            }
        }
    }

    fn take(&mut self, index: usize, app: &mut InterfaceState) -> LayerOutcome<InterfaceState> {
        let (id, action) = self.entries.swap_remove(index);
        app.took(id);
        app.dirty = true;
        action(app);
        LayerOutcome::Close
    }
}

/// How entries look, and what they do.
fn parted(entries: Vec<PaletteEntry>) -> (Vec<ListEntry>, Vec<(String, Action)>) {
    entries.into_iter().map(|entry| (entry.list, (entry.id, entry.action))).unzip()
}

impl Layer<InterfaceState> for Palette {
    fn update(&mut self, event: &HostEvent, app: &mut InterfaceState) -> LayerOutcome<InterfaceState> {
        app.dirty = true;
        if let HostEvent::Key(key) = event
            && key.kind != KeyEventKind::Release
        {
            // The palette's key once more is meant for the program behind it.
            if pass_through::is_palette_key(app, key) {
                if self.list.query().is_empty() {
                    commands::run(app, "send-palette-key");
                }
                return self.leave(app);
            }
        }
        match self.list.update(event, self.places(app.area).1) {
            ListOutcome::Cancelled => self.leave(app),
            ListOutcome::Chosen(index) => self.take(index, app),
            ListOutcome::Taken | ListOutcome::Passed => {
                self.preview(app);
                LayerOutcome::Taken
            }
        }
    }

    fn refresh(&mut self, app: &mut InterfaceState) {
        if let Some(source) = self.source {
            let (lists, entries) = parted(source(app));
            self.list.set_entries(lists);
            self.entries = entries;
        }
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &InterfaceState) -> Option<CanvasCursor> {
        let (place, list, about) = self.places(area);
        frame(canvas, place, self.title, app);
        // What config.json would bind keys to.
        let id =
            self.list.current().map(|index| self.entries[index].0.as_str()).filter(|id| commands::can_be_bound(id));
        if let Some(id) = id {
            let text = format!(" {id} ");
            let cols = u16::try_from(text.len()).unwrap_or(u16::MAX).min(place.cols.saturating_sub(4));
            let bottom = place.line(place.rows.saturating_sub(1)).split_right(cols + 2).1;
            let bottom = Rect { cols, ..bottom };
            canvas.draw_line(
                bottom,
                0,
                &[Span::new(text, app.skin.style(SkinRole::Muted))],
                app.skin.style(SkinRole::BorderFocused),
            );
        }
        let ground = app.skin.style(SkinRole::Text);
        let lines = self.about(about.cols, &app.skin);
        for row in 0..about.rows {
            let line = lines.get(usize::from(row)).map_or(&[][..], Vec::as_slice);
            canvas.draw_line(about, row, &[], ground);
            canvas.draw_line(about.split_left(2).1, row, line, ground);
        }
        let more = self.list.more_below(list);
        if more > 0 {
            let text = format!(" {more} more ");
            let cols = text.len() as u16;
            let left = Rect { col: place.col + 2, cols, ..place.line(place.rows.saturating_sub(1)) };
            canvas.draw_line(
                left,
                0,
                &[Span::new(text, app.skin.style(SkinRole::Accent))],
                app.skin.style(SkinRole::BorderFocused),
            );
        }
        self.list.draw(canvas, list, "> ", &app.skin)
    }

    fn is_modal(&self) -> bool {
        true
    }
}
