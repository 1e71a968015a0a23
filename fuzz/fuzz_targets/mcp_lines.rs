//! An agent's input: lines are the same wherever they are cut, an overlong line is answered under its id, and a real
//! connection answers each request once, under its own id, whatever came before it.
#![no_main]

// Smaller than the crate's own limit: here 64 bytes are too long, so that short inputs reach it.
#[path = "../../crates/mcp/src/id_scan.rs"]
mod id_scan;
#[path = "../../crates/mcp/src/lines.rs"]
mod lines;
#[allow(dead_code, reason = "half of it is for answers")]
#[path = "../../crates/mcp/src/message.rs"]
mod message;

use std::{
    collections::HashMap,
    io,
    pin::Pin,
    sync::LazyLock,
    task::{Context, Poll},
    time::Duration,
};

use engine::{Engine, EngineOptions};
use libfuzzer_sys::fuzz_target;
use lines::{InputLine, InputLines};
use mcp::{ServerInfo, WireProtocol};
use message::{IncomingMessage, RequestId};
use ops::{Caller, ErrorKind, Host, OpError, SessionContext, StartRequest};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader, ReadBuf},
    runtime::{Builder, Runtime},
    time::timeout,
};

pub(crate) const MESSAGE_LIMIT: usize = 64;

/// The time limit for work that takes microseconds.
const PATIENCE: Duration = Duration::from_secs(5);
const TOKEN: &str = "t";

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().enable_time().build().expect("a runtime"));

fuzz_target!(|input: &[u8]| {
    RUNTIME.block_on(async {
        lines_are_lines(input).await;
        first_bytes_tell(input).await;
        admission_gives_the_rest_back(input).await;
        each_request_has_its_answer(input).await;
    });
});

async fn lines_are_lines(input: &[u8]) {
    let whole = read_lines(input, usize::MAX).await;
    assert_eq!(read_lines(input, 1).await, whole, "other chunks, other lines");
    let expected: Vec<&[u8]> = input
        .split(|&byte| byte == b'\n')
        .filter(|line| line.len() > MESSAGE_LIMIT || !line.trim_ascii().is_empty())
        .collect();
    assert_eq!(whole.len(), expected.len());
    for (read, line) in whole.into_iter().zip(expected) {
        match read {
            Ok(read) => assert!(read == line && line.len() <= MESSAGE_LIMIT),
            Err(id) => {
                assert!(line.len() > MESSAGE_LIMIT);
                id_is_the_messages(line, id);
            }
        }
    }
}

/// The lines, or the ids of those that are too long.
async fn read_lines(input: &[u8], piece: usize) -> Vec<Result<Vec<u8>, Option<RequestId>>> {
    let mut lines = InputLines::new(Pieces { rest: input, piece });
    let mut all = Vec::new();
    while let Some(line) = lines.next().await.expect("memory can be read") {
        all.push(match line {
            InputLine::Message(line) => Ok(line),
            InputLine::TooLong { id } => Err(id),
        });
    }
    all
}

/// As a parser would have found it. The scan ignores keys written with escapes, and does not keep long ids.
fn id_is_the_messages(line: &[u8], found: Option<RequestId>) {
    let Ok(Value::Object(fields)) = serde_json::from_slice(line) else { return };
    let id = fields.get("id").cloned().and_then(RequestId::from_value);
    let long = |id: &RequestId| id.to_value().to_string().len() > 200;
    if !line.contains(&b'\\') && !id.as_ref().is_some_and(long) {
        assert_eq!(found, id, "{}", line.escape_ascii());
    }
}

async fn first_bytes_tell(input: &[u8]) {
    let mut told = Vec::new();
    for piece in [usize::MAX, 1] {
        let sniffed = mcp::sniff(Pieces { rest: input, piece }, PATIENCE).await;
        told.push(match sniffed {
            Ok((protocol, mut stream)) => {
                let mut all = Vec::new();
                stream.read_to_end(&mut all).await.expect("memory can be read");
                assert_eq!(all, input, "the first bytes come once more");
                match protocol {
                    WireProtocol::Http2 => assert!(input.starts_with(b"PRI * HTTP/2.0")),
                    WireProtocol::Json => assert_eq!(input.trim_ascii_start().first(), Some(&b'{')),
                }
                Some(protocol)
            }
            Err(error) => {
                assert!(error.to_string().bytes().all(|byte| byte.is_ascii_graphic() || byte == b' '));
                None
            }
        });
    }
    assert_eq!(told[0], told[1], "other chunks, another protocol");
}

