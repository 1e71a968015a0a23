//! One page's WebSocket: its views, its inputs, its requests, and the live list.

use std::{collections::HashMap, sync::Arc, time::Duration};

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use futures_util::{
    SinkExt, StreamExt,
    stream::{SplitSink, SplitStream},
};
use grpc::proto::{KeyPress, MouseInput, attach_input::Input};
use tokio::{
    sync::{Semaphore, mpsc, watch},
    task::{AbortHandle, JoinSet},
    time::{Instant, interval_at, sleep, timeout, timeout_at},
};

use crate::{
    access::{AccessRights, LoggedInVisitor},
    attachment::{ViewAttachment, ViewCommand},
    budget::BudgetPermit,
    directory::Places,
    from_page::{FromPage, ViewId},
    message::{CoordinatorMessage, ToPage},
    recordings::{self, RecordingView},
    requests,
    server::WebState,
};

/// The WebSocket subprotocol.
pub(crate) const PROTOCOL: &str = "vtr";
/// Maximum size of a message: a paste of 1 MiB in which every character is escaped.
const MAX_MESSAGE_BYTES: usize = 7 << 20;
/// Maximum size of a message from a read-only page, which pastes nothing.
const MAX_READER_BYTES: usize = 64 << 10;
const MAX_PASTE_BYTES: usize = 1 << 20;
/// One session or recording each, thumbnails included.
const MAX_VIEWS: usize = 128;
/// Maximum requests of one page in progress.
const MAX_ASKED: usize = 16;
/// Maximum queued messages to the page, and commands to one view; senders wait when a queue is full.
const WAITING: usize = 16;
const PING: Duration = Duration::from_secs(20);
/// A page that sends nothing for this long (not even pongs), or receives nothing, is considered gone.
const SILENCE: Duration = Duration::from_secs(60);
/// Minimum interval between two versions of the list: ten a second.
const LIST_PAUSE: Duration = Duration::from_millis(100);

pub(crate) fn max_message_bytes(rights: AccessRights) -> usize {
    match rights {
        AccessRights::Full => MAX_MESSAGE_BYTES,
        AccessRights::ReadOnly => MAX_READER_BYTES,
    }
}

/// Serves one page until it closes.
pub(crate) async fn serve(socket: WebSocket, visitor: LoggedInVisitor, inner: Arc<WebState>) {
    let (sink, stream) = socket.split();
    let (page, outgoing) = mpsc::channel(WAITING);
    let mut writer = tokio::spawn(write(sink, outgoing));
    let hello = ToPage::Hello { version: inner.version.clone(), read_only: visitor.rights == AccessRights::ReadOnly };
    let _ = page.send(hello).await;
    let list = tokio::spawn(send_list(inner.directory.places(), page.clone()));
    let asking = Arc::new(Semaphore::new(MAX_ASKED));
    let mut leaving = visitor.clone();
    let mut connection =
        PageConnection { visitor, inner, page, asking, looking: JoinSet::new(), views: HashMap::new() };
    tokio::select! {
        () = connection.read(stream) => {}
        _ = &mut writer => {}
        () = leaving.logged_out() => {}
    }
    list.abort();
    // Also drops its views and senders, which ends the writer.
    drop(connection);
    writer.abort();
}

async fn write(mut sink: SplitSink<WebSocket, Message>, mut outgoing: mpsc::Receiver<ToPage>) {
    let mut pings = interval_at(Instant::now() + PING, PING);
    loop {
        // The message's budget permit is returned once the page has received the message.
        let (message, _held) = tokio::select! {
            message = outgoing.recv() => match message {
                Some(message) => match serde_json::to_string(&message) {
                    Ok(text) => (Message::text(text), message.into_held()),
                    Err(_) => continue,
                },
                None => break,
            },
            _ = pings.tick() => (Message::Ping(axum::body::Bytes::new()), None),
        };
        if !matches!(timeout(SILENCE, sink.send(message)).await, Ok(Ok(()))) {
            return;
        }
    }
    let close = Message::Close(Some(CloseFrame { code: close_code::AWAY, reason: "".into() }));
    let _ = timeout(SILENCE, sink.send(close)).await;
}

/// Sends the coordinators that changed since the last message.
async fn send_list(mut places: watch::Receiver<Places>, page: mpsc::Sender<ToPage>) {
    let mut sent = Places::default();
    // The next list is made only after the page has received the last: a list of a thousand sessions is some hundred
    // kilobytes.
    let turns = Arc::new(Semaphore::new(1));
    loop {
        let Ok(turn) = turns.clone().acquire_owned().await else { return };
        let now = places.borrow_and_update().clone();
        let is_sent = |place| sent.iter().any(|other| Arc::ptr_eq(other, place));
        let changed =
            now.iter().filter(|place| !is_sent(place)).map(|place| CoordinatorMessage::from(&**place)).collect();
        let order = now.iter().map(|place| place.key.clone()).collect();
        sent = now;
        if page.send(ToPage::Coordinators { order, changed, turn }).await.is_err() || places.changed().await.is_err() {
            return;
        }
        sleep(LIST_PAUSE).await;
    }
}

