//! The state machine's public face.

use std::ops::Range;

use crate::{Effect, Frame, InputModes, Size, Theme};

/// What a terminal is made with.
#[derive(Clone, Debug)]
pub struct Options {
    pub size: Size,
    /// Logical lines kept above the screen.
    pub history_lines: usize,
    /// Bytes kept above the screen, whatever the number of lines.
    pub history_bytes: usize,
    pub theme: Theme,
}

impl Default for Options {
    fn default() -> Self {
        Options { size: Size::default(), history_lines: 10_000, history_bytes: 64 << 20, theme: Theme::default() }
    }
}

/// A line that a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchMatch {
    /// Number of the logical line.
    pub line: u64,
    /// Where in the line's text.
    pub bytes: Range<usize>,
    pub text: String,
}

#[derive(Debug)]
pub struct Terminal {
    size: Size,
}

#[allow(unused_variables)] // STUB
impl Terminal {
    pub fn new(options: Options) -> Self {
        Terminal { size: options.size.clamped() }
    }

    /// Takes bytes the child printed. Any chunking of a stream gives the same terminal.
    pub fn feed(&mut self, bytes: &[u8]) {}

    /// What the child asked for since the last call, oldest first.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        Vec::new()
    }

    /// Reflows to `size` (clamped), keeping the cursor on its text. With mode 2048 on, an in-band report becomes a Reply effect.
    pub fn resize(&mut self, size: Size) {
        self.size = size.clamped();
    }

    pub fn size(&self) -> Size {
        self.size
    }

    pub fn input_modes(&self) -> InputModes {
        InputModes::default()
    }

    pub fn title(&self) -> &str {
        ""
    }

    /// The picture now; while the child holds a synchronized update (mode 2026), the picture from before it.
    pub fn frame(&mut self) -> Frame {
        unimplemented!()
    }

    /// The visible grid as text, one row a line, trailing blanks trimmed. Sees synchronized updates whole.
    pub fn grid_text(&self, out: &mut String) {}

    /// Numbers of the logical lines that can be read: oldest kept in history to the last one on the screen.
    /// A line's number never changes while it exists.
    pub fn lines(&self) -> Range<u64> {
        0..0
    }

    /// The first line that is (at least partly) on the screen: everything before it is history.
    pub fn first_screen_line(&self) -> u64 {
        0
    }

    /// Logical lines (joined where they wrapped, trimmed), each ended by `\n`. Numbers outside `lines()` are left out.
    pub fn lines_text(&self, range: Range<u64>, out: &mut String) {}

    /// Calls `visit` with number and text of each logical line in `range`, oldest first, until it returns false.
    pub fn for_each_line(&self, range: Range<u64>, visit: &mut dyn FnMut(u64, &str) -> bool) {}

    /// Logical lines of `range` in which `pattern` matches, oldest first, at most `limit`.
    pub fn search(&self, pattern: &regex::Regex, range: Range<u64>, limit: usize) -> Vec<SearchMatch> {
        Vec::new()
    }

    /// Bytes that redraw this screen (and modes, cursor, styles, links; not history) on a fresh terminal of the same size.
    pub fn serialize(&self) -> Vec<u8> {
        Vec::new()
    }

    /// A synchronized update is under way; its number tells one update from the next.
    pub fn synchronized_update(&self) -> Option<u64> {
        None
    }

    /// Ends a synchronized update whose end marker never came. The caller owns the clock (150 ms is usual).
    pub fn expire_synchronized_update(&mut self) {}

    pub fn set_theme(&mut self, theme: Theme) {}
}
