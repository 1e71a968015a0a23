//! Variables of a script: results of calls, captures of the prompt, and values from `set`.
//!
//! `${name}` and `${name.field.0}` are replaced in every string of a step. A string that consists of a single variable
//! is replaced by the value itself, so numbers, lists and objects can be passed on whole.

use serde_json::{Map, Value};

#[derive(Clone, Debug, Default)]
pub(crate) struct ScriptVariables {
    values: Map<String, Value>,
}

/// The script uses an undefined variable. Drawn on the fake's screen, where the script's author sees it.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the script uses ${{{0}}}, and there is no such variable")]
pub(crate) struct NoSuchVariable(String);

impl ScriptVariables {
    pub(crate) fn set(&mut self, name: impl Into<String>, value: Value) {
        self.values.insert(name.into(), value);
    }

    pub(crate) fn get(&self, path: &str) -> Option<&Value> {
        let mut parts = path.split('.');
        let mut value = self.values.get(parts.next()?)?;
        for part in parts {
            value = match value {
                Value::Object(fields) => fields.get(part)?,
                Value::Array(items) => items.get(part.parse::<usize>().ok()?)?,
                _ => return None,
            };
        }
        Some(value)
    }

    /// `value` with its variables replaced, at any depth.
    pub(crate) fn fill(&self, value: &Value) -> Result<Value, NoSuchVariable> {
        Ok(match value {
            Value::String(text) => self.fill_string(text)?,
            Value::Array(items) => Value::Array(items.iter().map(|item| self.fill(item)).collect::<Result<_, _>>()?),
            Value::Object(fields) => {
                let filled = fields.iter().map(|(key, value)| Ok((key.clone(), self.fill(value)?)));
                Value::Object(filled.collect::<Result<_, _>>()?)
            }
            other => other.clone(),
        })
    }

    /// Like [`Self::fill`], but an undefined variable becomes null: for conditions about it.
    pub(crate) fn fill_or_null(&self, value: &Value) -> Value {
        self.fill(value).unwrap_or_default()
    }

    pub(crate) fn fill_text(&self, text: &str) -> Result<String, NoSuchVariable> {
        Ok(shown(&self.fill_string(text)?))
    }

    fn fill_string(&self, text: &str) -> Result<Value, NoSuchVariable> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let Some((path, after)) = after.split_once('}') else { break };
            let value = self.get(path).ok_or_else(|| NoSuchVariable(path.into()))?;
            if before.is_empty() && out.is_empty() && after.is_empty() {
                return Ok(value.clone());
            }
            out.push_str(before);
            out.push_str(&shown(value));
            rest = after;
        }
        out.push_str(rest);
        Ok(Value::String(out))
    }
}

/// A value formatted for a sentence.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Whether a value counts as true.
pub(crate) fn is_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(yes) => *yes,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn variables_are_filled_in_at_any_depth() {
        let mut variables = ScriptVariables::default();
        variables.set("codex", json!({ "process_id": "p_1", "list": [1, 2] }));
        let filled = variables.fill(&json!({ "watched": ["${codex.process_id}"], "all": "${codex.list}", "n": 3 }));
        assert_eq!(filled.unwrap(), json!({ "watched": ["p_1"], "all": [1, 2], "n": 3 }));
        assert_eq!(variables.fill_text("it is ${codex.process_id}: ${codex.list.1}").unwrap(), "it is p_1: 2");
        assert_eq!(variables.fill_text("costs $5 {really} ${").unwrap(), "costs $5 {really} ${");
    }

    #[test]
    fn what_is_not_there_is_an_error_or_null() {
        let variables = ScriptVariables::default();
        assert_eq!(variables.fill_text("${a.b}"), Err(NoSuchVariable("a.b".into())));
        assert_eq!(variables.fill_or_null(&json!("${a.b}")), Value::Null);
    }

    #[test]
    fn a_value_is_not_filled_again() {
        let mut variables = ScriptVariables::default();
        variables.set("prompt", json!("${secret}"));
        variables.set("secret", json!("s"));
        assert_eq!(variables.fill_text("you said ${prompt}").unwrap(), "you said ${secret}");
    }
}
