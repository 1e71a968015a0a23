//! How an agent CLI goes on with an earlier conversation, and how it names the one it is in.

use std::{fmt, path::Path};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::expression::Expression;
use super::interpolation::{Placeholder, Template};

/// How the CLI is started to go on with an earlier conversation. Which conversation an agent is in is told by its hooks
/// (`patterm hook`), or by a file that it keeps open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResumeMethod {
    /// Added behind everything else on the command line, but before a `--`. `${conversation}` is the conversation's id.
    pub args: Vec<String>,
    /// Matches the path of a file that the CLI keeps open while it is in a conversation; its group `id` is the
    /// conversation's. Only on Linux. Default: the id is what the CLI's hooks report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_file: Option<Expression>,
}

impl ResumeMethod {
    /// What is wrong with it, if anything.
    pub(super) fn fault(&self) -> Option<String> {
        let mut names_it = false;
        for arg in &self.args {
            match Template::parse(arg) {
                Ok(template) if template.uses(Placeholder::File) => {
                    return Some("in `resume`: no file is rendered here, so `${file}` has no value".into());
                }
                Ok(template) => names_it |= template.uses(Placeholder::Conversation),
                Err(error) => return Some(format!("in `resume`: {error}")),
            }
        }
        if !names_it {
            return Some(
                "`resume.args` does not name the conversation: put `${conversation}` where its id goes".into(),
            );
        }
        let has_group = |file: &Expression| file.pattern().regex().capture_names().flatten().any(|name| name == "id");
        match &self.open_file {
            Some(file) if !has_group(file) => {
                Some("`resume.open_file` has no group named id: mark the conversation's id as (?<id>…)".into())
            }
            _ => None,
        }
    }

    /// The conversation that a file belongs to, by its path.
    pub fn conversation_of(&self, file: &Path) -> Option<ConversationId> {
        let found = self.open_file.as_ref()?.pattern().regex().captures(file.to_str()?)?;
        ConversationId::new(found.name("id")?.as_str())
    }
}

/// The name of a conversation, as its CLI tells it. It becomes a word of a command line, so it can't be an option, and
/// holds nothing that a shell or a terminal would take for anything else.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ConversationId(String);

/// Maximum characters of an id. The CLIs' own have 30 to 36.
const MAX_ID: usize = 128;

impl ConversationId {
    /// `None` if it can't be one.
    pub fn new(text: &str) -> Option<Self> {
        let begins = text.starts_with(|first: char| first.is_ascii_alphanumeric());
        let plain = text.chars().all(|one| one.is_ascii_alphanumeric() || "-_.".contains(one));
        (begins && plain && text.len() <= MAX_ID).then(|| ConversationId(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ConversationId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        ConversationId::new(&text).ok_or_else(|| "it is not a conversation id".to_owned())
    }
}

impl From<ConversationId> for String {
    fn from(id: ConversationId) -> String {
        id.0
    }
}

impl fmt::Display for ConversationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ConversationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(text: &str) -> ResumeMethod {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn an_id_is_a_plain_word_and_no_option() {
        for good in ["0199a213-81c0-7800-8aa1-bbab2a035a53", "ses_4f2bA.x", "a", &"x".repeat(MAX_ID)] {
            assert_eq!(ConversationId::new(good).unwrap().as_str(), good);
        }
        for bad in ["", "-r", "--help", ".x", "a b", "a\n", "a;b", "a/b", "é", &"x".repeat(MAX_ID + 1)] {
            assert_eq!(ConversationId::new(bad), None, "{bad:?}");
            assert!(serde_json::from_value::<ConversationId>(bad.into()).is_err());
        }
    }

    #[test]
    fn a_method_names_the_conversation() {
        assert_eq!(method(r#"{"args": ["--resume", "${conversation}"]}"#).fault(), None);
        for (text, why) in [
            (r#"{"args": []}"#, "does not name the conversation"),
            (r#"{"args": ["--last"]}"#, "does not name the conversation"),
            (r#"{"args": ["${conversation}", "${file}"]}"#, "no file is rendered"),
            (r#"{"args": ["${x}"]}"#, "there is no placeholder"),
            (r#"{"args": ["${conversation}"], "open_file": "rollout-.*"}"#, "no group named id"),
        ] {
            let fault = method(text).fault().unwrap_or_default();
            assert!(fault.contains(why), "{text}: {fault}");
        }
    }

    #[test]
    fn a_path_tells_the_conversation() {
        let method = method(
            r#"{"args": ["${conversation}"], "open_file": "/rollout-[^/]*-(?<id>[0-9a-f]{4}-[0-9]{2})\\.jsonl$"}"#,
        );
        let of = |path: &str| method.conversation_of(Path::new(path)).map(String::from);
        assert_eq!(of("/h/rollout-2026-01-02-beef-07.jsonl").as_deref(), Some("beef-07"));
        assert_eq!(of("/h/rollout-2026.jsonl"), None);
    }
}
