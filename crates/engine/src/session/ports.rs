//! Ports that a session mentions or listens on.
//!
//! Sightings come from rendered lines, so colour codes and read boundaries don't matter. The search runs when output
//! has paused or on request, never while bytes pour in. Nothing is probed: listening sockets are read from the process
//! table.

use std::ops::Range;
use std::sync::LazyLock;
use std::time::SystemTime;

use regex::Regex;

/// What is known of a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionPort {
    pub port: u16,
    /// As printed by the session, if it was.
    pub url: Option<String>,
    /// When it was first seen.
    pub first_seen_at: SystemTime,
    /// Whether a process of the session listens on it now.
    pub listening: bool,
}

/// Maximum different sightings per session; a program that prints more is not announcing servers.
const MAX_SIGHTINGS: usize = 64;
/// Lines checked each time the screen is locked: about 0.1 ms.
const LINES_PER_TURN: u64 = 256;
/// A longer line is data.
const MAX_LINE_BYTES: usize = 4096;

#[derive(Debug, Default)]
pub(crate) struct PortSightings {
    found: Vec<SessionPort>,
    /// Lines before this have been checked and can't change any more.
    next_line: u64,
}

impl PortSightings {
    /// Where a search starts: after the lines that are done. A screen that grew has taken lines back from history,
    /// which can change again.
    pub(crate) fn start(&self, terminal: &vt::Terminal) -> u64 {
        self.next_line.min(terminal.first_screen_line())
    }

    /// Checks some lines starting at `from`, and returns where to continue.
    pub(crate) fn look(&mut self, terminal: &vt::Terminal, from: u64, now: SystemTime) -> u64 {
        let lines = terminal.lines();
        let start = from.max(lines.start);
        let end = lines.end.min(start + LINES_PER_TURN);
        let found = &mut self.found;
        terminal.for_each_line(start..end, &mut |_, text| {
            note_line(found, text, now);
            found.len() < MAX_SIGHTINGS
        });
        // Lines on the screen may still change: they are checked again next time.
        self.next_line = self.next_line.max(end.min(terminal.first_screen_line()));
        end
    }

    /// Checks an alternate screen, whose rows are not lines.
    pub(crate) fn look_at_grid(&mut self, terminal: &vt::Terminal, now: SystemTime) {
        let mut grid = String::new();
        terminal.grid_text(&mut grid);
        grid.lines().for_each(|row| note_line(&mut self.found, row, now));
    }

    pub(crate) fn found(&self) -> Vec<SessionPort> {
        self.found.clone()
    }

    /// A new run: what the last one printed no longer counts.
    pub(crate) fn forget(&mut self, next_line: u64) {
        self.found.clear();
        self.next_line = next_line;
    }
}

fn note_line(found: &mut Vec<SessionPort>, text: &str, at: SystemTime) {
    if text.len() > MAX_LINE_BYTES || !text.contains(':') {
        return;
    }
    for (port, url) in sightings(text) {
        if let Some(known) = found.iter_mut().find(|known| known.port == port) {
            known.url = known.url.take().or(url);
        } else if found.len() < MAX_SIGHTINGS {
            found.push(SessionPort { port, url, first_seen_at: at, listening: false });
        }
    }
}

