//! Everything that a stream of tokens can change, and the [`Sink`] that changes it.
//!
//! This file has the struct; the effects of sequences are in the files below, one family each.

mod csi;
mod dcs;
mod edit;
mod erase;
mod esc;
mod kitty;
mod mode_set;
mod motion;
mod osc;
mod print;
mod rect;
mod reflow;
mod render;
mod report;
mod scroll;
mod serialize;
mod sgr;
mod sweep;
mod synchronized;
mod window;

use std::sync::Arc;

use crate::{
    cell::{Cell, StyleId},
    charset::CharsetSlots,
    color::Theme,
    effect::Effect,
    frame::CursorShape,
    geometry::Size,
    grid::Grid,
    history::{CellTables, History},
    modes::{InputModes, ModeFlags, MouseEncoding, MouseProtocol},
    params::SequenceParams,
    parser::{IntermediateBytes, Sink, StringKind, StringTerminator},
    program_status::StatusTable,
    style::{Attributes, Style},
    tables::{ClusterTable, LinkTable, StyleTable},
    tabs::TabStops,
    unicode::ClusterState,
};
pub(crate) use kitty::KittyStack;

/// Where the next character goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Caret {
    pub(crate) row: u16,
    pub(crate) col: u16,
    /// The last column was written: the next character wraps first.
    pub(crate) pending_wrap: bool,
}

/// The state saved by DECSC.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SavedCaret {
    caret: Caret,
    pen: Style,
    charsets: CharsetSlots,
    origin: bool,
}

/// Scroll margins, inclusive. Left and right are the screen's edges unless DECLRMM is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScrollMargins {
    pub(crate) top: u16,
    pub(crate) bottom: u16,
    pub(crate) left: u16,
    pub(crate) right: u16,
}

impl ScrollMargins {
    fn full(size: Size) -> Self {
        ScrollMargins { top: 0, bottom: size.rows - 1, left: 0, right: size.cols - 1 }
    }
}

/// The cluster just printed, until something comes in between.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenCluster {
    state: ClusterState,
    row: u16,
    col: u16,
}

/// The screen from before a synchronized update, shown to readers until the update ends.
#[derive(Debug)]
pub(crate) struct FrozenScreen {
    pub(crate) grid: Grid,
    caret: Caret,
    flags: ModeFlags,
    cursor_shape: CursorShape,
    theme: Arc<Theme>,
    /// Number of the line that the main screen's first row belonged to.
    screen_line: u64,
    /// The part of that line that history held then.
    open_text: String,
}

#[derive(Debug)]
pub(crate) struct TerminalState {
    pub(crate) size: Size,
    /// The grid in use.
    pub(crate) grid: Grid,
    /// The other grid: the alternate one while the main one is in use, and vice versa. Created on first use.
    pub(crate) other: Option<Grid>,
    pub(crate) history: History,
    /// How often the alternate screen was entered.
    pub(crate) alternate_screens: u64,
    pub(crate) styles: StyleTable,
    pub(crate) clusters: ClusterTable,
    pub(crate) links: LinkTable,
    pub(crate) caret: Caret,
    pub(crate) margins: ScrollMargins,
    pub(crate) flags: ModeFlags,
    pub(crate) pen: Style,
    /// Id of `pen`, once something was printed with it.
    pen_id: Option<StyleId>,
    pub(crate) charsets: CharsetSlots,
    pub(crate) tabs: TabStops,
    /// DECSC of the main and of the alternate screen.
    saved: [SavedCaret; 2],
    pub(crate) kitty: [KittyStack; 2],
    cluster: Option<OpenCluster>,
    last_char: Option<char>,
    /// Some cell may be protected: erasing has to check.
    protection_used: bool,
    pub(crate) mouse: MouseProtocol,
    pub(crate) mouse_encoding: MouseEncoding,
    pub(crate) modify_other_keys: u8,
    pub(crate) cursor_shape: CursorShape,
    pub(crate) title: String,
    icon_name: String,
    title_stack: Vec<(String, String)>,
    saved_modes: Vec<(u16, bool)>,
    /// The theme with the child's changes.
    pub(crate) theme: Arc<Theme>,
    base_theme: Arc<Theme>,
    pub(crate) frozen: Option<Box<FrozenScreen>>,
    /// The previous copy, kept for its memory: a child that draws this way does so all the time.
    thawed: Option<Box<FrozenScreen>>,
    /// Counts synchronized updates.
    pub(crate) updates: u64,
    pub(crate) effects: Vec<Effect>,
    notification: osc::PendingNotification,
    pub(crate) status: StatusTable,
}

