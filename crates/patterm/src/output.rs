//! What a command prints: lines for people, JSON for programs; errors and warnings go to standard error.

use std::{
    cell::RefCell,
    io::{self, Write},
};

use serde::Serialize;

use program::Failure;

#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) json: bool,
    /// The warnings so far, to repeat them on a screen that covers what was printed.
    warnings: RefCell<Vec<String>>,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Output { json, warnings: RefCell::default() }
    }

    pub(crate) fn line(&mut self, line: impl AsRef<str>) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(line.as_ref().as_bytes())?;
        stdout.write_all(b"\n")?;
        Ok(stdout.flush()?)
    }

    /// Prints one JSON object on one line.
    pub(crate) fn object(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let line = serde_json::to_string(value).map_err(|error| io::Error::other(error.to_string()))?;
        self.line(line)
    }

    /// Prints the object with `--json`, and otherwise the lines.
    pub(crate) fn answer(&mut self, value: &impl Serialize, lines: &[String]) -> Result<(), Failure> {
        if self.json {
            return self.object(value);
        }
        lines.iter().try_for_each(|line| self.line(line))
    }

    pub(crate) fn warn(&self, warning: impl std::fmt::Display) {
        let warning = printable(&warning.to_string());
        // If this fails, there is nobody to report to.
        let _ = writeln!(io::stderr(), "patterm: warning: {warning}");
        self.warnings.borrow_mut().push(warning);
    }

    /// The warnings since the last call, for a screen to show them again.
    pub(crate) fn take_warnings(&self) -> Vec<String> {
        self.warnings.take()
    }

    pub(crate) fn failure(&self, failure: &Failure) {
        let mut stderr = io::stderr().lock();
        let _ = if self.json {
            writeln!(stderr, "{}", serde_json::json!({ "error": failure }))
        } else {
            let hint = if failure.hint.is_empty() { String::new() } else { format!("\nhint: {}", failure.hint) };
            writeln!(stderr, "patterm: {}{hint}", failure.message)
        };
    }
}

/// Columns as wide as their longest cell, for lists of a few dozen lines.
pub(crate) fn columns<const N: usize>(headings: [&str; N], rows: &[[String; N]]) -> Vec<String> {
    let headings = headings.map(str::to_owned);
    let lines = || std::iter::once(&headings).chain(rows);
    let widths: [usize; N] = std::array::from_fn(|column| lines().map(|row| width(&row[column])).max().unwrap_or(0));
    lines()
        .map(|row| {
            let padded = row.iter().zip(widths).map(|(cell, wide)| {
                let cell = printable(cell);
                let pad = " ".repeat(wide.saturating_sub(width(&cell)));
                format!("{cell}{pad}")
            });
            padded.collect::<Vec<_>>().join("   ").trim_end().to_owned()
        })
        .collect()
}

/// `1 warning`, `2 warnings`.
pub(crate) fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// Makes a file's text safe for a terminal: control characters could do anything there, and bidirectional marks could
/// make the text read differently.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || vt::is_bidi_control(c) { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_nothing_acts_on_the_terminal() {
        let rows = [["a".to_owned(), "x\u{1b}[2J\u{202e}".to_owned()], ["longer".to_owned(), String::new()]];
        assert_eq!(columns(["NAME", "WHAT"], &rows), ["NAME     WHAT", "a        x\u{fffd}[2J\u{fffd}", "longer"]);
    }
}