struct PageView {
    source: ViewSource,
    task: AbortHandle,
    /// The view's permit from the login's budget.
    _taken: BudgetPermit,
}

enum ViewSource {
    Live(mpsc::Sender<ViewCommand>),
    Replay(watch::Sender<u64>),
}

impl Drop for PageView {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct PageConnection {
    visitor: LoggedInVisitor,
    inner: Arc<WebState>,
    page: mpsc::Sender<ToPage>,
    asking: Arc<Semaphore>,
    /// Answers that are dropped when the page closes.
    looking: JoinSet<()>,
    views: HashMap<ViewId, PageView>,
}

/// The page broke the protocol and is disconnected.
struct ProtocolViolation;

impl PageConnection {
    async fn read(&mut self, mut stream: SplitStream<WebSocket>) {
        loop {
            let message = match timeout_at(Instant::now() + SILENCE, stream.next()).await {
                Ok(Some(Ok(message))) => message,
                Ok(Some(Err(_)) | None) | Err(_) => return,
            };
            let taken = match message {
                Message::Text(text) => match serde_json::from_str(&text) {
                    Ok(message) => self.take(message).await,
                    Err(_) => Err(ProtocolViolation),
                },
                Message::Ping(_) | Message::Pong(_) => Ok(()),
                Message::Binary(_) | Message::Close(_) => Err(ProtocolViolation),
            };
            if taken.is_err() {
                return;
            }
        }
    }

    async fn take(&mut self, message: FromPage) -> Result<(), ProtocolViolation> {
        match message {
            FromPage::Watch { view, coordinator, session, name, pace } => {
                let Some(taken) = self.room(view).await? else { return Ok(()) };
                let (sender, commands) = mpsc::channel(WAITING);
                let attachment = ViewAttachment {
                    view,
                    coordinator,
                    session,
                    name,
                    read_only: self.visitor.rights == AccessRights::ReadOnly,
                    pace: Duration::from_millis(pace.into()),
                    places: self.inner.directory.places(),
                    commands,
                    page: self.page.clone(),
                };
                let task = tokio::spawn(attachment.run()).abort_handle();
                self.views.insert(view, PageView { source: ViewSource::Live(sender), task, _taken: taken });
                Ok(())
            }
            FromPage::Play { view, recording } => {
                let Some(taken) = self.room(view).await? else { return Ok(()) };
                let (sender, times) = watch::channel(0);
                let playing = play(view, recording, self.inner.clone(), times, self.page.clone());
                let task = tokio::spawn(playing).abort_handle();
                self.views.insert(view, PageView { source: ViewSource::Replay(sender), task, _taken: taken });
                Ok(())
            }
            FromPage::Close { view } => {
                self.views.remove(&view);
                Ok(())
            }
            FromPage::At { view, ms } => {
                if let Some(PageView { source: ViewSource::Replay(times), .. }) = self.views.get(&view) {
                    // Sent even if the time is the same: each request gets an answer.
                    times.send_replace(ms);
                }
                Ok(())
            }
            FromPage::Pace { view, pace } => {
                self.command(view, ViewCommand::Pace(Duration::from_millis(pace.into()))).await
            }
            FromPage::Ack { view, version } => self.command(view, ViewCommand::Ack(version)).await,
            FromPage::Size { view, cols, rows } => {
                if self.visitor.rights == AccessRights::ReadOnly {
                    return Ok(());
                }
                self.command(view, ViewCommand::Size { cols, rows }).await
            }
            FromPage::Key { view, key, text, action } => {
                self.input(view, Input::KeyPress(KeyPress { key, action, text })).await
            }
            FromPage::Paste { view, text } if text.len() > MAX_PASTE_BYTES => {
                let message = format!("A paste of {} bytes is too large.", text.len());
                self.refuse(view, &message, "At most 1 MiB: paste it in parts, or put it into a file.").await
            }
            FromPage::Paste { view, text } => self.input(view, Input::Paste(text)).await,
            FromPage::Mouse { view, action, button, x, y, modifiers } => {
                self.input(view, Input::Mouse(MouseInput { action, button, x, y, modifiers })).await
            }
            FromPage::Focus { view, gained } => self.input(view, Input::Focus(gained)).await,
            FromPage::Ask { number, ask } => {
                let Ok(turn) = self.asking.clone().try_acquire_owned() else { return Err(ProtocolViolation) };
                let only_looks = ask.only_looks();
                let (visitor, inner, page) = (self.visitor.clone(), self.inner.clone(), self.page.clone());
                let answering = async move {
                    // A large answer is not even made while the page has not read the earlier ones.
                    let held = if only_looks { visitor.budget.answer().await } else { None };
                    let (error, value) = match requests::answer(ask, &visitor, &inner).await {
                        Ok(value) => (None, Some(value)),
                        Err(error) => (Some(error), None),
                    };
                    let _ = page.send(ToPage::Answer { number, error, value, held }).await;
                    drop(turn);
                };
                while self.looking.try_join_next().is_some() {}
                if only_looks {
                    self.looking.spawn(answering);
                } else {
                    // A change runs to completion even if the page closes.
                    tokio::spawn(answering);
                }
                Ok(())
            }
            FromPage::Ping {} => self.page.send(ToPage::Pong {}).await.map_err(|_| ProtocolViolation),
        }
    }

