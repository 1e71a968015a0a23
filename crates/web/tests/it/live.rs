//! What an open page sees and does.

use std::sync::{Arc, Mutex};

use grpc::client::Endpoint;
use serde_json::json;
use testkit::{DEADLINE, Script};
use web::{AccessRights, NamedCoordinator};

use crate::stage::{Coordinated, Stage};

#[tokio::test]
async fn a_page_lists_shows_and_types() {
    let stage = Stage::new().await;
    let coordinated = stage.coordinate();
    let session = coordinated.spawn("one", Script::new().print("ready> ").cat()).await;
    let mut page = stage.page(AccessRights::Full).await;
    let hello = page.hear().await;
    assert_eq!(
        (&hello["t"], &hello["read_only"], &hello["version"]),
        (&json!("hello"), &json!(false), &json!("1.2.3"))
    );
    page.until("the session is listed", |message, _| {
        message["changed"][0]["sessions"][0]["name"] == "one" && message["changed"][0]["standing"] == "up"
    })
    .await;
    let id = session.id().to_string();
    page.say(json!({ "t": "watch", "view": 1, "coordinator": "a", "session": id, "pace": 33 })).await;
    page.shows("ready>").await;
    page.say(json!({ "t": "key", "view": 1, "key": "x" })).await;
    page.say(json!({ "t": "paste", "view": 1, "text": "yz äß" })).await;
    page.say(json!({ "t": "key", "view": 1, "key": "enter" })).await;
    page.shows("ready> xyz äß").await;
    page.shows_rows(&["ready> xyz äß", "xyz äß"]).await;
    let text = session.grid_text().1;
    assert_eq!(text.trim_end(), page.rows().join("\n").trim_end());
    // Watching changed no size; typing with a size does.
    assert_eq!(session.info().size, vt::Size::new(80, 24));
    page.say(json!({ "t": "size", "view": 1, "cols": 60, "rows": 10 })).await;
    page.say(json!({ "t": "key", "view": 1, "key": "q" })).await;
    let led = page.until("the page leads the size", |message, _| message["cols"] == 60).await;
    assert_eq!((&led["rows"], &led["leads"], &led["whole"]), (&json!(10), &json!(true), &json!(true)));
    page.say(json!({ "t": "ask", "number": 9, "ask": "kill", "coordinator": "a", "session": id, "signal": "KILL" }))
        .await;
    let exited = page.until("the page is told of the end", |message, _| message["t"] == "exited").await;
    assert_eq!(exited["signal"], "SIGKILL");
    page.close().await;
    coordinated.kill().await;
}

#[tokio::test]
async fn readers_only_read() {
    let stage = Stage::new().await;
    let coordinated = stage.coordinate();
    let session = coordinated.spawn("one", Script::new().print("ready> ").cat()).await;
    let mut page = stage.page(AccessRights::ReadOnly).await;
    let id = session.id().to_string();
    page.say(json!({ "t": "watch", "view": 1, "coordinator": "a", "session": id, "pace": 33 })).await;
    page.shows("ready>").await;
    page.say(json!({ "t": "size", "view": 1, "cols": 30, "rows": 10 })).await;
    page.say(json!({ "t": "key", "view": 1, "key": "x" })).await;
    page.until("the key is refused", |message, _| message["t"] == "refusal" && message["view"] == 1).await;
    for ask in [
        json!({ "ask": "spawn", "coordinator": "a" }),
        json!({ "ask": "kill", "coordinator": "a", "session": id, "signal": "KILL" }),
        json!({ "ask": "remove", "coordinator": "a", "session": id }),
        json!({ "ask": "rename", "coordinator": "a", "session": id, "name": "two" }),
        json!({ "ask": "record", "coordinator": "a", "session": id, "action": "start" }),
        json!({ "ask": "share", "may_type": true }),
    ] {
        let mut message = ask.clone();
        message["t"] = "ask".into();
        message["number"] = 5.into();
        page.say(message).await;
        let answer = page.until("the question is answered", |message, _| message["t"] == "answer").await;
        assert!(answer["error"]["message"].as_str().unwrap().contains("read-only"), "{ask}: {answer}");
    }
    page.say(json!({ "t": "ask", "number": 6, "ask": "history", "coordinator": "a", "session": id })).await;
    let answer = page.until("history is answered", |message, _| message["t"] == "answer").await;
    assert_eq!(answer["value"]["screen"]["lines"][0][2][0], "ready> ");
    assert_eq!((session.info().size, session.grid_text().1.trim_end()), (vt::Size::new(80, 24), "ready>"));
    page.close().await;
    coordinated.kill().await;
}

#[tokio::test]
async fn a_server_for_readers_makes_every_link_one() {
    let stage = Stage::with(true).await;
    let mut page = stage.page(AccessRights::Full).await;
    assert_eq!(page.hear().await["read_only"], true);
    page.close().await;
}

