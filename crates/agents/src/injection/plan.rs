//! The plan of a launch, before anything is written. The human is shown a plan before they allow a preset, and a launch
//! carries one out: what is not in the plan does not happen.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use super::choices::is_chosen;
use super::launch::LaunchError;
use super::merge::merge;
use super::render::{InjectionRenderer, LaunchAdditions};
use crate::preset::{AgentPreset, TemplateValues};

/// The whole command line and environment, and the files to create in the launch's folder, in this order.
#[derive(Clone, PartialEq)]
pub(crate) struct LaunchPlan {
    pub(crate) argv: Vec<String>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) env_unset: Vec<String>,
    pub(crate) files: Vec<PlannedFile>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PlannedFile {
    Text {
        name: String,
        text: String,
    },
    /// A copy of the person's own configuration file, with content merged in.
    Copy {
        original: PathBuf,
        ours: Value,
        name: String,
        /// The folder inside the launch's own for the copy, with links to the files beside the original.
        linked_folder: Option<String>,
    },
}

impl LaunchPlan {
    pub(crate) fn of(preset: &AgentPreset, values: TemplateValues<'_>) -> Result<Self, LaunchError> {
        let renderer = InjectionRenderer { preset: &preset.name, purpose: "mcp", values, usual: true };
        let mut additions = LaunchAdditions::default();
        for (name, value) in &preset.env {
            additions.env.insert(name.clone(), renderer.text(value, None)?);
        }
        if let Some(injection) = &preset.mcp_injection {
            renderer.render(injection, &mut additions)?;
        }
        if let Some(injection) = &preset.hooks_injection {
            InjectionRenderer { purpose: "hooks", usual: false, ..renderer }.render(injection, &mut additions)?;
        }
        let argv = preset.argv.iter().map(|arg| renderer.text(arg, None)).collect::<Result<Vec<_>, _>>()?;
        if preset.strict_mcp {
            additions.args.extend(preset.strict_mcp_args.iter().cloned());
        }
        for choice in &preset.defaults {
            let is_given = choice.args.first().is_some_and(|first| argv.contains(first));
            if !is_given && !is_chosen(choice, values) {
                additions.args.extend(choice.args.iter().cloned());
            }
        }
        if values.conversation.is_some() {
            for arg in preset.resume.iter().flat_map(|resume| &resume.args) {
                additions.args.push(renderer.text(arg, None)?);
            }
        }
        let LaunchAdditions { args, env, env_contents, files } = additions;
        Ok(LaunchPlan {
            argv: insert_args(argv, args),
            env: settle_env(env, env_contents),
            env_unset: preset.env_unset.clone(),
            files,
        })
    }
}

/// After the preset's own arguments, but before a `--`, which ends the options.
fn insert_args(mut argv: Vec<String>, args: Vec<String>) -> Vec<String> {
    let end = argv.iter().position(|arg| arg == "--").unwrap_or(argv.len());
    argv.splice(end..end, args);
    argv
}

/// A configuration in a variable is merged with the preset's own value, if that is JSON.
fn settle_env(mut env: BTreeMap<String, String>, contents: BTreeMap<String, Value>) -> BTreeMap<String, String> {
    for (var, ours) in contents {
        let theirs = env.get(&var).and_then(|text| serde_json::from_str::<Value>(text).ok());
        let mut content = theirs.filter(Value::is_object).unwrap_or_default();
        merge(&mut content, ours);
        env.insert(var, content.to_string());
    }
    env
}
