//! The task beside a session of a coordinator: it applies what the link reports, asks a coordinator that left keys
//! unanswered whether it is alive, and lets go of text that nobody asked for lately. It ends with the session.

use std::{
    pin::Pin,
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use engine::SessionEvent;
use fleet::{LinkEvent, LinkReport, ScreenMirror, UnansweredInput};
use grpc::proto::{self, InfoRequest};
use tokio::sync::{Notify, mpsc};
use vt::Effect;

use super::{
    RemoteEvent, RemoteNews, RemoteSession,
    facts::{self, AskedFacts},
};
use crate::app::sources::SourceConnection;

/// The time limit of an answer that costs a coordinator nothing.
const SIGN_OF_LIFE: Duration = Duration::from_secs(2);

/// At least this lies between two questions for facts that nobody tells unasked.
const ASKING_GAP: Duration = Duration::from_secs(2);

/// A question to the coordinator, under way. Dropping it takes it back.
pub(super) struct LifeQuestion {
    asked: Instant,
    /// It has taken longer than it should. The answer is still awaited: it may end a silence.
    overdue: bool,
    answer: Pin<Box<dyn Future<Output = Option<proto::Session>> + Send>>,
}

impl LifeQuestion {
    fn overdue_at(&self) -> Option<Instant> {
        (!self.overdue).then(|| self.asked + SIGN_OF_LIFE)
    }
}

/// Handles the link's reports until the session is closed here.
pub(super) async fn follow(
    session: Weak<RemoteSession>,
    mut reports: mpsc::Receiver<LinkReport>,
    mut mirror: ScreenMirror,
    stirred: Arc<Notify>,
    events: mpsc::Sender<RemoteEvent>,
) {
    let mut question: Option<LifeQuestion> = None;
    loop {
        let Some((id, due)) = session.upgrade().map(|session| (session.id, session.due(question.as_ref()))) else {
            return;
        };
        let news = tokio::select! {
            report = reports.recv() => match (report, session.upgrade()) {
                (Some(report), Some(session)) => session.hear(&mut mirror, report),
                _ => return,
            },
            () = stirred.notified() => None,
            answer = answer_to(&mut question) => {
                let asked = question.take().map(|question| question.asked);
                session.upgrade().zip(asked).and_then(|(session, asked)| session.answered(asked, answer))
            }
            () = time(due) => {
                let Some(session) = session.upgrade() else { return };
                session.pass_time(&mut question)
            }
        };
        // Waits where the loop is busy: the coordinator's next report has to wait then, too.
        if let Some(news) = news
            && events.send(RemoteEvent::Session(id, news)).await.is_err()
        {
            return;
        }
    }
}

async fn answer_to(question: &mut Option<LifeQuestion>) -> Option<proto::Session> {
    match question {
        Some(question) => question.answer.as_mut().await,
        None => std::future::pending().await,
    }
}

async fn time(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due.into()).await,
        None => std::future::pending().await,
    }
}

impl RemoteSession {
    /// When something is due though nothing happens. Nothing is, for a session that nobody types into.
    fn due(&self, question: Option<&LifeQuestion>) -> Option<Instant> {
        let state = self.state();
        let may_ask = question.is_none_or(|question| question.overdue);
        let asks = state.unanswered.question_due().filter(|_| may_ask);
        let overdue = question.and_then(LifeQuestion::overdue_at);
        let text = state.text.as_ref().map(|kept| kept.until());
        let facts = state.asking_due.filter(|_| question.is_none());
        [asks, overdue, text, facts].into_iter().flatten().min()
    }

    fn pass_time(&self, question: &mut Option<LifeQuestion>) -> Option<RemoteNews> {
        let now = Instant::now();
        let is_due = |due: Option<Instant>| due.is_some_and(|due| due <= now);
        let mut news = None;
        if let Some(asked) = question.as_mut()
            && is_due(asked.overdue_at())
        {
            asked.overdue = true;
            news = self.not_answered(asked.asked);
        }
        let may_ask = question.as_ref().is_none_or(|question| question.overdue);
        let mut state = self.state();
        state.text.take_if(|kept| kept.until() <= now);
        let of_life = may_ask && is_due(state.unanswered.question_due());
        if of_life {
            state.unanswered.asked();
        }
        if of_life || question.is_none() && is_due(state.asking_due) {
            state.asking_due = None;
            drop(state);
            *question = Some(self.ask(now));
        }
        news
    }