    /// Takes a permit for one more view. `None` if the login's budget is exhausted, which the page is told.
    async fn room(&mut self, view: ViewId) -> Result<Option<BudgetPermit>, ProtocolViolation> {
        self.views.remove(&view);
        if self.views.len() >= MAX_VIEWS {
            return Err(ProtocolViolation);
        }
        let taken = self.visitor.budget.view();
        if taken.is_none() {
            let reason = "too many views are open: close some pages".to_owned();
            self.page.send(ToPage::Gone { view, reason }).await.map_err(|_| ProtocolViolation)?;
        }
        Ok(taken)
    }

    async fn command(&mut self, view: ViewId, command: ViewCommand) -> Result<(), ProtocolViolation> {
        if let Some(PageView { source: ViewSource::Live(commands), .. }) = self.views.get(&view) {
            // A view that has ended ignores commands.
            let _ = commands.send(command).await;
        }
        Ok(())
    }

    async fn input(&mut self, view: ViewId, input: Input) -> Result<(), ProtocolViolation> {
        if self.visitor.rights == AccessRights::ReadOnly {
            // Mouse and focus events are not deliberate input, so their refusal is not shown.
            if matches!(input, Input::Mouse(_) | Input::Focus(_)) {
                return Ok(());
            }
            return self.refuse(view, "You have read-only access.", "Ask for a link that lets you type.").await;
        }
        self.command(view, ViewCommand::Input(input)).await
    }

    async fn refuse(&self, view: ViewId, message: &str, hint: &str) -> Result<(), ProtocolViolation> {
        let refusal = ToPage::Refusal { view, message: message.to_owned(), hint: hint.to_owned() };
        self.page.send(refusal).await.map_err(|_| ProtocolViolation)
    }
}

/// Plays a recording for one view. Only the newest requested time is answered.
async fn play(
    view: ViewId,
    name: String,
    inner: Arc<WebState>,
    mut times: watch::Receiver<u64>,
    page: mpsc::Sender<ToPage>,
) {
    let Some(folder) = inner.recordings.clone() else {
        let _ = page.send(ToPage::Gone { view, reason: "this server has no recordings folder".to_owned() }).await;
        return;
    };
    // Held until the view is closed and its blocking work has ended: that work continues after this task is aborted, so
    // the permit moves along with it.
    let Ok(mut place) = inner.replays.clone().try_acquire_owned() else {
        let reason = "too many recordings are being played: close one".to_owned();
        let _ = page.send(ToPage::Gone { view, reason }).await;
        return;
    };
    let opened = tokio::task::spawn_blocking(move || recordings::open(&folder, &name).map(|tape| (tape, place)));
    let tape = match opened.await {
        Ok(Ok((tape, again))) => {
            place = again;
            tape
        }
        Ok(Err(reason)) => {
            let _ = page.send(ToPage::Gone { view, reason }).await;
            return;
        }
        Err(_) => return,
    };
    if page.send(ToPage::Recording { view, about: (&tape).into() }).await.is_err() {
        return;
    }
    let mut showing = RecordingView::new(Arc::new(tape));
    loop {
        let ms = *times.borrow_and_update();
        let moved = tokio::task::spawn_blocking(move || {
            let frame = showing.go_towards(ms).then(|| showing.frame(ms));
            (showing, place, frame)
        });
        let Ok((again, held, frame)) = moved.await else { return };
        (showing, place) = (again, held);
        let Some(frame) = frame else {
            // A long replay: it continues only while a page waits for it.
            if page.is_closed() || times.has_changed().is_err() {
                return;
            }
            continue;
        };
        let frame = ToPage::Frame { view, frame: Box::new(frame) };
        if page.send(frame).await.is_err() || times.changed().await.is_err() {
            return;
        }
    }
}
