//! When a prompt is submitted, and when not.

use fake::AgentMake;

use crate::stage::cast;

/// Repeats the prompt between marks; `${prompt}` is what was really submitted.
const ECHO: &str = r#""settings": { "word_ms": 0 }, "reactions": [
    { "prompt": "busy", "do": [{ "think": 20000 }, { "say": "BUSY-DONE" }] },
    { "do": [{ "say": "GOT<${prompt}>" }] }
]"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_line_end_in_a_paste_does_not_submit_and_enter_does() {
    for make in AgentMake::ALL {
        let fake = cast(make, ECHO).open().await;
        fake.paste("alpha\nbeta");
        fake.sees("beta").await;
        fake.bytes(b"\x1b[200~\r\n\x1b[201~");
        assert!(!fake.grid().contains("GOT<"), "{make}:\n{}", fake.grid());
        fake.key("enter");
        fake.sees(r"GOT<alpha\n\s*beta>").await;
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn enter_in_an_empty_box_does_nothing() {
    for make in AgentMake::ALL {
        let fake = cast(make, ECHO).open().await;
        fake.key("enter");
        fake.key("enter");
        fake.prompt("real").await;
        let grid = fake.sees("GOT<real>").await;
        assert_eq!(grid.matches("GOT<").count(), 1, "{grid}");
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_takes_text_and_enter_in_one_write_for_a_paste() {
    let fake = cast(AgentMake::Codex, ECHO).open().await;
    fake.bytes(b"typed at once\r");
    fake.sees("typed at once").await;
    fake.until("the line end is in the box", |session| session.info().cursor.position.col == 2).await;
    assert!(!fake.grid().contains("GOT<"), "{}", fake.grid());
    fake.key("enter");
    fake.sees("GOT<typed at once>").await;
    fake.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_others_submit_text_and_enter_in_one_write() {
    for make in [AgentMake::Claude, AgentMake::Opencode] {
        let fake = cast(make, ECHO).open().await;
        fake.bytes(b"typed at once\r");
        fake.sees("GOT<typed at once>").await;
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_loses_enter_behind_a_large_paste() {
    let fake = cast(AgentMake::Claude, ECHO).open().await;
    let lines: Vec<String> = (0..60).map(|number| format!("l{number}")).collect();
    fake.bytes(format!("\x1b[200~{}\x1b[201~\r", lines.join("\r")).as_bytes());
    let grid = fake.sees(r"\[Pasted text #1 \+59 lines\]").await;
    assert!(!grid.contains("GOT<"), "{grid}");
    fake.key("enter");
    fake.sees(r"l58\n\s*l59>").await;
    fake.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn large_pastes_are_labels_in_the_box_and_arrive_whole() {
    // Without the burst rule: how soon Enter comes behind the paste is not what this is about.
    let script = ECHO.replace("\"word_ms\": 0", "\"word_ms\": 0, \"burst_rule\": false");
    let text = format!("{} end of it", "x".repeat(1200));
    for (make, label) in [
        (AgentMake::Claude, r"❯.\[Pasted text #1\]"),
        (AgentMake::Codex, r"› \[Pasted Content 1210 chars\]"),
        (AgentMake::Opencode, r"┃  \[Pasted ~1 lines\]"),
    ] {
        let fake = cast(make, &script).open().await;
        fake.paste(&text);
        fake.sees(label).await;
        fake.key("enter");
        fake.sees("(?s)GOT<x{50}.*end of it>").await;
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_can_show_large_pastes_whole() {
    let script = ECHO.replace("\"word_ms\": 0", "\"word_ms\": 0, \"collapse_pastes\": false");
    let fake = cast(AgentMake::Opencode, &script).open().await;
    fake.paste("one\ntwo\nthree\nfour");
    fake.sees(r"┃  three\n\s*┃  four").await;
    fake.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wide_characters_arrive_whole() {
    for make in AgentMake::ALL {
        let fake = cast(make, ECHO).open().await;
        fake.prompt("漢字と emoji 👩‍👩‍👧‍👦 ok").await;
        fake.sees("GOT<漢字と emoji 👩‍👩‍👧‍👦 ok>").await;
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_during_a_turn_waits_for_its_end() {
    for make in AgentMake::ALL {
        let fake = cast(make, ECHO).open().await;
        fake.prompt("busy please").await;
        fake.sees("interrupt").await;
        fake.prompt("later").await;
        let grid = fake.sees("GOT<later>").await;
        let (done, later) = (grid.find("BUSY-DONE").unwrap(), grid.find("GOT<later>").unwrap());
        assert!(done < later, "{grid}");
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_on_the_command_line_is_the_first() {
    for (make, arguments) in [
        (AgentMake::Claude, &["--", "from argv"][..]),
        (AgentMake::Codex, &["--no-daemon", "from argv"]),
        (AgentMake::Opencode, &["--prompt", "from argv"]),
    ] {
        let fake = cast(make, ECHO).with(arguments).start().await;
        fake.sees("GOT<from argv>").await;
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ghost_text_is_dim_and_never_submitted() {
    let script = ECHO.replace("\"word_ms\": 0", "\"word_ms\": 0, \"ghost_text\": \"Try to guess\"");
    for make in AgentMake::ALL {
        let fake = cast(make, &script).open().await;
        fake.sees("Try to guess").await;
        let frame = fake.session.frame().frame;
        let row = frame.rows.iter().find(|row| row.text().contains("Try to guess")).unwrap();
        let cell = row.cells().find(|cell| cell.text == "g").unwrap();
        let style = cell.run.style;
        let looks_like_text = !style.attributes.contains(vt::Attributes::DIM) && style.foreground == vt::Color::Default;
        assert!(!looks_like_text, "{make}: {style:?}");
        fake.key("enter");
        fake.prompt("mine").await;
        let grid = fake.sees("GOT<mine>").await;
        assert_eq!(grid.matches("GOT<").count(), 1, "{grid}");
        fake.close().await;
    }
}
