//! The help screen: every command with its keys, from the one table, with a filter.

use tui::{
    Canvas, CanvasCursor, HostEvent, Layer, LayerOutcome, Rect, Sign, SkinRole, Span,
    widgets::{HelpEntry, HelpTable, InputOutcome, LineInput, draw_scrollbar},
};
use vt::input::{Key, KeyEventKind, MouseEventKind, WheelDirection};

use super::{
    commands::{self, PALETTE},
    frame::key_name,
    keys,
    model::InterfaceState,
    palette,
};

/// Fixed keys and the mouse, which are not commands.
const FIXED: &[(&str, &str, &str)] = &[
    ("Looking back", "h j k l  w b e  0 $  g G", "move"),
    ("Looking back", "Ctrl-U Ctrl-D  PageUp PageDown", "half a page, a page"),
    ("Looking back", "v  V", "select characters, lines"),
    ("Looking back", "y  Enter", "copy and leave"),
    ("Looking back", "/  ?  n  N", "search forward, backward, next, previous"),
    ("Looking back", "q  Esc", "back to live"),
    ("The rail", "Up  Down  Enter", "through sessions and scratchpads, and to one of them"),
    ("The rail", "Esc", "back to the pane"),
    ("Mouse", "click", "a tab, a session, +, a scratchpad; the status line opens the palette"),
    ("Mouse", "click", "the count in the status line lists what needs you"),
    ("Mouse", "Ctrl-click", "open a link or a URL"),
    ("Mouse", "drag", "select and copy; twice for words, three times for lines"),
    ("Mouse", "wheel", "history; the program's own, if it asked for the mouse"),
    ("Mouse", "Shift-drag", "left to your terminal"),
    ("config.json", "keymap", "keys of your own for the ids in parentheses, agent/NAME, process/NAME, operation/NAME"),
    ("config.json", "theme", "auto, terminal, dark, light, high-contrast, or a file of yours in the folder themes"),
    ("config.json", "signs", "ascii: plain characters for states, lines and marks"),
    ("config.json", "status_line", "what the line at the bottom shows, and in which order"),
    ("config.json", "attention", "the bell, and whether a session that calls for you is shown at once"),
    ("config.json", "all others", "`patterm config default` prints them, `patterm config path` its path"),
];

/// The meaning of the signs before sessions.
const SIGNS: &[(Sign, &str)] = &[
    (Sign::Working, "an agent works"),
    (Sign::Idle, "an agent rests"),
    (Sign::Blocked, "needs you: a decision, or a call for you"),
    (Sign::Running, "a program runs"),
    (Sign::Unseen, "has news that you have not looked at"),
    (Sign::Starting, "is being started"),
    (Sign::Exited, "has ended"),
    (Sign::Failed, "has failed"),
    (Sign::Unknown, "it is not clear what it is doing"),
];

const FIRST_TAB: &str = "tab-1";
const LAST_TAB: &str = "tab-9";

/// How a command is typed, as people write it.
fn keys_of(app: &InterfaceState, id: &str) -> String {
    let keys = |id: &str| app.keymap.keys_of(id).map(|keys| key_name(&keys));
    match id {
        "send-palette-key" => keys(id).or_else(|| keys(PALETTE).map(|key| format!("{key} {key}"))).unwrap_or_default(),
        FIRST_TAB => [keys(FIRST_TAB), keys(LAST_TAB)].into_iter().flatten().collect::<Vec<_>>().join(" to "),
        id => keys(id).unwrap_or_default(),
    }
}

struct HelpScreen {
    table: HelpTable,
    filter: LineInput,
    scroll: usize,
}