#[tokio::test]
async fn a_coordinator_goes_and_comes_back() {
    let stage = Stage::new().await;
    let mut page = stage.page(AccessRights::Full).await;
    page.until("the coordinator is away", |message, _| message["changed"][0]["standing"] == "away").await;
    let coordinated = stage.coordinate();
    let session = coordinated.spawn("one", Script::new().print("first life").hang()).await;
    let id = session.id().to_string();
    page.say(json!({ "t": "watch", "view": 1, "coordinator": "a", "session": id, "name": "one", "pace": 33 })).await;
    page.shows("first life").await;
    coordinated.kill().await;
    page.until("the view is told", |message, _| message["t"] == "away" || message["t"] == "exited").await;
    page.until("the list is told", |message, _| message["changed"][0]["standing"] == "away").await;
    let again = stage.coordinate();
    again.spawn("one", Script::new().print("second life").hang()).await;
    page.shows("second life").await;
    page.close().await;
    again.kill().await;
}

#[tokio::test]
async fn recordings_are_listed_and_played() {
    let stage = Stage::new().await;
    let folder = stage.folder.path().join("recordings");
    std::fs::create_dir(&folder).unwrap();
    let cast = "{\"version\":2,\"width\":20,\"height\":2}\n[1,\"o\",\"one\"]\n[9,\"o\",\" two\"]\n";
    std::fs::write(folder.join("demo.cast"), cast).unwrap();
    let login = stage.log_in(AccessRights::ReadOnly).await;
    let mut page = stage.page_of(&login).await.unwrap();
    page.say(json!({ "t": "ask", "number": 1, "ask": "recordings" })).await;
    let answer = page.until("the recordings are listed", |message, _| message["t"] == "answer").await;
    assert_eq!(answer["value"]["recordings"][0]["name"], "demo.cast");
    page.say(json!({ "t": "play", "view": 2, "recording": "demo.cast" })).await;
    let about = page.until("the recording is opened", |message, _| message["t"] == "recording").await;
    assert_eq!((&about["ms"], &about["pauses"]), (&json!(9000), &json!([[1000, 9000]])));
    for (ms, text) in [(1000, "one"), (9500, "one two"), (500, "")] {
        page.say(json!({ "t": "at", "view": 2, "ms": ms })).await;
        page.until("its frame has come", |message, _| message["at"] == ms).await;
        assert_eq!(page.rows()[0], text);
    }
    page.say(json!({ "t": "play", "view": 3, "recording": "../demo.cast" })).await;
    let gone = page.until("the stray name is refused", |message, _| message["t"] == "gone").await;
    assert_eq!(gone["view"], 3);
    page.close().await;
    // The file itself, for whoever is logged in, and no other.
    let key = format!("Bearer {}", login.key);
    let host = stage.host();
    let headers = [("Host", host.as_str()), ("Cookie", login.cookie.as_str()), ("Authorization", key.as_str())];
    let file = stage.request("GET", "/recordings/demo.cast", &headers).await;
    assert!(file.status == 200 && file.body.contains("[9,\"o\",\" two\"]"), "{file:?}");
    for (path, headers, status) in [
        ("/recordings/demo.cast", &headers[..2], 401),
        ("/recordings/other.cast", &headers[..], 404),
        ("/recordings/..%2Fdemo.cast", &headers[..], 404),
    ] {
        assert_eq!(stage.request("GET", path, headers).await.status, status, "{path}");
    }
}

#[tokio::test]
async fn nonsense_ends_the_connection_and_nothing_else() {
    let stage = Stage::new().await;
    let mut page = stage.page(AccessRights::Full).await;
    page.say(json!({ "t": "launch", "view": 1 })).await;
    page.until_closed().await;
    let mut other = stage.page(AccessRights::Full).await;
    assert_eq!(other.hear().await["t"], "hello");
    let long = "x".repeat((1 << 20) + 1);
    other.say(json!({ "t": "paste", "view": 1, "text": long })).await;
    let refusal = other.until("the paste is refused", |message, _| message["t"] == "refusal").await;
    assert!(refusal["hint"].as_str().unwrap().contains("1 MiB"), "{refusal}");
    other.close().await;
}

#[tokio::test]
async fn coordinators_are_told_apart_and_found_while_it_runs() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str, socket: &str| NamedCoordinator {
        name: name.into(),
        endpoint: Endpoint::Socket(folder.path().join(socket)),
        timeout: DEADLINE,
    };
    let first = Coordinated::at(folder.path().join("one.sock"));
    let second = Coordinated::at(folder.path().join("two.sock"));
    first.spawn("same", Script::new().print("of the first").hang()).await;
    second.spawn("same", Script::new().print("of the second").hang()).await;
    let fleet = Arc::new(Mutex::new(vec![at("box", "one.sock")]));
    let stage = Stage::of(fleet.clone()).await;
    let mut page = stage.page(AccessRights::ReadOnly).await;
    page.until("the first is up", |message, _| message["changed"][0]["standing"] == "up").await;
    // Another of the same name.
    fleet.lock().unwrap().push(at("box", "two.sock"));
    page.until("the second is up too", |message, _| {
        message["order"] == json!(["box", "box (2)"]) && message["changed"][0]["standing"] == "up"
    })
    .await;
    page.say(json!({ "t": "watch", "view": 1, "coordinator": "box (2)", "session": "same", "pace": 34 })).await;
    page.shows("of the second").await;
    fleet.lock().unwrap().remove(0);
    page.until("the first is no longer listed", |message, _| message["order"] == json!(["box (2)"])).await;
    page.close().await;
    first.kill().await;
    second.kill().await;
}
