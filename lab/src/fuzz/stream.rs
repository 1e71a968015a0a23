//! Random bytes, and random streams of sequences that terminals interpret.

use std::io::Write;

use super::{
    random::Random,
    sequences::{EDITS, LOOKS, MOVES, QUERIES, REGIONS, SCREENS, STRINGS},
};

/// `len` bytes of noise. Half of the seeds draw from all bytes, the others from those that sequences consist of: even
/// noise should get past the first byte of a sequence.
pub(super) fn noise(random: &mut Random, len: usize) -> Vec<u8> {
    const INTRODUCERS: &[u8] = b"\x1b\x1b\x1b\x1b[[[]P_^X\\;;:?>=<!$\"' *0123456789\x07\x18\r\n\xc2\x9b\x9d";
    let telling = random.one_in(2);
    (0..len)
        .map(|_| {
            let number = random.next();
            if telling && number & 0x300 != 0 {
                INTRODUCERS[(number >> 16) as usize % INTRODUCERS.len()]
            } else {
                number as u8
            }
        })
        .collect()
}

/// `len` bytes of text and sequences; the last one is cut wherever it happens to be.
pub(super) fn escapes(random: &mut Random, len: usize) -> Vec<u8> {
    // Each stream prefers some families over others, so that states last which an even mix would undo at once.
    let weights: Vec<usize> = FAMILIES.iter().map(|_| random.below(8)).collect();
    let total = weights.iter().sum::<usize>().max(1);
    let mut out = Vec::with_capacity(len + 64);
    while out.len() < len {
        let mut left = random.below(total);
        let family = weights.iter().position(|&weight| {
            let chosen = left < weight;
            left = left.wrapping_sub(weight);
            chosen
        });
        FAMILIES[family.unwrap_or(0)](random, &mut out);
    }
    out.truncate(len);
    out
}

type Family = fn(&mut Random, &mut Vec<u8>);

const FAMILIES: [Family; 14] = [
    ascii,
    characters,
    characters,
    broken_characters,
    controls,
    |random, out| template(random, random_of(MOVES), out),
    |random, out| template(random, random_of(EDITS), out),
    |random, out| template(random, random_of(LOOKS), out),
    |random, out| template(random, random_of(REGIONS), out),
    |random, out| template(random, random_of(SCREENS), out),
    |random, out| template(random, random_of(STRINGS), out),
    |random, out| template(random, random_of(QUERIES), out),
    modes,
    any_sequence,
];

fn random_of(choices: &'static [&'static str]) -> impl Fn(&mut Random) -> &'static str {
    move |random| random.pick(choices)
}

fn ascii(random: &mut Random, out: &mut Vec<u8>) {
    let len = match random.below(2000) {
        // One line that alone has more rows than fit into a u16, once the screen is narrow.
        0 => 140_000,
        1..100 => 400,
        _ => 30,
    };
    for _ in 0..1 + random.below(len) {
        out.push(b' ' + random.below(95) as u8);
    }
    if random.one_in(3) {
        out.extend_from_slice(b"\r\n");
    }
}

/// Wide, combining, joining, bidirectional and invisible characters, and some beyond the first plane.
const CHARACTERS: &[&str] = &[
    "é",
    "ß",
    "漢",
    "字",
    "ｶ",
    "가",
    "ᄀ",
    "ᅡ",
    "ᆨ",
    "😀",
    "👍",
    "🏽",
    "❤",
    "1",
    "\u{301}",
    "\u{308}",
    "\u{20e3}",
    "\u{20d0}",
    "\u{200d}",
    "\u{fe0f}",
    "\u{fe0e}",
    "🇩",
    "🇪",
    "क",
    "\u{94d}",
    "ष",
    "ि",
    "ก",
    "\u{e33}",
    "\u{600}",
    "א",
    "\u{202e}",
    "\u{200b}",
    "\u{ad}",
    "\u{a0}",
    "\u{2028}",
    "─",
    "│",
    "█",
    "\u{e000}",
    "\u{f0000}",
    "\u{10ffff}",
    "\u{fffd}",
    "\u{e0061}",
    "a",
    " ",
    "👩\u{200d}🚀",
    "🏴\u{e0067}\u{e007f}",
    "\u{1f1e6}\u{1f1e6}\u{1f1e6}",
    "\u{9b}",
    "\u{85}",
    "\u{8d}",
    "\u{9c}",
];

