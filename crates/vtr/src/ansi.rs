//! A screen as text with escape sequences, for terminals and pagers that support colour.

use grpc::proto::{CellRun, GetScreenResponse, UnderlineStyle};
use program::{CleanText, is_clean};

/// One attribute bit of the wire format.
pub(crate) struct AttributeBit {
    pub(crate) bit: u32,
    pub(crate) name: &'static str,
    /// Its SGR parameter ("select graphic rendition").
    code: u8,
}

const fn attribute(bit: u32, name: &'static str, code: u8) -> AttributeBit {
    AttributeBit { bit, name, code }
}

pub(crate) const ATTRIBUTES: [AttributeBit; 9] = [
    attribute(0x01, "bold", 1),
    attribute(0x02, "italic", 3),
    attribute(UNDERLINE, "underline", 4),
    attribute(0x08, "dim", 2),
    attribute(0x10, "blink", 5),
    attribute(0x20, "inverse", 7),
    attribute(0x40, "invisible", 8),
    attribute(0x80, "strike", 9),
    attribute(0x100, "overline", 53),
];

const UNDERLINE: u32 = 0x04;

/// The screen must have been requested as runs. Each row resets its style at the end, so rows can be used separately.
pub(crate) fn screen(screen: &GetScreenResponse) -> impl Iterator<Item = CleanText> {
    let last = screen.screen_rows.iter().rposition(|row| !row.runs.is_empty()).map_or(0, |last| last + 1);
    screen.screen_rows.iter().take(last).map(|row| {
        let mut line = CleanText::default();
        row.runs.iter().for_each(|run| write_run(run, &mut line));
        line
    })
}

fn write_run(run: &CellRun, line: &mut CleanText) {
    let codes = codes(run);
    if !codes.is_empty() {
        line.push_sequence(&format!("\x1b[{}m", codes.join(";")));
    }
    // A target that could end the sequence is dropped.
    if run.link.is_empty() || !is_clean(&run.link) {
        line.push(&run.text);
    } else {
        line.push_sequence(&format!("\x1b]8;;{}\x1b\\", run.link));
        line.push(&run.text);
        line.push_sequence("\x1b]8;;\x1b\\");
    }
    if !codes.is_empty() {
        line.push_sequence("\x1b[0m");
    }
}

fn codes(run: &CellRun) -> Vec<String> {
    let underline = match run.underline() {
        UnderlineStyle::None | UnderlineStyle::Single => None,
        UnderlineStyle::Double => Some("4:2"),
        UnderlineStyle::Curly => Some("4:3"),
        UnderlineStyle::Dotted => Some("4:4"),
        UnderlineStyle::Dashed => Some("4:5"),
    };
    let plain = ATTRIBUTES.iter().filter(|attribute| run.attributes & attribute.bit != 0);
    let plain = plain.filter(|attribute| attribute.bit != UNDERLINE || underline.is_none());
    let mut codes: Vec<String> = plain.map(|attribute| attribute.code.to_string()).collect();
    codes.extend(underline.map(str::to_owned));
    for (kind, color) in [(38, run.fg_color), (48, run.bg_color), (58, run.underline_color)] {
        if let Some(color) = color {
            let [_, red, green, blue] = color.to_be_bytes();
            codes.push(format!("{kind};2;{red};{green};{blue}"));
        }
    }
    codes
}

#[cfg(test)]
mod tests {
    use grpc::proto::ScreenRow;

    use super::*;

    #[test]
    fn looks_and_links() {
        let plain = CellRun { text: "a ".into(), ..CellRun::default() };
        let loud = CellRun {
            text: "b".into(),
            attributes: 0x05,
            underline: UnderlineStyle::Curly.into(),
            fg_color: Some(0x0001_02ff),
            ..CellRun::default()
        };
        let link = CellRun { text: "c".into(), link: "http://x".into(), ..CellRun::default() };
        let rows = vec![ScreenRow { runs: vec![plain, loud, link], ..ScreenRow::default() }, ScreenRow::default()];
        let answer = GetScreenResponse { screen_rows: rows, ..GetScreenResponse::default() };
        let expected = "a \x1b[1;4:3;38;2;1;2;255mb\x1b[0m\x1b]8;;http://x\x1b\\c\x1b]8;;\x1b\\";
        assert_eq!(screen(&answer).map(|line| line.as_str().to_owned()).collect::<Vec<_>>(), [expected]);
    }

    #[test]
    fn a_run_brings_no_sequences_of_its_own() {
        let run = CellRun { text: "\x1b[2J".into(), link: "x\x1b\\\x1b[2J".into(), ..CellRun::default() };
        let rows = vec![ScreenRow { runs: vec![run], ..ScreenRow::default() }];
        let answer = GetScreenResponse { screen_rows: rows, ..GetScreenResponse::default() };
        assert_eq!(screen(&answer).next().unwrap().as_str(), "\u{fffd}[2J");
    }
}
