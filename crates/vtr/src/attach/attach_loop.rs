//! The main loop: takes input from the host, news from the tasks, signals and timers, and draws the newest state at
//! most thirty times a second. The actions that layers queue are performed in [`perform`].

mod perform;

use std::{
    io,
    pin::pin,
    time::{Duration, Instant},
};

use fleet::{
    AttachLink, AttachTarget, ClientConfig, LinkEvent, LinkNumber, LinkReport, RosterEvent, RosterReport, ScreenMirror,
    SessionRef, SessionRoster, UnansweredInput, is_running, reference,
};
use grpc::proto::{AttachResize, FrameAck, Session, attach_request::Message};
use program::{EndSignals, Failure};
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc,
};
use tui::{
    Canvas, CanvasWriter, HostDecoder, HostEvent, LayerStack, Rect, Sign, Skin,
    host::{BellLimit, HostInput, HostProbe, HostTerminal, MouseTracking, OutwardStatus},
    is_same_key,
};
use vt::{
    Position,
    input::{Modifiers, MouseButton, MouseEvent, MouseEventKind},
};

use super::{
    AttachWishes, Beginning,
    app::{AttachAction, AttachState, LookBackCause, PickerPreview, ShownSession, ShownState},
    base::SessionLayer,
    bindings::LeaderBindings,
    look_back::LookingBack,
    news::{AttachNews, WAITING_NEWS},
    outward,
    picker::SessionPicker,
};
use crate::{
    host_terminal::{self, color_hints},
    invocation::Invocation,
    surroundings::Surroundings,
};

/// The time between two frames: thirty a second.
const FRAME: Duration = Duration::from_micros(33_334);
/// How long to wait for the host's answers about its abilities.
const PROBE: Duration = Duration::from_millis(400);
/// The interval between requests for a session's facts while its screen changes.
const INFO: Duration = Duration::from_secs(2);
/// How long a program may take to end before we say that it still runs.
const HEEDING: Duration = Duration::from_millis(1500);
/// How many news items are handled before the screen is drawn again.
const BATCH: usize = 64;

/// Why the loop ended.
#[derive(Debug)]
pub(super) enum AttachEnd {
    /// The person left; the text says what becomes of the session.
    Left(String),
    Signal(&'static str),
    TerminalGone,
    /// There was nothing to choose from: each coordinator, and why it did not answer.
    NobodyAnswered(Vec<(String, String)>),
}

/// Which part of the host's screen is out of date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum StalePart {
    Nothing,
    /// Only the shown session's cells and cursor.
    Cells,
    All,
}

pub(super) struct AttachLoop {
    host: HostTerminal,
    input: HostInput,
    decoder: HostDecoder,
    /// When the decoder was last fed.
    fed: Instant,
    probe: HostProbe,
    surroundings: Surroundings,
    config: ClientConfig,
    socket: Option<std::path::PathBuf>,
    writer: CanvasWriter,
    outward: OutwardStatus,
    /// Report our sessions' work to the host terminal, if it supports that.
    reports: bool,
    bells: BellLimit,
    canvas: Canvas,
    layers: LayerStack<AttachState>,
    app: AttachState,
    news: mpsc::Receiver<AttachNews>,
    teller: mpsc::Sender<AttachNews>,
    last_link: u64,
    /// Looking back was requested, and the history has not arrived yet.
    looking_back: Option<LookBackCause>,
    drawn: Instant,
    stale: StalePart,
    /// When the clock in the status bar changes.
    next_minute: Instant,
    asked_info: Instant,
    info_is_old: bool,
    end: Option<AttachEnd>,
}

