//! Merges our configuration into another one, as values. Knows no files and no vendors.

use serde_json::{Map, Value};
use toml_edit::{Array, DocumentMut, Formatted, InlineTable, Item, Table, Value as TomlValue};

/// Adds `ours` to `theirs`: objects by key, lists concatenated; for other values, ours wins.
pub(super) fn merge(theirs: &mut Value, ours: Value) {
    match (theirs, ours) {
        (Value::Object(theirs), Value::Object(ours)) => {
            for (key, value) in ours {
                merge(theirs.entry(key).or_insert(Value::Null), value);
            }
        }
        (Value::Array(theirs), Value::Array(ours)) => theirs.extend(ours),
        (theirs, ours) => *theirs = ours,
    }
}

/// `content` placed at a dotted path such as `tools.mcp`.
pub(super) fn at_place(place: Option<&str>, content: Value) -> Value {
    let parts = place.unwrap_or_default().split('.').filter(|part| !part.is_empty());
    parts.rev().fold(content, |inner, part| Value::Object(Map::from_iter([(part.to_owned(), inner)])))
}

/// Like [`merge`], for a TOML document whose comments and layout are kept.
pub(super) fn merge_toml(theirs: &mut DocumentMut, ours: &Value) {
    if let Value::Object(ours) = ours {
        merge_table(theirs.as_table_mut(), ours);
    }
}

fn merge_table(theirs: &mut Table, ours: &Map<String, Value>) {
    for (key, value) in ours {
        match (theirs.get_mut(key), value) {
            (Some(Item::Table(inner)), Value::Object(value)) => merge_table(inner, value),
            (Some(Item::Value(TomlValue::InlineTable(inner))), Value::Object(value)) => {
                let mut table = std::mem::take(inner).into_table();
                merge_table(&mut table, value);
                theirs.insert(key, Item::Table(table));
            }
            (Some(Item::Value(TomlValue::Array(list))), Value::Array(value)) => {
                list.extend(value.iter().filter_map(to_toml_value));
            }
            (_, Value::Object(value)) => {
                let mut table = Table::new();
                // Only tables with values of their own get a header.
                table.set_implicit(value.values().all(Value::is_object) && !value.is_empty());
                merge_table(&mut table, value);
                theirs.insert(key, Item::Table(table));
            }
            (_, value) => {
                if let Some(value) = to_toml_value(value) {
                    theirs.insert(key, Item::Value(value));
                }
            }
        }
    }
}

/// TOML has no null, so nulls are left out.
fn to_toml_value(value: &Value) -> Option<TomlValue> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(value) => TomlValue::Boolean(Formatted::new(*value)),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => TomlValue::Integer(Formatted::new(integer)),
            None => TomlValue::Float(Formatted::new(number.as_f64()?)),
        },
        Value::String(text) => TomlValue::String(Formatted::new(text.clone())),
        Value::Array(items) => TomlValue::Array(items.iter().filter_map(to_toml_value).collect::<Array>()),
        Value::Object(map) => {
            let pairs = map.iter().filter_map(|(key, value)| Some((key.as_str(), to_toml_value(value)?)));
            TomlValue::InlineTable(pairs.collect::<InlineTable>())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn objects_are_merged_and_lists_joined() {
        let mut theirs = json!({"mcp": {"own": {"command": ["x"]}}, "plugin": ["a"], "theme": "dark"});
        merge(&mut theirs, json!({"mcp": {"patterm": {"command": ["p"]}}, "plugin": ["b"], "theme": "light"}));
        assert_eq!(
            theirs,
            json!({
                "mcp": {"own": {"command": ["x"]}, "patterm": {"command": ["p"]}},
                "plugin": ["a", "b"], "theme": "light",
            })
        );
    }

    #[test]
    fn a_place_is_made_of_objects() {
        assert_eq!(at_place(Some("tools.mcp"), json!(1)), json!({"tools": {"mcp": 1}}));
        assert_eq!(at_place(None, json!({"a": 1})), json!({"a": 1}));
    }

    #[test]
    fn a_toml_document_keeps_what_it_says() {
        let theirs = "# mine\nmodel = \"x\" # best\n[mcp_servers.own]\ncommand = \"y\"\n";
        let mut document: DocumentMut = theirs.parse().unwrap();
        let ours = json!({"mcp_servers": {"patterm": {"command": "/p", "args": ["a", "b"], "timeout": 5, "env": {}}}});
        merge_toml(&mut document, &ours);
        let merged = document.to_string();
        assert!(merged.starts_with(theirs), "{merged}");
        let read: DocumentMut = merged.parse().unwrap();
        assert_eq!(read["mcp_servers"]["patterm"]["command"].as_str(), Some("/p"));
        assert_eq!(read["mcp_servers"]["patterm"]["args"].as_array().map(Array::len), Some(2));
        assert_eq!(read["mcp_servers"]["own"]["command"].as_str(), Some("y"));
    }

    #[test]
    fn inline_tables_and_dotted_keys_are_merged_too() {
        for theirs in ["mcp_servers = { own = { command = \"y\" } }\n", "mcp_servers.own.command = \"y\"\n"] {
            let mut document: DocumentMut = theirs.parse().unwrap();
            merge_toml(&mut document, &json!({"mcp_servers": {"patterm": {"command": "/p"}}}));
            let read: DocumentMut = document.to_string().parse().unwrap();
            assert_eq!(read["mcp_servers"]["patterm"]["command"].as_str(), Some("/p"), "{document}");
            assert_eq!(read["mcp_servers"]["own"]["command"].as_str(), Some("y"), "{document}");
        }
    }
}