    /// Asks for the facts beside the screen.
    fn ask(&self, asked: Instant) -> LifeQuestion {
        // Over the connection that the keys went to; without one, the link is making it.
        let (name, client) = (self.there(), self.link().client());
        let answer = Box::pin(async move {
            let client = client?;
            client.vtr().info(InfoRequest { name }).await.ok()?.into_inner().session
        });
        LifeQuestion { asked, overdue: false, answer }
    }

    fn hear(&self, mirror: &mut ScreenMirror, report: LinkReport) -> Option<RemoteNews> {
        let LinkReport { link, event } = report;
        let is_current = || {
            let state = self.state();
            link == state.link.number && !matches!(state.connection, SourceConnection::Gone(_))
        };
        if !is_current() {
            return None;
        }
        match event {
            LinkEvent::Frame(frame) => {
                let (version, name) = (frame.version, facts::name(&frame.name));
                // A large screen takes a while: without the lock, for the loop may want to draw.
                mirror.apply(*frame);
                let frame = Arc::new(mirror.frame().expect("a frame was applied").clone());
                if !is_current() {
                    return None;
                }
                let mut state = self.state();
                (state.frame, state.about) = (frame, std::mem::take(&mut mirror.about));
                let before = std::mem::replace(&mut state.connection, SourceConnection::Live);
                let gap = if before == SourceConnection::Live { ASKING_GAP } else { Duration::ZERO };
                state.asking_due.get_or_insert(Instant::now() + gap);
                state.unanswered.frame();
                if state.unanswered.is_told() {
                    state.connection = SourceConnection::Silent;
                }
                state.undrawn = Some(version);
                // A session that is being removed has no name any more.
                let renamed = !name.is_empty() && name != state.facts.name;
                if renamed {
                    state.facts.name = name;
                }
                let now = state.connection.clone();
                drop(state);
                self.beat(true);
                match before {
                    SourceConnection::Lost(_) | SourceConnection::Silent if now == SourceConnection::Live => {
                        Some(RemoteNews::Back)
                    }
                    before => (renamed || before != now).then_some(RemoteNews::Changed),
                }
            }
            LinkEvent::Exited(exited) => {
                self.state().facts.ended(&exited);
                self.beat(false);
                Some(RemoteNews::Changed)
            }
            LinkEvent::Refused(refusal) => {
                let hint = if refusal.hint.is_empty() { String::new() } else { format!(": {}", refusal.hint) };
                Some(RemoteNews::Refused(facts::text(&format!("{}{hint}", refusal.message))))
            }
            LinkEvent::Bell => {
                // Nobody may be listening.
                let _ = self.events.send(SessionEvent::Child(Effect::Bell));
                None
            }
            LinkEvent::Lost(why) => {
                let mut state = self.state();
                let typed_for = state.unanswered.since().map(|since| since.elapsed().as_secs() + 1);
                state.unanswered = UnansweredInput::default();
                let why = facts::text(&why);
                state.connection = SourceConnection::Lost(why.clone());
                drop(state);
                self.beat(false);
                Some(RemoteNews::Lost { why, typed_for })
            }
            LinkEvent::Gone(why) => self.gone(&why),
        }
    }

    /// An answer to a question of this time has come; none if the coordinator can't be asked.
    fn answered(&self, asked: Instant, answer: Option<proto::Session>) -> Option<RemoteNews> {
        let mut state = self.state();
        let Some(session) = answer else {
            // The link notices a lost connection itself.
            state.unanswered.could_not_ask(Instant::now());
            return None;
        };
        let facts = AskedFacts::of(&session);
        let changed = state.asked != facts;
        state.asked = facts;
        let back = state.unanswered.answered(asked) && state.connection == SourceConnection::Silent;
        if back {
            state.connection = SourceConnection::Live;
        }
        drop(state);
        match back {
            true => Some(RemoteNews::Back),
            false => changed.then_some(RemoteNews::Changed),
        }
    }

    fn not_answered(&self, asked: Instant) -> Option<RemoteNews> {
        let mut state = self.state();
        let silent = state.unanswered.not_answered(asked) && state.connection == SourceConnection::Live;
        if silent {
            state.connection = SourceConnection::Silent;
        }
        silent.then_some(RemoteNews::Silent)
    }
}
