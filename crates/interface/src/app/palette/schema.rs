//! From an operation's schema to what a person is asked.

use serde_json::Value;

/// How one argument is asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ArgumentInput {
    Session,
    Choice(Vec<Value>),
    Line(LineKind),
    /// Several lines.
    Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    Text,
    Whole,
    Number,
    /// Words, quoted as in a shell.
    Words,
}

impl LineKind {
    /// The value that was typed, or what is wrong with it.
    pub(super) fn read(self, text: &str) -> Result<Value, String> {
        match self {
            LineKind::Text if text.trim().is_empty() => Err("it may not be empty".to_owned()),
            LineKind::Text => Ok(text.into()),
            LineKind::Whole => {
                text.trim().parse::<i64>().map(Value::from).map_err(|_| "a whole number, please".to_owned())
            }
            LineKind::Number => text.trim().parse::<f64>().map(Value::from).map_err(|_| "a number, please".to_owned()),
            LineKind::Words => words(text).map(Value::from),
        }
    }
}

/// Splits at blanks; quotes and backslashes keep them.
fn words(text: &str) -> Result<Vec<String>, String> {
    let mut out = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match (c, quote) {
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, Some(open)) if c == open => quote = None,
            ('\\', None | Some('"')) => {
                let escaped = characters.next().ok_or("there is nothing behind the last backslash")?;
                word.get_or_insert_default().push(escaped);
            }
            (c, None) if c.is_whitespace() => out.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed".to_owned());
    }
    out.extend(word);
    if out.is_empty() { Err("it may not be empty".to_owned()) } else { Ok(out) }
}

/// One argument.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ArgumentField {
    pub(super) name: String,
    /// The first sentence of its description.
    pub(super) about: String,
    pub(super) required: bool,
    pub(super) asked: ArgumentInput,
}

impl ArgumentField {
    pub(super) fn label(&self) -> String {
        match self.name.as_str() {
            "process_id" | "target_process_id" => "session".to_owned(),
            name => name.replace('_', " "),
        }
    }
}

/// Whether it can't be run without naming a session.
pub(super) fn needs_session(schema: &Value) -> bool {
    fields(schema).iter().any(|field| field.required && field.asked == ArgumentInput::Session)
}

/// `rename_process` as people read it.
pub(super) fn title(operation: &str) -> String {
    let words = operation.replace('_', " ").replace("process", "session");
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase().collect::<String>()).unwrap_or_default();
    format!("{first}{}…", letters.as_str())
}

pub(super) fn first_sentence(text: &str) -> String {
    let line = text.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    // A full stop behind a blank is a character that is meant.
    let end = line.match_indices(". ").map(|(at, _)| at).find(|at| !line[..*at].ends_with(' '));
    match end {
        Some(end) => line[..=end].to_owned(),
        None => line,
    }
}

/// The arguments of an operation: those it needs first.
pub(super) fn fields(schema: &Value) -> Vec<ArgumentField> {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut fields: Vec<ArgumentField> = schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(name, property)| {
            let required = required.contains(&name.as_str());
            let asked = asked(name, property)?;
            let about = first_sentence(property["description"].as_str().unwrap_or_default());
            Some(ArgumentField { name: name.clone(), about, required, asked })
        })
        .collect();
    // Sessions are asked for before what is to be done with them.
    fields.sort_by_key(|field| (!field.required, field.asked != ArgumentInput::Session));
    fields
}

