//! Simplifies the schemas of types for the clients and model APIs that read them.

use serde_json::{Map, Value};

pub(crate) fn plain(schema: &Value) -> Value {
    let mut schema = schema.clone();
    plain_numbers(&mut schema);
    without_null(&mut schema);
    if let Some(fields) = schema.as_object_mut() {
        // The tool's own name and description tell this.
        for spoken in ["title", "description", "$schema"] {
            fields.remove(spoken);
        }
        // Some clients refuse an object schema without it.
        if fields.get("type").and_then(Value::as_str) == Some("object") {
            fields.entry("properties").or_insert_with(|| Value::Object(Map::new()));
        }
    }
    schema
}

/// Of a reply: what clients check it against, and no more. Models are not shown it, so words would only make the list long;
/// what a field means is in `help` and in the reference.
pub(crate) fn shape(schema: &Value) -> Value {
    let mut schema = plain(schema);
    without_words(&mut schema);
    schema
}

fn without_words(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            // Of a property that is called so it is a schema.
            fields.retain(|key, value| key != "description" || !value.is_string());
            fields.values_mut().for_each(without_words);
            let Some(values) = fields.get("oneOf").and_then(named_strings) else { return };
            fields.remove("oneOf");
            fields.insert("type".to_owned(), "string".into());
            fields.insert("enum".to_owned(), values.into());
        }
        Value::Array(items) => items.iter_mut().for_each(without_words),
        _ => {}
    }
}

/// The strings that a choice between named ones comes to; `None` where it is a choice between other things.
fn named_strings(choices: &Value) -> Option<Vec<Value>> {
    let mut strings = Vec::new();
    for choice in choices.as_array()? {
        if choice["type"] != "string" {
            return None;
        }
        match (&choice["const"], &choice["enum"]) {
            (value @ Value::String(_), Value::Null) => strings.push(value.clone()),
            (Value::Null, Value::Array(values)) => strings.extend(values.iter().cloned()),
            _ => return None,
        }
    }
    Some(strings)
}

/// Removes `format: uint16` and the like: no dialect defines them, validators warn, and some model APIs refuse the
/// whole tool. The numeric bounds remain.
fn plain_numbers(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let format = fields.get("format").and_then(Value::as_str).unwrap_or_default();
            if format.starts_with("uint") || format.starts_with("int") || ["float", "double"].contains(&format) {
                fields.remove("format");
            }
            fields.values_mut().for_each(plain_numbers);
        }
        Value::Array(items) => items.iter_mut().for_each(plain_numbers),
        _ => {}
    }
}

/// Optional fields are only marked optional, not also nullable: some clients can't read lists of types, and each costs
/// tokens. Null is still accepted in arguments; in replies an absent value is left out.
fn without_null(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let required = fields.get("required").cloned().unwrap_or_default();
            let is_required =
                |name: &str| required.as_array().is_some_and(|names| names.iter().any(|other| other == name));
            if let Some(Value::Object(properties)) = fields.get_mut("properties") {
                for (name, property) in properties.iter_mut() {
                    if !is_required(name)
                        && let Some(property) = property.as_object_mut()
                    {
                        drop_null(property);
                    }
                }
            }
            fields.values_mut().for_each(without_null);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        _ => {}
    }
}

fn drop_null(schema: &mut Map<String, Value>) {
    if schema.get("default") == Some(&Value::Null) {
        schema.remove("default");
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|one| one != "null");
        if let [one] = &types[..] {
            let one = one.clone();
            schema.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
        if let [Value::Object(only)] = &choices[..] {
            let only = only.clone();
            schema.remove("anyOf");
            for (key, value) in only {
                // The property's own description wins over its type's.
                schema.entry(key).or_insert(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_may_be_left_out_need_not_be_null() {
        let schema = json!({
            "title": "Args",
            "description": "What it does.",
            "type": "object",
            "properties": {
                "name": { "type": ["string", "null"] },
                "size": { "type": ["integer", "null"], "format": "uint16", "minimum": 0, "default": null },
                "mode": { "type": ["string", "null"], "enum": ["a", "b", null] },
                "kind": { "description": "Mine.", "anyOf": [{ "description": "Its own.", "type": "string", "enum": ["x"] }, { "type": "null" }] },
                "either": { "anyOf": [{ "type": "string" }, { "type": "integer" }, { "type": "null" }] },
                "must": { "type": ["string", "null"] },
                "on": { "type": "boolean", "default": false },
                "inner": { "type": "object", "properties": { "deep": { "type": ["string", "null"] } } },
                "format": { "type": "string" },
            },
            "required": ["must"],
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "size": { "type": "integer", "minimum": 0 },
                "mode": { "type": "string", "enum": ["a", "b"] },
                "kind": { "description": "Mine.", "type": "string", "enum": ["x"] },
                "either": { "anyOf": [{ "type": "string" }, { "type": "integer" }] },
                "must": { "type": ["string", "null"] },
                "on": { "type": "boolean", "default": false },
                "inner": { "type": "object", "properties": { "deep": { "type": "string" } } },
                "format": { "type": "string" },
            },
            "required": ["must"],
        });
        assert_eq!(plain(&schema), expected);
    }

    #[test]
    fn a_reply_is_told_by_its_shape_alone() {
        let schema = json!({
            "type": "object",
            "properties": {
                "description": { "description": "Of a field called so.", "type": "string" },
                "state": { "description": "What it does.", "oneOf": [
                    { "type": "string", "enum": ["working", "exited"] },
                    { "type": "string", "const": "idle", "description": "Waits." },
                ] },
                "place": { "oneOf": [{ "type": "string", "const": "a" }, { "type": "integer" }] },
            },
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "description": { "type": "string" },
                "state": { "type": "string", "enum": ["working", "exited", "idle"] },
                "place": { "oneOf": [{ "type": "string", "const": "a" }, { "type": "integer" }] },
            },
        });
        assert_eq!(shape(&schema), expected);
    }

    #[test]
    fn nothing_to_give_is_an_object_with_no_properties() {
        let schema = json!({ "type": "object", "additionalProperties": false });
        assert_eq!(plain(&schema)["properties"], json!({}));
    }
}
