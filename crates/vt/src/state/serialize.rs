//! The screen as a stream that redraws it on a fresh terminal of the same size.
//!
//! Rows are placed absolutely and nothing relies on wrapping, except for a first pass that marks continuing rows: in
//! each, a placeholder is wrapped into the next row and erased again.

use std::fmt::Write;

use super::{SavedCaret, TerminalState, render::build_line};
use crate::{
    charset::{Charset, CharsetSlots},
    clusters::cluster_width,
    color::Rgb,
    grid::Grid,
    line::RunShape,
    modes::{KittyFlags, ModeFlags},
    style::{Attributes, LinkTarget, Style},
    unicode::{CharProperties, ClusterState},
};

/// Private modes that are plain switches, in output order. Modes that move the cursor or clear the screen (3, 6, 69) or
/// that delay output (2026) are handled separately or left out.
/// clear the screen (3, 6, 69) and those that hold back output (2026) are treated apart or left out.
const SWITCHES: [u16; 23] =
    [1, 4, 5, 8, 12, 25, 40, 41, 45, 66, 67, 95, 1004, 1007, 1034, 1036, 1039, 1045, 2004, 2027, 2031, 2048, 7];

impl TerminalState {
    pub(crate) fn serialize(&self) -> Vec<u8> {
        let mut out = ScreenWriter { text: String::new(), style: Style::default(), joins: None };
        self.write_colors(&mut out);
        self.write_tabs(&mut out);
        self.write_titles(&mut out);
        for record in self.status.records() {
            out.text.push_str(&record.sequence());
        }

        let (main, alternate) = match &self.other {
            Some(other) if self.on_alternate() => (other, Some(&self.grid)),
            _ => (&self.grid, None),
        };
        self.write_screen(main, 0, &mut out);
        if let Some(alternate) = alternate {
            out.text.push_str("\x1b[?47h");
            self.write_screen(alternate, 1, &mut out);
        }
        self.write_modes(&mut out);
        self.write_caret(&mut out);
        out.text.into_bytes()
    }

    fn write_screen(&self, grid: &Grid, screen: usize, out: &mut ScreenWriter) {
        self.write_wraps(grid, out);
        self.write_rows(grid, out);
        self.write_saved(&self.saved[screen], out);
        let mut entries = self.kitty[screen].entries();
        let bottom = entries.next().unwrap_or_default();
        if bottom != KittyFlags::empty() {
            out.csi(format_args!("={}u", bottom.bits()));
        }
        for flags in entries {
            out.csi(format_args!(">{}u", flags.bits()));
        }
    }

    /// Marks the continuing rows.
    fn write_wraps(&self, grid: &Grid, out: &mut ScreenWriter) {
        let rows = grid.rows.len();
        for (row, cells) in grid.rows.iter().enumerate().filter(|(row, cells)| cells.wrapped && row + 1 < rows) {
            let cols = cells.cells.len();
            let last = cells.cells[cols - 1];
            out.csi(format_args!("{};{}H", row + 1, cols));
            if last.is_edge() && cols > 1 {
                // A wide character without enough room leaves the same mark.
                out.style(self.styles.get(last.style), None);
                out.text.push('漢');
                out.style(&Style::default(), None);
                out.csi(format_args!("{};1H\x1b[2X", row + 2));
            } else {
                out.style(&Style::default(), None);
                out.text.push_str("xx");
                out.csi(format_args!("{};{}H\x1b[X\x1b[{};1H\x1b[X", row + 1, cols, row + 2));
            }
        }
    }

    fn write_rows(&self, grid: &Grid, out: &mut ScreenWriter) {
        let tables = self.tables();
        for (index, row) in grid.rows.iter().enumerate() {
            let line = build_line(&row.cells[..row.used()], row.wrapped, &tables);
            out.joins = None;
            let mut at = None;
            for cell in line.cells() {
                let blank = cell.run.shape == RunShape::Blank;
                let edge = row.wrapped && row.cells[cell.col as usize].is_edge();
                if blank && (cell.run.style == Style::default() || edge) {
                    continue;
                }
                out.style(&cell.run.style, cell.run.link.as_deref());
                if at != Some(cell.col) || out.would_join(cell.text) {
                    out.go_to(index, cell.col);
                }
                if blank {
                    out.csi(format_args!("X"));
                    at = None;
                } else {
                    out.cell(cell.text, cell.width);
                    at = Some(cell.col + cell.width);
                }
            }
        }
        out.style(&Style::default(), None);
    }

