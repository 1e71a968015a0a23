//! Explains the tools to callers.

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Call, CallEffects, Context, Entry, ErrorKind, Faces, HelpTopic, OpError, Operation, OperationTraits, Roles,
};

mod topics;

pub use topics::about_sessions;

/// Short guidance by topic, or on one tool by its name. Without a topic: the list of topics.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// A topic, or the name of a tool.
    #[serde(default)]
    pub topic: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reply {
    pub topic: String,
    pub content: String,
    pub related_tools: Vec<String>,
}

#[derive(Debug)]
pub struct Help;

impl<C: Context> Operation<C> for Help {
    const TRAITS: OperationTraits =
        OperationTraits { name: "help", roles: Roles::ANYONE, faces: Faces::MCP, effects: CallEffects::ReadOnly };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<C>, args: Args) -> Result<Reply, OpError> {
        let topics = call.host().help_topics(call.caller.role);
        let wanted = args.topic.as_deref().map(str::trim).filter(|topic| !topic.is_empty()).unwrap_or("topics");
        if wanted == "topics" {
            return Ok(list(&topics));
        }
        let may_call = |name: &str| {
            let entry = call.context.table().get(name);
            entry.is_some_and(|entry| {
                entry.traits.faces.contains(Faces::MCP) && entry.traits.roles.allow(call.caller.role)
            })
        };
        if let Some(topic) = topics.iter().find(|topic| topic.name == wanted) {
            let related = topic.related_tools.iter().filter(|name| may_call(name));
            return Ok(Reply {
                topic: topic.name.to_owned(),
                content: topic.content.clone().into_owned(),
                related_tools: related.map(ToString::to_string).collect(),
            });
        }
        if let Some(entry) = call.context.table().get(wanted).filter(|entry| may_call(entry.name())) {
            return Ok(about_tool(entry));
        }
        let names: Vec<&str> = topics.iter().map(|topic| topic.name).collect();
        Err(OpError::new(ErrorKind::NotFound, format!("there is no help on '{}'", engine::shown_name(wanted)))
            .with_hint(format!("use one of {}, or the name of a tool", names.join(", "))))
    }
}

fn list(topics: &[HelpTopic]) -> Reply {
    let names: Vec<&str> = topics.iter().map(|topic| topic.name).collect();
    let opening = topics.iter().find(|topic| topic.name == "topics").map_or("", |topic| &topic.content);
    let list = format!("Topics: {}. Any tool's name is a topic too.", names.join(", "));
    Reply {
        topic: "topics".to_owned(),
        content: format!("{opening} {list}").trim_start().to_owned(),
        related_tools: vec!["help".to_owned(), "whoami".to_owned()],
    }
}

fn about_tool<C: Context>(entry: &Entry<C>) -> Reply {
    let mut content = entry.description().to_owned();
    let schema = entry.args_schema();
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, text) in described(schema) {
        let needed = if required.contains(&name) { " (required)" } else { "" };
        content.push_str(&format!("\n- {name}{needed}: {text}"));
    }
    // The list of tools has the names only.
    let told: Vec<String> = described(entry.reply_schema())
        .filter(|(_, text)| !text.is_empty())
        .map(|(name, text)| format!("\n- {name}: {text}"))
        .collect();
    if !told.is_empty() {
        content.push_str(&format!("\nIn the reply:{}", told.concat()));
    }
    Reply { topic: entry.name().to_owned(), content, related_tools: vec![entry.name().to_owned()] }
}

/// The fields of an object, with what is said of them.
fn described(schema: &Schema) -> impl Iterator<Item = (&str, String)> {
    let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    fields.map(|(name, field)| {
        let text = field.get("description").and_then(Value::as_str).unwrap_or_default();
        (name.as_str(), text.replace('\n', " "))
    })
}
