//! Typing into sessions.

use engine::{
    Engine, EngineLimits, Error, Input, Kind, LimitExceeded, NewSession, Origin, Owner, Session, SessionEvent,
};
use testkit::Script;
use vt::input::{FocusChange, KeyEvent};

use crate::stage::*;

fn text(text: &str) -> Input {
    Input::Text(text.into())
}

fn key(name: &str) -> Input {
    Input::Key(name.parse::<KeyEvent>().unwrap())
}

#[tokio::test]
async fn input_is_encoded_by_the_modes_of_the_moment() {
    let engine = engine();
    let session = spawn(
        &engine,
        Script::new().raw().print("ready\r\n").hex().print("\x1b[?1h\x1b[?2004h\x1b[?1004hset\r\n").hex(),
    )
    .await;
    line(&session, "ready").await;
    let hex = async |session: &Session, input: Input, expected: &str| {
        session.send(input, Origin::Human).unwrap().written().await.unwrap();
        let spaced: Vec<&str> = expected.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap()).collect();
        line(session, &spaced.join(" ?")).await;
    };
    hex(&session, key("up"), "1b5b41").await;
    hex(&session, key("ctrl-c"), "03").await;
    hex(&session, Input::Paste("one\ntwo".into()), "6f6e650d74776f").await;
    hex(&session, text("é"), "c3a9").await;
    // No one asked for focus reports: nothing is sent, and that is no error.
    session.send(Input::Focus(FocusChange::Gained), Origin::Human).unwrap().written().await.unwrap();
    session.send(Input::Bytes(b"q".to_vec()), Origin::Human).unwrap();
    line(&session, "set").await;
    hex(&session, key("up"), "1b4f41").await;
    hex(&session, Input::Paste("x\x1b[201~y".into()), "1b5b3230307e78").await;
    hex(&session, Input::Focus(FocusChange::Gained), "1b5b49").await;
    close(engine).await;
}

#[tokio::test]
async fn the_tail_starts_where_the_input_was_sent() {
    let engine = engine();
    let session = spawn(&engine, Script::new().print("before\n").read_line().print("after\n").hang()).await;
    line(&session, "before").await;
    let sent = session.send(text("hi\n"), Origin::Human).unwrap();
    let offset = sent.output_offset;
    sent.written().await.unwrap();
    line(&session, "after").await;
    let tail = String::from_utf8(session.raw(offset, usize::MAX).bytes).unwrap();
    assert!(!tail.contains("before") && tail.starts_with("hi") && tail.contains("line hi"), "{tail:?}");
    close(engine).await;
}

/// Two threads read the terminal by turns then, whichever is first: nothing may be lost or out of order, and what follows
/// from output follows whoever took it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn echoes_that_the_sender_reads_come_in_order() {
    let engine = engine();
    let session = spawn(&engine, Script::new().raw().print("ready ").cat()).await;
    line(&session, "ready").await;
    let mut expected = "ready ".to_owned();
    let mut watched = session.pulse();
    for number in 0..2000 {
        let typed = format!("{number};");
        expected.push_str(&typed);
        session.send_for_answer(text(&typed), Origin::Human).unwrap();
        if number % 500 == 0 {
            // Also of those that the sender has not read.
            watched.wait_for(|pulse| pulse.output_offset as usize >= expected.len()).await.unwrap();
        }
    }
    watched.wait_for(|pulse| pulse.output_offset as usize >= expected.len()).await.unwrap();
    assert_eq!(String::from_utf8(session.raw(0, usize::MAX).bytes).unwrap(), expected);
    let mut late = session.late_pulse();
    let sent = session.send_for_answer(text("the end"), Origin::Human).unwrap();
    let end = sent.output_offset + 7;
    soon("the late pulse", late.wait_for(|pulse| pulse.output_offset >= end)).await.unwrap();
    close(engine).await;
}

#[tokio::test]
async fn a_child_that_does_not_read_fills_its_own_queue_only() {
    let engine = Engine::new(with_limits(EngineLimits { input_queue: 300_000, ..EngineLimits::default() }));
    let deaf = spawn(&engine, Script::new().raw().print("ready").hang()).await;
    let other = spawn(&engine, Script::new().cat()).await;
    line(&deaf, "ready").await;
    let chunk = vec![b'x'; 50_000];
    let mut accepted = Vec::new();
    let refused = loop {
        match deaf.send(Input::Bytes(chunk.clone()), Origin::Human) {
            Ok(sent) => accepted.push(sent),
            Err(error) => break error,
        }
        assert!(accepted.len() < 100, "the queue is not bounded");
    };
    assert!(matches!(&refused, Error::LimitExceeded(LimitExceeded::InputQueue { limit: 300_000, .. })), "{refused:?}");
    assert!(accepted.len() >= 6);
    // The last one was accepted but not written, and never will be.
    let last = accepted.pop().unwrap().written();
    other.send(text("still here\n"), Origin::Human).unwrap().written().await.unwrap();
    line(&other, "still here").await;
    deaf.stop(AT_ONCE).await.unwrap();
    assert!(matches!(soon("the run ended", last).await, Err(Error::NotRunning { .. })));
    close(engine).await;
}

