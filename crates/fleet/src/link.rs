//! One attachment to one session: the stream, and reconnecting after the connection or the coordinator was lost.
//!
//! It knows nothing of terminals or keys: messages go out, events come in. Each event names its link, so that one from
//! a previous link can't draw over the current one.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use grpc::{
    client::CoordinatorClient,
    proto::{
        AttachEvent, AttachRequest, AttachResize, AttachStart, Frame, InfoRequest, Refusal, SessionExited,
        attach_event::Event, attach_request::Message,
    },
};
use ops::ErrorKind;
use tokio::sync::mpsc;
use tokio_stream::{StreamExt, wrappers::ReceiverStream};

use crate::{abort_on_drop::AbortOnDrop, coordinators::Coordinator, reach, refusal};

/// The pause before reconnecting: none the first time, then longer, but never so long that a person gives up.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// Messages queued for the connection: what a fast typist produces in a minute while the connection hangs.
const WAITING_MESSAGES: usize = 1024;

/// Identifies a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkNumber(pub u64);

/// An event, and the link that it comes from.
#[derive(Debug)]
pub struct LinkReport {
    pub link: LinkNumber,
    pub event: LinkEvent,
}

#[derive(Debug)]
pub enum LinkEvent {
    Frame(Box<Frame>),
    Exited(SessionExited),
    Refused(Refusal),
    Bell,
    /// The connection was lost, and why; reconnecting goes on.
    Lost(String),
    /// There is no such session, so we do not try again.
    Gone(String),
}

/// What to attach to, and how.
#[derive(Clone, Debug)]
pub struct AttachTarget {
    pub coordinator: Coordinator,
    pub id: String,
    pub name: String,
    pub size: vt::Size,
    pub read_only: bool,
    pub no_resize: bool,
}

/// The interface's end of the link. Dropping it ends the attachment.
#[derive(Debug)]
pub struct AttachLink {
    pub number: LinkNumber,
    outbox: Arc<Mutex<LinkOutbox>>,
    _task: AbortOnDrop,
}

/// Where messages go: straight into the open stream, so that a key is not handed from task to task.
#[derive(Debug)]
struct LinkOutbox {
    /// Closed while there is no connection: what is typed then may not be meant for what the screen shows afterwards.
    requests: mpsc::Sender<AttachRequest>,
    /// The last known size, which a new attachment starts with.
    size: vt::Size,
    /// The connection that the open stream uses.
    client: Option<CoordinatorClient>,
}

impl AttachLink {
    /// `client` is an existing connection, used as long as it lasts. Must be called inside a runtime.
    pub fn open<News: From<LinkReport> + Send + 'static>(
        number: LinkNumber,
        wanted: AttachTarget,
        client: Option<CoordinatorClient>,
        news: mpsc::Sender<News>,
    ) -> Self {
        let (requests, receiver) = mpsc::channel(WAITING_MESSAGES);
        let outbox = Arc::new(Mutex::new(LinkOutbox { requests, size: wanted.size, client: None }));
        let line = OpenStream { wanted, outbox: Arc::clone(&outbox), first: Some(receiver), news, number };
        AttachLink { number, outbox, _task: AbortOnDrop::spawn(line.keep(client)) }
    }

    /// Returns false if there is no connection, or if the queue is full.
    pub fn send(&self, message: Message) -> bool {
        let mut outbox = self.outbox.lock().unwrap_or_else(PoisonError::into_inner);
        if let Message::Resize(AttachResize { cols, rows }) = &message {
            let extent = |value: i32| u16::try_from(value).unwrap_or(1);
            outbox.size = vt::Size { cols: extent(*cols), rows: extent(*rows) };
        }
        outbox.requests.try_send(AttachRequest { message: Some(message) }).is_ok()
    }

    /// The connection that it is attached over, for questions about what is sent there. `None` while there is none.
    pub fn client(&self) -> Option<CoordinatorClient> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner).client.clone()
    }
}

struct OpenStream<News> {
    wanted: AttachTarget,
    outbox: Arc<Mutex<LinkOutbox>>,
    /// Holds what was typed before the first connection.
    first: Option<mpsc::Receiver<AttachRequest>>,
    news: mpsc::Sender<News>,
    number: LinkNumber,
}

enum LinkEnd {
    /// The session ended, or the interface dropped the link.
    Done,
    Lost(String),
    Gone(String),
}

