//! The fakes stand in for the real CLIs: patterns that were made for the recordings must fit them, and the other way
//! round, so neither can drift alone.

use std::path::PathBuf;

use fake::AgentMake;
use regex::Regex;
use vt::{Terminal, TerminalOptions};

use crate::stage::{SIZE, cast, prompt_box};

const STATES: &str = r#""reactions": [{ "prompt": "long", "do": [{ "hang": "working" }] }, { "prompt": "ask", "do": [{ "ask_permission": { "command": "touch x" } }] }]"#;

struct Rules {
    busy: &'static str,
    permission: &'static str,
}

fn rules(make: AgentMake) -> Rules {
    match make {
        AgentMake::Claude => {
            Rules { busy: r"(?m)^ .*esc to interrupt", permission: r"(?m)^ Do you want to .*\?$(?s:.*)^ ❯ \d+\. " }
        }
        AgentMake::Codex => Rules {
            busy: r"(?m)^• .*\(\d+[smh].*esc to interrupt\)",
            permission: r"Would you like to |Allow the \S+ MCP server to run tool|Press enter to confirm or esc to cancel",
        },
        AgentMake::Opencode => Rules { busy: r"esc (?:again to )?interrupt", permission: r"△ Permission required" },
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn patterns_for_the_real_ones_fit_the_fakes() {
    for make in AgentMake::ALL {
        let Rules { busy, permission } = rules(make);
        let [is_busy, is_asked, is_open] = [busy, permission, prompt_box(make)].map(|rule| Regex::new(rule).unwrap());
        let fake = cast(make, STATES).open().await;
        let idle = fake.grid();
        assert!(!is_busy.is_match(&idle) && !is_asked.is_match(&idle), "{make} is idle:\n{idle}");
        fake.prompt("long").await;
        let working = fake.sees(busy).await;
        assert!(is_open.is_match(&working) && !is_asked.is_match(&working), "{make} is busy:\n{working}");
        fake.key("esc");
        fake.key("esc");
        fake.sees("(?i)interrupted").await;
        fake.prompt("ask").await;
        let asked = fake.sees(permission).await;
        assert!(!is_open.is_match(&asked) && !is_busy.is_match(&asked), "{make} asks:\n{asked}");
        fake.close().await;
    }
}

/// A moment of a recording, as the fixtures' points name it.
struct Moment {
    recording: &'static str,
    offset: usize,
    state: &'static str,
}

const MOMENTS: &[(AgentMake, &[Moment])] = &[
    (
        AgentMake::Claude,
        &[
            Moment { recording: "claude-2.1.197-answer-none.raw", offset: 3122, state: "idle" },
            Moment { recording: "claude-2.1.197-turns.raw", offset: 12655, state: "working" },
            Moment { recording: "claude-2.1.197-turns.raw", offset: 33250, state: "blocked" },
        ],
    ),
    (
        AgentMake::Codex,
        &[
            Moment { recording: "codex-0.166.0-turns.raw", offset: 12899, state: "idle" },
            Moment { recording: "codex-0.166.0-turns.raw", offset: 38850, state: "working" },
            Moment { recording: "codex-0.166.0-turns.raw", offset: 53467, state: "blocked" },
        ],
    ),
    (
        AgentMake::Opencode,
        &[
            Moment { recording: "opencode-1.18.33-turns.raw", offset: 83872, state: "idle" },
            Moment { recording: "opencode-1.18.33-turns.raw", offset: 121671, state: "working" },
            Moment { recording: "opencode-1.18.33-turns.raw", offset: 158596, state: "blocked" },
        ],
    ),
];

#[test]
fn the_same_patterns_fit_the_recordings() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recordings/agents");
    for (make, moments) in MOMENTS {
        let Rules { busy, permission } = rules(*make);
        let [is_busy, is_asked, is_open] = [busy, permission, prompt_box(*make)].map(|rule| Regex::new(rule).unwrap());
        for Moment { recording, offset, state } in *moments {
            let bytes = std::fs::read(folder.join(recording)).unwrap();
            let mut terminal = Terminal::new(TerminalOptions { size: SIZE, ..TerminalOptions::default() });
            terminal.feed(&bytes[..*offset]);
            let grid = terminal.frame().text();
            let found = (is_open.is_match(&grid), is_busy.is_match(&grid), is_asked.is_match(&grid));
            let expected = match *state {
                "idle" => (true, false, false),
                "working" => (true, true, false),
                _ => (false, false, true),
            };
            assert_eq!(found, expected, "{recording} at {offset}, {state}:\n{grid}");
        }
    }
}
