//! Attach: frames by acknowledgement, input, size, end.

use grpc::{
    client::CoordinatorChannel,
    proto::{attach_event::Event, attach_input::Input, attach_request::Message, vtr_client::VtrClient, *},
};
use testkit::Script;
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::Streaming;

use crate::stage::{Stage, shows, soon, until};

struct Attached {
    requests: mpsc::UnboundedSender<AttachRequest>,
    events: Streaming<AttachEvent>,
}

impl Attached {
    async fn new(vtr: &mut VtrClient<CoordinatorChannel>, start: AttachStart) -> Self {
        let (requests, receiver) = mpsc::unbounded_channel();
        requests.send(AttachRequest { message: Some(Message::Start(start)) }).unwrap();
        let events = vtr.attach(UnboundedReceiverStream::new(receiver)).await.unwrap().into_inner();
        Attached { requests, events }
    }

    fn send(&self, message: Message) {
        self.requests.send(AttachRequest { message: Some(message) }).unwrap();
    }

    fn key(&self, key: &str) {
        self.send(Message::Input(AttachInput { input: Some(Input::Key(key.into())) }));
    }

    fn text(&self, text: &str) {
        self.send(Message::Input(AttachInput { input: Some(Input::Text(text.into())) }));
    }

    /// The stream may have ended behind the frame.
    fn ack(&self, frame: &Frame) {
        let message = Some(Message::Ack(FrameAck { version: frame.version }));
        let _ = self.requests.send(AttachRequest { message });
    }

    async fn next(&mut self) -> Option<Event> {
        soon("the next event comes", self.events.message()).await.unwrap().map(|event| event.event.unwrap())
    }

    async fn frame(&mut self) -> Frame {
        match self.next().await {
            Some(Event::Frame(frame)) => frame,
            other => panic!("no frame: {other:?}"),
        }
    }

    async fn refusal(&mut self) -> Refusal {
        match self.next().await {
            Some(Event::Refusal(refusal)) => refusal,
            other => panic!("no refusal: {other:?}"),
        }
    }
}

fn start(cols: i32, rows: i32) -> AttachStart {
    AttachStart { name: "one".into(), cols, rows, ..Default::default() }
}

fn text(frame: &Frame) -> String {
    let rows = frame.row_updates.iter();
    rows.map(|row| row.runs.iter().map(|run| run.text.as_str()).collect::<String>() + "\n").collect()
}

#[tokio::test]
async fn the_next_frame_waits_for_the_acknowledgement_and_is_the_newest() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let session = stage.spawn(&mut vtr, "one", Script::new().print("ready\n").cat()).await;
    shows(&session, "ready").await;
    let mut attached = Attached::new(&mut vtr, start(0, 0)).await;
    let first = attached.frame().await;
    assert!(first.whole && first.row_updates.len() == 24 && text(&first).contains("ready"));
    // A hundred changes, and no acknowledgement: nothing may come.
    for number in 0..100 {
        attached.text(&format!("line {number}\n"));
        shows(&session, &format!("line {number}$")).await;
    }
    let version = session.frame().version;
    let early = tokio::time::timeout(std::time::Duration::from_millis(100), attached.events.message()).await;
    assert!(early.is_err(), "a second frame before the first was acknowledged: {early:?}");
    attached.ack(&first);
    let second = attached.frame().await;
    assert!(second.version >= version, "the newest");
    assert!(text(&second).contains("line 99") && !second.whole, "{}", text(&second));
    stage.close().await;
}

#[tokio::test]
async fn only_rows_that_changed_are_sent() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let session = stage.spawn(&mut vtr, "one", Script::new().print("ready\nsteady\n").cat()).await;
    shows(&session, "steady").await;
    let mut attached = Attached::new(&mut vtr, start(0, 0)).await;
    let mut seen = attached.frame().await;
    attached.key("g");
    while !text(&seen).contains('g') {
        attached.ack(&seen);
        seen = attached.frame().await;
        assert_eq!(seen.row_updates.iter().map(|row| row.row).collect::<Vec<_>>(), [2]);
    }
    stage.close().await;
}

