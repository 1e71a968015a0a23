//! Renders one injection: its additions to the command line and the environment, and its files.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};
use toml_edit::DocumentMut;

use super::launch::LaunchError;
use super::merge::{at_place, merge, merge_toml};
use super::plan::PlannedFile;
use crate::preset::{Injection, InjectionFormat, PointsTo, Template, TemplateValues, expand_home};

/// The sum of all injections.
#[derive(Default)]
pub(super) struct LaunchAdditions {
    pub(super) args: Vec<String>,
    pub(super) env: BTreeMap<String, String>,
    /// Configurations for variables, still to be merged.
    pub(super) env_contents: BTreeMap<String, Value>,
    pub(super) files: Vec<PlannedFile>,
}

/// Where and for whom an injection is rendered.
#[derive(Clone, Copy, Debug)]
pub(super) struct InjectionRenderer<'a> {
    pub(super) preset: &'a str,
    /// Name of the rendered file: `mcp` or `hooks`.
    pub(super) purpose: &'a str,
    pub(super) values: TemplateValues<'a>,
    /// The content if the preset gives none.
    pub(super) usual: bool,
}

impl InjectionRenderer<'_> {
    pub(super) fn render(&self, injection: &Injection, out: &mut LaunchAdditions) -> Result<(), LaunchError> {
        for (name, text) in injection.files() {
            let text = self.text(&text.joined(), None)?;
            out.files.push(PlannedFile::Text { name: name.clone(), text });
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
                let file = self.config(content.as_ref(), *format, None, out)?;
                let value = self.text(value.as_deref().unwrap_or("${file}"), Some(&file))?;
                add_flag(out, flag, value);
            }
            Injection::Flag { flag, config_path } => {
                let name = config_path.as_deref().and_then(|path| Path::new(path).file_name()?.to_str());
                let name = name.filter(|name| super::is_plain_file_name(name));
                let file = self.config(None, InjectionFormat::Json, name, out)?;
                add_flag(out, flag, file);
            }
            Injection::EnvFile { var, content, format, .. } => {
                let file = self.config(content.as_ref(), *format, None, out)?;
                out.env.insert(var.clone(), file);
            }
            Injection::EnvVar { var } => {
                let file = self.config(None, InjectionFormat::Json, None, out)?;
                out.env.insert(var.clone(), file);
            }
            Injection::ConfigFile { path, merge_key, content, flag, var, points_to, .. } => {
                let content = match (content, merge_key) {
                    (Some(_), _) | (None, None) => self.content(content.as_ref(), None)?,
                    (None, Some(_)) => json!({ "patterm": self.server() }),
                };
                let ours = at_place(merge_key.as_deref(), content);
                let named = self.copy(path, ours, *points_to, out)?;
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

    /// Plans the configuration file and returns its path.
    fn config(
        &self,
        content: Option<&Value>,
        format: InjectionFormat,
        name: Option<&str>,
        out: &mut LaunchAdditions,
    ) -> Result<String, LaunchError> {
        let extension = match format {
            InjectionFormat::Json => "json",
            InjectionFormat::Toml => "toml",
        };
        let name = name.map_or_else(|| format!("{}.{extension}", self.purpose), str::to_owned);
        let path = format!("{}/{name}", self.values.folder);
        let content = self.content(content, Some(&path))?;
        let text = match format {
            InjectionFormat::Json => pretty(&content),
            InjectionFormat::Toml => {
                let mut document = DocumentMut::new();
                merge_toml(&mut document, &content);
                document.to_string()
            }
        };
        out.files.push(PlannedFile::Text { name, text });
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
        let values = TemplateValues { file, ..self.values };
        let rendered = Template::parse(text).and_then(|template| template.render(&values));
        rendered.map_err(|source| LaunchError::Template { preset: self.preset.into(), source })
    }

    /// Plans a copy of the person's file with `ours` merged in; returns the path for the CLI.
    fn copy(
        &self,
        path: &str,
        ours: Value,
        points_to: PointsTo,
        out: &mut LaunchAdditions,
    ) -> Result<String, LaunchError> {
        let original = expand_home(path, Path::new(self.values.home));
        let Some(name) = original.file_name().and_then(|name| name.to_str()).map(str::to_owned) else {
            let reason = "it names no file".to_owned();
            return Err(LaunchError::Config { preset: self.preset.into(), path: original, reason });
        };
        let linked_folder = (points_to == PointsTo::Folder).then(|| format!("{}-home", self.purpose));
        let told = linked_folder.as_ref().unwrap_or(&name);
        let told = format!("{}/{told}", self.values.folder);
        out.files.push(PlannedFile::Copy { original, ours, name, linked_folder });
        Ok(told)
    }
}

fn add_flag(out: &mut LaunchAdditions, flag: &str, value: String) {
    if flag.ends_with('=') {
        out.args.push(format!("{flag}{value}"));
    } else {
        out.args.extend([flag.to_owned(), value]);
    }
}

pub(super) fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