impl TerminalState {
    pub(crate) fn new(size: Size, history: History, theme: Theme) -> Self {
        let theme = Arc::new(theme);
        TerminalState {
            size,
            grid: Grid::new(size),
            other: None,
            history,
            alternate_screens: 0,
            styles: StyleTable::new(),
            clusters: ClusterTable::new(),
            links: LinkTable::default(),
            caret: Caret::default(),
            margins: ScrollMargins::full(size),
            flags: ModeFlags::initial(),
            pen: Style::default(),
            pen_id: None,
            charsets: CharsetSlots::default(),
            tabs: TabStops::new(size.cols),
            saved: Default::default(),
            kitty: Default::default(),
            cluster: None,
            last_char: None,
            protection_used: false,
            mouse: MouseProtocol::Off,
            mouse_encoding: MouseEncoding::Legacy,
            modify_other_keys: 0,
            cursor_shape: CursorShape::Block,
            title: String::new(),
            icon_name: String::new(),
            title_stack: Vec::new(),
            saved_modes: Vec::new(),
            theme: Arc::clone(&theme),
            base_theme: theme,
            frozen: None,
            thawed: None,
            updates: 0,
            effects: Vec::new(),
            notification: osc::PendingNotification::default(),
            status: StatusTable::default(),
        }
    }

    #[inline]
    pub(crate) fn has(&self, flag: ModeFlags) -> bool {
        self.flags.contains(flag)
    }

    #[inline]
    pub(crate) fn on_alternate(&self) -> bool {
        self.has(ModeFlags::ALTERNATE_SCREEN)
    }

    /// Index of per-screen state: 0 main, 1 alternate.
    fn screen(&self) -> usize {
        usize::from(self.on_alternate())
    }

    #[inline]
    fn pen_id(&mut self) -> StyleId {
        match self.pen_id {
            Some(id) => id,
            None => {
                let id = self.styles.intern(&self.pen);
                self.pen_id = Some(id);
                id
            }
        }
    }

    fn change_pen(&mut self, change: impl FnOnce(&mut Style)) {
        change(&mut self.pen);
        self.pen_id = None;
    }

    /// The cells that erasing leaves behind: blanks in the pen's background colour.
    fn eraser(&mut self) -> Cell {
        let style = Style { background: self.pen.background, ..Style::default() };
        Cell::blank(self.styles.intern(&style))
    }

