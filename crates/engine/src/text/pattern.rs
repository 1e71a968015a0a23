//! A regular expression that is safe to run on a session's output.
//!
//! The underlying engine takes time linear in the text; the limits bound the cost of a pattern.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use regex::{Regex, RegexBuilder};
use thiserror::Error;

/// Compiled once, cheap to clone.
#[derive(Clone)]
pub struct Pattern(Arc<Compiled>);

struct Compiled {
    source: String,
    /// The text, if the pattern is only a literal. It is searched for directly: compiling an expression takes longer
    /// than most of its searches.
    plain: Option<String>,
    /// Compiled on demand if the pattern is a literal.
    text: OnceLock<Regex>,
    /// The same pattern for bytes that need not be UTF-8; few callers need it.
    bytes: OnceLock<Option<regex::bytes::Regex>>,
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PatternError {
    #[error("the pattern has {length} bytes, at most {limit} are allowed: search for a shorter marker", limit = Pattern::MAX_BYTES)]
    TooLong { length: usize },
    #[error("the pattern is too costly (over 1 MiB compiled): use smaller repetitions or fewer Unicode classes")]
    TooComplex,
    #[error("the pattern is not a valid regular expression (look-around and back-references are not supported): {0}")]
    Syntax(String),
}

impl Pattern {
    pub const MAX_BYTES: usize = 4 << 10;
    const MAX_COMPILED_BYTES: usize = 1 << 20;

    pub fn new(pattern: &str) -> Result<Self, PatternError> {
        if pattern.len() > Self::MAX_BYTES {
            return Err(PatternError::TooLong { length: pattern.len() });
        }
        let plain = plain_text(pattern);
        let text = match plain {
            Some(_) => OnceLock::new(),
            None => compile(pattern)
                .or_else(|error| match error {
                    // If that does not help, report the error of the pattern as it was written.
                    PatternError::Syntax(_) => compile(&with_literal_braces(pattern)).map_err(|_| error),
                    other => Err(other),
                })?
                .into(),
        };
        Ok(Pattern(Arc::new(Compiled { source: pattern.to_owned(), plain, text, bytes: OnceLock::new() })))
    }

    /// Matches `text` literally.
    pub fn literal(text: &str) -> Result<Self, PatternError> {
        Pattern::new(&regex::escape(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0.source
    }

    pub fn is_match(&self, text: &str) -> bool {
        match &self.0.plain {
            Some(plain) => text.contains(plain),
            None => self.regex().is_match(text),
        }
    }

    /// The first match.
    pub(crate) fn find(&self, text: &str) -> Option<Range<usize>> {
        match &self.0.plain {
            Some(plain) => text.find(plain).map(|at| at..at + plain.len()),
            None => self.regex().find(text).map(|found| found.range()),
        }
    }

    /// Whether some match extends beyond the first `known` bytes.
    pub(crate) fn is_match_beyond(&self, text: &str, known: usize) -> bool {
        match &self.0.plain {
            Some(plain) => text.match_indices(plain).any(|(at, found)| at + found.len() > known),
            None => self.regex().find_iter(text).any(|found| found.end() > known),
        }
    }

    pub fn regex(&self) -> &Regex {
        self.0.text.get_or_init(|| compile(&self.0.source).expect("plain text is an expression"))
    }

    /// The pattern for raw bytes. `None` if only the byte form exceeds the size limit.
    pub fn bytes_regex(&self) -> Option<&regex::bytes::Regex> {
        let source = self.regex().as_str();
        let build = || regex::bytes::RegexBuilder::new(source).size_limit(Self::MAX_COMPILED_BYTES).build().ok();
        self.0.bytes.get_or_init(build).as_ref()
    }
}

fn compile(pattern: &str) -> Result<Regex, PatternError> {
    RegexBuilder::new(pattern).size_limit(Pattern::MAX_COMPILED_BYTES).build().map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => PatternError::TooComplex,
        other => PatternError::Syntax(other.to_string()),
    })
}

/// Escapes each `{` that does not start a repetition, as RE2 reads it: a wait for JSON contains `{"ok"`.
fn with_literal_braces(pattern: &str) -> String {
    let mut escaped = String::with_capacity(pattern.len() + 8);
    // Nesting depth of classes: in a class, braces are literal already.
    let mut classes = 0_usize;
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\\' => escape_length(rest),
            '[' => {
                classes += 1;
                class_opening_length(rest)
            }
            '{' if classes == 0 && !is_repetition(rest) => {
                escaped.push('\\');
                1
            }
            other => {
                classes = classes.saturating_sub(usize::from(other == ']'));
                other.len_utf8()
            }
        };
        let (taken, after) = rest.split_at(length);
        escaped.push_str(taken);
        rest = after;
    }
    escaped
}

/// The length of the escape at the start of `rest`, including `\p{Greek}` as a whole.
fn escape_length(rest: &str) -> usize {
    let Some(name) = rest[1..].chars().next() else { return 1 };
    let length = 1 + name.len_utf8();
    let is_word =
        |word: &&str| word.chars().all(|character| character.is_ascii_alphanumeric() || "_-=:!".contains(character));
    let argument = rest[length..].strip_prefix('{').and_then(|rest| rest.split_once('}'));
    match argument.map(|(word, _)| word).filter(is_word) {
        Some(word) if "pPxuUb".contains(name) => length + word.len() + 2,
        _ => length,
    }
}

