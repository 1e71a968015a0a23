//! The server over HTTP: who may ask, both eras, streams, and how a call ends.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::DEADLINE;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
    time::{Instant, timeout},
};

use crate::stage::{OPERATOR, SUB_AGENT, Stage, stateless};

struct Http {
    stage: Stage,
    port: u16,
    serving: JoinHandle<()>,
}

impl Drop for Http {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

#[derive(Debug)]
struct Got {
    status: u16,
    head: String,
    body: String,
}

impl Got {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

type Headers<'a> = &'a [(&'a str, &'a str)];

const AUTHORISED: (&str, &str) = ("Authorization", "Bearer operators-token");

impl Http {
    async fn new() -> Self {
        let stage = Stage::new();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let info = mcp::ServerInfo { name: "stage".into(), version: "1".into(), ..mcp::ServerInfo::default() };
        let serving = tokio::spawn(mcp::serve_http(listener, stage.program.clone(), info));
        Http { stage, port, serving }
    }

    async fn open(&self, method: &str, headers: Headers<'_>, body: &str) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let mut text = format!("{method} /mcp HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        let mut with = vec![
            ("Host", "localhost:1"),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        for header in headers {
            with.retain(|(name, _)| name != &header.0);
            with.push(*header);
        }
        for (name, value) in with {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{text}\r\n{body}").as_bytes()).await.unwrap();
        BufReader::new(stream)
    }

    async fn ask(&self, method: &str, headers: Headers<'_>, body: &str) -> Got {
        let mut stream = self.open(method, headers, body).await;
        let mut text = String::new();
        timeout(DEADLINE, stream.read_to_string(&mut text)).await.expect("the server answers").unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let head = head.replace("\r\n", "\n");
        Got { status, head, body: body.to_owned() }
    }

    async fn post(&self, headers: Headers<'_>, message: &Value) -> Got {
        let with: Vec<_> = std::iter::once(AUTHORISED).chain(headers.iter().copied()).collect();
        self.ask("POST", &with, &message.to_string()).await
    }

    async fn initialize(&self) -> String {
        let got = self.post(&[], &initialize()).await;
        assert_eq!(got.status, 200, "{got:?}");
        assert_eq!(got.json()["result"]["protocolVersion"], "2025-11-25");
        got.header("mcp-session-id").unwrap().to_owned()
    }
}

fn request(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
}

fn initialize() -> Value {
    request("initialize", json!({ "protocolVersion": "2025-11-25", "capabilities": {} }))
}

#[tokio::test]
async fn nobody_passes_without_a_token_or_from_elsewhere() {
    let http = Http::new().await;
    let body = initialize().to_string();
    for (headers, status) in [
        (&[][..], 401),
        (&[("Authorization", "Bearer guessed")][..], 401),
        (&[("Authorization", "Basic operators-token")][..], 401),
        (&[AUTHORISED, ("Host", "evil.example")][..], 421),
        (&[AUTHORISED, ("Origin", "http://evil.example")][..], 403),
        (&[AUTHORISED, ("Origin", "null")][..], 403),
        (&[AUTHORISED, ("Content-Type", "text/plain")][..], 415),
        (&[AUTHORISED, ("Origin", "http://localhost:3000")][..], 200),
    ] {
        assert_eq!(http.ask("POST", headers, &body).await.status, status, "{headers:?}");
    }
    assert_eq!(http.ask("GET", &[AUTHORISED], "").await.status, 405);
    assert_eq!(http.ask("POST", &[AUTHORISED], "{").await.json()["error"]["code"], -32700);
}

#[tokio::test]
async fn the_older_era_has_sessions_that_end() {
    let http = Http::new().await;
    let list = request("tools/list", json!({}));
    assert_eq!(http.post(&[], &list).await.status, 400, "nobody has shaken hands");
    let session = http.initialize().await;
    let ours = [("Mcp-Session-Id", session.as_str())];
    let notification = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(http.post(&ours, &notification).await.status, 202);
    let listed = http.post(&ours, &list).await.json();
    assert!(listed["result"]["tools"].as_array().unwrap().len() > 10, "{listed}");
    let strange = http.post(&[ours[0], ("Mcp-Protocol-Version", "1999-01-01")], &list).await;
    assert_eq!((strange.status, &strange.json()["error"]["code"]), (400, &json!(-32022)));
    let other = [("Authorization", "Bearer sub-agents-token"), ours[0]];
    assert_eq!(http.ask("POST", &other, &list.to_string()).await.status, 404, "another caller's session");
    assert_eq!(http.ask("DELETE", &[AUTHORISED, ours[0]], "").await.status, 204);
    assert_eq!(http.post(&ours, &list).await.status, 404);
    let _ = (OPERATOR, SUB_AGENT);
}

#[tokio::test]
async fn in_the_stateless_era_the_headers_say_what_the_body_says() {
    let http = Http::new().await;
    let call = request("tools/call", stateless(json!({ "name": "echo", "arguments": { "text": "hi" } })));
    let revision = ("Mcp-Protocol-Version", "2026-07-28");
    let all = [revision, ("Mcp-Method", "tools/call"), ("Mcp-Name", " echo ")];
    let got = http.post(&all, &call).await;
    assert_eq!((got.status, &got.json()["result"]["structuredContent"]["text"]), (200, &json!("hi")));
    for headers in [
        &all[1..],
        &[("Mcp-Protocol-Version", "1999-01-01"), all[1], all[2]][..],
        &all[..2],
        &[revision, ("Mcp-Method", "tools/list"), ("Mcp-Name", "echo")][..],
        &[revision, ("Mcp-Method", "tools/call"), ("Mcp-Name", "other")][..],
    ] {
        let got = http.post(headers, &call).await;
        assert_eq!((got.status, &got.json()["error"]["code"]), (400, &json!(-32020)), "{headers:?}");
        assert_eq!(got.json()["id"], 7);
    }
    for (method, status, code) in [("tools/dance", 404, -32601), ("ping", 404, -32601), ("tools/list", 200, 0)] {
        let got = http.post(&[revision, ("Mcp-Method", method)], &request(method, stateless(json!({})))).await;
        assert_eq!(got.status, status, "{method}");
        assert_eq!(got.json()["error"]["code"].as_i64().unwrap_or_default(), code, "{method}");
    }
}

#[tokio::test]
async fn progress_comes_as_events_and_the_answer_last() {
    let http = Http::new().await;
    let session = http.initialize().await;
    let hold = request("tools/call", json!({ "name": "hold", "_meta": { "progressToken": 1 } })).to_string();
    let headers = [AUTHORISED, ("Mcp-Session-Id", session.as_str())];
    let mut stream = http.open("POST", &headers, &hold).await;
    http.stage.wait_for_held(1).await;
    http.stage.program.gate.nudge.add_permits(1);
    let mut seen = String::new();
    while !seen.contains("notifications/progress") {
        timeout(DEADLINE, stream.read_line(&mut seen)).await.expect("progress comes").unwrap();
    }
    assert!(seen.contains("content-type: text/event-stream"), "{seen}");
    http.stage.let_go(1);
    timeout(DEADLINE, stream.read_to_string(&mut seen)).await.expect("the answer comes").unwrap();
    assert!(seen.contains("\"result\""), "{seen}");
    assert!(seen.find("notifications/progress") < seen.find("\"result\""), "{seen}");
}

#[tokio::test]
async fn a_client_that_leaves_or_cancels_ends_its_call() {
    let http = Http::new().await;
    let session = http.initialize().await;
    let headers = [AUTHORISED, ("Mcp-Session-Id", session.as_str())];
    let hold = request("tools/call", json!({ "name": "hold" }));
    let stream = http.open("POST", &headers, &hold.to_string()).await;
    http.stage.wait_for_held(1).await;
    drop(stream);
    http.stage.wait_for_held(0).await;
    let mut stream = http.open("POST", &headers, &hold.to_string()).await;
    http.stage.wait_for_held(1).await;
    let same_id = http.post(&headers[1..], &hold).await;
    assert_eq!(same_id.status, 400, "{same_id:?}");
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 7 } });
    assert_eq!(http.post(&headers[1..], &cancel).await.status, 202);
    http.stage.wait_for_held(0).await;
    let mut rest = String::new();
    timeout(DEADLINE, stream.read_to_string(&mut rest)).await.expect("the request ends").unwrap();
    assert!(!rest.contains("\"result\""), "{rest}");
}

