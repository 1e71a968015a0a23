//! A host terminal's input, cut anywhere: the same events, no invented ones, and nothing buffered for ever.
//!
//! The input is the stream itself. At a byte FF, which occurs in no text, the host pauses: the next byte says whether
//! for long, and whether cursor position reports were requested.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tui::{HostDecoder, HostEvent, Reply};
use vt::{
    InputModes, KittyFlags,
    input::{Key, KeyEvent, encode_key},
};

const MARK: u8 = 0xff;

fuzz_target!(|input: &[u8]| {
    let mut whole = Listener::default();
    let mut pieces = Listener::default();
    for (number, part) in input.split(|&byte| byte == MARK).enumerate() {
        let rest = match part {
            [what, rest @ ..] if number > 0 => {
                for listener in [&mut whole, &mut pieces] {
                    listener.pause(*what);
                }
                rest
            }
            _ => part,
        };
        whole.hear(rest);
        rest.chunks(1).for_each(|byte| pieces.hear(byte));
        assert_eq!(whole.decoder.wait(), pieces.decoder.wait(), "other chunks, another wait");
    }
    whole.decoder.expire(&mut whole.events);
    pieces.decoder.expire(&mut pieces.events);
    assert_eq!(whole.decoder.wait(), None, "something is held after it expired");
    assert_eq!(whole.events, pieces.events, "other chunks, other events");
    // Each takes at least one byte; an Escape and the byte after it may be two keys.
    assert!(whole.events.len() <= input.len(), "events out of nothing");
    whole.events.iter().for_each(event_is_what_it_may_be);
});

#[derive(Default)]
struct Listener {
    decoder: HostDecoder,
    events: Vec<HostEvent>,
}

impl Listener {
    fn hear(&mut self, bytes: &[u8]) {
        self.decoder.feed(bytes, &mut self.events);
    }

    fn pause(&mut self, what: u8) {
        if what & 1 == 1 {
            self.decoder.expire(&mut self.events);
            assert_eq!(self.decoder.wait(), None, "something is held after it expired");
        }
        self.decoder.expect_positions(what >> 4);
    }
}

fn event_is_what_it_may_be(event: &HostEvent) {
    match event {
        HostEvent::Key(key) => key_can_be_typed(key),
        // Escapes in it were typed by the person; line endings are normalised.
        HostEvent::Paste(text) => assert!(!text.is_empty() && !text.contains('\r')),
        HostEvent::Reply(Reply::Version(text)) => assert!(!text.contains(char::is_control)),
        HostEvent::Reply(Reply::Capability { name, value }) => {
            assert!(!name.contains(char::is_control));
            assert!(value.as_ref().is_none_or(|value| !value.contains(char::is_control)));
        }
        HostEvent::Reply(_) | HostEvent::Mouse(_) | HostEvent::Focus(_) | HostEvent::ColorScheme(_) => {}
        HostEvent::Resize(_) => panic!("no bytes say so"),
    }
}

/// A child that requested everything gets bytes that decode to the same key again.
fn key_can_be_typed(event: &KeyEvent) {
    if let Key::Char(character) = event.key {
        assert!(character == '\n' || !character.is_control(), "{event:?}");
    }
    assert!(event.text.as_ref().is_none_or(|text| !text.contains(char::is_control)), "{event:?}");
    if let Key::Char(character) = event.key
        && event.shifted == Some(character)
    {
        // A report of this kind has no content and is not passed on.
        return;
    }
    let modes = InputModes { kitty: KittyFlags::all(), ..InputModes::default() };
    let bytes = encode_key(event, &modes);
    let mut again = Listener::default();
    again.hear(&bytes);
    again.decoder.expire(&mut again.events);
    let bytes_again: Vec<u8> = again
        .events
        .iter()
        .flat_map(|again| match again {
            HostEvent::Key(key) => encode_key(key, &modes),
            other => panic!("{event:?} was written as {other:?}"),
        })
        .collect();
    assert_eq!(bytes_again, bytes, "{event:?}");
}
