//! What copilot, gemini, goose and qwen ask, as it is read from recordings of them at their labelled points.

use agents::preset::DecisionKind;
use agents::state::{Effect, Prompt};

use super::recordings::{points, prompt};

use Effect::{AllowOnce, Deny, Other};

/// What is asked at the first point with this label, in a recording whose name begins so.
fn asked(recording: &str, label: &str) -> Prompt {
    let points = points();
    let of_recording = points.iter().filter(|(name, _)| name.starts_with(recording));
    let mut found = of_recording.flat_map(|(name, points)| points.iter().map(move |point| (name, point)));
    let (name, point) = found.find(|(_, point)| point.label == label).unwrap_or_else(|| panic!("{recording}: {label}"));
    prompt(name, point.offset).unwrap_or_else(|| panic!("{name}: nothing is read of '{label}'"))
}

const COMMAND: &str = "asks whether a command may run";
const LINES: &str = "asks whether a command of many lines may run";
const FILE: &str = "asks whether a file may be changed";
const OTHER: &str = "asks whether another tool may be used";
const QUESTION: &str = "the model asks a question";

#[test]
fn a_command_is_read_whole_where_nothing_can_be_a_part_of_it() {
    for (recording, label, command, complete, effects) in [
        ("copilot-1.0.102-asks", COMMAND, "sh wait.sh first", true, &[AllowOnce, Deny][..]),
        ("copilot-1.0.102-turns", "asks for permission", "touch made-by-test", true, &[AllowOnce, Other, Deny]),
        ("gemini-0.61.0-asks", COMMAND, "sh wait.sh first", true, &[AllowOnce, Other, Deny]),
        // Its arguments can't be told from each other.
        (
            "goose-0.20.1-asks",
            COMMAND,
            "sh wait.sh first\ndescription: as the script says",
            false,
            &[AllowOnce, Other, Deny, Deny],
        ),
        ("qwen-0.15.10-turns", "asks for permission", "touch made-by-test", true, &[AllowOnce, Other, Other, Deny]),
    ] {
        let found = asked(recording, label);
        assert_eq!(found.kind, DecisionKind::Permission, "{recording}: {found:?}");
        assert_eq!(found.tool.as_deref(), Some("shell"), "{recording}: {found:?}");
        assert_eq!(found.command.as_deref(), Some(command), "{recording}: {found:?}");
        assert_eq!(found.complete, complete, "{recording}: {found:?}");
        let told: Vec<Effect> = found.choices.iter().map(|choice| choice.effect).collect();
        assert_eq!(told, effects, "{recording}: {found:?}");
        assert!(found.choices[0].selected, "{recording}: {found:?}");
    }
}

/// A person sees all that the CLI shows of it; another agent can't allow it.
#[test]
fn a_command_of_many_lines_is_told_line_by_line_and_is_not_whole() {
    for (recording, last) in [
        ("copilot-1.0.102-asks", "one-more-so-that-no-row-is-wide-enough.txt"),
        ("gemini-0.61.0-asks", "one-more-so-that-no-row-is-wide-enough.txt"),
        // It cuts a long line.
        ("goose-0.20.1-asks", "description: as the script says"),
        ("qwen-0.24.4-asks", "one-more-so-that-no-row-is-wide-enough.txt"),
    ] {
        let found = asked(recording, LINES);
        let command = found.command.as_deref().unwrap_or_default();
        let rows: Vec<&str> = command.lines().collect();
        assert_eq!(rows.len(), 6, "{recording}: {found:?}");
        assert_eq!(rows[..2], ["set -e", "for name in one two three; do"], "{recording}");
        assert_eq!(rows[5], last, "{recording}");
        assert!(!found.complete, "{recording}: {found:?}");
    }
}

#[test]
fn changes_of_files_name_the_file() {
    for (recording, file) in [
        ("copilot-1.0.102-asks", "/tmp/demo/project/notes.txt"),
        ("gemini-0.61.0-asks", "notes.txt"),
        ("goose-0.20.1-asks", "/tmp/demo/project/notes.txt"),
        ("qwen-0.24.4-asks", "notes.txt"),
    ] {
        let found = asked(recording, FILE);
        assert_eq!((found.rule.as_str(), found.tool.as_deref()), ("file", Some("edit")), "{recording}: {found:?}");
        assert_eq!(found.command.as_deref(), Some(file), "{recording}: {found:?}");
        let effects: Vec<Effect> = found.choices.iter().map(|choice| choice.effect).collect();
        assert_eq!((effects.first(), effects.last()), (Some(&AllowOnce), Some(&Deny)), "{recording}: {found:?}");
    }
}

#[test]
fn what_another_tool_would_do_is_shown_and_never_counts_as_whole() {
    for (recording, tool, shown) in [
        ("copilot-1.0.102-asks", "Allow path access", "/etc/hostname"),
        ("gemini-0.61.0-asks", "WebFetch", "https://example.com/a-page"),
        ("qwen-0.24.4-asks", "WebFetch", "https://example.com/a-page"),
    ] {
        let found = asked(recording, OTHER);
        assert_eq!((found.rule.as_str(), found.tool.as_deref()), ("other tool", Some(tool)), "{recording}: {found:?}");
        assert!(found.command.as_deref().is_some_and(|command| command.contains(shown)), "{recording}: {found:?}");
        assert!(!found.complete, "{recording}: {found:?}");
    }
}

#[test]
fn questions_of_the_model_are_read_with_their_answers() {
    for (recording, question, answers, keys) in [
        ("copilot-1.0.102-asks", "Which colour?\nColour:", ["Red", "Blue", "Other (type your answer)"], &[][..]),
        ("gemini-0.61.0-asks", "Which colour?", ["Red", "Blue", "Enter a custom value"], &["1", "2", "3"]),
        ("qwen-0.24.4-asks", "Which colour?", ["Red", "Blue", "Type something..."], &["1", "2", "3"]),
    ] {
        let found = asked(recording, QUESTION);
        assert_eq!((found.rule.as_str(), found.kind), ("question", DecisionKind::Question), "{recording}: {found:?}");
        assert_eq!(found.question.as_deref(), Some(question), "{recording}: {found:?}");
        let labels: Vec<&str> = found.choices.iter().map(|choice| choice.label.as_str()).collect();
        assert_eq!(labels, answers, "{recording}");
        let found_keys: Vec<&str> = found.choices.iter().filter_map(|choice| choice.key.as_deref()).collect();
        assert_eq!(found_keys, keys, "{recording}");
        assert!(found.choices[0].selected, "{recording}: {found:?}");
    }
}
