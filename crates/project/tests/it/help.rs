//! Telling agents where they are.

use ops::{Caller, Context, Faces, Role};
use serde_json::json;

use crate::stage::{Stage, id};

const TOPICS: [&str; 11] = [
    "topics",
    "spawning",
    "lifecycle",
    "inspection",
    "io",
    "coordination",
    "scratchpads",
    "timers",
    "readiness",
    "permissions",
    "conventions",
];

#[tokio::test]
async fn every_role_has_the_eleven_topics_and_help_on_each_tool() {
    let stage = Stage::new();
    for role in [Role::Operator, Role::Orchestrator, Role::SubAgent] {
        let caller = Caller { role, session: None };
        let list = stage.json_as(&caller, "help", json!({})).await.unwrap();
        let listed = list["content"].as_str().unwrap();
        assert!(
            listed.ends_with(&format!("Topics: {}. Any tool's name is a topic too.", TOPICS.join(", "))),
            "{listed}"
        );
        for topic in &TOPICS[1..] {
            let page = stage.json_as(&caller, "help", json!({"topic": topic})).await.unwrap();
            assert_eq!(&page["topic"], topic);
            assert!(page["content"].as_str().unwrap().len() > 200, "{page}");
            for tool in page["related_tools"].as_array().unwrap() {
                assert!(stage.project.table().offered(Faces::MCP, role).any(|entry| entry.name() == tool), "{tool}");
            }
        }
        for entry in stage.project.table().offered(Faces::MCP, role) {
            let page = stage.json_as(&caller, "help", json!({"topic": entry.name()})).await.unwrap();
            assert!(page["content"].as_str().unwrap().len() > 30, "{page}");
        }
    }
    stage.close().await;
}

#[tokio::test]
async fn an_agent_is_told_who_it_is_and_what_there_is() {
    let stage = Stage::new();
    let (parent, _) = stage.agent(None).await;
    let (child, caller) = stage.agent(Some(&parent)).await;
    stage.json("scratchpad_write", json!({"name": "plan.md", "content": "x"})).await.unwrap();
    let status = stage.json_as(&caller, "get_project_status", json!({})).await.unwrap();
    let me = &status["caller"];
    assert_eq!((&me["process_id"], &me["parent_process_id"]), (&json!(id(&child)), &json!(id(&parent))));
    assert_eq!((&me["role"], &me["name"]), (&json!("sub-agent"), &json!("agent-2")));
    let layout = stage.project.layout();
    assert_eq!(status["project"], json!({"path": layout.project_dir, "key": layout.key.as_str()}));
    let processes = status["processes"].as_array().unwrap();
    assert_eq!(processes.len(), 2);
    for process in processes {
        assert!(process["idle_ms"].is_u64() && process["state"]["name"].is_string(), "{process}");
    }
    assert_eq!(status["scratchpads"][0]["name"], "plan.md");
    assert_eq!(stage.json_as(&caller, "whoami", json!({})).await.unwrap(), *me);
    let operator = stage.json("whoami", json!({})).await.unwrap();
    assert_eq!(operator["role"], "operator");
    assert!(operator.get("process_id").is_none(), "{operator}");
    stage.close().await;
}