/// `None` for what nobody would type: maps, lists of objects.
fn asked(name: &str, schema: &Value) -> Option<ArgumentInput> {
    if matches!(name, "process_id" | "target_process_id") {
        return Some(ArgumentInput::Session);
    }
    let choices = choices(schema);
    if !choices.is_empty() {
        return Some(ArgumentInput::Choice(choices));
    }
    let types = types(schema);
    let is = |wanted: &str| types.contains(&wanted);
    Some(match () {
        () if is("boolean") => ArgumentInput::Choice(vec![true.into(), false.into()]),
        () if is("string") && ["message", "content", "agent_instructions", "text", "body"].contains(&name) => {
            ArgumentInput::Text
        }
        () if is("string") => ArgumentInput::Line(LineKind::Text),
        () if is("integer") => ArgumentInput::Line(LineKind::Whole),
        () if is("number") => ArgumentInput::Line(LineKind::Number),
        () if is("array") => match alternatives(schema).any(|one| one["items"]["type"] == "string") {
            true => ArgumentInput::Line(LineKind::Words),
            false => return None,
        },
        () => return None,
    })
}

/// The schema itself, and those it may be.
fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    let others = ["anyOf", "oneOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten();
    std::iter::once(schema).chain(others)
}

fn types(schema: &Value) -> Vec<&str> {
    alternatives(schema)
        .flat_map(|schema| match &schema["type"] {
            Value::String(one) => vec![one.as_str()],
            Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        })
        .collect()
}

fn choices(schema: &Value) -> Vec<Value> {
    let mut out = Vec::new();
    for schema in alternatives(schema) {
        out.extend(schema["enum"].as_array().into_iter().flatten().filter(|value| !value.is_null()).cloned());
        out.extend(schema.get("const").cloned());
    }
    out
}

#[cfg(test)]
mod tests {
    use ops::{Faces, Role};
    use serde_json::json;

    use super::*;

    #[test]
    fn every_operation_of_the_palette_can_be_asked_for() {
        let entries = project::operations::entries();
        let offered: Vec<_> = entries.iter().filter(|entry| entry.traits.faces.contains(Faces::PALETTE)).collect();
        assert!(offered.len() > 10, "{}", offered.len());
        for entry in offered {
            assert!(entry.traits.roles.allow(Role::Operator), "{}", entry.name());
            let schema = entry.args_schema().as_value();
            let fields = fields(schema);
            for required in schema["required"].as_array().into_iter().flatten() {
                assert!(fields.iter().any(|field| field.name == *required), "{} needs {required}", entry.name());
            }
        }
    }

    #[test]
    fn what_is_needed_comes_first() {
        let entries = project::operations::entries();
        let of = |name: &str| {
            let entry = entries.iter().find(|entry| entry.name() == name).unwrap();
            fields(entry.args_schema().as_value())
        };
        let hint = first_sentence("A free name of 1 to 64 of A-Z a-z 0-9 . _ - ; left out, one is made. Then more.");
        assert_eq!(hint, "A free name of 1 to 64 of A-Z a-z 0-9 . _ - ; left out, one is made.");
        assert_eq!(first_sentence("Start it. `terminal` is a shell."), "Start it.");
        let rename = of("rename_process");
        let asked: Vec<_> = rename.iter().map(|field| (field.name.as_str(), &field.asked)).collect();
        assert_eq!(asked, [("process_id", &ArgumentInput::Session), ("name", &ArgumentInput::Line(LineKind::Text))]);
        let spawn = of("spawn_process");
        let argv = spawn.iter().find(|field| field.name == "argv").unwrap();
        assert_eq!((argv.required, &argv.asked), (false, &ArgumentInput::Line(LineKind::Words)));
        assert!(
            spawn
                .iter()
                .any(|field| matches!(&field.asked, ArgumentInput::Choice(all) if all.contains(&json!("terminal"))))
        );
    }

    #[test]
    fn what_is_typed_is_read_or_complained_of() {
        assert_eq!(
            LineKind::Words.read(r#"make "two words" a\ b 'c d'"#),
            Ok(json!(["make", "two words", "a b", "c d"]))
        );
        assert!(LineKind::Words.read("'open").is_err() && LineKind::Words.read("  ").is_err());
        assert_eq!(LineKind::Whole.read(" 12 "), Ok(json!(12)));
        assert!(LineKind::Whole.read("x").is_err() && LineKind::Text.read(" ").is_err());
        assert_eq!(title("rename_process"), "Rename session…");
    }
}
