//! Who may ask over HTTP. A page in the user's browser can reach loopback too, so a name that is not loopback's and an
//! origin that is elsewhere are refused before anything is read; and nobody passes without a token.

use hyper::{HeaderMap, StatusCode, header::AUTHORIZATION};
use program::{OriginGuard, OriginRefusal};

use super::{Reply, reply};

/// The refusal, if there is one.
pub(super) fn refused_origin(guard: &OriginGuard, headers: &HeaderMap) -> Option<Reply> {
    let (status, said) = match guard.check(headers) {
        Ok(()) => return None,
        Err(OriginRefusal::WrongHost) => {
            (StatusCode::MISDIRECTED_REQUEST, "this server answers to localhost, 127.0.0.1 and [::1] only")
        }
        Err(OriginRefusal::WrongOrigin) => (StatusCode::FORBIDDEN, "pages of other hosts may not ask here"),
    };
    Some(reply::plain(status, said))
}

pub(super) fn token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_as_bearer() {
        let headers = |value: &str| HeaderMap::from_iter([(AUTHORIZATION, value.parse().unwrap())]);
        assert_eq!(token(&headers("Bearer abc")), Some("abc"));
        assert_eq!(token(&headers("bearer abc ")), Some("abc"));
        assert_eq!(token(&headers("Basic abc")), None);
        assert_eq!(token(&HeaderMap::new()), None);
    }
}