    /// Recreates the state saved by DECSC.
    fn write_saved(&self, saved: &SavedCaret, out: &mut ScreenWriter) {
        let caret = saved.caret;
        if caret == super::Caret::default()
            && saved.pen == Style::default()
            && saved.charsets == CharsetSlots::default()
            && !saved.origin
        {
            return;
        }
        if saved.origin {
            out.text.push_str("\x1b[?6h");
        }
        out.csi(format_args!("{};{}H", caret.row + 1, caret.col + 1));
        out.style(&saved.pen, saved.pen.link.and_then(|id| self.links.get(id)).map(|link| link.as_ref()));
        out.charsets(&saved.charsets);
        out.text.push_str("\x1b7");
        if saved.origin {
            out.text.push_str("\x1b[?6l");
        }
        out.charsets(&CharsetSlots::default());
        out.style(&Style::default(), None);
    }

    fn write_modes(&self, out: &mut ScreenWriter) {
        let initial = ModeFlags::initial();
        for mode in SWITCHES {
            let Some(flag) = ModeFlags::private(mode) else { continue };
            if self.has(flag) != initial.contains(flag) {
                out.csi(format_args!("?{mode}{}", if self.has(flag) { 'h' } else { 'l' }));
            }
        }
        for mode in [2, 12, 20] {
            let Some(flag) = ModeFlags::ansi(mode) else { continue };
            if self.has(flag) != initial.contains(flag) {
                out.csi(format_args!("{mode}{}", if self.has(flag) { 'h' } else { 'l' }));
            }
        }
        for mode in [self.mouse.mode(), self.mouse_encoding.mode()].into_iter().flatten() {
            out.csi(format_args!("?{mode}h"));
        }
        if self.modify_other_keys > 0 {
            out.csi(format_args!(">4;{}m", self.modify_other_keys));
        }
        if self.cursor_style() != 1 {
            out.csi(format_args!("{} q", self.cursor_style()));
        }
    }

    /// The margins first (they move the cursor), then the position, then the state that printing depends on.
    fn write_caret(&self, out: &mut ScreenWriter) {
        let margins = self.margins;
        if (margins.top, margins.bottom + 1) != (0, self.size.rows) {
            out.csi(format_args!("{};{}r", margins.top + 1, margins.bottom + 1));
        }
        if self.has(ModeFlags::LEFT_RIGHT_MARGINS) {
            out.csi(format_args!("?69h\x1b[{};{}s", margins.left + 1, margins.right + 1));
        }
        let (row, mut col) = (self.caret.row, self.caret.col);
        if self.caret.pending_wrap && self.grid.cell(row, col).is_spacer() {
            col = col.saturating_sub(1);
        }
        let (mut top, mut left) = (0, 0);
        if self.has(ModeFlags::ORIGIN) {
            out.text.push_str("\x1b[?6h");
            (top, left) = (margins.top, margins.left);
        }
        out.go_to(usize::from(row.saturating_sub(top)), u32::from(col.saturating_sub(left)));
        if self.caret.pending_wrap {
            // Writing the last character again leaves the same state behind.
            let cells = &self.grid.row(row).cells[usize::from(col)..=usize::from(self.caret.col)];
            let line = build_line(cells, false, &self.tables());
            if let Some(cell) = line.cells().next() {
                out.style(&cell.run.style, cell.run.link.as_deref());
                out.cell(cell.text, cell.width);
                if cell.run.shape == RunShape::Blank {
                    // … and erasing a rectangle leaves the cursor alone.
                    let (row, col) = (row.saturating_sub(top) + 1, col.saturating_sub(left) + 1);
                    out.csi(format_args!("{row};{col};{row};{col}$z"));
                }
            }
        }
        if self.has(ModeFlags::INSERT) {
            out.csi(format_args!("4h"));
        }
        out.style(&self.pen, self.pen.link.and_then(|id| self.links.get(id)).map(|link| link.as_ref()));
        out.charsets(&self.charsets);
    }

    fn write_colors(&self, out: &mut ScreenWriter) {
        let (theme, base) = (&self.theme, &self.base_theme);
        let spec = |Rgb { r, g, b }: Rgb| format!("rgb:{r:02x}/{g:02x}/{b:02x}");
        for (index, color) in theme.palette.iter().enumerate().filter(|&(index, color)| *color != base.palette[index]) {
            out.osc(format_args!("4;{index};{}", spec(*color)));
        }
        for (number, now, before) in [
            (10, theme.foreground, base.foreground),
            (11, theme.background, base.background),
            (12, theme.cursor, base.cursor),
        ] {
            if now != before {
                out.osc(format_args!("{number};{}", spec(now)));
            }
        }
    }