const HALF_A_HEAD: &str = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bea";
const HALF_A_BODY: &str = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{";

#[tokio::test]
async fn strangers_keep_no_client_with_a_token_waiting() {
    let http = Http::new().await;
    let session = http.initialize().await;
    let headers = [AUTHORISED, ("Mcp-Session-Id", session.as_str())];
    let hold = request("tools/call", json!({ "name": "hold" })).to_string();
    let mut under_way = http.open("POST", &headers, &hold).await;
    http.stage.wait_for_held(1).await;
    let start = Instant::now();
    let mut strangers = Vec::new();
    for said in ["", HALF_A_HEAD, HALF_A_BODY, ""].into_iter().cycle().take(400) {
        let mut stranger = TcpStream::connect(("127.0.0.1", http.port)).await.unwrap();
        stranger.write_all(said.as_bytes()).await.unwrap();
        strangers.push(stranger);
    }
    assert_eq!(http.post(&[], &initialize()).await.status, 200);
    let waited = start.elapsed();
    assert!(waited < Duration::from_secs(5), "only when strangers had run out of time: {waited:?}");
    http.stage.let_go(1);
    let mut answer = String::new();
    timeout(DEADLINE, under_way.read_to_string(&mut answer)).await.expect("the call goes on").unwrap();
    assert!(answer.contains("\"result\""), "{answer}");
}

/// The clock stands while there is something to do, and goes on to the next deadline when there is not.
#[tokio::test(start_paused = true)]
async fn a_stranger_who_says_half_a_request_is_soon_gone() {
    let http = Http::new().await;
    for said in ["", HALF_A_HEAD, HALF_A_BODY] {
        let start = Instant::now();
        let mut stranger = TcpStream::connect(("127.0.0.1", http.port)).await.unwrap();
        stranger.write_all(said.as_bytes()).await.unwrap();
        let mut told = Vec::new();
        // An end or a reset: what it said may not have been read.
        let _ = timeout(DEADLINE, stranger.read_to_end(&mut told)).await.expect("the connection ends");
        assert!(start.elapsed() < Duration::from_secs(10), "{said:?}: {:?}", start.elapsed());
    }
}
