//! Each unary call, when all goes well.

use futures_util::FutureExt;
use grpc::{
    client::CoordinatorChannel,
    proto::{vtr_client::VtrClient, *},
};
use testkit::{DEADLINE, Script};

use crate::stage::{Stage, seconds, shows, soon, until};

#[tokio::test]
async fn a_session_from_spawn_to_remove() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let request = SpawnRequest {
        name: "one".into(),
        command: "echo \"$GREETING from $PWD\"; read line; exit 3".into(),
        working_dir: "/".into(),
        env: [("GREETING".to_owned(), "hello".to_owned())].into(),
        cols: 100,
        rows: 30,
        ..SpawnRequest::default()
    };
    let spawned = vtr.spawn(request).await.unwrap().into_inner().session.unwrap();
    assert_eq!((spawned.name.as_str(), spawned.cols, spawned.rows), ("one", 100, 30));
    assert_eq!((spawned.status(), spawned.kind.as_str()), (SessionStatus::Running, "command"));
    assert!(spawned.pid > 0 && spawned.created_at.is_some() && spawned.exited_at.is_none());
    let session = stage.engine.find("one").unwrap();
    shows(&session, "hello from /").await;

    // By name and by id.
    for name in ["one".to_owned(), spawned.id.clone()] {
        let info = vtr.info(InfoRequest { name }).await.unwrap().into_inner().session.unwrap();
        assert_eq!((info.id.as_str(), info.working_dir.as_str()), (spawned.id.as_str(), "/"));
        assert_eq!(info.argv.last().unwrap(), "echo \"$GREETING from $PWD\"; read line; exit 3");
    }
    let renamed = RenameRequest { name: "one".into(), new_name: "two".into() };
    assert_eq!(vtr.rename(renamed).await.unwrap().into_inner().session.unwrap().name, "two");
    let listed = vtr.list(ListRequest::default()).await.unwrap().into_inner().sessions;
    assert_eq!(listed.iter().map(|session| session.name.as_str()).collect::<Vec<_>>(), ["two"]);
    let terminals = ListRequest { kind: "terminal".into() };
    assert_eq!(vtr.list(terminals).await.unwrap().into_inner().sessions, []);

    vtr.send_text(SendTextRequest { name: "two".into(), text: "\n".into(), ..Default::default() }).await.unwrap();
    soon("it exits", session.wait_for_exit(DEADLINE)).await;
    let info = vtr.info(InfoRequest { name: "two".into() }).await.unwrap().into_inner().session.unwrap();
    assert_eq!((info.status(), info.exit_code, info.signal.as_str()), (SessionStatus::Exited, 3, ""));
    assert_eq!((info.state.as_str(), info.exited_at.is_some(), info.pid), ("exited", true, 0));
    vtr.remove(RemoveRequest { name: "two".into() }).await.unwrap();
    assert_eq!(vtr.list(ListRequest::default()).await.unwrap().into_inner().sessions, []);
    stage.close().await;
}

#[tokio::test]
async fn a_signal_ends_it_and_is_named() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let session = stage.spawn(&mut vtr, "one", Script::new().print("up\n").hang()).await;
    shows(&session, "up").await;
    let wait = Some(prost_types::Duration { seconds: 60, nanos: 0 });
    let request = KillRequest { name: "one".into(), signal: "SIGUSR1".into(), wait };
    let reply = vtr.kill(request).await.unwrap().into_inner();
    assert_eq!((reply.id, reply.state.as_str()), (session.id().to_string(), "exited"));
    let info = vtr.info(InfoRequest { name: "one".into() }).await.unwrap().into_inner().session.unwrap();
    let code = 128 + rustix::process::Signal::USR1.as_raw();
    // A client that knows nothing of `signal` must not take it for a success.
    assert_eq!((info.exit_code, info.signal.as_str()), (code, "SIGUSR1"), "{info:?}");
    let listed = vtr.list(ListRequest::default()).await.unwrap().into_inner().sessions;
    assert_eq!(listed[0].exit_code, code);
    stage.close().await;
}

