//! What is listed for whom, and how.

use std::collections::BTreeSet;

use ops::{CallerEvent, Context, Faces, Role};
use serde_json::{Value, json};

use crate::stage::{Stage, stateless};

const ROLES: [Role; 3] = [Role::Operator, Role::Orchestrator, Role::SubAgent];

async fn tools(stage: &Stage, role: Role) -> Vec<Value> {
    let mut client = stage.connect_as(role);
    let tools = client.result("tools/list", stateless(json!({}))).await["tools"].as_array().unwrap().clone();
    client.close().await.unwrap();
    tools
}

async fn tool(stage: &Stage, name: &str) -> Value {
    tools(stage, Role::Operator).await.into_iter().find(|tool| tool["name"] == name).unwrap()
}

/// The parity test: everything declared for this face and role, and nothing else.
#[tokio::test]
async fn every_operation_of_this_face_is_listed_for_the_roles_that_may_call_it() {
    let stage = Stage::new();
    let mut offered = BTreeSet::new();
    for role in ROLES {
        let listed = tools(&stage, role).await;
        offered.extend(listed.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()));
        let names: Vec<&str> = listed.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        let declared: Vec<&str> = stage
            .program
            .table()
            .entries()
            .iter()
            .filter(|entry| entry.traits.faces.contains(Faces::MCP) && entry.traits.roles.allow(role))
            .map(|entry| entry.name())
            .collect();
        assert_eq!(names, declared, "{role:?}, in the table's order");
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "names are unique");
        assert_eq!(names.contains(&"lead"), role == Role::Orchestrator);
        assert!(!names.contains(&"hidden"));
        assert!(names.contains(&"get_process_ports"));
    }
    stage.program.table().check_face(Faces::MCP, offered.iter().map(String::as_str)).unwrap();
}

#[tokio::test]
async fn schemas_are_objects_that_stand_alone() {
    let stage = Stage::new();
    for tool in tools(&stage, Role::Operator).await {
        let mut schemas = vec![&tool["inputSchema"]];
        if tool["name"] == "bare" {
            assert!(tool["outputSchema"].is_null(), "structured content must be an object");
        } else {
            schemas.push(&tool["outputSchema"]);
        }
        for schema in schemas {
            assert_eq!(schema["type"], "object", "{tool}");
            let properties = schema["properties"].as_object().unwrap();
            assert!(properties.values().all(|property| property.is_object() || property.is_boolean()), "{tool}");
            for required in schema["required"].as_array().into_iter().flatten() {
                assert!(properties.contains_key(required.as_str().unwrap()), "{tool}");
            }
            let text = schema.to_string();
            for word in ["\"$ref\"", "\"$defs\"", "\"uint", "\"int"] {
                assert!(!text.replace("\"integer\"", "").contains(word), "{word} in {tool}");
            }
        }
    }
}

#[tokio::test]
async fn a_tool_is_described_by_its_types_and_effects() {
    let stage = Stage::new();
    let echo = tool(&stage, "echo").await;
    assert_eq!(echo["description"], "Says the same again.");
    assert_eq!(echo["annotations"], json!({ "readOnlyHint": true, "destructiveHint": false }));
    let input = &echo["inputSchema"];
    assert_eq!(input["properties"]["text"], json!({ "type": "string", "description": "What to say." }));
    assert_eq!(input["properties"]["times"]["maximum"], 65535);
    assert_eq!((&input["required"], &input["additionalProperties"]), (&json!(["text"]), &json!(false)));
    assert!(input["properties"]["voice"].to_string().contains("loud"), "enums stand where they are used: {input}");
    let output = &echo["outputSchema"];
    assert_eq!(output["properties"]["text"]["type"], "string");
    assert_eq!(output["required"], json!(["text", "voice"]), "as it is written");
    assert_eq!(tool(&stage, "erase").await["annotations"], json!({ "readOnlyHint": false, "destructiveHint": true }));
    assert_eq!(tool(&stage, "hold").await["annotations"], json!({ "readOnlyHint": false, "destructiveHint": false }));
}

#[tokio::test]
async fn the_host_hears_of_coming_listing_and_going() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    assert_eq!(stage.heard(), [CallerEvent::Connected]);
    client.result("tools/list", json!({})).await;
    assert_eq!(client.error("tools/list", json!({ "cursor": "x" })).await["code"], -32602);
    assert_eq!(stage.heard(), [CallerEvent::Connected, CallerEvent::ListedTools]);
    client.close().await.unwrap();
    assert_eq!(stage.heard(), [CallerEvent::Connected, CallerEvent::ListedTools, CallerEvent::Gone]);
}
