//! What a client told the model, independent of the dialect.

use serde_json::Value;

/// The supported APIs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiDialect {
    /// Anthropic's Messages.
    Messages,
    /// OpenAI's Responses.
    Responses,
    /// OpenAI's Chat Completions.
    Chat,
    /// Google's generateContent.
    Gemini,
}

impl ApiDialect {
    /// The dialect of a path; `None` for requests that are not part of a conversation.
    pub(super) fn of(method: &str, path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        let ends = [
            ("/messages", ApiDialect::Messages),
            ("/responses", ApiDialect::Responses),
            ("/chat/completions", ApiDialect::Chat),
            (":generateContent", ApiDialect::Gemini),
            (":streamGenerateContent", ApiDialect::Gemini),
        ];
        ends.into_iter().find(|(end, _)| method == "POST" && path.ends_with(end)).map(|(_, dialect)| dialect)
    }
}

/// One request from a client.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    /// The client's word in the request's address.
    pub client: String,
    pub dialect: ApiDialect,
    pub conversation: Conversation,
}

impl ReceivedRequest {
    /// Whether it brings a new prompt for the script, rather than a tool's result or a side question.
    pub fn is_prompt(&self) -> bool {
        let conversation = &self.conversation;
        conversation.results.is_empty() && !conversation.tools.is_empty() && conversation.wanted_json.is_none()
    }
}

/// The state of a conversation.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    /// The last prompt.
    pub user: String,
    /// Every prompt, in order, without text that the client added by itself.
    pub prompts: Vec<String>,
    /// Tool results since the last prompt.
    pub results: Vec<ToolResult>,
    /// Tool results before that.
    pub earlier: Vec<ToolResult>,
    /// The tools that the model may call.
    pub tools: Vec<OfferedTool>,
    /// The client wants only JSON of this schema.
    pub wanted_json: Option<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedTool {
    pub name: String,
    /// The namespace, where the dialect separates it from the name.
    pub namespace: Option<String>,
    /// How many bytes its description and schema take in the request, as JSON.
    pub bytes: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// The name that the model called it by.
    pub tool: String,
    pub text: String,
}

impl ToolResult {
    /// The JSON object in it, or null. Clients wrap a server's answer in text of their own.
    pub fn json(&self) -> Value {
        let Some(start) = self.text.find('{') else { return Value::Null };
        let mut values = serde_json::Deserializer::from_str(&self.text[start..]).into_iter::<Value>();
        let Some(Ok(value)) = values.next() else { return Value::Null };
        match value.get("structuredContent") {
            Some(content) if content.is_object() => content.clone(),
            _ => value,
        }
    }
}

/// Names of the shell tool in the various CLIs.
const SHELLS: [&str; 7] =
    ["Bash", "bash", "exec_command", "shell_command", "shell", "run_shell_command", "run_command"];

impl Conversation {
    /// Adds a prompt, without the text that the client added; nothing if that is all of it.
    pub(super) fn said<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) {
        let kept: Vec<&str> = texts.into_iter().filter(|text| !is_context(text)).collect();
        if kept.is_empty() {
            return;
        }
        self.user = kept.join("\n");
        self.prompts.push(self.user.clone());
        self.earlier.append(&mut self.results);
    }

    pub(super) fn answered(&mut self, tool: &str, text: String) {
        self.results.push(ToolResult { tool: tool.to_owned(), text });
    }

    /// The last tool result.
    pub fn last_result(&self) -> Option<&ToolResult> {
        self.results.last()
    }

    /// The last result of `tool` that `fits`, in this turn or an earlier one; null if there is none.
    pub fn answer_of(&self, tool: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let all = self.earlier.iter().chain(&self.results).rev().filter(|result| result.tool.ends_with(tool));
        all.map(ToolResult::json).find(|answer| fits(answer)).unwrap_or_default()
    }

    /// The tool with this name. `shell` is any tool that runs commands. `SERVER:NAME` is an MCP server's tool, under
    /// whatever name the client gives it: a client may have a tool of its own with the same name.
    pub fn tool(&self, name: &str) -> Option<&OfferedTool> {
        let exact = |name: &str| self.tools.iter().find(|tool| tool.name == name);
        match name.split_once(':') {
            Some((server, name)) => self.tools.iter().find(|tool| tool.is_of(server, name)),
            None if name == "shell" => {
                SHELLS.iter().find_map(|shell| exact(shell)).or_else(|| self.tool("developer:shell"))
            }
            None => exact(name),
        }
    }
}

impl OfferedTool {
    /// As the request describes it; `None` if it has no name.
    pub(super) fn described(description: &Value) -> Option<Self> {
        let name = description["name"].as_str()?.to_owned();
        Some(OfferedTool { name, namespace: None, bytes: description.to_string().len() })
    }

    pub fn is_of(&self, server: &str, name: &str) -> bool {
        match (&self.namespace, self.name.strip_suffix(name)) {
            (Some(namespace), Some("")) => namespace.ends_with(server),
            (None, Some(prefix)) => prefix.trim_end_matches(['_', '-', '.']).ends_with(server) && prefix != server,
            _ => false,
        }
    }
}

/// The mark of a turn that the person interrupted (Claude Code).
pub(super) const INTERRUPTED: &str = "[Request interrupted by user";

/// Prefixes of texts that CLIs insert among the person's.
const CONTEXT: [&str; 7] = [
    INTERRUPTED,
    "<system-reminder>",
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<session_context>",
    "# AGENTS.md instructions",
];

fn is_context(text: &str) -> bool {
    let text = text.trim_start();
    text.is_empty() || CONTEXT.iter().any(|start| text.starts_with(start))
}

/// The text of a content field: a string, a block, or a list of either.
pub(super) fn texts(content: &Value) -> Vec<&str> {
    match content {
        Value::String(text) => vec![text],
        Value::Array(blocks) => blocks.iter().flat_map(texts).collect(),
        Value::Object(block) => match (block.get("text"), block.get("content"), block.get("output")) {
            (Some(Value::String(text)), _, _) => vec![text],
            (_, Some(content), _) | (_, None, Some(content)) => texts(content),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}