#[tokio::test]
async fn whoever_typed_last_leads_the_size() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let session = stage.spawn(&mut vtr, "one", Script::new().print("ready\n").cat()).await;
    shows(&session, "ready").await;
    let size = || session.with_screen(|screen| screen.size());
    let mut first = Attached::new(&mut vtr, start(100, 30)).await;
    let mut second = Attached::new(&mut vtr, start(60, 20)).await;
    let mut passive = Attached::new(&mut vtr, AttachStart { no_resize: true, ..start(40, 10) }).await;
    for attached in [&mut first, &mut second, &mut passive] {
        let frame = attached.frame().await;
        assert_eq!((frame.cols, frame.rows, frame.leads_size), (80, 24, false), "viewing never resizes");
        attached.ack(&frame);
    }
    second.key("a");
    until("the second client's size is the session's", || size() == vt::Size::new(60, 20)).await;
    // A resize of a view that does not lead changes nothing until its client types.
    first.send(Message::Resize(AttachResize { cols: 120, rows: 40 }));
    second.send(Message::Resize(AttachResize { cols: 61, rows: 21 }));
    until("the leading view's resize is the session's", || size() == vt::Size::new(61, 21)).await;
    first.key("b");
    until("the first client's size is the session's", || size() == vt::Size::new(120, 40)).await;
    passive.key("c");
    shows(&session, "c").await;
    assert_eq!(size(), vt::Size::new(120, 40));
    let mut frame = first.frame().await;
    while frame.cols != 120 {
        first.ack(&frame);
        frame = first.frame().await;
    }
    assert!(frame.whole);
    stage.close().await;
}

#[tokio::test]
async fn what_is_not_done_is_refused_and_the_stream_goes_on() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let session = stage.spawn(&mut vtr, "one", Script::new().cat()).await;
    let mut reader = Attached::new(&mut vtr, AttachStart { read_only: true, ..start(80, 24) }).await;
    reader.frame().await;
    reader.key("x");
    assert_eq!(reader.refusal().await.kind, "role_forbidden");
    let mut writer = Attached::new(&mut vtr, start(80, 24)).await;
    writer.frame().await;
    writer.key("no such key");
    let refusal = writer.refusal().await;
    assert!(refusal.kind == "invalid_args" && !refusal.hint.is_empty(), "{refusal:?}");
    writer.send(Message::Input(AttachInput { input: Some(Input::Data(vec![b'x'; (1 << 20) + 1])) }));
    assert_eq!(writer.refusal().await.kind, "limit_exceeded");
    writer.text("still here\n");
    shows(&session, "still here").await;
    stage.close().await;
}

#[tokio::test]
async fn the_last_frame_then_the_end() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    stage.spawn(&mut vtr, "one", Script::new().read_line().print("goodbye\n").exit(4)).await;
    let mut attached = Attached::new(&mut vtr, start(80, 24)).await;
    attached.key("enter");
    let mut shown = String::new();
    let exited = loop {
        match attached.next().await {
            Some(Event::Frame(frame)) => {
                shown.push_str(&text(&frame));
                attached.ack(&frame);
            }
            Some(Event::SessionExited(exited)) => break exited,
            other => panic!("{other:?}"),
        }
    };
    assert!(shown.contains("goodbye"), "{shown}");
    assert_eq!(exited.exit_code, 4);
    assert_eq!(attached.next().await, None);
    stage.close().await;
}

#[tokio::test]
async fn a_client_that_never_acknowledges_still_hears_the_end() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    stage.spawn(&mut vtr, "one", Script::new().read_line().print("goodbye\n").exit(0)).await;
    let mut attached = Attached::new(&mut vtr, start(80, 24)).await;
    attached.frame().await;
    attached.key("enter");
    assert!(matches!(attached.next().await, Some(Event::SessionExited(_))));
    stage.close().await;
}

#[tokio::test]
async fn keys_mouse_and_paste_are_encoded_by_the_sessions_modes() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let script = Script::new().raw().print("\x1b[?1000h\x1b[?1006h\x1b[?2004h\x1b[?1hready\n").hex();
    let session = stage.spawn(&mut vtr, "one", script).await;
    shows(&session, "ready").await;
    let mut attached = Attached::new(&mut vtr, start(0, 0)).await;
    let frame = attached.frame().await;
    assert!(frame.wants_mouse && !frame.wants_mouse_moves && frame.bracketed_paste, "{frame:?}");
    let send = |input| attached.send(Message::Input(AttachInput { input: Some(input) }));
    send(Input::KeyPress(KeyPress { key: "up".into(), ..Default::default() }));
    shows(&session, "1b ?4f ?41").await;
    let press = MouseInput { button: MouseButton::Left.into(), x: 4, y: 2, ..Default::default() };
    send(Input::Mouse(press));
    // ESC [ < 0 ; 5 ; 3 M
    shows(&session, "1b ?5b ?3c ?30 ?3b ?35 ?3b ?33 ?4d").await;
    send(Input::Paste("P".into()));
    shows(&session, "32 ?30 ?30 ?7e ?50").await;
    stage.close().await;
}