/// The length of a class's opening, with its negation and a closing bracket right after it, which is a member.
fn class_opening_length(rest: &str) -> usize {
    let inside = &rest[1..];
    let members = inside.strip_prefix('^').unwrap_or(inside);
    rest.len() - members.strip_prefix(']').unwrap_or(members).len()
}

/// `{2}`, `{2,}` or `{2,3}`.
fn is_repetition(rest: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let counts = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(counts, _)| counts);
    counts.is_some_and(|counts| match counts.split_once(',') {
        None => is_number(counts),
        Some((least, most)) => is_number(least) && (most.is_empty() || is_number(most)),
    })
}

/// The literal that `pattern` matches, if it matches only one: special characters occur only escaped.
fn plain_text(pattern: &str) -> Option<String> {
    const SIGNS: &str = r"\.+*?()|[]{}^$";
    let mut text = String::with_capacity(pattern.len());
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '\\' => characters.next().filter(|escaped| SIGNS.contains(*escaped))?,
            sign if SIGNS.contains(sign) => return None,
            plain => plain,
        });
    }
    Some(text)
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pattern").field(&self.as_str()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_and_syntax_are_told_apart() {
        assert!(Pattern::new("ready in \\d+ ms").is_ok());
        assert!(matches!(Pattern::new(&"a".repeat(4097)), Err(PatternError::TooLong { length: 4097 })));
        assert!(matches!(Pattern::new("(\\w{100}){100}"), Err(PatternError::TooComplex)));
        assert!(matches!(Pattern::new("(?=x)"), Err(PatternError::Syntax(_))));
        assert!(matches!(Pattern::new("("), Err(PatternError::Syntax(_))));
    }

    #[test]
    fn raw_bytes_need_not_be_text() {
        let pattern = Pattern::new("error: \\S+").unwrap();
        assert!(pattern.bytes_regex().unwrap().is_match(b"\xff\xfe error: E42"));
    }

    /// A literal matches the same, searched directly or compiled.
    #[test]
    fn plain_texts_are_found_as_expressions_would() {
        for pattern in ["ready", r"took 3\.5 s\?", "", "aa", "é", r"C:\\", "a-b #1 ~&/"] {
            let (pattern, compiled) = (Pattern::new(pattern).unwrap(), Regex::new(pattern).unwrap());
            assert!(pattern.0.plain.is_some(), "{pattern:?}");
            for text in ["", "aaaa", "ready, already", "took 3.5 s?", "took 345 s?", "éé", r"C:\", "x a-b #1 ~&/"] {
                assert_eq!(pattern.find(text), compiled.find(text).map(|found| found.range()), "{pattern:?} {text:?}");
                for known in 0..=text.len() {
                    let beyond = compiled.find_iter(text).any(|found| found.end() > known);
                    assert_eq!(pattern.is_match_beyond(text, known), beyond, "{pattern:?} {text:?} {known}");
                }
                assert_eq!(pattern.is_match(text), compiled.is_match(text), "{pattern:?} {text:?}");
                assert_eq!(pattern.regex().is_match(text), compiled.is_match(text));
            }
        }
        // The longest one can be compiled too.
        assert!(Pattern::new(&"é".repeat(Pattern::MAX_BYTES / 2)).unwrap().regex().is_match(&"é".repeat(3000)));
        for pattern in ["a.b", "a|b", r"\d", r"\<a", "(?i)a", "^a", "a$", "[a]", "a{2}", r"\x41"] {
            assert!(Pattern::new(pattern).unwrap().0.plain.is_none(), "{pattern:?}");
        }
    }

    #[test]
    fn a_brace_that_begins_no_repetition_is_a_brace() {
        for (pattern, text) in [
            (r#"{"ok""#, r#"{"ok": true}"#),
            (r#"^{"a": \d{2}}$"#, r#"{"a": 12}"#),
            ("x{", "x{"),
            ("a{,3}", "a{,3}"),
            ("{{name}}", "{{name}}"),
            (r"\{{x", "{{x"),
            (r"[{]{", "{{"),
            (r"[]{]{x", "{{x"),
            (r"[^]{]{x", "a{x"),
            (r"[^^]{x", "a{x"),
            (r"[[:alpha:]{]{x", "{{x"),
            (r"[\]{]{x", "]{x"),
            (r"\p{Lu}{x", "A{x"),
            (r"\x{41}{x", "A{x"),
            (r"a\b{x", "a{x"),
            (r#"a\b{"b"}"#, r#"a{"b"}"#),
            ("é{é", "é{é"),
        ] {
            let pattern = Pattern::new(pattern).unwrap();
            assert!(pattern.is_match(text), "{pattern:?} {text:?}");
            assert!(pattern.bytes_regex().unwrap().is_match(text.as_bytes()), "{pattern:?} {text:?}");
        }
        for (pattern, text) in [("a{2}", "a{2}"), ("^a{2,}$", "a"), ("^a{1,2}$", "aaa"), (r"^\p{Lu}$", "a")] {
            assert!(!Pattern::new(pattern).unwrap().is_match(text), "{pattern:?} {text:?}");
        }
        // Other syntax errors are reported for the pattern as it was written.
        for pattern in ["{(", "x{[", r"{\"] {
            let Err(PatternError::Syntax(text)) = Pattern::new(pattern) else { panic!("{pattern:?}") };
            assert!(text.contains(pattern) && !text.contains(r"\{"), "{text}");
        }
    }

    #[test]
    fn literals_are_literal() {
        assert!(Pattern::literal("a.b(").unwrap().regex().is_match("xa.b(x"));
    }
}
