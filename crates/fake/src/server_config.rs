//! Reads the MCP servers that a fake was configured with, in the form that each CLI uses.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

/// A local server: a program to start.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct McpServerConfig {
    pub(crate) name: String,
    pub(crate) command: Vec<OsString>,
    /// In addition to the variables that the CLI passes on.
    pub(crate) environment: Vec<(String, String)>,
    /// Its tools are called without asking.
    pub(crate) approved: bool,
}

impl fmt::Debug for McpServerConfig {
    /// Omits the values of the environment.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerConfig")
            .field("name", &self.name)
            .field("command", &self.command)
            .field("approved", &self.approved)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("the configuration {path} can't be read: {source}", path = path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{place} is not JSON: {source}")]
    NoJson { place: String, source: serde_json::Error },
}

/// claude's `--mcp-config`: a file, or inline JSON.
pub(crate) fn claude(value: &str) -> Result<Vec<McpServerConfig>, ConfigError> {
    let config = json_or_file(value)?;
    Ok(servers(&config["mcpServers"]))
}

/// opencode's configuration, from a variable or a file.
pub(crate) fn opencode(place: &str, text: &str) -> Result<Vec<McpServerConfig>, ConfigError> {
    let config: Value =
        serde_json::from_str(text).map_err(|source| ConfigError::NoJson { place: place.into(), source })?;
    let entries = config["mcp"].as_object().into_iter().flatten();
    let enabled = entries.filter(|(_, entry)| entry["type"] != "remote" && entry["enabled"] != false);
    let servers = enabled.map(|(name, entry)| McpServerConfig {
        name: name.clone(),
        command: texts(&entry["command"]),
        environment: pairs(&entry["environment"]),
        approved: true,
    });
    Ok(servers.filter(|server| !server.command.is_empty()).collect())
}

/// All of codex's `-c KEY=VALUE` overrides.
pub(crate) fn codex(overrides: &[(String, Value)]) -> Vec<McpServerConfig> {
    let mut config = Value::Object(Map::new());
    for (path, value) in overrides {
        let place = path.split('.').fold(&mut config, |place, part| &mut object(place)[part]);
        *place = value.clone();
    }
    let mut found = servers(&config["mcp_servers"]);
    for server in &mut found {
        server.approved = config["mcp_servers"][&server.name]["default_tools_approval_mode"] == "approve";
    }
    found
}

/// The value of an override as codex reads it: TOML, or else a bare string.
pub(crate) fn codex_value(text: &str) -> Value {
    let table = toml::from_str::<Map<String, Value>>(&format!("value = {text}"));
    match table {
        Ok(mut table) => table.remove("value").unwrap_or_default(),
        Err(_) => Value::String(text.into()),
    }
}

/// A value must be an object to get fields; anything else is replaced by one.
fn object(value: &mut Value) -> &mut Value {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    value
}

pub(crate) fn json_or_file(value: &str) -> Result<Value, ConfigError> {
    let (place, text) = if value.trim_start().starts_with('{') {
        ("the argument".into(), value.to_owned())
    } else {
        (value.into(), read(Path::new(value))?)
    };
    serde_json::from_str(&text).map_err(|source| ConfigError::NoJson { place, source })
}

pub(crate) fn read(path: &Path) -> Result<String, ConfigError> {
    fs::read_to_string(path).map_err(|source| ConfigError::Unreadable { path: path.into(), source })
}

fn servers(entries: &Value) -> Vec<McpServerConfig> {
    let entries = entries.as_object().into_iter().flatten();
    let servers = entries.filter_map(|(name, entry)| {
        let program = entry["command"].as_str()?;
        let mut command = vec![OsString::from(program)];
        command.extend(texts(&entry["args"]));
        Some(McpServerConfig { name: name.clone(), command, environment: pairs(&entry["env"]), approved: false })
    });
    servers.collect()
}

fn texts(value: &Value) -> Vec<OsString> {
    value.as_array().into_iter().flatten().filter_map(|item| item.as_str().map(OsString::from)).collect()
}

fn pairs(value: &Value) -> Vec<(String, String)> {
    let fields = value.as_object().into_iter().flatten();
    fields.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
}

/// The variables that codex passes on to its MCP servers; all others are withheld.
pub(crate) const CODEX_PASSES_ON: [&str; 11] =
    ["HOME", "LOGNAME", "PATH", "SHELL", "USER", "__CF_USER_TEXT_ENCODING", "LANG", "LC_ALL", "TERM", "TMPDIR", "TZ"];

#[cfg(test)]
mod tests {
    use super::*;

    fn server(name: &str, command: &[&str], approved: bool) -> McpServerConfig {
        let command = command.iter().map(OsString::from).collect();
        McpServerConfig { name: name.into(), command, environment: Vec::new(), approved }
    }

    #[test]
    fn each_cli_is_told_in_its_own_way() {
        let found = claude(r#"{"mcpServers":{"patterm":{"type":"stdio","command":"p","args":["a","b c"]}}}"#).unwrap();
        assert_eq!(found, [server("patterm", &["p", "a", "b c"], false)]);

        let found = opencode(
            "test",
            r#"{"mcp":{"patterm":{"type":"local","command":["p","a"],"enabled":true},
            "off":{"type":"local","command":["q"],"enabled":false}}}"#,
        );
        assert_eq!(found.unwrap(), [server("patterm", &["p", "a"], true)]);

        let overrides = [
            ("mcp_servers.patterm.command", r#""p""#),
            ("mcp_servers.patterm.args", r#"["a", 'b\c']"#),
            ("mcp_servers.patterm.default_tools_approval_mode", r#""approve""#),
            ("model", "gpt-5"),
        ];
        let overrides: Vec<(String, Value)> =
            overrides.iter().map(|(key, value)| ((*key).into(), codex_value(value))).collect();
        assert_eq!(codex(&overrides), [server("patterm", &["p", "a", r"b\c"], true)]);
        assert_eq!(overrides[3].1, Value::String("gpt-5".into()));
    }

    #[test]
    fn an_inline_table_is_a_server_too() {
        let overrides = [("mcp_servers.x".to_owned(), codex_value(r#"{command="c", env={K="v"}}"#))];
        let found = codex(&overrides);
        assert_eq!(found[0].environment, [("K".to_owned(), "v".to_owned())]);
        assert!(!found[0].approved);
    }

    #[test]
    fn a_bad_file_is_named() {
        let error = claude("/nowhere/mcp.json").unwrap_err().to_string();
        assert!(error.contains("/nowhere/mcp.json"), "{error}");
    }
}
