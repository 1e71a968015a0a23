//! Which requests are looked at at all, on every route, and the headers every answer has. Pages of other sites don't get
//! as far as a cookie.

use std::{net::IpAddr, sync::Arc};

use axum::{
    extract::{Request, State},
    http::{HeaderValue, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use program::{HttpScheme, OriginGuard, OriginRefusal};

use crate::refusal::PageRefusal;

/// For a URL: IPv6 addresses in brackets.
pub(crate) fn written(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

/// Refuses before any route, and gives every answer its headers.
pub(crate) async fn stand_guard(State(guard): State<Arc<OriginGuard>>, request: Request, next: Next) -> Response {
    let socket = match guard.scheme() {
        HttpScheme::Http => "ws",
        HttpScheme::Https => "wss",
    };
    let mut connect = String::new();
    let mut response = match guard.check(request.headers()) {
        Ok(()) => {
            if let Some(host) = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()) {
                // One of ours, so it can't smuggle anything in. Safari does not count the WebSocket as 'self'.
                connect = format!(" {socket}://{host}");
            }
            next.run(request).await
        }
        Err(OriginRefusal::WrongHost) => PageRefusal::WrongHost.into_response(),
        Err(OriginRefusal::WrongOrigin) => PageRefusal::WrongOrigin.into_response(),
    };
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; manifest-src 'self'; \
         connect-src 'self'{connect}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'"
    );
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}
