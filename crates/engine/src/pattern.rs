//! A regular expression that is safe to run on a session's output.
//!
//! The engine behind it takes time linear in the text; the limits bound what one pattern may cost.

use std::fmt;
use std::sync::{Arc, OnceLock};

use regex::{Regex, RegexBuilder};
use thiserror::Error;

/// Compiled once, cheap to clone.
#[derive(Clone)]
pub struct Pattern {
    text: Regex,
    /// The same pattern for bytes that need not be UTF-8; few callers search those.
    bytes: Arc<OnceLock<Option<regex::bytes::Regex>>>,
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
        let text =
            RegexBuilder::new(pattern).size_limit(Self::MAX_COMPILED_BYTES).build().map_err(|error| match error {
                regex::Error::CompiledTooBig(_) => PatternError::TooComplex,
                other => PatternError::Syntax(other.to_string()),
            })?;
        Ok(Pattern { text, bytes: Arc::default() })
    }

    /// Matches `text` literally.
    pub fn literal(text: &str) -> Result<Self, PatternError> {
        Pattern::new(&regex::escape(text))
    }

    pub fn as_str(&self) -> &str {
        self.text.as_str()
    }

    pub fn regex(&self) -> &Regex {
        &self.text
    }

    /// The pattern over raw bytes. `None` when the byte form alone grows past the size limit.
    pub fn bytes_regex(&self) -> Option<&regex::bytes::Regex> {
        self.bytes
            .get_or_init(|| {
                regex::bytes::RegexBuilder::new(self.text.as_str()).size_limit(Self::MAX_COMPILED_BYTES).build().ok()
            })
            .as_ref()
    }
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

    #[test]
    fn literals_are_literal() {
        assert!(Pattern::literal("a.b(").unwrap().regex().is_match("xa.b(x"));
    }
}
