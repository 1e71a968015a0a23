//! What is masked in a report: the person's name and home, values of secret variables, and text that looks like a
//! secret.

use std::ffi::OsString;
use std::path::Path;

use crate::run_facts::is_secret_name;

/// A shorter value may be an ordinary word.
const MIN_SECRET: usize = 8;
/// A shorter name is part of too many words.
const MIN_NAME: usize = 3;
/// From this length on, letters mixed with digits count as a key.
const MIN_KEY: usize = 32;
/// Prefixes of well-known services' keys.
const KEY_PREFIXES: [&[u8]; 12] = [
    b"sk-",
    b"ghp_",
    b"gho_",
    b"ghs_",
    b"github_pat_",
    b"glpat-",
    b"xoxb-",
    b"xoxp-",
    b"AKIA",
    b"AIza",
    b"npm_",
    b"eyJ",
];
const MIN_PREFIXED_KEY: usize = 16;

/// Texts that must not leave the machine.
#[derive(Clone, Default)]
pub struct Redaction {
    /// Masked everywhere, longest first.
    secrets: Vec<Vec<u8>>,
    /// Masked only where no letter or digit is adjacent.
    name: Option<Vec<u8>>,
}

impl std::fmt::Debug for Redaction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redaction").field("secrets", &self.secrets.len()).finish_non_exhaustive()
    }
}

impl Redaction {
    /// The person's name is taken from the home folder.
    pub fn new(home: &Path, environment: &[(OsString, OsString)]) -> Self {
        let is_secret = |name: &OsString| name.to_str().is_some_and(is_secret_name);
        let secret = |(name, value): &(OsString, OsString)| is_secret(name).then(|| value.as_encoded_bytes().to_vec());
        let mut secrets: Vec<Vec<u8>> = environment.iter().filter_map(secret).collect();
        secrets.retain(|value| value.len() >= MIN_SECRET);
        secrets.sort_by_key(|value| std::cmp::Reverse(value.len()));
        let name = home.file_name().map(|name| name.as_encoded_bytes().to_vec());
        Redaction { secrets, name: name.filter(|name| name.len() >= MIN_NAME && name != b"root") }
    }

    /// Keeps the number of characters.
    pub fn mask(&self, bytes: &mut [u8]) {
        for secret in &self.secrets {
            mask_all(bytes, secret, b'x', |_, _| true);
        }
        if let Some(name) = &self.name {
            let of_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
            mask_all(bytes, name, b'u', |before, after| {
                (!of_word(before.last()) || ends_a_sequence(before)) && !of_word(after.first())
            });
        }
        mask_keys_and_status_texts(bytes);
    }

