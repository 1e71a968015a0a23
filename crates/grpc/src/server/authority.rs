//! Rewrites the host names that clients of gRPC core send (Python, C++, Ruby): on a Unix socket it is the socket's path
//! with `%2F` for its slashes. `http` allows no `%` in a host, and `h2` refuses the call before anyone sees it. Nobody
//! here uses the host, so each `%` in it is replaced by `-` on its way in: the length stays the same, and with it
//! everything that the client and `h2` remember of the header for later calls.
//!
//! This file only finds frames and the fields of header blocks. Their meaning and validity are left to `h2`, which gets
//! every other byte unchanged.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::uptake::GivenRoom;

/// A client's byte stream, with hosts that `h2` accepts.
pub(super) struct ReadableAuthority<T> {
    stream: T,
    walk: FrameWalk,
}

impl<T> ReadableAuthority<T> {
    /// Flow-control window that the client grants is counted in `room`.
    pub(super) fn new(stream: T, room: Arc<GivenRoom>) -> Self {
        ReadableAuthority { stream, walk: FrameWalk { room, ..FrameWalk::default() } }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for ReadableAuthority<T> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        self.walk.pass(&mut buffer.filled_mut()[before..]);
        read
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for ReadableAuthority<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// The connection preface `PRI * HTTP/2.0 …`.
const PREFACE_BYTES: usize = 24;
const HEAD_BYTES: usize = 9;
const HEADERS: u8 = 1;
const CONTINUATION: u8 = 9;
const WINDOW_UPDATE: u8 = 8;
const WINDOW_UPDATE_BYTES: usize = 4;
const END_HEADERS: u8 = 0x04;
const PADDED: u8 = 0x08;
const PRIORITY: u8 = 0x20;
/// The fields before the block of a HEADERS frame with priority.
const PRIORITY_BYTES: usize = 5;

/// The position of the next byte in a client's frames.
#[derive(Debug)]
struct FrameWalk {
    /// Bytes that are passed on unread.
    skip: usize,
    /// The number of bytes of a header block after them.
    block: usize,
    /// Whether the block ends with them.
    last: bool,
    head: [u8; HEAD_BYTES],
    /// Bytes of `head` read so far.
    known: usize,
    fields: FieldWalk,
    /// Remaining bytes of a window update.
    giving: usize,
    given: u32,
    room: Arc<GivenRoom>,
}

impl Default for FrameWalk {
    fn default() -> Self {
        let fields = FieldWalk::default();
        let (head, room) = ([0; HEAD_BYTES], Arc::default());
        FrameWalk { skip: PREFACE_BYTES, block: 0, last: false, head, known: 0, fields, giving: 0, given: 0, room }
    }
}

impl FrameWalk {
    fn pass(&mut self, mut bytes: &mut [u8]) {
        while !bytes.is_empty() {
            if self.skip > 0 {
                let count = self.skip.min(bytes.len());
                self.skip -= count;
                bytes = &mut bytes[count..];
            } else if self.block > 0 {
                let (part, rest) = bytes.split_at_mut(self.block.min(bytes.len()));
                self.block -= part.len();
                self.fields.pass(part);
                if self.block == 0 && self.last {
                    self.fields = FieldWalk::default();
                }
                bytes = rest;
            } else if self.giving > 0 {
                self.given = self.given << 8 | u32::from(bytes[0]);
                self.giving -= 1;
                if self.giving == 0 {
                    self.give();
                }
                bytes = &mut bytes[1..];
            } else {
                self.head[self.known] = bytes[0];
                self.known += 1;
                if self.known == HEAD_BYTES {
                    self.begin();
                }
                bytes = &mut bytes[1..];
            }
        }
    }

    /// Starts a frame, given its head.
    fn begin(&mut self) {
        self.known = 0;
        let [high, middle, low, kind, flags, ..] = self.head;
        let length = u32::from_be_bytes([0, high, middle, low]) as usize;
        // No gRPC client uses padding.
        let has_block = (kind == HEADERS && flags & PADDED == 0) || kind == CONTINUATION;
        let before = if kind == HEADERS && flags & PRIORITY != 0 { PRIORITY_BYTES } else { 0 };
        let gives = kind == WINDOW_UPDATE && length == WINDOW_UPDATE_BYTES;
        self.giving = if gives { length } else { 0 };
        self.given = 0;
        self.skip = if has_block { before.min(length) } else { length - self.giving };
        self.block = if has_block { length - self.skip } else { 0 };
        self.last = flags & END_HEADERS != 0;
    }

    /// Both numbers have a reserved bit. Stream 0 is the connection.
    fn give(&mut self) {
        let [.., a, b, c, d] = self.head;
        match u32::from_be_bytes([a, b, c, d]) & 0x7fff_ffff {
            0 => {}
            stream => self.room.add(stream, self.given & 0x7fff_ffff),
        }
    }
}

const AUTHORITY: &[u8] = b":authority";
/// Its index in HTTP/2's static header table.
const AUTHORITY_INDEX: u32 = 1;

/// The position of the next byte in a header block (RFC 7541).
#[derive(Debug, Default)]
struct FieldWalk {
    at: FieldPlace,
    /// The current or next value is a host.
    is_host: bool,
    /// Of a name in progress, this many bytes match `:authority`.
    alike: usize,
}

#[derive(Clone, Copy, Debug, Default)]
enum FieldPlace {
    #[default]
    Field,
    /// In the continuation of a number that starts with all bits of its first byte set.
    Number { so_far: u32, shift: u32, then: AfterNumber },
    /// Before the length of a string.
    Length(TextPart),
    Text {
        left: u32,
        part: TextPart,
        /// Not Huffman-coded.
        plain: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextPart {
    Name,
    Value,
}

/// What a number stands for.
#[derive(Clone, Copy, Debug)]
enum AfterNumber {
    /// An indexed header, or a change of the table's size.
    Nothing,
    /// The index of a header's name; 0 if the name follows.
    NameIndex,
    Length {
        part: TextPart,
        plain: bool,
    },
}

impl FieldWalk {
    fn pass(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            match self.at {
                FieldPlace::Field => match *byte {
                    0x80.. => self.number(*byte, 0x7f, AfterNumber::Nothing),
                    0x40.. => self.number(*byte, 0x3f, AfterNumber::NameIndex),
                    0x20.. => self.number(*byte, 0x1f, AfterNumber::Nothing),
                    _ => self.number(*byte, 0x0f, AfterNumber::NameIndex),
                },
                FieldPlace::Number { so_far, shift, then } => {
                    let more = u32::from(*byte & 0x7f).checked_shl(shift).unwrap_or(u32::MAX);
                    let so_far = so_far.saturating_add(more);
                    if *byte & 0x80 != 0 {
                        self.at = FieldPlace::Number { so_far, shift: shift.saturating_add(7), then };
                    } else {
                        self.after(so_far, then);
                    }
                }
                FieldPlace::Length(part) => {
                    self.number(*byte, 0x7f, AfterNumber::Length { part, plain: *byte & 0x80 == 0 });
                }
                FieldPlace::Text { left, part, plain } => {
                    match part {
                        TextPart::Name if plain && AUTHORITY.get(self.alike) == Some(byte) => self.alike += 1,
                        TextPart::Name => self.alike = AUTHORITY.len() + 1,
                        TextPart::Value if plain && self.is_host && *byte == b'%' => *byte = b'-',
                        TextPart::Value => {}
                    }
                    self.text(left - 1, part, plain);
                }
            }
        }
    }

    /// A number that starts in the low bits of `byte`.
    fn number(&mut self, byte: u8, mask: u8, then: AfterNumber) {
        let so_far = u32::from(byte & mask);
        if byte & mask == mask {
            self.at = FieldPlace::Number { so_far, shift: 0, then };
        } else {
            self.after(so_far, then);
        }
    }

    fn after(&mut self, number: u32, then: AfterNumber) {
        match then {
            AfterNumber::Nothing => self.at = FieldPlace::Field,
            AfterNumber::NameIndex => {
                self.alike = 0;
                self.is_host = number == AUTHORITY_INDEX;
                self.at = FieldPlace::Length(if number == 0 { TextPart::Name } else { TextPart::Value });
            }
            AfterNumber::Length { part, plain } => self.text(number, part, plain),
        }
    }

    /// In a string with this many bytes left.
    fn text(&mut self, left: u32, part: TextPart, plain: bool) {
        self.at = match (left, part) {
            (0, TextPart::Name) => {
                self.is_host = self.alike == AUTHORITY.len();
                FieldPlace::Length(TextPart::Value)
            }
            (0, TextPart::Value) => FieldPlace::Field,
            (left, part) => FieldPlace::Text { left, part, plain },
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How grpcio 1.85 opens a connection and makes a call, after `PRI`.
    fn as_grpcio() -> Vec<u8> {
        let block = [
            b"@\x05:path\x16/vtr.VTR/50%:authority@\x0a:authority\x15tmp%2Fwire%2Fcap.sock\x83\x86".as_slice(),
            b"@\x02te\x08trailers\x01\x03a%bA\x04a%2F\x0f\x80\x01\x02%%@\x7f\x00",
            &[b'n'; 127],
            b"\x01%",
        ]
        .concat();
        let mut bytes =
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x04\x00@\x00\x00".to_vec();
        bytes.extend([
            0,
            u8::try_from(block.len() >> 8).unwrap(),
            (block.len() & 0xff) as u8,
            HEADERS,
            END_HEADERS,
            0,
            0,
            0,
            1,
        ]);
        bytes.extend(block);
        bytes.extend(b"\x00\x00\x0f\x00\x01\x00\x00\x00\x01@\x0a:authority\x02%%");
        bytes
    }

    fn passed(bytes: &[u8], size: usize) -> Vec<u8> {
        let mut walk = FrameWalk::default();
        let mut bytes = bytes.to_vec();
        bytes.chunks_mut(size).for_each(|part| walk.pass(part));
        bytes
    }

    #[test]
    fn only_hosts_change_however_the_bytes_are_cut() {
        let sent = as_grpcio();
        let expected = String::from_utf8_lossy(&sent)
            .replacen("tmp%2Fwire%2Fcap.sock", "tmp-2Fwire-2Fcap.sock", 1)
            .replacen("\x01\x03a%b", "\x01\x03a-b", 1)
            .replacen("A\x04a%2F", "A\x04a-2F", 1);
        for size in [1, 2, 3, 7, 64, sent.len()] {
            assert_eq!(String::from_utf8_lossy(&passed(&sent, size)), expected, "by {size}");
        }
    }

    #[test]
    fn nonsense_is_passed_on() {
        for byte in [0x00, 0x0f, 0x1f, 0x3f, 0x7f, 0xff] {
            let mut sent = vec![b'P'; PREFACE_BYTES];
            sent.extend([0, 1, 0, HEADERS, 0, 0, 0, 0, 1]);
            sent.extend([byte; 600]);
            assert_eq!(passed(&sent, 5), sent);
        }
    }
}
