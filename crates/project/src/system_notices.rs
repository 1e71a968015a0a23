//! Tells an agent, by a `[system]` line, that something it started has ended by itself, and how the human answered its
//! questions.
//!
//! Sessions that were asked to end are not mentioned. Events at about the same time, or while the agent can't listen,
//! are merged into one line.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use engine::{Engine, EngineEvent, ExitStatus, Kind, Origin, SessionId, Status};
use tokio::{
    sync::{broadcast::error::RecvError, mpsc},
    task::AbortHandle,
};

use crate::{
    delivery::Deliver,
    messages::{Speaker, tagged},
    project::lock,
    settings::Notices,
    trust::TrustAnswer,
};

/// Ends within this interval are told together.
const GATHER: Duration = Duration::from_millis(300);
/// Maximum sessions and answers listed in a line; further ones are only counted.
const MAX_NAMED: usize = 20;

/// Listens until it is dropped.
#[derive(Debug)]
pub(crate) struct SystemNotices {
    task: AbortHandle,
}

#[derive(Clone)]
struct Teller {
    engine: Engine,
    deliver: Arc<dyn Deliver>,
    settings: Notices,
    /// What each agent has not been told yet. An entry means that a task is working on it.
    untold: Arc<Mutex<HashMap<SessionId, Untold>>>,
}

#[derive(Debug, Default)]
struct Untold {
    /// Sessions that ended, with their results.
    endings: Vec<String>,
    /// Complete sentences: the human's answers.
    answers: Vec<String>,
}

impl SystemNotices {
    pub(crate) fn new(
        engine: Engine,
        deliver: Arc<dyn Deliver>,
        settings: Notices,
        mut answers: mpsc::UnboundedReceiver<TrustAnswer>,
    ) -> Self {
        let mut events = engine.events();
        let teller = Teller { engine, deliver, settings, untold: Arc::default() };
        let task = tokio::spawn(async move {
            loop {
                tokio::select! {
                    event = events.recv() => match event {
                        Ok(EngineEvent::Status(session, Status::Exited)) => teller.ended(session),
                        // A notice lost in a flood of events does no harm: the list of sessions has the information.
                        Ok(_) | Err(RecvError::Lagged(_)) => {}
                        Err(RecvError::Closed) => return,
                    },
                    Some(TrustAnswer { asker, sentence }) = answers.recv() => {
                        teller.note(asker, |untold| untold.answers.push(sentence));
                    }
                }
            }
        });
        SystemNotices { task: task.abort_handle() }
    }
}

impl Drop for SystemNotices {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Teller {
    fn ended(&self, session: SessionId) {
        let Ok(session) = self.engine.get(session) else { return };
        let wanted = match session.kind() {
            Kind::Agent => self.settings.agents,
            Kind::Command => self.settings.commands,
            Kind::Terminal => self.settings.terminals,
        };
        let Some(parent) = session.parent().filter(|_| wanted) else { return };
        let info = session.info();
        let name = info.name.map(|name| name.to_string()).unwrap_or_default();
        let exit = info.ending.and_then(|ending| ending.exit);
        let ending = format!("{name} ({}) {}", info.id, how(exit));
        self.note(parent, |untold| untold.endings.push(ending));
    }

    /// Something to tell an agent that is still there.
    fn note(&self, reader: SessionId, add: impl FnOnce(&mut Untold)) {
        let listens = |session: engine::Session| session.kind() == Kind::Agent && !session.status().has_ended();
        if !self.engine.get(reader).is_ok_and(listens) {
            return;
        }
        let first = {
            let mut untold = lock(&self.untold);
            let first = !untold.contains_key(&reader);
            add(untold.entry(reader).or_default());
            first
        };
        if first {
            tokio::spawn(self.clone().tell(reader));
        }
    }

    /// Runs until the agent has been told everything.
    async fn tell(self, reader: SessionId) {
        let clock = self.engine.clock();
        loop {
            clock.sleep_until(clock.now() + GATHER).await;
            let news = {
                let mut untold = lock(&self.untold);
                let news = std::mem::take(untold.entry(reader).or_default());
                if news.endings.is_empty() && news.answers.is_empty() {
                    untold.remove(&reader);
                    return;
                }
                news
            };
            let Ok(session) = self.engine.get(reader) else { continue };
            let text = tagged(&Speaker::System, &news.line());
            // Sessions that end while the agent can't listen are told in the next line.
            match self.deliver.deliver(&session, text, Origin::System) {
                Ok(mut ticket) => _ = ticket.settled(Duration::MAX).await,
                Err(refusal) => tracing::debug!(%reader, %refusal, "a notice was not sent"),
            }
        }
    }
}

fn how(exit: Option<ExitStatus>) -> String {
    match (ops::exit_code(exit), ops::signal_name(exit)) {
        (Some(code), _) => format!("exited with code {code}"),
        (_, Some(signal)) => format!("was ended by {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

impl Untold {
    fn line(&self) -> String {
        let ended = (!self.endings.is_empty()).then(|| line(&self.endings));
        let answered = self.answers.iter().take(MAX_NAMED).cloned();
        let more = match self.answers.len().saturating_sub(MAX_NAMED) {
            0 => None,
            1 => Some("And 1 more answer of the human: try again what else you asked for.".to_owned()),
            more => Some(format!("And {more} more answers of the human: try again what else you asked for.")),
        };
        answered.chain(more).chain(ended).collect::<Vec<_>>().join(" ")
    }
}

fn line(endings: &[String]) -> String {
    if let [one] = endings {
        return format!("{one}.");
    }
    let named = endings.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join("; ");
    let more = endings.len().saturating_sub(MAX_NAMED);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!("{} of your sessions ended: {named}{more}.", endings.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_named_and_many_are_counted() {
        let named = |count: usize| (0..count).map(|number| format!("s-{number} ended")).collect::<Vec<_>>();
        assert_eq!(line(&named(1)), "s-0 ended.");
        assert_eq!(line(&named(2)), "2 of your sessions ended: s-0 ended; s-1 ended.");
        let many = line(&named(25));
        assert!(many.starts_with("25 of") && many.ends_with("s-19 ended; and 5 more."), "{many}");
    }

    #[test]
    fn answers_beyond_the_line_are_counted() {
        let untold = |count: usize| Untold {
            endings: vec!["s-1 ended".to_owned()],
            answers: (0..count).map(|number| format!("Answer {number}.")).collect(),
        };
        assert_eq!(untold(1).line(), "Answer 0. s-1 ended.");
        assert!(untold(20).line().ends_with(" Answer 19. s-1 ended."));
        let more = untold(21).line();
        assert!(more.contains(" Answer 19. And 1 more answer of the human:"), "{more}");
        let more = untold(25).line();
        assert!(more.contains("And 5 more answers of") && !more.contains("Answer 20"), "{more}");
    }
}
