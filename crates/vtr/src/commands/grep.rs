//! `vtr grep`

use std::collections::BTreeMap;

use fleet::SessionAddress;
use grpc::proto::{GrepMatch, GrepRequest};
use program::{CleanText, Exit, Outcome};
use serde_json::json;

use crate::{
    invocation::Invocation,
    output::{CellPaint, Output},
};

/// Search the lines of a session, including its history
///
/// Prints "scrollback:LINE: text"; lines count from 0 at the oldest line kept. Exits with 1 if nothing matches.
#[derive(Debug, clap::Args)]
pub(crate) struct GrepArgs {
    #[arg(value_name = "SESSION")]
    session: SessionAddress,
    /// A regular expression (RE2 style: no look-around, no back-references)
    #[arg(value_name = "PATTERN", allow_hyphen_values = true)]
    pattern: String,
    /// Lines to show before each match
    #[arg(short = 'B', long, value_name = "LINES")]
    before: Option<u32>,
    /// Lines to show after each match
    #[arg(short = 'A', long, value_name = "LINES")]
    after: Option<u32>,
    /// Lines to show before and after each match
    #[arg(short = 'C', long, value_name = "LINES")]
    context: Option<u32>,
    /// Print at most this many matches
    #[arg(long, value_name = "N", default_value = "100", value_parser = clap::value_parser!(i32).range(1..))]
    max: i32,
}

impl GrepArgs {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let defaults = invocation.config.defaults.clone();
        let lines = |own: Option<u32>, configured: Option<u32>| {
            i32::try_from(own.or(self.context).or(configured).unwrap_or(0)).unwrap_or(i32::MAX)
        };
        let request = |name: String| GrepRequest {
            name,
            pattern: self.pattern.clone(),
            context_before: lines(self.before, defaults.grep_context_before),
            context_after: lines(self.after, defaults.grep_context_after),
            max_matches: self.max,
        };
        let target = invocation.target(&self.session).await?;
        let request = request(target.session.clone());
        let with_context = request.context_before > 0 || request.context_after > 0;
        let answer = target.client.vtr().grep(request).await.map_err(|status| target.failure(&status))?.into_inner();
        let exit = if answer.matches.is_empty() { Exit::NotFound } else { Exit::Done };
        if invocation.output.json {
            let matches: Vec<_> = answer
                .matches
                .iter()
                .map(|found| {
                    json!({
                        "line_number": found.line_number,
                        "line": found.line,
                        "context_before": found.context_before,
                        "context_after": found.context_after,
                    })
                })
                .collect();
            let reply = json!({
                "coordinator": target.coordinator.name,
                "session": target.session,
                "matches": matches,
                "truncated": answer.truncated,
            });
            invocation.output.object(&reply)?;
            return Ok(exit);
        }
        print(&answer.matches, with_context, &mut invocation.output)?;
        if answer.truncated {
            invocation.output.warn(format_args!("there are more than {} matches: --max raises the limit", self.max));
        }
        Ok(exit)
    }
}

fn print(matches: &[GrepMatch], with_context: bool, output: &mut Output) -> Result<(), program::Failure> {
    let mut text: Vec<CleanText> = Vec::new();
    let mut last = None;
    for (number, (line, is_match)) in lines(matches) {
        if with_context && last.is_some_and(|last| number > last + 1) {
            text.push("--".into());
        }
        last = Some(number);
        let place = output.painted(CellPaint::Place, &format!("scrollback:{number}"));
        let line = if is_match { output.painted(CellPaint::Match, line) } else { line.into() };
        text.push(place.with(": ").with(line));
    }
    output.lines(text)
}

/// Each line once, even if it is beside several matches.
fn lines(matches: &[GrepMatch]) -> BTreeMap<i64, (&str, bool)> {
    let mut lines = BTreeMap::new();
    for found in matches {
        let at = i64::from(found.line_number);
        let before = found.context_before.iter().rev().zip(1..).map(|(line, by)| (at - by, line));
        let after = found.context_after.iter().zip(1..).map(|(line, by)| (at + by, line));
        for (number, line) in before.chain(after) {
            lines.entry(number).or_insert((line.as_str(), false));
        }
        lines.insert(at, (found.line.as_str(), true));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_context_is_shown_once() {
        let strings = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        let matches = [
            GrepMatch {
                line_number: 5,
                line: "e".into(),
                context_before: strings(&["d"]),
                context_after: strings(&["f"]),
            },
            GrepMatch {
                line_number: 6,
                line: "f".into(),
                context_before: strings(&["e"]),
                context_after: strings(&["g"]),
            },
        ];
        let lines: Vec<_> = lines(&matches).into_iter().collect();
        assert_eq!(lines, [(4, ("d", false)), (5, ("e", true)), (6, ("f", true)), (7, ("g", false))]);
    }
}
