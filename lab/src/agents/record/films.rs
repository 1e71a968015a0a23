//! Films of single CLIs besides the conversation that all of them have: settings screens, questions of the model,
//! background work, a model that refuses, and questions before the first prompt.

use std::fs;

use anyhow::{Context, Result};
use serde_json::json;
use testkit::model::{ModelAnswer, ModelScript};

use super::super::{stage::Stage, vendors::Vendor};

pub(super) struct Film {
    vendor: &'static str,
    pub(super) name: &'static str,
    /// Files in the user's home besides what every run needs.
    pub(super) prepare: fn(&Stage) -> Result<()>,
    pub(super) steps: fn() -> Vec<Step>,
}

pub(super) enum Step {
    Type(&'static str),
    Press(&'static str),
    /// A prompt, and its Enter.
    Ask(&'static str),
    /// Until this is on the screen.
    See(&'static str),
    /// Until this is no longer on the screen.
    Gone(&'static str),
    /// Until nothing is drawn any more.
    Rest,
    /// For screens that never come to rest, in milliseconds.
    Roll(u64),
    Is(&'static str, &'static str),
}

use Step::{Ask, Gone, Is, Press, Rest, Roll, See, Type};

const FILMS: &[Film] = &[
    Film { vendor: "codex", name: "screens", prepare: nothing, steps: codex_screens },
    Film { vendor: "codex", name: "work", prepare: nothing, steps: codex_work },
    Film { vendor: "codex", name: "sign-in", prepare: codex_without_account, steps: codex_sign_in },
    Film { vendor: "codex", name: "update", prepare: codex_with_an_update, steps: codex_update },
    Film { vendor: "opencode", name: "screens", prepare: nothing, steps: opencode_screens },
    Film { vendor: "opencode", name: "work", prepare: nothing, steps: opencode_work },
];

impl Film {
    pub(super) fn named(vendor: &Vendor, name: &str) -> Result<&'static Self> {
        let of_vendor = || FILMS.iter().filter(|film| film.vendor == vendor.name);
        let names: Vec<&str> = of_vendor().map(|film| film.name).collect();
        let found = of_vendor().find(|film| film.name == name);
        found.with_context(|| {
            format!("there is no film '{name}' of {}; there are turns {}", vendor.name, names.join(" "))
        })
    }

    /// How the CLI is started for the film: on the main screen, like its preset does.
    pub(super) fn arguments(&self) -> &'static [&'static str] {
        match self.vendor {
            "codex" => &["--no-daemon", "--no-alt-screen"],
            _ => &[],
        }
    }
}

pub(super) fn script() -> ModelScript {
    let question = |several: bool| {
        let options = json!([{ "label": "Red", "description": "warm" }, { "label": "Blue", "description": "cold" }]);
        let colour =
            json!({ "id": "colour", "header": "Colour", "question": "Which colour do you want?", "options": options });
        let options =
            json!([{ "label": "Small", "description": "fits" }, { "label": "Large", "description": "lasts" }]);
        let size =
            json!({ "id": "size", "header": "Size", "question": "Which sizes?", "multiple": true, "options": options });
        json!({ "questions": if several { vec![colour, size] } else { vec![colour] } })
    };
    ModelScript::new()
        .when("please ask twice")
        .call("question", question(true))
        .say("It is done.")
        .when("please ask")
        .then(move |said| {
            let tool = if said.tool("question").is_some() { "question" } else { "request_user_input" };
            ModelAnswer::call(tool, question(false))
        })
        .say("It is done.")
        .when("please plan")
        .say("<proposed_plan>\n# Plan\n- one\n- two\n</proposed_plan>")
        .when("please leave it running")
        .call(
            "exec_command",
            json!({ "cmd": "sleep 300", "yield_time_ms": 1000, "sandbox_permissions": "require_escalated",
                    "justification": "the script says so" }),
        )
        .say("It is done.")
        .when("please hand it over")
        .call("task", json!({ "description": "look", "prompt": "please wait", "subagent_type": "general" }))
        .say("It is done.")
        .when("please wait")
        .then(|_| ModelAnswer::say("Never said.").behind_gate("never"))
        .when("please run")
        .then(|said| ModelAnswer::shell(said, "touch made-by-test"))
        .say("It is done.")
        .when("please stumble")
        .then(|_| ModelAnswer::refuse(500, json!({ "error": { "message": "try again later" } })))
        .when("please be refused")
        .then(|_| ModelAnswer::refuse(400, json!({ "error": { "message": "no such thing", "type": "invalid" } })))
        .when("please reach the limit")
        .then(|_| {
            ModelAnswer::refuse(
                429,
                json!({ "error": { "message": "You have hit your usage limit", "type": "usage_limit_reached" } }),
            )
        })
}

fn nothing(_: &Stage) -> Result<()> {
    Ok(())
}

/// A screen that a slash command opens and Escape closes.
fn screen(command: &'static str, sign: &'static str, key: &'static str) -> Vec<Step> {
    vec![
        Type(command),
        Roll(700),
        Press("enter"),
        See(sign),
        Rest,
        Is(command, "blocked"),
        Press(key),
        Gone(sign),
        Rest,
    ]
}

fn codex_without_account(stage: &Stage) -> Result<()> {
    Ok(fs::write(stage.home().join(".codex/config.toml"), "")?)
}

fn codex_with_an_update(stage: &Stage) -> Result<()> {
    let settings = stage.home().join(".codex/config.toml");
    let text = fs::read_to_string(&settings)?;
    fs::write(&settings, text.replace("check_for_update_on_startup = false\n", ""))?;
    let known = json!({ "latest_version": "99.0.0", "last_checked_at": "2100-01-01T00:00:00Z" });
    Ok(fs::write(stage.home().join(".codex/version.json"), known.to_string())?)
}

fn codex_sign_in() -> Vec<Step> {
    vec![See("Sign in with ChatGPT"), Rest, Is("how to sign in", "blocked")]
}

fn codex_update() -> Vec<Step> {
    vec![
        See("Update available"),
        Rest,
        Is("an update is offered", "blocked"),
        Press("esc"),
        See("Ask Codex to do anything"),
        Rest,
        Is("ready", "idle"),
    ]
}

const CODEX_READY: &str = "Ask Codex to do anything";

fn codex_screens() -> Vec<Step> {
    let screens = [
        ("/permissions", "Update Model Permissions", "esc"),
        ("/model", "Select Model", "esc"),
        ("/resume", "Resume a previous session", "esc"),
        ("/diff", "q close", "q"),
        ("/theme", "Select Syntax Theme", "esc"),
        ("/skills", "Choose an action", "esc"),
        ("/statusline", "Configure Status Line", "esc"),
        ("/hooks", "Lifecycle hooks", "esc"),
        ("/review", "Select a review preset", "esc"),
        ("/agent", "esc back", "esc"),
    ];
    let mut steps = vec![See(CODEX_READY), Rest, Is("ready", "idle")];
    for (command, sign, key) in screens {
        steps.extend(screen(command, sign, key));
        steps.push(Is("a screen was left", "idle"));
    }
    steps.extend([Type("/ps"), Roll(700), Press("enter"), See("No background terminals"), Rest, Is("/ps", "idle")]);
    steps.extend([Type("/approvals"), Rest, Is("a slash command is typed", "idle")]);
    steps.extend([Press("ctrl-u"), Rest, Type("/"), Rest, Is("the list of commands is open", "idle")]);
    steps.extend([Press("ctrl-u"), Rest, Press("?"), Rest, Is("the list of keys is shown", "idle"), Press("?"), Rest]);
    steps.extend([Press("ctrl-t"), See("q close"), Rest, Is("the transcript", "blocked"), Press("q"), Rest]);
    steps.push(Is("the transcript was left", "idle"));
    steps
}

fn codex_work() -> Vec<Step> {
    let refused = "Conversation interrupted";
    vec![
        See(CODEX_READY),
        Rest,
        Ask("please leave it running"),
        See("Would you like to run"),
        Roll(2000),
        Is("asks for permission", "blocked"),
        Press("enter"),
        See("It is done."),
        Rest,
        Is("a terminal in the background", "idle"),
        Type("!"),
        Roll(400),
        Type("sleep 6"),
        Roll(700),
        Press("enter"),
        See("Running sleep 6"),
        Roll(2000),
        Is("a command of the person's own", "working"),
        See("You ran sleep 6"),
        Rest,
        Is("it has ended", "idle"),
        Ask("please stumble"),
        See("Reconnecting"),
        Roll(1500),
        Is("the model can't be reached", "working"),
        Press("esc"),
        See(refused),
        Rest,
        Is("interrupted", "idle"),
        Ask("please be refused"),
        See("no such thing"),
        Rest,
        Is("the model refused", "idle"),
        Ask("please reach the limit"),
        See("usage limit"),
        Rest,
        Is("the usage limit", "idle"),
        Type("/compact"),
        Roll(700),
        Press("enter"),
        See("Context compacted"),
        Rest,
        Is("compacted", "idle"),
        Type("/plan"),
        Roll(700),
        Press("enter"),
        See("Plan mode"),
        Rest,
        Is("plan mode", "idle"),
        Ask("please ask"),
        See("Which colour do you want?"),
        Roll(3000),
        Is("the model asks", "blocked"),
        Press("enter"),
        See("It is done."),
        Rest,
        Is("answered", "idle"),
        Ask("please plan"),
        See("Implement this plan?"),
        Rest,
        Is("a plan is offered", "blocked"),
        Press("esc"),
        Gone("Implement this plan?"),
        Rest,
        Is("the plan was not taken", "idle"),
    ]
}

const OPENCODE_READY: &str = "Ask anything";

fn opencode_screens() -> Vec<Step> {
    let screens = [
        ("/models", "Select model"),
        ("/sessions", "Sessions"),
        ("/themes", "Themes"),
        ("/mcps", "MCPs"),
        ("/agents", "Select agent"),
        ("/help", "Press ctrl+p to see"),
        ("/status", "No MCP Servers"),
    ];
    let mut steps = vec![See(OPENCODE_READY), Rest, Is("ready", "idle")];
    for (command, sign) in screens {
        steps.extend(screen(command, sign, "esc"));
        steps.push(Is("a screen was left", "idle"));
    }
    steps.extend([Press("ctrl-p"), See("Commands"), Rest, Is("the command palette", "blocked")]);
    steps.extend([Press("esc"), Rest, Is("the palette was left", "idle")]);
    steps.extend([Type("/"), Rest, Is("the list of commands is open", "idle"), Press("ctrl-u"), Rest]);
    // During a conversation, a dialog covers text.
    steps.extend([Ask("hello there"), See("You said"), Rest, Is("after a turn", "idle")]);
    for (command, sign) in [("/models", "Select model"), ("/rename", "Rename"), ("/timeline", "Timeline")] {
        steps.extend(screen(command, sign, "esc"));
        steps.push(Is("a screen was left", "idle"));
    }
    steps
}

fn opencode_work() -> Vec<Step> {
    vec![
        See(OPENCODE_READY),
        Rest,
        Ask("please ask"),
        See("Which colour do you want?"),
        Roll(3000),
        Is("the model asks", "blocked"),
        Press("enter"),
        See("It is done."),
        Rest,
        Is("answered", "idle"),
        Ask("please ask twice"),
        See("⇆ tab"),
        Roll(3000),
        Is("the model asks two things", "blocked"),
        Press("enter"),
        See("Which sizes?"),
        Rest,
        Is("the second question", "blocked"),
        Press("esc"),
        Gone("Which sizes?"),
        Rest,
        Is("the questions were dismissed", "idle"),
        Type("!"),
        Roll(400),
        Type("sleep 6"),
        Roll(700),
        Press("enter"),
        Roll(3000),
        Is("a command of the person's own", "working"),
        Gone("esc interrupt"),
        Rest,
        Is("it has ended", "idle"),
        Ask("please reach the limit"),
        See("retrying in"),
        Roll(1500),
        Is("the model is asked again", "working"),
        Press("esc"),
        Roll(300),
        Press("esc"),
        Gone("retrying in"),
        Rest,
        Is("interrupted", "idle"),
        Ask("please be refused"),
        See("no such thing"),
        Rest,
        Is("the model refused", "idle"),
        Ask("please hand it over"),
        See("General Task"),
        Roll(4000),
        Is("a sub-agent works", "working"),
        Press("esc"),
        Roll(300),
        Press("esc"),
        Gone("esc interrupt"),
        Rest,
        Is("the sub-agent was stopped", "idle"),
        Type("/compact"),
        Roll(700),
        Press("enter"),
        See("Compaction"),
        Gone("esc interrupt"),
        Rest,
        Is("compacted", "idle"),
    ]
}
