//! Reading a session.

use ops::{ErrorKind, Host, operations::*};
use serde_json::{Value, json};
use testkit::{Script, soon};

use crate::stage::{Stage, ended, id, line, until};

async fn output(stage: &Stage, args: Value) -> Value {
    stage.json("get_process_output", args).await.unwrap()
}

#[tokio::test]
async fn a_grid_is_normalised_text_with_where_it_stands() {
    let stage = Stage::new();
    let script = Script::new().print("\n\none   \n\n\n\n  two\x1b[31m red\x1b[0m\n").print("\x1b[10;5Hdeep").hang();
    let session = stage.spawn(script).await;
    line(&session, "deep").await;
    let read = output(&stage, json!({"process_id": id(&session)})).await;
    assert_eq!(read["content"], "one\n\n  two red\n\n    deep");
    assert_eq!(
        (&read["mode"], &read["status"], &read["active_screen"]),
        (&json!("grid"), &json!("running"), &json!("main"))
    );
    assert_eq!((&read["cols"], &read["rows"], &read["cursor"]), (&json!(80), &json!(24), &json!({"x": 8, "y": 9})));
    for absent in ["changed_rows", "truncated", "new_offset", "dropped_bytes"] {
        assert!(read.get(absent).is_none(), "{absent} in {read}");
    }
    stage.close().await;
}

#[tokio::test]
async fn a_full_screen_program_shows_its_own_screen() {
    let stage = Stage::new();
    let session = stage.spawn(Script::new().print("before\n\x1b[?1049h\x1b[Hwithin").hang()).await;
    line(&session, "within").await;
    let read = output(&stage, json!({"process_id": id(&session)})).await;
    assert_eq!((&read["content"], &read["active_screen"]), (&json!("within"), &json!("alternate")));
    stage.close().await;
}

#[tokio::test]
async fn only_changed_rows_since_a_version() {
    let stage = Stage::new();
    // The child answers each line it reads with "line", wherever the cursor is.
    let script = Script::new().no_echo().print("a\nb\nc\n\x1b[10;1H").read_line().print("\x1b[2;1HB!\x1b[11;1H");
    let session = stage.spawn(script.read_line().print("\x1b[4;1Hend").hang()).await;
    line(&session, "^c$").await;
    let read = output(&stage, json!({"process_id": id(&session)})).await;
    let since = |version: &Value| json!({"process_id": id(&session), "since_version": version});
    let same = output(&stage, since(&read["screen_version"])).await;
    assert_eq!((&same["changed_rows"], &same["content"]), (&json!([]), &json!("")));
    stage.json("send_input", json!({"process_id": id(&session), "text": ""})).await.unwrap();
    line(&session, "B!").await;
    let changed = output(&stage, since(&read["screen_version"])).await;
    assert_eq!(changed["changed_rows"], json!([{"row": 1, "text": "B!"}, {"row": 9, "text": "line"}]));
    // Nothing is lost to who reads on from there.
    stage.json("send_input", json!({"process_id": id(&session), "text": ""})).await.unwrap();
    line(&session, "end").await;
    let more = output(&stage, since(&changed["screen_version"])).await;
    assert_eq!(more["changed_rows"], json!([{"row": 3, "text": "end"}, {"row": 10, "text": "line"}]));
    // After a resize nothing can be compared: the whole grid comes.
    stage.json("resize_process", json!({"process_id": id(&session), "cols": 40, "rows": 20})).await.unwrap();
    let whole = output(&stage, since(&more["screen_version"])).await;
    assert!(whole.get("changed_rows").is_none(), "{whole}");
    assert!(whole["content"].as_str().unwrap().starts_with("a\nB!\nc\nend"), "{whole}");
    stage.close().await;
}

#[tokio::test]
async fn max_bytes_cuts_and_says_how_to_get_the_rest() {
    let stage = Stage::new();
    let session = stage.spawn(Script::new().print("first line\nsecond line\nthird line\n").hang()).await;
    line(&session, "third").await;
    let read = output(&stage, json!({"process_id": id(&session), "max_bytes": 24})).await;
    let content = read["content"].as_str().unwrap();
    assert!(content.ends_with("]\nsecond line\nthird line") && content.contains("max_bytes 33"), "{content}");
    assert_eq!(read["truncated"], true);
    let all = output(&stage, json!({"process_id": id(&session), "max_bytes": 33})).await;
    assert_eq!(all["content"], "first line\nsecond line\nthird line");

    let newest = output(&stage, json!({"process_id": id(&session), "mode": "stream", "max_bytes": 12})).await;
    let content = newest["content"].as_str().unwrap();
    assert!(content.starts_with('[') && content.contains("since_offset 0"), "{content}");
    assert!(content.ends_with("third line\n") && newest["truncated"] == true, "{content}");
    stage.close().await;
}

#[tokio::test]
async fn a_stream_is_read_on_from_where_it_was() {
    let stage = Stage::new();
    let script = Script::new().print("\x1b[1mcaf\u{e9}\x1b[0m\n").print("10%\r20%\rdone\n").exit(0);
    let session = stage.spawn(script).await;
    ended(&session).await;
    let whole = "café\n10%\n20%\ndone\n";
    let read = output(&stage, json!({"process_id": id(&session), "mode": "stream"})).await;
    assert_eq!((&read["content"], &read["status"]), (&json!(whole), &json!("exited")));
    assert_eq!(read["new_offset"], session.output_offset());
    // In small bites, each of which ends between characters and sequences.
    let (mut offset, mut text, mut bites) = (0, String::new(), 0);
    while offset < session.output_offset() {
        let args = json!({"process_id": id(&session), "mode": "stream", "since_offset": offset, "max_bytes": 9});
        let read = output(&stage, args).await;
        let content = read["content"].as_str().unwrap();
        let marker = content.rfind("\n[").map_or(content.len(), |at| at + 1);
        assert_eq!(read.get("truncated").is_some(), content.ends_with(']'), "{content:?}");
        text.push_str(content[..marker].trim_end_matches('\n'));
        assert!(read["new_offset"].as_u64().unwrap() > offset, "{read}");
        offset = read["new_offset"].as_u64().unwrap();
        bites += 1;
    }
    assert!(bites > 3 && !text.contains(['\u{fffd}', '[']), "{text:?}");
    assert_eq!(text.replace(['\n', '\r'], ""), whole.replace('\n', ""));
    stage.close().await;
}

