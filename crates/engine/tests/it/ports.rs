//! Ports that sessions print or listen on.

use engine::{Input, Origin};
use testkit::Script;

use crate::stage::*;

#[tokio::test]
async fn printed_ports_are_seen_through_colours_and_reads() {
    let engine = engine();
    let first = "  Local:   http://localhost:\x1b[1m51";
    let session = spawn(
        &engine,
        Script::new().print(first).sleep(50).print("73\x1b[22m/\n").flood(100_000).print("end\n").hang(),
    )
    .await;
    line(&session, "end").await;
    let ports = session.ports().await;
    assert_eq!(ports.len(), 1, "{ports:?}");
    assert_eq!(
        (ports[0].port, ports[0].url.as_deref(), ports[0].listening),
        (5173, Some("http://localhost:5173/"), false)
    );
    close(engine).await;
}

#[tokio::test]
async fn a_sighting_outlives_its_line() {
    let engine = engine();
    let session = spawn(
        &engine,
        Script::new().print("on http://localhost:4000\n").read_line().print("\x1b[H\x1b[2J\x1b[3Jcleared\n").hang(),
    )
    .await;
    line(&session, "4000").await;
    // Output that paused is looked at by itself; asking makes sure that it was.
    assert_eq!(session.ports().await.len(), 1);
    session.send(Input::Text("\n".into()), Origin::Human).unwrap();
    line(&session, "cleared").await;
    assert_eq!(session.ports().await.len(), 1);
    close(engine).await;
}

#[tokio::test]
async fn listening_sockets_of_the_process_tree_are_marked() {
    let engine = engine();
    let session = spawn(&engine, Script::new().listen("127.0.0.1:0").hang()).await;
    let port = u16::try_from(number_after(&session, "listening").await).unwrap();
    let ports = session.ports().await;
    assert!(ports.iter().any(|seen| seen.port == port && seen.listening), "{port} is not in {ports:?}");
    session.stop(AT_ONCE).await.unwrap();
    assert!(session.ports().await.iter().all(|seen| !seen.listening));
    close(engine).await;
}