impl AttachLoop {
    pub(super) fn new(
        mut host: HostTerminal,
        invocation: &Invocation,
        bindings: LeaderBindings,
        wishes: &AttachWishes,
        beginning: Beginning,
    ) -> Result<Self, Failure> {
        let surroundings = invocation.surroundings.clone();
        let failed = |error: tui::host::HostError| host_terminal::failure(&error);
        let system = |error: io::Error| Failure::system("waiting for the terminal", &error);
        let input = std::os::fd::AsFd::as_fd(&host).try_clone_to_owned().map_err(system)?;
        host_terminal::restore_on_panic(&host);
        host.enter(tui::host::HostModes { mouse: MouseTracking::Off, ..Default::default() }).map_err(failed)?;
        let mut decoder = HostDecoder::new();
        let mut events = Vec::new();
        let probe = host.probe(&mut decoder, PROBE, &mut events).map_err(failed)?;
        let known = probe.abilities().clone();
        host.change(known.modes(MouseTracking::Drag)).map_err(failed)?;
        let size = host.size().map_err(failed)?;
        // From here on; the host's answers to the probe were read above.
        let input = HostInput::start(input).map_err(system)?;
        let (teller, news) = mpsc::channel(WAITING_NEWS);
        let mut roster = SessionRoster::new(teller.clone());
        roster.watch(&beginning.known, &beginning.clients);
        let now = Instant::now();
        let app = AttachState {
            skin: Skin::new(known.color_scheme()),
            bindings,
            area: Rect::of(size),
            framed: wishes.framed,
            read_only: wishes.read_only,
            no_resize: wishes.no_resize,
            roster,
            shown: None,
            preview: None,
            actions: Vec::new(),
            notices: Vec::new(),
            clock: clock(),
            leader_pending: false,
            only_typed: false,
            frame_stands: false,
            button_down: false,
        };
        let mut attach_loop = AttachLoop {
            writer: CanvasWriter::new(known.writer_options(color_hints(&surroundings))),
            outward: OutwardStatus::new(outward::APP),
            reports: wishes.reports,
            bells: BellLimit::default(),
            socket: invocation.everywhere.socket.clone(),
            config: invocation.config.clone(),
            canvas: Canvas::new(size),
            layers: LayerStack::default(),
            host,
            input,
            decoder,
            fed: now,
            probe,
            surroundings,
            app,
            news,
            teller,
            last_link: 0,
            looking_back: None,
            drawn: now.checked_sub(FRAME).unwrap_or(now),
            stale: StalePart::All,
            next_minute: next_minute(),
            asked_info: now,
            info_is_old: false,
            end: None,
        };
        attach_loop.layers.push(Box::<SessionLayer>::default());
        match beginning.session {
            Some((coordinator, session)) => {
                let place = attach_loop.app.roster.place_of(&coordinator).unwrap_or(0);
                attach_loop.show(place, &session);
            }
            None => {
                let picker = SessionPicker::open(&mut attach_loop.app);
                attach_loop.layers.push(Box::new(picker));
            }
        }
        // Typed while the host was being probed.
        attach_loop.take_events(events);
        Ok(attach_loop)
    }

