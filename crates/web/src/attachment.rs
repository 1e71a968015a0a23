//! One view of a live session: the coordinator's Attach stream on one side, the page on the other.
//!
//! The coordinator makes the next frame only after the page has acknowledged the last one, so the page always gets the
//! newest frame and a sleeping page gets none. The view's pace is the only delay in between. If the coordinator goes
//! away, the view waits for it, and finds its session again by id or else by name.

use std::{sync::Arc, time::Duration};

use grpc::{
    client::CoordinatorClient,
    proto::{
        AttachEvent, AttachInput, AttachRequest, AttachResize, AttachStart, FrameAck, Session, attach_event::Event,
        attach_input::Input, attach_request::Message,
    },
};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep_until, timeout},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Streaming};

use crate::{
    directory::{CoordinatorEntry, CoordinatorStatus, Places, said},
    from_page::ViewId,
    message::{ToPage, is_running},
};

/// Shortest interval between two frames: a terminal needs no more than 30 a second.
const FASTEST: Duration = Duration::from_millis(34);
const SLOWEST: Duration = Duration::from_secs(10);
/// Maximum inputs queued for the coordinator.
const WAITING_INPUTS: usize = 64;
/// How long the coordinator may take to answer an attach.
const PATIENCE: Duration = Duration::from_secs(10);
/// Delay before a failed attach is retried, unless the list of sessions changes earlier.
const RETRY: Duration = Duration::from_secs(1);

/// What a page can tell one of its views.
#[derive(Debug)]
pub(crate) enum ViewCommand {
    Ack(u64),
    Pace(Duration),
    Size { cols: i32, rows: i32 },
    Input(Input),
}

pub(crate) struct ViewAttachment {
    pub(crate) view: ViewId,
    pub(crate) coordinator: String,
    pub(crate) session: String,
    pub(crate) name: String,
    pub(crate) read_only: bool,
    pub(crate) pace: Duration,
    pub(crate) places: watch::Receiver<Places>,
    pub(crate) commands: mpsc::Receiver<ViewCommand>,
    pub(crate) page: mpsc::Sender<ToPage>,
}

/// The page closed the view, or is gone.
pub(crate) struct ViewClosed;

/// Why an attachment ended, other than by the page.
enum AttachmentEnd {
    /// The program exited; the last frame stays.
    Exited,
    /// The session does not exist.
    Gone(String),
    /// The coordinator or the connection to it was lost.
    Lost(String),
}

impl ViewAttachment {
    pub(crate) async fn run(mut self) {
        self.pace = self.pace.clamp(FASTEST, SLOWEST);
        let _ = self.serve().await;
    }

    async fn serve(&mut self) -> Result<(), ViewClosed> {
        let mut size = None;
        let mut told_gone = false;
        loop {
            let client = self.reach(&mut size).await?;
            match self.attached(&client, &mut size).await? {
                AttachmentEnd::Exited => {
                    told_gone = false;
                    self.until_it_runs_again(&mut size).await?;
                }
                AttachmentEnd::Gone(reason) => {
                    if !std::mem::replace(&mut told_gone, true) {
                        self.tell(ToPage::Gone { view: self.view, reason }).await?;
                    }
                    match self.listed() {
                        // The list of sessions lags behind.
                        Some(_) => self.pause(&mut size).await?,
                        None => self.change(&mut size, None).await?,
                    }
                }
                AttachmentEnd::Lost(reason) => {
                    told_gone = false;
                    self.tell(ToPage::Away { view: self.view, reason }).await?;
                    self.pause(&mut size).await?;
                }
            }
        }
    }

    fn place(&mut self) -> Option<Arc<CoordinatorEntry>> {
        self.places.borrow_and_update().iter().find(|place| place.key == self.coordinator).cloned()
    }

    /// Waits for the coordinator to be connected, and returns its client.
    async fn reach(&mut self, size: &mut Option<(i32, i32)>) -> Result<CoordinatorClient, ViewClosed> {
        let mut told = None;
        loop {
            let reason = match self.place().map(|place| place.standing.clone()) {
                Some(CoordinatorStatus::Up(client)) => return Ok(*client),
                Some(CoordinatorStatus::Away(reason)) => Some(reason),
                Some(CoordinatorStatus::Connecting) => None,
                None => Some(format!("the coordinator {:?} no longer exists", self.coordinator)),
            };
            if reason.is_some() && reason != told {
                told.clone_from(&reason);
                self.tell(ToPage::Away { view: self.view, reason: reason.unwrap_or_default() }).await?;
            }
            self.change(size, None).await?;
        }
    }

    /// Waits for a change of the list, or until `until`. The page's commands meanwhile are mostly obsolete.
    async fn change(&mut self, size: &mut Option<(i32, i32)>, until: Option<Instant>) -> Result<(), ViewClosed> {
        loop {
            tokio::select! {
                changed = self.places.changed() => return changed.map_err(|_| ViewClosed),
                command = self.commands.recv() => match command.ok_or(ViewClosed)? {
                    ViewCommand::Pace(pace) => self.pace = pace.clamp(FASTEST, SLOWEST),
                    ViewCommand::Size { cols, rows } => *size = Some((cols, rows)),
                    ViewCommand::Ack(_) => {}
                    ViewCommand::Input(_) => {
                        let (message, hint) = ("Nothing is running here.".to_owned(), "Your input was discarded.".to_owned());
                        self.tell(ToPage::Refusal { view: self.view, message, hint }).await?;
                    }
                },
                () = sleep_until(until.unwrap_or_else(Instant::now)), if until.is_some() => return Ok(()),
                () = self.page.closed() => return Err(ViewClosed),
            }
        }
    }

