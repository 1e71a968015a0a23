//! A message over the limit is refused by its header, before a byte of it is kept. tonic does that, and says so in
//! its own words and with a code of its own; clients get one of our errors instead.

use ops::{ErrorKind, OpError};
use tonic::{
    Code, Status,
    body::Body,
    codegen::http::{HeaderMap, Response},
};

use crate::failure::{self, MAX_MESSAGE_BYTES};

/// tonic's refusal in our words; every other answer as it is.
pub(super) fn explain(answer: Response<Body>) -> Response<Body> {
    if is_refusal(answer.headers()) { failure::status(too_long()).into_http() } else { answer }
}

/// No operation of ours answers with this code.
fn is_refusal(headers: &HeaderMap) -> bool {
    Status::from_header_map(headers).is_some_and(|status| status.code() == Code::OutOfRange)
}

fn too_long() -> OpError {
    OpError::new(ErrorKind::LimitExceeded, format!("one message may have {MAX_MESSAGE_BYTES} bytes, this one has more"))
        .with_hint("send it in parts, of at most 1 MiB each where it is input")
}
