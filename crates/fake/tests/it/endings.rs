//! How fakes end, by themselves and by force, and what they do to their terminal meanwhile.

use engine::{ExitStatus, Signal};
use fake::AgentMake;

use crate::stage::cast;

const ENDS: &str = r#""settings": { "word_ms": 0 }, "reactions": [
    { "prompt": "crash", "do": [{ "say": "LAST WORDS" }, { "crash": 7 }] },
    { "prompt": "kill", "do": [{ "crash": "KILL" }] },
    { "prompt": "segv", "do": [{ "crash": "SEGV" }] },
    { "prompt": "exit", "do": [{ "exit": 4 }] },
    { "prompt": "freeze", "do": [{ "say": "FREEZING" }, { "hang": "frozen" }] },
    { "prompt": "flood", "do": [{ "flood": { "bytes": 300000 } }, { "say": "FLOOD-OVER" }] },
    { "do": [{ "say": "ALIVE" }] }
]"#;

#[tokio::test(flavor = "multi_thread")]
async fn crashes_and_exits_have_the_status_of_the_script() {
    for make in AgentMake::ALL {
        for (prompt, code) in [("crash", 7), ("exit", 4)] {
            let fake = cast(make, ENDS).open().await;
            fake.prompt(prompt).await;
            assert_eq!(fake.exit().await, Some(ExitStatus::Code(code)), "{make} {prompt}");
            fake.close().await;
        }
    }
    for (prompt, signal) in [("kill", 9), ("segv", 11)] {
        let fake = cast(AgentMake::Claude, ENDS).open().await;
        fake.prompt(prompt).await;
        assert_eq!(fake.exit().await, Some(ExitStatus::Signal(signal)));
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_make_is_left_by_its_own_keys() {
    for (make, keys) in [(AgentMake::Claude, 2), (AgentMake::Codex, 1), (AgentMake::Opencode, 1)] {
        let fake = cast(make, ENDS).open().await;
        for _ in 1..keys {
            fake.key("ctrl+c");
            fake.sees("Press Ctrl-C again to exit").await;
        }
        fake.key("ctrl+c");
        assert_eq!(fake.exit().await, Some(ExitStatus::Code(0)), "{make}");
        let modes = fake.session.with_screen(|screen| screen.input_modes());
        assert!(!modes.bracketed_paste && !fake.session.info().alternate_screen, "{make} left modes behind");
        fake.close().await;

        let fake = cast(make, ENDS).open().await;
        fake.prompt("/exit").await;
        assert_eq!(fake.exit().await, Some(ExitStatus::Code(0)), "{make}");
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_first_clears_the_box() {
    for make in AgentMake::ALL {
        let fake = cast(make, ENDS).open().await;
        fake.paste("half a thought");
        fake.sees("half a thought").await;
        fake.key("ctrl+c");
        fake.until("the box is empty", |session| !session.grid_text().1.contains("thought")).await;
        fake.prompt("still there").await;
        fake.sees("ALIVE").await;
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frozen_fake_reads_and_draws_nothing_and_can_be_killed() {
    for make in AgentMake::ALL {
        let fake = cast(make, ENDS).open().await;
        fake.prompt("freeze").await;
        fake.sees("FREEZING").await;
        fake.paste("never read");
        fake.key("esc");
        fake.session.kill(Signal::TERM).unwrap();
        assert_eq!(fake.exit().await, Some(ExitStatus::Signal(Signal::TERM.as_raw())));
        let grid = fake.grid();
        assert!(!grid.contains("never read") && !grid.contains("nterrupted"), "{make}:\n{grid}");
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_can_ignore_term() {
    let script = ENDS.replace("\"word_ms\": 0", "\"word_ms\": 0, \"ignore_term\": true");
    let fake = cast(AgentMake::Codex, &script).open().await;
    fake.session.kill(Signal::TERM).unwrap();
    fake.prompt("hello").await;
    fake.sees("ALIVE").await;
    fake.session.kill(Signal::KILL).unwrap();
    assert_eq!(fake.exit().await, Some(ExitStatus::Signal(Signal::KILL.as_raw())));
    fake.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_is_as_long_as_it_says_and_the_box_comes_back() {
    for make in AgentMake::ALL {
        let fake = cast(make, ENDS).open().await;
        let before = fake.session.output_offset();
        fake.prompt("flood").await;
        fake.sees("FLOOD-OVER").await;
        fake.sees(crate::stage::prompt_box(make)).await;
        assert!(fake.session.output_offset() - before >= 300_000);
        if make == AgentMake::Claude {
            fake.prints("flood line 2000: =").await;
        }
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_can_be_interrupted() {
    for make in AgentMake::ALL {
        let script = ENDS.replace("300000", "1000000000000");
        let fake = cast(make, &script).open().await;
        fake.prompt("flood").await;
        fake.sees(r"flood line \d{3,}: =").await;
        fake.key("esc");
        fake.key("esc");
        fake.sees("(?i)interrupted").await;
        fake.prompt("still there").await;
        fake.sees("ALIVE").await;
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_script_is_named_and_the_code_is_2() {
    let fake = cast(AgentMake::Claude, r#""reactions": [{ "do": [{ "sing": 1 }] }]"#).start().await;
    fake.prints("script.json is wrong: .*sing").await;
    assert_eq!(fake.exit().await, Some(ExitStatus::Code(2)));
    fake.close().await;
}