#[tokio::test]
async fn input_reaches_the_child_as_it_was_meant() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let session = stage.spawn(&mut vtr, "one", Script::new().raw().print("ready\n").hex()).await;
    shows(&session, "ready").await;
    let name = || "one".to_owned();
    vtr.send_key(SendKeyRequest { name: name(), key: "ctrl+a".into() }).await.unwrap();
    shows(&session, "01").await;
    vtr.send_text(SendTextRequest { name: name(), text: "é".into(), ..Default::default() }).await.unwrap();
    shows(&session, "c3 ?a9").await;
    vtr.send_bytes(SendBytesRequest { name: name(), data: vec![0xff, 0x00] }).await.unwrap();
    shows(&session, "ff ?00").await;
    let submitted = SendTextRequest { name: name(), text: "Z".into(), submit: true, ..Default::default() };
    vtr.send_text(submitted).await.unwrap();
    shows(&session, "5a ?0d").await;
    stage.close().await;
}

#[tokio::test]
async fn the_screen_as_cells_and_as_runs() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let text = "\x1b[1;31mred\x1b[0m 漢 \x1b]8;;https://example.org\x07link\x1b]8;;\x07";
    let session = stage.spawn(&mut vtr, "one", Script::new().print(text).hang()).await;
    shows(&session, "link").await;
    let cells =
        vtr.get_screen(GetScreenRequest { name: "one".into(), ..Default::default() }).await.unwrap().into_inner();
    assert_eq!((cells.name.as_str(), cells.cols, cells.rows, cells.screen_rows.len()), ("one", 80, 24, 24));
    assert_eq!((cells.cursor_x, cells.cursor_y, cells.cursor_visible), (11, 0, true));
    let row: Vec<RowCell<'_>> = cells.screen_rows[0].cells.iter().collect();
    assert_eq!(row.len(), 80);
    assert_eq!(row[0], RowCell { text: "r", fg_color: 0xcd0000, bg_color: -1, attributes: 0x01 });
    assert_eq!((row[4].text, row[5].text, row[79].text), ("漢", "", " "));

    let format = ScreenFormat::Runs.into();
    let runs = vtr.get_screen(GetScreenRequest { name: "one".into(), format }).await.unwrap().into_inner();
    assert_eq!(runs.screen_rows[0].text(), "red 漢 link");
    let links: Vec<&str> =
        runs.screen_rows[0].runs.iter().map(|run| run.link.as_str()).filter(|link| !link.is_empty()).collect();
    assert_eq!(links, ["https://example.org"]);
    assert!(runs.screen_rows[0].cells.is_empty());
    stage.close().await;
}

#[tokio::test]
async fn grep_counts_from_the_oldest_line_and_gives_context() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let text: String = (0..60).map(|line| format!("line {line}\n")).collect();
    let session = stage.spawn(&mut vtr, "one", Script::new().print(&text).hang()).await;
    shows(&session, "line 59").await;
    let request = GrepRequest {
        name: "one".into(),
        pattern: "line [1-3]7$".into(),
        context_before: 1,
        context_after: 2,
        max_matches: 2,
    };
    let reply = vtr.grep(request.clone()).await.unwrap().into_inner();
    assert!(reply.truncated);
    assert_eq!(
        reply.matches[0],
        GrepMatch {
            line_number: 17,
            line: "line 17".into(),
            context_before: vec!["line 16".into()],
            context_after: vec!["line 18".into(), "line 19".into()],
        }
    );
    assert_eq!(reply.matches.len(), 2);
    let all = vtr.grep(GrepRequest { max_matches: 0, ..request }).await.unwrap().into_inner();
    assert_eq!((all.matches.len(), all.truncated), (3, false));
    stage.close().await;
}

/// However much is asked for, the answer fits into a message.
#[tokio::test]
async fn grep_ends_before_its_message_is_full() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let session = stage.spawn(&mut vtr, "one", Script::new().flood(400_000).print("done\n").hang()).await;
    shows(&session, "done").await;
    let request = GrepRequest {
        name: "one".into(),
        pattern: ".".into(),
        context_before: 1000,
        context_after: 1000,
        max_matches: 10_000,
    };
    let reply = vtr.grep(request).await.unwrap().into_inner();
    assert!(reply.truncated && prost::Message::encoded_len(&reply) < grpc::MAX_MESSAGE_BYTES);
    assert!(reply.matches.iter().all(|found| found.context_after.len() == 1000));
    stage.close().await;
}

#[tokio::test]
async fn resize_is_answered_with_the_size() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let session = stage.spawn(&mut vtr, "one", Script::new().hang()).await;
    let reply = vtr.resize(ResizeRequest { name: "one".into(), cols: 132, rows: 50 }).await.unwrap().into_inner();
    assert_eq!((reply.cols, reply.rows), (132, 50));
    assert_eq!(session.info().size, vt::Size::new(132, 50));
    stage.close().await;
}

