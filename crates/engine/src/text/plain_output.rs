//! Raw output as plain text, in consecutive reads.

use vt::PlainText;

use crate::io::ring::RawOutput;

/// A longer sequence is not held back: it may never end.
const MAX_HELD_BACK: usize = 4096;

/// Raw output as plain text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlainOutput {
    pub text: String,
    /// Raw offset of the first byte that was read.
    pub offset: u64,
    /// The offset of the next read: texts of consecutive reads fit together.
    pub next_offset: u64,
    /// Bytes between the requested offset and `offset` that are no longer kept.
    pub dropped: u64,
}

impl PlainOutput {
    pub(crate) fn of(raw: &RawOutput) -> Self {
        let mut plain = PlainText::default();
        let mut text = String::new();
        plain.feed(&raw.bytes, &mut |line| {
            text.push_str(line);
            text.push('\n');
        });
        text.push_str(plain.open_line());
        let endless = if plain.sequence_bytes() > MAX_HELD_BACK { plain.sequence_bytes() } else { 0 };
        let held_back = plain.unfinished_bytes() - endless;
        PlainOutput {
            text,
            offset: raw.offset,
            next_offset: raw.next_offset() - held_back as u64,
            dropped: raw.dropped,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_in_a_row_fit_together() {
        let raw = "10%\r20%\r\ncaf\u{e9} \x1b[1;31mred\x1b]0;t\x07 end\n\x1b]0;never".as_bytes();
        let whole = "10%\n20%\ncafé red end\n";
        for size in 1..raw.len() {
            let (mut at, mut text, mut want) = (0, String::new(), size);
            while at < raw.len() && want < 100 {
                let bytes = raw[at..raw.len().min(at + want)].to_vec();
                let read = PlainOutput::of(&RawOutput { offset: at as u64, bytes, dropped: 0 });
                // The read was too small for any text: read more.
                want = if read.next_offset as usize == at { want + 1 } else { size };
                at = read.next_offset as usize;
                text.push_str(&read.text);
            }
            assert_eq!(text, whole, "in reads of {size}");
        }
    }

    #[test]
    fn a_sequence_without_an_end_does_not_hold_a_reader_up() {
        let mut bytes = b"x\x1b]0;".to_vec();
        bytes.resize(10_000, b'y');
        let read = PlainOutput::of(&RawOutput { offset: 0, bytes, dropped: 0 });
        assert_eq!((read.text.as_str(), read.next_offset), ("x", 10_000));
    }
}
