//! `patterm explain`

use std::path::PathBuf;

use clap::ValueHint;
use program::{Exit, Outcome, Surroundings};
use serde_json::{Value, json};

use crate::{
    output::{Output, columns, printable},
    running::{self, AskedRuns},
};

/// Show why patterm thinks that a session is idle, working or blocked
///
/// Prints the state and every vote behind it: the rule, the source of its evidence, the detail, and whether the vote
/// decided. Asks all your runs that have a connect file (--headless, --mcp-http, --operator-file); --connect picks one.
/// On the screen, "Explain state…" in the palette shows the same.
#[derive(Debug, clap::Args)]
pub(crate) struct ExplainArgs {
    /// The session's name or id
    #[arg(value_name = "NAME|ID")]
    session: String,
    /// The connect file of the run, as `patterm --headless` prints it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    connect: Option<PathBuf>,
}

impl ExplainArgs {
    pub(crate) fn run(self, surroundings: &Surroundings, output: &mut Output) -> Outcome {
        let arguments = json!({ "process_id": self.session.as_str() });
        let asked = AskedRuns { session: &self.session, connect: self.connect.as_deref() };
        let reply = running::ask_all(asked, "explain_state", &arguments, surroundings)?;
        output.answer(&reply, &lines(&reply))?;
        Ok(Exit::Done)
    }
}

fn lines(reply: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let state = &reply["state"];
    let mut lines =
        vec![format!("{}  {}  {}", text(&reply["process_id"]), text(&state["name"]), text(&state["detail"]))];
    if let Some(mode) = state["mode"].as_str() {
        lines.push(format!("mode {mode}"));
    }
    lines.push(format!("since {}, source {}", text(&state["since"]), state["source"].as_str().unwrap_or("-")));
    let missing: Vec<&str> = reply["missing"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let ready = match (reply["ready"].as_bool(), missing.is_empty()) {
        (Some(true), _) => "ready for prompts".to_owned(),
        (_, true) => "not ready for prompts".to_owned(),
        (_, false) => format!("not ready for prompts: {}", missing.join(", ")),
    };
    lines.push(ready);
    if reply["draft"] == true {
        lines.push("its prompt box holds a draft".to_owned());
    }
    if let Some(prompt) = reply.get("prompt") {
        let asked = ["tool", "command", "question"].map(|key| text(&prompt[key]).replace('\n', " "));
        let asked: Vec<&str> = asked.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        lines.push(format!("asks ({}): {}", text(&prompt["kind"]), asked.join(" ")));
        for choice in prompt["choices"].as_array().into_iter().flatten() {
            let mark = if choice["selected"] == true { ">" } else { " " };
            lines.push(format!("  {mark} {} {}", text(&choice["key"]), text(&choice["label"])));
        }
    }
    if let Some(version) = reply.get("version") {
        let fit = text(&version["fit"]).replace('_', " ");
        let note = version["note"].as_str().map(|note| format!(": {note}")).unwrap_or_default();
        lines.push(format!("version {} ({fit}){note}", text(&version["found"])));
    }
    let mut lines: Vec<String> = lines.iter().map(|line| printable(line)).collect();
    lines.push(String::new());
    let votes = reply["votes"].as_array().into_iter().flatten();
    let rows: Vec<[String; 5]> =
        votes.map(|vote| ["standing", "state", "source", "rule", "detail"].map(|key| text(&vote[key]))).collect();
    lines.extend(columns(["STANDING", "STATE", "SOURCE", "RULE", "DETAIL"], &rows));
    lines
}
