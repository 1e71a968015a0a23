//! Parses config.json, or tells what is wrong with it and where.

use agents::preset::plain_json;
use jsonc_parser::{
    ast::{self, ObjectProp},
    common::Ranged,
    errors::ParseError,
    parse_to_ast,
};
use serde_json::Value;

use super::Settings;

/// Maximum bytes of a config.json.
pub const MAX_SETTINGS_BYTES: usize = 1 << 20;

/// Usable settings, and the parts of the text that have no effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    pub settings: Settings,
    pub warnings: Vec<SettingsWarning>,
}

/// A part of config.json without effect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsWarning {
    /// A key that nothing reads, with its path, such as `rail.width`.
    #[error("line {line}: '{key}' is not a setting and has no effect: {advice}")]
    Unknown { line: usize, key: String, advice: String },
    /// An invalid value. It counts as absent.
    #[error("line {line}: {key} {must}")]
    Wrong { line: usize, key: String, must: String },
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    #[error("the file has {length} bytes, at most {MAX_SETTINGS_BYTES} are allowed: make it smaller")]
    TooLong { length: usize },
    #[error("line {line}, column {column}: {message}: correct it")]
    Wrong { line: usize, column: usize, message: String },
    /// No default replaces a setting that restricts agents: it might be laxer than what was meant.
    #[error("line {line}: {key} {must}: correct it")]
    WrongSafety { line: usize, key: String, must: String },
}

/// Settings that restrict agents.
fn is_safety(key: &str) -> bool {
    key == "permissions" || key.starts_with("permissions.") || key == "agents" || key == "agents.free_commands"
}

impl Settings {
    /// Parses a config.json. An empty one sets nothing. A wrong value is reported and has no effect, except in settings
    /// that restrict agents: there it is an error.
    pub fn read(text: &str) -> Result<Checked, SettingsError> {
        if text.len() > MAX_SETTINGS_BYTES {
            return Err(SettingsError::TooLong { length: text.len() });
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let text = plain_json(text).map_err(located)?;
        let tree = parse_to_ast(&text, &Default::default(), &Default::default()).map_err(located)?;
        let Some(root) = tree.value else {
            return Ok(Checked { settings: Settings::default(), warnings: Vec::new() });
        };
        if !matches!(root, ast::Value::Object(_)) {
            let message = "the settings are one JSON object, in braces".to_owned();
            return Err(SettingsError::Wrong { line: 1, column: 1, message });
        }
        let wrong = |error: serde_json::Error| {
            let message = error.to_string();
            // The position is reported separately.
            let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message).to_owned();
            SettingsError::Wrong { line: error.line(), column: error.column(), message }
        };
        let mut values: Value = serde_json::from_str(&text).map_err(wrong)?;
        let mut check = Check { text: &text, warnings: Vec::new() };
        check.value(&root, &mut values, Settings::json_schema().as_value(), "")?;
        let warnings = check.warnings;
        let settings = match warnings.iter().any(|warning| matches!(warning, SettingsWarning::Wrong { .. })) {
            true => serde_json::from_value(values).map_err(wrong)?,
            // Parsed from the text, so that a mistake that only the type detects has a position.
            false => serde_json::from_str(&text).map_err(wrong)?,
        };
        Ok(Checked { settings, warnings })
    }
}

fn located(error: ParseError) -> SettingsError {
    SettingsError::Wrong {
        line: error.line_display(),
        column: error.column_display(),
        message: error.kind().to_string(),
    }
}

/// Walks the text and its values along the schema: finds unknown keys, and removes invalid values.
struct Check<'a> {
    text: &'a str,
    warnings: Vec<SettingsWarning>,
}