#[tokio::test]
async fn what_waited_is_written_when_the_child_reads_again() {
    let engine = engine();
    let script = "stty raw -echo; echo ready; sleep 0.3; exec head -c 300000 | wc -c";
    let session = engine.spawn(shell_command(script)).await.unwrap();
    line(&session, "ready").await;
    let sent = session.send(Input::Bytes(vec![b'x'; 300_000]), Origin::Human).unwrap();
    soon("all of it is written", sent.written()).await.unwrap();
    line(&session, "^\\s*300000").await;
    close(engine).await;
}

/// The kernel drops the echo of what is typed faster than the terminal is read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_echo_of_a_long_paste_is_whole_however_busy_the_machine() {
    let engine = engine();
    let mut sessions = Vec::new();
    for _ in 0..20 {
        let session = engine.spawn(shell_command("echo ready; exec cat > /dev/null")).await.unwrap();
        line(&session, "ready").await;
        sessions.push(session);
    }
    let lines: Vec<String> = (0..2000).map(|number| format!("line {number} of a paste that is long")).collect();
    let offsets = sessions.iter().map(|session| {
        let sent = session.send(Input::Paste(lines.join("\n") + "\n"), Origin::Human).unwrap();
        sent.output_offset
    });
    let offsets: Vec<u64> = offsets.collect();
    let expected = lines.join("\r\n") + "\r\n";
    for (session, offset) in sessions.iter().zip(offsets) {
        let mut pulse = session.pulse();
        let end = offset + expected.len() as u64;
        let whole = soon("all of it is echoed", pulse.wait_for(|pulse| pulse.output_offset >= end));
        whole.await.unwrap();
        let echoed = session.raw(offset, usize::MAX).bytes;
        assert!(echoed == expected.as_bytes(), "what came back differs");
    }
    close(engine).await;
}

#[tokio::test]
async fn one_input_is_bounded() {
    let engine = engine();
    let session = spawn(&engine, Script::new().raw().hang()).await;
    let refused = session.send(Input::Paste("x".repeat((1 << 20) + 1)), Origin::Human).unwrap_err();
    assert!(matches!(refused, Error::LimitExceeded(LimitExceeded::Input { .. })));
    session.send(Input::Paste("x".repeat(1 << 20)), Origin::Human).unwrap();
    close(engine).await;
}

#[tokio::test]
async fn an_ended_session_takes_no_input() {
    let engine = engine();
    let session = spawn(&engine, Script::new().exit(0)).await;
    exit(&session).await;
    let refused = session.send(text("x"), Origin::Human).unwrap_err();
    assert!(matches!(refused, Error::NotRunning { .. }));
    assert!(matches!(session.resize(vt::Size::new(10, 10)), Err(Error::NotRunning { .. })));
    close(engine).await;
}

#[tokio::test]
async fn a_persons_key_takes_a_session_over_once() {
    let engine = engine();
    let parent = spawn(&engine, Script::new().hang()).await;
    let agent = Origin::Agent(parent.id());
    let new = NewSession { parent: Some(parent.id()), origin: agent, ..command(Script::new().cat()) };
    let session = engine.spawn(new).await.unwrap();
    assert_eq!(session.owner(), Owner::Orchestrator);
    let mut events = session.events();
    session.send(text("agent"), agent).unwrap();
    // Looking at a session is not taking it over.
    session.send(Input::Focus(FocusChange::Gained), Origin::Human).unwrap();
    assert_eq!(session.owner(), Owner::Orchestrator);
    session.send(key("a"), Origin::Human).unwrap();
    session.send(key("b"), Origin::Human).unwrap();
    assert_eq!(session.owner(), Owner::User);
    session.send(text("agent again"), agent).unwrap();
    session.send(text("a timer"), Origin::System).unwrap();
    assert_eq!(session.owner(), Owner::User);
    session.release();
    assert_eq!(session.owner(), Owner::Orchestrator);
    let heard = [events.recv().await.unwrap(), events.recv().await.unwrap()];
    assert_eq!(heard, [SessionEvent::Owner(Owner::User), SessionEvent::Owner(Owner::Orchestrator)]);
    assert!(events.try_recv().is_err());
    assert_eq!(engine.spawn(NewSession::new(Kind::Terminal, ["/bin/cat"])).await.unwrap().owner(), Owner::User);
    close(engine).await;
}