#[tokio::test]
async fn waiting_for_output_sees_only_what_comes() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let session = stage.spawn(&mut vtr, "one", Script::new().print("old news\n").cat()).await;
    shows(&session, "old news").await;
    let wait = |pattern: &str, timeout: f64| WaitForRequest {
        name: "one".into(),
        pattern: pattern.into(),
        timeout: seconds(timeout),
        ..WaitForRequest::default()
    };
    let reply = vtr.wait_for(wait("old news", 0.05)).await.unwrap().into_inner();
    assert_eq!((reply.matched, reply.timed_out, reply.reason.as_str()), (false, true, "timeout"));
    let everything = WaitForRequest { scope: WaitScope::Scrollback.into(), ..wait("old news", 60.0) };
    assert!(vtr.wait_for(everything).await.unwrap().into_inner().matched);
    let grid = WaitForRequest { scope: WaitScope::Grid.into(), ..wait("old news", 60.0) };
    assert!(vtr.wait_for(grid).await.unwrap().into_inner().matched);

    let mut waiting = vtr.clone();
    let wait = tokio::spawn(async move { waiting.wait_for(wait("fresh \\w+", 60.0)).await });
    until("the wait has begun", || session.pulse_listeners() > 0).await;
    vtr.send_text(SendTextRequest { name: "one".into(), text: "fresh bread\n".into(), ..Default::default() })
        .await
        .unwrap();
    let reply = soon("the wait ends", wait).await.unwrap().unwrap().into_inner();
    assert_eq!((reply.matched, reply.matched_line.as_str(), reply.timed_out), (true, "fresh bread", false));

    let send = SendTextRequest { name: "one".into(), text: "butter\n".into(), ..Default::default() };
    assert_eq!(vtr.send_text(send.clone()).await.unwrap().into_inner().wait, None);
    let send = SendTextRequest { wait_pattern: "bu.*".into(), wait_timeout: seconds(60.0), ..send };
    let wait = vtr.send_text(send).await.unwrap().into_inner().wait.unwrap();
    assert_eq!((wait.matched, wait.matched_line.as_str()), (true, "butter"));
    stage.close().await;
}

#[tokio::test]
async fn a_wait_ends_with_the_session() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let session = stage.spawn(&mut vtr, "one", Script::new().read_line().exit(0)).await;
    let request = WaitForRequest {
        name: "one".into(),
        pattern: "never".into(),
        timeout: seconds(60.0),
        ..WaitForRequest::default()
    };
    let mut waiting = vtr.clone();
    let wait = tokio::spawn(async move { waiting.wait_for(request).await });
    until("the wait has begun", || session.pulse_listeners() > 0).await;
    vtr.send_key(SendKeyRequest { name: "one".into(), key: "enter".into() }).await.unwrap();
    let reply = soon("the wait ends", wait).await.unwrap().unwrap().into_inner();
    assert_eq!((reply.matched, reply.timed_out, reply.reason.as_str()), (false, true, "exited"));
    stage.close().await;
}

#[tokio::test]
async fn waiting_for_silence() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    stage.spawn(&mut vtr, "quiet", Script::new().hang()).await;
    stage.spawn(&mut vtr, "loud", Script::new().flood_forever()).await;
    let wait = |name: &str, timeout: f64| WaitForIdleRequest {
        name: name.into(),
        idle_duration: seconds(0.2),
        timeout: seconds(timeout),
    };
    let quiet = vtr.wait_for_idle(wait("quiet", 60.0)).await.unwrap().into_inner();
    assert_eq!((quiet.idle, quiet.timed_out, quiet.reason.as_str()), (true, false, ""));
    // Silence longer than the whole wait can't be had.
    let request = WaitForIdleRequest { idle_duration: seconds(60.0), ..wait("quiet", 0.05) };
    let early = vtr.wait_for_idle(request).await.unwrap().into_inner();
    assert_eq!((early.idle, early.timed_out, early.reason.as_str()), (false, true, "timeout"));
    vtr.remove(RemoveRequest { name: "loud".into() }).await.unwrap();
    stage.close().await;
}

