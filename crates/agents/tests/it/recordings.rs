//! The shipped rules over recordings of the real programs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agents::preset::{Shipped, parse_agent};
use agents::state::{
    Behaviour, Effect, Prompt, Recording, ReplayedState, Score, ScorePoint, State, Timing, hooks_from_jsonl,
    points_from_json, prompt_at_end, replay, typed_from_jsonl,
};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recordings/agents")
}

/// By recording, in their order.
pub(crate) fn points() -> BTreeMap<String, Vec<ScorePoint>> {
    points_from_json(&std::fs::read(folder().join("points.json")).unwrap()).unwrap()
}

fn shipped(recording: &str) -> &'static Shipped {
    Shipped::of_recording(recording).expect("a recording is named after its preset")
}

fn behaviour(recording: &str) -> Behaviour {
    let shipped = shipped(recording);
    Behaviour::from(&parse_agent(Path::new(shipped.file_name), shipped.text).unwrap().preset)
}

fn times(recording: &str) -> String {
    std::fs::read_to_string(folder().join(format!("{recording}.timing.jsonl"))).unwrap()
}

fn timeline(recording: &str) -> Vec<ReplayedState> {
    play(recording, &Timing::from_jsonl(&times(recording)).expect("the recording has times"))
}

fn play(recording: &str, timing: &Timing) -> Vec<ReplayedState> {
    let bytes = std::fs::read(folder().join(recording)).unwrap();
    let hooks = hooks_from_jsonl(&times(recording));
    replay(Recording { bytes: &bytes, size: vt::Size::new(120, 40), timing, hooks: &hooks }, &behaviour(recording))
}

