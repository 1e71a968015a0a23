//! `alacritty_terminal` as a judge.

use std::{cell::RefCell, rc::Rc};

use alacritty_terminal::{
    Term,
    event::{Event, EventListener, WindowSize},
    grid::Dimensions,
    index::{Column, Line},
    term::{Config, TermMode, cell},
    vte::ansi::{self, NamedColor, Processor},
};
use anyhow::Result;
use vt::Size;

use super::Emulator;
use crate::screen::{Cell, Color, Cursor, Look, Screen, Underline};

pub(super) struct Alacritty {
    term: Term<Events>,
    parser: Processor,
    events: Events,
    size: Size,
}

#[derive(Clone, Default)]
struct Events(Rc<RefCell<Vec<Event>>>);

impl EventListener for Events {
    fn send_event(&self, event: Event) {
        self.0.borrow_mut().push(event);
    }
}

struct Grid(Size);

impl Dimensions for Grid {
    fn total_lines(&self) -> usize {
        self.screen_lines()
    }

    fn screen_lines(&self) -> usize {
        usize::from(self.0.rows)
    }

    fn columns(&self) -> usize {
        usize::from(self.0.cols)
    }
}

impl Alacritty {
    pub(super) fn new(size: Size) -> Self {
        let events = Events::default();
        let config = Config { kitty_keyboard: true, ..Config::default() };
        let term = Term::new(config, &Grid(size), events.clone());
        Alacritty { term, parser: Processor::new(), events, size }
    }
}

impl Emulator for Alacritty {
    fn feed(&mut self, bytes: &[u8]) -> Result<()> {
        self.parser.advance(&mut self.term, bytes);
        Ok(())
    }

    fn take_replies(&mut self) -> Vec<u8> {
        let window = WindowSize { num_lines: self.size.rows, num_cols: self.size.cols, cell_width: 8, cell_height: 16 };
        let mut replies = Vec::new();
        for event in self.events.0.take() {
            match event {
                Event::PtyWrite(text) => replies.extend_from_slice(text.as_bytes()),
                Event::TextAreaSizeRequest(format) => replies.extend_from_slice(format(window).as_bytes()),
                _ => {}
            }
        }
        replies
    }

    fn size(&self) -> Size {
        self.size
    }

    fn resize(&mut self, size: Size) -> Result<()> {
        // With one column, its reflow loops for ever.
        self.size = Size { cols: size.cols.max(2), rows: size.rows };
        self.term.resize(Grid(self.size));
        Ok(())
    }

    fn screen(&mut self) -> Result<Screen> {
        self.parser.stop_sync(&mut self.term);
        let grid = self.term.grid();
        let rows = (0..self.size.rows)
            .map(|row| {
                let line = &grid[Line(i32::from(row))];
                (0..usize::from(self.size.cols)).map(|col| cell(&line[Column(col)])).collect()
            })
            .collect();
        let point = grid.cursor.point;
        let cursor = Cursor {
            row: u16::try_from(point.line.0).unwrap_or(0),
            col: point.column.0 as u16,
            visible: self.term.mode().contains(TermMode::SHOW_CURSOR),
        };
        let alternate = self.term.mode().contains(TermMode::ALT_SCREEN);
        Ok(Screen { size: self.size, rows, cursor, alternate })
    }
}

fn cell(cell: &cell::Cell) -> Cell {
    use cell::Flags;
    let mut text = String::new();
    if !cell.flags.contains(Flags::WIDE_CHAR_SPACER) {
        // A tab keeps its character in the first cell it covers; other control characters are never stored.
        text.push(if cell.c == '\t' { ' ' } else { cell.c });
        text.extend(cell.zerowidth().into_iter().flatten());
    }
    let underline = [
        (Flags::UNDERLINE, Underline::Single),
        (Flags::DOUBLE_UNDERLINE, Underline::Double),
        (Flags::UNDERCURL, Underline::Curly),
        (Flags::DOTTED_UNDERLINE, Underline::Dotted),
        (Flags::DASHED_UNDERLINE, Underline::Dashed),
    ];
    // In the order of `screen::ATTRIBUTES`; it supports neither blink nor overline.
    let attributes = [
        (Flags::BOLD, 0),
        (Flags::ITALIC, 1),
        (Flags::DIM, 2),
        (Flags::INVERSE, 4),
        (Flags::HIDDEN, 5),
        (Flags::STRIKEOUT, 6),
    ];
    Cell {
        text,
        look: Look {
            foreground: color(cell.fg),
            background: color(cell.bg),
            underline: underline
                .iter()
                .find(|(flag, _)| cell.flags.contains(*flag))
                .map_or(Underline::None, |(_, style)| *style),
            underline_color: cell.underline_color().map_or(Color::Default, color),
            attributes: attributes
                .iter()
                .filter(|(flag, _)| cell.flags.contains(*flag))
                .fold(0, |bits, (_, bit)| bits | 1 << bit),
            link: cell.hyperlink().map(|link| link.uri().to_owned()),
        },
    }
}

fn color(color: ansi::Color) -> Color {
    match color {
        ansi::Color::Named(name) if (name as usize) < 16 => Color::Indexed(name as u8),
        ansi::Color::Named(NamedColor::Foreground | NamedColor::Background) => Color::Default,
        // Names that only a renderer uses (dim, cursor): never stored in a cell.
        ansi::Color::Named(_) => Color::Default,
        ansi::Color::Indexed(index) => Color::Indexed(index),
        ansi::Color::Spec(rgb) => Color::Rgb(rgb.r, rgb.g, rgb.b),
    }
}
