//! A message over the limit is refused by its length prefix, before a byte of it is buffered. tonic does that with an
//! error of its own; here it is replaced by one of ours. That an answer is too long is found out after its head was
//! sent: that error is in the trailers.

use http::{HeaderMap, Response};
use ops::{ErrorKind, OpError};
use tonic::{Code, Status, body::Body};

use crate::failure::{self, MAX_MESSAGE_BYTES};

/// Replaces tonic's refusal by our error; other answers stay unchanged.
pub(super) fn explain(answer: Response<Body>) -> Response<Body> {
    if is_refusal(answer.headers()) { failure::status(too_long()).into_http() } else { answer }
}

/// The same for trailers.
pub(super) fn explain_trailers(trailers: HeaderMap) -> HeaderMap {
    if !is_refusal(&trailers) {
        return trailers;
    }
    let mut ours = HeaderMap::new();
    match failure::status(too_long()).add_header(&mut ours) {
        Ok(()) => ours,
        Err(_) => trailers,
    }
}

/// None of our operations returns this code.
fn is_refusal(headers: &HeaderMap) -> bool {
    headers.get(Status::GRPC_STATUS).is_some_and(|code| Code::from_bytes(code.as_bytes()) == Code::OutOfRange)
}

fn too_long() -> OpError {
    OpError::new(ErrorKind::LimitExceeded, format!("one message may have {MAX_MESSAGE_BYTES} bytes, this one has more"))
        .with_hint("send it in parts, of at most 1 MiB each where it is input, or ask for less")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_is_too_long_says_so_in_its_trailers() {
        let trailers = |status: &Status| {
            let mut headers = HeaderMap::new();
            status.add_header(&mut headers).unwrap();
            headers
        };
        let explained = explain_trailers(trailers(&Status::out_of_range("encoded message length too large")));
        let status = Status::from_header_map(&explained).unwrap();
        assert_eq!(status.code(), Code::ResourceExhausted);
        assert_eq!(failure::CallFailure::from(&status).kind, Some(ErrorKind::LimitExceeded));
        for other in [Status::ok(""), Status::not_found("nobody")] {
            assert_eq!(explain_trailers(trailers(&other)), trailers(&other));
        }
    }
}