    pub fn masked(&self, text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        self.mask(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Whether these bytes end with a control sequence, such as a colour.
fn ends_a_sequence(bytes: &[u8]) -> bool {
    let Some((_, mut rest)) = bytes.split_last() else { return false };
    while let [before @ .., b'0'..=b'?'] = rest {
        rest = before;
    }
    rest.ends_with(b"\x1b[")
}

/// Masks `wanted` where `counts` accepts the text before and after it.
fn mask_all(bytes: &mut [u8], wanted: &[u8], with: u8, counts: impl Fn(&[u8], &[u8]) -> bool) {
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.windows(wanted.len()).position(|part| part == wanted))
    {
        let (start, end) = (at + found, at + found + wanted.len());
        if counts(&bytes[..start], &bytes[end..]) {
            // A multi-byte character is masked by one letter per byte; names rarely have any.
            bytes[start..end].fill(with);
        }
        at = end;
    }
}

/// Masks keys, and of status reports (OSC 7501) every text: it is base64, in which nothing else here finds anything.
fn mask_keys_and_status_texts(bytes: &mut [u8]) {
    const INTRODUCER: &[u8] = b"\x1b]7501;";
    let mut rest = bytes;
    while let Some(found) = rest.windows(INTRODUCER.len()).position(|part| part == INTRODUCER) {
        let (before, report) = rest.split_at_mut(found);
        mask_keys(before);
        let body = &mut report[INTRODUCER.len()..];
        let end = body.iter().position(|byte| matches!(byte, 0x07 | 0x1b)).unwrap_or(body.len());
        let (report, after) = body.split_at_mut(end);
        for pair in report.split_mut(|byte| *byte == b':') {
            match pair.iter().position(|byte| *byte == b'=') {
                Some(equals) if matches!(&pair[..equals], b"msg" | b"title") => mask_base64(&mut pair[equals + 1..]),
                _ => mask_keys(pair),
            }
        }
        rest = after;
    }
    mask_keys(rest);
}

/// As long as before and still base64, of `xxx`.
fn mask_base64(value: &mut [u8]) {
    let digits = value.iter().position(|byte| *byte == b'=').unwrap_or(value.len());
    for (digit, masked) in value[..digits].iter_mut().zip(b"eHh4".iter().cycle()) {
        *digit = *masked;
    }
    // The last digit of a text that does not fill its group has no bits of its own.
    match digits % 4 {
        2 => value[digits - 1] = b'A',
        3 => value[digits - 1] = b'g',
        _ => {}
    }
}

fn mask_keys(bytes: &mut [u8]) {
    let of_key = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'=');
    for word in bytes.split_mut(|byte| !of_key(byte)) {
        let mixed = word.iter().any(u8::is_ascii_digit) && word.iter().any(u8::is_ascii_alphabetic);
        let prefixed = word.len() >= MIN_PREFIXED_KEY && KEY_PREFIXES.iter().any(|prefix| word.starts_with(prefix));
        if prefixed || (mixed && word.len() >= MIN_KEY) {
            word.fill(b'x');
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn redaction() -> Redaction {
        let environment =
            [("OPENAI_API_KEY", "correct horse 7"), ("PATH", "/usr/bin:/opt/tools"), ("A_TOKEN", "short")];
        let environment: Vec<_> = environment.map(|(name, value)| (name.into(), value.into())).to_vec();
        Redaction::new(Path::new("/home/alice"), &environment)
    }

    #[test]
    fn texts_of_status_reports_are_masked_and_the_reports_stay() {
        for text in ["a", "ab", "abc", "cat /home/alice/notes and more of it", "0123456789abcdef0123456789abcdef"] {
            let record = vt::StatusRecord {
                msg: Some(text.into()),
                title: Some(text.into()),
                app: Some("claude-code".into()),
                ..vt::StatusRecord::new(vt::ProgramState::Blocked)
            };
            let mut terminal = vt::Terminal::new(vt::TerminalOptions::default());
            terminal.feed(redaction().masked(&record.sequence()).as_bytes());
            let [masked] = terminal.status_records() else { panic!("{text}: the report is lost") };
            let x = "x".repeat(text.len());
            assert_eq!(
                (masked.msg.as_deref(), masked.title.as_deref()),
                (Some(x.as_str()), Some(x.as_str())),
                "{text}"
            );
            assert_eq!(masked.app.as_deref(), Some("claude-code"));
        }
    }

    #[test]
    fn names_homes_and_secrets_are_masked_in_place() {
        for (text, masked) in [
            ("cd /home/alice/proj", "cd /home/uuuuu/proj"),
            ("alice@host: malice _alice alice_x", "uuuuu@host: malice _alice alice_x"),
            ("\x1b[1;32malice\x1b[0m@h", "\x1b[1;32muuuuu\x1b[0m@h"),
            ("key correct horse 7.", "key xxxxxxxxxxxxxxx."),
            ("PATH is /usr/bin:/opt/tools, short", "PATH is /usr/bin:/opt/tools, short"),
            ("use sk-abcdef0123456789 now", "use xxxxxxxxxxxxxxxxxxx now"),
            ("0123456789abcdef0123456789abcdef", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
            ("────────── Do you want to proceed? ❯ 1. Yes", "────────── Do you want to proceed? ❯ 1. Yes"),
        ] {
            assert_eq!(redaction().masked(text), masked);
        }
    }

    proptest! {
        #[test]
        fn the_length_stays_and_nothing_is_left(before in "\\PC{0,20}", after in "\\PC{0,20}") {
            let text = format!("{before}/home/alice/{after}correct horse 7");
            let masked = redaction().masked(&text);
            prop_assert_eq!(masked.chars().count(), text.chars().count());
            prop_assert!(!masked.contains("/alice/") && !masked.contains("correct horse 7"), "{}", masked);
        }
    }
}