/// Scheme, host and the rest, up to white space, quotes and brackets that usually enclose a URL.
static URL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"\b(?<scheme>https?|wss?)://(?<host>\[[0-9a-fA-F:.]+\]|[^\s/:?#"'`<>()\[\]{}|\\]+)(?::(?<port>\d{1,5}))?(?:[/?#][^\s"'`<>|\\]*)?"#)
        .expect("a constant pattern")
});

/// `localhost:3000`, `0.0.0.0:80`, `[::1]:5173`, `*:8080`, and `:8080` by itself. Text that may be a file
/// (`main.rs:12`) or a time of day does not match.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:^|[^\w.:/\]-])(?:(?:(?:[\w-]+\.)*localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-fA-F:.]+\]|\*):(?<port>\d{1,5})|:(?<bare>\d{2,5}))(?:[^\w:.]|\.\W|\.?$)")
        .expect("a constant pattern")
});

fn sightings(text: &str) -> Vec<(u16, Option<String>)> {
    let mut all = Vec::new();
    let mut urls: Vec<Range<usize>> = Vec::new();
    for url in URL.captures_iter(text) {
        let whole = url.get(0).expect("group 0 is the match");
        urls.push(whole.range());
        let port = match url.name("port") {
            Some(port) => port.as_str().parse().ok(),
            // A link to a web site is not a port of this session.
            None if is_local(&url["host"]) => Some(if matches!(&url["scheme"], "https" | "wss") { 443 } else { 80 }),
            None => None,
        };
        if let Some(port) = port.filter(|port| *port != 0) {
            all.push((port, Some(trim_url(whole.as_str()).to_owned())));
        }
    }
    let mut at = 0;
    while let Some(address) = ADDRESS.captures_at(text, at) {
        let port = address.name("port").or(address.name("bare")).expect("either branch has a port");
        // The character after one address may be the one before the next.
        at = port.end();
        if urls.iter().any(|url| url.contains(&port.start())) {
            continue;
        }
        if let Some(port) = port.as_str().parse().ok().filter(|port| *port != 0) {
            all.push((port, None));
        }
    }
    all
}

fn is_local(host: &str) -> bool {
    let host = host.trim_matches(|c| c == '[' || c == ']');
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback() || ip.is_unspecified())
}

/// Without the punctuation of the sentence around it.
fn trim_url(url: &str) -> &str {
    let trimmed = url.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    match trimmed.strip_suffix([')', ']', '}']) {
        Some(inner) if !inner.contains(['(', '{']) && !inner.rsplit('/').next().unwrap_or("").contains('[') => inner,
        _ => trimmed,
    }
}

/// Merges sightings and sockets into one list, by port.
pub(crate) fn merge(mut sightings: Vec<SessionPort>, listening: &[u16], now: SystemTime) -> Vec<SessionPort> {
    for port in listening {
        match sightings.iter_mut().find(|known| known.port == *port) {
            Some(known) => known.listening = true,
            None => sightings.push(SessionPort { port: *port, url: None, first_seen_at: now, listening: true }),
        }
    }
    sightings.sort_by_key(|port| port.port);
    sightings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Vec<(u16, Option<&str>)> {
        sightings(text).into_iter().map(|(port, url)| (port, url.map(|url| &*url.leak()))).collect()
    }

    #[test]
    fn urls_and_addresses_are_seen() {
        type Seen = (u16, Option<&'static str>);
        let cases: &[(&str, &[Seen])] = &[
            ("  ➜  Local:   http://localhost:5173/", &[(5173, Some("http://localhost:5173/"))]),
            ("Listening on 0.0.0.0:8080", &[(8080, None)]),
            ("listening on :3000", &[(3000, None)]),
            ("open http://127.0.0.1:8000/docs.", &[(8000, Some("http://127.0.0.1:8000/docs"))]),
            ("(http://[::1]:9000)", &[(9000, Some("http://[::1]:9000"))]),
            ("ready at http://localhost", &[(80, Some("http://localhost"))]),
            ("localhost:3000, localhost:3001.", &[(3000, None), (3001, None)]),
            ("tcp *:22 [::]:443", &[(22, None), (443, None)]),
            ("https://app.test:8443/x?y=1#z", &[(8443, Some("https://app.test:8443/x?y=1#z"))]),
            ("api.localhost:4000 ready", &[(4000, None)]),
        ];
        for (text, expected) in cases {
            assert_eq!(seen(text), *expected, "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_a_port_is_not() {
        for text in [
            "12:34:56 GET /",
            "src/main.rs:120:5: error",
            "see https://example.org/docs",
            "ratio 16:9",
            "localhost:99999",
            "http://localhost:0/",
            "fe80::1:2",
            "a:b:8080",
            "time=10:30",
        ] {
            assert_eq!(seen(text), [], "{text}");
        }
    }

    #[test]
    fn a_listening_socket_marks_its_sighting_or_stands_alone() {
        let now = SystemTime::UNIX_EPOCH;
        let sighted =
            vec![SessionPort { port: 5173, url: Some("http://x:5173".into()), first_seen_at: now, listening: false }];
        let merged = merge(sighted, &[5173, 22], now);
        assert_eq!(
            merged.iter().map(|port| (port.port, port.listening)).collect::<Vec<_>>(),
            [(22, true), (5173, true)]
        );
        assert!(merged[1].url.is_some());
    }

    #[test]
    fn sightings_are_bounded() {
        let mut found = Vec::new();
        for port in 1000..3000 {
            note_line(&mut found, &format!("localhost:{port}"), SystemTime::UNIX_EPOCH);
        }
        assert_eq!(found.len(), MAX_SIGHTINGS);
    }
}
