//! Generates docs/agents-matrix.md from the results.

use std::fmt::Write;

use super::MatrixRow;
use crate::agents::{deliver::PromptResults, moments::MomentResults};

const HEAD: &str = "\
# The agent CLIs, version by version

<!-- Written by `cargo lab agents matrix` from agents-matrix.json. Change it there. -->

The real programs from npm, each under a headless patterm with the shipped preset and a home folder of its own, against a
scripted model (`testkit::model`). `cargo lab agents matrix --only NAME@VERSION` renews one row.

*States*: the CLI is led through moments whose truth is known without patterm (the model holds its answer back, a command
runs, a screen was opened); what patterm says is compared when the moment has settled. The scenes are in `lab/moments`.
*Wrong idle* is the longest time in such a moment that it was told idle, asked every 20 ms, though it worked or waited for a
decision. *Prompts*: of 1 to 20,000 bytes of every sort (one line and many, CJK, forged tags, escape bytes …), sent with
send_message; each must come to the model once, whole and submitted. *Turns told*: prompts whose turn `wait_for_state` told
the end of.

";

pub(super) fn of(rows: &[MatrixRow]) -> String {
    let mut page = HEAD.to_owned();
    page.push_str("| CLI | version | states right | wrong idle, at most | prompts once, whole | turns told |\n");
    page.push_str("|---|---|---|---|---|---|\n");
    for row in rows {
        let (states, idle) = row.states.as_ref().map_or(("not run".into(), "–".into()), states);
        let (once, told) = row.prompts.as_ref().map_or(("not run".into(), "–".into()), prompts);
        writeln!(page, "| {} | {} | {states} | {idle} | {once} | {told} |", row.agent, row.version)
            .expect("text takes text");
    }
    page.push_str(&sum(rows));
    page.push_str("\n## What was not right\n\n");
    let before = page.len();
    rows.iter().for_each(|row| faults(&mut page, row));
    if page.len() == before {
        page.push_str("Nothing.\n");
    }
    page
}

fn states(results: &MomentResults) -> (String, String) {
    let states = format!("{} of {}", results.right(), results.moments.len());
    (states, format!("{} ms", results.longest_wrong_idle().as_millis()))
}

fn prompts(results: &PromptResults) -> (String, String) {
    (format!("{} of {}", results.once, results.sent), format!("{} of {}", results.turns_told, results.sent))
}

fn sum(rows: &[MatrixRow]) -> String {
    let states = rows.iter().filter_map(|row| row.states.as_ref());
    let (right, all) =
        states.fold((0, 0), |(right, all), results| (right + results.right(), all + results.moments.len()));
    let prompts = rows.iter().filter_map(|row| row.prompts.as_ref());
    let (once, sent) = prompts.fold((0, 0), |(once, sent), results| (once + results.once, sent + results.sent));
    format!("| **all** | | **{right} of {all}** | | **{once} of {sent}** | |\n")
}

fn faults(page: &mut String, row: &MatrixRow) {
    let mut lines: Vec<String> = row.note.iter().cloned().collect();
    if let Some(states) = &row.states {
        for moment in &states.moments {
            let (label, truth, told, idle) = (&moment.label, &moment.truth, &moment.told, moment.wrong_idle_ms);
            if !moment.is_right() {
                let detail = moment.detail.as_deref().unwrap_or_default();
                lines.push(format!("{label}: it is {truth}, told {told} ({detail})"));
            } else if idle > 0 {
                lines.push(format!("{label}: told idle for {idle} ms"));
            }
        }
        lines.extend(states.broken.iter().map(|scene| format!("“{}” ended early: {}", scene.scene, scene.reason)));
    }
    if let Some(prompts) = &row.prompts {
        lines.extend(prompts.faults.iter().cloned());
    }
    if !lines.is_empty() {
        writeln!(page, "- **{} {}**", row.agent, row.version).expect("text takes text");
        // Text of programs must not become markup.
        lines.iter().for_each(|line| writeln!(page, "  - {}", plain(line)).expect("text takes text"));
    }
}

fn plain(text: &str) -> String {
    let text: String = text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
    text.replace(['<', '>', '`', '|', '*', '_'], " ")
}
