//! Text that is safe for a person's terminal. What coordinators, children and files send could drive the terminal,
//! change the direction of the text around it, or imitate one of our own rows; a [`CleanText`] can't.

/// A line, or part of one, without control characters except those of our own sequences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CleanText(String);

impl CleanText {
    /// Appends untrusted text.
    pub fn push(&mut self, words: &str) {
        self.0.extend(words.chars().map(|c| if is_harmful(c) { char::REPLACEMENT_CHARACTER } else { c }));
    }

    /// Appends an escape sequence of our own. It must not contain untrusted text.
    pub fn push_sequence(&mut self, sequence: &str) {
        self.0.push_str(sequence);
    }

    /// Appends more text.
    pub fn with(mut self, more: impl Into<CleanText>) -> Self {
        self.0.push_str(&more.into().0);
        self
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<T: AsRef<str>> From<T> for CleanText {
    fn from(words: T) -> Self {
        let mut text = CleanText::default();
        text.push(words.as_ref());
        text
    }
}

/// Several lines, all but the first indented, so that none can pass for a message of its own.
pub fn set_in(words: &str) -> String {
    let lines: Vec<String> = words.lines().map(|line| CleanText::from(line).0).collect();
    lines.join("\n  ")
}

/// Untrusted text, made safe for drawing cell by cell.
pub fn printable(words: &str) -> String {
    CleanText::from(words).0
}

/// JSON, or lines of it, made safe for a terminal: inside a string, the escape means the same character.
pub fn escape_json(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            c if c != '\n' && is_harmful(c) => text.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => text.push(c),
        }
    }
    text
}

pub fn is_clean(words: &str) -> bool {
    !words.contains(is_harmful)
}

/// Control characters, bidirectional controls, and the two line separators. All have four hex digits.
fn is_harmful(c: char) -> bool {
    c.is_control() || vt::is_bidi_control(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_what_could_drive_a_terminal() {
        let words = "a\x1b]0;b\x07\u{9b}c\x7f\nd\u{202e}e\u{2069}f\u{2028}g";
        let clean = CleanText::from(words);
        let marks = "a\u{fffd}]0;b\u{fffd}\u{fffd}c\u{fffd}\u{fffd}d\u{fffd}e\u{fffd}f\u{fffd}g";
        assert_eq!(clean.as_str(), marks);
        assert!(is_clean(marks) && !is_clean(words));
        assert_eq!(CleanText::from("né 👩‍👩‍👧 שלום").as_str(), "né 👩‍👩‍👧 שלום");
    }

    #[test]
    fn only_we_write_sequences() {
        let mut text = CleanText::default();
        text.push_sequence("\x1b[1m");
        text.push("x\x1b[2m");
        assert_eq!(text.with("\x07").as_str(), "\x1b[1mx\u{fffd}[2m\u{fffd}");
    }

    #[test]
    fn later_lines_are_set_in() {
        assert_eq!(set_in("it said:\r\nvtr: gone\nhint: run this"), "it said:\n  vtr: gone\n  hint: run this");
    }

    #[test]
    fn escaped_json_means_the_same() {
        let value = serde_json::json!({ "a": "\x1b\u{9b}\u{202e}\x7f é" });
        let escaped = escape_json(&value.to_string());
        assert_eq!(escaped, r#"{"a":"\u001b\u009b\u202e\u007f é"}"#);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value);
    }
}
