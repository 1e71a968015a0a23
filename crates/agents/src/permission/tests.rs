//! What an agent may and may not answer.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use engine::ChildFacts;
use proptest::prelude::*;

use super::*;
use crate::preset::{AgentPreset, DecisionKind, SHIPPED, parse_agent};
use crate::state::{Behaviour, HookEvent, Matcher, Observation, RunPhase};

const COLS: u16 = 120;

fn preset(name: &str) -> AgentPreset {
    let shipped = SHIPPED.iter().find(|shipped| shipped.file_name == format!("{name}.json")).unwrap();
    parse_agent(Path::new(shipped.file_name), shipped.text).unwrap().preset
}

/// The prompt that a grid shows.
fn read(preset: &AgentPreset, grid: &str) -> Option<Prompt> {
    read_rows(preset, grid, None)
}

/// The prompt that a screen shows on which this was printed.
fn read_printed(preset: &AgentPreset, printed: &str) -> Option<Prompt> {
    let size = vt::Size::new(COLS, 40);
    let mut terminal = vt::Terminal::new(vt::TerminalOptions { size, ..vt::TerminalOptions::default() });
    terminal.feed(printed.replace('\n', "\r\n").as_bytes());
    let mut grid = String::new();
    terminal.grid_text(&mut grid);
    read_rows(preset, &grid, Some(&terminal.frame().rows))
}

fn read_rows(preset: &AgentPreset, grid: &str, rows: Option<&[Arc<vt::Line>]>) -> Option<Prompt> {
    read_observed(preset, grid, rows, None)
}

/// The prompt that a grid shows after a hook has told of this command.
fn read_told(preset: &AgentPreset, grid: &str, command: &str) -> Option<Prompt> {
    let hook = HookEvent::new("PermissionRequest", "tool=Bash", Instant::now()).with_command(Some(command));
    read_observed(preset, grid, None, Some(&hook))
}

fn read_observed(
    preset: &AgentPreset,
    grid: &str,
    rows: Option<&[Arc<vt::Line>]>,
    hook: Option<&HookEvent>,
) -> Option<Prompt> {
    let behaviour = Behaviour::from(preset);
    let facts = ChildFacts::default();
    let now = Instant::now();
    let observation = Observation {
        phase: RunPhase::Running,
        run: 1,
        last_output: now,
        facts: &facts,
        grid,
        rows,
        alternate_screen: false,
        cols: COLS,
        tty: None,
        hook,
        tools_listed: None,
        prompt_sent: None,
    };
    Matcher::new(&observation, &behaviour, now).prompt()
}

/// As codex draws it; `shown` are the rows behind the dollar.
fn codex(shown: &str) -> String {
    format!(
        "› do it\n\n\n  Would you like to run the following command?\n\n  Environment: local\n\n  Reason: it must be\n\n  \
         $ {shown}\n\n\n› 1. Yes, proceed (y)\n  2. Yes, and don't ask again for commands that start with `x` (p)\n  \
         3. No, and tell Codex what to do differently (esc)\n\n  Press enter to confirm or esc to cancel\n"
    )
}

fn key(name: &str) -> Input {
    Input::Key(name.parse().unwrap())
}

/// Enter on what `grid` shows, by somebody who has read it.
fn approve(preset: &AgentPreset, grid: &str) -> Result<(), PermissionRefusal> {
    approve_read(preset, read(preset, grid))
}

fn approve_read(preset: &AgentPreset, prompt: Option<Prompt>) -> Result<(), PermissionRefusal> {
    let Some(prompt) = prompt else { return judge_unreadable(&key("enter")) };
    let never = never();
    let policy =
        PermissionPolicy { configured: &[], never: &never, preset: &preset.permissions, answer_questions: true };
    judge(&prompt, &key("enter"), Some(&prompt.digest), policy)
}

/// As config.json has them by default, in short.
fn never() -> Vec<Expression> {
    [r"\.\.", r"(?:^|[ /])\.[A-Za-z0-9]", r"(?i)secret|passw"].map(|text| Expression::new(text).unwrap()).to_vec()
}

