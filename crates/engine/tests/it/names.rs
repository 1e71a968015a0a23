//! Ids and names in an engine.

use engine::{Error, NameChoice, SessionName};
use testkit::Script;

use crate::stage::*;

fn hanging(name: NameChoice) -> engine::NewSession {
    engine::NewSession { name, ..command(Script::new().hang()) }
}

fn exactly(name: &str) -> NameChoice {
    NameChoice::Exactly(SessionName::new(name).unwrap())
}

#[tokio::test]
async fn default_names_count_per_slug_and_are_not_given_again() {
    let engine = engine();
    let name = async |choice| engine.spawn(hanging(choice)).await.unwrap().name().unwrap().to_string();
    assert_eq!(name(NameChoice::FromKind).await, "command-1");
    assert_eq!(name(NameChoice::FromKind).await, "command-2");
    assert_eq!(name(NameChoice::FromSlug("codex".into())).await, "codex-1");
    assert_eq!(name(exactly("codex-2")).await, "codex-2");
    assert_eq!(name(NameChoice::FromSlug("codex".into())).await, "codex-3");
    engine.find("command-2").unwrap().remove(AT_ONCE).await.unwrap();
    assert_eq!(name(NameChoice::FromKind).await, "command-3");
    close(engine).await;
}

#[tokio::test]
async fn a_name_belongs_to_one_session() {
    let engine = engine();
    let first = engine.spawn(hanging(exactly("a"))).await.unwrap();
    let second = engine.spawn(hanging(exactly("b"))).await.unwrap();
    let taken = engine.spawn(hanging(exactly("a"))).await.unwrap_err();
    assert!(matches!(taken, Error::AlreadyExists { holder, .. } if holder == first.id()));
    let taken = second.rename(SessionName::new("a").unwrap()).unwrap_err();
    assert!(matches!(taken, Error::AlreadyExists { holder, .. } if holder == first.id()));
    second.rename(SessionName::new("b").unwrap()).unwrap();
    first.rename(SessionName::new("c").unwrap()).unwrap();
    second.rename(SessionName::new("a").unwrap()).unwrap();
    assert_eq!(engine.find("a").unwrap().id(), second.id());
    assert_eq!(engine.find("c").unwrap().id(), first.id());
    assert!(is_not_found(&engine.find("b").unwrap_err()));
    close(engine).await;
}

#[tokio::test]
async fn sessions_are_found_by_id_and_name() {
    let engine = engine();
    let session = engine.spawn(hanging(exactly("shell"))).await.unwrap();
    let id = session.id().to_string();
    assert!(id.starts_with("p_") && id.len() == 8, "{id}");
    assert_eq!(engine.find(&id).unwrap().id(), session.id());
    assert_eq!(engine.find("shell").unwrap().id(), session.id());
    for wrong in ["", "Shell", "p_000000x", &"long".repeat(10_000)] {
        let error = engine.find(wrong).unwrap_err();
        assert!(is_not_found(&error) && error.to_string().len() < 200, "{error}");
    }
    close(engine).await;
}
