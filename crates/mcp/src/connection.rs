//! Dispatches each message of a client.

use std::sync::Arc;

use ops::{Call, Caller, CallerEvent, Context, ErrorKind, Faces, OpError, Progress};
use serde_json::{Map, Value, json};
use tokio::io::AsyncRead;

use crate::{
    MESSAGE_LIMIT,
    era::{self, ProtocolEra},
    lines::{InputLine, InputLines},
    message::{self, INVALID_REQUEST, IncomingMessage, METHOD_NOT_FOUND, MessageRefusal, RequestId, RpcRequest},
    outbox::{MessageOutbox, NotReading, TooLong},
    progress::ProgressLine,
    running::{FinishedRequest, RunningRequests},
    serve::{ServeError, ServerInfo},
    tools,
};

#[derive(Debug)]
pub(crate) struct McpConnection<C: Context> {
    // The first field, so that calls are dropped before the host is told that their caller is gone.
    running: RunningRequests,
    presence: Arc<CallerPresence<C>>,
    info: ServerInfo,
    outbox: MessageOutbox,
    /// The client has sent `initialize`.
    initialized: bool,
}

/// Tells the host when a caller connects, and on drop that it is gone.
#[derive(Debug)]
pub(crate) struct CallerPresence<C: Context> {
    pub(crate) context: C,
    pub(crate) caller: Caller,
}

impl<C: Context> CallerPresence<C> {
    pub(crate) fn new(context: C, caller: Caller) -> Self {
        let presence = CallerPresence { context, caller };
        presence.tell(CallerEvent::Connected);
        presence
    }

    fn tell(&self, event: CallerEvent) {
        self.context.host().heard(&self.caller, event);
    }
}

impl<C: Context> Drop for CallerPresence<C> {
    fn drop(&mut self) {
        self.tell(CallerEvent::Gone);
    }
}

impl<C: Context> McpConnection<C> {
    pub(crate) fn new(context: C, caller: Caller, info: ServerInfo, outbox: MessageOutbox) -> Self {
        Self::within(Arc::new(CallerPresence::new(context, caller)), info, outbox, false)
    }

    /// For a caller that is already known, and may already be initialized.
    pub(crate) fn within(
        presence: Arc<CallerPresence<C>>,
        info: ServerInfo,
        outbox: MessageOutbox,
        initialized: bool,
    ) -> Self {
        McpConnection { running: RunningRequests::new(info.max_calls), presence, info, outbox, initialized }
    }

    /// Runs until the client closes its side, or an error ends the connection.
    pub(crate) async fn run(&mut self, lines: &mut InputLines<impl AsyncRead + Unpin>) -> Result<(), ServeError> {
        loop {
            tokio::select! {
                line = lines.next() => match line.map_err(ServeError::Read)? {
                    Some(InputLine::Message(line)) => self.take(IncomingMessage::parse(&line))?,
                    Some(InputLine::TooLong { id }) => {
                        let refusal = MessageRefusal::new(INVALID_REQUEST, "the message is longer than 16 MiB: send less at once")
                            .with_data(json!({ "limit_bytes": MESSAGE_LIMIT }));
                        self.outbox.push(&refusal.answer(id.as_ref()))?;
                    }
                    None => return Ok(()),
                },
                finished = self.running.finished() => self.settle(finished)?,
            }
        }
    }

    /// Answers a single message. Everything it started is finished when this returns, or dropped with this future.
    pub(crate) async fn run_one(mut self, message: IncomingMessage) -> Result<(), NotReading> {
        self.take(message)?;
        while !self.running.is_empty() {
            let finished = self.running.finished().await;
            self.settle(finished)?;
        }
        Ok(())
    }

    fn settle(&mut self, finished: FinishedRequest) -> Result<(), NotReading> {
        match finished {
            FinishedRequest::Replied(reply) => {
                self.outbox.send(reply);
                Ok(())
            }
            FinishedRequest::Panicked(id, era) => {
                tracing::error!(?id, "an operation panicked");
                let error = OpError::new(ErrorKind::Internal, "the tool broke off: a fault of the program")
                    .with_hint("other calls are not harmed; report it with what you asked for");
                let result = era.complete(tools::failed(&error), &self.server());
                self.outbox.push(&message::result(&id, result))
            }
        }
    }

