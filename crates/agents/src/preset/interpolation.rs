//! Placeholders in the strings of a preset, such as `${connect}` or `${command:toml}`.

use std::fmt::Write as _;

use thiserror::Error;

/// A string, split at its placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    parts: Vec<TemplatePart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePart {
    Text(String),
    Value(Placeholder, Quoting),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholder {
    /// Our own program, which the CLI runs as `mcp-stdio` and `hook`.
    Command,
    /// The file that holds socket and token.
    Connect,
    /// The file that this injection renders.
    File,
    /// The launch's own folder.
    Folder,
    Project,
    Home,
    /// Where the person's programs keep their caches.
    Cache,
    /// The id of the conversation that the CLI is to go on with.
    Conversation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quoting {
    Plain,
    Json,
    Toml,
    Shell,
    Url,
}

/// The values of the placeholders in one launch.
#[derive(Clone, Copy, Debug)]
pub struct TemplateValues<'a> {
    pub command: &'a str,
    pub connect: &'a str,
    /// `None` if no file is rendered.
    pub file: Option<&'a str>,
    pub folder: &'a str,
    pub project: &'a str,
    pub home: &'a str,
    pub cache: &'a str,
    /// `None` for a new conversation.
    pub conversation: Option<&'a str>,
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TemplateError {
    #[error("`${{` has no `}}`: close the placeholder, or write `$${{` for a plain `${{`")]
    Open,
    #[error(
        "there is no placeholder `{given}`: use command, connect, file, folder, project, home, cache or conversation, or write `$${{` for a plain `${{`"
    )]
    Unknown { given: String },
    #[error("`{given}` can't be quoted so: use :json, :toml, :sh or :url")]
    UnknownQuoting { given: String },
    #[error("`${{file}}` has no value here: no file is rendered")]
    NoFile,
    #[error("`${{conversation}}` has no value here: the agent begins a new one")]
    NoConversation,
}

impl Template {
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            if let Some(before) = rest[..at].strip_suffix('$') {
                plain.push_str(before);
                plain.push_str("${");
                rest = &rest[at + 2..];
                continue;
            }
            plain.push_str(&rest[..at]);
            let (inside, after) = rest[at + 2..].split_once('}').ok_or(TemplateError::Open)?;
            if !plain.is_empty() {
                parts.push(TemplatePart::Text(std::mem::take(&mut plain)));
            }
            let (placeholder, quoting) = read_placeholder(inside)?;
            parts.push(TemplatePart::Value(placeholder, quoting));
            rest = after;
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(TemplatePart::Text(plain));
        }
        Ok(Template { parts })
    }

    pub fn uses(&self, placeholder: Placeholder) -> bool {
        self.parts.iter().any(|part| matches!(part, TemplatePart::Value(used, _) if *used == placeholder))
    }

    pub fn render(&self, values: &TemplateValues<'_>) -> Result<String, TemplateError> {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                TemplatePart::Text(text) => out.push_str(text),
                TemplatePart::Value(placeholder, quoting) => quote(values.get(*placeholder)?, *quoting, &mut out),
            }
        }
        Ok(out)
    }
}

impl TemplateValues<'_> {
    fn get(&self, placeholder: Placeholder) -> Result<&str, TemplateError> {
        Ok(match placeholder {
            Placeholder::Command => self.command,
            Placeholder::Connect => self.connect,
            Placeholder::File => self.file.ok_or(TemplateError::NoFile)?,
            Placeholder::Folder => self.folder,
            Placeholder::Project => self.project,
            Placeholder::Home => self.home,
            Placeholder::Cache => self.cache,
            Placeholder::Conversation => self.conversation.ok_or(TemplateError::NoConversation)?,
        })
    }
}

