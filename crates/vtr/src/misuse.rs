//! The error message for an invalid command line.

use std::ffi::OsString;

use clap::error::ErrorKind;
use program::Failure;

/// What is wrong, then clap's advice and usage. `words` are the words before a `--`.
pub(crate) fn misuse(error: &clap::Error, words: &[OsString]) -> Failure {
    let text = error.render().to_string();
    let mut paragraphs = text.trim().split("\n\n").map(|text| text.replace("\n  ", " "));
    let message = paragraphs.next().unwrap_or_default();
    let mut hints: Vec<String> = paragraphs.collect();
    if error.kind() == ErrorKind::UnknownArgument {
        let advice = match words.get(1).and_then(|command| command.to_str()) {
            Some("spawn") => Some("a program and its arguments go after `--`: vtr spawn NAME -- PROGRAM ARG…"),
            Some("send") => Some("a text of several words needs quotes: vtr send SESSION 'a b'"),
            _ => None,
        };
        hints.splice(0..0, advice.map(str::to_owned));
    }
    Failure::usage(message.trim_start_matches("error: ")).with_hint(hints.join("\n"))
}