    pub(crate) async fn close(&mut self) {
        self.running.cancel_all().await;
    }

    fn take(&mut self, message: IncomingMessage) -> Result<(), NotReading> {
        match message {
            IncomingMessage::Request(request) => self.request(request),
            IncomingMessage::Notification { method, params } => {
                self.notified(&method, params);
                Ok(())
            }
            IncomingMessage::Response => Ok(()),
            IncomingMessage::Refused { id, refusal } => {
                tracing::debug!(code = refusal.code, "refused a message: {}", refusal.message);
                self.outbox.push(&refusal.answer(id.as_ref()))
            }
        }
    }

    fn notified(&mut self, method: &str, mut params: Map<String, Value>) {
        // All other notifications, `initialized` among them, change nothing; unknown ones must be ignored.
        if method == "notifications/cancelled"
            && let Some(id) = params.remove("requestId").and_then(RequestId::from_value)
        {
            let was_running = self.running.cancel(&id);
            tracing::debug!(?id, was_running, "cancelled");
        }
    }

    fn request(&mut self, request: RpcRequest) -> Result<(), NotReading> {
        if self.running.contains(&request.id) {
            // With its own id, the refusal would look like the answer to the first request.
            let refusal = MessageRefusal::new(
                INVALID_REQUEST,
                format!("id {} belongs to a request that is still in progress: use another", request.id.to_value()),
            );
            return self.outbox.push(&refusal.answer(None));
        }
        let id = request.id.clone();
        let answer = ProtocolEra::of(&request, self.initialized).and_then(|era| self.answer(era, request));
        match answer {
            Ok(Some(result)) => self.outbox.push(&message::result(&id, result)),
            Ok(None) => Ok(()),
            Err(refusal) => self.outbox.push(&refusal.answer(Some(&id))),
        }
    }

    /// The result, or `None` if it comes later or never.
    fn answer(&mut self, era: ProtocolEra, request: RpcRequest) -> Result<Option<Value>, MessageRefusal> {
        let server = self.server();
        let result = match request.method.as_str() {
            "initialize" => self.initialize(&request.params)?,
            "server/discover" => era.complete_unkept(self.discover(), &server),
            "ping" | "logging/setLevel" => era.complete(json!({}), &server),
            "tools/list" => {
                first_page(&request.params)?;
                let role = self.presence.caller.role;
                let tools: Vec<Value> =
                    self.presence.context.table().offered(Faces::MCP, role).map(tools::listed).collect();
                self.presence.tell(CallerEvent::ListedTools);
                era.complete_unkept(json!({ "tools": tools }), &server)
            }
            "resources/list" => era.complete_unkept(json!({ "resources": [] }), &server),
            "resources/templates/list" => era.complete_unkept(json!({ "resourceTemplates": [] }), &server),
            "prompts/list" => era.complete_unkept(json!({ "prompts": [] }), &server),
            "tools/call" => return self.call(era, request),
            "subscriptions/listen" if era == ProtocolEra::Stateless => return self.listen(request),
            unknown => {
                return Err(MessageRefusal::new(METHOD_NOT_FOUND, format!("unknown method: {unknown}")));
            }
        };
        Ok(Some(result))
    }

    fn too_many(&self) -> String {
        format!("{} requests are in progress on this connection", self.running.limit())
    }

    fn server(&self) -> Value {
        json!({ "name": self.info.name, "version": self.info.version })
    }

    fn initialize(&mut self, params: &Map<String, Value>) -> Result<Value, MessageRefusal> {
        let Some(asked) = params.get("protocolVersion").and_then(Value::as_str) else {
            return Err(MessageRefusal::invalid_params("`protocolVersion` must be a string"));
        };
        self.initialized = true;
        let client = params.get("clientInfo").cloned().unwrap_or_default();
        tracing::debug!(%client, asked, "initialize");
        let mut result = self.introduction();
        result["protocolVersion"] = era::negotiate(asked).into();
        result["serverInfo"] = self.server();
        Ok(result)
    }

