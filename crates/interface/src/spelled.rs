//! Text that a person has to judge, with its invisible characters written out.

use agents::RunFact;

/// Escapes characters that are invisible, look like a blank but are not, or change the order of what is shown: nobody
/// should approve half a command.
pub fn spelled(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ' ' => out.push(' '),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || c.is_whitespace() || vt::is_hidden(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// Facts as rows of a label and a text. Labels begin in the first column, and text from a preset always follows a label
/// or is indented, so it can't pass for a label.
pub fn fact_lines(facts: &[RunFact]) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    for RunFact { label, lines } in facts {
        let label = spelled(label);
        match &lines[..] {
            [line] => rows.push((format!("{label:<7}  "), spelled(line))),
            lines => {
                rows.push((label, String::new()));
                rows.extend(lines.iter().map(|line| ("  ".to_owned(), spelled(line))));
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_preset_says_is_set_in() {
        let fact = |label: &str, lines: &[&str]| RunFact {
            label: label.to_owned(),
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
        };
        let rows = fact_lines(&[fact("command", &["make"]), fact("writes x", &["folder   /safe", "\x1b[2K"])]);
        let rows: Vec<String> = rows.into_iter().map(|(label, text)| label + &text).collect();
        assert_eq!(rows, ["command  make", "writes x", "  folder   /safe", "  \\u{1b}[2K"]);
    }

    #[test]
    fn nothing_is_out_of_sight() {
        assert_eq!(spelled("rm\u{202e}x\x1b[2J\n"), "rm\\u{202e}x\\u{1b}[2J\\n");
        assert_eq!(spelled("a\u{3164}\u{34f}b\u{a0}c d\u{3000}"), "a\\u{3164}\\u{34f}b\\u{a0}c d\\u{3000}");
        assert_eq!(spelled("日本 ä"), "日本 ä");
    }
}