#[tokio::test]
async fn a_recording_is_made_and_dumped() {
    let stage = Stage::new();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("one.cast").to_str().unwrap().to_owned();
    let mut vtr = stage.vtr().await;
    let session = stage.spawn(&mut vtr, "one", Script::new().print("before\n").cat()).await;
    shows(&session, "before").await;
    let record = |action: RecordAction| RecordRequest {
        name: "one".into(),
        action: action.into(),
        file: if action == RecordAction::Start { file.clone() } else { String::new() },
        format: CastFormat::V2.into(),
        include_input: false,
    };
    let started = vtr.record(record(RecordAction::Start)).await.unwrap().into_inner();
    assert_eq!((started.recording, started.file.as_str(), started.since.is_some()), (true, file.as_str(), true));
    vtr.send_text(SendTextRequest { name: "one".into(), text: "during\n".into(), ..Default::default() }).await.unwrap();
    shows(&session, "during").await;
    let stopped = vtr.record(record(RecordAction::Stop)).await.unwrap().into_inner();
    assert!(!stopped.recording && stopped.events > 0, "{stopped:?}");
    let cast = vtr.dump_asciinema(DumpAsciinemaRequest { name: "one".into() }).await.unwrap().into_inner().cast;
    let cast = String::from_utf8(cast).unwrap();
    assert!(cast.starts_with('{') && cast.contains("before") && cast.contains("during"), "{cast}");
    stage.close().await;
}

#[tokio::test]
async fn history_and_screen_are_one_picture() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let lines: String = (0..300).map(|line| format!("\x1b[31mline\x1b[m {line}\n")).collect();
    let session = stage.spawn(&mut vtr, "one", Script::new().print(&lines).hang()).await;
    shows(&session, "line 299").await;
    let read = |max_lines, before| GetHistoryRequest { name: "one".into(), max_lines, before, max_bytes: 0 };
    let text = |line: &HistoryLine| line.runs.iter().map(|run| run.text.as_str()).collect::<String>();
    let all = vtr.get_history(read(0, None)).await.unwrap().into_inner();
    let screen = all.screen.unwrap();
    assert!(screen.whole && screen.row_updates.len() == 24 && !all.more && all.first_line == 0);
    // 23 rows of text and the one of the cursor are on the screen.
    assert_eq!((all.lines.len(), text(&all.lines[0]).as_str()), (277, "line 0"));
    assert_eq!(text(&all.lines[276]), "line 276");
    assert!(all.lines[0].runs[0].fg_color.is_some());
    let screen: String = screen.row_updates[0].runs.iter().map(|run| run.text.as_str()).collect();
    assert_eq!(screen, "line 277");
    let last = vtr.get_history(read(5, None)).await.unwrap().into_inner();
    assert_eq!((last.lines.len(), last.first_line, last.more), (5, 272, true));
    let before = vtr.get_history(read(5, Some(last.first_line))).await.unwrap().into_inner();
    assert_eq!((text(&before.lines[0]).as_str(), before.first_line), ("line 267", 267));
    assert!(last.open_line.is_none() && before.open_line.is_none());

    // One line of five rows, of which two are on the screen, above 21 short ones and the cursor's row.
    let wide: String = ('a'..='e').flat_map(|letter| std::iter::repeat_n(letter, 80)).collect();
    let script = Script::new().print(&format!("first\n{wide}\n{}last\n", "below\n".repeat(20)));
    let session = stage.spawn(&mut vtr, "wide", script.hang()).await;
    shows(&session, "last").await;
    let read = |before| GetHistoryRequest { name: "wide".into(), before, ..GetHistoryRequest::default() };
    let all = vtr.get_history(read(None)).await.unwrap().into_inner();
    let lines: Vec<String> = all.lines.iter().map(text).collect();
    assert_eq!((lines, text(&all.open_line.unwrap())), (vec!["first".to_owned()], wide[..240].to_owned()));
    assert!(vtr.get_history(read(Some(1))).await.unwrap().into_inner().open_line.is_none());
    stage.close().await;
}