fn read_placeholder(inside: &str) -> Result<(Placeholder, Quoting), TemplateError> {
    let (name, quoting) = match inside.split_once(':') {
        Some((name, quoting)) => (name, Some(quoting)),
        None => (inside, None),
    };
    let placeholder = match name {
        "command" => Placeholder::Command,
        "connect" => Placeholder::Connect,
        "file" => Placeholder::File,
        "folder" => Placeholder::Folder,
        "project" => Placeholder::Project,
        "home" => Placeholder::Home,
        "cache" => Placeholder::Cache,
        "conversation" => Placeholder::Conversation,
        _ => return Err(TemplateError::Unknown { given: name.chars().take(64).collect() }),
    };
    let quoting = match quoting {
        None => Quoting::Plain,
        Some("json") => Quoting::Json,
        Some("toml") => Quoting::Toml,
        Some("sh") => Quoting::Shell,
        Some("url") => Quoting::Url,
        Some(given) => return Err(TemplateError::UnknownQuoting { given: given.chars().take(64).collect() }),
    };
    Ok((placeholder, quoting))
}

fn quote(value: &str, quoting: Quoting, out: &mut String) {
    match quoting {
        Quoting::Plain => out.push_str(value),
        Quoting::Json => out.push_str(&serde_json::Value::from(value).to_string()),
        Quoting::Toml => quote_toml(value, out),
        Quoting::Shell => {
            out.push('\'');
            out.push_str(&value.replace('\'', "'\\''"));
            out.push('\'');
        }
        Quoting::Url => {
            out.push_str("file://");
            for byte in value.bytes() {
                match byte {
                    b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                        out.push(char::from(byte));
                    }
                    // Writing to a String can't fail.
                    other => _ = write!(out, "%{other:02X}"),
                }
            }
        }
    }
}

/// A TOML basic string: its escapes differ from JSON's in part.
fn quote_toml(value: &str, out: &mut String) {
    out.push('"');
    for character in value.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            control if control.is_control() => _ = write!(out, "\\u{:04X}", u32::from(control)),
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const VALUES: TemplateValues<'static> = TemplateValues {
        command: "/opt/it's \"here\"/patterm",
        connect: "/run/c.json",
        file: Some("/run/mcp.json"),
        folder: "/run",
        project: "/p",
        home: "/h",
        cache: "/h/.cache",
        conversation: None,
    };

    fn rendered(text: &str) -> Result<String, TemplateError> {
        Template::parse(text)?.render(&VALUES)
    }

    #[test]
    fn placeholders_are_replaced_and_quoted_as_asked() {
        assert_eq!(rendered("a${connect}b").unwrap(), "a/run/c.jsonb");
        assert_eq!(rendered("${command:json}").unwrap(), r#""/opt/it's \"here\"/patterm""#);
        assert_eq!(rendered("${command:toml}").unwrap(), r#""/opt/it's \"here\"/patterm""#);
        assert_eq!(rendered("${command:sh} hook").unwrap(), r#"'/opt/it'\''s "here"/patterm' hook"#);
        assert_eq!(rendered("${command:url}").unwrap(), "file:///opt/it%27s%20%22here%22/patterm");
        assert_eq!(rendered("$5 $${x} {y}").unwrap(), "$5 ${x} {y}");
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(rendered("${connect"), Err(TemplateError::Open));
        assert_eq!(rendered("${HOME}"), Err(TemplateError::Unknown { given: "HOME".into() }));
        assert_eq!(rendered("${home:xml}"), Err(TemplateError::UnknownQuoting { given: "xml".into() }));
        let no_file = TemplateValues { file: None, ..VALUES };
        assert_eq!(Template::parse("${file}").unwrap().render(&no_file), Err(TemplateError::NoFile));
        assert_eq!(rendered("${conversation}"), Err(TemplateError::NoConversation));
    }

    proptest! {
        #[test]
        fn quoted_values_are_read_back(value in "\\PC{0,40}[\\x00-\\x7f]{0,10}") {
            let mut toml = "v = ".to_owned();
            quote_toml(&value, &mut toml);
            let document: toml_edit::DocumentMut = toml.parse().unwrap();
            prop_assert_eq!(document["v"].as_str(), Some(value.as_str()));
        }

        #[test]
        fn text_without_placeholders_is_left_alone(text in "[^$]{0,60}") {
            prop_assert_eq!(rendered(&text), Ok(text));
        }
    }
}
