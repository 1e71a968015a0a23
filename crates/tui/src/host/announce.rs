//! The host's clipboard, notifications and title. All texts are cleaned and cut, since they come from children and
//! agents.

use std::time::{Duration, Instant};

use base64::{Engine, prelude::BASE64_STANDARD};

/// Some terminals drop a clipboard write of more than 100,000 bytes in base64, which is this much text.
const MAX_CLIPBOARD: usize = 74_994;
const MAX_TEXT: usize = 256;

fn clean(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() && !vt::is_bidi_control(*c)).take(MAX_TEXT).collect()
}

/// OSC 52: the bytes that put `text` on the host's clipboard. `None` if it is longer than terminals accept.
pub fn copy_to_clipboard(text: &str) -> Option<Vec<u8>> {
    let write = || format!("\x1b]52;c;{}\x1b\\", BASE64_STANDARD.encode(text)).into_bytes();
    (text.len() <= MAX_CLIPBOARD).then(write)
}

/// The bytes of a notification, in the one form that the host (by name and version) supports best: several forms would
/// show several notifications.
pub fn notify(title: &str, body: &str, version: Option<&str>) -> Vec<u8> {
    let (title, body) = (clean(title), clean(body));
    let version = version.unwrap_or_default().to_lowercase();
    let form = match version {
        _ if version.starts_with("kitty") => {
            format!("\x1b]99;i=patterm:d=0;{title}\x1b\\\x1b]99;i=patterm:p=body;{body}\x1b\\")
        }
        _ if ["ghostty", "wezterm", "foot", "vte"].iter().any(|name| version.starts_with(name)) => {
            // Fields are separated by semicolons.
            format!("\x1b]777;notify;{};{}\x1b\\", title.replace(';', ","), body.replace(';', ","))
        }
        // A number and a semicolon at the start would be read as a progress report.
        _ => format!("\x1b]9;{title}: {body}\x1b\\"),
    };
    form.into_bytes()
}

/// Limits the bell of a child that rings all the time to twice a second.
#[derive(Debug, Default)]
pub struct BellLimit {
    rang: Option<Instant>,
}

impl BellLimit {
    const GAP: Duration = Duration::from_millis(500);

    /// The bytes that ring the host's bell, unless it has just rung.
    pub fn ring(&mut self, now: Instant) -> Option<&'static [u8]> {
        if self.rang.is_some_and(|rang| now.duration_since(rang) < Self::GAP) {
            return None;
        }
        self.rang = Some(now);
        Some(b"\x07")
    }
}

/// OSC 2.
pub fn set_title(title: &str) -> Vec<u8> {
    format!("\x1b]2;{}\x1b\\", clean(title)).into_bytes()
}

#[cfg(test)]
mod tests {
    use vt::{DesktopNotification, Effect, Terminal, TerminalOptions};

    use super::*;

    fn effects(bytes: &[u8]) -> Vec<Effect> {
        let mut host = Terminal::new(TerminalOptions::default());
        host.feed(bytes);
        host.take_effects()
    }

    #[test]
    fn the_host_hears_what_was_meant() {
        let notice = |title: &str, body: &str| {
            Effect::Notification(DesktopNotification { title: title.into(), body: body.into() })
        };
        let hostile = "b\x1b]2;x\x07;c";
        assert_eq!(effects(&notify("a", hostile, Some("kitty(0.40)"))), [notice("a", "b]2;x;c")]);
        assert_eq!(effects(&notify("a", hostile, Some("ghostty 1.2"))), [notice("a", "b]2,x,c")]);
        assert_eq!(effects(&notify("a", hostile, None)), [notice("", "a: b]2;x;c")]);
        assert_eq!(effects(&set_title("t\x07\x1b")), [Effect::Title("t".into())]);
        // `vt` would drop the character anyway; other hosts would reverse the text.
        assert!(!String::from_utf8(notify("a", "b\u{202e}c\u{2066}", None)).unwrap().contains(vt::is_bidi_control));
    }

    #[test]
    fn a_bell_that_never_stops_is_heard_twice_a_second() {
        let start = Instant::now();
        let mut limit = BellLimit::default();
        // A bell a millisecond, for three seconds.
        let rings = (0..3000).filter(|ms| limit.ring(start + Duration::from_millis(*ms)).is_some());
        assert_eq!(rings.collect::<Vec<_>>(), [0, 500, 1000, 1500, 2000, 2500]);
    }

    #[test]
    fn copies_are_whole_or_not_made() {
        let text = "copied\n漢";
        let clipboard = Effect::Clipboard { selection: "c".into(), data: text.as_bytes().to_vec() };
        assert_eq!(effects(&copy_to_clipboard(text).unwrap()), [clipboard]);
        assert_eq!(copy_to_clipboard(&"x".repeat(100_000)), None);
    }
}
