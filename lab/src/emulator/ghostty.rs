//! libghostty-vt as a judge: `tools/ghostty_judge.py` loads the shared library, so this file needs no unsafe code.

use std::{cell::RefCell, path::PathBuf, process::Command, rc::Rc};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::json;
use vt::Size;

use super::Emulator;
use crate::{
    python::{PythonTool, to_bytes, to_text},
    repository,
    screen::{Cell, Color, Cursor, Look, Screen, Underline},
};

/// The running tool. It holds one terminal at a time.
pub(crate) struct Library(Rc<RefCell<PythonTool>>);

pub(super) struct Ghostty {
    tool: Rc<RefCell<PythonTool>>,
    size: Size,
    replies: Vec<u8>,
}

#[derive(Deserialize)]
struct Picture {
    looks: Vec<Look>,
    /// Text, and the number of its style.
    rows: Vec<Vec<(String, usize)>>,
    /// Column, row, visible.
    cursor: (u16, u16, bool),
    alternate: bool,
}

impl Library {
    /// Loads the library and checks that it still has the ABI that its Python binding declares.
    pub(super) fn load(python: Option<PathBuf>) -> Result<Self> {
        let modules = if python.is_none() { Some(install()?) } else { None };
        let python = python.unwrap_or_else(|| PathBuf::from("python3"));
        let tool = PythonTool::start(&python, &repository("tools/ghostty_judge.py"), |command| {
            if let Some(modules) = &modules {
                command.env("PYTHONPATH", modules);
            }
        })?;
        let library = Library(Rc::new(RefCell::new(tool)));
        self_test(&mut library.terminal(Size::new(20, 4))?)
            .context("libghostty-vt does not behave as it did when this tool was written; its ABI may have moved")?;
        Ok(library)
    }

    pub(super) fn terminal(&self, size: Size) -> Result<Ghostty> {
        let _: bool = self.0.borrow_mut().ask(&json!({"do": "new", "cols": size.cols, "rows": size.rows}))?;
        Ok(Ghostty { tool: Rc::clone(&self.0), size, replies: Vec::new() })
    }
}

/// Puts the pinned wheels into the target folder unless they are there, and returns their place.
fn install() -> Result<PathBuf> {
    let modules = repository("target/judges");
    if modules.join("pyghostty").is_dir() {
        return Ok(modules);
    }
    let status = Command::new("python3")
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore"])
        // Its Python half, and the dependencies of that, are not needed here.
        .args(["--no-deps", "--only-binary=:all:", "--require-hashes", "--requirement"])
        .arg(repository("tools/judges.txt"))
        .arg("--target")
        .arg(&modules)
        .status()
        .context("cannot run python3; install it, or name one with --python")?;
    ensure!(
        status.success(),
        "pip could not install tools/judges.txt; install it by hand and name that interpreter with --python"
    );
    Ok(modules)
}

/// A stream with a known screen: it uses every kind of value that crosses the ABI.
fn self_test(terminal: &mut dyn Emulator) -> Result<()> {
    terminal.feed(
        "plain \x1b[1;38;2;1;2;3mbold\x1b[m \x1b[4:3;58;5;9;48;5;200mcurl\x1b[m\r\n\
         \u{4e2d}e\u{301}\u{1f469}\u{200d}\u{1f680}\x1b[7m!\x1b[m\r\n\
         \x1b]8;;http://example.com/\x1b\\link\x1b]8;;\x1b\\\x1b[5n"
            .as_bytes(),
    )?;
    let screen = terminal.screen()?;
    let replies = terminal.take_replies();
    let look = |row: usize, col: usize| screen.rows[row][col].look.clone();
    let row: Vec<&str> = screen.rows[1].iter().take(6).map(|cell| cell.text.as_str()).collect();
    ensure!(screen.row_text(0) == "plain bold curl", "text: {:?}", screen.row_text(0));
    ensure!(row == ["\u{4e2d}", "", "e\u{301}", "\u{1f469}\u{200d}\u{1f680}", "", "!"], "wide text: {row:?}");
    let bold = Look { foreground: Color::Rgb(1, 2, 3), attributes: 1, ..Look::default() };
    ensure!(look(0, 6) == bold, "bold: {:?}", look(0, 6));
    let curly = Look {
        background: Color::Indexed(200),
        underline: Underline::Curly,
        underline_color: Color::Indexed(9),
        ..Look::default()
    };
    ensure!(look(0, 11) == curly, "curly underline: {:?}", look(0, 11));
    ensure!(look(1, 5).attributes == crate::screen::INVERSE, "inverse: {:?}", look(1, 5));
    ensure!(look(2, 0).link.as_deref() == Some("http://example.com/"), "link: {:?}", look(2, 0));
    ensure!(screen.cursor == Cursor { row: 2, col: 4, visible: true }, "cursor: {:?}", screen.cursor);
    ensure!(replies == b"\x1b[0n", "reply: {:?}", to_text(&replies));
    Ok(())
}

impl Emulator for Ghostty {
    fn feed(&mut self, bytes: &[u8]) -> Result<()> {
        let (cols, rows, replies): (u16, u16, String) =
            self.tool.borrow_mut().ask(&json!({"do": "feed", "bytes": to_text(bytes)}))?;
        // DECCOLM resizes it from inside.
        self.size = Size { cols, rows };
        self.replies.extend(to_bytes(&replies).context("replies are bytes")?);
        Ok(())
    }

    fn take_replies(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.replies)
    }

    fn size(&self) -> Size {
        self.size
    }

    fn resize(&mut self, size: Size) -> Result<()> {
        let _: bool = self.tool.borrow_mut().ask(&json!({"do": "resize", "cols": size.cols, "rows": size.rows}))?;
        self.size = size;
        Ok(())
    }

    fn screen(&mut self) -> Result<Screen> {
        let picture: Picture = self.tool.borrow_mut().ask(&json!({"do": "screen"}))?;
        let looks = &picture.looks;
        let rows = picture
            .rows
            .into_iter()
            .map(|row| row.into_iter().map(|(text, look)| Cell { text, look: looks[look].clone() }).collect())
            .collect();
        let (col, row, visible) = picture.cursor;
        Ok(Screen { size: self.size, rows, cursor: Cursor { row, col, visible }, alternate: picture.alternate })
    }
}
