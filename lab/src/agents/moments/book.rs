//! The scenes as data: what is done to a CLI, and what is true then.

use std::{collections::BTreeMap, fs};

use agents::version::ProgramVersion;
use anyhow::{Context, Result};
use regex::Regex;
use serde::Deserialize;
use serde_json::Value;

use crate::repository;

/// Which scenes are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SceneBook {
    /// `scenes.json`, what the CLI's file adds to it, and each of its screens opened and left.
    Moments,
    /// `waiting.json`, and each of the CLI's screens opened and left: a message is sent at each while it is up.
    Waiting,
}

/// What is to be played with one CLI.
pub(super) struct ScenePlan {
    pub(super) facts: CliFacts,
    pub(super) scenes: Vec<Scene>,
}

/// `lab/moments/NAME.json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CliFacts {
    /// Regular expressions for what is seen on the screen, by the names that scenes give them with `@`: `prompt`, where
    /// something may be typed; `asks`, where a command waits to be allowed; `busy`, where the prompt is drawn meanwhile; and
    /// others.
    signs: BTreeMap<String, String>,
    /// Keys by the names that scenes give them: `allow`, `refuse`, `interrupt`, `clear`, `leave`. A sign (`@again`) among them is
    /// waited for before the next key.
    keys: BTreeMap<String, Vec<String>>,
    /// Tools that the model calls, by the names that prompts give them.
    #[serde(default)]
    pub(super) calls: BTreeMap<String, ToolCall>,
    #[serde(default)]
    scenes: Vec<Scene>,
    #[serde(default)]
    dialogs: Vec<DialogFacts>,
}

/// A screen of its own that a command opens: while it is up, the agent is blocked.
#[derive(Clone, Debug, Deserialize)]
struct DialogFacts {
    /// What is typed, such as `/model`.
    opens: String,
    /// What is seen then, as in a scene.
    shows: String,
    #[serde(default = "escape")]
    leave: Vec<String>,
    #[serde(flatten)]
    versions: VersionSpan,
}

/// A tool of the CLI's own and its arguments, in which `${project}` stands for the project's folder.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct ToolCall {
    pub(super) tool: String,
    pub(super) arguments: Value,
    #[serde(flatten)]
    versions: VersionSpan,
}

/// Versions that something is for: from the first on, and below the second.
#[derive(Clone, Debug, Default, Deserialize)]
struct VersionSpan {
    from: Option<ProgramVersion>,
    below: Option<ProgramVersion>,
}

/// Steps from rest to rest. One that fails does not stop the others: the CLI is started anew.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Scene {
    pub(super) name: String,
    #[serde(flatten)]
    versions: VersionSpan,
    /// Only where the facts have a call or keys of this name.
    #[serde(default)]
    needs: Option<String>,
    pub(super) steps: Vec<Step>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Step {
    /// Pastes a prompt as a person does, presses Enter and waits until the model has it.
    Prompt(String),
    /// Sends it with send_message, and waits until the model has it.
    Message(String),
    /// Sends it with send_message while the CLI waits for a decision: it must be queued.
    Queue(String),
    /// Nothing of what was queued is on the screen, and the model was not asked it.
    Untyped(String),
    /// Waits until the model has what was queued, and the CLI rests: it must have come once.
    Arrives(String),
    /// Types without Enter.
    Type(String),
    /// Presses keys, or those that the CLI's facts name so.
    Keys(Vec<String>),
    /// Waits until the screen shows this regular expression, or what the facts name so (`@prompt`).
    See(String),
    /// Waits until it shows it no more.
    Gone(String),
    /// Lets the model go on.
    Open(String),
    /// Waits until the model was asked this.
    Asked(String),
    /// Waits until a command has made this file in the project.
    File(String),
    /// Makes it, which lets the command go on.
    Touch(String),
    /// Waits for so many milliseconds.
    Pause(u64),
    /// Waits until the prompt box is there and nothing was printed for a while.
    Rest,
    /// Compares: this is true now, and stays so for so many milliseconds (1500 when left out).
    Moment {
        label: String,
        state: String,
        #[serde(default = "settled")]
        lasts: u64,
    },
    /// Closes the CLI, and starts it anew when the next scene begins.
    Close,
}

fn settled() -> u64 {
    1500
}

fn escape() -> Vec<String> {
    vec!["esc".to_owned()]
}

impl ScenePlan {
    /// For a CLI of this version.
    pub(super) fn read(name: &str, version: &ProgramVersion, book: SceneBook) -> Result<Self> {
        let mut facts: CliFacts = read(name)?;
        facts.calls.retain(|_, call| call.versions.holds(version));
        let dialogs = std::mem::take(&mut facts.dialogs);
        let mut scenes: Vec<Scene> = match book {
            SceneBook::Moments => {
                let mut scenes: Vec<Scene> = read("scenes")?;
                // The one that ends the CLI comes last.
                let last = scenes.pop().context("there are scenes")?;
                scenes.append(&mut facts.scenes);
                scenes.extend(dialogs.into_iter().map(DialogFacts::opened_and_left));
                scenes.push(last);
                scenes
            }
            SceneBook::Waiting => {
                let mut scenes: Vec<Scene> = read("waiting")?;
                scenes.extend(dialogs.into_iter().map(DialogFacts::with_a_message_waiting));
                scenes
            }
        };
        scenes.retain(|scene| scene.versions.holds(version) && facts.can_play(scene));
        Ok(ScenePlan { facts, scenes })
    }
}

