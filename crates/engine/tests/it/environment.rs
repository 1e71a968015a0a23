//! What children find around them.

use std::ffi::OsString;

use engine::{Engine, EngineOptions, Error, LimitExceeded};
use testkit::Script;

use crate::stage::*;

#[tokio::test]
async fn a_child_gets_its_environment_and_folder() {
    let base =
        [("PATH", "/usr/bin:/bin"), ("TMUX", "/tmp/t,1,0"), ("CLAUDECODE", "1"), ("KEPT", "base"), ("GONE", "x")];
    let base_env = base.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect();
    let engine = Engine::new(EngineOptions { base_env, ..options() });
    let folder = tempfile::tempdir().unwrap();
    let script = ["TERM", "COLORTERM", "PATTERM", "PATTERM_PROCESS_ID", "TMUX", "CLAUDECODE", "KEPT", "GONE", "EXTRA"]
        .iter()
        .fold(Script::new(), |script, name| script.print_env(name));
    let mut new = command(script.cwd());
    new.env = vec![("EXTRA".into(), "more".into()), ("KEPT".into(), "request".into())];
    new.env_unset = vec!["GONE".into()];
    new.working_dir = Some(folder.path().canonicalize().unwrap());
    let session = engine.spawn(new).await.unwrap();
    exit(&session).await;
    let text = session.grid_text().1;
    for expected in [
        "TERM=xterm-256color".to_owned(),
        "COLORTERM=truecolor".to_owned(),
        "PATTERM=1".to_owned(),
        format!("PATTERM_PROCESS_ID={}", session.id()),
        "TMUX is unset".to_owned(),
        "CLAUDECODE is unset".to_owned(),
        "KEPT=request".to_owned(),
        "GONE is unset".to_owned(),
        "EXTRA=more".to_owned(),
    ] {
        assert!(text.lines().any(|line| line == expected), "{expected} is missing:\n{text}");
    }
    assert!(text.contains("cwd /"), "{text}");
    close(engine).await;
}

#[tokio::test]
async fn secrets_do_not_show_in_debug_prints() {
    let engine = engine();
    let mut new = command(Script::new().hang());
    new.env = vec![("TOKEN".into(), "hunter2".into())];
    assert!(!format!("{new:?}").contains("hunter2"));
    let session = engine.spawn(new).await.unwrap();
    assert!(!format!("{session:?} {engine:?} {:?}", session.info()).contains("hunter2"));
    close(engine).await;
}

#[tokio::test]
async fn a_start_that_brings_too_much_is_refused_and_leaves_nothing() {
    let engine = engine();
    let mut new = command(Script::new().hang());
    new.env = (0..4097).map(|number| (format!("V{number}").into(), "x".into())).collect();
    let refused = engine.spawn(new.clone()).await.unwrap_err();
    assert!(matches!(refused, Error::LimitExceeded(LimitExceeded::Variables { count: 4097, .. })), "{refused:?}");
    new.env.truncate(1);
    new.env[0].1 = "x".repeat(1 << 20).into();
    let refused = engine.spawn(new).await.unwrap_err();
    assert!(matches!(refused, Error::LimitExceeded(LimitExceeded::Command { .. })), "{refused:?}");
    assert_eq!(engine.list().len(), 0);
    close(engine).await;
}

#[tokio::test]
async fn a_child_knows_its_size_and_hears_of_a_new_one() {
    let engine = engine();
    let mut new = command(Script::new().size().hang());
    new.size = vt::Size::new(100, 30);
    let session = engine.spawn(new).await.unwrap();
    line(&session, "size 100x30").await;
    assert_eq!(session.resize(vt::Size::new(90, 20)).unwrap(), vt::Size::new(90, 20));
    line(&session, "size 90x20").await;
    assert_eq!(session.info().size, vt::Size::new(90, 20));
    assert_eq!(session.resize(vt::Size::new(0, 60_000)).unwrap(), vt::Size::new(2, 1000));
    close(engine).await;
}