    fn tables(&self) -> CellTables<'_> {
        CellTables { styles: &self.styles, clusters: &self.clusters, links: &self.links }
    }

    fn reply(&mut self, bytes: impl Into<Vec<u8>>) {
        self.effects.push(Effect::Reply(bytes.into()));
    }

    pub(crate) fn input_modes(&self) -> InputModes {
        InputModes {
            application_cursor: self.has(ModeFlags::APPLICATION_CURSOR),
            application_keypad: self.has(ModeFlags::APPLICATION_KEYPAD),
            linefeed_newline: self.has(ModeFlags::LINEFEED_NEWLINE),
            backarrow_sends_backspace: self.has(ModeFlags::BACKARROW_BACKSPACE),
            modify_other_keys: self.modify_other_keys,
            kitty: self.kitty[self.screen()].flags(),
            bracketed_paste: self.has(ModeFlags::BRACKETED_PASTE),
            focus_events: self.has(ModeFlags::FOCUS_EVENTS),
            mouse: self.mouse,
            mouse_encoding: self.mouse_encoding,
            alternate_scroll: self.has(ModeFlags::ALTERNATE_SCROLL),
            alternate_screen: self.on_alternate(),
        }
    }

    fn save_caret(&mut self) {
        self.saved[self.screen()] = SavedCaret {
            caret: self.caret,
            pen: self.pen,
            charsets: self.charsets,
            origin: self.has(ModeFlags::ORIGIN),
        };
    }

    fn restore_caret(&mut self) {
        let saved = self.saved[self.screen()];
        self.change_pen(|pen| *pen = saved.pen);
        self.charsets = saved.charsets;
        self.flags.set(ModeFlags::ORIGIN, saved.origin);
        self.caret = saved.caret;
        self.caret.row = self.caret.row.min(self.size.rows - 1);
        self.caret.col = self.caret.col.min(self.size.cols - 1);
        if saved.origin {
            // The margins may have changed.
            self.caret.row = self.caret.row.clamp(self.margins.top, self.margins.bottom);
            self.caret.col = self.caret.col.clamp(self.margins.left, self.margins.right);
        }
        self.caret.pending_wrap &= self.caret.col == self.size.cols - 1 || self.caret.col == self.margins.right;
    }

    /// DECSTR.
    fn soft_reset(&mut self) {
        self.flags.remove(
            ModeFlags::INSERT
                | ModeFlags::ORIGIN
                | ModeFlags::APPLICATION_CURSOR
                | ModeFlags::APPLICATION_KEYPAD
                | ModeFlags::LEFT_RIGHT_MARGINS
                | ModeFlags::REVERSE_WRAP
                | ModeFlags::EXTENDED_REVERSE_WRAP
                | ModeFlags::KEYBOARD_LOCKED,
        );
        self.flags.insert(ModeFlags::CURSOR_VISIBLE | ModeFlags::AUTOWRAP);
        self.margins = ScrollMargins::full(self.size);
        self.change_pen(|pen| *pen = Style { link: pen.link, ..Style::default() });
        self.charsets = CharsetSlots::default();
        self.caret.pending_wrap = false;
        self.saved[self.screen()] = SavedCaret::default();
    }

    /// RIS. History goes too; the size, the title and line numbers stay.
    fn full_reset(&mut self) {
        self.leave_synchronized();
        self.keep_cleared();
        if self.has(ModeFlags::COLUMNS_132) {
            self.effects.push(Effect::ResizeRequest { cols: 80, rows: 0 });
        }
        self.flags = ModeFlags::initial();
        self.other = None;
        self.grid = Grid::new(self.size);
        self.history.clear();
        self.caret = Caret::default();
        self.margins = ScrollMargins::full(self.size);
        self.change_pen(|pen| *pen = Style::default());
        self.charsets = CharsetSlots::default();
        self.tabs = TabStops::new(self.size.cols);
        self.saved = Default::default();
        self.kitty = Default::default();
        self.last_char = None;
        self.protection_used = false;
        self.mouse = MouseProtocol::Off;
        self.mouse_encoding = MouseEncoding::Legacy;
        self.modify_other_keys = 0;
        self.cursor_shape = CursorShape::Block;
        self.title_stack.clear();
        self.saved_modes.clear();
        self.theme = Arc::clone(&self.base_theme);
        self.notification = osc::PendingNotification::default();
        self.status.clear("", &mut self.effects);
    }

    pub(crate) fn set_theme(&mut self, theme: Theme) {
        let was_light = self.base_theme.is_light();
        self.base_theme = Arc::new(theme);
        self.theme = Arc::clone(&self.base_theme);
        if self.has(ModeFlags::COLOR_SCHEME_REPORTS) && was_light != self.base_theme.is_light() {
            self.report_color_scheme();
        }
    }

    /// Starts or ends protecting what is printed.
    fn protect(&mut self, attribute: Attributes, on: bool) {
        self.protection_used |= on;
        self.change_pen(|pen| pen.attributes.set(attribute, on));
    }

    fn protected(&self, cell: Cell, by: Attributes) -> bool {
        self.styles.get(cell.style).attributes.intersects(by)
    }
}

impl Sink for TerminalState {
    #[inline]
    fn print_ascii(&mut self, text: &[u8]) {
        self.put_ascii(text);
    }

    fn print(&mut self, c: char) {
        self.put_char(c);
    }

    fn control(&mut self, byte: u8) {
        self.cluster = None;
        self.execute(byte);
    }

    fn escape(&mut self, intermediates: IntermediateBytes, last: u8) {
        self.cluster = None;
        self.run_escape(intermediates.as_bytes(), last);
    }

    fn csi(&mut self, params: &SequenceParams, intermediates: IntermediateBytes, last: u8) {
        self.cluster = None;
        self.run_csi(params, intermediates.as_bytes(), last);
    }

    fn string(&mut self, kind: StringKind, body: &[u8], terminator: StringTerminator) {
        match kind {
            StringKind::Osc => self.run_osc(body, terminator),
            StringKind::Dcs => self.run_dcs(body),
            StringKind::Apc | StringKind::Pm | StringKind::Sos => {}
        }
    }
}
