//! A CLI's description of an event, as its hooks get it: untrusted JSON, of which a few words are kept.

use serde::Deserialize;
use serde_json::Value;

/// How much is parsed as JSON. Claude includes tools' results; what is beyond this is dropped.
pub(super) const MAX_BYTES: usize = 4 << 20;
/// Characters of one word.
const MAX_WORD: usize = 80;
/// The longest command, in bytes of JSON; a longer one is left out. The line that carries it may have 8 KiB.
const MAX_COMMAND: usize = 4 << 10;

/// Every field accepts any JSON value, so that one of a wrong type does not hide the others.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct HookPayload {
    hook_event_name: Value,
    /// The conversation's id.
    session_id: Value,
    /// Set if it happened in one of the agent's own sub-agents.
    agent_id: Value,
    notification_type: Value,
    tool_name: Value,
    tool_input: Value,
    /// Tasks that go on beside the turn.
    background_tasks: Value,
    message: Value,
}

/// What is kept of a description.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct HookWords {
    /// `agent=… type=… tool=… background=… message=…`: the parts that exist, in this order. Rules may match it.
    pub(super) detail: String,
    /// The command that would run: the full text, even if the permission prompt wraps or cuts it.
    pub(super) command: Option<String>,
    /// The conversation that it happened in.
    pub(super) conversation: Option<String>,
}

/// `Err` says why nothing was used.
pub(super) fn read(event: &str, input: &[u8]) -> Result<HookWords, String> {
    if input.iter().all(u8::is_ascii_whitespace) {
        return Ok(HookWords::default());
    }
    if input.len() > MAX_BYTES {
        return Err(format!("the description is larger than {} MiB", MAX_BYTES >> 20));
    }
    // serde would read an array as the fields in their order.
    if input.trim_ascii_start().first() != Some(&b'{') {
        return Err("the description is not a JSON object".into());
    }
    let said: HookPayload =
        serde_json::from_slice(input).map_err(|error| format!("the description is not a JSON object: {error}"))?;
    if said.hook_event_name.as_str().is_some_and(|name| name != event) {
        return Err("the description is for another event".into());
    }
    let mut words = Vec::new();
    for (name, value) in [("agent", &said.agent_id), ("type", &said.notification_type), ("tool", &said.tool_name)] {
        if let Some(value) = value.as_str().map(word).filter(|value| !value.is_empty()) {
            words.push(format!("{name}={value}"));
        }
    }
    if let Some(tasks) = said.background_tasks.as_array().filter(|tasks| !tasks.is_empty()) {
        words.push(format!("background={}", tasks.len()));
    }
    // Last, because it may contain blanks.
    if let Some(message) = said.message.as_str().filter(|message| !message.trim().is_empty()) {
        words.push(format!("message={}", message.trim()));
    }
    let command = Some(&said.tool_input["command"]).filter(|command| command.to_string().len() <= MAX_COMMAND);
    let command = command.and_then(Value::as_str).map(str::to_owned);
    let conversation = said.session_id.as_str().map(word).filter(|id| !id.is_empty());
    Ok(HookWords { detail: words.join(" "), command, conversation })
}

/// Without blanks and control characters, so that the rest can't pass for another word.
fn word(text: &str) -> String {
    text.chars().filter(|character| !character.is_whitespace() && !character.is_control()).take(MAX_WORD).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(event: &str, input: &str) -> Result<String, String> {
        read(event, input.as_bytes()).map(|words| words.detail)
    }

    #[test]
    fn a_command_is_told_whole_or_not_at_all() {
        let command = |input: &str| read("PermissionRequest", input.as_bytes()).unwrap().command;
        let lines =
            r#"{"tool_name": "Bash", "tool_input": {"command": "if true; then\n  ls\nfi", "description": "x"}}"#;
        assert_eq!(command(lines).unwrap(), "if true; then\n  ls\nfi");
        let long = format!(r#"{{"tool_input": {{"command": "{}"}}}}"#, "x".repeat(MAX_COMMAND + 1));
        assert_eq!(command(&long), None);
        for nothing in
            [r#"{"tool_input": {"file_path": "a"}}"#, r#"{"tool_input": "ls"}"#, r#"{"tool_input": {"command": 7}}"#]
        {
            assert_eq!(command(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn the_conversation_is_told() {
        let conversation = |input: &str| read("Stop", input.as_bytes()).unwrap().conversation;
        assert_eq!(conversation(r#"{"session_id": "0199a213-81c0"}"#).unwrap(), "0199a213-81c0");
        for nothing in ["{}", r#"{"session_id": 7}"#, r#"{"session_id": " "}"#] {
            assert_eq!(conversation(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn a_few_words_are_kept() {
        let input =
            r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "cat secret"}}"#;
        assert_eq!(told("PreToolUse", input).unwrap(), "tool=Bash");
        let input = r#"{"notification_type": "idle_prompt", "message": " Claude is waiting for your input"}"#;
        assert_eq!(told("Notification", input).unwrap(), "type=idle_prompt message=Claude is waiting for your input");
        let input = r#"{"background_tasks": [{}, {}], "last_assistant_message": "private", "stop_hook_active": false}"#;
        assert_eq!(told("Stop", input).unwrap(), "background=2");
        assert_eq!(told("Stop", r#"{"background_tasks": []}"#).unwrap(), "");
        assert_eq!(told("PreToolUse", r#"{"tool_name": "Read", "agent_id": "a1"}"#).unwrap(), "agent=a1 tool=Read");
        assert_eq!(told("Stop", " \n").unwrap(), "", "nothing is written to hooks of other CLIs");
    }

    #[test]
    fn words_can_not_pass_for_others() {
        let input = r#"{"tool_name": "x agent=main\ntype=idle_prompt\u0007", "message": "m"}"#;
        assert_eq!(told("PreToolUse", input).unwrap(), "tool=xagent=maintype=idle_prompt message=m");
        let long = format!(r#"{{"tool_name": "{}"}}"#, "x".repeat(5000));
        assert_eq!(told("PreToolUse", &long).unwrap().len(), "tool=".len() + MAX_WORD);
    }

    #[test]
    fn hostile_descriptions_are_left_with_a_reason() {
        for (input, why) in [
            ("{", "not a JSON"),
            ("[1]", "not a JSON object"),
            ("null", "not a JSON object"),
            ("\"Stop\"", "not a JSON object"),
            ("{} {}", "not a JSON"),
            (r#"{"hook_event_name": "Stop"}"#, "another event"),
        ] {
            let refused = told("PreToolUse", input).unwrap_err();
            assert!(refused.contains(why), "{input}: {refused}");
        }
        assert!(read("Stop", b"\xff\xfe").is_err());
        assert!(told("Stop", &"[".repeat(100_000)).is_err(), "deep nesting ends");
        assert!(told("Stop", &format!(r#"{{"x": "{}"}}"#, "x".repeat(MAX_BYTES))).unwrap_err().contains("4 MiB"));
        let wrong = r#"{"tool_name": 5, "agent_id": ["a"], "background_tasks": "many", "message": {}, "notification_type": null}"#;
        assert_eq!(told("Stop", wrong).unwrap(), "", "wrong types say nothing");
        assert_eq!(told("Stop", r#"{"hook_event_name": 7, "tool_name": "Bash"}"#).unwrap(), "tool=Bash");
    }
}