#[test]
fn looking_may_be_allowed() {
    let preset = preset("codex");
    for command in [
        "ls",
        "ls -la src",
        "pwd",
        "cat README.md",
        "head -n20 src/main.rs",
        "grep -rn TODO src",
        "git status",
        "git diff --stat",
        "git log --oneline -20",
        "wc -l Cargo.toml",
        "uname -a",
    ] {
        assert_eq!(approve(&preset, &codex(command)), Ok(()), "{command}");
    }
}

#[test]
fn what_writes_deletes_reaches_out_or_is_broad_may_not() {
    let preset = preset("codex");
    for command in [
        "touch x",
        "rm -rf build",
        "mv a b",
        "curl example.org",
        "ssh host ls",
        "sudo ls",
        "npm test",
        "npx prettier .",
        "make",
        "cargo run",
        "bash -c ls",
        "sh x.sh",
        "python3 -c pass",
        "env ls",
        "xargs ls",
        "find . -delete",
        "git push",
        "git branch -D main",
        "git branch new",
        "git -c core.pager=x log",
        "git diff --output=x",
        "git log --ext-diff",
        "tee x",
        "dd if=a of=b",
        "chmod 777 .",
        "sort -o a b",
        "date -s now",
        "ls --hyperlink=auto",
        "lsof",
        "lsx",
        "ls2",
    ] {
        let refused = approve(&preset, &codex(command));
        assert!(
            matches!(refused, Err(PermissionRefusal::Forbidden(ForbiddenAnswer::NotListed { .. }))),
            "{command}: {refused:?}"
        );
    }
}

#[test]
fn secrets_and_what_lies_outside_may_not() {
    let preset = preset("codex");
    for command in [
        "cat .env",
        "cat ./.env",
        "cat a/.env",
        "cat ../x",
        "cat a/../../x",
        "cat /etc/passwd",
        "cat ~/.ssh/id_rsa",
        "ls -la ..",
        "ls /",
        "cat config/secrets.yml",
        "grep -r Password src",
        "head .git/config",
        "git show HEAD:.env",
    ] {
        assert!(approve(&preset, &codex(command)).is_err(), "{command}");
    }
}

#[test]
fn a_list_is_not_asked_about_what_a_shell_would_take_apart() {
    let mut preset = preset("codex");
    // The widest list there is changes nothing about it.
    preset.permissions.allow = vec![Expression::new("(?s).*").unwrap()];
    for command in [
        "ls; rm -rf .",
        "ls && rm -rf .",
        "ls || rm x",
        "ls | sh",
        "ls & rm x",
        "ls $(rm x)",
        "ls `rm x`",
        "ls > x",
        "ls < x",
        "ls *",
        "ls ~",
        "ls \"a\"",
        "ls 'a'",
        "ls \\",
        "ls {a,b}",
        "ls !x",
        "ls #x",
        "X=1 ls",
        "ls $HOME",
        "ls\u{a0}-la",
        "lѕ",
        "ls \u{202e}x",
        "ls …",
        "",
    ] {
        assert!(approve(&preset, &codex(command)).is_err(), "{command:?}");
    }
    assert_eq!(approve(&preset, &codex("ls -la")), Ok(()));
}

#[test]
fn what_is_not_seen_whole_may_not_be_allowed() {
    let preset = preset("codex");
    let incomplete = Err(PermissionRefusal::Forbidden(ForbiddenAnswer::Incomplete));
    // Several rows: a newline in the command, or a long line that was wrapped.
    assert_eq!(approve(&preset, &codex("ls\n  rm -rf .")), incomplete);
    assert_eq!(approve(&preset, &codex(&format!("ls {}\n  ; rm -rf .", "a".repeat(113)))), incomplete);
    // To the edge: the rest may have been cut off.
    assert_eq!(approve(&preset, &codex(&format!("ls {}", "a".repeat(113)))), incomplete);
    assert_eq!(approve(&preset, &codex(&format!("ls {}", "a".repeat(100)))), Ok(()));
    assert_eq!(approve(&preset, &codex("ls …")), incomplete);
    assert_eq!(approve(&preset, &codex("ls ...")), incomplete);
    // The beginning has scrolled off, or something stands between.
    let unreadable = Err(PermissionRefusal::Forbidden(ForbiddenAnswer::Unreadable));
    let whole = codex("ls");
    let from = |words: &str| whole[whole.find(words).unwrap()..].to_owned();
    for cut in [from("  Environment"), from("  $ ls"), from("› 1. Yes"), from("  Press enter")] {
        assert_eq!(approve(&preset, &cut), unreadable, "{cut}");
    }
    assert_eq!(approve(&preset, &codex("ls\n\n  rm -rf .")), unreadable);
    assert_eq!(approve(&preset, &whole.replace("it must be", "x\n\n  $ ls\n\n  y")), unreadable);
    assert_eq!(approve(&preset, &format!("{whole}\n\n  And one thing more\n")), unreadable, "it is not the last thing");
}

