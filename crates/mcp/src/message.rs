//! JSON-RPC 2.0 messages.

use serde_json::{Map, Number, Value, json};

pub(crate) const PARSE_ERROR: i64 = -32700;
pub(crate) const INVALID_REQUEST: i64 = -32600;
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
pub(crate) const INVALID_PARAMS: i64 = -32602;
/// Our own code: the protocol defines none for this.
pub(crate) const REFUSED_CALLER: i64 = -32000;
pub(crate) const HEADER_MISMATCH: i64 = -32020;
pub(crate) const UNSUPPORTED_PROTOCOL_VERSION: i64 = -32022;

/// A request's id. MCP allows neither null nor fractions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RequestId {
    Number(Number),
    Text(String),
}

impl RequestId {
    pub(crate) fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Number(number) if !number.is_f64() => Some(RequestId::Number(number)),
            Value::String(text) => Some(RequestId::Text(text)),
            _ => None,
        }
    }

    pub(crate) fn to_value(&self) -> Value {
        match self {
            RequestId::Number(number) => Value::Number(number.clone()),
            RequestId::Text(text) => Value::String(text.clone()),
        }
    }
}

/// An error response: the request itself was refused. A tool that fails gives a result instead.
#[derive(Clone, Debug)]
pub(crate) struct MessageRefusal {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Option<Value>,
}

impl MessageRefusal {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        MessageRefusal { code, message: message.into(), data: None }
    }

    pub(crate) fn invalid_params(message: impl Into<String>) -> Self {
        MessageRefusal::new(INVALID_PARAMS, message)
    }

    pub(crate) fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// The error response to `id`, or without an id.
    pub(crate) fn answer(self, id: Option<&RequestId>) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = self.data {
            error["data"] = data;
        }
        json!({ "jsonrpc": "2.0", "id": id.map(RequestId::to_value), "error": error })
    }
}

pub(crate) fn result(id: &RequestId, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.to_value(), "result": result })
}

pub(crate) fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

/// One message of a client.
#[derive(Debug)]
pub(crate) enum IncomingMessage {
    Request(RpcRequest),
    Notification {
        method: String,
        params: Map<String, Value>,
    },
    /// A response. We send no requests, so it is ignored.
    Response,
    Refused {
        id: Option<RequestId>,
        refusal: MessageRefusal,
    },
}

#[derive(Debug)]
pub(crate) struct RpcRequest {
    pub(crate) id: RequestId,
    pub(crate) method: String,
    pub(crate) params: Map<String, Value>,
}

impl IncomingMessage {
    pub(crate) fn parse(line: &[u8]) -> IncomingMessage {
        let refused = |id, refusal| IncomingMessage::Refused { id, refusal };
        let mut message = match serde_json::from_slice(line) {
            Ok(Value::Object(message)) => message,
            Ok(Value::Array(_)) => {
                let refusal = MessageRefusal::new(INVALID_REQUEST, "batches are not taken: send one message per line");
                return refused(None, refusal);
            }
            Ok(_) => return refused(None, MessageRefusal::new(INVALID_REQUEST, "a message is a JSON object")),
            Err(error) => {
                return refused(None, MessageRefusal::new(PARSE_ERROR, format!("the line is not JSON: {error}")));
            }
        };
        let had_id = message.contains_key("id");
        let id = message.remove("id").and_then(RequestId::from_value);
        if message.get("jsonrpc") != Some(&Value::from("2.0")) {
            return refused(id, MessageRefusal::new(INVALID_REQUEST, "`jsonrpc` must be \"2.0\""));
        }
        let method = match message.remove("method") {
            Some(Value::String(method)) => method,
            None if message.contains_key("result") || message.contains_key("error") => {
                return IncomingMessage::Response;
            }
            _ => return refused(id, MessageRefusal::new(INVALID_REQUEST, "`method` must be a string")),
        };
        if had_id && id.is_none() {
            return refused(None, MessageRefusal::new(INVALID_REQUEST, "`id` must be a string or a whole number"));
        }
        let params = match message.remove("params") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(params)) => params,
            // Notifications get no answer, so bad parameters are not reported.
            Some(_) if id.is_none() => Map::new(),
            Some(_) => return refused(id, MessageRefusal::invalid_params("`params` must be an object")),
        };
        match id {
            Some(id) => IncomingMessage::Request(RpcRequest { id, method, params }),
            None => IncomingMessage::Notification { method, params },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(line: &str) -> (Option<RequestId>, i64) {
        match IncomingMessage::parse(line.as_bytes()) {
            IncomingMessage::Refused { id, refusal } => (id, refusal.code),
            other => panic!("{line} was taken as {other:?}"),
        }
    }

    #[test]
    fn what_is_no_message_is_refused_under_the_id_it_has() {
        let seven = Some(RequestId::Number(7.into()));
        for (line, id, code) in [
            ("{", None, PARSE_ERROR),
            ("{\"id\":7} x", None, PARSE_ERROR),
            ("\u{feff}{}", None, PARSE_ERROR),
            ("7", None, INVALID_REQUEST),
            ("[]", None, INVALID_REQUEST),
            (r#"{"id":7,"method":"ping"}"#, seven.clone(), INVALID_REQUEST),
            (r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#, seven.clone(), INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":7}"#, seven.clone(), INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":7,"method":1}"#, seven.clone(), INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, None, INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, None, INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, None, INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}"#, seven, INVALID_PARAMS),
        ] {
            assert_eq!(refusal(line), (id, code), "{line}");
        }
        assert_eq!(refusal(&"[".repeat(100_000)), (None, PARSE_ERROR), "nesting is bounded");
    }

    #[test]
    fn answers_of_a_client_are_not_answered() {
        for line in [r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, r#"{"jsonrpc":"2.0","id":null,"error":{}}"#] {
            assert!(matches!(IncomingMessage::parse(line.as_bytes()), IncomingMessage::Response), "{line}");
        }
    }
}
