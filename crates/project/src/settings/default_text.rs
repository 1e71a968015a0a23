//! A config.json with every key at its default and its documentation, as printed by `patterm config default`.

use serde_json::Value;

use super::Settings;

/// Generated from the types and their comments, so that it can't differ from them.
pub fn default_text() -> String {
    let defaults = serde_json::to_value(Settings::default()).expect("settings are plain JSON");
    let mut text = String::from("// patterm's settings. Every key may be left out; these are the defaults.\n");
    object(&mut text, &defaults, Settings::json_schema().as_value(), 0);
    text.push('\n');
    text
}

fn object(text: &mut String, value: &Value, schema: &Value, depth: usize) {
    let (Some(fields), Some(schemas)) = (value.as_object(), schema.get("properties").and_then(Value::as_object)) else {
        text.push_str(&value.to_string());
        return;
    };
    let indent = "  ".repeat(depth + 1);
    text.push_str("{\n");
    // A defined order: that of a map depends on the build of the whole workspace.
    let mut names: Vec<&String> = fields.keys().collect();
    names.sort();
    for (index, name) in names.iter().enumerate() {
        let schema = schemas.get(*name).unwrap_or(&Value::Null);
        for line in comment(schema) {
            text.push_str(&format!("{indent}// {line}\n"));
        }
        text.push_str(&format!("{indent}\"{name}\": "));
        object(text, &fields[*name], schema, depth + 1);
        text.push_str(if index + 1 < names.len() { ",\n" } else { "\n" });
    }
    text.push_str(&"  ".repeat(depth));
    text.push('}');
}

/// The key's purpose, and its allowed words.
fn comment(schema: &Value) -> Vec<String> {
    let described = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let mut lines: Vec<String> = described.lines().map(str::to_owned).collect();
    let words = words(schema);
    if !words.is_empty() {
        lines.push(format!("One of {}.", words.join(", ")));
    }
    lines
}

/// The allowed words of a value; `None` if it is not a word.
pub(super) fn words(schema: &Value) -> Vec<String> {
    let all = ["enum", "oneOf", "anyOf"].into_iter().filter_map(|name| schema.get(name)?.as_array()).flatten();
    all.flat_map(|one| match one {
        Value::String(word) => vec![word.clone()],
        one => match one.get("const").and_then(Value::as_str) {
            Some(word) => vec![word.to_owned()],
            None => words(one),
        },
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_text_sets_the_defaults_and_explains_them() {
        let text = default_text();
        let checked = Settings::read(&text).unwrap();
        assert_eq!((checked.settings, checked.warnings), (Settings::default(), Vec::new()), "{text}");
        let Value::Object(fields) = serde_json::to_value(Settings::default()).unwrap() else { panic!("an object") };
        for key in fields.keys() {
            let at = text.find(&format!("\n  \"{key}\": ")).unwrap_or_else(|| panic!("{key} is missing:\n{text}"));
            let before = text[..at].lines().next_back().unwrap();
            assert!(before.trim_start().starts_with("//"), "nothing explains {key}:\n{text}");
        }
        assert!(text.contains("One of unicode, ascii."), "{text}");
    }
}