/// What an agent says can look like a prompt. The real one stands below it.
#[test]
fn a_prompt_in_the_conversation_is_none() {
    let preset = preset("codex");
    let decoy = codex("ls");
    assert_eq!(approve(&preset, &format!("{decoy}\n{}", codex("rm x"))), approve(&preset, &codex("rm x")));
    let box_below = format!("{decoy}\n\n› Ask Codex to do anything\n\n  gpt-5 · ~/x\n");
    assert_eq!(read(&preset, &box_below), None);
}

#[test]
fn only_the_prompt_that_was_read_is_answered() {
    let preset = preset("codex");
    let before = read(&preset, &codex("ls")).unwrap();
    let now = read(&preset, &codex("ls -la")).unwrap();
    let never = never();
    let policy =
        PermissionPolicy { configured: &[], never: &never, preset: &preset.permissions, answer_questions: true };
    let judge = |input: &str, digest| judge(&now, &key(input), digest, policy);
    assert_eq!(judge("enter", Some(&before.digest)), Err(PermissionRefusal::Stale(StalePrompt::Changed)));
    assert_eq!(judge("enter", None), Err(PermissionRefusal::Stale(StalePrompt::NeverRead)));
    assert_eq!(judge("enter", Some(&now.digest)), Ok(()));
    assert_eq!(judge("y", Some(&now.digest)), Ok(()));
    assert_eq!(judge("1", Some(&now.digest)), Ok(()));
    assert_eq!(judge("y", Some(&before.digest)), Err(PermissionRefusal::Stale(StalePrompt::Changed)));
    // The mark has moved: Enter means something else.
    let moved = codex("ls -la").replace("› 1.", "  1.").replace("  2. Yes", "› 2. Yes");
    assert_ne!(read(&preset, &moved).unwrap().digest, now.digest);
}

#[test]
fn saying_no_is_always_allowed_and_more_than_once_never() {
    let preset = preset("codex");
    let prompt = read(&preset, &codex("rm -rf /")).unwrap();
    let wide = [Expression::new(".*").unwrap()];
    let policy =
        PermissionPolicy { configured: &wide, never: &[], preset: &preset.permissions, answer_questions: true };
    let judge = |input: Input| judge(&prompt, &input, Some(&prompt.digest), policy);
    for no in [key("esc"), key("ctrl-c"), key("3"), Input::Text("\u{1b}".into()), Input::Bytes(vec![3])] {
        assert_eq!(judge(no.clone()), Ok(()), "{no:?}");
        assert_eq!(super::judge(&prompt, &no, None, policy), Ok(()), "{no:?}");
    }
    for moves in ["up", "down", "left", "right"] {
        assert_eq!(judge(key(moves)), Ok(()), "{moves}");
    }
    for more in [key("p"), key("2"), Input::Text("p".into())] {
        assert!(
            matches!(judge(more.clone()), Err(PermissionRefusal::Forbidden(ForbiddenAnswer::Widens { .. }))),
            "{more:?}"
        );
    }
    for nothing in [
        Input::Text("yes".into()),
        Input::Text("y\n".into()),
        Input::Text("1\r".into()),
        Input::Paste("y".into()),
        Input::Paste(String::new()),
        Input::Bytes(b"\x1b\r".to_vec()),
        Input::Bytes(b"y\r".to_vec()),
        key("tab"),
        key("space"),
        key("z"),
        key("9"),
        key("alt+y"),
        key("ctrl-m"),
        key("shift+tab"),
    ] {
        assert_eq!(judge(nothing.clone()), Err(PermissionRefusal::Forbidden(ForbiddenAnswer::NoAnswer)), "{nothing:?}");
    }
    for typed in [Input::Text("\r".into()), Input::Bytes(b"\r".to_vec()), Input::Text("y".into())] {
        assert_eq!(judge(typed.clone()), judge(key("enter")), "{typed:?} is an answer, too");
    }
}