fn read<T: serde::de::DeserializeOwned>(name: &str) -> Result<T> {
    let file = repository("lab/moments").join(format!("{name}.json"));
    let text = fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
    let text = agents::preset::plain_json(&text).with_context(|| format!("lab/moments/{name}.json"))?;
    serde_json::from_str(&text).with_context(|| format!("lab/moments/{name}.json"))
}

impl CliFacts {
    /// `@NAME` is what the facts name so; all else is the expression itself.
    pub(super) fn sign(&self, words: &str) -> Result<Regex> {
        let expression = match words.strip_prefix('@') {
            Some(name) => self.signs.get(name).with_context(|| format!("no sign is called '{name}'"))?,
            None => words,
        };
        Ok(Regex::new(expression)?)
    }

    pub(super) fn has_sign(&self, name: &str) -> bool {
        self.signs.contains_key(name)
    }

    fn can_play(&self, scene: &Scene) -> bool {
        scene.needs.as_ref().is_none_or(|name| self.calls.contains_key(name) || self.keys.contains_key(name))
    }

    /// The keys behind these names.
    pub(super) fn keys(&self, names: &[String]) -> Vec<String> {
        names.iter().flat_map(|name| self.keys.get(name).cloned().unwrap_or_else(|| vec![name.clone()])).collect()
    }
}

impl VersionSpan {
    fn holds(&self, version: &ProgramVersion) -> bool {
        self.from.as_ref().is_none_or(|from| version >= from) && self.below.as_ref().is_none_or(|below| version < below)
    }
}

impl DialogFacts {
    fn opened_and_left(self) -> Scene {
        let left = format!("{} was left", self.opens);
        self.scene(Vec::new(), [Step::Rest, moment(left, "idle")])
    }

    fn with_a_message_waiting(self) -> Scene {
        // The blank keeps one command's message from being a part of another's.
        let message = format!("behind {} this waited", self.opens);
        let waits = moment(format!("a message waits behind {}", self.opens), "blocked");
        let arrives = Step::Arrives(message.clone());
        let still_there = Step::See(self.shows.clone());
        let left = moment(format!("{} was left, and the message came", self.opens), "idle");
        self.scene(vec![Step::Queue(message.clone()), waits, Step::Untyped(message), still_there], [arrives, left])
    }

    fn scene(self, meanwhile: Vec<Step>, then: [Step; 2]) -> Scene {
        let DialogFacts { opens, shows, leave, versions } = self;
        let mut steps = vec![
            Step::Type(opens.clone()),
            Step::Pause(800),
            Step::Keys(vec!["enter".to_owned()]),
            Step::See(shows),
            moment(format!("{opens} is open"), "blocked"),
        ];
        steps.extend(meanwhile);
        steps.push(Step::Keys(leave));
        steps.extend(then);
        Scene { name: opens, versions, needs: None, steps }
    }
}

fn moment(label: String, state: &str) -> Step {
    Step::Moment { label, state: state.to_owned(), lasts: settled() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> ProgramVersion {
        text.parse().unwrap()
    }

    #[test]
    fn every_file_of_scenes_can_be_read() {
        let files = fs::read_dir(repository("lab/moments")).unwrap();
        let names = files.map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned());
        let of_clis = names.filter(|name| !["scenes", "waiting"].contains(&name.as_str()));
        for (name, book) in of_clis.flat_map(|name| [(name.clone(), SceneBook::Moments), (name, SceneBook::Waiting)]) {
            let plan = ScenePlan::read(&name, &version("1.0.0"), book).unwrap_or_else(|error| panic!("{error:#}"));
            for scene in &plan.scenes {
                for step in &scene.steps {
                    let (Step::See(words) | Step::Gone(words)) = step else { continue };
                    plan.facts.sign(words).unwrap_or_else(|error| panic!("{name}, {}: {error:#}", scene.name));
                }
            }
            plan.facts.sign("@prompt").unwrap();
        }
    }

    #[test]
    fn what_is_for_some_versions_is_not_for_others() {
        let span = VersionSpan { from: Some(version("2.1.10")), below: Some(version("2.2")) };
        let holds = |text| span.holds(&version(text));
        assert!(holds("2.1.10") && holds("2.1.325"));
        assert!(!holds("2.1.9") && !holds("2.2.0"));
        assert!(VersionSpan::default().holds(&version("0.1")));
    }
}