fn characters(random: &mut Random, out: &mut Vec<u8>) {
    for _ in 0..1 + random.below(12) {
        if random.one_in(6) {
            let character = char::from_u32(random.below(0x11_0000) as u32).unwrap_or('\u{fffd}');
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        } else {
            out.extend_from_slice(random.pick(CHARACTERS).as_bytes());
        }
    }
    if random.one_in(10) {
        // More combining marks than any cell keeps.
        for _ in 0..random.below(80) {
            out.extend_from_slice("\u{301}".as_bytes());
        }
    }
}

/// Truncated, overlong, surrogates, and bytes that are never valid in UTF-8.
fn broken_characters(random: &mut Random, out: &mut Vec<u8>) {
    const BROKEN: &[&[u8]] = &[
        b"\xe6",
        b"\xe6\xbc",
        b"\xf0\x9f\x98",
        b"\xc0\x80",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xff",
        b"\x80",
        b"\xc2",
    ];
    out.extend_from_slice(random.pick(BROKEN));
}

fn controls(random: &mut Random, out: &mut Vec<u8>) {
    const USUAL: &[u8] = b"\r\n\n\t\x08\x07\x0b\x0c\x0e\x0f\x18\x1a\x1b\0\x7f";
    for _ in 0..1 + random.below(4) {
        out.push(USUAL[random.below(USUAL.len())]);
    }
}

fn template(random: &mut Random, choose: impl Fn(&mut Random) -> &'static str, out: &mut Vec<u8>) {
    for character in choose(random).chars() {
        match character {
            '#' => number(random, out),
            '~' => text(random, out),
            '%' => out.push(b'a' + random.below(6) as u8),
            '@' => (0..2 * random.below(5)).for_each(|_| out.push(b"0123456789abcdefABCDEF"[random.below(22)])),
            _ => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

/// Mostly numbers that fit a screen; sometimes none, the largest possible one, or more.
fn number(random: &mut Random, out: &mut Vec<u8>) {
    let value = match random.below(16) {
        0 | 1 => return,
        2..=6 => random.below(6),
        7..=10 => random.below(60),
        11 | 12 => random.below(310),
        13 => random.below(70_000),
        14 => random.pick(&[&255, &256, &32_767, &32_768, &65_534, &65_535, &65_536, &usize::MAX]).to_owned(),
        _ => return out.extend_from_slice(b"99999999999999999999"),
    };
    write!(out, "{value}").expect("writing to a Vec never fails");
}

fn text(random: &mut Random, out: &mut Vec<u8>) {
    let len = match random.below(200) {
        0 => 5_000,
        1 => 70_000,
        2..=9 => 300,
        _ => 12,
    };
    let len = random.below(len);
    let end = out.len() + len;
    while out.len() < end {
        if random.one_in(8) {
            characters(random, out);
        } else {
            out.push(b' ' + random.below(95) as u8);
        }
    }
}

fn modes(random: &mut Random, out: &mut Vec<u8>) {
    const PRIVATE: &[u16] = &[
        1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 25, 40, 41, 45, 47, 66, 67, 69, 95, 1000, 1002, 1003, 1004, 1005, 1006, 1007,
        1015, 1016, 1034, 1036, 1039, 1045, 1047, 1048, 1049, 2004, 2026, 2027, 2031, 2048,
    ];
    const LAST: &[&str] = &["h", "h", "h", "l", "l", "l", "s", "r", "$p"];
    if random.one_in(5) {
        let mode = [2, 4, 12, 20][random.below(4)];
        write!(out, "\x1b[{mode}{}", random.pick(&["h", "l"])).expect("writing to a Vec never fails");
        return;
    }
    out.extend_from_slice(b"\x1b[?");
    for index in 0..1 + random.below(3) {
        let separator = if index > 0 { ";" } else { "" };
        write!(out, "{separator}{}", PRIVATE[random.below(PRIVATE.len())]).expect("writing to a Vec never fails");
    }
    out.extend_from_slice(random.pick(LAST).as_bytes());
}

/// Well-formed, whether it has a meaning or not: any marker, parameters, intermediates and final byte.
fn any_sequence(random: &mut Random, out: &mut Vec<u8>) {
    out.push(0x1b);
    if random.one_in(4) {
        (0..random.below(3)).for_each(|_| out.push(0x20 + random.below(16) as u8));
        out.push(0x30 + random.below(79) as u8);
        return;
    }
    out.push(b'[');
    if random.one_in(3) {
        out.push(b"<=>?"[random.below(4)]);
    }
    let parameters = if random.one_in(30) { 40 } else { random.below(5) };
    for _ in 0..parameters {
        number(random, out);
        out.push(if random.one_in(6) { b':' } else { b';' });
    }
    if random.one_in(3) {
        (0..1 + random.below(2)).for_each(|_| out.push(0x20 + random.below(16) as u8));
    }
    out.push(0x40 + random.below(63) as u8);
}
