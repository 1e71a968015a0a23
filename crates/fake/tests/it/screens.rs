//! Pictures of every screen, as text under `tests/screens`. Run with `FAKE_SCREENS=write` to make them anew, and look
//! at the difference before you commit it.

use std::path::PathBuf;

use fake::AgentMake;

use crate::stage::{Fake, cast};

const TASK: &str = r#""settings": { "word_ms": 200 }, "reactions": [
    { "prompt": "think", "do": [{ "hang": "working" }] },
    { "prompt": "stream", "do": [{ "say": "one two three" }, { "hang": "working" }] },
    { "prompt": "ask", "do": [{ "ask_permission": { "command": "touch /tmp/x", "reason": "it must exist" } }] },
    { "prompt": "file", "do": [{ "ask_permission": { "file": "notes.txt", "reason": "hello" } }] },
    { "prompt": "work", "do": [{ "shell": { "command": "ls", "output": "a\nb" } }, { "say": "All done, 漢字 and all." }] }
]"#;

/// Waits until the screen is the picture called `name`. What is not drawn in one synchronized update may be seen half
/// drawn before.
async fn shows(fake: &Fake, name: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/screens").join(format!("{name}.txt"));
    if std::env::var_os("FAKE_SCREENS").is_some() {
        // No test: a person looks at what is written. Long enough for a picture to be whole.
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, masked(&fake.grid())).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let reason = format!("it shows {name} (FAKE_SCREENS=write takes the new picture over):\n{expected}\nand not:");
    fake.until(&reason, |session| masked(&session.grid_text().1) == expected).await;
}

/// What time decides is made the same: seconds, clocks and the pictures of spinners.
fn masked(grid: &str) -> String {
    let mut text = grid.trim_end().to_owned() + "\n";
    for (pattern, same) in [
        (r"(?m)^[·✢*✶✻✽] ([A-Z][a-z]+)… \(\d+s · ↓ \d+ tokens\)", "✻ $1… (0s · ↓ 1 tokens)"),
        (r"(?m)^✻ [A-Z][a-z]+ for \d+s", "✻ Baked for 0s"),
        (r"Working \(\d+s", "Working (0s"),
        (r"Worked for <?\d+s • \d\d:\d\d", "Worked for <1s • 00:00"),
        (r"[⬝■]{8}", "⬝⬝⬝⬝⬝⬝⬝⬝"),
        (r"· \d+\.\ds", "· 0.0s"),
    ] {
        let pattern = regex::Regex::new(pattern).unwrap();
        text = pattern.replace_all(&text, same).into_owned();
    }
    text
}

async fn idle(make: AgentMake, name: &str, arguments: &[&str]) -> Fake {
    let fake = cast(make, TASK).with(arguments).open().await;
    shows(&fake, &format!("{name}-idle")).await;
    fake
}

