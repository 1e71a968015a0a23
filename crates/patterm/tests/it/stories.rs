//! Whole stories, headless, with fake agents: the fakes run with the shipped presets' command lines, start the proxy
//! like the real CLIs, and call the tools that their scripts name.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::stage::Stage;

/// Every message of connections whose file name contains `part`.
fn transcripts(stage: &Stage, part: &str) -> Vec<Value> {
    let folder = stage.path("project/seen/mcp");
    let files = std::fs::read_dir(folder).unwrap().flatten();
    let files = files.filter(|file| file.file_name().to_str().unwrap().contains(part));
    let texts = files.map(|file| std::fs::read_to_string(file.path()).unwrap());
    let lines: Vec<String> = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    lines.iter().map(|line| serde_json::from_str::<Value>(line).unwrap()["message"].clone()).collect()
}

fn calls<'a>(messages: &'a [Value], tool: &str) -> Vec<(&'a Value, &'a Value)> {
    let asked = messages.iter().filter(|message| message["params"]["name"] == tool);
    asked
        .map(|asked| {
            let answer =
                messages.iter().find(|message| message["id"] == asked["id"] && message.get("method").is_none());
            (&asked["params"]["arguments"], &answer.unwrap_or_else(|| panic!("{tool} was not answered"))["result"])
        })
        .collect()
}

#[test]
fn an_orchestrator_leads_two_sub_agents_of_other_makes_and_cleans_up() {
    let stage = Stage::new();
    stage.install_fake("claude", "orchestrator");
    stage.install_fake("codex", "reviewer");
    stage.install_fake("opencode", "builder");
    let patterm = stage.headless(&["--debug=seen"]);
    let mut human = patterm.operator();
    let lead = human.spawn_agent("claude", "lead", "orchestrate the work");
    human.see(&lead, "STORY-DONE");
    human.see(&lead, "CONFLICT-MERGED true");
    let left = human.call("list_processes", json!({ "all": true }));
    assert_eq!(left["processes"].as_array().unwrap().len(), 1, "only the lead is left: {left}");
    let plan = stage.scratchpad("plan");
    assert_eq!(plan, "plan of the lead\nsomeone else's line\nmerged by the lead\n", "nothing is lost");
    let (status, _, err) = patterm.end(Signal::TERM);
    assert!(status.success(), "{err}");

    let lead = transcripts(&stage, "-orchestrator-");
    let spawned = calls(&lead, "spawn_agent");
    assert_eq!(spawned.len(), 2);
    assert!(spawned.iter().all(|(_, result)| result["structuredContent"]["turn_id"].is_string()), "{spawned:?}");
    let (_, changed) = *calls(&lead, "get_process_output").last().unwrap();
    let changed = &changed["structuredContent"];
    let rows = changed["changed_rows"].as_array().unwrap_or_else(|| panic!("only what changed: {changed}"));
    assert!(rows.iter().any(|row| row["text"].as_str().unwrap().contains("SECOND-LOOK-DONE")), "{changed}");
    let (_, conflict) = calls(&lead, "scratchpad_write")[1];
    assert_eq!(conflict["structuredContent"]["ok"], false, "a revision that is old: {conflict}");
    let (_, answered) = calls(&lead, "send_input")[0];
    assert_eq!(answered["isError"], false, "the permission prompt was answered: {answered}");

    let workers = transcripts(&stage, "-sub-agent-");
    let (_, refused) = calls(&workers, "spawn_agent")[0];
    assert_eq!(refused["isError"], true);
    assert!(refused["content"][0]["text"].as_str().unwrap().contains("role_forbidden"), "{refused}");
    assert!(!stage.path("run/patterm").read_dir().unwrap().any(|_| true), "nothing is left in the run's folder");
}

#[test]
fn one_is_killed_one_hangs_one_floods_and_the_lead_goes_on() {
    let stage = Stage::new();
    stage.install_fake("claude", "orchestrator-trouble");
    stage.install_fake("codex", "troubled");
    stage.install_fake("opencode", "troubled");
    // The lead and one of its sub-agents are the same CLI: the prompt tells the fake which role it plays.
    let both = stage.path("bin/claude");
    let lead = std::fs::read_to_string(&both).unwrap();
    let second = lead.replace("orchestrator-trouble", "troubled").replace("#!/bin/sh\n", "");
    let first = lead.replace("#!/bin/sh\n", "");
    std::fs::write(
        &both,
        format!("#!/bin/sh\nif [ -e {0} ]; then\n{second}fi\n: >{0}\n{first}", stage.path("tmp/lead").display()),
    )
    .unwrap();
    let patterm = stage.headless(&["--debug=seen"]);
    let mut human = patterm.operator();
    let lead = human.spawn_agent("claude", "lead", "orchestrate the work");
    human.see(&lead, "STORY-DONE");
    let left = human.call("list_processes", json!({ "all": true }));
    assert_eq!(left["processes"].as_array().unwrap().len(), 1, "{left}");
    let (status, _, err) = patterm.end(Signal::TERM);
    assert!(status.success(), "{err}");
    let lead = transcripts(&stage, "-orchestrator-");
    let states = calls(&lead, "wait_for_state");
    assert_eq!(states[0].1["structuredContent"]["reached"], true, "the killed one: {}", states[0].1);
    assert_eq!(states[1].1["structuredContent"]["reached"], false, "the hanging one is no idle one: {}", states[1].1);
    let (_, found) = calls(&lead, "search_output")[0];
    assert_eq!(found["isError"], false, "{found}");
    assert!(calls(&lead, "close_process").iter().all(|(_, closed)| closed["isError"] == false));
}
