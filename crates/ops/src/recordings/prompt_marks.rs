//! Finds the marks that a shell prints where commands begin and end (OSC 133).
//!
//! Only these are searched for, byte by byte, because a recorder has no screen of its own.

/// Bytes of a mark that are kept: the letter, an exit status.
const MAX_BODY: usize = 32;
const START: &[u8] = b"\x1b]133;";

#[derive(Debug, Default)]
pub(super) struct PromptMarks {
    /// Bytes of `START` matched so far.
    matched: usize,
    body: Vec<u8>,
}

impl PromptMarks {
    /// Labels of the marks that end in `bytes`. A mark may be split anywhere between two calls.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut labels = Vec::new();
        for &byte in bytes {
            if self.matched < START.len() {
                self.matched = match byte {
                    _ if byte == START[self.matched] => self.matched + 1,
                    0x1b => 1,
                    _ => 0,
                };
                continue;
            }
            match byte {
                0x07 | 0x1b | 0x9c => {
                    labels.extend(label(&self.body));
                    self.body.clear();
                    self.matched = usize::from(byte == 0x1b);
                }
                _ if self.body.len() < MAX_BODY => self.body.push(byte),
                _ => {}
            }
        }
        labels
    }
}

fn label(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let mut parts = text.split(';');
    match parts.next()? {
        "A" => Some("prompt".into()),
        "C" => Some("command".into()),
        "D" => Some(match parts.next().and_then(|status| status.parse::<i32>().ok()) {
            Some(status) => format!("exit {status}"),
            None => "exit".into(),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_however_they_are_cut() {
        let stream =
            b"\x1b]133;A\x07$ ls\x1b]133;B\x07\r\n\x1b]133;C\x1b\\out\x1b\x1b]133;D;2;aid=7\x07\x1b]2;133;A\x07";
        let whole = PromptMarks::default().feed(stream);
        assert_eq!(whole, ["prompt", "command", "exit 2"]);
        let mut marks = PromptMarks::default();
        let bytewise: Vec<String> = stream.iter().flat_map(|byte| marks.feed(&[*byte])).collect();
        assert_eq!(bytewise, whole);
    }

    #[test]
    fn a_mark_without_an_end_is_bounded() {
        let mut marks = PromptMarks::default();
        marks.feed(b"\x1b]133;A");
        marks.feed(&[b'x'; 100_000]);
        assert!(marks.body.len() <= MAX_BODY);
    }
}
