//! The link under the pointer: one that the program marked (OSC 8), or a URL in the text, also over a wrapped row's end.

use vt::{Frame, Position};

/// What may be opened; everything else could run a program.
const SCHEMES: [&str; 3] = ["https://", "http://", "mailto:"];
/// Rows that one URL may cover.
const MAX_ROWS: usize = 16;
const MAX_URL: usize = 4096;

/// The target of the link at a cell of `frame`, if it may be opened.
pub fn link_at(frame: &Frame, at: Position) -> Option<String> {
    let row = frame.rows.get(usize::from(at.row))?;
    let col = u32::from(at.col);
    let cell = row.cells().find(|cell| (cell.col..cell.col + cell.width.max(1)).contains(&col))?;
    if let Some(link) = &cell.run.link {
        return may_be_opened(&link.uri).then(|| link.uri.clone());
    }
    // The text of all rows that the one at the pointer is wrapped over, and where the pointer is in it.
    let wraps = |row: usize| frame.rows.get(row).is_some_and(|row| row.wrapped());
    let here = usize::from(at.row);
    let first = (0..here).rev().take(MAX_ROWS).take_while(|row| wraps(*row)).last().unwrap_or(here);
    let (mut text, mut place) = (String::new(), 0);
    for number in (first..frame.rows.len()).take(2 * MAX_ROWS) {
        for cell in frame.rows[number].cells() {
            if number == here && cell.col <= col {
                place = text.len();
            }
            text.push_str(if cell.text.is_empty() { " " } else { cell.text });
        }
        if number >= here && !wraps(number) {
            break;
        }
    }
    url_at(&text, place).map(str::to_owned)
}

fn may_be_opened(url: &str) -> bool {
    let scheme =
        SCHEMES.iter().any(|scheme| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
    scheme && url.len() <= MAX_URL && !url.chars().any(|c| c.is_control() || c.is_whitespace() || vt::is_hidden(c))
}

/// The URL that covers the byte `place` of `text`.
fn url_at(text: &str, place: usize) -> Option<&str> {
    let is_part =
        |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, '<' | '>' | '"' | '`' | '│' | '┃' | '|');
    let mut from = 0;
    while let Some(start) = SCHEMES.iter().filter_map(|scheme| text[from..].find(scheme)).min() {
        let start = from + start;
        let end = text[start..].find(|c| !is_part(c)).map_or(text.len(), |end| start + end);
        let url = without_closing(&text[start..end]);
        if (start..start + url.len()).contains(&place) {
            let host = SCHEMES.iter().find_map(|scheme| url.strip_prefix(scheme));
            return Some(url).filter(|url| may_be_opened(url) && host.is_some_and(|host| !host.is_empty()));
        }
        from = end.max(start + 1);
    }
    None
}

/// Without what closes the sentence or the bracket that the URL stands in.
fn without_closing(mut url: &str) -> &str {
    loop {
        let Some(last) = url.chars().last() else { return url };
        let is_unopened =
            |open: char, close: char| last == close && url.matches(open).count() < url.matches(close).count();
        let closes = matches!(last, '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | '_')
            || is_unopened('(', ')')
            || is_unopened('[', ']')
            || is_unopened('{', '}');
        if !closes {
            return url;
        }
        url = &url[..url.len() - last.len_utf8()];
    }
}

#[cfg(test)]
mod tests {
    use vt::{Size, Terminal, TerminalOptions};

    use super::*;

    fn frame(cols: u16, bytes: &str) -> Frame {
        let mut terminal = Terminal::new(TerminalOptions { size: Size::new(cols, 6), ..TerminalOptions::default() });
        terminal.feed(bytes.as_bytes());
        terminal.frame()
    }

    fn at(frame: &Frame, row: u16, col: u16) -> Option<String> {
        link_at(frame, Position { row, col })
    }

    #[test]
    fn a_url_ends_where_its_sentence_goes_on() {
        for (text, url) in [
            ("see https://a.test/x?y=1#z now", "https://a.test/x?y=1#z"),
            ("see https://a.test/x.", "https://a.test/x"),
            ("(https://a.test/x)", "https://a.test/x"),
            ("https://a.test/x_(y)", "https://a.test/x_(y)"),
            ("[https://a.test/x], and", "https://a.test/x"),
            ("<https://a.test/x>", "https://a.test/x"),
            ("\"http://a.test\"", "http://a.test"),
            ("│ http://a.test │", "http://a.test"),
            ("http://localhost:5173/", "http://localhost:5173/"),
            ("mailto:me@a.test!", "mailto:me@a.test"),
            ("https://日本.test/道 x", "https://日本.test/道"),
        ] {
            let start = text.find(url).unwrap();
            assert_eq!(url_at(text, start), Some(url), "{text}");
            assert_eq!(url_at(text, start + url.len() - 1), Some(url), "{text}");
            assert_eq!(url_at(text, start + url.len()), None, "{text}");
        }
    }

    #[test]
    fn what_could_run_something_is_no_link() {
        for text in ["file:///etc/passwd", "javascript:alert(1)", "ssh://a.test", "https://", "no link", "vscode://x"] {
            assert_eq!(url_at(text, 2), None, "{text}");
        }
        for uri in ["file:///etc/passwd", "javascript:alert(1)", "https://a.test/\u{202e}x", "-x"] {
            assert!(!may_be_opened(uri), "{uri}");
        }
        assert!(may_be_opened("HTTPS://a.test"));
    }

    #[test]
    fn the_second_of_two_is_found_too() {
        let text = "https://a.test https://b.test/";
        assert_eq!(
            (url_at(text, 3), url_at(text, 14), url_at(text, 20)),
            (Some("https://a.test"), None, Some("https://b.test/"))
        );
    }

    #[test]
    fn a_wrapped_url_is_whole_wherever_it_is_clicked() {
        let frame = frame(20, "go https://a.test/a-long/path/to/it and on");
        let whole = Some("https://a.test/a-long/path/to/it".to_owned());
        assert_eq!(at(&frame, 0, 5), whole);
        assert_eq!(at(&frame, 1, 3), whole);
        assert_eq!((at(&frame, 0, 1), at(&frame, 1, 18), at(&frame, 4, 0)), (None, None, None));
    }

    #[test]
    fn a_marked_link_goes_where_it_says_and_not_where_its_text_says() {
        let frame = frame(60, "\x1b]8;;https://real.test/\x1b\\https://shown.test\x1b]8;;\x1b\\ after");
        assert_eq!(at(&frame, 0, 3).as_deref(), Some("https://real.test/"));
        assert_eq!(at(&frame, 0, 22), None);
        let unsafe_one = self::frame(60, "\x1b]8;;file:///etc/passwd\x1b\\https://shown.test\x1b]8;;\x1b\\");
        assert_eq!(at(&unsafe_one, 0, 3), None);
    }
}