#[test]
fn a_dialog_that_nobody_can_read_can_only_be_left() {
    assert_eq!(judge_unreadable(&key("esc")), Ok(()));
    for input in [key("enter"), key("y"), key("down"), Input::Text("1".into())] {
        assert_eq!(
            judge_unreadable(&input),
            Err(PermissionRefusal::Forbidden(ForbiddenAnswer::Unreadable)),
            "{input:?}"
        );
    }
}

/// As a CLI may draw a question of its model, and how a preset reads it.
fn asking(answer_questions: bool) -> AgentPreset {
    let text = format!(
        r#"{{"argv": ["x"], "permissions": {{"answer_questions": {answer_questions}}}, "prompts": [{{
            "name": "question of the model", "kind": "question",
            "screen": "(?m)^ASK: (?<question>[^\\n]+(?:\\n  [^\\n]+)*)\\n(?<choices>(?:[> ] \\d\\. [^\\n]+\\n)+)\\s*\\z",
            "choice": "(?m)^(?<selected>>)? *(?<number>\\d)\\. (?<label>[^\\n]+)$"}}]}}"#
    );
    parse_agent(Path::new("x.json"), &text).unwrap_or_else(|problem| panic!("{problem}")).preset
}

#[test]
fn a_question_is_answered_only_where_preset_and_settings_let_agents() {
    let grid = "ASK: Which store\n  shall it be?\n> 1. SQLite\n  2. Postgres\n";
    let prompt = read(&asking(true), grid).unwrap();
    assert_eq!(prompt.kind, DecisionKind::Question);
    assert_eq!(prompt.question.as_deref(), Some("Which store\nshall it be?"));
    assert_eq!((prompt.command.as_deref(), prompt.choices.len(), prompt.choices[0].selected), (None, 2, true));
    let judged = |preset: bool, settings: bool, input: &str, digest: Option<&str>| {
        let (preset, never) = (asking(preset), never());
        let policy = PermissionPolicy {
            configured: &[],
            never: &never,
            preset: &preset.permissions,
            answer_questions: settings,
        };
        judge(&prompt, &key(input), digest, policy)
    };
    let read = Some(prompt.digest.as_str());
    for input in ["enter", "2"] {
        assert_eq!(judged(true, true, input, read), Ok(()), "{input}");
        let refused = Err(PermissionRefusal::Forbidden(ForbiddenAnswer::QuestionForHuman));
        assert_eq!(judged(false, true, input, read), refused, "{input}");
        assert_eq!(judged(true, false, input, read), refused, "{input}");
        assert_eq!(judged(true, true, input, None), Err(PermissionRefusal::Stale(StalePrompt::NeverRead)));
        assert_eq!(judged(true, true, input, Some("pr_0")), Err(PermissionRefusal::Stale(StalePrompt::Changed)));
    }
    assert_eq!(judged(false, false, "esc", None), Ok(()), "leaving is always allowed");
    assert_eq!(judged(true, true, "y", read), Err(PermissionRefusal::Forbidden(ForbiddenAnswer::NoAnswer)));
}

#[test]
fn the_human_can_widen_it() {
    let preset = preset("codex");
    let prompt = |command: &str| read(&preset, &codex(command)).unwrap();
    let never = [Expression::new("cargo").unwrap()];
    let configured = [Expression::new("shell: cargo test(?: -p [a-z]+)?").unwrap()];
    let policy = PermissionPolicy {
        configured: &configured,
        never: &never,
        preset: &preset.permissions,
        answer_questions: true,
    };
    let judge = |command: &str| {
        let prompt = prompt(command);
        judge(&prompt, &key("enter"), Some(&prompt.digest), policy)
    };
    assert_eq!(judge("cargo test -p vt"), Ok(()), "what the human lists beats what is never allowed");
    for more in ["cargo test -p vt; rm x", "xcargo test", "cargo test -p vt --release", "cargo run"] {
        assert!(judge(more).is_err(), "{more}");
    }
}

