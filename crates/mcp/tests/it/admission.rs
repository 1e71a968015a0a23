//! Who is let in, and what the others are told.

use mcp::{AdmissionError, admit, greeting};
use ops::Role;
use serde_json::{Value, json};
use testkit::DEADLINE;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, duplex},
    time::timeout,
};

use crate::stage::{OPERATOR, SUB_AGENT, Stage, stateless};

/// What somebody hears who says this.
async fn heard(stage: &Stage, said: &str) -> (AdmissionError, Value) {
    let (mut here, there) = duplex(256 * 1024);
    here.write_all(said.as_bytes()).await.unwrap();
    let refused = timeout(DEADLINE, admit(there, &stage.program)).await.expect("it is decided").unwrap_err();
    let mut text = String::new();
    here.read_to_string(&mut text).await.unwrap();
    (refused, if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap() })
}

#[tokio::test]
async fn a_known_token_is_its_caller_and_nothing_after_it_is_lost() {
    let stage = Stage::new();
    for (token, role) in [(OPERATOR, Role::Operator), (SUB_AGENT, Role::SubAgent)] {
        for chunk in [1, 7, 4096] {
            let (mut here, there) = duplex(4096);
            let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": stateless(json!({})) });
            let said = format!("{}{list}\n", greeting(token));
            let writing = async {
                for part in said.as_bytes().chunks(chunk) {
                    here.write_all(part).await.unwrap();
                    tokio::task::yield_now().await;
                }
                here
            };
            let (here, admitted) = tokio::join!(writing, admit(there, &stage.program));
            let mcp::AdmittedClient { caller, call, stream } = admitted.unwrap();
            assert_eq!(call, None);
            assert_eq!(caller.role, role);
            let served = stage.serve(stream, caller.role);
            let mut line = String::new();
            BufReader::new(here).read_line(&mut line).await.unwrap();
            assert!(line.contains("\"result\""), "{line}");
            served.await.unwrap().unwrap();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_unknown_token_is_told_so_under_the_id_of_its_first_request() {
    let stage = Stage::new();
    let first = json!({ "jsonrpc": "2.0", "id": "a", "method": "initialize" });
    let (refused, answer) = heard(&stage, &format!("{}{first}\n", greeting("guessed"))).await;
    assert!(matches!(refused, AdmissionError::UnknownIdentity));
    assert_eq!(answer["id"], "a");
    assert_eq!(
        (&answer["error"]["code"], &answer["error"]["data"]["kind"]),
        (&json!(-32000), &json!("role_forbidden"))
    );
    assert!(answer["error"]["message"].as_str().unwrap().contains("not known"), "{answer}");
    let (_, answer) = heard(&stage, &greeting("guessed")).await;
    assert_eq!(answer["id"], Value::Null, "who asks nothing hears it too");
    assert!(stage.heard().is_empty(), "the host never met them");
}

#[tokio::test(start_paused = true)]
async fn who_does_not_greet_is_sent_to_the_front_door() {
    let stage = Stage::new();
    let request = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"whoami"}}"#;
    let greeted_and_more = r#"{"patterm_identity":"operators-token","jsonrpc":"2.0","id":7,"method":"ping"}"#;
    for (said, id) in [
        (format!("{request}\n"), json!(7)),
        (format!("{greeted_and_more}\n"), json!(7)),
        (format!("{OPERATOR}\n"), Value::Null),
        ("\n".into(), Value::Null),
        (format!("{}\n", "x".repeat(1 << 16)), Value::Null),
        (format!("{request}{}", " ".repeat(20_000)), Value::Null),
    ] {
        let (refused, answer) = heard(&stage, &said).await;
        assert!(matches!(refused, AdmissionError::NoGreeting), "{said:.80}: {refused}");
        assert_eq!(answer["id"], id, "{said:.80}");
        assert!(answer["error"]["data"]["hint"].as_str().unwrap().contains("mcp-stdio"), "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_says_nothing_is_given_up_in_time() {
    let stage = Stage::new();
    let (mut here, there) = duplex(64);
    here.write_all(b"{\"patterm_ident").await.unwrap();
    let start = tokio::time::Instant::now();
    let refused = admit(there, &stage.program).await.unwrap_err();
    assert!(matches!(refused, AdmissionError::Silent(_)));
    assert!(start.elapsed().as_secs() <= 12);
    let (here, there) = duplex(64);
    drop(here);
    assert!(matches!(admit(there, &stage.program).await, Err(AdmissionError::Closed)));
}
