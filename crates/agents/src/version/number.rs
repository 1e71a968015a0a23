//! A version's number, as programs print it.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;

/// Longest that is read: the text comes from a program.
const MAX_LENGTH: usize = 64;

/// Numbers with dots between them, and perhaps `-` and a name, which stands for a version before the one without:
/// `1.0 = 1.0.0`, `1.9 < 1.10`, `1.10.0-beta < 1.10.0`.
#[derive(Clone, Debug)]
pub struct ProgramVersion {
    text: String,
    numbers: Vec<u32>,
    /// Words after `-`.
    prerelease: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a version is numbers with dots between them, as in 1.20.3 or 1.20.3-beta.1")]
pub struct VersionError;

impl FromStr for ProgramVersion {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        if text.len() > MAX_LENGTH {
            return Err(VersionError);
        }
        let (numbers, prerelease) = text.split_once('-').map_or((text, None), |(before, after)| (before, Some(after)));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let number = |part: &str| part.parse().ok().filter(|_| digits(part)).ok_or(VersionError);
        let mut numbers: Vec<u32> = numbers.split('.').map(number).collect::<Result<_, _>>()?;
        while numbers.len() > 1 && numbers.last() == Some(&0) {
            numbers.pop();
        }
        let word =
            |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let prerelease: Vec<&str> = prerelease.map(|words| words.split('.').collect()).unwrap_or_default();
        if !prerelease.iter().all(word) {
            return Err(VersionError);
        }
        let prerelease = prerelease.into_iter().map(str::to_owned).collect();
        Ok(ProgramVersion { text: text.into(), numbers, prerelease })
    }
}

/// A part behind the `-`: numbers come before words, as in semantic versioning.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum PrereleasePart<'a> {
    Number(u64),
    Word(&'a str),
}

impl ProgramVersion {
    /// A release comes after all that lead up to it.
    fn rank(&self) -> (&[u32], bool, Vec<PrereleasePart<'_>>) {
        let parts = self
            .prerelease
            .iter()
            .map(|word| word.parse().map_or(PrereleasePart::Word(word), PrereleasePart::Number))
            .collect();
        (&self.numbers, self.prerelease.is_empty(), parts)
    }
}

impl Ord for ProgramVersion {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for ProgramVersion {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ProgramVersion {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for ProgramVersion {}

/// As it was written.
impl fmt::Display for ProgramVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for ProgramVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for ProgramVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for ProgramVersion {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ProgramVersion".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "description": VersionError.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn version(text: &str) -> ProgramVersion {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn versions_are_in_the_order_that_people_mean() {
        let ordered =
            ["0.9", "1", "1.2.0-alpha", "1.2.0-beta.2", "1.2.0-beta.10", "1.2.0-beta.x", "1.2", "1.2.1", "1.10"];
        for pair in ordered.windows(2) {
            assert!(version(pair[0]) < version(pair[1]), "{pair:?}");
        }
        assert_eq!(version("1.2"), version("1.2.0"));
        assert_eq!(version("0"), version("0.0"));
        assert_eq!(version("1.2.0").to_string(), "1.2.0", "as it was written");
    }

    #[test]
    fn what_is_none_is_refused() {
        for text in
            ["", "x", "1.", ".1", "1..2", "1.x", "v1", "+1", "1.2-", "1.2-a..b", "1.2-a b", "4294967296", "1.\u{661}"]
        {
            assert_eq!(text.parse::<ProgramVersion>(), Err(VersionError), "{text:?}");
        }
        assert_eq!("1.".repeat(40).parse::<ProgramVersion>(), Err(VersionError));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_and_the_order_is_one(texts in prop::collection::vec("[0-3]{1,2}(\\.[0-3]){0,2}(-[a-b1-2](\\.[a-b1-2])?)?", 3), odd in "\\PC{0,20}") {
            let _ = odd.parse::<ProgramVersion>();
            let mut versions: Vec<ProgramVersion> = texts.iter().map(|text| version(text)).collect();
            versions.sort();
            prop_assert!(versions[0] <= versions[1] && versions[1] <= versions[2] && versions[0] <= versions[2]);
        }
    }
}
