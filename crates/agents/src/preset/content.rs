//! A preset's content independent of its layout: its hash for trust, and the differences between two.

use std::collections::BTreeSet;
use std::fmt;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The content of a preset file without comments and layout, keys in order.
#[derive(Clone, PartialEq, Eq)]
pub struct PresetContent {
    value: Value,
}

/// SHA-256 of a [`PresetContent`], in hex.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContentHash(String);

/// One difference between two contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentChange {
    /// Where, as in `argv[2]` or `env.PATH`.
    pub at: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

impl PresetContent {
    pub(crate) fn new(value: Value) -> Self {
        PresetContent { value }
    }

    pub(crate) fn into_value(self) -> Value {
        self.value
    }

    /// Parses the output of [`PresetContent::canonical`]; `None` for anything that is not JSON.
    pub fn from_canonical(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok().map(PresetContent::new)
    }

    /// One line of JSON, identical for identical content.
    pub fn canonical(&self) -> String {
        let mut out = String::new();
        write_canonical(&self.value, &mut out);
        out
    }

    pub fn hash(&self) -> ContentHash {
        ContentHash(sha256(&self.canonical()))
    }

    /// The same with hashes in place of the values of environment variables: the form that may be stored. It is enough
    /// to tell later which of them changed. A preset can't contain such a hash itself, since its values are strings.
    pub fn without_values(&self) -> PresetContent {
        let mut value = self.value.clone();
        if let Some(Value::Object(variables)) = value.get_mut("env") {
            for variable in variables.values_mut() {
                if let Value::String(text) = variable {
                    *variable = serde_json::json!({ "sha256": sha256(text) });
                }
            }
        }
        PresetContent { value }
    }

    /// The changes from `before` to this, by path. Values of environment variables are not shown.
    pub fn changes_since(&self, before: &PresetContent) -> Vec<ContentChange> {
        let mut changes = Vec::new();
        compare(&before.value, &self.value, &mut String::new(), &mut changes);
        changes
    }
}

impl fmt::Debug for PresetContent {
    /// Only the hash: the content may include values of environment variables.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Content").field(&self.hash()).finish()
    }
}

impl ContentHash {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for ContentChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.before, &self.after) {
            (None, Some(after)) => write!(f, "{}: added {after}", self.at),
            (Some(before), None) => write!(f, "{}: removed {before}", self.at),
            (Some(before), Some(after)) => write!(f, "{}: {before} → {after}", self.at),
            (None, None) => write!(f, "{}: changed", self.at),
        }
    }
}

fn sha256(text: &str) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        // Writing to a String can't fail.
        _ = write!(hex, "{byte:02x}");
    }
    hex
}

/// Keys are sorted, independent of `serde_json`'s map order in this build.
fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let keys: BTreeSet<&String> = map.keys().collect();
            out.push('{');
            for (index, key) in keys.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write_canonical(&map[key], out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        other => out.push_str(&other.to_string()),
    }
}

/// Maximum depth of a path; below it, whole values are shown.
const MAX_DEPTH: usize = 16;

fn compare(before: &Value, after: &Value, at: &mut String, changes: &mut Vec<ContentChange>) {
    if before == after {
        return;
    }
    let depth = at.matches(['.', '[']).count();
    match (before, after) {
        // For a variable, neither value is shown, nor its hash.
        _ if at.starts_with("env.") => changes.push(ContentChange { at: at.clone(), before: None, after: None }),
        (Value::Object(old), Value::Object(new)) if depth < MAX_DEPTH => {
            let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            for key in keys {
                let dot = if at.is_empty() { "" } else { "." };
                step(at, &format!("{dot}{key}"), old.get(key), new.get(key), changes);
            }
        }
        (Value::Array(old), Value::Array(new)) if depth < MAX_DEPTH => {
            for index in 0..old.len().max(new.len()) {
                step(at, &format!("[{index}]"), old.get(index), new.get(index), changes);
            }
        }
        _ => changes.push(ContentChange {
            at: at.clone(),
            before: Some(shown(before, at)),
            after: Some(shown(after, at)),
        }),
    }
}