impl<News: From<LinkReport> + Send> OpenStream<News> {
    async fn keep(mut self, mut client: Option<CoordinatorClient>) {
        let mut pause = FIRST_PAUSE;
        let mut told = false;
        loop {
            let mut drew = false;
            match self.attach(client.take(), &mut drew).await {
                LinkEnd::Done => return,
                LinkEnd::Gone(reason) => {
                    self.tell(LinkEvent::Gone(reason)).await;
                    return;
                }
                LinkEnd::Lost(reason) => {
                    if drew {
                        (pause, told) = (FIRST_PAUSE, false);
                    }
                    if !told {
                        told = true;
                        self.tell(LinkEvent::Lost(reason)).await;
                    }
                }
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    async fn tell(&self, event: LinkEvent) {
        // If this fails, the program is ending and needs no report.
        let _ = self.news.send(LinkReport { link: self.number, event }.into()).await;
    }

    /// Attaches once, until that attachment ends. `drew` is set once a frame has arrived.
    async fn attach(&mut self, client: Option<CoordinatorClient>, drew: &mut bool) -> LinkEnd {
        let client = match client {
            Some(client) => client,
            None => match reach::reach(&self.wanted.coordinator).await {
                Ok(reached) => reached.client,
                Err(silence) => return LinkEnd::Lost(silence.to_string()),
            },
        };
        // By id: if another session has the name by now, our input is not meant for it.
        let by = if self.wanted.id.is_empty() { &self.wanted.name } else { &self.wanted.id };
        self.use_client(Some(client.clone()));
        let end = self.stream(&client, by.clone(), drew).await;
        self.use_client(None);
        match end {
            LinkEnd::Gone(words) => LinkEnd::Gone(self.why_gone(&client, words).await),
            end => end,
        }
    }

    fn use_client(&self, client: Option<CoordinatorClient>) {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner).client = client;
    }

    /// People know the name, so we report what the coordinator says about the name instead of what it says about the
    /// id.
    async fn why_gone(&self, client: &CoordinatorClient, words: String) -> String {
        let name = &self.wanted.name;
        let mut vtr = client.vtr();
        let asking = vtr.info(InfoRequest { name: name.clone() });
        match tokio::time::timeout(self.wanted.coordinator.timeout, asking).await {
            Ok(Ok(answer)) => match answer.into_inner().session {
                Some(session) if session.id != self.wanted.id => {
                    format!("it was removed; {name} is another session now")
                }
                // It was refused for another reason.
                _ => words,
            },
            Ok(Err(status)) if grpc::CallFailure::from(&status).kind.is_some() => {
                grpc::CallFailure::from(&status).message
            }
            Ok(Err(_)) | Err(_) => words,
        }
    }

    async fn stream(&mut self, client: &CoordinatorClient, name: String, drew: &mut bool) -> LinkEnd {
        let (requests, vt::Size { cols, rows }) = self.requests();
        let start = AttachStart {
            name,
            cols: cols.into(),
            rows: rows.into(),
            read_only: self.wanted.read_only,
            no_resize: self.wanted.no_resize,
        };
        let start = AttachRequest { message: Some(Message::Start(start)) };
        let mut vtr = client.vtr();
        let attaching = vtr.attach(tokio_stream::once(start).chain(ReceiverStream::new(requests)));
        let mut events = match tokio::time::timeout(self.wanted.coordinator.timeout, attaching).await {
            Ok(Ok(answer)) => answer.into_inner(),
            Ok(Err(status)) => return refused(&status),
            Err(_) => return LinkEnd::Lost("no answer in time".into()),
        };
        loop {
            match events.message().await {
                Ok(Some(AttachEvent { event })) => match event {
                    Some(Event::Frame(frame)) => {
                        *drew = true;
                        if !frame.name.is_empty() {
                            self.wanted.name.clone_from(&frame.name);
                        }
                        self.tell(LinkEvent::Frame(Box::new(frame))).await;
                    }
                    Some(Event::SessionExited(exited)) => {
                        self.tell(LinkEvent::Exited(exited)).await;
                        return LinkEnd::Done;
                    }
                    Some(Event::Refusal(refusal)) => self.tell(LinkEvent::Refused(refusal)).await,
                    Some(Event::Bell(_)) => self.tell(LinkEvent::Bell).await,
                    None => {}
                },
                Ok(None) => return LinkEnd::Lost("the stream ended".into()),
                Err(status) => return refused(&status),
            }
        }
    }

    /// The receiver for the next stream's messages, and the size it starts with.
    fn requests(&mut self) -> (mpsc::Receiver<AttachRequest>, vt::Size) {
        let mut outbox = self.outbox.lock().unwrap_or_else(PoisonError::into_inner);
        let receiver = self.first.take().unwrap_or_else(|| {
            let (requests, receiver) = mpsc::channel(WAITING_MESSAGES);
            outbox.requests = requests;
            receiver
        });
        (receiver, outbox.size)
    }
}

fn refused(status: &tonic::Status) -> LinkEnd {
    let failure = grpc::CallFailure::from(status);
    match failure.kind {
        None | Some(ErrorKind::ShuttingDown) => LinkEnd::Lost(refusal::silence(status)),
        Some(_) => LinkEnd::Gone(failure.message),
    }
}
