//! Decides by the Host and Origin headers which HTTP requests a local server accepts.
//!
//! A page of another site can make a browser send requests to loopback, and another site's name can be made to resolve
//! to this machine (DNS rebinding). The first is recognised by its Origin, the second by its Host; both are refused.

use std::{collections::HashSet, net::SocketAddr};

use http::{HeaderMap, HeaderValue, header, uri::Authority};

#[derive(Debug)]
pub struct OriginGuard {
    /// Lower case; with ports, unless any port is accepted.
    hosts: HashSet<String>,
    scheme: HttpScheme,
    any_port: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpScheme {
    Http,
    Https,
}

impl HttpScheme {
    pub fn as_str(self) -> &'static str {
        match self {
            HttpScheme::Http => "http",
            HttpScheme::Https => "https",
        }
    }

    fn default_port(self) -> u16 {
        match self {
            HttpScheme::Http => 80,
            HttpScheme::Https => 443,
        }
    }
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OriginRefusal {
    WrongHost,
    WrongOrigin,
}

const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

impl OriginGuard {
    /// For loopback without TLS, on any port: the client may reach us through a forwarded port.
    pub fn loopback() -> Self {
        OriginGuard { hosts: LOOPBACK.map(str::to_owned).into(), scheme: HttpScheme::Http, any_port: true }
    }

    /// Accepts `names` and the address itself and, if that is a loopback or wildcard address, the loopback names too.
    pub fn of(address: SocketAddr, names: &[String], scheme: HttpScheme) -> Self {
        let mut bare: Vec<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
        let ip = address.ip();
        if !ip.is_unspecified() {
            bare.push(if ip.is_ipv6() { format!("[{ip}]") } else { ip.to_string() });
        }
        if ip.is_loopback() || ip.is_unspecified() {
            bare.extend(LOOPBACK.map(str::to_owned));
        }
        let mut hosts = HashSet::new();
        for name in bare {
            hosts.insert(format!("{name}:{}", address.port()));
            // Browsers omit the default port.
            if address.port() == scheme.default_port() {
                hosts.insert(name);
            }
        }
        OriginGuard { hosts, scheme, any_port: false }
    }

    pub fn scheme(&self) -> HttpScheme {
        self.scheme
    }

    pub fn check(&self, headers: &HeaderMap) -> Result<(), OriginRefusal> {
        let mut hosts = headers.get_all(header::HOST).iter();
        // Exactly one: with two, a proxy in between may have used the other one.
        match (hosts.next(), hosts.next()) {
            (Some(host), None) if self.knows(text(host)) => {}
            _ => return Err(OriginRefusal::WrongHost),
        }
        let ours = |origin: &HeaderValue| {
            let (scheme, host) = text(origin).split_once("://").unwrap_or_default();
            scheme.eq_ignore_ascii_case(self.scheme.as_str()) && self.knows(host)
        };
        if headers.get_all(header::ORIGIN).iter().all(ours) { Ok(()) } else { Err(OriginRefusal::WrongOrigin) }
    }

    /// `host` or `host:port`.
    fn knows(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        if !self.any_port {
            return self.hosts.contains(&host);
        }
        let plain = !host.contains('@');
        plain && host.parse::<Authority>().is_ok_and(|authority| self.hosts.contains(authority.host()))
    }
}

fn text(value: &HeaderValue) -> &str {
    value.to_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(guard: &OriginGuard, headers: &[(header::HeaderName, &'static str)]) -> Option<OriginRefusal> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, HeaderValue::from_static(value));
        }
        guard.check(&map).err()
    }

    #[test]
    fn only_its_own_names_and_origins_pass() {
        let guard = OriginGuard::of("127.0.0.1:7780".parse().unwrap(), &["Box.example".into()], HttpScheme::Http);
        for host in ["127.0.0.1:7780", "localhost:7780", "LOCALHOST:7780", "[::1]:7780", "box.example:7780"] {
            assert_eq!(refused(&guard, &[(header::HOST, host)]), None, "{host}");
        }
        for host in
            ["127.0.0.1", "127.0.0.1:7781", "evil.example:7780", "localhost.evil.example:7780", "", "x localhost:7780"]
        {
            assert_eq!(refused(&guard, &[(header::HOST, host)]), Some(OriginRefusal::WrongHost), "{host}");
        }
        assert_eq!(refused(&guard, &[]), Some(OriginRefusal::WrongHost));
        let twice = [(header::HOST, "localhost:7780"), (header::HOST, "evil.example")];
        assert_eq!(refused(&guard, &twice), Some(OriginRefusal::WrongHost));
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
            assert_eq!(with(origin), Some(OriginRefusal::WrongOrigin), "{origin}");
        }
    }

    #[test]
    fn the_usual_port_may_be_left_out() {
        let guard = OriginGuard::of("192.0.2.1:443".parse().unwrap(), &[], HttpScheme::Https);
        assert_eq!(refused(&guard, &[(header::HOST, "192.0.2.1")]), None);
        assert_eq!(refused(&guard, &[(header::HOST, "192.0.2.1"), (header::ORIGIN, "https://192.0.2.1")]), None);
        assert_eq!(refused(&guard, &[(header::HOST, "localhost")]), Some(OriginRefusal::WrongHost));
    }

    #[test]
    fn loopback_has_three_names_and_any_port() {
        let guard = OriginGuard::loopback();
        for name in ["localhost", "localhost:80", "127.0.0.1:8080", "[::1]", "[::1]:99"] {
            let map = HeaderMap::from_iter([(header::HOST, HeaderValue::from_str(name).unwrap())]);
            assert_eq!(guard.check(&map), Ok(()), "{name}");
            assert!(guard.knows(name) && !guard.knows(&format!("x@{name}")), "{name}");
        }
        for name in
            ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "10.0.0.1", "a b", "::1"]
        {
            assert!(!guard.knows(name), "{name}");
        }
        let with = |origin| refused(&guard, &[(header::HOST, "localhost:1"), (header::ORIGIN, origin)]);
        assert_eq!(with("http://localhost:2"), None);
        for origin in ["https://localhost:1", "http://evil.example", "null", ""] {
            assert_eq!(with(origin), Some(OriginRefusal::WrongOrigin), "{origin}");
        }
    }
}
