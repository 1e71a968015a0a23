//! Ids made by the engine, and names chosen by people and agents.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// `p_` and six random hex digits: unique among the sessions of an engine, and not reused soon.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId([u8; 3]);

impl SessionId {
    /// An id drawn at random: the caller checks that nothing has it.
    pub fn random() -> Self {
        let mut bytes = [0; 3];
        getrandom::fill(&mut bytes).expect("the system gives random bytes once it has booted");
        SessionId(bytes)
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c] = self.0;
        write!(f, "p_{a:02x}{b:02x}{c:02x}")
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("a session id is 'p_' and six hex digits, as in p_a1b2c3")]
pub struct IdError;

impl FromStr for SessionId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let digits = text.strip_prefix("p_").ok_or(IdError)?;
        if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(IdError);
        }
        let number = u32::from_str_radix(digits, 16).map_err(|_| IdError)?;
        let [_, a, b, c] = number.to_be_bytes();
        Ok(SessionId([a, b, c]))
    }
}

/// What people and agents call a session: `[A-Za-z0-9._-]`, 1 to 64 characters, unique per engine.
///
/// The narrow alphabet keeps names safe in tags (`[sub-agent:name]`), on command lines and in
/// `coordinator:session` addresses.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionName(String);

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum NameError {
    #[error("a session name can't be empty: use 1 to 64 of A-Z a-z 0-9 . _ -")]
    Empty,
    #[error("a session name has at most 64 characters, this one has {length}: shorten it")]
    TooLong { length: usize },
    #[error("'{character}' can't be in a session name: use only A-Z a-z 0-9 . _ -", character = .character.escape_default())]
    ForbiddenCharacter { character: char },
    #[error("'{name}' has the form of a session id: choose a name that doesn't")]
    LooksLikeId { name: String },
    #[error("'{name}' would be taken for an option or a folder: begin with a letter, a digit or _")]
    LooksLikeSyntax { name: String },
}

impl SessionName {
    pub const MAX_LENGTH: usize = 64;

    pub fn new(name: impl Into<String>) -> Result<Self, NameError> {
        let name = name.into();
        if name.is_empty() {
            return Err(NameError::Empty);
        }
        if let Some(character) = name.chars().find(|character| !is_allowed(*character)) {
            return Err(NameError::ForbiddenCharacter { character });
        }
        if name.len() > Self::MAX_LENGTH {
            return Err(NameError::TooLong { length: name.len() });
        }
        if name.parse::<SessionId>().is_ok() {
            return Err(NameError::LooksLikeId { name });
        }
        if name.starts_with('-') || name.chars().all(|character| character == '.') {
            return Err(NameError::LooksLikeSyntax { name });
        }
        Ok(SessionName(name))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `slug-number`, with invalid characters of `slug` replaced by `-`.
    pub(crate) fn numbered(slug: &str, number: u64) -> Self {
        let suffix = format!("-{number}");
        let mut name: String = slug
            .chars()
            .map(|character| if is_allowed(character) { character } else { '-' })
            .skip_while(|character| *character == '-')
            .take(Self::MAX_LENGTH - suffix.len())
            .collect();
        if name.is_empty() {
            name.push_str("session");
        }
        name.push_str(&suffix);
        SessionName(name)
    }
}

/// A given name in a form that is safe to repeat in a message: long enough to be recognised, without characters that
/// act on a terminal.
pub fn shown_name(given: &str) -> String {
    let mut visible = given.chars().filter(|character| !character.is_control());
    let mut shown: String = visible.by_ref().take(SessionName::MAX_LENGTH).collect();
    if visible.next().is_some() {
        shown.push('…');
    }
    shown
}

fn is_allowed(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-')
}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl FromStr for SessionName {
    type Err = NameError;

    fn from_str(name: &str) -> Result<Self, NameError> {
        SessionName::new(name)
    }
}

/// Allows looking up a table of names by plain text.
impl Borrow<str> for SessionName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for SessionName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// The one of `names` that was probably meant: it goes on where `wanted` ends, or differs by a letter that is wrong,
/// missing, too many or swapped; by two in longer names.
pub fn near_name<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = wanted.chars().count();
    let most = (length / 3).min(2);
    let far = names.map(|name| match length > 2 && name.starts_with(wanted) {
        true => (1, name),
        false => (strsim::osa_distance(wanted, name), name),
    });
    // Of several that are as near, always the same.
    far.filter(|(distance, _)| *distance <= most).min().map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_printed_and_read_alike() {
        let id = SessionId([0x0a, 0x1b, 0xc2]);
        assert_eq!(id.to_string(), "p_0a1bc2");
        assert_eq!("p_0a1bc2".parse(), Ok(id));
        assert_eq!("p_0A1BC2".parse(), Ok(id));
        for wrong in ["", "p_", "p_0a1bc", "p_0a1bc22", "q_0a1bc2", "p_0a1bg2", "p_+a1bc2", "0a1bc2"] {
            assert_eq!(wrong.parse::<SessionId>(), Err(IdError), "{wrong}");
        }
    }

