//! The status line, as it is set: what its parts say is `status/parts.rs`, and what has room `status_line.rs`.

mod parts;

use std::{ops::Range, time::Duration};

use tui::{
    Canvas, Rect, Span,
    widgets::{StyledLine, cut, draw_status_line},
};
use vt::{Position, Style};

use crate::app::model::InterfaceState;
use crate::status_line::{EDGE, GAP, PieceForm, PieceWidth, StatusPiece, fitted, pieces};
use parts::SaidPiece;
use project::settings::StatusPart;

/// How long, in two or three characters.
pub(crate) fn ago(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3600 => format!("{}m", seconds / 60),
        seconds @ 3600..86_400 => format!("{}h", seconds / 3600),
        seconds => format!("{}d", seconds / 86_400),
    }
}

/// How long, for what is always in sight: nothing in the first minute, so that nothing moves by the second.
pub(crate) fn minutes(duration: Duration) -> String {
    if duration < Duration::from_secs(60) { String::new() } else { ago(duration) }
}

/// `ctrl+k` as people write it: `Ctrl-K`.
pub(crate) fn key_name(keys: &str) -> String {
    let key = |key: &str| {
        let parts: Vec<&str> = key.split('+').filter(|part| !part.is_empty()).collect();
        let modified = parts.len() > 1;
        let part = |part: &&str| {
            let mut letters = part.chars();
            match letters.next() {
                Some(first) if modified || part.chars().count() > 1 => {
                    first.to_uppercase().collect::<String>() + letters.as_str()
                }
                _ => (*part).to_owned(),
            }
        };
        parts.iter().map(part).collect::<Vec<_>>().join("-")
    };
    keys.split_whitespace().map(key).collect::<Vec<_>>().join(" ")
}

/// What the status line says at both ends, and where it says how much waits for the person.
struct StatusEnds {
    left: StyledLine,
    right: StyledLine,
    waiting: Option<Range<u16>>,
}

pub(super) fn draw(canvas: &mut Canvas, area: Rect, app: &InterfaceState) {
    let StatusEnds { left, right, .. } = ends(app, area.cols);
    draw_status_line(canvas, area, &left, &right, &app.skin);
}

/// Whether the count of what waits for the person is at a place of the status line.
pub(crate) fn is_on_waiting(app: &InterfaceState, area: Rect, at: Position) -> bool {
    let col = area.contains(at).then(|| at.col - area.col);
    col.zip(ends(app, area.cols).waiting).is_some_and(|(col, waiting)| waiting.contains(&col))
}

/// How much waits for the person, and the key that shows it; nothing where nothing does.
pub(crate) fn waiting_mark(app: &InterfaceState) -> StyledLine {
    let mut mark = parts::waiting(app);
    if !mark.is_empty() {
        mark.push(gap(GAP));
    }
    mark
}

fn ends(app: &InterfaceState, cols: u16) -> StatusEnds {
    let set = &app.settings.status_line;
    let said = pieces(&set.left, &set.right).map(|end| end.iter().map(|piece| parts::said(app, *piece)).collect());
    let said: [Vec<SaidPiece>; 2] = said;
    let widths = said.each_ref().map(|end| end.iter().map(SaidPiece::width).collect::<Vec<PieceWidth>>());
    let forms = fitted([&widths[0], &widths[1]], usize::from(cols));
    let lines = [0, 1].map(|end| line(&said[end], &forms[end], app.skin.glyphs.more()));
    let [(mut left, left_waiting), (mut right, right_waiting)] = lines;
    let right_start = usize::from(cols).saturating_sub(line_cols(&right) + EDGE);
    let waiting = left_waiting.map(|range| (range, EDGE)).or(right_waiting.map(|range| (range, right_start)));
    if !left.is_empty() {
        left.insert(0, gap(EDGE));
    }
    if !right.is_empty() {
        right.push(gap(EDGE));
    }
    let col = |col: usize| u16::try_from(col).unwrap_or(u16::MAX);
    let waiting = waiting.map(|(range, start)| col(range.start + start)..col(range.end + start));
    StatusEnds { left, right, waiting }
}

/// The pieces of one end in a row, and where in it the count of what waits is.
fn line(said: &[SaidPiece], forms: &[PieceForm], more: char) -> (StyledLine, Option<Range<usize>>) {
    let (mut line, mut waiting) = (StyledLine::new(), None);
    for (one, form) in said.iter().zip(forms) {
        let shown = match form {
            PieceForm::Gone => continue,
            PieceForm::Full => one.full.clone(),
            PieceForm::Short => one.short.clone(),
            PieceForm::Cut(cols) => cut_line(&one.full, *cols, more),
        };
        if !line.is_empty() {
            line.push(gap(GAP));
        }
        let start = line_cols(&line);
        line.extend(shown);
        if one.piece == StatusPiece::Part(StatusPart::Waiting) {
            waiting = Some(start..line_cols(&line));
        }
    }
    (line, waiting)
}

fn gap(cols: usize) -> Span<'static> {
    Span::new(" ".repeat(cols), Style::default())
}

fn line_cols(line: &StyledLine) -> usize {
    line.iter().map(Span::cols).sum()
}

/// As much of a line as has room, ending in `more` if that is not all of it.
fn cut_line(line: &StyledLine, cols: usize, more: char) -> StyledLine {
    if line_cols(line) <= cols {
        return line.clone();
    }
    let (mut out, mut left) = (StyledLine::new(), cols);
    for span in line {
        if span.cols() < left {
            left -= span.cols();
            out.push(span.clone());
            continue;
        }
        // With a blank more than there is, the last one that has room is cut too.
        let text = cut(&format!("{} ", span.text), left, more);
        out.push(Span { text: text.into(), ..span.clone() });
        break;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_keys_are_short() {
        let shown = |seconds| ago(Duration::from_secs(seconds));
        assert_eq!([shown(0), shown(59), shown(60), shown(7199), shown(90_000)], ["0s", "59s", "1m", "1h", "1d"]);
        assert_eq!(minutes(Duration::from_secs(59)), "");
        assert_eq!(minutes(Duration::from_secs(61)), "1m");
        assert_eq!(key_name("ctrl+k"), "Ctrl-K");
        assert_eq!(key_name("ctrl+k g"), "Ctrl-K g");
        assert_eq!(key_name("f5"), "F5");
    }

    #[test]
    fn a_line_is_cut_across_its_spans_and_says_so() {
        let line = ["▸ ", "you have ", "control"].map(|text| Span::new(text, Style::default())).to_vec();
        let text = |cols| cut_line(&line, cols, '…').iter().map(|span| span.text.to_string()).collect::<String>();
        assert_eq!(
            [text(18), text(17), text(11), text(10), text(4)],
            ["▸ you have control", "▸ you have contr…", "▸ you have…", "▸ you hav…", "▸ y…"].map(String::from)
        );
    }
}
