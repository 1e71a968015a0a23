//! Searching what a session has printed.

use engine::{MatchPlace, Pattern, SearchRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MAX_REPLY_BYTES;
use crate::{Call, CallEffects, Context, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};

/// Find lines of a session by a regular expression. `rendered` looks at the lines of history and screen as
/// they are drawn, joined where they wrapped; `raw` at the bytes that were printed.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session.
    pub process_id: String,
    /// RE2-style: no look-around, no back-references. At most 4 KiB.
    pub pattern: String,
    /// `rendered` when left out.
    #[serde(default)]
    pub kind: SearchKind,
    /// Matches to return, the oldest first: 20 when left out, at most 10000.
    #[serde(default)]
    pub limit: Option<u32>,
    /// Rendered: lines to show before each match, at most 1000.
    #[serde(default)]
    pub context_before: Option<u32>,
    /// Rendered: lines to show after each match, at most 1000.
    #[serde(default)]
    pub context_after: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchKind {
    #[default]
    Rendered,
    Raw,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply {
    pub matches: Vec<OutputMatch>,
    /// There are more matches than the limit, or than 12 MiB hold.
    pub truncated: bool,
    /// Rendered: number of the oldest line still kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_line: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OutputMatch {
    /// Number of the line in all that was drawn, from 0, which stays valid while output scrolls; of a full-screen
    /// program, the row of the screen. Left out for raw matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_no: Option<u64>,
    /// The match is on a full-screen program's screen, and `line_no` is a row of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub on_screen: bool,
    /// Raw: where the line begins in the stream, for get_process_raw_output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    pub text: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context_before: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context_after: Vec<String>,
}

const DEFAULT_LIMIT: u32 = 20;
const MAX_LIMIT: u32 = 10_000;
const MAX_CONTEXT: u32 = 1000;

#[derive(Debug)]
pub struct SearchOutput;

impl<C: Context> Operation<C> for SearchOutput {
    const TRAITS: OperationTraits = OperationTraits {
        name: "search_output",
        roles: Roles::ANYONE,
        faces: Faces::MCP.union(Faces::GRPC).union(Faces::CLI),
        effects: CallEffects::ReadOnly,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<C>, args: Args) -> Result<Reply, OpError> {
        let session = call.session(&args.process_id)?;
        let pattern = Pattern::new(&args.pattern)?;
        let limit = within("matches", args.limit.unwrap_or(DEFAULT_LIMIT), MAX_LIMIT)?;
        let before = within("lines of context", args.context_before.unwrap_or(0), MAX_CONTEXT)?;
        let after = within("lines of context", args.context_after.unwrap_or(0), MAX_CONTEXT)?;
        // Searching a full history takes milliseconds: too long to block other calls.
        let searched = tokio::task::spawn_blocking(move || match args.kind {
            SearchKind::Rendered => {
                let found =
                    session.search(&SearchRequest { pattern, limit, before, after, max_bytes: MAX_REPLY_BYTES });
                let first_line = session.with_screen(|screen| screen.lines().start);
                let matches = found.matches.into_iter().map(rendered_match).collect();
                Reply { matches, truncated: found.truncated, first_line: Some(first_line) }
            }
            SearchKind::Raw => {
                let found = session.search_raw(&pattern, limit);
                let matches = found.matches.into_iter().map(raw_match).collect();
                Reply { matches, truncated: found.truncated, first_line: None }
            }
        });
        searched
            .await
            .map_err(|_| OpError::new(ErrorKind::Internal, "the search was broken off").with_hint("try again"))
    }
}

/// Names the argument in the error by the caller's word for it: faces name arguments differently.
fn within(what: &str, value: u32, most: u32) -> Result<usize, OpError> {
    if value > most {
        let error = OpError::invalid_args(format!("{value} {what} are too many"));
        return Err(error.with_hint(format!("ask for at most {most}")));
    }
    Ok(value as usize)
}

fn rendered_match(found: engine::FoundLine) -> OutputMatch {
    let (line_no, on_screen) = match found.place {
        MatchPlace::Line(line) => (Some(line), false),
        MatchPlace::Row(row) => (Some(u64::from(row)), true),
        MatchPlace::Output => (None, false),
    };
    OutputMatch {
        line_no,
        on_screen,
        offset: None,
        text: found.text,
        context_before: found.before,
        context_after: found.after,
    }
}

fn raw_match(found: engine::FoundBytes) -> OutputMatch {
    let line = found.line.strip_suffix(b"\r").unwrap_or(&found.line);
    OutputMatch {
        line_no: None,
        on_screen: false,
        offset: Some(found.offset),
        text: String::from_utf8_lossy(line).into_owned(),
        context_before: Vec::new(),
        context_after: Vec::new(),
    }
}