impl Check<'_> {
    /// Whether the value is valid.
    fn value(
        &mut self,
        node: &ast::Value<'_>,
        value: &mut Value,
        schema: &Value,
        path: &str,
    ) -> Result<bool, SettingsError> {
        if let Some(must) = fault(value, schema) {
            let line = self.line(node.start());
            let key = path.to_owned();
            if is_safety(path) {
                return Err(SettingsError::WrongSafety { line, key, must });
            }
            self.warnings.push(SettingsWarning::Wrong { line, key, must });
            return Ok(false);
        }
        match (node, value) {
            (ast::Value::Object(object), Value::Object(values)) => {
                let Some(known) = schema.get("properties").and_then(Value::as_object) else { return Ok(true) };
                for property in &object.properties {
                    let key = property.name.as_str();
                    let path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
                    match (known.get(key), values.get_mut(key)) {
                        (Some(schema), Some(value)) => {
                            if !self.value(&property.value, value, schema, &path)? {
                                values.remove(key);
                            }
                        }
                        // Reported already, and removed.
                        (Some(_), None) => {}
                        (None, _) => self.unknown(property, path, known.keys().map(String::as_str)),
                    }
                }
            }
            (ast::Value::Array(array), Value::Array(values)) => {
                let Some(items) = schema.get("items") else { return Ok(true) };
                // A list of words means something as a whole: with a wrong one among them, the default stands in for it.
                let is_whole = !super::default_text::words(items).is_empty();
                let (given, mut kept) = (values.len(), Vec::new());
                for (index, (node, mut value)) in array.elements.iter().zip(std::mem::take(values)).enumerate() {
                    if self.value(node, &mut value, items, &format!("{path}[{index}]"))? {
                        kept.push(value);
                    }
                }
                *values = kept;
                return Ok(!is_whole || values.len() == given);
            }
            _ => {}
        }
        Ok(true)
    }

    fn unknown<'k>(&mut self, property: &ObjectProp<'_>, key: String, known: impl Iterator<Item = &'k str>) {
        let known: Vec<&str> = known.filter(|key| *key != "$schema").collect();
        let given = property.name.as_str();
        let nearest = known.iter().map(|known| (distance(given, known), *known)).min();
        let advice = match nearest {
            Some((distance, nearest)) if distance <= 2 => format!("write '{nearest}', or remove it"),
            _ => format!("remove it, or use one of {}", known.join(", ")),
        };
        let key: String = key.chars().take(128).collect();
        self.warnings.push(SettingsWarning::Unknown { line: self.line(property.range.start), key, advice });
    }

    /// The line of a byte, from 1.
    fn line(&self, at: usize) -> usize {
        1 + self.text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count()
    }
}

/// What a value must be and is not.
fn fault(value: &Value, schema: &Value) -> Option<String> {
    let not = |must: String| Some(format!("must be {must}, not {}", short(value)));
    let words = super::default_text::words(schema);
    if !words.is_empty() {
        let is_one = value.as_str().is_some_and(|given| words.iter().any(|word| word == given));
        let (last, first) = words.split_last()?;
        return if is_one { None } else { not(format!("{} or {last}", first.join(", "))) };
    }
    let kinds = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(kind)) => vec![kind.as_str()],
        _ => return None,
    };
    let fits = |kind: &&str| match *kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        _ => value.is_null(),
    };
    if !kinds.iter().any(fits) {
        return not(match kinds.first() {
            Some(&"boolean") => "true or false".to_owned(),
            Some(&"integer") => "a whole number".to_owned(),
            Some(&"number") => "a number".to_owned(),
            Some(&"string") => "a text in quotes".to_owned(),
            Some(&"array") => "a list in brackets".to_owned(),
            _ => "an object in braces".to_owned(),
        });
    }
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    if let Some(missing) = required.into_iter().find(|key| value.get(key).is_none()) {
        return Some(format!("must have \"{missing}\""));
    }
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    match (bound("minimum"), bound("maximum"), value.as_f64()) {
        (Some(least), Some(most), Some(given)) if !(least..=most).contains(&given) => not(format!("{least} to {most}")),
        _ => None,
    }
}

fn short(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        plain => plain.to_string().chars().take(64).collect(),
    }
}

