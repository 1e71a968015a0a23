//! Subscribe: a session's screen, its output, and its end.
//!
//! Events are made when the connection has room for them, and frames when the reader has received the earlier ones, as
//! far as its client tells: a slow reader costs one event, whatever the session prints meanwhile, and gets the newest
//! frame.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use engine::{Pulse, Session};
use futures_util::{Stream, stream};
use ops::OpError;
use prost::Message;
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};
use tonic::Status;

use super::uptake::StreamUptake;
use crate::{
    convert, failure,
    proto::{RawGap, ScreenFormat, ScreenUpdate, SubscribeEvent, SubscribeRequest, subscribe_event::Event},
};

/// 30 frames a second.
const FRAME_PAUSE: Duration = Duration::from_nanos(33_333_334);
/// Bytes of raw output in one event.
const RAW_BYTES: usize = 32 << 10;
/// The prefix of every gRPC message.
const PREFIX_BYTES: usize = 5;

pub(super) fn events(
    session: Session,
    request: &SubscribeRequest,
    uptake: Option<StreamUptake>,
) -> Result<impl Stream<Item = Result<SubscribeEvent, Status>> + Send + use<>, OpError> {
    let subscription = Subscription {
        pulse: session.pulse(),
        format: convert::known("format", request.format)?,
        wants_frames: request.include_screen_updates,
        raw_from: request.include_raw_output.then(|| request.raw_since.unwrap_or_else(|| session.output_offset())),
        shown: None,
        next_frame: Instant::now(),
        over: false,
        made: 0,
        uptake,
        session,
    };
    Ok(stream::unfold(subscription, |mut subscription| async {
        let event = subscription.next().await?;
        let event = event.map(|event| SubscribeEvent { event: Some(event) }).map_err(failure::status);
        subscription.made += event.as_ref().map_or(0, |event| (event.encoded_len() + PREFIX_BYTES) as u64);
        subscription.over |= event.is_err();
        Some((event, subscription))
    }))
}

/// What `connection` knows of a call's reader.
pub(super) fn uptake(extensions: &http::Extensions) -> Option<StreamUptake> {
    let uptake = extensions.get::<Arc<Mutex<Option<StreamUptake>>>>()?;
    uptake.lock().unwrap_or_else(PoisonError::into_inner).take()
}

async fn taken(uptake: &mut Option<StreamUptake>, bytes: u64) {
    if let Some(uptake) = uptake {
        uptake.taken(bytes).await;
    }
}

struct Subscription {
    session: Session,
    pulse: watch::Receiver<Pulse>,
    format: ScreenFormat,
    wants_frames: bool,
    /// The offset of the next raw output, if it was requested.
    raw_from: Option<u64>,
    /// Version of the last frame.
    shown: Option<u64>,
    /// The earliest time of the next frame.
    next_frame: Instant,
    over: bool,
    /// Bytes of the events so far.
    made: u64,
    /// How many of them the reader has received, if its connection tells.
    uptake: Option<StreamUptake>,
}

impl Subscription {
    async fn next(&mut self) -> Option<Result<Event, OpError>> {
        if self.over {
            return None;
        }
        let Some(shown) = self.shown else { return Some(self.frame()) };
        loop {
            // Read first: what is read below is at least as new.
            let pulse = *self.pulse.borrow_and_update();
            let ended = pulse.status.has_ended() || pulse.removed;
            let frame_waits = self.wants_frames && pulse.version > self.shown.unwrap_or(shown);
            let is_free = self.uptake.as_ref().is_none_or(|uptake| uptake.has_taken(self.made));
            if frame_waits && (ended || (is_free && Instant::now() >= self.next_frame)) {
                return Some(self.frame());
            }
            if let Some(event) = self.raw() {
                return Some(Ok(event));
            }
            if ended {
                self.over = true;
                let ending = self.session.info().ending;
                return Some(Ok(Event::SessionExited(convert::exited(self.session.id(), ending))));
            }
            tokio::select! {
                // The sender lives as long as the session, which we hold.
                _ = self.pulse.changed() => {}
                () = sleep_until(self.next_frame), if frame_waits && is_free => {}
                () = taken(&mut self.uptake, self.made), if frame_waits && !is_free => {}
            }
        }
    }

    fn frame(&mut self) -> Result<Event, OpError> {
        let frame = self.session.frame();
        self.shown = Some(frame.version);
        self.next_frame = Instant::now() + FRAME_PAUSE;
        let name = self.session.name().map(|name| name.to_string()).unwrap_or_default();
        let screen = convert::screen(self.session.id(), name, &frame, self.format)?;
        Ok(Event::ScreenUpdate(ScreenUpdate { screen: Some(screen) }))
    }

    fn raw(&mut self) -> Option<Event> {
        let from = self.raw_from?;
        let raw = self.session.raw(from, RAW_BYTES);
        if raw.dropped > 0 {
            self.raw_from = Some(raw.offset);
            return Some(Event::RawGap(RawGap { dropped_bytes: raw.dropped }));
        }
        if raw.bytes.is_empty() {
            return None;
        }
        self.raw_from = Some(raw.next_offset());
        Some(Event::RawOutput(raw.bytes))
    }
}
