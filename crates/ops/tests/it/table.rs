//! The table as faces and readers see it.

use ops::{Context, Faces, Role};

use crate::stage::Stage;

#[tokio::test]
async fn every_operation_is_described() {
    let stage = Stage::new();
    for entry in stage.context.table().entries() {
        let name = entry.name();
        assert!(entry.description().len() > 20, "{name} has no description");
        let schema = entry.args_schema();
        assert_eq!(schema.get("type").unwrap(), "object", "{name}");
        assert_eq!(schema.get("additionalProperties").unwrap(), false, "{name} takes unknown arguments");
        let arguments = schema.get("properties").and_then(|all| all.as_object()).cloned().unwrap_or_default();
        for (argument, schema) in arguments {
            assert!(schema.get("description").is_some(), "{name}.{argument} has no description");
        }
        // Weak clients don't follow references.
        for schema in [entry.args_schema(), entry.reply_schema()] {
            assert!(!serde_json::to_string(schema).unwrap().contains("$ref"), "{name}");
        }
    }
    stage.close().await;
}

#[tokio::test]
async fn faces_and_roles_filter_what_is_offered() {
    let stage = Stage::new();
    let table = stage.context.table();
    let offered = |face, role| table.offered(face, role).map(|entry| entry.name()).collect::<Vec<_>>();
    assert!(offered(Faces::GRPC, Role::Operator).contains(&"record_process"));
    assert!(!offered(Faces::GRPC, Role::SubAgent).contains(&"record_process"));
    assert!(!offered(Faces::MCP, Role::Operator).contains(&"record_process"));
    assert_eq!(table.declared(Faces::MCP).len(), 16);
    assert_eq!(table.declared(Faces::GRPC), table.declared(Faces::CLI));
    stage.close().await;
}
