//! The places of a word in a file: in JSON, the keys that lead there; otherwise, a few words around it.

use std::collections::BTreeSet;

use serde_json::Value;

/// Each place once. Keys count as places, and so does the file's name.
pub(super) fn of(word: &str, path: &str, bytes: &[u8]) -> BTreeSet<String> {
    let mut places = BTreeSet::new();
    if path.to_ascii_lowercase().contains(word) {
        places.insert("its name".to_owned());
    }
    let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    if !text.contains(word) {
        return places;
    }
    if bytes.starts_with(b"SQLite format 3") || path.ends_with("-wal") {
        places.insert("a row".to_owned());
        return places;
    }
    match serde_json::from_str(&text) {
        Ok(value) => in_json(word, &value, "", &mut places),
        Err(_) => text.lines().filter(|line| line.contains(word)).for_each(|line| match serde_json::from_str(line) {
            Ok(value) => in_json(word, &value, "", &mut places),
            Err(_) => {
                places.insert(around(word, line));
            }
        }),
    }
    places
}

fn in_json(word: &str, value: &Value, keys: &str, places: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if text.contains(word) => {
            places.insert(keys.to_owned());
        }
        Value::Array(values) => values.iter().for_each(|value| in_json(word, value, &format!("{keys}[]"), places)),
        Value::Object(pairs) => {
            for (key, value) in pairs {
                if key.contains(word) {
                    places.insert(format!("{keys}.*"));
                }
                let key = key.replace(word, "*");
                in_json(word, value, &format!("{keys}.{key}"), places);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn around(word: &str, line: &str) -> String {
    let at = line.find(word).unwrap_or_default();
    let before: Vec<char> = line[..at].chars().rev().take(60).collect();
    let after = line[at..].chars().take(60);
    before.into_iter().rev().chain(after).filter(|character| !character.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        of("patterm", path, text.as_bytes()).into_iter().collect()
    }

    #[test]
    fn a_word_is_found_in_names_keys_values_and_plain_text() {
        assert_eq!(found("logs-patterm/1", "nothing"), ["its name"]);
        let lines = "{\"a\": [{\"b\": \"in Patterm\"}]}\n{\"c\": {\"patterm\": 1}}\n{\"d\": 1}";
        assert_eq!(found("x.jsonl", lines), [".a[].b", ".c.*"]);
        assert_eq!(found("x.txt", "one\nby patterm here\n"), ["by patterm here"]);
        assert_eq!(found("x.db", "SQLite format 3\0 patterm"), ["a row"]);
        assert!(found("x", "pattern").is_empty());
    }
}
