//! Searching what was printed.

use ops::ErrorKind;
use serde_json::{Value, json};
use testkit::Script;

use crate::stage::{Stage, ended, id, line};

async fn search(stage: &Stage, session: &engine::Session, more: Value) -> Value {
    let mut args = json!({"process_id": id(session)});
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    stage.json("search_output", args).await.unwrap()
}

#[tokio::test]
async fn rendered_lines_are_found_in_all_of_history_with_context() {
    let stage = Stage::new();
    let session = stage.shell("seq 1 100; printf 'colour\\033[31med\\033[0m\\n'; printf '%0100d\\n' 7").await;
    ended(&session).await;
    let found = search(&stage, &session, json!({"pattern": "^50$", "context_before": 2, "context_after": 1})).await;
    let expected = json!({"line_no": 49, "text": "50", "context_before": ["48", "49"], "context_after": ["51"]});
    assert_eq!(found, json!({"matches": [expected], "truncated": false, "first_line": 0}));
    let found = search(&stage, &session, json!({"pattern": "coloured"})).await;
    assert_eq!(found["matches"][0]["text"], "coloured");
    // Joined where it wrapped.
    let found = search(&stage, &session, json!({"pattern": "^0{99}7$"})).await;
    assert_eq!(found["matches"].as_array().unwrap().len(), 1);
    let found = search(&stage, &session, json!({"pattern": "absent"})).await;
    assert_eq!((&found["matches"], &found["truncated"]), (&json!([]), &json!(false)));
    stage.close().await;
}

#[tokio::test]
async fn matches_are_limited_and_more_are_told() {
    let stage = Stage::new();
    let session = stage.shell("seq 1 100").await;
    ended(&session).await;
    let found = search(&stage, &session, json!({"pattern": "\\d"})).await;
    assert_eq!((found["matches"].as_array().unwrap().len(), &found["truncated"]), (20, &json!(true)));
    let found = search(&stage, &session, json!({"pattern": "\\d", "limit": 100})).await;
    assert_eq!((found["matches"].as_array().unwrap().len(), &found["truncated"]), (100, &json!(false)));
    for more in [json!({"limit": 10_001}), json!({"context_before": 1001}), json!({"context_after": 1001})] {
        let mut args = json!({"process_id": id(&session), "pattern": "x"});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(stage.refusal("search_output", args).await, ErrorKind::InvalidArgs, "{more}");
    }
    let args = json!({"process_id": id(&session), "pattern": "[unclosed"});
    assert_eq!(stage.refusal("search_output", args).await, ErrorKind::InvalidArgs);
    stage.close().await;
}

#[tokio::test]
async fn raw_bytes_are_found_with_their_offset() {
    let stage = Stage::new();
    let session = stage.spawn(Script::new().print("a\nb\x1b[31mc\nd\n").exit(0)).await;
    ended(&session).await;
    let found = search(&stage, &session, json!({"pattern": "\\x1b\\[31m", "kind": "raw"})).await;
    assert_eq!(found, json!({"matches": [{"offset": 3, "text": "b\u{1b}[31mc"}], "truncated": false}));
    stage.close().await;
}

#[tokio::test]
async fn rows_of_a_full_screen_program_are_found_as_such() {
    let stage = Stage::new();
    let session = stage.spawn(Script::new().print("\x1b[?1049h\x1b[3;1Hneedle").hang()).await;
    line(&session, "needle").await;
    let found = search(&stage, &session, json!({"pattern": "needle"})).await;
    assert_eq!(found["matches"], json!([{"line_no": 2, "on_screen": true, "text": "needle"}]));
    stage.close().await;
}
