//! One line that is asked for, over everything else.

use crate::path_completion::{FolderEntry, complete_path};
use tui::{
    Canvas, CanvasCursor, HostEvent, Layer, LayerOutcome, Rect, Sign, SkinRole, Span,
    widgets::{InputOutcome, LineInput, cut},
};
use vt::input::{Key, KeyEventKind};

use super::model::InterfaceState;

const COLS: u16 = 60;
/// A command line is longer than a name.
const WIDE_COLS: u16 = 100;
/// Entries of a folder that are looked at: more would keep the screen waiting.
const MAX_ENTRIES: usize = 2000;

/// Asks for a line that begins as `text`. What `act` complains of is shown, and the line stays to be mended.
pub(super) fn ask(
    app: &mut InterfaceState,
    title: impl Into<String>,
    text: &str,
    act: impl FnMut(&mut InterfaceState, &str) -> Result<(), String> + 'static,
) {
    let input = LineInput::new(text);
    app.open(LinePrompt { title: title.into(), input, act, completes: false, choices: Vec::new() });
}

/// The same for a command line: Tab completes paths, from the project's folder on.
pub(super) fn ask_for_command(
    app: &mut InterfaceState,
    title: impl Into<String>,
    act: impl FnMut(&mut InterfaceState, &str) -> Result<(), String> + 'static,
) {
    let input = LineInput::default();
    app.open(LinePrompt { title: title.into(), input, act, completes: true, choices: Vec::new() });
}

struct LinePrompt<F> {
    title: String,
    input: LineInput,
    act: F,
    /// Tab completes paths.
    completes: bool,
    /// What the last Tab left open.
    choices: Vec<String>,
}

/// What a folder holds, as far as it can be read. A folder of many thousand entries is completed by its first ones.
fn entries_of(app: &InterfaceState, folder: &str) -> Vec<FolderEntry> {
    let path = match folder.strip_prefix("~/") {
        Some(rest) => app.surroundings.home.join(rest),
        None => app.project.as_ref().map_or(folder.into(), |project| project.project_dir().join(folder)),
    };
    let entry = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().ok().filter(|name| !name.contains(char::is_control))?;
        // A link to a folder is one.
        let is_folder = entry.path().is_dir();
        Some(FolderEntry { name, is_folder })
    };
    let Ok(found) = std::fs::read_dir(path) else { return Vec::new() };
    found.flatten().take(MAX_ENTRIES).filter_map(entry).collect()
}

impl<F: FnMut(&mut InterfaceState, &str) -> Result<(), String>> Layer<InterfaceState> for LinePrompt<F> {
    fn update(&mut self, event: &HostEvent, app: &mut InterfaceState) -> LayerOutcome<InterfaceState> {
        app.dirty = true;
        match event {
            HostEvent::Paste(text) => self.input.insert(text),
            HostEvent::Key(key) if self.completes && key.key == Key::Tab && key.kind != KeyEventKind::Release => {
                let completed = complete_path(self.input.text(), |folder| entries_of(app, folder));
                self.input = LineInput::new(completed.line);
                self.choices = completed.choices;
            }
            HostEvent::Key(key) => match self.input.update(key) {
                InputOutcome::Changed => self.choices.clear(),
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
        let cols = if self.completes { WIDE_COLS } else { COLS };
        let place = area.centered(area.cols.saturating_sub(4).min(cols), 3 + u16::from(self.completes));
        let ground = skin.style(SkinRole::Modal);
        for row in 0..place.rows {
            canvas.draw_line(place, row, &[], ground);
        }
        let title = [Span::new(format!(" {} ", self.title), skin.style(SkinRole::Heading))];
        canvas.draw_box(place, skin.glyphs.box_lines(), skin.style(SkinRole::BorderFocused), &title);
        let inside = place.inner(2, 1);
        if self.completes {
            let (_, below) = inside.split_bottom(1);
            let said = match self.choices.as_slice() {
                [] => "Tab completes files and folders of the project".to_owned(),
                choices => choices.join("  "),
            };
            let said = cut(&said, usize::from(below.cols), skin.glyphs.more());
            canvas.draw_line(below, 0, &[Span::new(said, skin.style(SkinRole::Muted))], ground);
        }
        self.input.draw(canvas, inside.split_top(1).0, ground)
    }

    fn is_modal(&self) -> bool {
        true
    }
}
