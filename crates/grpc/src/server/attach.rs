//! Attach: watching and driving one session.
//!
//! HTTP/2 alone would feed a slow client old frames out of its receive window. So the client
//! acknowledges each frame it has drawn, and the next one is made only then: always the newest.

use std::{sync::Arc, time::Duration};

use engine::{Input, Pulse, Session, SessionEvent, VersionedFrame};
use futures_util::Stream;
use ops::{Call, Context, ErrorKind, InputGuard, OpError};
use tokio::{
    sync::{broadcast, mpsc, watch},
    time::{Instant, sleep_until},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};

use super::size_lead::{AttachmentId, SizeLeads};
use crate::{
    convert::{self, extent},
    failure,
    proto::{
        self, AttachEvent, AttachInput, AttachRequest, AttachResize, AttachStart, Bell, Refusal, attach_event::Event,
        attach_request::Message,
    },
};

/// Between two frames: a client that acknowledges at once needs no more than a display shows.
const FRAME_PAUSE: Duration = Duration::from_millis(16);
/// After the session's end, for the acknowledgement that lets the last frame go.
const LAST_ACK_PATIENCE: Duration = Duration::from_secs(2);
/// Events on their way to the connection. A frame, the last frame and the exit always find room; refusals and
/// bells are left out when a client does not read.
const WAITING_EVENTS: usize = 16;
const KEPT_FREE: usize = 3;

/// Reads the first message and attaches.
pub(super) async fn attach<C: Context>(
    call: Call<C>,
    mut requests: Streaming<AttachRequest>,
    leads: Arc<SizeLeads>,
) -> Result<impl Stream<Item = Result<AttachEvent, Status>> + Send + use<C>, Status> {
    let Some(AttachRequest { message: Some(Message::Start(start)) }) = requests.message().await? else {
        let error = OpError::invalid_args("the first message does not say what to attach to");
        return Err(failure::status(error.with_hint("send start first, with the session's name")));
    };
    let session = call.session(&start.name).map_err(failure::status)?;
    let size = view_size(start.cols, start.rows).map_err(failure::status)?;
    let (events, receiver) = mpsc::channel(WAITING_EVENTS);
    let attachment = Attachment {
        pulse: session.pulse(),
        bells: session.events(),
        size: if start.no_resize { None } else { size },
        start,
        id: leads.new_attachment(),
        leads,
        shown: None,
        unacknowledged: None,
        next_frame: Instant::now(),
        events,
        session,
        call,
    };
    // Ends when the client goes: its side of `events` is then closed.
    tokio::spawn(attachment.run(requests));
    Ok(ReceiverStream::new(receiver))
}

/// `None` when the client does not say.
fn view_size(cols: i32, rows: i32) -> Result<Option<vt::Size>, OpError> {
    let cols = extent("cols", cols, vt::Size::MAX.cols)?;
    let rows = extent("rows", rows, vt::Size::MAX.rows)?;
    Ok(cols.zip(rows).map(|(cols, rows)| vt::Size { cols, rows }))
}

struct Attachment<C> {
    call: Call<C>,
    session: Session,
    start: AttachStart,
    /// Of the client's view; `None` when it must not matter.
    size: Option<vt::Size>,
    id: AttachmentId,
    leads: Arc<SizeLeads>,
    pulse: watch::Receiver<Pulse>,
    bells: broadcast::Receiver<SessionEvent>,
    shown: Option<VersionedFrame>,
    /// Version of the frame whose acknowledgement is awaited.
    unacknowledged: Option<u64>,
    next_frame: Instant,
    events: mpsc::Sender<Result<AttachEvent, Status>>,
}

/// The client is gone.
struct Gone;

impl<C: Context> Attachment<C> {
    async fn run(mut self, mut requests: Streaming<AttachRequest>) {
        // Either way there is nobody left to tell.
        let _ = self.serve(&mut requests).await;
        self.leads.give_up(self.session.id(), self.id);
    }

    async fn serve(&mut self, requests: &mut Streaming<AttachRequest>) -> Result<(), Gone> {
        let mut patience: Option<Instant> = None;
        let mut hears_bells = true;
        loop {
            let pulse = *self.pulse.borrow_and_update();
            let news = self.shown.as_ref().is_none_or(|shown| pulse.version > shown.version);
            let may_send = self.unacknowledged.is_none();
            let ended = pulse.status.has_ended() || pulse.removed;
            if ended {
                let until = *patience.get_or_insert(Instant::now() + LAST_ACK_PATIENCE);
                if may_send || Instant::now() >= until {
                    return self.finish(news && may_send);
                }
            }
            tokio::select! {
                biased;
                () = self.events.closed() => return Err(Gone),
                request = requests.message() => match request {
                    Ok(Some(AttachRequest { message })) => self.take(message)?,
                    Ok(None) | Err(_) => return Err(Gone),
                },
                heard = self.bells.recv(), if hears_bells => match heard {
                    Ok(SessionEvent::Child(vt::Effect::Bell)) => self.tell(Event::Bell(Bell {}))?,
                    Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => hears_bells = false,
                },
                () = due(self.next_frame), if news && may_send => self.send_frame()?,
                // The sender lives as long as the session that we hold.
                _ = self.pulse.changed(), if !(news && may_send) => {}
                () = sleep_until(patience.unwrap_or_else(Instant::now)), if patience.is_some() => {}
            }
        }
    }