fn step(at: &mut String, part: &str, before: Option<&Value>, after: Option<&Value>, changes: &mut Vec<ContentChange>) {
    let length = at.len();
    at.push_str(part);
    match (before, after) {
        (Some(before), Some(after)) => compare(before, after, at, changes),
        (before, after) => changes.push(ContentChange {
            at: at.clone(),
            before: before.map(|value| shown(value, at)),
            after: after.map(|value| shown(value, at)),
        }),
    }
    at.truncate(length);
}

/// Maximum characters of a value in a list of changes.
const MAX_SHOWN: usize = 200;

fn shown(value: &Value, at: &str) -> String {
    if at.starts_with("env.") {
        return "(value not shown)".into();
    }
    if at == "env" {
        let names = value.as_object().map(|map| map.keys().cloned().collect::<Vec<_>>().join(", "));
        return names.map_or_else(|| "(value not shown)".into(), |names| format!("(variables {names})"));
    }
    let text = value.to_string();
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn content(value: Value) -> PresetContent {
        PresetContent::new(value)
    }

    #[test]
    fn layout_and_order_do_not_change_the_hash_and_content_does() {
        let one: Value = serde_json::from_str(r#"{"b": [1, 2], "a": {"y": true, "x": null}}"#).unwrap();
        let two: Value = serde_json::from_str("{\"a\":{\"x\":null,\"y\":true},\n \"b\":[1,2]}").unwrap();
        assert_eq!(content(one.clone()).hash(), content(two).hash());
        assert_eq!(content(one.clone()).canonical(), r#"{"a":{"x":null,"y":true},"b":[1,2]}"#);
        assert_ne!(content(one).hash(), content(json!({"b": [2, 1], "a": {"y": true, "x": null}})).hash());
        // A known answer, so that trust given once remains valid in later versions.
        let empty = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
        assert_eq!(content(json!({})).hash().as_str(), empty);
    }

    #[test]
    fn changes_are_named_by_place_without_values_of_variables() {
        let before = content(json!({"argv": ["x", "-a"], "env": {"TOKEN": "one", "OLD": "1"}, "idle_ms": 5}));
        let after = content(json!({"argv": ["x", "-b", "-c"], "env": {"TOKEN": "two", "NEW": "2"}, "shell": true}));
        let lines: Vec<String> = after.changes_since(&before).iter().map(ContentChange::to_string).collect();
        assert_eq!(
            lines,
            [
                r#"argv[1]: "-a" → "-b""#,
                r#"argv[2]: added "-c""#,
                "env.NEW: added (value not shown)",
                "env.OLD: removed (value not shown)",
                "env.TOKEN: changed",
                "idle_ms: removed 5",
                "shell: added true",
            ]
        );
        assert_eq!(after.changes_since(&after), []);
    }

    #[test]
    fn what_is_kept_holds_no_values_and_still_tells_which_changed() {
        let before = content(json!({"argv": ["x"], "env": {"TOKEN": "one-secret", "SAME": "s"}}));
        let after = content(json!({"argv": ["x"], "env": {"TOKEN": "two-secret", "SAME": "s"}}));
        let kept = before.without_values();
        assert!(!kept.canonical().contains("secret"), "{}", kept.canonical());
        let lines: Vec<String> =
            after.without_values().changes_since(&kept).iter().map(ContentChange::to_string).collect();
        assert_eq!(lines, ["env.TOKEN: changed"]);
        assert_eq!(kept.without_values(), kept);
        // A value that looks like the stored form of another one is still a plain value.
        let forged = content(json!({"env": {"TOKEN": kept.value["env"]["TOKEN"]["sha256"]}}));
        assert_ne!(forged.without_values().value["env"]["TOKEN"], kept.value["env"]["TOKEN"]);
    }

    #[test]
    fn what_was_kept_is_read_back() {
        let content = content(json!({"name": "x", "argv": ["ä\n"]}));
        assert_eq!(PresetContent::from_canonical(&content.canonical()), Some(content));
        assert_eq!(PresetContent::from_canonical("{"), None);
    }
}
