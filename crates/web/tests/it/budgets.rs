//! What those who only look, and those who are not even logged in, can't take from the owner.

use serde_json::{Value, json};
use testkit::{Script, soon};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use web::AccessRights;

use crate::stage::{Page, Stage};

fn history(id: &str) -> Value {
    json!({ "t": "ask", "number": 1, "ask": "history", "coordinator": "a", "session": id })
}

#[tokio::test]
async fn readers_never_take_the_owners_place() {
    let stage = Stage::new().await;
    let owner = stage.log_in(AccessRights::Full).await;
    let mut pages: Vec<Page> = Vec::new();
    let mut each = Vec::new();
    for _ in 0..8 {
        let reader = stage.log_in(AccessRights::ReadOnly).await;
        let before = pages.len();
        let refused = loop {
            match stage.page_of(&reader).await {
                Ok(page) => pages.push(page),
                Err(status) => break status,
            }
        };
        assert_eq!(refused, 503);
        assert_eq!(stage.whoami(&reader.cookie, &reader.key).await.status, 503, "the page is told why");
        each.push(pages.len() - before);
    }
    // One login gets eight, all of them together six times as many.
    assert_eq!(each, [8, 8, 8, 8, 8, 8, 0, 0]);
    assert_eq!(stage.page_of(&owner).await.unwrap().hear().await["t"], "hello");
    // A place that is given up is free again.
    pages.pop().unwrap().close().await;
    let reader = stage.log_in(AccessRights::ReadOnly).await;
    soon("a reader gets the place", async { while stage.page_of(&reader).await.is_err() {} }).await;
}

#[cfg(target_os = "linux")]
#[test]
fn pages_that_ask_and_never_read_cost_little() {
    // What other tests take meanwhile does not count.
    testkit::in_own_process("budgets::pages_that_ask_and_never_read_cost_little", || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(ask_and_never_read());
    });
}

#[cfg(target_os = "linux")]
async fn ask_and_never_read() {
    /// Of this process, in which both the server and the coordinator run.
    fn resident_megabytes() -> usize {
        let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
        let resident: usize = pages.split(' ').nth(1).unwrap().parse().unwrap();
        resident * 4096 / (1 << 20)
    }
    let stage = Stage::new().await;
    let coordinated = stage.coordinate();
    let session = coordinated.spawn("one", Script::new().flood_lines(12_000_000, 4000).print("end\n").hang()).await;
    let id = session.id().to_string();
    let mut owner = stage.page(AccessRights::Full).await;
    owner.say(json!({ "t": "watch", "view": 1, "coordinator": "a", "session": id, "pace": 34 })).await;
    owner.shows("end").await;
    let before = resident_megabytes();
    let reader = stage.log_in(AccessRights::ReadOnly).await;
    let mut deaf = Vec::new();
    while let Ok(mut page) = stage.page_of(&reader).await {
        for _ in 0..16 {
            page.say(history(&id)).await;
        }
        deaf.push(page);
    }
    assert_eq!(deaf.len(), 8);
    // The owner looks back as often, and is answered each time.
    for _ in 0..32 {
        owner.say(history(&id)).await;
        let answer = owner.until("the owner is answered", |message, _| message["t"] == "answer").await;
        assert!(answer["value"]["lines"].as_array().is_some_and(|lines| lines.len() > 100), "{answer:.200}");
    }
    let grown = resident_megabytes().saturating_sub(before);
    assert!(grown < 150, "{grown} MB for {} questions", 16 * deaf.len());
    drop(deaf);
    coordinated.kill().await;
}

#[tokio::test]
async fn downloads_that_nobody_takes_keep_no_connections() {
    let stage = Stage::new().await;
    let folder = stage.folder.path().join("recordings");
    std::fs::create_dir(&folder).unwrap();
    // More than sockets hold.
    std::fs::File::create(folder.join("large.cast")).unwrap().set_len(64 << 20).unwrap();
    let reader = stage.log_in(AccessRights::ReadOnly).await;
    let request = format!(
        "GET /recordings/large.cast HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        stage.host(),
        reader.cookie,
        reader.key,
    );
    let mut untaken = Vec::new();
    let mut statuses = Vec::new();
    for _ in 0..300 {
        let mut stream = TcpStream::connect(stage.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = [0; 12];
        soon("it is answered", stream.read_exact(&mut answer)).await.unwrap();
        statuses.push(String::from_utf8_lossy(&answer[9..]).into_owned());
        untaken.push(stream);
    }
    assert_eq!(statuses[..2], ["200", "200"]);
    assert!(statuses[2..].iter().all(|status| status == "503"), "{statuses:?}");
    assert_eq!(stage.get(&stage.link(AccessRights::Full), "").await.status, 200);
}

#[tokio::test]
async fn a_reader_watches_a_bounded_number_of_sessions() {
    let stage = Stage::new().await;
    let reader = stage.log_in(AccessRights::ReadOnly).await;
    let mut pages = [stage.page_of(&reader).await.unwrap(), stage.page_of(&reader).await.unwrap()];
    for (page, views) in pages.iter_mut().zip([100, 28]) {
        for view in 0..views {
            page.say(json!({ "t": "watch", "view": view, "coordinator": "none", "session": "x", "pace": 34 })).await;
            page.until("the view is open", |message, _| message["t"] == "away" && message["view"] == view).await;
        }
    }
    let one_more = json!({ "t": "watch", "view": 99, "coordinator": "none", "session": "x", "pace": 34 });
    pages[1].say(one_more.clone()).await;
    let gone = pages[1].until("it is told", |message, _| message["t"] == "gone").await;
    assert!(gone["reason"].as_str().unwrap().contains("close some pages"), "{gone}");
    pages[0].say(json!({ "t": "close", "view": 0 })).await;
    pages[0].say(json!({ "t": "ping" })).await;
    pages[0].until("it is closed", |message, _| message["t"] == "pong").await;
    pages[1].say(one_more).await;
    pages[1].until("there is room again", |message, _| message["t"] == "away" && message["view"] == 99).await;
}

#[tokio::test]
async fn silent_connections_make_way() {
    let stage = Stage::new().await;
    let mut page = stage.page(AccessRights::ReadOnly).await;
    let mut silent = Vec::new();
    for number in 0..300 {
        let mut stream = TcpStream::connect(stage.address).await.unwrap();
        if number % 2 == 0 {
            stream.write_all(b"GET / HTTP/1.1\r\nHost: half").await.unwrap();
        }
        silent.push(stream);
    }
    // Answered while most of them are still there: nobody had to wait until they ran out of time.
    let link = stage.link(AccessRights::Full);
    assert_eq!(stage.get(&link, "").await.status, 200);
    let still_there = silent[200].try_read(&mut [0]).unwrap_err();
    assert_eq!(still_there.kind(), std::io::ErrorKind::WouldBlock);
    let mut newest = silent.pop().unwrap();
    newest.write_all(b"GET /style.css HTTP/1.1\r\n\r\n").await.unwrap();
    let mut answer = [0; 12];
    soon("the newest is answered", newest.read_exact(&mut answer)).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 421");
    let ended = soon("the oldest has made way", silent[0].read(&mut answer)).await;
    assert!(matches!(ended, Ok(0) | Err(_)), "{ended:?}");
    page.say(json!({ "t": "ping" })).await;
    page.until("an open page does not notice", |message, _| message["t"] == "pong").await;
}
