//! Permission prompts and dialogs: what answers them, and what comes of it.

use engine::ExitStatus;
use fake::AgentMake;

use crate::stage::{Fake, cast};

const ASK: &str = r#""settings": { "word_ms": 0 }, "reactions": [
    { "prompt": "branch", "do": [{ "ask_permission": { "command": "rm x",
        "approved": [{ "say": "APPROVED" }], "refused": [{ "say": "REFUSED" }] } }] },
    { "prompt": "plain", "do": [{ "ask_permission": { "command": "rm y", "output": "gone" } }, { "say": "AFTER" }] },
    { "prompt": "dialog", "do": [{ "dialog": { "title": "Pick", "options": ["a", "b", "c"], "as": "n" } }, { "say": "PICKED ${n}" }] }
]"#;

async fn asked(make: AgentMake, prompt: &str) -> Fake {
    let fake = cast(make, ASK).open().await;
    fake.prompt(prompt).await;
    at_question(&fake, make).await;
    fake
}

async fn at_question(fake: &Fake, make: AgentMake) {
    let question = match make {
        AgentMake::Claude => r"(?m)^ Do you want to .*\?$(?s:.*)^ ❯ \d+\. ",
        AgentMake::Codex => "Would you like to (?s:.*)Press enter to confirm or esc to cancel",
        AgentMake::Opencode => "△ Permission required(?s:.*)Allow once",
    };
    fake.sees(question).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stray_enter_approves() {
    for make in AgentMake::ALL {
        let fake = asked(make, "branch").await;
        fake.key("enter");
        let grid = fake.sees("APPROVED").await;
        assert_eq!(grid.contains("✔ You approved codex to run rm x this time"), make == AgentMake::Codex, "{grid}");
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paste_and_enter_approves_and_the_paste_is_lost() {
    for make in AgentMake::ALL {
        let fake = asked(make, "branch").await;
        fake.paste("this was meant for the box");
        fake.key("enter");
        let grid = fake.sees("APPROVED").await;
        assert!(!grid.contains("meant for the box"), "{grid}");
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_choice_refuses() {
    for (make, keys) in [
        (AgentMake::Claude, &["down", "down", "enter"][..]),
        (AgentMake::Claude, &["3"]),
        (AgentMake::Codex, &["n"]),
        (AgentMake::Opencode, &["right", "right", "enter"]),
        (AgentMake::Opencode, &["l", "l", "enter"]),
    ] {
        let fake = asked(make, "branch").await;
        for key in keys {
            fake.key(key);
        }
        fake.sees("REFUSED").await;
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn escape_refuses_and_ends_the_turn() {
    for make in AgentMake::ALL {
        let fake = asked(make, "plain").await;
        fake.key("esc");
        let grid = fake.sees("(?i)interrupted").await;
        assert!(!grid.contains("AFTER"), "{grid}");
        fake.sees(crate::stage::prompt_box(make)).await;
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_allowed_for_good_is_not_asked_again() {
    for make in AgentMake::ALL {
        let fake = asked(make, "plain").await;
        fake.key(if make == AgentMake::Opencode { "right" } else { "down" });
        fake.key("enter");
        fake.sees("AFTER").await;
        fake.prompt("plain once more").await;
        fake.sees("(?s)once more.*AFTER").await;
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_gives_the_number_of_the_choice() {
    for make in AgentMake::ALL {
        for (keys, expected) in [(&["down", "enter"][..], "PICKED 2"), (&["3"], "PICKED 3"), (&["esc"], "PICKED 0")] {
            let fake = cast(make, ASK).open().await;
            fake.prompt("dialog").await;
            fake.sees("(?s)Pick.*Enter to confirm").await;
            for key in keys {
                fake.key(key);
            }
            fake.sees(expected).await;
            fake.close().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn leaving_the_trust_dialog_leaves_the_program() {
    for make in [AgentMake::Claude, AgentMake::Codex] {
        let fake = cast(make, r#""start": [{ "dialog": { "kind": "trust" } }]"#).start().await;
        fake.sees(r"(?i)trust(?s:.*)esc").await;
        fake.key("esc");
        assert_eq!(fake.exit().await, Some(ExitStatus::Code(0)));
        fake.close().await;
    }
}