    async fn pause(&mut self, size: &mut Option<(i32, i32)>) -> Result<(), ViewClosed> {
        self.change(size, Some(Instant::now() + RETRY)).await
    }

    fn listed(&mut self) -> Option<Session> {
        let place = self.place()?;
        let by_name = || place.sessions.values().find(|session| !self.name.is_empty() && session.name == self.name);
        place.sessions.get(&self.session).or_else(by_name).cloned()
    }

    async fn until_it_runs_again(&mut self, size: &mut Option<(i32, i32)>) -> Result<(), ViewClosed> {
        // The list may not know of the exit yet: the view then attaches once more and is told at once.
        loop {
            match self.listed() {
                Some(session) if !is_running(&session) => self.change(size, None).await?,
                Some(_) => return self.pause(size).await,
                None => return Ok(()),
            }
        }
    }

    async fn attached(
        &mut self,
        client: &CoordinatorClient,
        size: &mut Option<(i32, i32)>,
    ) -> Result<AttachmentEnd, ViewClosed> {
        let session = self.listed().map_or_else(|| self.session.clone(), |session| session.id);
        let (requests, receiver) = mpsc::channel(WAITING_INPUTS);
        let (cols, rows) = size.unwrap_or_default();
        let start = AttachStart { name: session, cols, rows, read_only: self.read_only, no_resize: self.read_only };
        let send = |message: Message| requests.try_send(AttachRequest { message: Some(message) });
        if send(Message::Start(start)).is_err() {
            return Ok(AttachmentEnd::Lost("the coordinator takes no more requests at the moment".to_owned()));
        }
        let mut vtr = client.vtr();
        let answer = tokio::select! {
            answer = timeout(PATIENCE, vtr.attach(ReceiverStream::new(receiver))) => answer,
            () = self.page.closed() => return Err(ViewClosed),
        };
        let mut events: Streaming<AttachEvent> = match answer {
            Ok(Ok(answer)) => answer.into_inner(),
            Ok(Err(status)) if status.code() == Code::NotFound => return Ok(AttachmentEnd::Gone(said(&status))),
            Ok(Err(status)) => return Ok(AttachmentEnd::Lost(said(&status))),
            Err(_) => return Ok(AttachmentEnd::Lost("the coordinator does not answer".to_owned())),
        };
        let mut frame_at = Instant::now();
        // A version that the page has drawn, but that was not acknowledged to the coordinator yet.
        let mut drawn: Option<u64> = None;
        loop {
            tokio::select! {
                event = events.message() => match event {
                    Ok(Some(AttachEvent { event: Some(event) })) => match event {
                        Event::Frame(frame) => {
                            frame_at = Instant::now();
                            if !frame.id.is_empty() {
                                self.session.clone_from(&frame.id);
                                self.name.clone_from(&frame.name);
                            }
                            self.tell(ToPage::Frame { view: self.view, frame: Box::new(frame.into()) }).await?;
                        }
                        Event::SessionExited(exited) => {
                            let (code, signal) = (exited.exit_code, exited.signal);
                            self.tell(ToPage::Exited { view: self.view, code, signal }).await?;
                            return Ok(AttachmentEnd::Exited);
                        }
                        Event::Refusal(refusal) => {
                            let (message, hint) = (refusal.message, refusal.hint);
                            self.tell(ToPage::Refusal { view: self.view, message, hint }).await?;
                        }
                        Event::Bell(_) => self.tell(ToPage::Bell { view: self.view }).await?,
                    },
                    Ok(Some(AttachEvent { event: None })) => {}
                    Ok(None) => return Ok(AttachmentEnd::Lost("the coordinator has ended".to_owned())),
                    Err(status) => return Ok(AttachmentEnd::Lost(said(&status))),
                },
                command = self.commands.recv() => {
                    let message = match command.ok_or(ViewClosed)? {
                        ViewCommand::Ack(version) => {
                            drawn = Some(version);
                            continue;
                        }
                        ViewCommand::Pace(pace) => {
                            self.pace = pace.clamp(FASTEST, SLOWEST);
                            continue;
                        }
                        ViewCommand::Size { cols, rows } => {
                            *size = Some((cols, rows));
                            Message::Resize(AttachResize { cols, rows })
                        }
                        ViewCommand::Input(input) => Message::Input(AttachInput { input: Some(input) }),
                    };
                    if send(message).is_err() {
                        let (message, hint) = ("Too much input at once.".to_owned(), "Wait a moment and try again.".to_owned());
                        self.tell(ToPage::Refusal { view: self.view, message, hint }).await?;
                    }
                }
                () = sleep_until(frame_at + self.pace), if drawn.is_some() => {
                    // If the queue is full, the next interval tries again.
                    if let Some(version) = drawn && send(Message::Ack(FrameAck { version })).is_ok() {
                        drawn = None;
                    } else {
                        frame_at = Instant::now();
                    }
                }
                () = self.page.closed() => return Err(ViewClosed),
            }
        }
    }

    async fn tell(&self, message: ToPage) -> Result<(), ViewClosed> {
        self.page.send(message).await.map_err(|_| ViewClosed)
    }
}
