//! What patterm can do, as a whole.

use ops::{Context, Faces, Role};

use crate::stage::Stage;

/// The tools of the specification, and ours besides.
const TOOLS: [&str; 36] = [
    "spawn_agent",
    "spawn_process",
    "start_process",
    "restart_process",
    "stop_process",
    "close_process",
    "rename_process",
    "select_process",
    "list_processes",
    "get_process_status",
    "get_project_status",
    "get_process_output",
    "get_process_raw_output",
    "search_output",
    "wait_for_pattern",
    "get_process_ports",
    "send_input",
    "send_message",
    "request_human_attention",
    "timer_wait",
    "timer_set",
    "timer_fire_when_idle_any",
    "timer_fire_when_idle_all",
    "timer_cancel",
    "timer_pause",
    "timer_resume",
    "timer_list",
    "scratchpad_list",
    "scratchpad_read",
    "scratchpad_write",
    "scratchpad_append",
    "scratchpad_delete",
    "whoami",
    "help",
    "wait_for_state",
    "explain_state",
];

#[tokio::test]
async fn mcp_has_the_thirty_four_tools_and_ours() {
    let stage = Stage::new();
    let table = stage.project.table();
    table.check_face(Faces::MCP, TOOLS).unwrap();
    let offered = |role| table.offered(Faces::MCP, role).count();
    assert_eq!((offered(Role::Operator), offered(Role::Orchestrator), offered(Role::SubAgent)), (36, 36, 35));
    for entry in table.entries() {
        let same = table.entries().iter().filter(|other| other.name() == entry.name()).count();
        assert!(same == 1 && !entry.description().is_empty(), "{}", entry.name());
        assert_eq!(
            entry.reply_schema().get("type").and_then(serde_json::Value::as_str),
            Some("object"),
            "{}",
            entry.name()
        );
    }
    stage.close().await;
}
