//! Who may ask over HTTP. A page in the user's browser can reach loopback too, so a name that is not loopback's and an
//! origin that is elsewhere are refused before anything is read; and nobody passes without a token.

use hyper::{
    HeaderMap, StatusCode, Uri,
    header::{AUTHORIZATION, HOST, HeaderName, ORIGIN},
};

use super::{Reply, reply};

/// The refusal, if there is one.
pub(super) fn refused_origin(headers: &HeaderMap) -> Option<Reply> {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    if !text(HOST).is_some_and(is_loopback) {
        let said = "this server answers to localhost, 127.0.0.1 and [::1] only";
        return Some(reply::plain(StatusCode::MISDIRECTED_REQUEST, said));
    }
    let local = |origin: &str| origin.strip_prefix("http://").is_some_and(is_loopback);
    match text(ORIGIN) {
        Some(origin) if !local(origin) => {
            Some(reply::plain(StatusCode::FORBIDDEN, "pages of other hosts may not ask here"))
        }
        _ => None,
    }
}

/// `host` or `host:port`.
fn is_loopback(authority: &str) -> bool {
    let Ok(authority) = authority.parse::<Uri>() else { return false };
    matches!(authority.host(), Some("localhost" | "127.0.0.1" | "[::1]"))
}

pub(super) fn token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_has_three_names() {
        for name in ["localhost", "localhost:80", "127.0.0.1:8080", "[::1]", "[::1]:99"] {
            assert!(is_loopback(name), "{name}");
        }
        for name in
            ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "10.0.0.1", "a b", "::1"]
        {
            assert!(!is_loopback(name), "{name}");
        }
    }

    #[test]
    fn tokens_come_as_bearer() {
        let headers = |value: &str| HeaderMap::from_iter([(AUTHORIZATION, value.parse().unwrap())]);
        assert_eq!(token(&headers("Bearer abc")), Some("abc"));
        assert_eq!(token(&headers("bearer abc ")), Some("abc"));
        assert_eq!(token(&headers("Basic abc")), None);
        assert_eq!(token(&HeaderMap::new()), None);
    }
}
