//! Attach: watching and driving one session.
//!
//! With HTTP/2's flow control alone, a slow client would get old frames out of its receive window. So the client
//! acknowledges each frame that it has drawn, and the next one is made only then: it is always the newest.

use std::{sync::Arc, time::Duration};

use engine::{Input, Pulse, Session, SessionEvent, VersionedFrame};
use futures_util::{Stream, stream};
use ops::{Call, Context, ErrorKind, InputGuard, OpError};
use tokio::{
    sync::{broadcast, watch},
    time::{Instant, sleep_until},
};
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

/// Minimum interval between two frames, for clients that acknowledge at once.
const FRAME_PAUSE: Duration = Duration::from_millis(16);
/// After the session's end, how long to wait for the acknowledgement that lets the last frame be sent.
const LAST_ACK_PATIENCE: Duration = Duration::from_secs(2);

/// Reads the first message and attaches. The attachment lives in the task that writes its events, without a queue in
/// between: input is not read from a client that does not read its events.
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
    let attachment = Attachment {
        pulse: session.pulse(),
        bells: Some(session.events()),
        size: if start.no_resize { None } else { size },
        start,
        id: leads.new_attachment(),
        leads,
        shown: None,
        unacknowledged: None,
        next_frame: Instant::now(),
        end: EndTold::Open,
        requests,
        session,
        call,
    };
    Ok(stream::unfold(attachment, |mut attachment| async {
        let event = attachment.next().await?;
        Some((Ok(AttachEvent { event: Some(event) }), attachment))
    }))
}

/// `None` if the client does not tell. A view may be narrower than any terminal.
fn view_size(cols: i32, rows: i32) -> Result<Option<vt::Size>, OpError> {
    let cols = extent("cols", cols, 1..=vt::Size::MAX.cols)?;
    let rows = extent("rows", rows, 1..=vt::Size::MAX.rows)?;
    Ok(cols.zip(rows).map(|(cols, rows)| vt::Size { cols, rows }))
}

/// Detaches on drop.
struct Attachment<C: Context> {
    call: Call<C>,
    session: Session,
    start: AttachStart,
    /// The client's view; `None` if it must not affect the size.
    size: Option<vt::Size>,
    id: AttachmentId,
    leads: Arc<SizeLeads>,
    requests: Streaming<AttachRequest>,
    pulse: watch::Receiver<Pulse>,
    /// `None` if there is no channel for bells any more.
    bells: Option<broadcast::Receiver<SessionEvent>>,
    shown: Option<VersionedFrame>,
    /// The version of the frame whose acknowledgement is pending.
    unacknowledged: Option<u64>,
    next_frame: Instant,
    end: EndTold,
}

/// How much of the session's end has been sent.
#[derive(Clone, Copy)]
enum EndTold {
    Open,
    /// It has ended; until this time an acknowledgement is awaited that lets the last frame be sent.
    Patient(Instant),
    /// Its last frame has been sent.
    Drawn,
    Told,
}

impl<C: Context> Drop for Attachment<C> {
    fn drop(&mut self) {
        self.leads.give_up(self.session.id(), self.id);
    }
}

impl<C: Context> Attachment<C> {
    /// The next event for the client; `None` if there are no more, or the client is gone.
    async fn next(&mut self) -> Option<Event> {
        loop {
            let pulse = *self.pulse.borrow_and_update();
            let news = self.shown.as_ref().is_none_or(|shown| pulse.version > shown.version);
            let may_send = self.unacknowledged.is_none();
            let ended = pulse.status.has_ended() || pulse.removed;
            self.end = match self.end {
                EndTold::Open if ended => EndTold::Patient(Instant::now() + LAST_ACK_PATIENCE),
                // It was started again meanwhile.
                EndTold::Patient(_) if !ended => EndTold::Open,
                end => end,
            };
            let patience = match self.end {
                EndTold::Open => None,
                EndTold::Patient(_) if news && may_send => {
                    self.end = EndTold::Drawn;
                    return Some(self.frame());
                }
                EndTold::Patient(until) if !may_send && Instant::now() < until => Some(until),
                EndTold::Patient(_) | EndTold::Drawn => {
                    self.end = EndTold::Told;
                    return Some(Event::SessionExited(convert::exited(self.session.id(), self.session.info().ending)));
                }
                EndTold::Told => return None,
            };
            tokio::select! {
                biased;
                request = self.requests.message() => {
                    // An error means that the connection broke: the client is gone.
                    let AttachRequest { message } = request.ok()??;
                    if let Err(OpError { kind, message, hint }) = self.take(message) {
                        return Some(Event::Refusal(Refusal { kind: kind.as_str().to_owned(), message, hint }));
                    }
                }
                heard = hear(&mut self.bells), if self.bells.is_some() => match heard {
                    Ok(SessionEvent::Child(vt::Effect::Bell)) => return Some(Event::Bell(Bell {})),
                    Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => self.bells = None,
                },
                () = due(self.next_frame), if news && may_send => return Some(self.frame()),
                // The sender lives as long as the session, which we hold.
                _ = self.pulse.changed(), if !(news && may_send) => {}
                () = sleep_until(patience.unwrap_or_else(Instant::now)), if patience.is_some() => {}
            }
        }
    }

    fn take(&mut self, message: Option<Message>) -> Result<(), OpError> {
        match message {
            None => Ok(()),
            Some(Message::Start(_)) => {
                Err(OpError::invalid_args("start was sent before")
                    .with_hint("open another attachment for another session"))
            }
            Some(Message::Ack(ack)) => {
                if self.unacknowledged.is_some_and(|sent| ack.version >= sent) {
                    self.unacknowledged = None;
                }
                Ok(())
            }
            Some(Message::Resize(AttachResize { cols, rows })) => self.resize_view(cols, rows),
            Some(Message::Input(input)) => self.type_in(input),
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
            // Before the input, so that its effect is drawn for this client's size.
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

    fn frame(&mut self) -> Event {
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
        Event::Frame(update)
    }
}

async fn hear(
    bells: &mut Option<broadcast::Receiver<SessionEvent>>,
) -> Result<SessionEvent, broadcast::error::RecvError> {
    match bells {
        Some(bells) => bells.recv().await,
        None => std::future::pending().await,
    }
}

/// Returns immediately if the time has come: a timer, even in the past, is fired by another thread.
async fn due(at: Instant) {
    if Instant::now() < at {
        sleep_until(at).await;
    }
}