#[derive(Debug)]
struct Knows;

/// No program is ever started here.
impl Host for Knows {
    fn authorise_start(&self, _: &StartRequest<'_>) -> Result<(), OpError> {
        Err(OpError::new(ErrorKind::NeedsTrust, "nothing starts here"))
    }

    fn resolve(&self, token: &str) -> Option<Caller> {
        (token == TOKEN).then(Caller::operator)
    }
}

async fn admission_gives_the_rest_back(input: &[u8]) {
    let context = SessionContext::new(Engine::new(EngineOptions::default()), Knows);
    let (mut here, there) = tokio::io::duplex(1 << 16);
    here.write_all(input).await.expect("there is room");
    here.shutdown().await.expect("it is open");
    let Ok(mut admitted) = mcp::admit(there, &context).await else { return };
    let (line, rest) = input.split_at(input.iter().position(|&byte| byte == b'\n').expect("a greeting is a line") + 1);
    let said: Value = serde_json::from_slice(line).expect("a greeting is JSON");
    assert_eq!(said["patterm_identity"], TOKEN);
    let mut all = Vec::new();
    admitted.stream.read_to_end(&mut all).await.expect("memory can be read");
    assert_eq!(all, rest);
}

/// No program runs here, so nothing waits: every answer comes at once.
async fn each_request_has_its_answer(input: &[u8]) {
    let context = SessionContext::new(Engine::new(EngineOptions::default()), Knows);
    let (mut here, there) = tokio::io::duplex(1 << 16);
    let serving = tokio::spawn(mcp::serve(there, context, Caller::operator(), ServerInfo::default()));
    let last = RequestId::Text("the very last".to_owned());
    let ping = format!("\n{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}}\n", last.to_value());
    here.write_all(&[input, ping.as_bytes()].concat()).await.expect("there is room");
    let mut asked: HashMap<Option<RequestId>, usize> = HashMap::from([(Some(last.clone()), 1)]);
    let (mut expected, mut may_be_silent) = (1, 0);
    for line in input.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        let id = match IncomingMessage::parse(line) {
            IncomingMessage::Request(request) => {
                // The connection stays open; and a cancelled request gets no answer.
                may_be_silent += usize::from(request.method == "subscriptions/listen");
                Some(request.id)
            }
            IncomingMessage::Refused { id, .. } => id,
            IncomingMessage::Notification { method, .. } => {
                may_be_silent += usize::from(method == "notifications/cancelled");
                continue;
            }
            IncomingMessage::Response => continue,
        };
        expected += 1;
        *asked.entry(id).or_default() += 1;
    }
    let mut read = BufReader::new(here).lines();
    let (mut came, mut last_came) = (0, false);
    while !last_came || came + may_be_silent < expected {
        let line = timeout(PATIENCE, read.next_line()).await.expect("each request is answered at once");
        let line = line.expect("memory can be read").expect("the server stays");
        let answer: Value = serde_json::from_str(&line).expect("answers are JSON");
        assert_eq!(answer["jsonrpc"], "2.0");
        if answer.get("method").is_some() {
            continue;
        }
        assert!(answer.get("result").is_some() != answer.get("error").is_some(), "{line}");
        let id = RequestId::from_value(answer["id"].clone());
        last_came |= id.as_ref() == Some(&last);
        came += 1;
        // Without an id are answered: requests that had none, and requests that used an id still in use.
        let left = asked.entry(id.clone()).or_default();
        assert!(*left > 0 || id.is_none(), "{line} was not asked for, or not so often");
        *left = left.saturating_sub(1);
    }
    assert!(came <= expected, "{came} answers to {expected}");
    drop(read);
    // The end of the client may be noticed in the middle of a message.
    let _ = serving.await.expect("it does not panic");
}

/// Delivers its input in pieces of this many bytes, and accepts no answer.
struct Pieces<'a> {
    rest: &'a [u8],
    piece: usize,
}

impl AsyncRead for Pieces<'_> {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let length = self.rest.len().min(self.piece).min(buffer.remaining());
        let (now, later) = self.rest.split_at(length);
        buffer.put_slice(now);
        self.rest = later;
        Poll::Ready(Ok(()))
    }
}