/// A session that has printed this many links, one a cell, each to a target of its own.
async fn with_links(
    stage: &Stage,
    vtr: &mut VtrClient<CoordinatorChannel>,
    links: u32,
    target: &str,
) -> engine::Session {
    let command = format!(
        "awk 'BEGIN {{ for (i = 0; i < {links}; i++) printf \"\\033]8;;{target}%d\\033\\\\x\", i; print \"\\033]8;;\\033\\\\\"; for (i = 0; i < 30; i++) print \"\" ; print \"printed\" }}'; exec cat"
    );
    vtr.spawn(SpawnRequest { name: "links".into(), command, ..SpawnRequest::default() }).await.unwrap();
    let session = stage.engine.find("links").unwrap();
    shows(&session, "^printed").await;
    session
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_look_back_keeps_nobody_waiting() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    with_links(&stage, &mut vtr, 60_000, "https://example.org/").await;
    let looks = (0..6).map(|_| {
        let mut vtr = vtr.clone();
        let asked = GetHistoryRequest { name: "links".into(), ..GetHistoryRequest::default() };
        Box::pin(async move { vtr.get_history(asked).await.unwrap().into_inner() })
    });
    let mut looks: Vec<_> = looks.collect();
    // All are asked for before the screen is, on the same connection.
    for look in &mut looks {
        assert!(look.now_or_never().is_none());
    }
    vtr.get_screen(GetScreenRequest { name: "links".into(), ..Default::default() }).await.unwrap();
    // Each takes a hundred times as long as the screen, but not on the task that answers the connection's other calls.
    for look in &mut looks {
        assert!(look.now_or_never().is_none(), "the screen was answered behind a look back");
    }
    // The last first: answers that nobody reads yet hold up no other.
    for look in looks.into_iter().rev() {
        let history = soon("the history is read", look).await;
        assert_eq!(history.lines.iter().map(|line| line.runs.len()).sum::<usize>(), 60_000);
    }
    stage.close().await;
}

#[tokio::test]
async fn a_look_back_is_as_long_as_was_asked_and_gets_past_every_line() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    // A line of 20,000 cells with a link of a kilobyte each: with them it would fit into no message.
    with_links(&stage, &mut vtr, 20_000, &"u".repeat(1000)).await;
    let mut before = None;
    let mut cells = 0;
    loop {
        let max_bytes = 1 << 20;
        let asked = GetHistoryRequest { name: "links".into(), before, max_bytes, ..GetHistoryRequest::default() };
        let history = vtr.get_history(asked).await.unwrap().into_inner();
        let bytes: usize = history.lines.iter().map(prost::Message::encoded_len).sum();
        assert!(bytes <= 1 << 20 && !history.lines.is_empty(), "{bytes} bytes, {} lines", history.lines.len());
        cells +=
            history.lines.iter().flat_map(|line| &line.runs).map(|run| run.text.matches('x').count()).sum::<usize>();
        before = Some(history.first_line);
        if !history.more {
            break;
        }
    }
    assert_eq!(cells, 20_000);
    stage.close().await;
}

#[tokio::test]
async fn info_tells_where_the_program_is_and_whether_it_is_recorded() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let command = "cd / && exec cat".to_owned();
    let request = SpawnRequest { name: "one".into(), command, working_dir: "/tmp".into(), ..SpawnRequest::default() };
    vtr.spawn(request).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let info = || {
        let mut vtr = vtr.clone();
        async move { vtr.info(InfoRequest { name: "one".into() }).await.unwrap().into_inner().session.unwrap() }
    };
    soon("the shell has become cat", async { while info().await.foreground != "cat" {} }).await;
    let seen = info().await;
    assert_eq!((seen.current_dir.as_str(), seen.working_dir.as_str(), seen.recording), ("/", "/tmp", false));
    let file = folder.path().join("one.cast").to_str().unwrap().to_owned();
    let start = RecordRequest { name: "one".into(), action: RecordAction::Start.into(), file, ..Default::default() };
    vtr.clone().record(start).await.unwrap();
    assert!(info().await.recording);
    stage.close().await;
}

/// Whoever answers a wait, the session's thread or the runtime's, the other calls of the connection are answered too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_of_one_connection_do_not_lose_each_other() {
    const LINES: usize = 300;
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let names = ["one", "two", "three"];
    for name in names {
        let session = stage.spawn(&mut vtr, name, Script::new().no_echo().print("ready\n").cat()).await;
        shows(&session, "ready").await;
    }
    let typing = names.map(|name| {
        let mut vtr = vtr.clone();
        tokio::spawn(async move {
            for line in 0..LINES {
                let text = format!("{name} {line}.");
                let request = SendTextRequest {
                    name: name.into(),
                    wait_pattern: text.replace('.', "\\."),
                    text,
                    submit: true,
                    ..SendTextRequest::default()
                };
                let wait = vtr.send_text(request).await.unwrap().into_inner().wait.unwrap();
                assert!(wait.matched, "{name} {line}");
            }
        })
    });
    let reading = tokio::spawn(async move {
        for read in 0..3 * LINES {
            let name = names[read % names.len()].into();
            vtr.get_screen(GetScreenRequest { name, ..GetScreenRequest::default() }).await.unwrap();
        }
    });
    for task in typing.into_iter().chain([reading]) {
        soon("every call is answered", task).await.unwrap();
    }
    stage.close().await;
}
