//! Reads messages: one per line, with a maximum length.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use crate::{MESSAGE_LIMIT, id_scan::IdScan, message::RequestId};

#[derive(Debug)]
pub(crate) enum InputLine {
    Message(Vec<u8>),
    /// Longer than the limit; its bytes were discarded as they came.
    TooLong {
        id: Option<RequestId>,
    },
}

#[derive(Debug)]
pub(crate) struct InputLines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    /// Set while the current line is too long: only its id is still searched for.
    too_long: Option<IdScan>,
}

/// Bytes per read: a typical message fits into one, a large one takes few.
const READ_SIZE: usize = 64 * 1024;

impl<R: AsyncRead + Unpin> InputLines<R> {
    pub(crate) fn new(reader: R) -> Self {
        InputLines { reader: BufReader::with_capacity(READ_SIZE, reader), line: Vec::new(), too_long: None }
    }

    /// The next line that is not blank; `None` at the end. Cancel-safe.
    pub(crate) async fn next(&mut self) -> io::Result<Option<InputLine>> {
        loop {
            let bytes = self.reader.fill_buf().await?;
            let at_end = bytes.is_empty();
            let newline = bytes.iter().position(|&byte| byte == b'\n');
            let part = &bytes[..newline.unwrap_or(bytes.len())];
            let taken = part.len() + usize::from(newline.is_some());
            if let Some(scan) = &mut self.too_long {
                scan.feed(part);
            } else if self.line.len() + part.len() > MESSAGE_LIMIT {
                let mut scan = IdScan::default();
                scan.feed(&self.line);
                scan.feed(part);
                self.too_long = Some(scan);
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(part);
            }
            self.reader.consume(taken);
            if newline.is_none() && !at_end {
                continue;
            }
            if let Some(scan) = self.too_long.take() {
                return Ok(Some(InputLine::TooLong { id: scan.into_id() }));
            }
            let line = std::mem::take(&mut self.line);
            if !line.trim_ascii().is_empty() {
                return Ok(Some(InputLine::Message(line)));
            }
            if at_end {
                return Ok(None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(bytes: &[u8]) -> Vec<String> {
        let mut lines = InputLines::new(bytes);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            all.push(match line {
                InputLine::Message(line) => String::from_utf8(line).unwrap(),
                InputLine::TooLong { id } => format!("too long: {:?}", id.map(|id| id.to_value())),
            });
        }
        all
    }

    #[tokio::test]
    async fn blank_lines_and_a_missing_last_newline_are_fine() {
        assert_eq!(lines(b"\n\r\n {} \r\n\n{1}").await, [" {} \r", "{1}"]);
        assert!(lines(b"").await.is_empty());
    }

    #[tokio::test]
    async fn a_line_at_the_limit_is_taken_and_one_past_it_is_not() {
        let fits = "x".repeat(MESSAGE_LIMIT);
        let long = format!("{{\"params\":\"{fits}\",\"id\":7}}");
        let all = lines(format!("{fits}\n{long}\nnext\n{fits}y").as_bytes()).await;
        assert_eq!(all[0].len(), MESSAGE_LIMIT);
        assert_eq!(all[1..], ["too long: Some(Number(7))", "next", "too long: None"]);
    }
}