/// Claude says what a command is for right below it, where a second line of it would stand.
#[test]
fn a_reason_is_told_from_a_second_line_by_the_command_above() {
    let claude = preset("claude");
    let line = "─".repeat(usize::from(COLS));
    let grid = |above: &str, rows: &str| {
        format!(
            "❯ go\n\n{above}\n{line}\n Bash command\n\n   {rows}\n\n Do you want to proceed?\n ❯ 1. Yes\n   2. Yes, and \
             always\n   3. No\n\n Esc to cancel · Tab to amend\n"
        )
    };
    let above = |command: &str| format!("● Bash({command})\n  ⎿  Waiting…\n");
    assert_eq!(approve(&claude, &grid(&above("ls src"), "ls src\n   to see what is there")), Ok(()));
    assert_eq!(approve(&claude, &grid("", "ls src")), Ok(()), "nothing is said for it");
    let incomplete = Err(PermissionRefusal::Forbidden(ForbiddenAnswer::Incomplete));
    assert_eq!(approve(&claude, &grid("", "ls src\n   rm -rf .")), incomplete);
    assert_eq!(
        approve(&claude, &grid("● Bash(ls src\n      rm -rf .)\n  ⎿  Waiting…\n", "ls src\n   rm -rf .")),
        incomplete
    );
    assert_eq!(approve(&claude, &grid(&above("ls"), "ls src\n   rm -rf .")), incomplete);
    assert_eq!(approve(&claude, &grid(&above("ls src…"), "ls src\n   rm -rf .")), incomplete);
    let refused = approve(&claude, &grid(&above("rm -rf ."), "rm -rf .\n   to make room"));
    assert!(matches!(refused, Err(PermissionRefusal::Forbidden(ForbiddenAnswer::NotListed { .. }))), "{refused:?}");
}

#[test]
fn edits_and_other_tools_are_the_humans() {
    let claude = preset("claude");
    let choices =
        " Do you want to create x?\n ❯ 1. Yes\n   2. Yes, allow all edits\n   3. No\n\n Esc to cancel · Tab to amend\n";
    let line = "─".repeat(usize::from(COLS));
    let file = format!("● Write(x)\n\n{line}\n Create file\n x\n╌╌╌\n  1 hello\n╌╌╌\n{choices}");
    assert_eq!(read(&claude, &file).unwrap().tool.as_deref(), Some("edit"));
    assert!(approve(&claude, &file).is_err());
    let tool = format!("{line}\n Fetch\n\n   https://example.org\n\n{choices}");
    assert_eq!(read(&claude, &tool).unwrap().tool.as_deref(), Some("Fetch"));
    assert!(approve(&claude, &tool).is_err());
}

/// As opencode draws it: the background alone marks the choice.
fn opencode(what: &str, marked: &str) -> String {
    let choices =
        "Allow once   Allow always   Reject".replace(marked, &format!("\x1b[48;5;214m{marked}\x1b[48;5;235m"));
    format!(
        "  ┃\n  ┃  △ Permission required\n  ┃    {what}\n  ┃\n  ┃\n  ┃\x1b[48;5;235m   {choices}     ctrl+f fullscreen  \
         ⇆ select  enter confirm\x1b[m\n  ┃\n"
    )
}

#[test]
fn a_choice_is_told_by_its_background() {
    let preset = preset("opencode");
    let read = |what: &str, marked: &str| read_printed(&preset, &opencode(what, marked));
    let approve = |what: &str| approve_read(&preset, read(what, "Allow once"));
    let ls = "# Shell command\n  ┃\n  ┃  $ ls";
    assert_eq!(approve(ls), Ok(()));
    assert!(approve("# Shell command\n  ┃\n  ┃  $ ls\n  ┃  rm x").is_err());
    assert!(approve("# List\n  ┃\n  ┃  $ ls\n  ┃\n  ┃  $ rm x").is_err());
    assert!(approve("→ Edit x\n  ┃\n  ┃  hello").is_err());

    let selected = |prompt: &Prompt| -> Vec<bool> { prompt.choices.iter().map(|choice| choice.selected).collect() };
    let (once, always) = (read(ls, "Allow once").unwrap(), read(ls, "Allow always").unwrap());
    assert_eq!((selected(&once), selected(&always)), (vec![true, false, false], vec![false, true, false]));
    assert_ne!(once.digest, always.digest, "somebody has moved the mark");
    assert!(approve_read(&preset, Some(always)).is_err(), "Enter would allow more than this");
    // Nothing is marked, or it can't be told what: Enter answers nothing.
    for marked in ["nothing", "Allow once   Allow always"] {
        let prompt = read(ls, marked).unwrap();
        assert_eq!(selected(&prompt), [false, false, false], "{marked}");
        assert!(approve_read(&preset, Some(prompt)).is_err());
    }
    let plain = read_rows(&preset, &opencode(ls, "nothing").replace("\x1b[48;5;235m", "").replace("\x1b[m", ""), None);
    assert_eq!(selected(&plain.unwrap()), [false, false, false], "without colours nobody knows");
}

