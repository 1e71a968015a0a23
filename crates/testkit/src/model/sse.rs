//! Sends an answer: as a stream of events, or in one piece.

use std::io::{self, Write};
use std::net::TcpStream;

use serde_json::Value;

use super::http;

#[derive(Debug)]
pub(super) struct AnswerStream<'a> {
    connection: &'a TcpStream,
    /// The client asked for events.
    pub(super) streamed: bool,
    begun: bool,
    /// Number of the request: makes ids unique within a run.
    number: usize,
}

impl<'a> AnswerStream<'a> {
    pub(super) fn new(connection: &'a TcpStream, streamed: bool, number: usize) -> Self {
        AnswerStream { connection, streamed, begun: false, number }
    }

    pub(super) fn id(&self, prefix: &str) -> String {
        format!("{prefix}{:08x}", self.number)
    }

    pub(super) fn whole(&mut self, body: &Value) -> io::Result<()> {
        http::write_json(self.connection, body)
    }

    /// An event named by the `type` field of its data.
    pub(super) fn typed(&mut self, data: &Value) -> io::Result<()> {
        let name = data["type"].as_str().unwrap_or_default();
        self.write(&format!("event: {name}\ndata: {data}\n\n"))
    }

    pub(super) fn data(&mut self, data: &Value) -> io::Result<()> {
        self.write(&format!("data: {data}\n\n"))
    }

    /// The end marker of one dialect.
    pub(super) fn done(&mut self) -> io::Result<()> {
        self.write("data: [DONE]\n\n")
    }

    fn write(&mut self, event: &str) -> io::Result<()> {
        let mut out = self.connection;
        if !std::mem::replace(&mut self.begun, true) {
            // Closing the connection ends the body.
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\nconnection: close\r\n\r\n";
            out.write_all(head.as_bytes())?;
        }
        out.write_all(event.as_bytes())
    }
}