fn judge_all(timeline: impl Fn(&str) -> Vec<ReplayedState>) {
    let (mut right, mut labelled) = (0, 0);
    let mut wrong = Vec::new();
    for (recording, points) in points() {
        labelled += points.iter().filter(|point| point.state.is_some()).count();
        let score = Score::of(&timeline(&recording), &points, &[]);
        right += score.right;
        wrong.extend(score.wrong.into_iter().map(|wrong| format!("{recording}: {wrong:?}")));
    }
    assert!(wrong.is_empty(), "{right} right, {} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(right, labelled);
    assert!(labelled >= 390, "points were lost");
}

#[test]
fn every_labelled_point_has_the_right_state() {
    judge_all(timeline);
}

#[test]
fn every_labelled_point_has_the_right_state_when_the_times_are_not_known() {
    judge_all(|recording| play(recording, &Timing::Settled));
}

/// Nobody is told of an end that is none: a short flicker is waited out, a longer one would be believed.
#[test]
fn nothing_is_called_idle_for_long_while_it_works() {
    const LONGEST: Duration = Duration::from_millis(300);
    let mut recordings = points();
    for more in ["claude-2.1.197-preset.raw", "codex-0.166.0-preset.raw"] {
        recordings.entry(more.into()).or_default();
    }
    for (recording, points) in recordings {
        let score = Score::of(&timeline(&recording), &points, &typed_from_jsonl(&times(&recording)));
        assert!(score.longest_wrong_idle() <= LONGEST, "{recording}: {:?}", score.wrong_idles);
    }
}

/// The picture after the first `offset` bytes.
fn grid(recording: &str, offset: usize) -> String {
    let bytes = std::fs::read(folder().join(recording)).unwrap();
    let mut terminal =
        vt::Terminal::new(vt::TerminalOptions { size: vt::Size::new(120, 40), ..vt::TerminalOptions::default() });
    terminal.feed(&bytes[..offset]);
    let mut grid = String::new();
    terminal.grid_text(&mut grid);
    grid
}

#[test]
fn trimmed_grids_keep_the_conversation_and_lose_the_prompt_box() {
    for (recording, offset, kept, gone) in [
        ("claude-2.1.197-turns.raw", 19321, ["STUB-END", "second line of paste"], ["? for shortcuts", "/effort"]),
        ("codex-0.166.0-noaltscreen.raw", 8503, ["STUB-", "› "], ["Ask Codex to do", "gpt-5.2-codex default ·"]),
        ("opencode-1.18.33-turns.raw", 107141, ["STUB-END", "second line of paste"], ["ctrl+p commands", "▀▀▀▀"]),
    ] {
        let preset = parse_agent(Path::new("x.json"), shipped(recording).text).unwrap().preset;
        let grid = grid(recording, offset);
        let trimmed = agents::chrome::trim(&grid, &preset.chrome_trim_hints);
        for text in kept {
            assert!(trimmed.contains(text), "{recording}: '{text}' is gone:\n{trimmed}");
        }
        for text in gone {
            assert!(grid.contains(text), "{recording}: '{text}' was never there:\n{grid}");
            assert!(!trimmed.contains(text), "{recording}: '{text}' is still there:\n{trimmed}");
        }
    }
}

#[test]
fn what_remains_is_the_conversation() {
    for (recording, offset, rows) in [
        (
            "claude-2.1.197-turns.raw",
            19321,
            &[
                "❯ STUB:call whoami {}",
                "  Called patterm (ctrl+o to expand)",
                "● STUB-DONE result=MCP-OK",
                "❯ 1STUB:slow 6",
                "  second line of paste",
                "● STUB-SLOW word0",
                "  word17",
            ][..],
        ),
        (
            "codex-0.166.0-turns.raw",
            60091,
            &[
                "› STUB:call whoami {}",
                "• Called patterm.whoami",
                "  └ MCP-OK",
                "• STUB-DONE result=Wall time",
                "› STUB:gap 6",
                "• STUB-GAP over",
                "› STUB:bash touch /var/made-by-codex",
                "✔ You approved codex to run touch",
                "• Ran touch /var/made-by-codex",
                "  └ (no output)",
                "• STUB-DONE result=Chunk ID",
            ],
        ),
        (
            "opencode-1.18.33-turns.raw",
            107141,
            &[
                "  ┃  STUB:call whoami {}",
                "     ⚙ patterm_whoami",
                "     STUB-DONE result=MCP-OK",
                "  ┃  STUB:slow 6",
                "  ┃  second line of paste",
                "     STUB-SLOW word0",
                "     word16",
            ],
        ),
    ] {
        let preset = parse_agent(Path::new("x.json"), shipped(recording).text).unwrap().preset;
        let trimmed = agents::chrome::trim(&grid(recording, offset), &preset.chrome_trim_hints);
        let left: Vec<&str> = trimmed.lines().filter(|row| !row.trim().is_empty()).collect();
        let as_expected = left.len() == rows.len() && left.iter().zip(rows).all(|(left, row)| left.starts_with(row));
        assert!(as_expected, "{recording}:\n{trimmed}");
    }
}

/// What the agent asks after the first `offset` bytes.
pub(crate) fn prompt(recording: &str, offset: usize) -> Option<Prompt> {
    let bytes = std::fs::read(folder().join(recording)).unwrap();
    let bytes = &bytes[..offset];
    let timing = Timing::from_jsonl(&times(recording)).unwrap();
    prompt_at_end(Recording { bytes, size: vt::Size::new(120, 40), timing: &timing, hooks: &[] }, &behaviour(recording))
}

#[test]
fn questions_of_the_model_are_read_with_their_answers() {
    for (recording, label, answers) in [
        ("codex-0.166.0-work.raw", "the model asks", ["Red", "Blue", "None of the above"]),
        ("opencode-1.18.33-work.raw", "the model asks", ["Red", "Blue", "Type your own answer"]),
        ("opencode-1.18.33-work.raw", "the model asks two things", ["Red", "Blue", "Type your own answer"]),
        ("opencode-1.18.33-work.raw", "the second question", ["Small", "Large", "Type your own answer"]),
    ] {
        let points = points();
        let point = points[recording].iter().find(|point| point.label == label).expect("a point of this label");
        let prompt = prompt(recording, point.offset).expect("a question that can be read");
        assert_eq!(prompt.rule, "question of the model", "{recording}, {label}");
        let asked = if label == "the second question" {
            "Which sizes? (select all that apply)"
        } else {
            "Which colour do you want?"
        };
        assert_eq!(prompt.question.as_deref(), Some(asked), "{recording}, {label}");
        let labels: Vec<&str> = prompt.choices.iter().map(|choice| choice.label.as_str()).collect();
        assert_eq!(labels, answers, "{recording}, {label}");
        let keys: Vec<&str> = prompt.choices.iter().filter_map(|choice| choice.key.as_deref()).collect();
        assert_eq!(keys, ["1", "2", "3"], "{recording}, {label}");
    }
}

#[test]
fn prompts_are_read_as_structure() {
    use Effect::{AllowOnce, Deny, Other};
    let whole = true;
    for (recording, offset, tool, command, complete, effects) in [
        // What claude says for a command can be told from its second line: the command stands above once more.
        (
            "claude-2.1.197-turns.raw",
            33250,
            "shell",
            "touch /home/u/work/proj/made-by-claude",
            whole,
            [AllowOnce, Other, Deny],
        ),
        (
            "claude-2.1.197-ghostty-notify.raw",
            12242,
            "shell",
            "rm -rf /home/u/work/nonexist",
            whole,
            [AllowOnce, Other, Deny],
        ),
        ("claude-2.1.197-argv-prompt.raw", 12725, "edit", "w.txt", whole, [AllowOnce, Other, Deny]),
        ("claude-2.1.197-turns.raw", 6511, "Tool use", "patterm - whoami (MCP)", !whole, [AllowOnce, Other, Deny]),
        ("codex-0.166.0-turns.raw", 53467, "shell", "touch /var/made-by-codex", whole, [AllowOnce, Other, Deny]),
        ("codex-0.166.0-argv-prompt.raw", 19640, "shell", "touch /var/made-by-codex2", whole, [AllowOnce, Other, Deny]),
        ("codex-0.166.0-turns.raw", 17279, "mcp", "patterm MCP server to run tool", whole, [AllowOnce, Other, Other]),
        ("opencode-1.18.33-turns.raw", 163995, "shell", "touch /var/made-by-opencode", whole, [AllowOnce, Other, Deny]),
        (
            "opencode-1.18.33-turns.raw",
            158596,
            "← Access external directory /tmp",
            "Patterns",
            !whole,
            [Other, Other, Deny],
        ),
    ] {
        let found = prompt(recording, offset).unwrap_or_else(|| panic!("{recording} {offset}: no prompt"));
        let place = format!("{recording} {offset}: {found:?}");
        assert_eq!((found.kind.as_str(), found.tool.as_deref()), ("permission", Some(tool)), "{place}");
        assert!(found.command.as_deref().is_some_and(|found| found.starts_with(command)), "{place}");
        assert_eq!(found.complete, complete, "{place}");
        let found_effects: Vec<Effect> = found.choices.iter().take(3).map(|choice| choice.effect).collect();
        assert_eq!(found_effects, effects, "{place}");
        assert!(found.choices[0].selected, "{place}");
    }
    // No prompt is up, though one was.
    for (recording, offset) in [
        ("claude-2.1.197-turns.raw", 37111),
        ("codex-0.166.0-turns.raw", 60091),
        ("codex-0.166.0-turns.raw", 45131),
        ("opencode-1.18.33-turns.raw", 186510),
    ] {
        assert_eq!(prompt(recording, offset), None, "{recording} {offset}");
    }
    // The mark was moved to the second, and only its background tells.
    let moved = prompt("opencode-1.18.33-turns.raw", 164_330).unwrap();
    assert_eq!(moved.choices.iter().map(|choice| choice.selected).collect::<Vec<_>>(), [false, true, false]);
    // The same one has the same digest, however often it is painted; another one has another.
    let digest = |offset| prompt("codex-0.166.0-turns.raw", offset).unwrap().digest;
    assert_eq!(digest(53404), digest(53467));
    assert_eq!(digest(20025), digest(27016));
    assert_ne!(digest(27016), digest(53467));
}

/// Seen with claude 2.1.197 where the person's settings ask for every command. What is said for the command stands under
/// it, so that it is read whole only because the conversation above shows the same.
#[test]
fn a_question_that_names_a_rule_of_the_person_is_read_whole() {
    let asked = |above: &str| {
        let line = "─".repeat(120);
        let screen = format!(
            "● Bash({above})\n  ⎿ \u{a0}Waiting…\n\n{line}\n Bash command\n\n   git log --oneline\n   as the script says\n\n \
             Permission rule Bash requires confirmation for this command.\n /permissions to update rules\n\n \
             Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel · Tab to amend · ctrl+e to explain"
        );
        let bytes = screen.replace('\n', "\r\n").into_bytes();
        let recording = Recording { bytes: &bytes, size: vt::Size::new(120, 40), timing: &Timing::Settled, hooks: &[] };
        prompt_at_end(recording, &behaviour("claude-2.1.197-turns.raw")).expect("it asks")
    };
    let read = asked("git log --oneline");
    assert_eq!((read.tool.as_deref(), read.command.as_deref()), (Some("shell"), Some("git log --oneline")));
    assert!(read.complete);
    assert!(!asked("git log").complete, "what stands above is another command");
}

/// Claude reports what it asks leave for, on one line. The report tells what the screen can't, and is believed only where the
/// screen shows the same text.
#[test]
fn a_command_that_is_reported_as_well_is_known_in_full() {
    let asked = |rows: &[&str], reported: &str| {
        let line = "─".repeat(120);
        let rows = rows.join("\n   ");
        let record = vt::StatusRecord {
            kind: Some(vt::BlockedKind::Permission),
            msg: Some(format!("approve Bash: {reported}")),
            ..vt::StatusRecord::new(vt::ProgramState::Blocked)
        };
        let screen = format!(
            "{}{line}\n Bash command\n\n   {rows}\n   Says what it is for\n\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n \
             Esc to cancel · Tab to amend",
            record.sequence()
        );
        let bytes = screen.replace('\n', "\r\n").into_bytes();
        let recording = Recording { bytes: &bytes, size: vt::Size::new(120, 40), timing: &Timing::Settled, hooks: &[] };
        prompt_at_end(recording, &behaviour("claude-2.1.197-turns.raw")).expect("it asks")
    };
    let short = asked(&["git log --oneline"], "git log --oneline");
    assert_eq!((short.command.as_deref(), short.complete), (Some("git log --oneline"), true));
    assert_eq!(short.reason.as_deref(), Some("Says what it is for"));
    let long = format!("cat {}", "a".repeat(400));
    let rows: Vec<&str> = (0..4).map(|row| &long[row * 114..long.len().min((row + 1) * 114)]).collect();
    let wrapped = asked(&rows, &long);
    assert_eq!((wrapped.command.as_deref(), wrapped.complete), (Some(long.as_str()), true));
    // A line of the command may end where a row does: told whole, and no agent may allow it.
    let lines = asked(&["ls aaaa", "rm -rf bbbb"], "ls aaaa rm -rf bbbb");
    assert_eq!((lines.command.as_deref(), lines.complete), (Some("ls aaaa rm -rf bbbb"), false));
    // Of the prompt before, or of another one: the screen alone counts.
    let other = asked(&["git log --oneline"], "git log");
    assert_eq!((other.command.as_deref(), other.complete), (Some("git log --oneline"), false));
    assert_eq!(short.digest, other.digest, "a report that tells the same makes no other prompt");
    assert_ne!(
        lines.digest,
        asked(&["ls aaaa", "rm -rf bbbb"], "").digest,
        "one that tells more is a part of what is answered"
    );
}

/// A recording may be torn, and its times may be wrong or missing.
#[test]
fn odd_recordings_are_replayed_all_the_same() {
    let bytes = std::fs::read(folder().join("opencode-1.18.33-firstrun2.raw")).unwrap();
    let behaviour = behaviour("opencode-1.18.33-firstrun2.raw");
    let size = vt::Size::new(120, 40);
    let settled = replay(Recording { bytes: &bytes, size, timing: &Timing::Settled, hooks: &[] }, &behaviour);
    assert!(settled.iter().any(|state| state.state == State::Idle), "{settled:?}");
    assert!(settled.iter().all(|state| state.at.is_none()));
    assert_eq!(Timing::from_jsonl("not json\n{\"t\": 1}\n"), None);
    let odd = "{\"t\": 5, \"off\": 100, \"n\": 1}\n{\"t\": 4, \"off\": 200, \"n\": 1}\n{\"t\": 6, \"off\": 99999999, \"n\": 1}\n{\"t\": -1, \"off\": 3, \"n\": 1}\n";
    let timing = Timing::from_jsonl(odd).unwrap();
    let Timing::Reads(reads) = &timing else { panic!("it has times") };
    assert_eq!(reads.len(), 2, "time and stream only go on: {reads:?}");
    let states = replay(Recording { bytes: &bytes, size, timing: &timing, hooks: &[] }, &behaviour);
    assert_eq!(states[0].state, State::Starting);
    assert_eq!(replay(Recording { bytes: &[], size, timing: &Timing::Settled, hooks: &[] }, &behaviour).len(), 1);
}

#[test]
#[ignore = "prints every timeline, for people"]
fn print_timelines() {
    let mut names: Vec<String> = points().into_keys().collect();
    names.extend(["claude-2.1.197-preset.raw".into(), "codex-0.166.0-preset.raw".into()]);
    for name in names {
        println!("== {name}");
        for ReplayedState { offset, at, state, source, detail } in timeline(&name) {
            let source = source.map_or("-", |source| source.as_str());
            println!("{:8.3} {offset:7} {state:9} {source:12} {detail}", at.unwrap_or_default().as_secs_f64());
        }
    }
}
