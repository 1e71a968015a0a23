//! Telling callers where they are.

use ops::{ErrorKind, HelpTopic, Host};
use serde_json::json;

use crate::stage::{Stage, id};

#[tokio::test]
async fn whoami_tells_role_session_and_tools() {
    let stage = Stage::new();
    let operator = stage.json("whoami", json!({})).await.unwrap();
    assert_eq!(operator["role"], "operator");
    assert!(operator.get("session").is_none(), "{operator}");
    let (session, caller) = stage.agent(None).await;
    let agent = stage.json_as(caller, "whoami", json!({})).await.unwrap();
    assert_eq!((&agent["role"], &agent["session"]["process_id"]), (&json!("orchestrator"), &json!(id(&session))));
    let tools = agent["available_tools"].as_array().unwrap();
    assert!(tools.contains(&json!("send_input")) && tools.contains(&json!("help")), "{tools:?}");
    // Not offered over MCP.
    assert!(!tools.contains(&json!("get_screen")) && !tools.contains(&json!("record_process")), "{tools:?}");
    stage.close().await;
}

#[tokio::test]
async fn help_knows_its_topics_and_every_tool() {
    let stage = Stage::new();
    let list = stage.json("help", json!({})).await.unwrap();
    assert_eq!(list["topic"], "topics");
    for topic in ["spawning", "lifecycle", "inspection", "io", "waiting", "errors"] {
        assert!(list["content"].as_str().unwrap().contains(topic), "{topic}");
        let page = stage.json("help", json!({"topic": topic})).await.unwrap();
        assert!(page["content"].as_str().unwrap().len() > 100, "{page}");
        // Each tool that a page names is there for its reader.
        let related = page["related_tools"].as_array().unwrap();
        assert!(!related.is_empty(), "{page}");
        for tool in related {
            stage.json("help", json!({"topic": tool})).await.unwrap();
        }
    }
    let tool = stage.json("help", json!({"topic": "send_input"})).await.unwrap();
    let content = tool["content"].as_str().unwrap();
    assert!(content.contains("process_id (required)") && content.contains("wait_ms"), "{content}");
    for unknown in ["dance", "get_screen"] {
        assert_eq!(stage.refusal("help", json!({"topic": unknown})).await, ErrorKind::NotFound);
    }
    stage.close().await;
}

struct Talkative;

impl Host for Talkative {
    fn help_topics(&self, _: ops::Role) -> Vec<HelpTopic> {
        let page = |name, content: &'static str| HelpTopic {
            name,
            content: content.into(),
            related_tools: vec!["no_such_tool"],
        };
        vec![page("topics", "Hello."), page("io", "ours"), page("trust", "about trust")]
    }
}

#[tokio::test]
async fn a_program_has_its_own_pages() {
    let stage = Stage::with(Talkative);
    for (topic, content) in [("io", "ours"), ("trust", "about trust")] {
        let page = stage.json("help", json!({"topic": topic})).await.unwrap();
        assert_eq!((&page["content"], &page["related_tools"]), (&json!(content), &json!([])));
    }
    let list = stage.json("help", json!({"topic": " "})).await.unwrap();
    assert_eq!(list["content"], "Hello. Topics: topics, io, trust. Any tool's name is a topic too.");
    assert_eq!(stage.refusal("help", json!({"topic": "waiting"})).await, ErrorKind::NotFound);
    stage.close().await;
}
