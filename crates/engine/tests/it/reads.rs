//! Reading a session: raw bytes, grid, rows, frames, search, facts.

use engine::{Engine, EngineLimits, Input, MatchPlace, Origin, SearchRequest, Session, SessionEvent};
use testkit::Script;
use vt::Effect;

use crate::stage::*;

fn enter(session: &Session) {
    session.send(Input::Text("\n".into()), Origin::Human).unwrap();
}

#[tokio::test]
async fn raw_output_is_addressed_by_offset_and_forgets_its_start() {
    let engine = Engine::new(with_limits(EngineLimits { ring: 1000, ..EngineLimits::default() }));
    let session = spawn(&engine, Script::new().raw().flood_lines(5_000, 100).exit(0)).await;
    exit(&session).await;
    assert_eq!(session.output_offset(), 5_000);
    let tail = session.raw(0, usize::MAX);
    assert_eq!((tail.offset, tail.bytes.len(), tail.dropped), (4_000, 1_000, 4_000));
    let part = session.raw(4_500, 10);
    assert_eq!((part.offset, part.next_offset(), part.dropped), (4_500, 4_510, 0));
    assert_eq!(part.bytes, tail.bytes[500..510]);
    assert_eq!(session.raw(9_999, 10).next_offset(), 5_000);
    close(engine).await;
}

#[tokio::test]
async fn only_changed_rows_are_reported() {
    let engine = engine();
    let script = Script::new().print("\x1b[H\x1b[2Jone\r\ntwo\r\nthree\x1b[10;1H");
    let script = script.read_line().print("\x1b[2;1HTWO\x1b[10;1H").read_line().hang();
    let session = spawn(&engine, script.clone().no_echo()).await;
    line(&session, "three").await;
    let first = session.rows_since(0);
    assert_eq!(first.rows.len(), 24);
    let seen = first.frame.version;
    assert!(session.rows_since(seen).rows.is_empty());
    enter(&session);
    line(&session, "TWO").await;
    let second = session.rows_since(seen);
    // The row that was printed, and the one the echo of Enter may have touched.
    assert!(second.rows.contains(&1) && !second.rows.contains(&0) && !second.rows.contains(&2), "{:?}", second.rows);
    assert_eq!(second.frame.frame.rows[1].trimmed(), "TWO");
    // Rows that did not change are the same object.
    assert!(std::sync::Arc::ptr_eq(&first.frame.frame.rows[0], &second.frame.frame.rows[0]));
    session.resize(vt::Size::new(60, 20)).unwrap();
    assert_eq!(session.rows_since(second.frame.version).rows.len(), 20);
    // A version from the future is no version of ours.
    assert_eq!(session.rows_since(u64::MAX).rows.len(), 20);
    close(engine).await;
}

#[tokio::test]
async fn a_slow_viewer_gets_the_newest_frame() {
    let engine = engine();
    let session = spawn(&engine, Script::new().read_line().flood(200_000).print("newest").read_line().exit(0)).await;
    let mut frames = session.frames();
    let first = frames.next().await.unwrap();
    enter(&session);
    line(&session, "newest").await;
    let next = soon("a frame", frames.next()).await.unwrap();
    assert!(next.version > first.version && next.frame.text().contains("newest"));
    enter(&session);
    exit(&session).await;
    session.remove(AT_ONCE).await.unwrap();
    soon("the stream ends", async { while frames.next().await.is_some() {} }).await;
    close(engine).await;
}

#[tokio::test]
async fn search_finds_rendered_lines_with_context() {
    let engine = engine();
    let session =
        spawn(&engine, Script::new().flood(80_000).print("a \x1b[31mne\x1b[0medle\nafter\nneedle 2\n").hang()).await;
    line(&session, "needle 2").await;
    let request = SearchRequest { pattern: pattern("needle"), limit: 10, before: 1, after: 1, max_bytes: 1 << 20 };
    let result = session.search(&request);
    assert!(!result.truncated);
    let [first, second] = &result.matches[..] else { panic!("{result:?}") };
    assert_eq!((first.place, first.text.as_str(), first.bytes.clone()), (MatchPlace::Line(1000), "a needle", 2..8));
    assert!(first.before[0].starts_with("00000999") && first.after == ["after"]);
    assert_eq!((second.text.as_str(), second.before.as_slice()), ("needle 2", ["after".to_owned()].as_slice()));
    let one = session.search(&SearchRequest { limit: 1, ..request.clone() });
    assert!(one.truncated && one.matches.len() == 1 && one.matches[0].after == ["after"]);
    let raw = session.search_raw(&pattern("ne\x1b\\[0medle"), 10);
    assert_eq!(raw.matches.len(), 1);
    assert!(raw.matches[0].line.starts_with(b"a \x1b[31m"));
    close(engine).await;
}