#[tokio::test]
async fn what_the_ring_no_longer_holds_is_counted() {
    let stage = Stage::new();
    let session = stage.spawn(Script::new().flood(1_500_000).exit(0)).await;
    ended(&session).await;
    let kept = session.raw(0, 0).offset;
    assert!(kept > 0);
    for operation in ["get_process_output", "get_process_raw_output"] {
        let mut args = json!({"process_id": id(&session), "since_offset": 10, "max_bytes": 100});
        if operation == "get_process_output" {
            args["mode"] = json!("stream");
        }
        let read = stage.json(operation, args).await.unwrap();
        assert_eq!(read["dropped_bytes"], kept - 10, "{operation}");
    }
    stage.close().await;
}

#[tokio::test]
async fn raw_output_is_text_or_base64() {
    let stage = Stage::new();
    let text = stage.spawn(Script::new().print("\x1b[31mr\u{e9}d\n").exit(0)).await;
    let bytes = stage.spawn(Script::new().print_bytes(b"a\xff\x00").exit(0)).await;
    ended(&text).await;
    ended(&bytes).await;
    let raw = |session: &engine::Session| json!({"process_id": id(session)});
    let read = stage.json("get_process_raw_output", raw(&text)).await.unwrap();
    assert_eq!(read, json!({"content": "\u{1b}[31mr\u{e9}d\r\n", "new_offset": 11, "status": "exited"}));
    let read = stage.json("get_process_raw_output", raw(&bytes)).await.unwrap();
    assert_eq!(read, json!({"content": "Yf8A", "encoding": "base64", "new_offset": 3, "status": "exited"}));
    let from = json!({"process_id": id(&text), "since_offset": 5, "max_bytes": 2});
    let read = stage.json("get_process_raw_output", from).await.unwrap();
    // Two bytes would end within the é.
    assert!(read["content"] == "r" && read["new_offset"] == 6 || read["encoding"] == "base64", "{read}");
    stage.close().await;
}

#[tokio::test]
async fn a_screen_has_its_cells() {
    let stage = Stage::new();
    let session = stage.spawn(Script::new().print("\x1b[1;31mA\x1b[0m漢\x1b[48;2;1;2;3m \x1b[0m").hang()).await;
    line(&session, "A漢").await;
    let args = get_screen::Args { process_id: id(&session) };
    let screen = stage.run::<GetScreen>(args).await.unwrap();
    assert_eq!((screen.id, screen.frame.frame.size), (session.id(), vt::Size::default()));
    let json = stage.json("get_screen", json!({"process_id": id(&session)})).await.unwrap();
    assert_eq!(
        json["screen_rows"][0]["cells"],
        json!([
            {"char": "A", "fg": 0xcd0000, "bg": -1, "attributes": ["bold"]},
            {"char": "漢", "fg": -1, "bg": -1},
            {"char": "", "fg": -1, "bg": -1},
            {"char": " ", "fg": -1, "bg": 0x010203},
        ])
    );
    assert_eq!((&json["cols"], &json["rows"], &json["cursor"]), (&json!(80), &json!(24), &json!({"x": 4, "y": 0})));
    assert_eq!(json["screen_rows"].as_array().unwrap().len(), 24);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ports_are_those_printed_and_those_open() {
    let stage = Stage::new();
    let session =
        stage.spawn(Script::new().print("on http://localhost:5173/ now\n").listen("127.0.0.1:0").hang()).await;
    line(&session, "5173").await;
    soon("the session listens", async {
        while !session.ports().await.iter().any(|port| port.listening) {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
    })
    .await;
    let read = stage.json("get_process_ports", json!({"process_id": id(&session)})).await.unwrap();
    let ports = read["ports"].as_array().unwrap();
    let printed = ports.iter().find(|port| port["port"] == 5173).unwrap();
    assert_eq!((&printed["url"], &printed["listening"]), (&json!("http://localhost:5173/"), &json!(false)));
    assert!(printed["first_seen_at"].as_str().unwrap().ends_with('Z'));
    assert!(ports.iter().any(|port| port["listening"] == true), "{read}");
    stage.close().await;
}

struct Trimming;

impl Host for Trimming {
    fn trim_grid(&self, _: &engine::Session, grid: String) -> String {
        grid.replace("chrome", "")
    }
}

#[tokio::test]
async fn the_program_trims_grids_before_they_are_normalised() {
    let stage = Stage::with(Trimming);
    let session = stage.spawn(Script::new().print("chrome\nkept\nchrome\n").hang()).await;
    line(&session, "kept").await;
    until("all is printed", || session.grid_text().1.matches("chrome").count() == 2).await;
    assert_eq!(output(&stage, json!({"process_id": id(&session)})).await["content"], "kept");
    assert_eq!(
        stage.refusal("get_process_output", json!({"process_id": id(&session), "mode": "video"})).await,
        ErrorKind::InvalidArgs
    );
    stage.close().await;
}
