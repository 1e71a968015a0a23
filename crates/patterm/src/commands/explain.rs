//! `patterm explain`

use std::path::PathBuf;

use clap::ValueHint;
use mcp::OneCall;
use serde_json::{Value, json};

use crate::{
    failure::{Exit, Failure, Outcome},
    output::{Output, columns, printable},
    running::{self, Answer},
    surroundings::Surroundings,
};

/// Show why a session of a running patterm is said to be idle, working or blocked
///
/// Prints what it is doing and every vote behind that: the rule, where its evidence comes from, what it says, and whether
/// it decides. All runs of yours that keep a connect file are asked (--headless, --mcp-http, --operator-file); --connect
/// names one. On the screen, "Explain state…" in the palette tells the same.
#[derive(Debug, clap::Args)]
pub(crate) struct Explain {
    /// The session's name or id
    #[arg(value_name = "NAME|ID")]
    session: String,
    /// The connect file of the run, as `patterm --headless` prints it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    connect: Option<PathBuf>,
}

impl Explain {
    pub(crate) fn run(self, surroundings: &Surroundings, output: &mut Output) -> Outcome {
        let runs = match &self.connect {
            Some(file) => vec![surroundings.working_dir.join(file)],
            None => running::operators(surroundings),
        };
        let call =
            OneCall { operation: "explain_state".into(), arguments: json!({ "process_id": self.session.as_str() }) };
        let mut answered = Vec::new();
        let mut refused = None;
        let mut unreachable = None;
        for run in runs {
            match running::call(&run, &call) {
                Ok(Answer::Reply(reply)) => answered.push((run, reply)),
                Ok(Answer::Refused { message, hint }) => refused = Some((message, hint)),
                // A run that is just ending; another may answer.
                Err(failure) => unreachable = Some(failure),
            }
        }
        match (answered.as_slice(), refused, unreachable) {
            ([(_, reply)], _, _) => {
                output.answer(reply, &lines(reply))?;
                Ok(Exit::Done)
            }
            ([], Some((message, hint)), _) => Err(Failure::not_found(message).with_hint(hint)),
            ([], None, Some(failure)) => Err(failure),
            ([], None, None) => {
                let message = "no patterm of yours with a connect file is running";
                Err(Failure::new(Exit::Unreachable, "unreachable", message)
                    .with_hint("start it with --operator-file, or use \"Explain state…\" in its palette"))
            }
            (several, _, _) => {
                let files: Vec<String> = several.iter().map(|(file, _)| file.display().to_string()).collect();
                let message = format!("{} runs have a session '{}'", files.len(), printable(&self.session));
                Err(Failure::new(Exit::Usage, "ambiguous", message)
                    .with_hint(format!("name one with --connect: {}", files.join(", "))))
            }
        }
    }
}

fn lines(reply: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let state = &reply["state"];
    let mut lines =
        vec![format!("{}  {}  {}", text(&reply["process_id"]), text(&state["name"]), text(&state["detail"]))];
    lines.push(format!("since {}, source {}", text(&state["since"]), state["source"].as_str().unwrap_or("-")));
    let missing: Vec<&str> = reply["missing"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let ready = match (reply["ready"].as_bool(), missing.is_empty()) {
        (Some(true), _) => "ready for prompts".to_owned(),
        (_, true) => "not ready for prompts".to_owned(),
        (_, false) => format!("not ready for prompts: {}", missing.join(", ")),
    };
    lines.push(ready);
    if reply["draft"] == true {
        lines.push("something stands in its prompt box".to_owned());
    }
    if let Some(prompt) = reply.get("prompt") {
        lines.push(format!("asks ({}): {} {}", text(&prompt["kind"]), text(&prompt["tool"]), text(&prompt["command"])));
        for choice in prompt["choices"].as_array().into_iter().flatten() {
            let mark = if choice["selected"] == true { ">" } else { " " };
            lines.push(format!("  {mark} {} {}", text(&choice["key"]), text(&choice["label"])));
        }
    }
    let mut lines: Vec<String> = lines.iter().map(|line| printable(line)).collect();
    lines.push(String::new());
    let votes = reply["votes"].as_array().into_iter().flatten();
    let rows: Vec<[String; 5]> =
        votes.map(|vote| ["standing", "state", "source", "rule", "detail"].map(|key| text(&vote[key]))).collect();
    lines.extend(columns(["STANDING", "STATE", "SOURCE", "RULE", "DETAIL"], &rows));
    lines
}