proptest! {
    // Each reads a preset anew, which compiles its expressions.
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Whatever is shown behind a harmless beginning: allowed is only what is on the list as a whole.
    #[test]
    fn nothing_slips_in_behind_a_harmless_word(rest in "\\PC{0,60}") {
        let preset = preset("codex");
        if approve(&preset, &codex(&format!("ls {rest}"))).is_ok() {
            let harmless = rest.chars().all(|c| c.is_ascii_alphanumeric() || " _.,@+/-".contains(c));
            prop_assert!(harmless && !rest.contains("..") && !rest.contains("./."), "{:?}", rest);
        }
    }

    #[test]
    fn any_rows_are_read_without_harm(grid in "([│┃›❯ $△a-z0-9.?]{0,20}\n){0,12}") {
        for name in ["claude", "codex", "opencode"] {
            let _ = read(&preset(name), &grid);
        }
    }
}

/// As claude draws it: a command of several lines or rows with a bar before each.
fn claude_fenced(rows: &[&str]) -> String {
    let (solid, dashed) = ("─".repeat(usize::from(COLS)), "╌".repeat(usize::from(COLS)));
    let rows: String = rows.iter().map(|row| format!(" │ {row}\n")).collect();
    format!(
        "❯ do it\n\n{solid}\n Bash command\n look for things\n{dashed}\n{rows}{dashed}\n A variable can't be checked\n \
         Permission rule Bash requires confirmation for this command.\n\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n \
         Esc to cancel · Tab to amend\n"
    )
}

#[test]
fn a_command_of_many_lines_is_whole_where_a_hook_tells_it_and_the_screen_agrees() {
    let claude = preset("claude");
    let first = format!("printf '%s' {}", "a".repeat(80));
    let told = format!("for f in *; do\n    {first} \"$f\" --and-so-on\n\ndone");
    let grid = claude_fenced(&["for f in *; do", &format!("    {first} \"$f\""), "--and-so-on", "done"]);
    let prompt = read_told(&claude, &grid, &told).unwrap();
    assert_eq!((prompt.command.as_deref(), prompt.complete), (Some(told.as_str()), true));
    assert_eq!(prompt.reason.as_deref(), Some("look for things"));
    let unread = read(&claude, &grid).unwrap();
    assert!(!unread.complete, "where a line ends can't be told from the screen alone");
    assert_ne!(prompt.digest, unread.digest, "an answer is to what was read");
    for other in [
        "for f in *; do\ndone".to_owned(),
        format!("{told}\nrm -rf ."),
        told.replace("--and-so-on", "--and-so-forth"),
        told.replace("done", "done\u{202e}"),
    ] {
        let prompt = read_told(&claude, &grid, &other).unwrap();
        assert!(!prompt.complete && prompt.command != Some(other.clone()), "{other:?}");
    }
    // A list judges words of one line: this one is the human's all the same.
    assert!(approve_read(&claude, Some(prompt.clone())).is_err());
    assert_eq!(judge(&prompt, &key("2"), Some(&prompt.digest), lenient(&claude)), Ok(()), "and anybody may refuse it");
    let unread = judge(&prompt, &key("enter"), Some(&unread.digest), lenient(&claude));
    assert_eq!(unread, Err(PermissionRefusal::Stale(StalePrompt::Changed)), "only what was read is answered");
}

fn lenient(preset: &AgentPreset) -> PermissionPolicy<'_> {
    PermissionPolicy { configured: &[], never: &[], preset: &preset.permissions, answer_questions: true }
}