    fn take(&mut self, message: Option<Message>) -> Result<(), Gone> {
        let done = match message {
            None => Ok(()),
            Some(Message::Start(_)) => {
                Err(OpError::invalid_args("start was sent before").with_hint("attach anew for another session"))
            }
            Some(Message::Ack(ack)) => {
                if self.unacknowledged.is_some_and(|sent| ack.version >= sent) {
                    self.unacknowledged = None;
                }
                Ok(())
            }
            Some(Message::Resize(AttachResize { cols, rows })) => self.resize_view(cols, rows),
            Some(Message::Input(input)) => self.type_in(input),
        };
        match done {
            Ok(()) => Ok(()),
            Err(OpError { kind, message, hint }) => {
                self.tell(Event::Refusal(Refusal { kind: kind.as_str().to_owned(), message, hint }))
            }
        }
    }

    fn resize_view(&mut self, cols: i32, rows: i32) -> Result<(), OpError> {
        if self.start.no_resize {
            return Ok(());
        }
        self.size = view_size(cols, rows)?;
        if self.leads.is_leader(self.session.id(), self.id) { self.take_size() } else { Ok(()) }
    }

    fn type_in(&mut self, input: AttachInput) -> Result<(), OpError> {
        if self.start.read_only {
            let error = OpError::new(ErrorKind::RoleForbidden, "you are attached to read only");
            return Err(error.with_hint("attach without read_only to type"));
        }
        let input = convert::attach_input(input)?;
        let session = self.call.own_session(&self.session.id().to_string())?;
        self.call.host().guard_input(&InputGuard {
            caller: &self.call.caller,
            session: &session,
            input: &input,
            digest: None,
        })?;
        if matches!(input, Input::Key(_) | Input::Text(_) | Input::Paste(_) | Input::Bytes(_)) {
            self.leads.take(session.id(), self.id);
            // Before the input, so that what it brings about is drawn for this client.
            self.take_size()?;
        }
        session.send(input, self.call.origin())?;
        Ok(())
    }

    /// Gives the session this client's size.
    fn take_size(&self) -> Result<(), OpError> {
        if let Some(size) = self.size
            && self.session.with_screen(|screen| screen.size()) != size
        {
            self.session.resize(size)?;
        }
        Ok(())
    }

    fn send_frame(&mut self) -> Result<(), Gone> {
        let frame = self.session.frame();
        let (title, modes) = self.session.with_screen(|screen| (screen.title().to_owned(), screen.input_modes()));
        let update = proto::Frame {
            title,
            name: self.session.name().map(|name| name.to_string()).unwrap_or_default(),
            id: self.session.id().to_string(),
            wants_mouse: modes.mouse != vt::MouseProtocol::Off,
            wants_mouse_moves: modes.mouse == vt::MouseProtocol::AnyMotion,
            bracketed_paste: modes.bracketed_paste,
            wants_focus: modes.focus_events,
            leads_size: self.leads.is_leader(self.session.id(), self.id),
            ..convert::frame_update(&frame, self.shown.as_ref().map(|shown| &*shown.frame))
        };
        self.unacknowledged = Some(frame.version);
        self.next_frame = Instant::now() + FRAME_PAUSE;
        self.shown = Some(frame);
        self.push(Event::Frame(update))
    }

    fn finish(&mut self, last_frame: bool) -> Result<(), Gone> {
        if last_frame {
            self.send_frame()?;
        }
        self.push(Event::SessionExited(convert::exited(self.session.id(), self.session.info().ending)))
    }

    /// For what a client can do without.
    fn tell(&self, event: Event) -> Result<(), Gone> {
        if self.events.capacity() > KEPT_FREE { self.push(event) } else { Ok(()) }
    }

    fn push(&self, event: Event) -> Result<(), Gone> {
        self.events.try_send(Ok(AttachEvent { event: Some(event) })).map_err(|_| Gone)
    }
}

/// At once when the time has come: a timer, even of the past, is another thread's to fire.
async fn due(at: Instant) {
    if Instant::now() < at {
        sleep_until(at).await;
    }
}
