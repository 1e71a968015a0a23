//! What a preset or a command would do, for the human to read before they allow it.
//!
//! The facts include everything that is run, set, written or allowed: an agent's come from the plan that its launch
//! carries out, and every field of a preset is named here, so that a new field can't be forgotten. They have to be
//! shown completely, with invisible characters spelled out.

mod secrets;

pub(crate) use secrets::is_secret_name;

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::injection::{LaunchPlan, PlannedFile};
use crate::preset::{AgentPreset, PermissionRules, ProcessPreset, ResumeMethod, TemplateValues};

/// One thing that would happen, or that is allowed.
#[derive(Clone, PartialEq, Eq)]
pub struct RunFact {
    /// The label: `command`, `sets PATH`, `writes mcp.json`. Parts of it may come from a preset.
    pub label: String,
    /// The content, without line ends. May contain anything.
    pub lines: Vec<String>,
}

impl fmt::Debug for RunFact {
    /// Omits the lines: they may include values of the environment.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RunFact").field(&self.label).finish()
    }
}

impl RunFact {
    fn new(label: impl Into<String>, text: &str) -> Self {
        RunFact { label: label.into(), lines: text.split('\n').map(str::to_owned).collect() }
    }
}

/// Paths of the launch are not known yet when the human is asked.
const PLACES: TemplateValues<'_> = TemplateValues {
    command: "${command}",
    connect: "${connect}",
    file: None,
    folder: "${folder}",
    project: "${project}",
    home: "${home}",
    cache: "${cache}",
    conversation: None,
};

/// The facts of an agent preset.
pub fn of_agent(preset: &AgentPreset) -> Vec<RunFact> {
    let AgentPreset {
        // The question itself is about this name.
        name: _,
        // Text for editors, and for people whose program is missing.
        schema: _,
        install: _,
        // Part of the plan.
        argv: _,
        env: _,
        env_unset: _,
        mcp_injection: _,
        strict_mcp: _,
        strict_mcp_args: _,
        hooks_injection: _,
        defaults,
        working_dir,
        resume,
        permissions: PermissionRules { allow, answer_questions },
        versions,
        // Decides which of two texts is used; both are shown.
        rules_version: _,
        prompts,
        regions,
        rules,
        modes,
        ready_signal,
        submit,
        chrome_trim_hints,
        // When silence counts as rest, and our own line before a first prompt.
        idle_ms: _,
        sub_agent_preface: _,
    } = preset;
    let plan = match LaunchPlan::of(preset, PLACES) {
        Ok(plan) => plan,
        // Such a preset can't be started either.
        Err(error) => return vec![RunFact::new("mistake", &error.to_string())],
    };
    let LaunchPlan { argv, env, env_unset, files } = plan;
    let mut facts = of_command(&argv, working_dir.as_deref(), &env, &env_unset);
    if let Some(versions) = versions {
        let program = argv.first().map(|program| quoted(program)).unwrap_or_default();
        let words: Vec<String> = std::iter::once(program).chain(versions.ask.iter().map(|word| quoted(word))).collect();
        facts.push(RunFact::new("asks for its version with", &words.join(" ")));
    }
    facts.extend(files.iter().map(of_file));
    if let Some(ResumeMethod { args, open_file }) = resume {
        let words: Vec<String> = args.iter().map(|word| quoted(word)).collect();
        facts.push(RunFact::new("adds, to go on with an earlier conversation,", &words.join(" ")));
        if let Some(file) = open_file {
            facts.push(RunFact::new("knows its conversation by an open file like", file.as_str()));
        }
    }
    facts.extend(each("leaves out of the command what your own settings choose", defaults));
    if !allow.is_empty() {
        let lines = allow.iter().flat_map(|allowed| allowed.as_str().split('\n')).map(str::to_owned).collect();
        facts.push(RunFact { label: "lets other agents answer its prompts for".into(), lines });
    }
    if *answer_questions {
        facts.push(RunFact::new("lets other agents answer", "the questions that its model asks its user"));
    }
    facts.extend(each("reads prompts by", prompts));
    facts.extend(unless_default("looks at", regions));
    facts.extend(each("tells what it does by", rules));
    facts.extend(each("tells its mode by", modes));
    facts.extend(unless_default("takes it for ready by", ready_signal));
    facts.extend(unless_default("types prompts by", submit));
    facts.extend(each("leaves out of what is read", chrome_trim_hints));
    facts
}

/// The facts of a process preset.
pub fn of_process(preset: &ProcessPreset) -> Vec<RunFact> {
    let ProcessPreset { name: _, schema: _, argv: _, shell: _, env, env_unset, working_dir } = preset;
    of_command(&preset.command(), working_dir.as_deref(), env, env_unset)
}

/// The facts of a command line.
pub fn of_command(
    argv: &[String],
    folder: Option<&str>,
    env: &BTreeMap<String, String>,
    env_unset: &[String],
) -> Vec<RunFact> {
    let words: Vec<String> = argv.iter().map(|word| quoted(word)).collect();
    let mut facts = vec![RunFact::new("command", &words.join(" "))];
    facts.push(RunFact::new("folder", folder.filter(|folder| !folder.is_empty()).unwrap_or("the project's")));
    let set = |(name, value): (&String, &String)| RunFact::new(format!("sets {name}"), &secrets::shown(name, value));
    facts.extend(env.iter().map(set));
    if !env_unset.is_empty() {
        facts.push(RunFact { label: "takes away".into(), lines: env_unset.to_vec() });
    }
    facts
}

fn of_file(file: &PlannedFile) -> RunFact {
    match file {
        PlannedFile::Text { name, text } => {
            RunFact::new(format!("writes ${{folder}}/{name}"), text.trim_end_matches('\n'))
        }
        PlannedFile::Copy { original, ours, linked_folder, name: _ } => {
            let beside = if linked_folder.is_some() { ", with links to what is beside it" } else { "" };
            let label = format!("copies {}{beside}, and puts in", original.display());
            RunFact::new(label, &format!("{ours:#}"))
        }
    }
}

fn each<T: Serialize>(label: &str, values: &[T]) -> Option<RunFact> {
    let lines = values.iter().map(json).collect();
    (!values.is_empty()).then(|| RunFact { label: label.into(), lines })
}

fn unless_default<T: Serialize + Default + PartialEq>(label: &str, value: &T) -> Option<RunFact> {
    (*value != T::default()).then(|| RunFact::new(label, &json(value)))
}

fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("what was read from JSON can be written as such")
}

/// A word of a command line, quoted as a shell would need it, so that its boundaries are visible.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''").replace('\n', r"\n")),
    }
}

#[cfg(test)]
mod tests;
