//! Reading the bytes a session printed.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Call, CallEffects, Context, ErrorKind, Faces, OpError, Operation, OperationTraits, ProcessLife, Roles, output,
};

/// Read the bytes a session printed, control sequences included. Few need this: get_process_output is the
/// readable form. The last 1 MiB is kept.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session.
    pub process_id: String,
    /// Only output from this offset on. Left out: from the oldest byte kept.
    #[serde(default)]
    pub since_offset: Option<u64>,
    /// At most this many bytes, 65536 when left out; read on from `new_offset`.
    #[serde(default)]
    pub max_bytes: Option<u32>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply {
    pub content: String,
    /// The encoding of `content`, if the bytes are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<ContentEncoding>,
    /// Where the next read goes on.
    pub new_offset: u64,
    /// Bytes asked for that are no longer kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped_bytes: Option<u64>,
    pub status: ProcessLife,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContentEncoding {
    Base64,
}

#[derive(Debug)]
pub struct GetProcessRawOutput;

impl<C: Context> Operation<C> for GetProcessRawOutput {
    const TRAITS: OperationTraits = OperationTraits {
        name: "get_process_raw_output",
        roles: Roles::ANYONE,
        faces: Faces::MCP,
        effects: CallEffects::ReadOnly,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<C>, args: Args) -> Result<Reply, OpError> {
        let session = call.session(&args.process_id)?;
        let status = session.status();
        let max_bytes = args.max_bytes.map_or(output::DEFAULT_MAX_BYTES, |bytes| bytes as usize);
        let mut raw = session.raw(args.since_offset.unwrap_or(0), max_bytes);
        if let Err(error) = std::str::from_utf8(&raw.bytes)
            && error.error_len().is_none()
            && error.valid_up_to() > 0
            && !status.has_ended()
        {
            // A character cut at the end comes whole with the next read.
            raw.bytes.truncate(error.valid_up_to());
        }
        let new_offset = raw.next_offset();
        let dropped_bytes = (args.since_offset.is_some() && raw.dropped > 0).then_some(raw.dropped);
        let (content, encoding) = match String::from_utf8(raw.bytes) {
            Ok(text) => (text, None),
            Err(error) => (STANDARD.encode(error.as_bytes()), Some(ContentEncoding::Base64)),
        };
        Ok(Reply { content, encoding, new_offset, dropped_bytes, status: status.into() })
    }
}
