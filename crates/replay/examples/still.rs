//! A still of recorded bytes: `still FILE COLSxROWS svg|html [BYTES] > picture`.

use std::io::Write;

use replay::picture;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, size, format, rest @ ..] = &arguments[..] else {
        return Err("usage: still FILE COLSxROWS svg|html [BYTES]".into());
    };
    let (cols, rows) = size.split_once('x').ok_or("the size is written as 120x40")?;
    let size = vt::Size::new(cols.parse()?, rows.parse()?);
    let mut bytes = std::fs::read(file)?;
    if let [count] = rest {
        bytes.truncate(count.parse()?);
    }
    let mut terminal = vt::Terminal::new(vt::TerminalOptions { size, ..vt::TerminalOptions::default() });
    terminal.feed(&bytes);
    let options = picture::PictureOptions {
        cursor: true,
        title: Some(terminal.title().to_owned()).filter(|title| !title.is_empty()),
    };
    let draw = if format == "html" { picture::html } else { picture::svg };
    std::io::stdout().write_all(draw(&terminal.frame(), &options).as_bytes())?;
    Ok(())
}
