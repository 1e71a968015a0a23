//! What a client told the model: the same for every dialect.

use serde_json::Value;

/// The APIs that are spoken.
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
    /// `None` for requests that are no part of a conversation.
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

/// One request of a client.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    /// The word in the address it came to.
    pub client: String,
    pub dialect: ApiDialect,
    pub conversation: Conversation,
}

impl ReceivedRequest {
    /// Whether it brings a new prompt for the script, and not a tool's result or a question beside the conversation.
    pub fn is_prompt(&self) -> bool {
        let conversation = &self.conversation;
        conversation.results.is_empty() && !conversation.tools.is_empty() && conversation.wanted_json.is_none()
    }
}

/// Where a conversation stands.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    /// The last prompt.
    pub user: String,
    /// Every prompt, in order. What clients put in by themselves is left out.
    pub prompts: Vec<String>,
    /// What tools answered since the last prompt.
    pub results: Vec<ToolResult>,
    /// What they answered before it.
    pub earlier: Vec<ToolResult>,
    /// The tools that may be called.
    pub tools: Vec<OfferedTool>,
    /// The client wants JSON of this schema and nothing else.
    pub wanted_json: Option<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedTool {
    pub name: String,
    /// Where one is set apart from the name.
    pub namespace: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// As the model called it.
    pub tool: String,
    pub text: String,
}

impl ToolResult {
    /// The JSON object in it; null where there is none. Clients wrap what a server answered in words of their own.
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

/// What a shell is called, from one CLI to the next.
const SHELLS: [&str; 7] =
    ["Bash", "bash", "exec_command", "shell_command", "shell", "run_shell_command", "run_command"];

impl Conversation {
    /// A prompt. What the client wrote into it by itself is taken out, and where nothing else is in it, it is none.
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

    /// What the last tool answered.
    pub fn last_result(&self) -> Option<&ToolResult> {
        self.results.last()
    }

    /// What the last call of `tool` answered that `fits`, in this turn or an earlier one; null where there is none.
    pub fn answer_of(&self, tool: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let all = self.earlier.iter().chain(&self.results).rev().filter(|result| result.tool.ends_with(tool));
        all.map(ToolResult::json).find(|answer| fits(answer)).unwrap_or_default()
    }

    /// The tool of this name. `shell` is whatever runs commands. `SERVER:NAME` is that of an MCP server, under whatever
    /// name the client gives it: a client may have one of its own that is called alike.
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
    fn is_of(&self, server: &str, name: &str) -> bool {
        match (&self.namespace, self.name.strip_suffix(name)) {
            (Some(namespace), Some("")) => namespace.ends_with(server),
            (None, Some(prefix)) => prefix.trim_end_matches(['_', '-', '.']).ends_with(server) && prefix != server,
            _ => false,
        }
    }
}

/// How texts begin that CLIs put among a person's.
const CONTEXT: [&str; 6] = [
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

/// The text in a content: a string, a block, or a list of either.
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