    #[test]
    fn the_rule_for_names() {
        for good in ["a", "codex-1", "A.b_c-9", "_", ".a", "p_notanid", &"x".repeat(64)] {
            assert!(SessionName::new(good).is_ok(), "{good}");
        }
        assert_eq!(SessionName::new(""), Err(NameError::Empty));
        assert_eq!(SessionName::new("x".repeat(65)), Err(NameError::TooLong { length: 65 }));
        for (bad, character) in [("a b", ' '), ("a[b", '['), ("é", 'é'), ("a:b", ':'), ("a\n", '\n'), ("a/b", '/')] {
            assert_eq!(SessionName::new(bad), Err(NameError::ForbiddenCharacter { character }));
        }
        // Programs that get them as arguments would take them for options or paths.
        for name in ["-", "-x", "--", ".", "..", "..."] {
            assert_eq!(SessionName::new(name), Err(NameError::LooksLikeSyntax { name: name.into() }));
        }
        assert_eq!(SessionName::new("p_00ff00"), Err(NameError::LooksLikeId { name: "p_00ff00".into() }));
    }

    #[test]
    fn wrong_names_are_repeated_in_part_and_without_control() {
        assert_eq!(shown_name("nobody é"), "nobody é");
        assert_eq!(shown_name("a\x1b[2J\nb\u{9b}c"), "a[2Jbc");
        assert_eq!(shown_name(&"x".repeat(64)), "x".repeat(64));
        assert_eq!(shown_name(&"é".repeat(5000)), format!("{}…", "é".repeat(64)));
        let error = crate::Error::NotFound { wanted: "\x1b[31m".repeat(100), near: None };
        assert!(!error.to_string().contains('\x1b') && error.to_string().len() < 200, "{error}");
    }

    #[test]
    fn a_slip_of_the_finger_is_guessed() {
        let near = |wanted| near_name(wanted, ["codex-1", "codex-2", "build", "x"].into_iter());
        assert_eq!(near("bulid"), Some("build"));
        assert_eq!(near("cod"), Some("codex-1"));
        assert_eq!(near("codx-2"), Some("codex-2"));
        assert_eq!(near("codex-3"), Some("codex-1"));
        assert_eq!((near("y"), near("deploy"), near("")), (None, None, None));
    }

    #[test]
    fn default_names_obey_the_rule_whatever_the_slug() {
        assert_eq!(SessionName::numbered("codex", 2).as_str(), "codex-2");
        assert_eq!(SessionName::numbered("bun run dev", 1).as_str(), "bun-run-dev-1");
        assert_eq!(SessionName::numbered("", 1).as_str(), "session-1");
        let long = SessionName::numbered(&"y".repeat(200), 12);
        assert_eq!(long.as_str().len(), 64);
        assert!(long.as_str().ends_with("-12"));
        assert_eq!(SessionName::new(long.as_str()), Ok(long.clone()));
    }
}
