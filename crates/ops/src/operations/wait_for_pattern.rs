//! Waiting for a text to appear.

use std::{borrow::Cow, time::Duration};

use engine::{MatchPlace, Pattern, PatternScope, Session, WaitOutcome, WaitRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{timeout, with_progress};
use crate::{Call, CallEffects, Context, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};

/// Wait until a session shows a text that matches a regular expression, the time is up, or its program has
/// ended. `grid` looks at the visible screen, now and as it changes; `scrollback` at every line drawn so far and
/// to come; `new_output` only at what is printed after this call. A timeout is an answer: `matched` is false and
/// `reason` says why.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session.
    pub process_id: String,
    /// RE2-style: no look-around, no back-references. At most 4 KiB. Blanks at its end also match the end of a
    /// line, where drawn lines have none: `>>> ` finds a prompt.
    pub pattern: String,
    /// 30 when left out, at most 600.
    #[serde(default)]
    pub timeout_seconds: Option<f64>,
    /// `grid` when left out.
    #[serde(default)]
    pub scope: WaitScope,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitScope {
    #[default]
    Grid,
    Scrollback,
    NewOutput,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reply {
    pub matched: bool,
    /// The line, or the rows of the screen, that matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// The row for `grid`, the number of the line otherwise. Left out when the text is no longer to be seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_no: Option<u64>,
    /// Why nothing matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<NoMatch>,
    /// Lines that scrolled out of the history before they could be checked.
    #[serde(skip_serializing_if = "is_zero")]
    pub skipped_lines: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoMatch {
    Timeout,
    Exited,
}

/// A line can be of any length; the caller only needs to recognise it.
const MAX_SNIPPET: usize = 4096;

#[derive(Debug)]
pub struct WaitForPattern;

impl<C: Context> Operation<C> for WaitForPattern {
    const TRAITS: OperationTraits = OperationTraits {
        name: "wait_for_pattern",
        roles: Roles::ANYONE,
        faces: Faces::MCP.union(Faces::GRPC).union(Faces::CLI),
        effects: CallEffects::ReadOnly,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<C>, args: Args) -> Result<Reply, OpError> {
        let session = call.session(&args.process_id)?;
        Ok(begin(&call, &session, &args.pattern, args.timeout_seconds, args.scope)?.await)
    }
}

/// Fixes what counts as new output, before the first poll.
pub(super) fn begin<C: Context>(
    call: &Call<C>,
    session: &Session,
    pattern: &str,
    timeout_seconds: Option<f64>,
    scope: WaitScope,
) -> Result<impl Future<Output = Reply> + Send + use<C>, OpError> {
    let pattern = Pattern::new(&with_line_ends(pattern))?;
    let timeout: Duration = timeout(timeout_seconds)?;
    let scope = match scope {
        WaitScope::Grid => PatternScope::Grid,
        WaitScope::Scrollback => PatternScope::Scrollback,
        WaitScope::NewOutput => PatternScope::NewOutput,
    };
    // Boxed, because the futures that contain it would be several times as large otherwise.
    let wait = Box::pin(session.wait_for_pattern(WaitRequest { pattern, scope, timeout }));
    let waiting = format!("waiting for the pattern in {}", session.id());
    let call = call.clone();
    Ok(async move { with_progress(&call, &waiting, wait).await.into() })
}

impl From<WaitOutcome> for Reply {
    fn from(outcome: WaitOutcome) -> Self {
        match outcome {
            WaitOutcome::Matched(found) => Reply {
                matched: true,
                line_no: match found.place {
                    MatchPlace::Row(row) => Some(u64::from(row)),
                    MatchPlace::Line(line) => Some(line),
                    MatchPlace::Output => None,
                },
                snippet: Some(shortened(found.text)),
                reason: None,
                skipped_lines: found.skipped_lines,
            },
            WaitOutcome::TimedOut { skipped_lines } => {
                Reply { reason: Some(NoMatch::Timeout), skipped_lines, ..Reply::default() }
            }
            WaitOutcome::Exited { skipped_lines, .. } => {
                Reply { reason: Some(NoMatch::Exited), skipped_lines, ..Reply::default() }
            }
        }
    }
}

/// Drawn lines end with their last visible character, so blanks that a pattern expects at the end may be missing.
fn with_line_ends(pattern: &str) -> Cow<'_, str> {
    let mut body = pattern.trim_end_matches(' ');
    let escapes = body.bytes().rev().take_while(|byte| *byte == b'\\').count();
    if escapes % 2 == 1 && body.len() < pattern.len() {
        // The escaped blank belongs to the escape.
        body = &pattern[..=body.len()];
    }
    match pattern.len() - body.len() {
        0 => Cow::Borrowed(pattern),
        blanks => Cow::Owned(format!("{body}(?:[ ]{{{blanks}}}|(?m:$))")),
    }
}

fn shortened(mut text: String) -> String {
    if text.len() > MAX_SNIPPET {
        let end = (0..=MAX_SNIPPET).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_at_the_end_of_a_pattern_are_there_or_the_line_ends() {
        let matches =
            |pattern: &str, text: &str| Pattern::new(&with_line_ends(pattern)).unwrap().regex().is_match(text);
        for text in [">>>", ">>> ", ">>> x", "a\n>>>\nb"] {
            assert!(matches(">>> ", text), "{text:?}");
        }
        assert!(!matches(">>> ", ">>>x") && !matches("a  ", "a b") && matches("a  ", "a"));
        assert!(matches("x|> ", "x") && matches("x|> ", ">") && !matches("x|> ", ">y"));
        assert!(matches(r">\ ", "> x") && !matches(r">\ ", ">"), "an escaped blank is meant");
        assert!(matches(r"\\ ", r"\"), "an escaped backslash is not a blank's");
        assert!(matches(r#"{"ok": "#, r#"{"ok": true}"#) && matches(r#"{"ok": "#, r#"{"ok":"#));
        assert_eq!(with_line_ends("ready"), "ready");
        assert!(matches(" ", "") && matches("", ""));
    }

    #[test]
    fn snippets_are_bounded() {
        assert_eq!(shortened("short".into()), "short");
        let long = shortened("é".repeat(MAX_SNIPPET));
        assert!(long.len() <= MAX_SNIPPET + '…'.len_utf8() && long.ends_with("é…"), "{}", long.len());
    }
}
