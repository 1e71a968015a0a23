//! Reading a session as text.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Call, CallEffects, Context, ErrorKind, Faces, OpError, Operation, OperationTraits, OutputMode, ProcessOutput,
    Roles,
    output::{self, OutputRead},
};

/// Read a session as plain text. `grid` is the whole visible screen: find the part you are after in it, or
/// use search_output when you know a word to look for. `stream` is what was printed, without control sequences.
/// To pay only for what is new, pass the last `screen_version` as `since_version` (grid) or the last
/// `new_offset` as `since_offset` (stream).
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session.
    pub process_id: String,
    /// `grid` when left out.
    #[serde(default)]
    pub mode: OutputMode,
    /// Stream: only output from this offset on. Left out: the newest `max_bytes`.
    #[serde(default)]
    pub since_offset: Option<u64>,
    /// Grid: only the rows that changed since this version, as `changed_rows`.
    #[serde(default)]
    pub since_version: Option<u64>,
    /// Cut the content at about this many bytes (65536 when left out), with a note how to get the rest.
    #[serde(default)]
    pub max_bytes: Option<u32>,
}

#[derive(Debug)]
pub struct GetProcessOutput;

impl<C: Context> Operation<C> for GetProcessOutput {
    const TRAITS: OperationTraits = OperationTraits {
        name: "get_process_output",
        roles: Roles::ANYONE,
        faces: Faces::MCP,
        effects: CallEffects::ReadOnly,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    type Args = Args;
    type Reply = ProcessOutput;

    async fn run(call: Call<C>, args: Args) -> Result<ProcessOutput, OpError> {
        let session = call.session(&args.process_id)?;
        // Only a whole screen counts as having been seen.
        if args.mode == OutputMode::Grid && args.since_version.is_none() && args.max_bytes.is_none() {
            call.host().looked(&call.caller, &session);
        }
        let reading = OutputRead {
            mode: args.mode,
            since_offset: args.since_offset,
            since_version: args.since_version,
            max_bytes: args.max_bytes.map(|bytes| bytes as usize),
        };
        Ok(output::read(&session, call.host(), reading))
    }
}
