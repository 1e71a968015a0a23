//! Who sees and reaches what.

use ops::{Caller, ErrorKind, Role, operations::*};
use serde_json::json;
use testkit::Script;

use crate::stage::{Stage, id};

/// Two tabs: an agent with a sub-agent that has a command, and another agent with a terminal.
struct Tabs {
    stage: Stage,
    first: (engine::Session, Caller),
    below: (engine::Session, Caller),
    command: String,
    second: (engine::Session, Caller),
}

impl Tabs {
    async fn new() -> Self {
        let stage = Stage::new();
        let first = stage.agent(None).await;
        let below = stage.agent(Some(&first.0)).await;
        let argv = Script::new().hang().argv().into_iter().map(|word| word.into_string().unwrap()).collect();
        let args = spawn_process::Args { argv: Some(argv), name: Some("job".into()), ..Default::default() };
        let command = stage.run_as::<SpawnProcess>(below.1.clone(), args).await.unwrap().process_id;
        let second = stage.agent(None).await;
        Tabs { stage, first, below, command, second }
    }

    async fn listed(&self, caller: &Caller, all: bool) -> Vec<String> {
        let args = list_processes::Args { all, ..Default::default() };
        let reply = self.stage.run_as::<ListProcesses>(caller.clone(), args).await.unwrap();
        reply.processes.into_iter().map(|entry| entry.process_id).collect()
    }
}

#[tokio::test]
async fn a_list_is_of_the_callers_tab_unless_all_are_asked_for() {
    let tabs = Tabs::new().await;
    let own = vec![id(&tabs.first.0), id(&tabs.below.0), tabs.command.clone()];
    let all = [own.clone(), vec![id(&tabs.second.0)]].concat();
    assert_eq!(tabs.listed(&tabs.first.1, false).await, own);
    // A sub-agent sees the whole tab, not only what is below it.
    assert_eq!(tabs.listed(&tabs.below.1, false).await, own);
    assert_eq!(tabs.listed(&tabs.second.1, false).await, [id(&tabs.second.0)]);
    assert_eq!(tabs.listed(&tabs.second.1, true).await, all);
    assert_eq!(tabs.listed(&Caller::operator(), false).await, all);
    let agents = tabs.stage.json("list_processes", json!({"kind": "agent"})).await.unwrap();
    assert_eq!(agents["processes"].as_array().unwrap().len(), 3);
    tabs.stage.close().await;
}

#[tokio::test]
async fn what_an_agent_starts_is_its_child_and_the_orchestrators() {
    let tabs = Tabs::new().await;
    let args = json!({"process_id": "job"});
    let status = tabs.stage.json("get_process_status", args).await.unwrap();
    assert_eq!(status["parent_process_id"], id(&tabs.below.0));
    assert_eq!((&status["owner"], &status["kind"]), (&json!("orchestrator"), &json!("command")));
    tabs.stage.close().await;
}

#[tokio::test]
async fn an_agent_changes_only_its_own_tree_and_reads_everything() {
    let tabs = Tabs::new().await;
    let changes = [
        ("send_input", json!({"text": "x"})),
        ("stop_process", json!({})),
        ("start_process", json!({})),
        ("restart_process", json!({})),
        ("close_process", json!({})),
        ("kill_process", json!({})),
        ("rename_process", json!({"name": "mine"})),
        ("resize_process", json!({"cols": 10, "rows": 10})),
    ];
    // Another tab, the agent above, and one below oneself.
    let reach = [
        (&tabs.second.1, &tabs.command, false),
        (&tabs.below.1, &id(&tabs.first.0), false),
        (&tabs.first.1, &tabs.command, true),
        (&tabs.below.1, &tabs.command, true),
    ];
    for (caller, target, allowed) in reach {
        if allowed {
            let args = json!({"process_id": target, "cols": 90, "rows": 30});
            tabs.stage.json_as(caller.clone(), "resize_process", args).await.unwrap();
            continue;
        }
        for (operation, args) in &changes {
            let mut args = args.clone();
            args["process_id"] = json!(target);
            let error = tabs.stage.json_as(caller.clone(), operation, args).await.unwrap_err();
            assert_eq!(error.kind, ErrorKind::NotRelated, "{operation}: {error:?}");
            assert!(!error.hint.is_empty());
        }
        for operation in ["get_process_output", "get_process_status", "get_process_ports", "get_process_raw_output"] {
            let args = json!({"process_id": target});
            tabs.stage.json_as(caller.clone(), operation, args).await.unwrap();
        }
    }
    tabs.stage.close().await;
}

#[tokio::test]
async fn recording_is_for_operators() {
    let tabs = Tabs::new().await;
    for role in [Role::Orchestrator, Role::SubAgent] {
        let caller = Caller { role, ..tabs.first.1.clone() };
        let by_table = tabs.stage.json_as(caller.clone(), "record_process", json!({"process_id": "job"})).await;
        assert_eq!(by_table.unwrap_err().kind, ErrorKind::RoleForbidden);
        let args = record_process::Args { process_id: "job".into(), ..Default::default() };
        let by_type = tabs.stage.run_as::<RecordProcess>(caller, args).await;
        assert_eq!(by_type.unwrap_err().kind, ErrorKind::RoleForbidden);
    }
    tabs.stage.json("record_process", json!({"process_id": "job"})).await.unwrap();
    tabs.stage.close().await;
}

#[tokio::test]
async fn a_caller_whose_session_is_gone_has_no_tab() {
    let tabs = Tabs::new().await;
    tabs.second.0.remove(engine::StopRequest { signal: None, grace: Some(std::time::Duration::ZERO) }).await.unwrap();
    assert_eq!(tabs.listed(&tabs.second.1, false).await, [""; 0]);
    let args = json!({"process_id": tabs.command, "text": "x"});
    let error = tabs.stage.json_as(tabs.second.1.clone(), "send_input", args).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotRelated);
    tabs.stage.close().await;
}
