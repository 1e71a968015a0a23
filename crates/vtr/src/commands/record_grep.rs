//! `vtr record grep`

use std::{path::PathBuf, sync::Arc};

use program::{Exit, Failure, Outcome};
use replay::{Sighting, clock, pattern, sightings};
use serde_json::json;

use crate::{invocation::Invocation, output::CellPaint, playback};

/// Find when text was on the screen of a recording
///
/// Prints "FROM-UNTIL: line" for each time that a matching line was visible. Exits with 1 if nothing matches.
#[derive(Debug, clap::Args)]
pub(crate) struct RecordGrep {
    /// A regular expression (RE2 style: no look-around, no back-references)
    #[arg(value_name = "PATTERN", allow_hyphen_values = true)]
    pattern: String,
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// Print at most this many
    #[arg(long, value_name = "N", default_value = "100", value_parser = clap::value_parser!(u32).range(1..))]
    max: u32,
}

impl RecordGrep {
    pub(crate) fn run(self, invocation: &mut Invocation) -> Outcome {
        let pattern = pattern(&self.pattern).map_err(|error| Failure::usage(error.to_string()))?;
        let tape = Arc::new(playback::load(&self.file, &mut invocation.output)?);
        let most = usize::try_from(self.max).unwrap_or(usize::MAX);
        let mut found = sightings(&tape, pattern, most.saturating_add(1));
        let truncated = found.len() > most;
        found.truncate(most);
        let exit = if found.is_empty() { Exit::NotFound } else { Exit::Done };
        let output = &mut invocation.output;
        if output.json {
            let matches: Vec<_> = found.iter().map(in_json).collect();
            output.object(&json!({ "matches": matches, "truncated": truncated }))?;
            return Ok(exit);
        }
        for one in &found {
            let until = one.until.map_or_else(|| "end".to_owned(), clock);
            let place = output.painted(CellPaint::Place, &format!("{}-{until}", clock(one.from)));
            output.line(place.with(": ").with(&one.line))?;
        }
        if truncated {
            output.warn(format_args!("there are more than {most} matches: --max raises the limit"));
        }
        Ok(exit)
    }
}

fn in_json(one: &Sighting) -> serde_json::Value {
    let until = one.until.map(|until| until.as_secs_f64());
    json!({ "from_seconds": one.from.as_secs_f64(), "until_seconds": until, "line": one.line })
}
