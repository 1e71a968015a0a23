//! From the text of config.json to settings, or to what is wrong with it and where.

use agents::preset::plain_json;
use jsonc_parser::{
    ast::{self, ObjectProp},
    errors::ParseError,
    parse_to_ast,
};
use serde_json::Value;

use super::Settings;

/// Bytes of a config.json.
pub const MAX_SETTINGS_BYTES: usize = 1 << 20;

/// Settings that can be used, and what of the text has no effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    pub settings: Settings,
    pub warnings: Vec<SettingsWarning>,
}

/// A key that nothing reads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: '{key}' is no setting and has no effect: {advice}")]
pub struct SettingsWarning {
    /// From 1.
    pub line: usize,
    /// With the keys it lies in, as in `rail.width`.
    pub key: String,
    pub advice: String,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    #[error("the file has {length} bytes, at most {MAX_SETTINGS_BYTES} are allowed: make it smaller")]
    TooLong { length: usize },
    #[error("line {line}, column {column}: {message}: correct it")]
    Wrong { line: usize, column: usize, message: String },
    #[error("line {line}: {key} is {given}: {allowed}")]
    OutOfRange { line: usize, key: String, given: String, allowed: String },
    #[error("line {line}: \"{key}\" must be {allowed}, not \"{given}\"")]
    NoSuchWord { line: usize, key: String, given: String, allowed: String },
}

impl Settings {
    /// Reads a config.json. An empty one sets nothing.
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
        let schema = Settings::json_schema();
        let mut check = Check { text: &text, warnings: Vec::new() };
        check.value(&root, schema.as_value(), "")?;
        let settings: Settings = serde_json::from_str(&text).map_err(|error| {
            let message = error.to_string();
            // The place is told apart.
            let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message).to_owned();
            SettingsError::Wrong { line: error.line(), column: error.column(), message }
        })?;
        Ok(Checked { settings, warnings: check.warnings })
    }
}

fn located(error: ParseError) -> SettingsError {
    SettingsError::Wrong {
        line: error.line_display(),
        column: error.column_display(),
        message: error.kind().to_string(),
    }
}

/// A walk over the text beside the schema, for what types don't say: unknown keys and ranges.
struct Check<'a> {
    text: &'a str,
    warnings: Vec<SettingsWarning>,
}

impl Check<'_> {
    fn value(&mut self, value: &ast::Value<'_>, schema: &Value, path: &str) -> Result<(), SettingsError> {
        match value {
            ast::Value::Object(object) => {
                let Some(known) = schema.get("properties").and_then(Value::as_object) else { return Ok(()) };
                for property in &object.properties {
                    let key = property.name.as_str();
                    let path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
                    match known.get(key) {
                        Some(schema) => self.value(&property.value, schema, &path)?,
                        None => self.unknown(property, path, known.keys().map(String::as_str)),
                    }
                }
            }
            ast::Value::Array(array) => {
                let Some(items) = schema.get("items") else { return Ok(()) };
                for (index, element) in array.elements.iter().enumerate() {
                    self.value(element, items, &format!("{path}[{index}]"))?;
                }
            }
            ast::Value::NumberLit(number) => self.range(number, schema, path)?,
            ast::Value::StringLit(word) => self.word(word, schema, path)?,
            _ => {}
        }
        Ok(())
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
        self.warnings.push(SettingsWarning { line: self.line(property.range.start), key, advice });
    }

    fn range(&self, number: &ast::NumberLit<'_>, schema: &Value, path: &str) -> Result<(), SettingsError> {
        let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
        let (Some(least), Some(most)) = (bound("minimum"), bound("maximum")) else { return Ok(()) };
        let Ok(given) = number.value.parse::<f64>() else { return Ok(()) };
        if (least..=most).contains(&given) {
            return Ok(());
        }
        Err(SettingsError::OutOfRange {
            line: self.line(number.range.start),
            key: path.to_owned(),
            given: number.value.chars().take(32).collect(),
            allowed: format!("use {least} to {most}"),
        })
    }

    /// One of a few words, where the schema names them.
    fn word(&self, word: &ast::StringLit<'_>, schema: &Value, path: &str) -> Result<(), SettingsError> {
        let list = |name: &str| schema.get(name).and_then(Value::as_array).into_iter().flatten();
        let allowed = list("enum").chain(list("oneOf").filter_map(|one| one.get("const")));
        let allowed: Vec<&str> = allowed.filter_map(Value::as_str).collect();
        let Some((last, others)) = allowed.split_last().filter(|_| !allowed.contains(&word.value.as_ref())) else {
            return Ok(());
        };
        Err(SettingsError::NoSuchWord {
            line: self.line(word.range.start),
            key: path.to_owned(),
            given: word.value.chars().take(32).collect(),
            allowed: if others.is_empty() { (*last).to_owned() } else { format!("{} or {last}", others.join(", ")) },
        })
    }

    /// Of a byte, from 1.
    fn line(&self, at: usize) -> usize {
        1 + self.text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count()
    }
}

/// Letters to change, add or take away to get from one word to the other. Words here are short.
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
            "rail": { "width": 40, /* wide */ },
            "keymap": [{ "keys": "f5", "command": "session.next" }],
        }"#;
        let checked = Settings::read(text).unwrap();
        assert_eq!(checked.warnings, []);
        let settings = checked.settings;
        assert_eq!((settings.theme, settings.rail.width, settings.rail.visible), (super::super::Theme::Dark, 40, true));
        assert_eq!(settings.keymap[0].command, "session.next");
    }

    #[test]
    fn unknown_keys_are_named_with_line_and_advice() {
        let text = "{\n  \"thme\": \"dark\",\n  \"rail\": {\n    \"colour\": 1 } }";
        assert_eq!(
            warnings(text),
            [
                "line 2: 'thme' is no setting and has no effect: write 'theme', or remove it",
                "line 4: 'rail.colour' is no setting and has no effect: remove it, or use one of side, visible, width",
            ]
        );
        assert_eq!(warnings(r#"{"keymap": [{"keys": "a", "command": "b", "when": 1}]}"#).len(), 1);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let error = |text| Settings::read(text).unwrap_err();
        let wrong_type = error("{\n \"max_depth\": \"two\" }");
        assert!(matches!(&wrong_type, SettingsError::Wrong { line: 2, .. }), "{wrong_type}");
        assert!(matches!(error("{\n\n oops"), SettingsError::Wrong { line: 3, .. }));
        let word = error("{\"theme\": \"pink\"}").to_string();
        assert_eq!(word, "line 1: \"theme\" must be auto, dark or light, not \"pink\"");
        assert!(matches!(error("[]"), SettingsError::Wrong { .. }));
        let range = error("{\n \"rail\": { \"width\": 500 } }");
        assert_eq!(range.to_string(), "line 2: rail.width is 500: use 12 to 120");
        assert!(matches!(error("{\"grace_seconds\": -1}"), SettingsError::OutOfRange { .. }));
        assert!(matches!(error(&" ".repeat(MAX_SETTINGS_BYTES + 1)), SettingsError::TooLong { .. }));
    }

    #[test]
    fn near_words_are_near() {
        assert_eq!((distance("theme", "theme"), distance("thme", "theme"), distance("", "abc")), (0, 1, 3));
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
