//! The public API of the state machine.

use std::ops::Range;
use std::sync::Arc;

use crate::{
    color::Theme, effect::Effect, frame::Cursor, frame::Frame, geometry::Size, history::History, modes::InputModes,
    parser::Parser, program_status::StatusRecord, state::TerminalState,
};

/// Bytes between two checks of the tables' sizes: bounds their growth within one call.
const SWEEP_INTERVAL: usize = 64 << 10;

/// A terminal's configuration.
#[derive(Clone, Debug)]
pub struct TerminalOptions {
    pub size: Size,
    /// Logical lines kept above the screen.
    pub history_lines: usize,
    /// Bytes kept above the screen, whatever the number of lines.
    pub history_bytes: usize,
    /// Keeps cleared text: clearing the screen moves its text to history, and history is never cleared. For exports of
    /// everything that was printed; interactive terminals drop both.
    pub keep_cleared: bool,
    pub theme: Theme,
}

impl Default for TerminalOptions {
    fn default() -> Self {
        TerminalOptions {
            size: Size::default(),
            history_lines: 10_000,
            history_bytes: 64 << 20,
            keep_cleared: false,
            theme: Theme::default(),
        }
    }
}

/// A line that a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchMatch {
    /// Number of the logical line.
    pub line: u64,
    /// The match's byte range in the line's text.
    pub bytes: Range<usize>,
    pub text: String,
}

/// One terminal: screen, history and modes, changed by what a child prints.
#[derive(Debug)]
pub struct Terminal {
    parser: Parser,
    state: TerminalState,
}

impl Terminal {
    pub fn new(options: TerminalOptions) -> Self {
        let history = History::new(options.history_lines, options.history_bytes, options.keep_cleared);
        Terminal { parser: Parser::new(), state: TerminalState::new(options.size.clamped(), history, options.theme) }
    }

    /// Takes bytes the child printed. Any chunking of a stream gives the same terminal.
    pub fn feed(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(SWEEP_INTERVAL) {
            self.parser.feed(chunk, &mut self.state);
            self.state.sweep();
        }
    }

    /// What the child asked for since the last call, oldest first.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.state.effects)
    }

    /// Reflows to `size` (clamped), keeping the cursor on its text. With mode 2048 on, the child gets a report,
    /// returned as an effect.
    pub fn resize(&mut self, size: Size) {
        self.state.resize(size.clamped());
    }

    pub fn size(&self) -> Size {
        self.state.size
    }

    pub fn input_modes(&self) -> InputModes {
        self.state.input_modes()
    }

    pub fn title(&self) -> &str {
        &self.state.title
    }

    /// What the program says of its own work (OSC 7501), least recently updated first.
    pub fn status_records(&self) -> &[Arc<StatusRecord>] {
        self.state.status.records()
    }

    /// The child has ended: what it said it was doing, it no longer does. Results stay.
    pub fn end_program(&mut self) {
        self.state.status.end_program(&mut self.state.effects);
    }

    pub fn cursor(&self) -> Cursor {
        self.state.cursor()
    }

    /// Whether the frame shows the alternate screen.
    pub fn alternate_screen(&self) -> bool {
        self.state.shows_alternate()
    }

    /// The current frame; during a synchronized update (mode 2026), the frame from before it.
    pub fn frame(&mut self) -> Frame {
        self.state.frame()
    }

    /// The visible grid as text, one line per row, trailing blanks trimmed. Never shows half a synchronized update.
    pub fn grid_text(&self, out: &mut String) {
        self.state.grid_text(out);
    }

    /// Numbers of the logical lines that can be read: oldest kept in history to the last one in use on
    /// the main screen. A line's number never changes while it exists.
    pub fn lines(&self) -> Range<u64> {
        self.state.lines()
    }

    /// The first line that is (at least partly) on the screen: everything before it is history.
    pub fn first_screen_line(&self) -> u64 {
        self.state.first_screen_line()
    }

    /// Logical lines (joined where they wrapped, trimmed), each ended by `\n`.
    /// Numbers outside [`lines`](Self::lines) are left out.
    pub fn lines_text(&self, range: Range<u64>, out: &mut String) {
        self.state.append_lines(range, out);
    }

    /// Appends the text of all lines that have left the screen completely, each with a `\n`, and drops them. Numbers
    /// continue; a screen that grows gets none of these lines back.
    pub fn take_history_text(&mut self, out: &mut String) {
        self.state.history.take_text(out);
    }

    /// How often the alternate screen was entered, as full-screen programs do.
    pub fn alternate_screens(&self) -> u64 {
        self.state.alternate_screens
    }

    /// Makes the next reads cheaper, for a caller that reads text repeatedly while little changes.
    pub fn prepare_text(&mut self) {
        self.state.draw_few();
    }

    /// Calls `visit` with number and text of each logical line in `range`, oldest first, until it returns false.
    pub fn for_each_line(&self, range: Range<u64>, visit: &mut dyn FnMut(u64, &str) -> bool) {
        self.state.visit_lines(range, visit);
    }

    /// The part in history of the line that continues in the screen's first row; `None` if that row begins a line, on
    /// the alternate screen, and during a synchronized update.
    pub fn open_line(&self) -> Option<crate::Line> {
        self.state.open_line()
    }

    /// A line of history with its styles; `None` for lines that are at least partly on the screen, which frames show.
    pub fn history_line(&self, number: u64) -> Option<crate::Line> {
        if number < self.state.first_screen_line() { self.state.history.line(number) } else { None }
    }

    /// Logical lines of `range` in which `pattern` matches, oldest first, at most `limit`.
    pub fn search(&self, pattern: &regex::Regex, range: Range<u64>, limit: usize) -> Vec<SearchMatch> {
        let mut matches = Vec::new();
        if limit == 0 {
            return matches;
        }
        self.state.visit_lines(range, &mut |line, text| {
            if let Some(found) = pattern.find(text) {
                matches.push(SearchMatch { line, bytes: found.range(), text: text.to_owned() });
            }
            matches.len() < limit
        });
        matches
    }

    /// Bytes that redraw this screen (with modes, cursor, styles and links, but not history) on a fresh terminal of the
    /// same size. The child's stream may continue right after them, even in mid-sequence.
    pub fn serialize(&self) -> Vec<u8> {
        let mut out = self.state.serialize();
        out.extend(self.parser.pending());
        out
    }

    /// The number of the synchronized update in progress; it tells one update from the next.
    pub fn synchronized_update(&self) -> Option<u64> {
        self.state.frozen.is_some().then_some(self.state.updates)
    }

    /// Ends a synchronized update whose end marker never came. The caller has the clock (150 ms is usual).
    pub fn expire_synchronized_update(&mut self) {
        self.state.leave_synchronized();
    }

    /// Changes the theme; a child that asked for it gets a report (mode 2031).
    pub fn set_theme(&mut self, theme: Theme) {
        self.state.set_theme(theme);
    }

    /// Heap bytes that history holds.
    pub fn history_bytes(&self) -> usize {
        self.state.history.bytes()
    }
}