pub(super) fn open(app: &mut InterfaceState) {
    // One line stands for the nine that differ in a number.
    let is_further_tab = |id: &str| commands::is_numbered_tab(id) && id != FIRST_TAB;
    let offered = commands::all().filter(|command| command.is_listed(app));
    let mut all: Vec<_> = offered.filter(|command| !is_further_tab(command.id)).collect();
    all.sort_by_key(|command| command.section);
    let mut entries: Vec<HelpEntry> = all
        .into_iter()
        .map(|command| HelpEntry {
            section: command.section.title().to_owned(),
            keys: keys_of(app, command.id),
            text: match command.id {
                FIRST_TAB => format!("Go to a tab by its number  ({FIRST_TAB} to {LAST_TAB})"),
                id => format!("{}  ({id})", commands::title(app, command)),
            },
        })
        .collect();
    entries.extend(keys::beyond_the_table(&app.keymap).into_iter().map(|id| HelpEntry {
        section: "Presets and operations".to_owned(),
        keys: keys_of(app, &id),
        text: id,
    }));
    entries.extend(SIGNS.iter().map(|(sign, text)| HelpEntry {
        section: "Signs".to_owned(),
        keys: app.skin.glyphs.sign(*sign).to_string(),
        text: (*text).to_owned(),
    }));
    // `vtr attach` has another config file.
    let fixed = FIXED.iter().filter(|(section, ..)| app.attach.is_none() || *section != "config.json");
    entries.extend(fixed.map(|(section, keys, text)| HelpEntry {
        section: (*section).to_owned(),
        keys: (*keys).to_owned(),
        text: (*text).to_owned(),
    }));
    app.open(HelpScreen { table: HelpTable { entries }, filter: LineInput::default(), scroll: 0 });
}

impl HelpScreen {
    fn places(area: Rect) -> (Rect, Rect, Rect) {
        let place = area.inner(area.cols.min(8) / 4, 1);
        let (filter, list) = place.inner(1, 1).split_top(1);
        (place, filter, list)
    }

    fn step(&mut self, by: isize, rows: u16) {
        let last = self.table.len(self.filter.text()).saturating_sub(usize::from(rows));
        self.scroll = self.scroll.saturating_add_signed(by).min(last);
    }
}

impl Layer<InterfaceState> for HelpScreen {
    fn update(&mut self, event: &HostEvent, app: &mut InterfaceState) -> LayerOutcome<InterfaceState> {
        app.dirty = true;
        let (_, _, list) = Self::places(app.area);
        let page = isize::try_from(list.rows).unwrap_or(1);
        match event {
            HostEvent::Key(key) if key.kind != KeyEventKind::Release => match key.key {
                Key::Up => self.step(-1, list.rows),
                Key::Down => self.step(1, list.rows),
                Key::PageUp => self.step(-page, list.rows),
                Key::PageDown => self.step(page, list.rows),
                Key::Home => self.step(isize::MIN, list.rows),
                Key::End => self.step(isize::MAX, list.rows),
                _ => match self.filter.update(key) {
                    InputOutcome::Cancelled | InputOutcome::Submitted => return LayerOutcome::Close,
                    InputOutcome::Changed => self.scroll = 0,
                    InputOutcome::Moved | InputOutcome::Passed => {}
                },
            },
            HostEvent::Mouse(mouse) => match mouse.kind {
                MouseEventKind::Wheel(WheelDirection::Up) => self.step(-3, list.rows),
                MouseEventKind::Wheel(WheelDirection::Down) => self.step(3, list.rows),
                _ => {}
            },
            HostEvent::Paste(text) => self.filter.insert(text),
            _ => {}
        }
        LayerOutcome::Taken
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &InterfaceState) -> Option<CanvasCursor> {
        let (place, filter, list) = Self::places(area);
        palette::frame(canvas, place, "help · type to filter, Esc closes", app);
        let (prompt, input) = filter.split_left(2);
        canvas.draw_line(
            prompt,
            0,
            &[Span::new("> ", app.skin.style(SkinRole::Accent))],
            app.skin.style(SkinRole::Text),
        );
        let cursor = self.filter.draw(canvas, input, app.skin.style(SkinRole::Input));
        self.table.draw(canvas, list, self.filter.text(), self.scroll, &app.skin);
        let bar = Rect { col: place.right().saturating_sub(1), cols: 1, ..list };
        draw_scrollbar(canvas, bar, self.scroll, self.table.len(self.filter.text()), &app.skin);
        cursor
    }

    fn is_modal(&self) -> bool {
        true
    }
}