async fn all_of(make: AgentMake, name: &str, arguments: &[&str], busy: &str, permission: &str, done: &str) {
    let fake = idle(make, name, arguments).await;
    fake.paste("first line\nsecond line");
    fake.sees("second line").await;
    shows(&fake, &format!("{name}-pasted")).await;
    fake.key("ctrl+u");
    fake.until("the box is empty", |session| !session.grid_text().1.contains("second line")).await;

    let long = "words and words ".repeat(8);
    fake.paste(long.trim_end());
    // Not even opencode, the strictest, takes it for a large paste.
    fake.sees(r"words\n[^\n]*and words").await;
    shows(&fake, &format!("{name}-long")).await;
    fake.key("ctrl+u");
    fake.until("the box is empty", |session| !session.grid_text().1.contains("words")).await;

    fake.prompt("work now").await;
    fake.sees(done).await;
    shows(&fake, &format!("{name}-done")).await;
    fake.prompt("think hard").await;
    fake.sees(busy).await;
    shows(&fake, &format!("{name}-busy")).await;
    fake.key("esc");
    if make == AgentMake::Opencode {
        fake.sees("esc again to interrupt").await;
        fake.key("esc");
    }
    fake.sees("(?i)interrupted").await;
    shows(&fake, &format!("{name}-interrupted")).await;
    fake.prompt("ask me").await;
    fake.sees(permission).await;
    shows(&fake, &format!("{name}-permission")).await;
    fake.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn claude() {
    let permission = r"Do you want to proceed\?\n ❯ 1\. Yes(?s:.*)to explain";
    all_of(AgentMake::Claude, "claude", &[], "esc to interrupt", permission, r"✻ \w+ for").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn codex() {
    let permission = "Press enter to confirm or esc to cancel";
    all_of(AgentMake::Codex, "codex", &[], "esc to interrupt", permission, "Worked for").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_on_the_main_screen() {
    let permission = "Press enter to confirm or esc to cancel";
    all_of(AgentMake::Codex, "codex-inline", &["--no-alt-screen"], "esc to interrupt", permission, "Worked for").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn opencode() {
    all_of(
        AgentMake::Opencode,
        "opencode",
        &[],
        "esc interrupt",
        "Allow once(?s:.*)enter confirm",
        r"▣  Build · Fake Model · \d",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_asked_about_in_other_words() {
    for (make, name, pattern) in [
        (AgentMake::Claude, "claude", r"Do you want to create notes\.txt\?(?s:.*)Esc to cancel"),
        (AgentMake::Codex, "codex", "make the following edits(?s:.*)Press enter"),
        (AgentMake::Opencode, "opencode", "Edit notes.txt(?s:.*)enter confirm"),
    ] {
        let fake = cast(make, TASK).open().await;
        fake.prompt("file please").await;
        fake.sees(pattern).await;
        shows(&fake, &format!("{name}-file")).await;
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dialogs_at_the_start() {
    for (make, kind, name, hint) in [
        (AgentMake::Claude, "trust", "claude-trust", "Enter to confirm · Esc to cancel"),
        (AgentMake::Claude, "api_key", "claude-api-key", "Enter to confirm · Esc to cancel"),
        (AgentMake::Claude, "project_mcp", "claude-project-mcp", "Enter to confirm · Esc to cancel"),
        (AgentMake::Codex, "trust", "codex-trust", "enter continue · esc quit"),
        (AgentMake::Codex, "hooks", "codex-hooks", "enter confirm · esc skip"),
        (AgentMake::Opencode, "none", "opencode-dialog", "Enter to confirm · Esc to cancel"),
    ] {
        let step = format!(
            r#"{{ "dialog": {{ "kind": "{kind}", "title": "A question", "text": "Of the script.", "options": ["One", "Two"] }} }}"#
        );
        let fake = cast(make, &format!(r#""start": [{step}]"#)).start().await;
        fake.sees(hint).await;
        shows(&fake, name).await;
        fake.key("enter");
        fake.sees(crate::stage::prompt_box(make)).await;
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_narrow_screen_is_drawn_too() {
    for (make, name) in [(AgentMake::Claude, "claude"), (AgentMake::Codex, "codex"), (AgentMake::Opencode, "opencode")]
    {
        let fake = cast(make, TASK).sized(60, 18).open().await;
        shows(&fake, &format!("{name}-narrow")).await;
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resize_draws_everything_again() {
    for make in AgentMake::ALL {
        let fake = cast(make, TASK).open().await;
        fake.prompt("work now").await;
        fake.sees("All done").await;
        fake.session.resize(vt::Size::new(80, 24)).unwrap();
        // The lower edge of the box is as wide as the screen now, and nothing is left of the wide one.
        let edge = match make {
            AgentMake::Claude => "(?m)^─{80}$",
            AgentMake::Codex => "(?m)^› Ask Codex",
            AgentMake::Opencode => "(?m)^  ╹▀{75}$",
        };
        fake.sees(edge).await;
        fake.sees(crate::stage::prompt_box(make)).await;
        fake.sees("All done").await;
        fake.close().await;
    }
}