    pub(super) async fn run(mut self) -> Result<AttachEnd, Failure> {
        let system = |error: io::Error| Failure::system("listening to signals", &error);
        let mut resized = signal(SignalKind::window_change()).map_err(system)?;
        let mut resumed = signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw())).map_err(system)?;
        let mut ends = EndSignals::on_a_terminal().map_err(system)?;
        // One timer for all iterations: creating a new one each time wakes the loop once for nothing, while a key is
        // waiting.
        let mut timer = pin!(tokio::time::sleep_until(self.wake().into()));
        loop {
            self.perform();
            if let Some(end) = self.end.take() {
                if let Some(bytes) = self.outward.take_back() {
                    // Failure is fine: a host that is gone has no records to clear.
                    let _ = self.host.write(&bytes);
                }
                self.host.leave();
                return Ok(end);
            }
            self.draw_if_due()?;
            let wake = self.wake().into();
            if timer.deadline() != wake {
                timer.as_mut().reset(wake);
            }
            tokio::select! {
                biased;
                signal = ends.next() => self.end = Some(AttachEnd::Signal(signal.name())),
                bytes = self.input.next() => match bytes {
                    None => self.end = Some(AttachEnd::TerminalGone),
                    Some(bytes) => {
                        let mut events = Vec::new();
                        self.decoder.feed(&bytes, &mut events);
                        self.fed = Instant::now();
                        self.take_events(events);
                        // Keys are sent before we check whether there is something to draw.
                        tokio::task::yield_now().await;
                    }
                },
                news = self.news.recv() => {
                    let mut next = news;
                    for _ in 0..BATCH {
                        let Some(news) = next else { break };
                        self.hear(news);
                        next = self.news.try_recv().ok();
                    }
                }
                _ = resized.recv() => self.resize()?,
                _ = resumed.recv() => {
                    self.host.resume().map_err(|error| host_terminal::failure(&error))?;
                    self.writer.forget();
                    self.stale = StalePart::All;
                }
                () = &mut timer => self.pass_time(),
            }
        }
    }

    /// When the next timed action is due.
    fn wake(&self) -> Instant {
        let mut wake = self.next_minute;
        if self.stale != StalePart::Nothing {
            wake = wake.min(self.drawn + FRAME);
        }
        if let Some(wait) = self.decoder.wait() {
            wake = wake.min(self.fed + wait);
        }
        if self.info_is_old {
            wake = wake.min(self.asked_info + INFO);
        }
        if let Some(asks) = self.asks_for_life() {
            wake = wake.min(asks);
        }
        let told = self.app.shown.iter().filter_map(|shown| shown.told_to_end).map(|(until, _)| until);
        let notices = self.app.notices.iter().map(|(_, until)| *until);
        notices.chain(told).fold(wake, Instant::min)
    }

    /// When to ask a coordinator that left keys unanswered whether it is alive.
    fn asks_for_life(&self) -> Option<Instant> {
        let shown = self.app.shown.as_ref().filter(|shown| shown.is_attached())?;
        shown.unanswered.question_due()
    }

    fn pass_time(&mut self) {
        let now = Instant::now();
        if self.asks_for_life().is_some_and(|asks| asks <= now) {
            let asked = self.ask_info();
            if let Some(shown) = &mut self.app.shown {
                if asked { shown.unanswered.asked() } else { shown.unanswered.could_not_ask(now) }
            }
        }
        if self.decoder.wait().is_some_and(|wait| self.fed + wait <= now) {
            let mut events = Vec::new();
            self.decoder.expire(&mut events);
            self.take_events(events);
        }
        let notices = self.app.notices.len();
        self.app.notices.retain(|(_, until)| *until > now);
        if self.app.tell_what_still_runs(now) || notices != self.app.notices.len() {
            self.stale = StalePart::All;
        }
        if self.next_minute <= now {
            self.next_minute = next_minute();
            self.app.clock = clock();
            self.stale = StalePart::All;
        }
        if self.info_is_old && self.asked_info + INFO <= now {
            self.ask_info();
        }
    }

    fn take_events(&mut self, events: Vec<HostEvent>) {
        for event in events {
            if let (HostEvent::Key(key), Some(fatal)) = (&event, &self.surroundings.panic_on) {
                assert!(!is_same_key(fatal, key), "asked to panic");
            }
            if self.probe.take(&event) {
                let options = self.probe.abilities().writer_options(color_hints(&self.surroundings));
                self.writer.set_options(options);
                self.stale = StalePart::All;
                continue;
            }
            if let HostEvent::ColorScheme(scheme) = event {
                self.app.skin = Skin::new(scheme);
            }
            let framed = self.app.framed;
            self.layers.update(&event, &mut self.app);
            if self.app.framed != framed {
                self.tell_size();
                self.layers.update(&HostEvent::Resize(self.canvas.size()), &mut self.app);
            }
            if !std::mem::take(&mut self.app.only_typed) {
                self.stale = StalePart::All;
            }
            // Each event must see the effects of the one before it.
            self.perform();
        }
    }

    fn resize(&mut self) -> Result<(), Failure> {
        let size = self.host.size().map_err(|error| host_terminal::failure(&error))?;
        self.canvas.resize(size);
        self.app.area = Rect::of(size);
        self.stale = StalePart::All;
        self.tell_size();
        self.layers.update(&HostEvent::Resize(size), &mut self.app);
        Ok(())
    }

    /// Tells the coordinator how much room there is here; it decides whose size counts.
    fn tell_size(&self) {
        let vt::Size { cols, rows } = self.app.pane().size();
        if let Some(shown) = &self.app.shown {
            shown.link.send(Message::Resize(AttachResize { cols: cols.into(), rows: rows.into() }));
        }
    }

    fn draw_if_due(&mut self) -> Result<(), Failure> {
        if self.stale == StalePart::Nothing || self.drawn.elapsed() < FRAME {
            return Ok(());
        }
        let stale = std::mem::replace(&mut self.stale, StalePart::Nothing);
        // Another layer may have covered everything.
        self.app.frame_stands = stale == StalePart::Cells && self.layers.len() == 1;
        let failed = |error: tui::host::HostError| host_terminal::failure(&error);
        let moves = |shown: &ShownSession| shown.mirror.about.wants_mouse_moves && shown.state == ShownState::Live;
        let tracking = match self.layers.len() == 1 && self.app.shown.as_ref().is_some_and(moves) {
            true => MouseTracking::Motion,
            false => MouseTracking::Drag,
        };
        self.host.change(self.probe.abilities().modes(tracking)).map_err(failed)?;
        self.layers.render(&mut self.canvas, &self.app);
        if stale == StalePart::All {
            self.tell_host()?;
        }
        let bytes = self.writer.frame(&self.canvas);
        // A key that changed nothing here does not count as a frame: its echo comes next and must not wait for the
        // frame limit.
        if !bytes.is_empty() {
            self.drawn = Instant::now();
            self.host.write(bytes).map_err(failed)?;
        }
        // Only now, so that the next frame is newer than anything that waited for this host.
        let acknowledge = |link: &AttachLink, version: &mut Option<u64>| {
            if let Some(version) = version.take() {
                link.send(Message::Ack(FrameAck { version }));
            }
        };
        if let Some(shown) = &mut self.app.shown {
            if shown.to_acknowledge.is_some() {
                shown.unanswered.acknowledged(Instant::now());
            }
            acknowledge(&shown.link, &mut shown.to_acknowledge);
        }
        if let Some(preview) = &mut self.app.preview {
            acknowledge(&preview.link, &mut preview.to_acknowledge);
        }
        Ok(())
    }

    fn tell_host(&mut self) -> Result<(), Failure> {
        if !self.reports || !self.probe.abilities().status_records {
            return Ok(());
        }
        let (state, msg) = outward::summary(&self.app.roster);
        match self.outward.tell(state, &msg) {
            Some(bytes) => self.host.write(&bytes).map_err(|error| host_terminal::failure(&error)),
            None => Ok(()),
        }
    }

    fn hear(&mut self, news: AttachNews) {
        self.stale = self.stale.max(self.made_stale_by(&news));
        match news {
            AttachNews::Link(LinkReport { link, event }) => self.hear_link(link, event),
            AttachNews::Roster(RosterReport { place, event }) => {
                let silent = matches!(event, RosterEvent::Silent(_) | RosterEvent::Here(_));
                let shown = self.app.shown.as_ref().map(|shown| &shown.session);
                let removed = shown.is_some_and(|shown| event.removes(place, shown));
                self.app.roster.apply(place, event);
                if !silent {
                    self.follow_roster(place, removed);
                }
                if silent && self.app.shown.is_none() && self.app.roster.nobody_answered() {
                    self.end = Some(AttachEnd::NobodyAnswered(self.app.roster.silences()));
                }
                self.layers.refresh(&mut self.app);
            }
            AttachNews::History(number, answer) => self.look_back(number, *answer),
            AttachNews::Info(number, asked, session) => {
                if let Some(shown) = &mut self.app.shown
                    && shown.link.number == number
                {
                    shown.info = *session;
                    self.app.hear_answer(asked);
                }
            }
            AttachNews::Unanswered(number, asked) => {
                if self.app.shown.as_ref().is_some_and(|shown| shown.link.number == number) {
                    self.app.tell_silence(asked);
                }
            }
            AttachNews::Created(place, session) => self.show(place, &session),
            AttachNews::Versions(all) => {
                let current = self.app.shown.as_ref().map(|shown| &shown.session);
                match self.app.roster.unseen(current, &all) {
                    Some(found) => self.app.actions.push(AttachAction::Show(found)),
                    None => self.app.notice("no session has new output", Sign::Idle),
                }
            }
            AttachNews::ToldToEnd(number, signal) => {
                if let Some(shown) = self.app.shown.as_mut().filter(|shown| shown.link.number == number) {
                    shown.told_to_end = Some((Instant::now() + HEEDING, signal));
                    let words = format!("told {} to end ({})", shown.name, signal.name());
                    self.app.notice(words, Sign::Running);
                }
            }
            AttachNews::Done(words) => {
                self.app.notice(words, Sign::Running);
                self.ask_info();
            }
            AttachNews::Failed(reason) => {
                self.looking_back = None;
                self.app.notice(reason, Sign::Failed);
            }
        }
    }

    fn made_stale_by(&self, news: &AttachNews) -> StalePart {
        match (news, &self.app.shown) {
            (AttachNews::Link(LinkReport { link, event: LinkEvent::Frame(frame) }), Some(shown))
                if shown.link.number == *link && shown.changes_only_cells(frame) =>
            {
                StalePart::Cells
            }
            _ => StalePart::All,
        }
    }

    fn hear_link(&mut self, number: LinkNumber, event: LinkEvent) {
        if self.app.shown.as_ref().is_some_and(|shown| shown.link.number == number) {
            // The bell changes nothing on the screen, so it may be sent between two frames.
            if self.app.hear(event)
                && let Some(bytes) = self.bells.ring(Instant::now())
            {
                let _ = self.host.write(bytes);
            }
            self.info_is_old = true;
            if self.asked_info.elapsed() >= INFO {
                self.ask_info();
            }
        } else if let Some(preview) = &mut self.app.preview
            && preview.link.number == number
            && let LinkEvent::Frame(frame) = event
        {
            preview.to_acknowledge = Some(frame.version);
            preview.mirror.apply(*frame);
        }
    }

    /// The shown session may have been renamed, restarted or removed. `removed`: somebody removed it.
    fn follow_roster(&mut self, place: usize, removed: bool) {
        let Some(shown) = self.app.shown.as_mut().filter(|shown| shown.session.coordinator == place) else { return };
        let ended = matches!(shown.state, ShownState::Exited(_) | ShownState::Gone(_));
        let member = self.app.roster.member(place);
        let sessions = member.map(|member| member.sessions.as_slice()).unwrap_or_default();
        let Some(same) = sessions.iter().find(|session| session.id == shown.session.id) else {
            if removed {
                shown.state = ShownState::Gone("it was removed".into());
            } else if matches!(shown.state, ShownState::Exited(_)) {
                shown.state = ShownState::Gone("its coordinator no longer has it".into());
            }
            // A session of the same name is a different one: input typed here is not meant for it.
            shown.namesake = sessions.iter().any(|session| session.name == shown.name);
            return;
        };
        shown.name.clone_from(&same.name);
        if ended && is_running(same) {
            let (session, words) = (same.clone(), format!("{} runs again", same.name));
            self.show(place, &session);
            self.app.notice(words, Sign::Running);
        }
    }

    fn look_back(&mut self, number: LinkNumber, answer: grpc::proto::GetHistoryResponse) {
        let Some(why) = self.looking_back.take() else { return };
        if self.app.shown.as_ref().is_none_or(|shown| shown.link.number != number) {
            return;
        }
        let pane = self.app.pane();
        let Some(mut looking) = LookingBack::new(answer, pane) else { return };
        let mode = looking.mode();
        let selects = match why {
            LookBackCause::Keys => false,
            LookBackCause::Scroll(by) => {
                mode.scroll(by);
                false
            }
            LookBackCause::Drag(from, to) => {
                mode.select_at(mode.point_at(from, pane), tui::SelectionUnit::Character);
                mode.drag(mode.point_at(to, pane), to.row, pane);
                true
            }
            LookBackCause::Pick(at, unit) => {
                mode.select_at(mode.point_at(at, pane), unit);
                true
            }
        };
        self.layers.push(Box::new(looking));
        if selects && !self.app.button_down {
            // The button was released while the history was being fetched.
            let release = MouseEventKind::Release(MouseButton::Left);
            let Position { row, col } = Position { row: pane.row, col: pane.col };
            let event = MouseEvent { kind: release, col, row, pixel: None, modifiers: Modifiers::empty() };
            self.layers.update(&HostEvent::Mouse(event), &mut self.app);
        }
    }

    fn next_link(&mut self) -> LinkNumber {
        self.last_link += 1;
        LinkNumber(self.last_link)
    }

    fn wanted(&self, place: usize, session: &Session, preview: bool) -> Option<AttachTarget> {
        Some(AttachTarget {
            coordinator: self.app.roster.member(place)?.coordinator.clone(),
            id: session.id.clone(),
            name: session.name.clone(),
            size: self.app.pane().size(),
            read_only: preview || self.app.read_only,
            no_resize: preview || self.app.no_resize,
        })
    }

    fn show(&mut self, place: usize, session: &Session) {
        let Some(wanted) = self.wanted(place, session, false) else { return };
        let number = self.next_link();
        let client = self.app.roster.member(place).and_then(|member| member.client.clone());
        let coordinator = wanted.coordinator.name.clone();
        self.app.shown = Some(ShownSession {
            session: reference(place, session),
            coordinator,
            name: session.name.clone(),
            link: AttachLink::open(number, wanted, client, self.teller.clone()),
            mirror: ScreenMirror::default(),
            state: ShownState::Connecting,
            info: session.clone(),
            to_acknowledge: None,
            namesake: false,
            unanswered: UnansweredInput::default(),
            told_to_end: None,
        });
        self.looking_back = None;
        self.ask_info();
        self.stale = StalePart::All;
    }

    fn preview(&mut self, wanted: Option<SessionRef>) {
        self.app.preview = None;
        let Some(wanted) = wanted else { return };
        let Some(session) = self.app.roster.find(&wanted).cloned() else { return };
        let Some(attach) = self.wanted(wanted.coordinator, &session, true) else { return };
        let number = self.next_link();
        let client = self.app.roster.member(wanted.coordinator).and_then(|member| member.client.clone());
        let link = AttachLink::open(number, attach, client, self.teller.clone());
        self.app.preview = Some(PickerPreview { link, mirror: ScreenMirror::default(), to_acknowledge: None });
    }

    /// Returns false if there is no connection to ask on.
    fn ask_info(&mut self) -> bool {
        self.asked_info = Instant::now();
        self.info_is_old = false;
        let attached = self.app.shown.as_ref().is_some_and(ShownSession::is_attached);
        match self.errand_here() {
            Some(here) if attached => here.way.info(here.link, here.id),
            _ => false,
        }
    }

    fn last_words(&self) -> String {
        match &self.app.shown {
            None => "[left]".into(),
            Some(shown) => {
                let name = format!("{}:{}", shown.coordinator, program::printable(&shown.name));
                match &shown.state {
                    ShownState::Exited(how) if how.is_empty() => format!("[{name} exited]"),
                    ShownState::Exited(how) => format!("[{name} exited {how}]"),
                    ShownState::Gone(_) => format!("[{name} is gone]"),
                    _ => format!("[detached from {name}]"),
                }
            }
        }
    }
}

fn next_minute() -> Instant {
    let second = jiff::Timestamp::now().as_second().rem_euclid(60);
    Instant::now() + Duration::from_secs(60 - u64::try_from(second).unwrap_or(0))
}

fn clock() -> String {
    jiff::Zoned::now().strftime("%H:%M").to_string()
}
