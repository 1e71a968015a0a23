//! Finds the id of a message that is too long to be read, by scanning its bytes in constant memory.
//!
//! Clients expect an answer with their id, and some write the id last.

use crate::message::RequestId;

/// A longer token is neither the key `id` nor an id worth answering.
const TOKEN_LIMIT: usize = 256;

#[derive(Debug, Default)]
pub(crate) struct IdScan {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// The current token on the top level: a key, or a value.
    token: Vec<u8>,
    value_is_id: bool,
    id: Option<RequestId>,
}

impl IdScan {
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.step(byte);
        }
    }

    pub(crate) fn into_id(self) -> Option<RequestId> {
        self.id
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return self.keep(byte);
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.end_value();
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => {
                self.value_is_id = self.token == br#""id""#;
                self.token.clear();
            }
            b',' => self.end_value(),
            _ if byte.is_ascii_whitespace() => {}
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() < TOKEN_LIMIT {
            self.token.push(byte);
        }
    }

    fn end_value(&mut self) {
        if self.depth != 1 {
            return;
        }
        if self.value_is_id {
            self.id = serde_json::from_slice(&self.token).ok().and_then(RequestId::from_value);
        }
        self.value_is_id = false;
        self.token.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn scan(text: &str) -> Option<RequestId> {
        let mut scan = IdScan::default();
        for byte in text.bytes() {
            scan.feed(&[byte]);
        }
        scan.into_id()
    }

    #[test]
    fn finds_the_id_of_the_message_and_no_other() {
        let seven = Some(RequestId::Number(7.into()));
        let text = |text: &str| Some(RequestId::Text(text.to_owned()));
        for (message, id) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"id":8}}"#, seven.clone()),
            (r#"{"method":"m","params":{"id":8,"a":["x,\"id\":9",{"id":9}]},"jsonrpc":"2.0","id": 7 }"#, seven),
            (r#"{ "id" : "a\"b{" , "x":1}"#, text("a\"b{")),
            (r#"{"x":"\\","id":"a"}"#, text("a")),
            (r#"{"x":"id","y":7}"#, None),
            (r#"{"id":null}"#, None),
            (r#"{"id":{"id":7}}"#, None),
            (r#"[{"id":7}]"#, None),
            (r#"}}]],:"id":7"#, None),
            ("", None),
        ] {
            assert_eq!(scan(message), id, "{message}");
        }
        assert_eq!(scan(&format!(r#"{{"id":"{}"}}"#, "x".repeat(TOKEN_LIMIT))), None);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let text = "[a-z\\\\\"{}:,\\[\\]\n\u{e9}]{0,6}";
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            text.prop_map(Value::from)
        ];
        leaf.prop_recursive(3, 24, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(
                    prop_oneof![Just("id".to_owned()), text.prop_map(String::from)],
                    inner,
                    0..4
                )
                .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn agrees_with_a_parser(value in any_json(), pretty: bool) {
            let text = if pretty { format!("{value:#}") } else { value.to_string() };
            let id = value.as_object().and_then(|fields| fields.get("id")).cloned().and_then(RequestId::from_value);
            prop_assert_eq!(scan(&text), id);
        }

        #[test]
        fn survives_anything(bytes: Vec<u8>) {
            let mut scan = IdScan::default();
            scan.feed(&bytes);
            scan.into_id();
        }
    }
}