#[tokio::test]
async fn what_a_child_says_about_itself_is_kept_and_announced() {
    let engine = engine();
    let said = "\x1b]2;a title\x07\x1b]7;file://h/tmp\x07\x1b]9;4;1;40\x07\x07\x07\x1b]7501;state=working:app=x\x07\x1b]4242;odd\x07";
    let session = spawn(&engine, Script::new().read_line().print(said).print("said\n").read_line().exit(0)).await;
    let mut events = session.events();
    enter(&session);
    line(&session, "said").await;
    let facts = session.facts();
    let record = facts.leading_record().unwrap();
    assert_eq!((record.value.state, record.value.app.as_deref()), (vt::ProgramState::Working, Some("x")));
    assert_eq!(facts.title.unwrap().value, "a title");
    assert!(facts.working_directory.unwrap().value.ends_with("/tmp"));
    assert_eq!(facts.progress.unwrap().value, vt::ProgressReport::Percent(40));
    assert_eq!((facts.unknown_osc[0].0, facts.unknown_osc[0].1.value.as_str()), (4242, "odd"));
    assert!(facts.bells >= 1);
    assert_eq!(session.info().title, "a title");
    let heard = soon("an event", events.recv()).await.unwrap();
    assert!(matches!(&heard, SessionEvent::Child(Effect::Title(title)) if title == "a title"), "{heard:?}");
    close(engine).await;
}

/// What it was doing is over when it ends, what came of it stays, and a new run begins with nothing.
#[tokio::test]
async fn what_a_program_reports_ends_with_it() {
    let engine = engine();
    let said = "\x1b]7501;state=working:app=x\x07\x1b]7501;state=error:id=tests:msg=aGk=\x07\x1b]7501;?\x07";
    let session = spawn(&engine, Script::new().read_line().print(said).print("said\n").read_line().exit(0)).await;
    enter(&session);
    line(&session, "said").await;
    let facts = session.facts();
    assert_eq!(facts.status_records.len(), 2);
    assert_eq!(facts.leading_record().unwrap().value.id, "");
    enter(&session);
    exit(&session).await;
    let facts = session.facts();
    let [left] = &facts.status_records[..] else { panic!("{facts:?}") };
    assert_eq!((left.value.id.as_str(), left.value.msg.as_deref()), ("tests", Some("hi")));
    session.restart(engine::StopRequest::default()).await.unwrap();
    assert!(session.facts().status_records.is_empty() && !session.facts().has_reported_status);
    close(engine).await;
}

#[tokio::test]
async fn queries_are_answered() {
    let engine = engine();
    let session = spawn(&engine, Script::new().raw().print("\x1b[5n").hex()).await;
    // The child prints what it read: ESC [ 0 n.
    line(&session, "1b ?5b ?30 ?6e").await;
    close(engine).await;
}

#[tokio::test]
async fn the_terminals_modes_and_job_are_seen() {
    let engine = engine();
    let session = spawn(&engine, Script::new().raw().print("raw\n").hang()).await;
    line(&session, "raw").await;
    let facts = session.tty_facts().unwrap();
    assert!(!facts.canonical && !facts.echo);
    let foreground = session.foreground().unwrap().unwrap();
    assert_eq!(Some(foreground.group), session.info().pid);
    assert_eq!(foreground.command.as_deref(), Some("scripted-child"));
    session.stop(AT_ONCE).await.unwrap();
    assert!(session.tty_facts().is_err());
    close(engine).await;
}
