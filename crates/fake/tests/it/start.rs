//! The first moments: silence, reports of state, titles.

use fake::AgentMake;

use crate::stage::cast;

const WORK: &str = r#""reactions": [{ "prompt": "long", "do": [{ "hang": "working" }] }, { "prompt": "ask", "do": [{ "ask_permission": { "command": "x" } }] }, { "do": [{ "say": "SAID" }] }]"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_start_leaves_the_terminal_alone() {
    // Twenty times faster than it says.
    let fake = cast(AgentMake::Opencode, r#""settings": { "silent_ms": 20000 }"#).start().await;
    fake.bytes(b"typed too early");
    fake.sees("typed too early").await;
    assert!(!fake.session.info().alternate_screen);
    fake.sees(crate::stage::prompt_box(AgentMake::Opencode)).await;
    assert!(fake.session.info().alternate_screen);
    fake.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_can_be_drawn_before_the_trust_dialog() {
    let script = r#""start": [{ "show_box": {} }, { "sleep": 4000 }, { "dialog": { "kind": "trust" } }]"#;
    for arguments in [&[][..], &["--no-alt-screen"]] {
        let fake = cast(AgentMake::Codex, script).with(arguments).start().await;
        fake.sees("loading(?s:.*)› Ask Codex to do anything").await;
        let grid = fake.sees("Trust this folder(?s:.*)enter continue").await;
        assert_eq!((fake.reported().as_str(), fake.title().as_str()), ("", ""), "{grid}");
        fake.key("enter");
        fake.sees(crate::stage::prompt_box(AgentMake::Codex)).await;
        fake.until("it reports", |_| fake.reported().starts_with("state=idle")).await;
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_reports_every_state() {
    let fake = cast(AgentMake::Codex, WORK).open().await;
    let reports = |word: &'static str| {
        let fake = &fake;
        async move { fake.until(word, |_| fake.reported().starts_with(word)).await }
    };
    reports("state=idle:app=codex").await;
    assert_eq!(fake.title(), "usr");
    fake.prompt("long one").await;
    reports("state=working:app=codex").await;
    fake.until("the title spins", |_| fake.title().ends_with(" usr")).await;
    fake.key("esc");
    reports("state=idle").await;
    fake.prompt("ask").await;
    reports("state=blocked:app=codex:kind=permission").await;
    fake.until("the title calls", |_| fake.title() == "[ ! ] Action Required | usr").await;
    fake.until("the title blinks", |_| fake.title() == "[ . ] Action Required | usr").await;
    fake.key("enter");
    reports("state=done").await;
    fake.key("x");
    reports("state=idle").await;
    fake.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_draws_on_at_a_question() {
    let fake = cast(AgentMake::Codex, WORK).open().await;
    fake.prompt("ask").await;
    fake.sees("Press enter to confirm").await;
    let before = fake.session.output_offset();
    fake.until("it goes on printing", |session| session.output_offset() > before + 100).await;
    fake.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_shows_its_state_in_the_title_and_as_progress() {
    let fake = cast(AgentMake::Claude, WORK).in_environment("TERM_PROGRAM", "ghostty").open().await;
    let progress = || fake.session.facts().progress.map(|seen| seen.value);
    fake.until("the title is idle", |_| fake.title() == "✳ Claude Code").await;
    fake.until("progress is cleared", |_| progress() == Some(vt::ProgressReport::Clear)).await;
    fake.prompt("long one").await;
    fake.until("the title is busy", |_| fake.title() == "⠂ long one").await;
    fake.until("progress runs", |_| progress() == Some(vt::ProgressReport::Indeterminate)).await;
    fake.until("the title moves", |_| fake.title() == "⠐ long one").await;
    fake.key("esc");
    fake.until("the title is idle", |_| fake.title() == "✳ long one").await;
    fake.prompt("ask").await;
    // At a question the title is idle while the progress is not cleared.
    fake.sees("Do you want to proceed").await;
    fake.until("progress runs", |_| progress() == Some(vt::ProgressReport::Indeterminate)).await;
    assert_eq!(fake.title(), "✳ long one");
    fake.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_sends_no_progress_to_a_terminal_it_does_not_know() {
    let fake = cast(AgentMake::Claude, WORK).open().await;
    fake.prompt("short").await;
    fake.sees("✻ ").await;
    assert_eq!(fake.session.facts().progress, None);
    fake.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn opencode_has_no_state_in_its_title() {
    let fake = cast(AgentMake::Opencode, WORK).open().await;
    fake.until("the title is there", |_| fake.title() == "OpenCode").await;
    fake.prompt("long one").await;
    fake.sees("esc interrupt").await;
    assert_eq!(fake.title(), "OC | long one");
    fake.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stories_can_be_played_by_name() {
    let fake = cast(AgentMake::Claude, "").in_story("echo").open().await;
    fake.prompt("hello").await;
    fake.sees("You said: hello").await;
    fake.prompt("ask rm -r x").await;
    fake.sees("Do you want to proceed").await;
    fake.key("enter");
    fake.sees("I was allowed to: rm -r x").await;
    fake.close().await;
}
