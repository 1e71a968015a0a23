//! Which requests are looked at at all: the Host and Origin headers, on every route; and the headers every answer has.
//!
//! A page of another site can make a browser send requests here, and a name of another site can be made to lead here
//! (DNS rebinding). Neither gets as far as a cookie: the first has another Origin, the second another Host.

use std::{
    collections::HashSet,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::refusal::PageRefusal;

/// The names this server answers to, with their ports, in lower case.
#[derive(Debug)]
pub(crate) struct Guard {
    hosts: HashSet<String>,
    scheme: Scheme,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    Http,
    Https,
}

impl Scheme {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Scheme::Http => "http",
            Scheme::Https => "https",
        }
    }

    fn default_port(self) -> u16 {
        match self {
            Scheme::Http => 80,
            Scheme::Https => 443,
        }
    }
}

impl Guard {
    /// `names` come on top of the address itself and, where that is a loopback or any address, localhost.
    pub(crate) fn new(address: SocketAddr, names: &[String], scheme: Scheme) -> Self {
        let mut bare: Vec<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
        let ip = address.ip();
        if !ip.is_unspecified() {
            bare.push(written(ip));
        }
        if ip.is_loopback() || ip.is_unspecified() {
            bare.extend(["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()]);
        }
        let mut hosts = HashSet::new();
        for name in bare {
            hosts.insert(format!("{name}:{}", address.port()));
            // Browsers leave the usual port out.
            if address.port() == scheme.default_port() {
                hosts.insert(name);
            }
        }
        Guard { hosts, scheme }
    }

    fn knows_host(&self, host: Option<&HeaderValue>) -> bool {
        let host = host.and_then(|host| host.to_str().ok()).map(str::to_ascii_lowercase);
        host.is_some_and(|host| self.hosts.contains(&host))
    }

    fn knows_origin(&self, origin: &HeaderValue) -> bool {
        let origin = origin.to_str().unwrap_or_default().to_ascii_lowercase();
        let rest = origin.strip_prefix(self.scheme.as_str()).and_then(|rest| rest.strip_prefix("://"));
        rest.is_some_and(|host| self.hosts.contains(host))
    }

    fn check(&self, headers: &HeaderMap) -> Result<(), PageRefusal> {
        // One of each: with two, a proxy in between may have believed the other.
        let hosts = headers.get_all(header::HOST).iter().count();
        if hosts != 1 || !self.knows_host(headers.get(header::HOST)) {
            return Err(PageRefusal::WrongHost);
        }
        if headers.get_all(header::ORIGIN).iter().all(|origin| self.knows_origin(origin)) {
            Ok(())
        } else {
            Err(PageRefusal::WrongOrigin)
        }
    }
}

/// For a URL: IPv6 addresses in brackets.
pub(crate) fn written(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

/// Refuses before any route, and gives every answer its headers.
pub(crate) async fn stand_guard(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let socket = match guard.scheme {
        Scheme::Http => "ws",
        Scheme::Https => "wss",
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
        Err(refusal) => refusal.into_response(),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(guard: &Guard, headers: &[(header::HeaderName, &'static str)]) -> Option<PageRefusal> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, HeaderValue::from_static(value));
        }
        guard.check(&map).err()
    }

    #[test]
    fn only_its_own_names_and_origins_pass() {
        let guard = Guard::new("127.0.0.1:7780".parse().unwrap(), &["Box.example".into()], Scheme::Http);
        for host in ["127.0.0.1:7780", "localhost:7780", "LOCALHOST:7780", "[::1]:7780", "box.example:7780"] {
            assert_eq!(refused(&guard, &[(header::HOST, host)]), None, "{host}");
        }
        for host in
            ["127.0.0.1", "127.0.0.1:7781", "evil.example:7780", "localhost.evil.example:7780", "", "x localhost:7780"]
        {
            assert_eq!(refused(&guard, &[(header::HOST, host)]), Some(PageRefusal::WrongHost), "{host}");
        }
        assert_eq!(refused(&guard, &[]), Some(PageRefusal::WrongHost));
        let twice = [(header::HOST, "localhost:7780"), (header::HOST, "evil.example")];
        assert_eq!(refused(&guard, &twice), Some(PageRefusal::WrongHost));
        let with = |origin| refused(&guard, &[(header::HOST, "localhost:7780"), (header::ORIGIN, origin)]);
        assert_eq!(with("http://localhost:7780"), None);
        for origin in [
            "https://localhost:7780",
            "http://localhost:7781",
            "http://evil.example",
            "null",
            "",
            "http://localhost:7780.evil.example",
        ] {
            assert_eq!(with(origin), Some(PageRefusal::WrongOrigin), "{origin}");
        }
    }

    #[test]
    fn the_usual_port_may_be_left_out() {
        let guard = Guard::new("192.0.2.1:443".parse().unwrap(), &[], Scheme::Https);
        assert_eq!(refused(&guard, &[(header::HOST, "192.0.2.1")]), None);
        assert_eq!(refused(&guard, &[(header::HOST, "192.0.2.1"), (header::ORIGIN, "https://192.0.2.1")]), None);
        assert_eq!(refused(&guard, &[(header::HOST, "localhost")]), Some(PageRefusal::WrongHost));
    }
}
