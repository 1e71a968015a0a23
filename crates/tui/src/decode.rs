//! Decodes the host's bytes into events.
//!
//! A state machine that takes bytes in any chunks. Input it can't read is dropped whole and never passed on as text: in
//! this product a stray reply decoded as keys would be typed into an agent. Its buffers are bounded. It knows no clock:
//! when nothing has come for [`HostDecoder::wait`], the caller calls [`HostDecoder::expire`].

mod keys;
mod mouse;
mod params;
mod replies;

use std::time::Duration;

use vt::input::{Key, KeyEvent, Modifiers};

use crate::event::HostEvent;

/// A terminal sends a key's sequence in one write, so an Escape followed by nothing for this long is the Escape key.
const LONE_ESCAPE: Duration = Duration::from_millis(30);
/// A sequence or reply whose rest takes longer than this is dropped.
const UNFINISHED: Duration = Duration::from_secs(1);
/// A paste over a slow line may pause this long; one whose end marker got lost must not block the keyboard.
const PAUSED_PASTE: Duration = Duration::from_secs(5);

/// Bytes of the longest sequence read, which may carry an input method's text.
const MAX_SEQUENCE: usize = 512;
/// Bytes kept of a reply; the rest of a longer one is dropped.
const MAX_STRING: usize = 4096;
/// A longer paste is delivered in parts of this size. With a possible end marker a part is 1 MiB, which is what a
/// session accepts at once.
const MAX_PASTE: usize = (1 << 20) - PASTE_END.len();
const PASTE_END: &[u8] = b"\x1b[201~";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum DecoderState {
    #[default]
    Ground,
    /// Inside a multi-byte character; an Escape before it means that Alt was held.
    Character {
        alt: bool,
    },
    Escape,
    Csi,
    Ss3,
    /// `CSI [`: a function key of the Linux console follows.
    Console,
    /// `CSI M`: three bytes follow.
    LegacyMouse,
    /// `ESC ]` or `ESC P`: the start of a reply, or Alt with that key.
    MaybeString(ReplyString),
    String(ReplyString),
    /// An Escape inside a string: most likely its terminator.
    StringEscape(ReplyString),
    Paste,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReplyString {
    Osc,
    Dcs,
}

/// Turns one host's bytes into events.
#[derive(Debug, Default)]
pub struct HostDecoder {
    state: DecoderState,
    held: Vec<u8>,
    /// Cursor position reports that were asked for: `CSI 1;5R` is such a report, or Ctrl+F3.
    expected_positions: u8,
}

impl HostDecoder {
    pub fn new() -> Self {
        HostDecoder::default()
    }

    /// Treats the next `count` cursor position reports as replies.
    pub fn expect_positions(&mut self, count: u8) {
        self.expected_positions = self.expected_positions.saturating_add(count);
    }

    /// Takes bytes and appends the completed events.
    pub fn feed(&mut self, bytes: &[u8], events: &mut Vec<HostEvent>) {
        let mut rest = bytes;
        while let Some((&byte, after)) = rest.split_first() {
            if self.state == DecoderState::Paste {
                let taken = self.paste(rest, events);
                rest = &rest[taken..];
                continue;
            }
            // A byte that ends the pending input without belonging to it is processed again.
            if self.step(byte, events) {
                rest = after;
            }
        }
    }

    /// How long to wait for more input before [`expire`](Self::expire); `None` if nothing is pending.
    pub fn wait(&self) -> Option<Duration> {
        match self.state {
            DecoderState::Ground => None,
            DecoderState::Escape | DecoderState::MaybeString(_) => Some(LONE_ESCAPE),
            DecoderState::Csi | DecoderState::Ss3 if self.held.is_empty() => Some(LONE_ESCAPE),
            DecoderState::Paste => Some(PAUSED_PASTE),
            _ => Some(UNFINISHED),
        }
    }

    /// No more input came in time: pending bytes become a key, or are dropped.
    pub fn expire(&mut self, events: &mut Vec<HostEvent>) {
        match std::mem::take(&mut self.state) {
            DecoderState::Escape => events.push(HostEvent::Key(KeyEvent::press(Key::Escape))),
            DecoderState::Csi if self.held.is_empty() => events.push(alt('[')),
            DecoderState::Ss3 if self.held.is_empty() => events.push(alt('O')),
            DecoderState::MaybeString(kind) => events.push(kind.as_key()),
            DecoderState::Paste => self.hand_on_paste(events),
            _ => {}
        }
        self.held.clear();
    }

    /// Returns whether the byte was consumed.
    fn step(&mut self, byte: u8, events: &mut Vec<HostEvent>) -> bool {
        match self.state {
            DecoderState::Ground => self.ground(byte, false, events),
            DecoderState::Character { alt } => return self.character(byte, alt, events),
            DecoderState::Escape => self.escape(byte, events),
            DecoderState::Csi => return self.csi(byte, events),
            DecoderState::Ss3 => return self.ss3(byte, events),
            DecoderState::Console => {
                self.state = DecoderState::Ground;
                if let b'A'..=b'E' = byte {
                    events.push(HostEvent::Key(KeyEvent::press(Key::F(byte - b'A' + 1))));
                }
            }
            DecoderState::LegacyMouse => {
                self.held.push(byte);
                if let [code, x, y] = self.held[..] {
                    self.finish();
                    events.extend(mouse::legacy(code, x, y).map(HostEvent::Mouse));
                }
            }
            DecoderState::MaybeString(kind) => {
                // First bytes of replies: a number, or `>|`, `1+r`.
                if matches!(byte, b'0'..=b'9' | b'>') {
                    self.state = DecoderState::String(kind);
                } else {
                    self.state = DecoderState::Ground;
                    events.push(kind.as_key());
                }
                return false;
            }
            DecoderState::String(kind) => return self.string(byte, kind, events),
            DecoderState::StringEscape(kind) => {
                if byte != b'\\' {
                    self.finish();
                    self.state = DecoderState::Escape;
                    return false;
                }
                self.end_string(kind, events);
            }
            DecoderState::Paste => unreachable!("pastes are taken in pieces, not bytes"),
        }
        true
    }

    fn ground(&mut self, byte: u8, alt: bool, events: &mut Vec<HostEvent>) {
        self.state = DecoderState::Ground;
        match byte {
            0x1b => self.state = DecoderState::Escape,
            0..0x20 | 0x7f => events.push(HostEvent::Key(keys::control(byte, alt))),
            0x20..0x7f => events.push(HostEvent::Key(keys::character(char::from(byte), alt))),
            0xc2..=0xf4 => {
                self.held.push(byte);
                self.state = DecoderState::Character { alt };
            }
            // Not UTF-8.
            _ => {}
        }
    }

    fn character(&mut self, byte: u8, alt: bool, events: &mut Vec<HostEvent>) -> bool {
        if !(0x80..0xc0).contains(&byte) {
            self.finish();
            return false;
        }
        self.held.push(byte);
        let needed = match self.held[0] {
            0..0xe0 => 2,
            0xe0..0xf0 => 3,
            _ => 4,
        };
        if self.held.len() == needed {
            let character = std::str::from_utf8(&self.held).ok().and_then(|text| text.chars().next());
            self.finish();
            // C1 controls are obsolete sequence introducers, not keys.
            let character = character.filter(|character| !character.is_control());
            events.extend(character.map(|character| HostEvent::Key(keys::character(character, alt))));
        }
        true
    }

    fn escape(&mut self, byte: u8, events: &mut Vec<HostEvent>) {
        self.state = match byte {
            b'[' => DecoderState::Csi,
            b'O' => DecoderState::Ss3,
            b']' => DecoderState::MaybeString(ReplyString::Osc),
            b'P' => DecoderState::MaybeString(ReplyString::Dcs),
            0x1b => {
                // Two presses, not Alt+Escape: agent CLIs give the double press a meaning.
                events.push(HostEvent::Key(KeyEvent::press(Key::Escape)));
                DecoderState::Escape
            }
            _ => return self.ground(byte, true, events),
        }
    }

    fn csi(&mut self, byte: u8, events: &mut Vec<HostEvent>) -> bool {
        match byte {
            b'[' if self.held.is_empty() => self.state = DecoderState::Console,
            b'M' if self.held.is_empty() => self.state = DecoderState::LegacyMouse,
            0x20..=0x3f => {
                // Past the limit bytes are dropped; the sequence then matches nothing.
                if self.held.len() <= MAX_SEQUENCE {
                    self.held.push(byte);
                }
            }
            0x40..=0x7e => {
                let held = std::mem::take(&mut self.held);
                self.state = DecoderState::Ground;
                if held.len() <= MAX_SEQUENCE {
                    self.sequence(&held, byte, events);
                }
                self.held = held;
                self.held.clear();
            }
            0x1b => {
                self.finish();
                return false;
            }
            _ => self.finish(),
        }
        true
    }

    fn sequence(&mut self, held: &[u8], end: u8, events: &mut Vec<HostEvent>) {
        let Some(params) = params::CsiParams::parse(held) else { return };
        if params.is_plain() && end == b'~' && params.first(0) == 200 {
            self.state = DecoderState::Paste;
            return;
        }
        if params.is_plain() && end == b'R' && self.expected_positions > 0 && params.len() == 2 {
            self.expected_positions -= 1;
            events.push(HostEvent::Reply(replies::position(&params)));
            return;
        }
        events.extend(match params.prefix() {
            Some(b'<') => mouse::sgr(&params, end).map(HostEvent::Mouse),
            Some(_) => replies::private(&params, end),
            None => keys::sequence(&params, end),
        });
    }

    fn ss3(&mut self, byte: u8, events: &mut Vec<HostEvent>) -> bool {
        match byte {
            b'0'..=b'9' if self.held.len() < 3 => {
                self.held.push(byte);
                return true;
            }
            0x1b => {
                self.finish();
                return false;
            }
            _ => {}
        }
        events.extend(keys::ss3(&self.held, byte).map(HostEvent::Key));
        self.finish();
        true
    }

    fn string(&mut self, byte: u8, kind: ReplyString, events: &mut Vec<HostEvent>) -> bool {
        match byte {
            0x1b => self.state = DecoderState::StringEscape(kind),
            0x07 if kind == ReplyString::Osc => self.end_string(kind, events),
            // CAN and SUB abort a string.
            0x18 | 0x1a => self.finish(),
            _ if self.held.len() < MAX_STRING => self.held.push(byte),
            _ => {}
        }
        true
    }

    fn end_string(&mut self, kind: ReplyString, events: &mut Vec<HostEvent>) {
        if self.held.len() < MAX_STRING {
            let reply = match kind {
                ReplyString::Osc => replies::osc(&self.held),
                ReplyString::Dcs => replies::dcs(&self.held),
            };
            events.extend(reply.map(HostEvent::Reply));
        }
        self.finish();
    }

    fn finish(&mut self) {
        self.state = DecoderState::Ground;
        self.held.clear();
    }

    /// Takes the bytes of a paste up to its end marker, and returns how many.
    fn paste(&mut self, bytes: &[u8], events: &mut Vec<HostEvent>) -> usize {
        let before = self.held.len();
        // Room for the end marker, so that it is found whole.
        let room = (MAX_PASTE + PASTE_END.len()).saturating_sub(before).min(bytes.len());
        self.held.extend_from_slice(&bytes[..room]);
        let from = before.saturating_sub(PASTE_END.len() - 1);
        let end = self.held[from..].windows(PASTE_END.len()).position(|window| window == PASTE_END);
        if let Some(end) = end {
            let taken = from + end + PASTE_END.len() - before;
            self.held.truncate(from + end);
            self.hand_on_paste(events);
            self.state = DecoderState::Ground;
            return taken;
        }
        if self.held.len() >= MAX_PASTE {
            // Keeps back a possible beginning of the end marker or of a character.
            let mut keep = (1..PASTE_END.len()).rev().find(|&len| self.held.ends_with(&PASTE_END[..len])).unwrap_or(0);
            if keep == 0
                && let Err(error) = std::str::from_utf8(&self.held)
                && error.error_len().is_none()
            {
                keep = self.held.len() - error.valid_up_to();
            }
            let kept = self.held.split_off(self.held.len() - keep);
            self.hand_on_paste(events);
            self.held = kept;
        }
        room
    }

    fn hand_on_paste(&mut self, events: &mut Vec<HostEvent>) {
        let text = String::from_utf8_lossy(&self.held).replace("\r\n", "\n").replace('\r', "\n");
        self.held.clear();
        if !text.is_empty() {
            events.push(HostEvent::Paste(text));
        }
    }
}

impl ReplyString {
    fn as_key(self) -> HostEvent {
        alt(match self {
            ReplyString::Osc => ']',
            ReplyString::Dcs => 'P',
        })
    }
}

fn alt(character: char) -> HostEvent {
    HostEvent::Key(KeyEvent::new(character, Modifiers::ALT))
}