/// The edit distance of two words. Words here are short.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for column in 0..other.len() {
            let cost = diagonal + usize::from(letter != other[column]);
            diagonal = row[column + 1];
            row[column + 1] = cost.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warnings(text: &str) -> Vec<String> {
        Settings::read(text).unwrap().warnings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn nothing_set_is_the_default() {
        for text in ["", "  \n", "// nothing\n", "{}", "\u{feff}{}"] {
            assert_eq!(Settings::read(text).unwrap().settings, Settings::default(), "{text:?}");
        }
    }

    #[test]
    fn keys_may_have_comments_and_be_left_out() {
        let text = r#"{
            // Mine.
            "theme": "dark",
            "signs": "ascii",
            "rail": { "width": 40, /* wide */ },
            "keymap": [{ "keys": "f5", "command": "session.next" }],
        }"#;
        let checked = Settings::read(text).unwrap();
        assert_eq!(checked.warnings, []);
        let settings = checked.settings;
        assert_eq!((settings.theme.as_str(), settings.signs), ("dark", super::super::Signs::Ascii));
        assert_eq!((settings.rail.width, settings.rail.visible), (40, true));
        assert_eq!(settings.keymap[0].command, "session.next");
    }

    #[test]
    fn unknown_keys_are_named_with_line_and_advice() {
        let text = "{\n  \"thme\": \"dark\",\n  \"rail\": {\n    \"colour\": 1 } }";
        assert_eq!(
            warnings(text),
            [
                "line 2: 'thme' is not a setting and has no effect: write 'theme', or remove it",
                "line 4: 'rail.colour' is not a setting and has no effect: remove it, or use one of side, visible, width",
            ]
        );
        assert_eq!(warnings(r#"{"keymap": [{"keys": "a", "command": "b", "when": 1}]}"#).len(), 1);
    }

    #[test]
    fn a_wrong_value_is_told_and_the_default_stands_in_for_it() {
        for (text, told) in [
            ("{\n \"signs\": \"runes\" }", "line 2: signs must be unicode or ascii, not \"runes\""),
            ("{ \"theme\": 7 }", "line 1: theme must be a text in quotes, not 7"),
            ("{ \"max_depth\": \"two\" }", "line 1: max_depth must be a whole number, not \"two\""),
            ("{\n \"rail\": { \"width\": 500 } }", "line 2: rail.width must be 12 to 120, not 500"),
            ("{ \"grace_seconds\": -1 }", "line 1: grace_seconds must be 0 to 300, not -1"),
            ("{ \"rail\": 7 }", "line 1: rail must be an object in braces, not 7"),
            ("{ \"keymap\": [7] }", "line 1: keymap[0] must be an object in braces, not 7"),
            ("{ \"keymap\": [{ \"keys\": \"a\" }] }", "line 1: keymap[0] must have \"command\""),
            ("{ \"attention\": { \"bell\": 1 } }", "line 1: attention.bell must be true or false, not 1"),
            (
                "{ \"status_line\": { \"left\": \"clock\" } }",
                "line 1: status_line.left must be a list in brackets, not \"clock\"",
            ),
        ] {
            let checked = Settings::read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(checked.settings, Settings::default(), "{text}");
            assert_eq!(checked.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(), [told]);
        }
        let others =
            Settings::read(r#"{ "signs": "runes", "max_depth": 3, "rail": { "width": 1, "visible": false } }"#);
        let settings = others.unwrap().settings;
        assert_eq!((settings.max_depth, settings.rail.visible, settings.rail.width), (3, false, 30));
    }

    #[test]
    fn a_list_with_an_unknown_part_is_the_default_and_the_other_list_counts() {
        use super::super::{StatusLine, StatusPart};
        let text = "{ \"status_line\": {\n \"left\": [\"clock\"],\n \"right\": [\"keys\", \"weather\"] } }";
        let told = warnings(text);
        assert!(told.len() == 1 && told[0].starts_with("line 3: status_line.right[1] must be control, "), "{told:?}");
        assert!(told[0].ends_with(" or keys, not \"weather\""), "{told:?}");
        let settings = Settings::read(text).unwrap().settings.status_line;
        assert_eq!(settings, StatusLine { left: vec![StatusPart::Clock], ..StatusLine::default() });
        let empty = Settings::read(r#"{ "status_line": { "left": [], "right": [] } }"#).unwrap();
        assert!(empty.warnings.is_empty() && empty.settings.status_line.left.is_empty());
    }

    #[test]
    fn what_keeps_agents_in_check_has_no_stand_in() {
        for text in [
            r#"{ "permissions": { "never": "x" } }"#,
            r#"{ "permissions": { "never": ["("] } }"#,
            r#"{ "signs": "runes", "permissions": { "never": ["("] } }"#,
            r#"{ "permissions": [] }"#,
            r#"{ "agents": { "free_commands": "dney" } }"#,
            r#"{ "agents": "deny" }"#,
        ] {
            assert!(Settings::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_can_not_be_read_is_told_with_its_place() {
        let error = |text| Settings::read(text).unwrap_err();
        assert!(matches!(error("{\n\n oops"), SettingsError::Wrong { line: 3, .. }));
        assert!(matches!(error("[]"), SettingsError::Wrong { .. }));
        assert!(matches!(error(&" ".repeat(MAX_SETTINGS_BYTES + 1)), SettingsError::TooLong { .. }));
    }

    #[test]
    fn near_words_are_near() {
        assert_eq!((distance("theme", "theme"), distance("thme", "theme"), distance("", "abc")), (0, 1, 3));
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
