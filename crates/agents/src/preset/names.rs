//! Valid preset names, and default names of their sessions.

use engine::SessionName;
use thiserror::Error;

/// Maximum characters of a preset's name.
const MAX_LENGTH: usize = 64;

#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub(crate) enum PresetNameError {
    #[error("the name is empty: give the preset a name, or leave `name` out to use the file's")]
    Empty,
    #[error("the name has {length} characters, at most {MAX_LENGTH} are allowed: shorten it")]
    TooLong { length: usize },
    #[error("the name begins or ends with a blank: take it away")]
    Blank,
    #[error("the name holds a control character: take it away")]
    Control,
}

pub(crate) fn check_name(name: &str) -> Result<(), PresetNameError> {
    let length = name.chars().count();
    if name.is_empty() {
        Err(PresetNameError::Empty)
    } else if length > MAX_LENGTH {
        Err(PresetNameError::TooLong { length })
    } else if name.trim() != name {
        Err(PresetNameError::Blank)
    } else if name.chars().any(char::is_control) {
        Err(PresetNameError::Control)
    } else {
        Ok(())
    }
}

/// A preset's name in a form that is valid for sessions: `bun run dev` becomes `bun-run-dev`. Invalid characters become
/// one `-`; `fallback` is used if nothing is left.
///
/// ```
/// assert_eq!(agents::preset::slug("codex (haiku)", "agent"), "codex-haiku");
/// assert_eq!(agents::preset::slug("代码", "agent"), "agent");
/// ```
pub fn slug(name: &str, fallback: &str) -> String {
    let allowed = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-');
    let parts = name.split(|character| !allowed(character)).filter(|part| !part.is_empty());
    let slug = parts.collect::<Vec<_>>().join("-");
    let slug = slug.trim_matches('-');
    let slug = if slug.is_empty() { fallback } else { slug };
    // Leaves room for the number that follows.
    slug.chars().take(SessionName::MAX_LENGTH - 8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_slug_makes_a_session_name(name in "\\PC{0,100}") {
            let slug = slug(&name, "agent");
            prop_assert!(SessionName::new(format!("{slug}-1")).is_ok(), "{slug}");
        }
    }

    #[test]
    fn names_are_checked() {
        assert_eq!(check_name("bun run dev"), Ok(()));
        assert_eq!(check_name(""), Err(PresetNameError::Empty));
        assert_eq!(check_name(" a"), Err(PresetNameError::Blank));
        assert_eq!(check_name("a\u{1b}[2J"), Err(PresetNameError::Control));
        assert_eq!(check_name(&"x".repeat(65)), Err(PresetNameError::TooLong { length: 65 }));
    }
}
