//! The end of a session carried on to its children.

use engine::{Error, NewSession, Origin, Owner, Session, Status, StopRequest};
use testkit::Script;

use crate::stage::*;

fn child_of(parent: &Session, script: Script) -> NewSession {
    NewSession { parent: Some(parent.id()), origin: Origin::Agent(parent.id()), ..command(script) }
}

#[tokio::test]
async fn children_are_stopped_when_their_parent_exits() {
    let engine = engine();
    let parent = spawn(&engine, Script::new().read_line().exit(0)).await;
    let child = engine.spawn(child_of(&parent, Script::new().hang())).await.unwrap();
    let grandchild = engine.spawn(child_of(&child, Script::new().hang())).await.unwrap();
    let stranger = spawn(&engine, Script::new().hang()).await;
    assert_eq!(engine.children_of(parent.id()).len(), 1);
    parent.send(engine::Input::Text("\n".into()), Origin::Human).unwrap();
    assert_eq!(exit(&parent).await.0, Status::Exited);
    assert_eq!(exit(&child).await.0, Status::Stopped);
    assert_eq!(exit(&grandchild).await.0, Status::Stopped);
    assert_eq!(stranger.status(), Status::Running);
    // Still there to be read.
    assert_eq!(engine.list().len(), 4);
    close(engine).await;
}

#[tokio::test]
async fn removing_a_parent_removes_the_tree() {
    let engine = engine();
    let parent = spawn(&engine, Script::new().hang()).await;
    let child = engine.spawn(child_of(&parent, Script::new().pid().hang())).await.unwrap();
    let grandchild =
        engine.spawn(child_of(&child, Script::new().pid().ignore("TERM").ignore("HUP").hang())).await.unwrap();
    let pids = [number_after(&child, "pid").await, number_after(&grandchild, "pid").await];
    soon("the tree is removed", parent.remove(AT_ONCE)).await.unwrap();
    assert!(engine.list().is_empty());
    for pid in pids {
        assert!(!is_alive(pid));
    }
    close(engine).await;
}

#[tokio::test]
async fn restarting_a_parent_keeps_its_children() {
    let engine = engine();
    let parent = spawn(&engine, Script::new().hang()).await;
    let child = engine.spawn(child_of(&parent, Script::new().hang())).await.unwrap();
    parent.restart(StopRequest::default()).await.unwrap();
    // A second end of the parent proves that the first has been dealt with: notices keep their order.
    parent.stop(StopRequest::default()).await.unwrap();
    assert_eq!(exit(&child).await.0, Status::Stopped);
    assert_eq!(child.info().ending.map(|ending| ending.at >= parent.info().ending.unwrap().at), Some(true));
    close(engine).await;
}

#[tokio::test]
async fn a_parent_that_has_ended_spawns_nothing_but_a_person_may() {
    let engine = engine();
    let parent = spawn(&engine, Script::new().exit(0)).await;
    exit(&parent).await;
    let refused = engine.spawn(child_of(&parent, Script::new().hang())).await.unwrap_err();
    assert!(matches!(refused, Error::NotRunning { id, .. } if id == parent.id()));
    let by_hand = NewSession { origin: Origin::Human, ..child_of(&parent, Script::new().hang()) };
    let child = engine.spawn(by_hand).await.unwrap();
    assert_eq!((child.parent(), child.owner()), (Some(parent.id()), Owner::User));
    parent.remove(AT_ONCE).await.unwrap();
    assert!(engine.list().is_empty());
    let orphan = engine.spawn(child_of(&parent, Script::new().hang())).await.unwrap_err();
    assert!(is_not_found(&orphan));
    close(engine).await;
}

/// However the two meet, no child outlives its parent.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_child_spawned_while_its_parent_dies_dies_too() {
    let engine = engine();
    for _ in 0..30 {
        let parent = spawn(&engine, Script::new().hang()).await;
        let spawning = {
            let (engine, new) = (engine.clone(), child_of(&parent, Script::new().hang()));
            tokio::spawn(async move { engine.spawn(new).await })
        };
        parent.kill(engine::Signal::KILL).unwrap();
        match spawning.await.unwrap() {
            Ok(child) => assert_eq!(exit(&child).await.0, Status::Stopped),
            Err(error) => assert!(matches!(error, Error::NotRunning { .. }), "{error}"),
        }
    }
    close(engine).await;
}