    fn discover(&self) -> Value {
        let mut result = self.introduction();
        result["supportedVersions"] = era::supported_versions().into();
        result
    }

    fn introduction(&self) -> Value {
        let mut introduction = json!({ "capabilities": { "tools": {} } });
        if !self.info.instructions.is_empty() {
            introduction["instructions"] = self.info.instructions.as_str().into();
        }
        introduction
    }

    /// Our lists never change while a caller is connected, so no subscription is granted.
    fn listen(&mut self, request: RpcRequest) -> Result<Option<Value>, MessageRefusal> {
        if self.running.is_full() {
            return Err(MessageRefusal::new(INVALID_REQUEST, self.too_many()));
        }
        let acknowledged = json!({ "_meta": { era::SUBSCRIPTION_ID: request.id.to_value() }, "notifications": {} });
        // If the queue is full, the next answer ends the connection.
        let _ = self.outbox.push(&message::notification("notifications/subscriptions/acknowledged", acknowledged));
        self.running.keep_open(request.id, ProtocolEra::Stateless);
        Ok(None)
    }

    fn call(&mut self, era: ProtocolEra, request: RpcRequest) -> Result<Option<Value>, MessageRefusal> {
        let RpcRequest { id, mut params, .. } = request;
        let progress = ProgressLine::asked_for(era::meta(&params)?, &self.outbox)?;
        let Some(Value::String(name)) = params.remove("name") else {
            return Err(MessageRefusal::invalid_params("`name` must be a string: the tool to call"));
        };
        let arguments = match params.remove("arguments") {
            None | Some(Value::Null) => Value::Object(Map::new()),
            Some(arguments @ Value::Object(_)) => arguments,
            Some(_) => return Err(MessageRefusal::invalid_params(format!("`arguments` of {name} must be an object"))),
        };
        // A tool that the role may not call still counts as known: the table's refusal says why, and what to do
        // instead.
        let known = self.presence.context.table().get(&name).filter(|entry| entry.traits.faces.contains(Faces::MCP));
        let Some(entry) = known else {
            return Err(MessageRefusal::invalid_params(format!("unknown tool: {name}"))
                .with_data(json!({ "kind": ErrorKind::NotFound.as_str(), "hint": "see tools/list" })));
        };
        let structured = tools::has_structured_reply(entry);
        let server = self.server();
        if self.running.is_full() {
            let error =
                OpError::new(ErrorKind::LimitExceeded, self.too_many()).with_hint("wait for one, or cancel one");
            return Ok(Some(era.complete(tools::failed(&error), &server)));
        }
        let told = progress.clone().map_or_else(Progress::silent, |line| Progress::new(move |what| line.tell(what)));
        let call = Call::new(self.presence.context.clone(), self.presence.caller.clone()).with_progress(told);
        let (context, outbox, answered) = (call.context.clone(), self.outbox.clone(), id.clone());
        self.running.start(id, era, progress.clone(), async move {
            let entry = context.table().get(&name).expect("it was there a moment ago, and tables don't change");
            let outcome = entry.run(call, arguments).await;
            if let Some(progress) = progress {
                progress.close();
            }
            let answer = |result| message::result(&answered, era.complete(result, &server));
            match outbox.place(&answer(tools::outcome(outcome, structured))).await {
                Ok(placed) => placed,
                Err(TooLong { bytes }) => {
                    outbox.place(&answer(tools::too_long(bytes))).await.expect("a short message is not too long")
                }
            }
        });
        Ok(None)
    }
}

/// Lists have a single page.
fn first_page(params: &Map<String, Value>) -> Result<(), MessageRefusal> {
    match params.get("cursor") {
        None | Some(Value::Null) => Ok(()),
        Some(_) => Err(MessageRefusal::invalid_params("unknown `cursor`: the list has one page")),
    }
}
