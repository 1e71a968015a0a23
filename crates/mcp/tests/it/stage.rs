//! What the tests stand on: a program with an engine and a host that takes notes, and a plain client.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use engine::{Engine, EngineOptions};
use mcp::{ServeError, ServerInfo, serve};
use ops::{Caller, CallerEvent, Context, Host, Progress, Recordings, Role, Table};
use serde_json::{Value, json};
use testkit::{DEADLINE, wait_until};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf},
    sync::Semaphore,
    task::JoinHandle,
    time::timeout,
};

use crate::test_ops;

#[derive(Clone)]
pub(crate) struct Program {
    engine: Engine,
    notes: Arc<Notes>,
    table: Arc<Table<Program>>,
    recordings: Arc<Recordings>,
    pub(crate) gate: Arc<Gate>,
}

impl Context for Program {
    fn engine(&self) -> &Engine {
        &self.engine
    }

    fn host(&self) -> &dyn Host {
        &*self.notes
    }

    fn table(&self) -> &Table<Self> {
        &self.table
    }

    fn recordings(&self) -> &Recordings {
        &self.recordings
    }
}

/// A host that writes down what it hears.
#[derive(Debug, Default)]
pub(crate) struct Notes(Mutex<Vec<CallerEvent>>);

/// What the host knows an operator by, and a sub-agent.
pub(crate) const OPERATOR: &str = "operators-token";
pub(crate) const SUB_AGENT: &str = "sub-agents-token";

impl Host for Notes {
    fn resolve(&self, token: &str) -> Option<Caller> {
        match token {
            OPERATOR => Some(Caller::operator()),
            SUB_AGENT => Some(Caller { role: Role::SubAgent, session: None }),
            _ => None,
        }
    }

    fn heard(&self, _: &Caller, event: CallerEvent) {
        self.0.lock().unwrap().push(event);
    }
}

/// Where calls of `hold` stand.
#[derive(Debug)]
pub(crate) struct Gate {
    inside: AtomicUsize,
    pub(crate) let_go: Semaphore,
    pub(crate) nudge: Semaphore,
    pub(crate) last_progress: Mutex<Option<Progress>>,
}

impl Gate {
    pub(crate) fn enter(self: &Arc<Self>) -> Held {
        self.inside.fetch_add(1, Ordering::SeqCst);
        Held(self.clone())
    }
}

pub(crate) struct Held(Arc<Gate>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.inside.fetch_sub(1, Ordering::SeqCst);
    }
}

pub(crate) struct Stage {
    pub(crate) program: Program,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let mut entries = test_ops::entries();
        entries.extend(ops::operations::entries());
        let gate = Arc::new(Gate {
            inside: AtomicUsize::new(0),
            let_go: Semaphore::new(0),
            nudge: Semaphore::new(0),
            last_progress: Mutex::default(),
        });
        let options = EngineOptions { base_env: vec![("PATH".into(), "/usr/bin:/bin".into())], ..Default::default() };
        let engine = Engine::new(options);
        let table = Arc::new(Table::new(entries));
        Stage { program: Program { engine, notes: Arc::default(), table, recordings: Arc::default(), gate } }
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.program.engine
    }

    pub(crate) fn serve<S: AsyncRead + AsyncWrite + Send + 'static>(
        &self,
        stream: S,
        role: Role,
    ) -> JoinHandle<Result<(), ServeError>> {
        let caller = Caller { role, session: None };
        let info = ServerInfo {
            name: "stage".into(),
            version: "1.2".into(),
            instructions: "Mind the gap.".into(),
            ..ServerInfo::default()
        };
        tokio::spawn(serve(stream, self.program.clone(), caller, info))
    }

    pub(crate) fn connect_as(&self, role: Role) -> Client {
        let (here, there) = tokio::io::duplex(64 * 1024);
        Client::new(here, self.serve(there, role))
    }

    pub(crate) fn connect(&self) -> Client {
        self.connect_as(Role::Operator)
    }

    /// A client that has shaken hands.
    pub(crate) async fn client(&self) -> Client {
        let mut client = self.connect();
        client.initialize("2025-11-25").await;
        client
    }

    pub(crate) fn heard(&self) -> Vec<CallerEvent> {
        self.program.notes.0.lock().unwrap().clone()
    }

    pub(crate) fn held(&self) -> usize {
        self.program.gate.inside.load(Ordering::SeqCst)
    }

    pub(crate) async fn wait_for_held(&self, calls: usize) {
        let reason = format!("{calls} calls are inside");
        let gate = self.program.gate.clone();
        tokio::task::spawn_blocking(move || wait_until(&reason, || gate.inside.load(Ordering::SeqCst) == calls))
            .await
            .unwrap();
    }

    pub(crate) fn let_go(&self, calls: usize) {
        self.program.gate.let_go.add_permits(calls);
    }
}

pub(crate) struct Client {
    pub(crate) writer: WriteHalf<DuplexStream>,
    reader: BufReader<ReadHalf<DuplexStream>>,
    pub(crate) served: JoinHandle<Result<(), ServeError>>,
    next_id: u64,
}

impl Client {
    fn new(stream: DuplexStream, served: JoinHandle<Result<(), ServeError>>) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        Client { writer, reader: BufReader::new(reader), served, next_id: 1 }
    }

    pub(crate) async fn write(&mut self, text: &str) {
        timeout(DEADLINE, self.writer.write_all(text.as_bytes())).await.expect("the server reads on").unwrap();
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.write(&format!("{message}\n")).await;
    }

    /// The next message, or none at the end.
    pub(crate) async fn try_next(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = timeout(DEADLINE, self.reader.read_line(&mut line));
        read.await.expect("the server has something to say").unwrap();
        (!line.is_empty()).then(|| serde_json::from_str(&line).unwrap())
    }

    pub(crate) async fn next(&mut self) -> Value {
        self.try_next().await.expect("the server is still there")
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
    }

    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        id
    }

    /// Asks, and takes the next message for the answer.
    pub(crate) async fn answer(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params).await;
        let answer = self.next().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    pub(crate) async fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer(method, params).await;
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }

    pub(crate) async fn error(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer(method, params).await;
        assert!(answer["result"].is_null(), "{answer}");
        answer["error"].clone()
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// The error of a tool that fails.
    pub(crate) async fn failure(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], true, "{result}");
        assert!(result["structuredContent"].is_null(), "{result}");
        serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap()
    }

    pub(crate) async fn initialize(&mut self, version: &str) -> Value {
        let params = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "0" },
        });
        let result = self.result("initialize", params).await;
        self.notify("notifications/initialized", json!({})).await;
        result
    }

    /// Closes our side and waits for the server's end of it.
    pub(crate) async fn close(mut self) -> Result<(), ServeError> {
        self.writer.shutdown().await.unwrap();
        while self.try_next().await.is_some() {}
        timeout(DEADLINE, self.served).await.expect("the connection ends").unwrap()
    }
}

/// `_meta` of the stateless era, into which a request's own params may go.
pub(crate) fn stateless(mut params: Value) -> Value {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    params
}