    fn write_tabs(&self, out: &mut ScreenWriter) {
        if !self.tabs.is_default() {
            out.csi(format_args!("3g"));
            for col in self.tabs.iter() {
                out.csi(format_args!("{}G\x1bH", col + 1));
            }
        }
    }

    fn write_titles(&self, out: &mut ScreenWriter) {
        for (icon, title) in &self.title_stack {
            out.osc(format_args!("1;{icon}"));
            out.osc(format_args!("2;{title}"));
            out.csi(format_args!("22t"));
        }
        if !self.icon_name.is_empty() || !self.title_stack.is_empty() {
            out.osc(format_args!("1;{}", self.icon_name));
        }
        if !self.title.is_empty() || !self.title_stack.is_empty() {
            out.osc(format_args!("2;{}", self.title));
        }
    }
}

/// The stream so far, and the pen's style at its end.
struct ScreenWriter {
    text: String,
    style: Style,
    /// The cluster just written: a character that would join it needs something in between.
    joins: Option<ClusterState>,
}

impl ScreenWriter {
    fn csi(&mut self, arguments: std::fmt::Arguments<'_>) {
        write!(self.text, "\x1b[{arguments}").expect("writing to a string");
    }

    fn osc(&mut self, arguments: std::fmt::Arguments<'_>) {
        write!(self.text, "\x1b]{arguments}\x1b\\").expect("writing to a string");
    }

    fn go_to(&mut self, row: usize, col: u32) {
        self.csi(format_args!("{};{}H", row + 1, col + 1));
        self.joins = None;
    }

    fn would_join(&self, text: &str) -> bool {
        let first = text.chars().next().map(CharProperties::of);
        self.joins.zip(first).is_some_and(|(state, first)| state.joins(first))
    }

    /// Writes one cell's text, with clusters off where they would give it another width.
    fn cell(&mut self, text: &str, width: u32) {
        let alone = u32::from(cluster_width(text)) != width;
        if alone {
            self.csi(format_args!("?2027l"));
        }
        self.text.push_str(text);
        if alone {
            self.csi(format_args!("?2027h"));
        }
        let mut state = ClusterState::default();
        text.chars().for_each(|c| state.advance(CharProperties::of(c)));
        self.joins = Some(state);
    }

    fn style(&mut self, style: &Style, link: Option<&LinkTarget>) {
        let before = std::mem::replace(&mut self.style, *style);
        if before == *style {
            return;
        }
        let looks = |style: &Style| Style {
            link: None,
            attributes: style.attributes - Attributes::PROTECTED - Attributes::GUARDED,
            ..*style
        };
        if looks(&before) != looks(style) {
            self.csi(format_args!("{}m", TerminalState::graphics(style)));
        }
        if before.link != style.link {
            match link {
                Some(LinkTarget { id, uri, .. }) if id.is_empty() => self.osc(format_args!("8;;{uri}")),
                Some(LinkTarget { id, uri, .. }) => self.osc(format_args!("8;id={id};{uri}")),
                None => self.osc(format_args!("8;;")),
            }
        }
        let changed = before.attributes ^ style.attributes;
        if changed.contains(Attributes::PROTECTED) {
            self.csi(format_args!("{}\"q", u8::from(style.attributes.contains(Attributes::PROTECTED))));
        }
        if changed.contains(Attributes::GUARDED) {
            self.text.push_str(if style.attributes.contains(Attributes::GUARDED) { "\x1bV" } else { "\x1bW" });
        }
    }

    /// Switches from ASCII in all slots to `charsets`, or back.
    fn charsets(&mut self, charsets: &CharsetSlots) {
        for (slot, set) in ['(', ')', '*', '+'].into_iter().zip(charsets.sets) {
            if set != Charset::Ascii || *charsets == CharsetSlots::default() {
                write!(self.text, "\x1b{slot}{}", set.designator()).expect("writing to a string");
            }
        }
        self.text.push_str(["\x0f", "\x0e", "\x1bn", "\x1bo"][usize::from(charsets.left)]);
        match charsets.single {
            Some(2) => self.text.push_str("\x1bN"),
            Some(_) => self.text.push_str("\x1bO"),
            None => {}
        }
    }
}
