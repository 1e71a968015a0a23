//! Parses one preset file, or tells what is wrong and where.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::agent::AgentPreset;
use super::content::PresetContent;
use super::injection::{FileText, Injection};
use super::interpolation::{Placeholder, Template};
use super::jsonc::plain_json;
use super::names::check_name;
use super::process::ProcessPreset;
use super::resume::ResumeMethod;
use super::rule::Condition;

/// Maximum bytes of a preset file.
pub const MAX_PRESET_BYTES: usize = 256 << 10;

/// A problem of a preset file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub file: PathBuf,
    /// From 1.
    pub line: Option<usize>,
    /// From 1, in characters.
    pub column: Option<usize>,
    /// What is wrong, and what to do.
    pub message: String,
    pub severity: Severity,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The file was skipped.
    Error,
    /// The preset can be used.
    Warning,
}

impl Problem {
    pub(crate) fn error(file: &Path, message: impl Into<String>) -> Self {
        Problem { file: file.into(), line: None, column: None, message: message.into(), severity: Severity::Error }
    }

    fn warning(file: &Path, message: impl Into<String>) -> Self {
        Problem { severity: Severity::Warning, ..Problem::error(file, message) }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// A usable preset, its content, and its problems, if any.
#[derive(Clone, Debug)]
pub struct ParsedPreset<P> {
    pub preset: P,
    pub content: PresetContent,
    pub warnings: Vec<Problem>,
}

/// `file` provides the default name, and is named in problems; it is not read.
pub fn parse_agent(file: &Path, text: &str) -> Result<ParsedPreset<AgentPreset>, Problem> {
    let (preset, content) = read(file, text)?;
    checked(file, preset, content)
}

/// A preset whose parts were read from several files.
pub(super) fn checked_agent(file: &Path, name: &str, value: Value) -> Result<ParsedPreset<AgentPreset>, Problem> {
    let preset = AgentPreset::deserialize(&value).map_err(|error| Problem::error(file, error.to_string()))?;
    checked(file, AgentPreset { name: name.to_owned(), ..preset }, PresetContent::new(value))
}

fn checked(file: &Path, mut preset: AgentPreset, content: PresetContent) -> Result<ParsedPreset<AgentPreset>, Problem> {
    preset.name = checked_name(file, preset.name)?;
    check_command(file, &preset.argv, preset.env.keys().chain(&preset.env_unset))?;
    check_templates(&preset).map_err(|message| Problem::error(file, message))?;
    check_regions(&preset).map_err(|message| Problem::error(file, message))?;
    check_input_box(&preset).map_err(|message| Problem::error(file, message))?;
    if let Some(fault) = preset.resume.as_ref().and_then(ResumeMethod::fault) {
        return Err(Problem::error(file, fault));
    }
    if preset.strict_mcp && preset.strict_mcp_args.is_empty() {
        let message = "`strict_mcp` is on, but has no arguments for the CLI: give them in `strict_mcp_args`";
        return Err(Problem::error(file, message));
    }
    let warnings = unseen_copies(&preset).map(|message| Problem::warning(file, message)).collect();
    Ok(ParsedPreset { preset, content, warnings })
}

/// Like [`parse_agent`].
pub fn parse_process(file: &Path, text: &str) -> Result<ParsedPreset<ProcessPreset>, Problem> {
    let (mut preset, content): (ProcessPreset, PresetContent) = read(file, text)?;
    preset.name = checked_name(file, preset.name)?;
    check_command(file, &preset.argv, preset.env.keys().chain(&preset.env_unset))?;
    Ok(ParsedPreset { preset, content, warnings: Vec::new() })
}

pub(super) fn read<P: DeserializeOwned>(file: &Path, text: &str) -> Result<(P, PresetContent), Problem> {
    if text.len() > MAX_PRESET_BYTES {
        let length = text.len();
        let message = format!("the file has {length} bytes, at most {MAX_PRESET_BYTES} are allowed: make it smaller");
        return Err(Problem::error(file, message));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let plain = plain_json(text).map_err(|error| Problem {
        line: Some(error.line_display()),
        column: Some(error.column_display()),
        ..Problem::error(file, format!("{}: {MEND_IT}", error.kind()))
    })?;
    let located = |error: serde_json::Error| locate(file, &plain, &error);
    let value: Value = serde_json::from_str(if plain.trim().is_empty() { "null" } else { &plain }).map_err(located)?;
    if !value.is_object() {
        return Err(Problem::error(file, "a preset is one JSON object: begin it with {"));
    }
    let preset = serde_json::from_str(&plain).map_err(located)?;
    Ok((preset, PresetContent::new(value)))
}

const MEND_IT: &str = "fix it; it reloads by itself";

fn locate(file: &Path, text: &str, error: &serde_json::Error) -> Problem {
    let said = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = said.strip_suffix(&place).unwrap_or(&said);
    let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
    // The error counts bytes.
    let before = line.get(..error.column()).unwrap_or(line);
    Problem {
        line: Some(error.line()),
        column: Some(before.chars().count().max(1)),
        ..Problem::error(file, format!("{message}: {MEND_IT}"))
    }
}

fn checked_name(file: &Path, name: String) -> Result<String, Problem> {
    let stem = || file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let name = if name.is_empty() { stem() } else { name };
    match check_name(&name) {
        Ok(()) => Ok(name),
        Err(error) => Err(Problem::error(file, error.to_string())),
    }
}

fn check_command<'a>(
    file: &Path,
    argv: &[String],
    mut variables: impl Iterator<Item = &'a String>,
) -> Result<(), Problem> {
    if argv.first().is_none_or(String::is_empty) {
        return Err(Problem::error(file, "`argv` names no program: give it, as in [\"claude\"]"));
    }
    match variables.find(|name| name.is_empty() || name.contains(['=', '\0'])) {
        Some(name) => {
            let message = format!("'{}' can't be the name of a variable: correct it", name.escape_debug());
            Err(Problem::error(file, message))
        }
        None => Ok(()),
    }
}

fn check_templates(preset: &AgentPreset) -> Result<(), String> {
    let check = |place: &str, text: &str| match Template::parse(text) {
        Ok(template) if template.uses(Placeholder::Conversation) => {
            Err(format!("in `{place}`: only `resume` knows a conversation, so `${{conversation}}` has no value"))
        }
        Ok(template) => Ok(template),
        Err(error) => Err(format!("in `{place}`: {error}")),
    };
    for text in preset.argv.iter().chain(preset.env.values()) {
        check("argv or env", text)?;
    }
    let injections = [("mcp_injection", &preset.mcp_injection), ("hooks_injection", &preset.hooks_injection)];
    for (place, injection) in injections {
        let Some(injection) = injection else { continue };
        if place == "hooks_injection" && injection.content().is_none() && !matches!(injection, Injection::Args { .. }) {
            return Err("`hooks_injection` says where hooks go, but not which: add `content`".into());
        }
        for text in strings_of(injection) {
            let template = check(place, &text)?;
            if template.uses(Placeholder::File) && !injection.renders_a_file() {
                return Err(format!("in `{place}`: this kind renders no file, so `${{file}}` has no value"));
            }
        }
        for name in injection.files().keys() {
            if !crate::injection::is_plain_file_name(name) {
                return Err(format!("in `{place}`: '{}' is not a plain file name", name.escape_debug()));
            }
        }
    }
    Ok(())
}

/// Every string of an injection that may contain placeholders.
fn strings_of(injection: &Injection) -> Vec<String> {
    fn walk(value: &Value, out: &mut Vec<String>) {
        match value {
            Value::String(text) => out.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| walk(item, out)),
            Value::Object(map) => map.iter().for_each(|(key, value)| {
                out.push(key.clone());
                walk(value, out);
            }),
            _ => {}
        }
    }
    let mut strings = Vec::new();
    if let Some(content) = injection.content() {
        walk(content, &mut strings);
    }
    match injection {
        Injection::FlagFile { value: Some(value), .. } => strings.push(value.clone()),
        Injection::Args { args, .. } => strings.extend(args.iter().cloned()),
        _ => {}
    }
    strings.extend(injection.files().values().map(FileText::joined));
    strings
}

fn check_regions(preset: &AgentPreset) -> Result<(), String> {
    let conditions = preset.rules.iter().flat_map(|rule| [Some(&rule.when), rule.until.as_ref()]);
    let others = preset.submit.proof.iter().map(|proof| &proof.when).chain(&preset.ready_signal.when);
    let others = others.chain(preset.modes.iter().map(|mode| &mode.when));
    for condition in conditions.flatten().chain(others) {
        if let Some(region) = condition.region.as_ref().filter(|region| !preset.regions.contains_key(*region)) {
            return Err(format!("a rule looks at the region '{region}', which `regions` does not name: add it there"));
        }
    }
    let of_prompts = preset.prompts.iter().filter_map(|prompt| prompt.region.as_ref());
    if let Some(region) = of_prompts.into_iter().find(|region| !preset.regions.contains_key(*region)) {
        return Err(format!("a prompt looks at the region '{region}', which `regions` does not name: add it there"));
    }
    match preset.rules.iter().find(|rule| rule.when == Condition::default()) {
        Some(rule) => Err(format!("the rule '{}' has an empty `when`: say what it looks at", rule.name)),
        None => Ok(()),
    }
}

fn check_input_box(preset: &AgentPreset) -> Result<(), String> {
    let Some(input_box) = &preset.submit.input_box else { return Ok(()) };
    let mut names = input_box.pattern().regex().capture_names().flatten();
    if names.any(|name| name == "text") {
        return Ok(());
    }
    Err("`submit.input_box` has no group named text: mark what is typed as (?<text>…)".into())
}

/// Copies of configuration files that nothing refers to: the CLI would never see them.
fn unseen_copies(preset: &AgentPreset) -> impl Iterator<Item = String> {
    let injections = [("mcp_injection", &preset.mcp_injection), ("hooks_injection", &preset.hooks_injection)];
    injections.into_iter().filter_map(|(place, injection)| match injection {
        Some(Injection::ConfigFile { flag: None, var: None, .. }) => Some(format!(
            "`{place}` copies a configuration file, but the CLI does not learn of the copy: add `flag` or `var`"
        )),
        _ => None,
    })
}
