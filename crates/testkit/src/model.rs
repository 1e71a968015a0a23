//! A scripted model: an HTTP server on loopback that speaks the dialects of four model APIs and answers as a test's
//! script says, so that real agent CLIs can run without an account, without a network and with the same result each
//! time.
//!
//! It knows a model API as a CLI sees it, and nothing of terminals, sessions or patterm's tools.

mod anthropic;
mod chat;
mod conversation;
mod gemini;
mod http;
mod responses;
mod script;
mod sse;

use std::collections::BTreeSet;
use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use serde_json::{Value, json};

pub use conversation::{ApiDialect, Conversation, OfferedTool, ReceivedRequest, ToolResult};
pub use script::{AnswerContent, ModelAnswer, ModelScript};

use http::HttpRequest;
use sse::AnswerStream;

/// Runs until it is dropped.
#[derive(Debug)]
pub struct ScriptedModel {
    shared: Arc<ModelShared>,
    address: SocketAddr,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct ModelShared {
    script: ModelScript,
    state: Mutex<ModelState>,
    /// Notified when a gate opens, and at the end.
    moved: Condvar,
    ending: AtomicBool,
}

#[derive(Debug, Default)]
struct ModelState {
    received: Vec<ReceivedRequest>,
    open_gates: BTreeSet<String>,
    /// Kept so that they can be closed from our side.
    connections: Vec<TcpStream>,
}

impl ScriptedModel {
    /// Starts on a free port of loopback.
    pub fn start(script: ModelScript) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(ModelShared {
            script,
            state: Mutex::default(),
            moved: Condvar::new(),
            ending: AtomicBool::new(false),
        });
        let accepting = std::thread::spawn({
            let shared = shared.clone();
            move || accept(&listener, &shared)
        });
        Ok(ScriptedModel { shared, address, accepting: Some(accepting) })
    }

    /// The address for a client. `client` is any word; requests to it are logged under that word.
    pub fn base_url(&self, client: &str) -> String {
        format!("http://{}/{client}", self.address)
    }

    /// Opens this gate: answers that wait at it continue, now and later.
    pub fn open_gate(&self, gate: &str) {
        self.shared.state().open_gates.insert(gate.to_owned());
        self.shared.moved.notify_all();
    }

    /// Every request so far, in order of arrival.
    pub fn received(&self) -> Vec<ReceivedRequest> {
        self.shared.state().received.clone()
    }

