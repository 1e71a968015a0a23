//! One injection, written out: what it adds to the command line and the environment, and its files.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use toml_edit::DocumentMut;

use super::folder::LaunchFolder;
use super::launch::LaunchError;
use super::merge::{at_place, merge, merge_toml};
use crate::preset::{Format, Injection, PointsTo, Template, Values, expand_home, plain_json};

/// Bytes read of a person's own configuration file.
const MAX_CONFIG_BYTES: u64 = 4 << 20;
/// Entries linked beside a copied file.
const MAX_SIBLINGS: usize = 1000;

/// What injections add up to.
#[derive(Debug, Default)]
pub(super) struct Additions {
    pub(super) args: Vec<String>,
    pub(super) env: BTreeMap<String, String>,
    /// Configurations that go into variables, still to be merged.
    pub(super) env_contents: BTreeMap<String, Value>,
}

/// Where and for whom an injection is rendered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Renderer<'a> {
    pub(super) preset: &'a str,
    /// Names the rendered file: `mcp` or `hooks`.
    pub(super) purpose: &'a str,
    pub(super) folder: &'a LaunchFolder,
    pub(super) values: Values<'a>,
    /// What is written where the preset gives no content of its own.
    pub(super) usual: bool,
}

impl Renderer<'_> {
    pub(super) fn render(&self, injection: &Injection, out: &mut Additions) -> Result<(), LaunchError> {
        for (name, text) in injection.files() {
            let text = self.text(&text.joined(), None)?;
            self.write(name, text.as_bytes())?;
        }
        match injection {
            Injection::Args { args, .. } => {
                for arg in args {
                    out.args.push(self.text(arg, None)?);
                }
            }
            Injection::EnvContent { var, content, .. } => {
                let content = self.content(content.as_ref(), None)?;
                merge(out.env_contents.entry(var.clone()).or_insert(Value::Null), content);
            }
            Injection::FlagFile { flag, value, content, format, .. } => {
                let file = self.config(content.as_ref(), *format, None)?;
                let value = self.text(value.as_deref().unwrap_or("${file}"), Some(&file))?;
                add_flag(out, flag, value);
            }
            Injection::Flag { flag, config_path } => {
                let name = config_path.as_deref().and_then(|path| Path::new(path).file_name()?.to_str());
                let name = name.filter(|name| super::is_plain_file_name(name));
                let file = self.config(None, Format::Json, name)?;
                add_flag(out, flag, file);
            }
            Injection::EnvFile { var, content, format, .. } => {
                let file = self.config(content.as_ref(), *format, None)?;
                out.env.insert(var.clone(), file);
            }
            Injection::EnvVar { var } => {
                let file = self.config(None, Format::Json, None)?;
                out.env.insert(var.clone(), file);
            }
            Injection::ConfigFile { path, merge_key, content, flag, var, points_to, .. } => {
                let content = match (content, merge_key) {
                    (Some(_), _) | (None, None) => self.content(content.as_ref(), None)?,
                    (None, Some(_)) => json!({ "patterm": self.server() }),
                };
                let ours = at_place(merge_key.as_deref(), content);
                let named = self.copy_config(path, &ours, *points_to)?;
                if let Some(flag) = flag {
                    add_flag(out, flag, named.clone());
                }
                if let Some(var) = var {
                    out.env.insert(var.clone(), named);
                }
            }
        }
        Ok(())
    }

    fn server(&self) -> Value {
        json!({ "command": self.values.command, "args": ["mcp-stdio", "--connect", self.values.connect] })
    }

    /// Writes the configuration file and gives its path.
    fn config(&self, content: Option<&Value>, format: Format, name: Option<&str>) -> Result<String, LaunchError> {
        let extension = match format {
            Format::Json => "json",
            Format::Toml => "toml",
        };
        let name = name.map_or_else(|| format!("{}.{extension}", self.purpose), str::to_owned);
        let path = format!("{}/{name}", self.values.folder);
        let content = self.content(content, Some(&path))?;
        let text = match format {
            Format::Json => pretty(&content),
            Format::Toml => {
                let mut document = DocumentMut::new();
                merge_toml(&mut document, &content);
                document.to_string()
            }
        };
        self.write(&name, text.as_bytes())?;
        Ok(path)
    }

    fn content(&self, content: Option<&Value>, file: Option<&str>) -> Result<Value, LaunchError> {
        match content {
            Some(content) => self.value(content, file),
            None if self.usual => Ok(json!({ "mcpServers": { "patterm": self.server() } })),
            None => Ok(Value::Object(Map::new())),
        }
    }

    fn value(&self, value: &Value, file: Option<&str>) -> Result<Value, LaunchError> {
        Ok(match value {
            Value::String(text) => Value::String(self.text(text, file)?),
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.value(item, file)).collect::<Result<_, _>>()?)
            }
            Value::Object(map) => {
                let pairs = map.iter().map(|(key, value)| Ok((self.text(key, file)?, self.value(value, file)?)));
                Value::Object(pairs.collect::<Result<_, LaunchError>>()?)
            }
            plain => plain.clone(),
        })
    }

    pub(super) fn text(&self, text: &str, file: Option<&str>) -> Result<String, LaunchError> {
        let values = Values { file, ..self.values };
        let rendered = Template::parse(text).and_then(|template| template.render(&values));
        rendered.map_err(|source| LaunchError::Template { preset: self.preset.into(), source })
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, LaunchError> {
        self.folder.write(name, bytes).map_err(|source| self.write_error(self.folder.path(), source))
    }

    fn write_error(&self, path: &Path, source: std::io::Error) -> LaunchError {
        LaunchError::Write { preset: self.preset.into(), path: path.into(), source }
    }

    /// Copies the person's file with `ours` merged in; gives what the CLI is to be told of.
    fn copy_config(&self, path: &str, ours: &Value, points_to: PointsTo) -> Result<String, LaunchError> {
        let original = expand_home(path, Path::new(self.values.home));
        let refuse =
            |reason: String| LaunchError::Config { preset: self.preset.into(), path: original.clone(), reason };
        let name =
            original.file_name().and_then(|name| name.to_str()).ok_or_else(|| refuse("it names no file".into()))?;
        let theirs = read_config(&original).map_err(|error| refuse(error.to_string()))?;
        let merged = if original.extension().is_some_and(|extension| extension == "toml") {
            let mut document: DocumentMut =
                theirs.parse().map_err(|error: toml_edit::TomlError| refuse(error.to_string()))?;
            merge_toml(&mut document, ours);
            document.to_string()
        } else {
            let mut value = read_json(&theirs).map_err(refuse)?;
            merge(&mut value, ours.clone());
            pretty(&value)
        };
        let folder = match points_to {
            PointsTo::File => self.folder.path().to_owned(),
            PointsTo::Folder => {
                let folder = self.folder.path().join(format!("{}-home", self.purpose));
                self.link_siblings(&original, name, &folder).map_err(|source| self.write_error(&folder, source))?;
                folder
            }
        };
        let copy = folder.join(name);
        super::folder::write_private(&copy, merged.as_bytes()).map_err(|source| self.write_error(&copy, source))?;
        let named = if points_to == PointsTo::Folder { folder } else { copy };
        named
            .into_os_string()
            .into_string()
            .map_err(|path| LaunchError::NotText { preset: self.preset.into(), path: path.into() })
    }

    /// The CLI finds its login and history where they are; only the one file is another.
    fn link_siblings(&self, original: &Path, name: &str, folder: &Path) -> std::io::Result<()> {
        super::folder::create_private(folder)?;
        let Some(parent) = original.parent().filter(|parent| parent.is_dir()) else { return Ok(()) };
        for entry in fs::read_dir(parent)?.take(MAX_SIBLINGS) {
            let entry = entry?;
            if entry.file_name() != name {
                symlink(entry.path(), folder.join(entry.file_name()))?;
            }
        }
        Ok(())
    }
}

fn add_flag(out: &mut Additions, flag: &str, value: String) {
    if flag.ends_with('=') {
        out.args.push(format!("{flag}{value}"));
    } else {
        out.args.extend([flag.to_owned(), value]);
    }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// An absent file is an empty one: the CLI has not been set up yet.
fn read_config(path: &Path) -> std::io::Result<String> {
    let file = match fs::File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(String::new()),
        file => file?,
    };
    let mut text = String::new();
    file.take(MAX_CONFIG_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_CONFIG_BYTES {
        return Err(std::io::Error::other(format!("it is longer than {MAX_CONFIG_BYTES} bytes")));
    }
    Ok(text)
}

fn read_json(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    let plain = plain_json(text).map_err(|error| error.to_string())?;
    let value: Value = serde_json::from_str(&plain).map_err(|error| error.to_string())?;
    if value.is_object() { Ok(value) } else { Err("it holds no JSON object".into()) }
}
