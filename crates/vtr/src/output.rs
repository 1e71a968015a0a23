//! What a command prints: tables and lines for people, JSON for programs; warnings go to standard error, with --json
//! also as one object per line. Nothing printed here can drive a terminal.

use std::io::{self, Write};

use comfy_table::{ColumnConstraint, Table, Width, presets};
use fleet::CoordinatorSilence;
use program::{CleanText, Failure, escape_json, printable, set_in};
use serde::Serialize;
use serde_json::{Map, Value};

/// Standard output and error of one command.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) json: bool,
    pub(crate) color: bool,
    /// Standard output is a terminal.
    pub(crate) terminal: bool,
    /// Coordinators that did not answer: reported on standard error at once, or added to the JSON.
    unreachable: Vec<UnreachableCoordinator>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct UnreachableCoordinator {
    pub(crate) coordinator: String,
    pub(crate) reason: String,
}

/// The gap between two columns of a table.
const GAP: u16 = 4;

/// The columns of a table that is printed in parts.
#[derive(Debug)]
pub(crate) struct TableColumns<'a, const N: usize> {
    headings: [&'a str; N],
    /// The widths so far, gaps included.
    widths: [u16; N],
    /// The headings have been printed.
    begun: bool,
}

impl<'a, const N: usize> TableColumns<'a, N> {
    pub(crate) fn new(headings: [&'a str; N]) -> Self {
        TableColumns { headings, widths: [0; N], begun: false }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum CellPaint {
    Match,
    Place,
    Bold,
    Cursor,
}

impl Output {
    pub(crate) fn new(json: bool, color: bool, terminal: bool) -> Self {
        Output { json, color, terminal, unreachable: Vec::new() }
    }

    pub(crate) fn line(&mut self, line: impl Into<CleanText>) -> Result<(), Failure> {
        self.lines([line])
    }

    /// Prints all lines in one write.
    pub(crate) fn lines(&mut self, lines: impl IntoIterator<Item = impl Into<CleanText>>) -> Result<(), Failure> {
        let mut text = String::new();
        for line in lines {
            text.push_str(line.into().as_str());
            text.push('\n');
        }
        self.verbatim(text.as_bytes())
    }

    /// Prints lines of JSON that others wrote.
    pub(crate) fn json_lines(&mut self, lines: &[u8]) -> Result<(), Failure> {
        self.verbatim(escape_json(&String::from_utf8_lossy(lines)).as_bytes())
    }

    /// Prints bytes unchanged: our own, or made from a file that the person chose.
    pub(crate) fn verbatim(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes)?;
        Ok(stdout.flush()?)
    }

    /// Prints one JSON object on one line, with the coordinators that did not answer.
    pub(crate) fn object(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let value = serde_json::to_value(value).map_err(|error| io::Error::other(error.to_string()))?;
        let mut object = match value {
            Value::Object(object) => object,
            other => Map::from_iter([("value".to_owned(), other)]),
        };
        if !self.unreachable.is_empty() {
            let list = serde_json::to_value(&self.unreachable).map_err(|error| io::Error::other(error.to_string()))?;
            object.insert("unreachable".into(), list);
        }
        self.verbatim(format!("{}\n", escape_json(&Value::Object(object).to_string())).as_bytes())
    }

    /// Prints the object with `--json`, and otherwise the line, unless it is empty.
    pub(crate) fn answer(&mut self, value: &impl Serialize, line: impl Into<CleanText>) -> Result<(), Failure> {
        if self.json {
            return self.object(value);
        }
        match line.into() {
            line if line == CleanText::default() => Ok(()),
            line => self.line(line),
        }
    }

    pub(crate) fn table<const N: usize>(&mut self, headings: [&str; N], rows: Vec<[String; N]>) -> Result<(), Failure> {
        self.table_part(&mut TableColumns::new(headings), rows)
    }

    /// Prints rows of a table; more may follow later.
    pub(crate) fn table_part<const N: usize>(
        &mut self,
        columns: &mut TableColumns<'_, N>,
        rows: Vec<[String; N]>,
    ) -> Result<(), Failure> {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).add_row(columns.headings);
        for row in rows {
            table.add_row(row.map(|cell| printable(&cell)));
        }
        for (column, width) in table.column_iter_mut().zip(columns.widths) {
            column.set_padding((0, GAP)).set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(width)));
        }
        for (number, line) in table.lines().enumerate() {
            let line = line.trim_end();
            match number {
                0 if columns.begun => {}
                0 => self.line(self.painted(CellPaint::Bold, line))?,
                _ => self.line(line)?,
            }
        }
        columns.begun = true;
        for (width, widest) in columns.widths.iter_mut().zip(table.column_max_content_widths()) {
            *width = (widest + GAP).max(*width);
        }
        Ok(())
    }

    pub(crate) fn painted(&self, paint: CellPaint, words: &str) -> CleanText {
        if !self.color || words.is_empty() {
            return words.into();
        }
        let code = match paint {
            CellPaint::Match => "1;31",
            CellPaint::Place => "35",
            CellPaint::Bold => "1",
            CellPaint::Cursor => "7",
        };
        let mut text = CleanText::default();
        text.push_sequence(&format!("\x1b[{code}m"));
        text.push(words);
        text.push_sequence("\x1b[0m");
        text
    }

    pub(crate) fn warn(&self, warning: impl std::fmt::Display) {
        let mut stderr = io::stderr().lock();
        // If this fails, there is nobody to report to.
        let _ = if self.json {
            writeln!(stderr, "{}", escape_json(&serde_json::json!({ "warning": warning.to_string() }).to_string()))
        } else {
            writeln!(stderr, "vtr: warning: {}", set_in(&warning.to_string()))
        };
    }

    /// Short for people, who may read fifty of them; in full for programs.
    pub(crate) fn not_heard(&mut self, coordinator: &str, silence: &CoordinatorSilence) {
        if !self.json {
            self.warn(format_args!("{coordinator} did not answer: {}", silence.brief));
        }
        self.unreachable.push(UnreachableCoordinator { coordinator: coordinator.into(), reason: silence.to_string() });
    }

    pub(crate) fn unreachable(&self) -> &[UnreachableCoordinator] {
        &self.unreachable
    }

    pub(crate) fn failure(&self, failure: &Failure) {
        let mut stderr = io::stderr().lock();
        let _ = if self.json {
            let mut error = serde_json::json!({ "error": failure });
            if !self.unreachable.is_empty() {
                error["unreachable"] = serde_json::json!(self.unreachable);
            }
            writeln!(stderr, "{}", escape_json(&error.to_string()))
        } else {
            let hint =
                if failure.hint.is_empty() { String::new() } else { format!("\nhint: {}", set_in(&failure.hint)) };
            let candidates: String =
                failure.candidates.iter().map(|one| format!("\n  {}", CleanText::from(one).as_str())).collect();
            writeln!(stderr, "vtr: {}{candidates}{hint}", set_in(&failure.message))
        };
    }
}

/// A duration in one unit, as tables show it: 42s, 5m, 2h, 3d.
pub(crate) fn age(seconds: i64) -> String {
    match seconds.max(0) {
        s @ 0..60 => format!("{s}s"),
        s @ 60..3600 => format!("{}m", s / 60),
        s @ 3600..86_400 => format!("{}h", s / 3600),
        s => format!("{}d", s / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_one_unit() {
        let ages = [-3, 0, 59, 60, 3599, 3600, 86_399, 86_400, 200_000].map(age);
        assert_eq!(ages, ["0s", "0s", "59s", "1m", "59m", "1h", "23h", "1d", "2d"]);
    }

    #[test]
    fn colour_is_left_out_when_unwanted() {
        assert_eq!(Output::new(false, false, true).painted(CellPaint::Match, "x").as_str(), "x");
        assert_eq!(Output::new(false, true, true).painted(CellPaint::Match, "x").as_str(), "\x1b[1;31mx\x1b[0m");
    }
}