    /// Prompts that `client` has sent for the first time, in order. Requests that carry a tool's result, or that are
    /// about a conversation rather than part of it, don't count.
    pub fn prompts(&self, client: &str) -> Vec<String> {
        let state = self.shared.state();
        let prompts = state.received.iter().filter(|received| received.client == client && received.is_prompt());
        prompts.map(|received| received.conversation.user.clone()).collect()
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.shared.ending.store(true, Ordering::SeqCst);
        for connection in &self.shared.state().connections {
            // Fails if the client has closed.
            let _ = connection.shutdown(Shutdown::Both);
        }
        self.shared.moved.notify_all();
        // Wakes the accepting thread.
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

impl ModelShared {
    fn state(&self) -> MutexGuard<'_, ModelState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the gate is open; `false` if the model ends before.
    fn pass(&self, gate: &str) -> bool {
        let closed = |state: &mut ModelState| !state.open_gates.contains(gate) && !self.ending.load(Ordering::SeqCst);
        let state = self.moved.wait_while(self.state(), closed).unwrap_or_else(PoisonError::into_inner);
        state.open_gates.contains(gate)
    }
}

/// Ends with the model, after all its connections.
fn accept(listener: &TcpListener, shared: &Arc<ModelShared>) {
    let mut threads = Vec::new();
    while let Ok((stream, _)) = listener.accept() {
        if shared.ending.load(Ordering::SeqCst) {
            break;
        }
        if let Ok(copy) = stream.try_clone() {
            shared.state().connections.push(copy);
        }
        let shared = shared.clone();
        // A client that closes in the middle is not our error.
        threads.push(std::thread::spawn(move || drop(answer(stream, &shared))));
        threads.retain(|thread: &JoinHandle<()>| !thread.is_finished());
    }
    // Connections that were accepted at the last moment.
    for connection in &shared.state().connections {
        let _ = connection.shutdown(Shutdown::Both);
    }
    for thread in threads {
        let _ = thread.join();
    }
}

/// One request and one answer per connection.
fn answer(stream: TcpStream, shared: &ModelShared) -> io::Result<()> {
    let Some(request) = HttpRequest::read(&stream)? else { return Ok(()) };
    let done = answer_request(&stream, &request, shared);
    let _ = stream.shutdown(Shutdown::Both);
    let address = stream.peer_addr();
    shared.state().connections.retain(|other| other.peer_addr().ok() != address.as_ref().ok().copied());
    done
}

fn answer_request(stream: &TcpStream, request: &HttpRequest, shared: &ModelShared) -> io::Result<()> {
    let path = request.path.trim_start_matches('/');
    let (client, path) = path.split_at(path.find('/').unwrap_or(path.len()));
    let dialect = match ApiDialect::of(&request.method, path) {
        Some(dialect) => dialect,
        None => return http::write_json(stream, &about(path)),
    };
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let conversation = match dialect {
        ApiDialect::Messages => anthropic::read(&body),
        ApiDialect::Responses => responses::read(&body),
        ApiDialect::Chat => chat::read(&body),
        ApiDialect::Gemini => gemini::read(&body),
    };
    let answer = match &conversation.wanted_json {
        Some(schema) => ModelAnswer::say(filled(schema).to_string()),
        None if conversation.tools.is_empty() => ModelAnswer::say("a title"),
        None => shared.script.answer(&conversation),
    };
    let received = ReceivedRequest { client: client.to_owned(), dialect, conversation };
    let conversation = received.conversation.clone();
    let number = {
        let mut state = shared.state();
        state.received.push(received);
        state.received.len()
    };
    if answer.gate.as_deref().is_some_and(|gate| !shared.pass(gate)) {
        return Ok(());
    }
    std::thread::sleep(answer.before);
    if let Some((status, body)) = &answer.refusal {
        return http::write_status(stream, *status, body);
    }
    let model = body["model"].as_str().unwrap_or("scripted");
    let streamed = match dialect {
        ApiDialect::Gemini => path.contains(":stream"),
        _ => body["stream"] == true,
    };
    let mut stream = AnswerStream::new(stream, streamed, number);
    match dialect {
        ApiDialect::Messages => anthropic::write(&mut stream, model, &conversation, &answer),
        ApiDialect::Responses => responses::write(&mut stream, model, &conversation, &answer),
        ApiDialect::Chat => chat::write(&mut stream, model, &conversation, &answer),
        ApiDialect::Gemini => gemini::write(&mut stream, &conversation, &answer),
    }
}

/// Other requests that clients make.
fn about(path: &str) -> Value {
    if path.ends_with("count_tokens") {
        json!({ "input_tokens": 10 })
    } else if path.ends_with(":countTokens") {
        json!({ "totalTokens": 10 })
    } else if path.contains("models") {
        let model = json!({ "id": "scripted", "object": "model", "type": "model", "display_name": "Scripted",
                            "created": 1, "owned_by": "test" });
        json!({ "object": "list", "data": [model], "models": [] })
    } else {
        json!({})
    }
}

/// The smallest value that satisfies a JSON schema.
fn filled(schema: &Value) -> Value {
    let kind = schema["type"].as_str().unwrap_or("object").to_lowercase();
    if let Some(first) = schema["enum"].as_array().and_then(|values| values.first()) {
        return first.clone();
    }
    match kind.as_str() {
        "string" => "a title".into(),
        "boolean" => false.into(),
        "number" | "integer" => 1.into(),
        "array" => json!([]),
        _ => {
            let properties = schema["properties"].as_object().cloned().unwrap_or_default();
            Value::Object(properties.iter().map(|(name, schema)| (name.clone(), filled(schema))).collect())
        }
    }
}

#[cfg(test)]
mod tests;
