//! The subset of HTTP/1.1 that model clients use: one request per connection, content lengths or chunks, no
//! compression.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

/// Maximum length of a body: a long conversation with all its context.
const MAX_BODY: usize = 64 << 20;

#[derive(Debug)]
pub(super) struct HttpRequest {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

impl HttpRequest {
    /// `None` if the client closed without a request.
    pub(super) fn read(stream: &TcpStream) -> io::Result<Option<Self>> {
        let mut reader = BufReader::new(stream);
        let line = read_line(&mut reader)?;
        let mut words = line.split_whitespace();
        let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(None) };
        let (mut length, mut chunked) = (0, false);
        loop {
            let header = read_line(&mut reader)?;
            let Some((name, value)) = header.split_once(':') else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().map_err(io::Error::other)?,
                "transfer-encoding" => chunked = value.to_ascii_lowercase().contains("chunked"),
                "expect" => (&mut &*stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?,
                _ => {}
            }
        }
        let body = if chunked { read_chunks(&mut reader)? } else { read_exactly(&mut reader, length)? };
        Ok(Some(HttpRequest { method: method.to_owned(), path: path.to_owned(), body }))
    }
}

fn read_line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    reader.take(64 << 10).read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

fn read_chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = read_line(reader)?;
        let length =
            usize::from_str_radix(line.split(';').next().unwrap_or_default().trim(), 16).map_err(io::Error::other)?;
        if length == 0 || body.len() + length > MAX_BODY {
            return Ok(body);
        }
        body.extend(read_exactly(reader, length)?);
        read_line(reader)?;
    }
}

fn read_exactly(reader: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length.min(MAX_BODY)];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

pub(super) fn write_json(stream: &TcpStream, body: &Value) -> io::Result<()> {
    write_status(stream, 200, body)
}

pub(super) fn write_status(stream: &TcpStream, status: u16, body: &Value) -> io::Result<()> {
    let body = body.to_string();
    // No client looks at the words behind the number.
    let head =
        format!("HTTP/1.1 {status} Answer\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length");
    (&mut &*stream).write_all(format!("{head}: {}\r\n\r\n{body}", body.len()).as_bytes())
}
