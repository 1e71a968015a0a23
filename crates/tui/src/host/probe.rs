//! Queries the host's abilities.

use vt::Position;

use super::abilities::HostAbilities;
use crate::event::{HostEvent, Reply};

/// Cursor position reports that one request asks for.
pub(super) const POSITIONS: u8 = 1;

/// A box line and a Greek letter: one column each, unless the host is set up for East Asian text.
const AMBIGUOUS: &str = "─α";

/// The answers so far. Primary device attributes are queried last and every terminal answers them, so queries
/// unanswered by then are unsupported.
#[derive(Clone, Debug, Default)]
pub struct HostProbe {
    abilities: HostAbilities,
    finished: bool,
}

impl HostProbe {
    /// The queries. They are sent on our alternate screen, so a host that prints some of them is drawn over.
    pub fn request() -> Vec<u8> {
        let mut out = String::from("\x1b[?u\x1b[>q\x1b]10;?\x1b\\\x1b]11;?\x1b\\\x1b[?2026$p\x1b[?2027$p\x1b[?2031$p");
        // XTGETTCAP for "RGB", in hex.
        out.push_str("\x1bP+q524742\x1b\\");
        out.push_str(vt::StatusRecord::QUERY);
        out.push_str(&format!("\x1b[H{AMBIGUOUS}\x1b[6n\x1b[H\x1b[2J\x1b[c"));
        out.into_bytes()
    }

    /// Queries the colours only: they change when the host changes its scheme.
    pub fn colors() -> Vec<u8> {
        b"\x1b]10;?\x1b\\\x1b]11;?\x1b\\".to_vec()
    }

    /// Takes an answer; false if the event is something else. Late answers count too.
    pub fn take(&mut self, event: &HostEvent) -> bool {
        let HostEvent::Reply(reply) = event else { return false };
        let known = &mut self.abilities;
        match reply {
            Reply::DeviceAttributes(_) => self.finished = true,
            Reply::Version(version) => known.version = Some(version.clone()),
            Reply::KittyKeyboard(_) => known.kitty_keyboard = true,
            Reply::Color { number: 10, value } => known.foreground = Some(*value),
            Reply::Color { number: 11, value } => known.background = Some(*value),
            Reply::Color { .. } => {}
            // 0: the mode is unknown; 4: it is permanently off.
            Reply::Mode { number: 2026, state } => known.synchronized = matches!(state, 1..=3),
            Reply::Mode { number: 2027, state } => known.clusters = matches!(state, 1..=3),
            Reply::Mode { number: 2031, state } => known.color_scheme_reports = matches!(state, 1..=3),
            Reply::Mode { .. } => {}
            Reply::Capability { name, value } if name == "RGB" => known.true_color |= value.is_some(),
            Reply::Capability { .. } => {}
            Reply::StatusRecords => known.status_records = true,
            Reply::CursorPosition(at) => known.narrow_ambiguous = *at == Position { row: 0, col: 2 },
        }
        true
    }

    /// Whether the last query is answered.
    pub fn finished(&self) -> bool {
        self.finished
    }

    pub fn abilities(&self) -> &HostAbilities {
        &self.abilities
    }
}
