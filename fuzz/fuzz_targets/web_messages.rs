//! A page's messages over its WebSocket: an accepted message is an object with a type, means the same however it is
//! parsed, and contains nothing that was not sent.
#![no_main]

#[allow(dead_code, reason = "what a message holds is looked at as text")]
#[path = "../../crates/web/src/from_page.rs"]
mod from_page;

use from_page::FromPage;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|text: &str| {
    let message = match serde_json::from_str::<FromPage>(text) {
        Ok(message) => message,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let value: Value = serde_json::from_str(text).expect("what is taken is JSON");
    assert!(value.is_object() && value["t"].is_string(), "{text}");
    let shown = format!("{message:?}");
    let again: FromPage = serde_json::from_value(value.clone()).expect("it was taken a moment ago");
    assert_eq!(format!("{again:?}"), shown, "another way to parse, another message");
    let laid_out: FromPage = serde_json::from_str(&format!("{value:#}")).expect("layout does not matter");
    assert_eq!(format!("{laid_out:?}"), shown, "another layout, another message");
    // Numbers are bounded by their types, so only the sent texts can be long.
    let sent: usize = strings_of(&value).map(str::len).sum();
    assert!(held(&message).map(str::len).sum::<usize>() <= sent, "{shown}");
});

fn strings_of(value: &Value) -> impl Iterator<Item = &str> {
    value.as_object().into_iter().flat_map(|fields| fields.values()).filter_map(Value::as_str)
}

fn held(message: &FromPage) -> impl Iterator<Item = &str> {
    let strings: Vec<&str> = match message {
        FromPage::Watch { coordinator, session, name, .. } => vec![coordinator, session, name],
        FromPage::Play { recording, .. } => vec![recording],
        FromPage::Key { key, text, .. } => vec![key, text],
        FromPage::Paste { text, .. } => vec![text],
        _ => Vec::new(),
    };
    strings.into_iter()
}
