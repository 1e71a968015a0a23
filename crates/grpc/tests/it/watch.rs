//! WatchSessions.

use grpc::proto::{watch_sessions_event::Event, *};
use testkit::Script;
use tonic::Streaming;

use crate::stage::{Stage, soon};

async fn next(events: &mut Streaming<WatchSessionsEvent>) -> Event {
    soon("the next event comes", events.message()).await.unwrap().unwrap().event.unwrap()
}

#[tokio::test]
async fn the_list_then_its_changes() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    stage.spawn(&mut vtr, "one", Script::new().hang()).await;
    let mut events = vtr.watch_sessions(WatchSessionsRequest {}).await.unwrap().into_inner();
    let Event::Snapshot(list) = next(&mut events).await else { panic!("no list first") };
    assert_eq!(list.sessions.iter().map(|session| session.name.as_str()).collect::<Vec<_>>(), ["one"]);

    let two = stage.spawn(&mut vtr, "two", Script::new().hang()).await.id().to_string();
    let Event::Added(added) = next(&mut events).await else { panic!("not added") };
    assert_eq!((added.name.as_str(), added.id.as_str()), ("two", two.as_str()));
    vtr.rename(RenameRequest { name: "two".into(), new_name: "three".into() }).await.unwrap();
    vtr.kill(KillRequest { name: "three".into(), signal: "KILL".into(), wait: None }).await.unwrap();
    let mut names = Vec::new();
    loop {
        let Event::Changed(changed) = next(&mut events).await else { panic!("not changed") };
        assert_eq!(changed.id, two);
        names.push(changed.name.clone());
        if changed.status() == SessionStatus::Exited {
            assert!(changed.signal.contains("KILL"), "{changed:?}");
            break;
        }
    }
    assert_eq!(names.last().unwrap(), "three");
    vtr.remove(RemoveRequest { name: "three".into() }).await.unwrap();
    loop {
        match next(&mut events).await {
            Event::Changed(_) => {}
            event => {
                assert_eq!(event, Event::Removed(SessionRemoved { id: two, name: "three".into() }));
                break;
            }
        }
    }
    stage.close().await;
}
