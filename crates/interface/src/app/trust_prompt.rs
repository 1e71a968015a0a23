//! The dialog that asks whether a preset may run. It shows everything that the preset would run, set, write and allow,
//! and what changed; it must be read to its end before it can be allowed.
//! Only the project can open it; nothing that a session prints can. It lies above everything, and no key reaches what
//! is behind it. A key that was on its way when it appeared answers nothing: see [`Arming`].

use std::{
    cell::Cell,
    collections::HashSet,
    time::{Duration, Instant},
};

use ops::OpError;
use project::trust::{HumanAnswer, Subject, SubjectKind, TrustQuestion};
use tui::{
    Canvas, CanvasCursor, HostEvent, Layer, LayerOutcome, Rect, Sign, SkinRole, Span,
    widgets::{Modal, ModalOutcome, StyledLine},
};
use vt::input::{KeyEventKind, MouseEventKind};

use super::model::{InterfaceState, LoopTask};
use crate::spelled::{fact_lines, spelled};

/// Long enough to notice the dialog.
const SEEN: Duration = Duration::from_millis(500);
/// After this pause, the person has stopped typing.
const PAUSE: Duration = Duration::from_millis(300);
/// If the last key is more recent than this, the person may be in the middle of typing.
const TYPING: Duration = Duration::from_millis(1500);
/// How many lines of changes are shown.
const MAX_CHANGES: usize = 200;

/// The order of the buttons: Enter takes the harmless one.
const ANSWERS: [(char, &str, HumanAnswer); 4] = [
    ('d', "deny", HumanAnswer::Deny),
    ('o', "allow once", HumanAnswer::Once),
    ('r', "allow in this run", HumanAnswer::Run),
    ('a', "allow always", HumanAnswer::Always),
];

#[derive(Debug, Default)]
pub(crate) struct TrustPromptState {
    /// A question is on the screen.
    asking: bool,
    /// Answered, but not recorded yet.
    answered: HashSet<String>,
    /// Postponed by the person: they stay in the list.
    postponed: HashSet<String>,
    /// An agent's question that came while the person was typing: it is announced beside the cursor's pane, which keeps
    /// getting the keys as long as the announcement is shown.
    beside: Option<String>,
    /// From when on the question gets the keys.
    arms: Option<Instant>,
    /// What the person wanted to start; it continues once the preset is allowed.
    wanted: Option<WantedTrust>,
}

struct WantedTrust {
    preset: String,
    go_on: LoopTask,
}

impl std::fmt::Debug for WantedTrust {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("WantedTrust").field(&self.preset).finish()
    }
}

/// A preset waits for the human's approval.
pub(super) fn pending(app: &mut InterfaceState) {
    if app.trust.asking {
        return;
    }
    app.trust.beside = None;
    let next = open_questions(app).into_iter().find(|question| !app.trust.postponed.contains(&question.id));
    let Some(question) = next else { return };
    let typing = app.last_typed.is_some_and(|last| last.elapsed() < TYPING);
    match question.asked_by.is_some() && typing {
        true => app.trust.beside = Some(wish(app, &question)),
        false => ask(app, question),
    }
    app.dirty = true;
}

/// When to wake up: the person has paused, or has had the question in sight for a moment.
pub(super) fn deadline(app: &InterfaceState) -> Option<Instant> {
    match app.trust.asking {
        true => app.trust.arms,
        false => app.trust.beside.as_ref().and(app.last_typed).map(|last| last + TYPING),
    }
}

/// The deadline has passed.
pub(super) fn tick(app: &mut InterfaceState) {
    match app.trust.asking {
        true => (app.trust.beside, app.trust.arms) = (None, None),
        false => pending(app),
    }
    app.dirty = true;
}

/// The announcement of a question while keys still go to the program.
pub(super) fn beside(app: &InterfaceState) -> Option<&str> {
    app.trust.beside.as_deref()
}

/// A grant was given or revoked, here or elsewhere.
pub(super) fn changed(app: &mut InterfaceState) {
    let open: HashSet<String> = all_questions(app).into_iter().map(|question| question.id).collect();
    app.trust.answered.retain(|id| open.contains(id));
    app.trust.postponed.retain(|id| open.contains(id));
    if app.trust.beside.is_some() {
        pending(app);
    }
    app.dirty = true;
}

/// The person started something that needs their own approval first.
pub(super) fn wanted(
    app: &mut InterfaceState,
    preset: String,
    refused: &OpError,
    go_on: impl FnOnce(&mut InterfaceState) + Send + 'static,
) {
    let is_it =
        |question: &TrustQuestion| question.subject.name == preset && question.subject.kind != SubjectKind::Program;
    let asked = open_questions(app).into_iter().find(is_it);
    let Some(question) = asked else { return app.complain(refused) };
    app.trust.wanted = Some(WantedTrust { preset, go_on: Box::new(go_on) });
    app.trust.postponed.remove(&question.id);
    pending(app);
}

/// Shows the postponed questions; false if there are none.
pub(super) fn ask_again(app: &mut InterfaceState) -> bool {
    let Some(question) = open_questions(app).into_iter().next() else { return false };
    app.trust.postponed.remove(&question.id);
    ask(app, question);
    true
}

/// How many questions are open.
pub(super) fn count(app: &InterfaceState) -> usize {
    open_questions(app).len()
}

/// What waits for the person's word: the question's id, and what it is about.
pub(super) fn waiting(app: &InterfaceState) -> Vec<(String, String)> {
    open_questions(app).into_iter().map(|question| (question.id.clone(), wish(app, &question))).collect()
}

/// Asks a question that was put off.
pub(super) fn ask_by_id(app: &mut InterfaceState, id: &str) {
    if let Some(question) = open_questions(app).into_iter().find(|question| question.id == id) {
        app.trust.postponed.remove(id);
        ask(app, question);
    }
}

fn open_questions(app: &InterfaceState) -> Vec<TrustQuestion> {
    let questions = all_questions(app).into_iter();
    questions.filter(|question| !app.trust.answered.contains(&question.id)).collect()
}

/// Those whose answers are on their way, too.
fn all_questions(app: &InterfaceState) -> Vec<TrustQuestion> {
    app.project.as_ref().map(|project| project.trust().questions()).unwrap_or_default()
}

fn ask(app: &mut InterfaceState, question: TrustQuestion) {
    app.trust.asking = true;
    // Keys typed at first were meant for the program: nobody has seen the question yet.
    if question.asked_by.is_some() {
        app.trust.beside = Some(wish(app, &question));
        app.trust.arms = Some(Instant::now() + SEEN);
    }
    let prompt = TrustDialog::new(app, question);
    app.open(prompt);
}

/// When a key may answer: the question has been visible for a moment, and the person is not in the middle of typing.
#[derive(Debug, Default)]
struct Arming {
    /// When it was first drawn.
    shown: Cell<Option<Instant>>,
    last_key: Option<Instant>,
}

impl Arming {
    fn drawn(&self, now: Instant) {
        if self.shown.get().is_none() {
            self.shown.set(Some(now));
        }
    }

    /// Something was typed or clicked at `now`: may it answer the question?
    fn allows(&mut self, now: Instant) -> bool {
        let before = self.last_key.replace(now);
        let seen = self.shown.get().is_some_and(|shown| now.saturating_duration_since(shown) >= SEEN);
        seen && before.is_none_or(|before| now.saturating_duration_since(before) >= PAUSE)
    }
}

struct TrustDialog {
    question: TrustQuestion,
    modal: Modal,
    arming: Arming,
}

impl TrustDialog {
    fn new(app: &InterfaceState, question: TrustQuestion) -> Self {
        let mut modal = Modal::new("May this run?", body(app, &question));
        for (key, label, answer) in ANSWERS {
            modal = match answer {
                HumanAnswer::Deny => modal.answer(key, label),
                HumanAnswer::Once | HumanAnswer::Run | HumanAnswer::Always => modal.answer_when_read(key, label),
            };
        }
        TrustDialog { question, modal, arming: Arming::default() }
    }

    fn is_open(&self, app: &InterfaceState) -> bool {
        all_questions(app).iter().any(|question| question.id == self.question.id)
    }

    /// The next question replaces this one.
    fn done(app: &mut InterfaceState) -> LayerOutcome<InterfaceState> {
        Self::leave(app);
        LayerOutcome::Close
    }

    fn leave(app: &mut InterfaceState) {
        app.trust.asking = false;
        app.trust.arms = None;
        pending(app);
    }

    fn answer(&self, app: &mut InterfaceState, answer: HumanAnswer) -> LayerOutcome<InterfaceState> {
        let Some(project) = app.project.as_ref() else { return LayerOutcome::Close };
        let (trust, id, loop_tasks) = (project.trust().clone(), self.question.id.clone(), app.loop_tasks());
        app.trust.answered.insert(id.clone());
        let name = self.question.subject.name.clone();
        let go_on = app.trust.wanted.take_if(|wanted| wanted.preset == name).filter(|_| answer != HumanAnswer::Deny);
        app.tasks.spawn(async move {
            let outcome = trust.answer(&id, answer).await;
            let _ = loop_tasks.send(Box::new(move |app: &mut InterfaceState| match outcome {
                Ok(()) => {
                    if let Some(wanted) = go_on {
                        (wanted.go_on)(app);
                    }
                }
                Err(error) => {
                    app.trust.answered.remove(&id);
                    app.toast(Sign::Failed, error.to_string());
                }
            }));
        });
        Self::done(app)
    }
}

impl Layer<InterfaceState> for TrustDialog {
    fn update(&mut self, event: &HostEvent, app: &mut InterfaceState) -> LayerOutcome<InterfaceState> {
        app.dirty = true;
        let typed = match event {
            HostEvent::Key(key) => key.kind != KeyEventKind::Release,
            event => matches!(event, HostEvent::Paste(_)),
        };
        if typed && app.trust.beside.is_some() {
            Self::leave(app);
            return LayerOutcome::GivesWay;
        }
        let may_answer = match event {
            HostEvent::Key(key) if key.kind == KeyEventKind::Release => return LayerOutcome::Taken,
            HostEvent::Mouse(mouse) if matches!(mouse.kind, MouseEventKind::Motion(_)) => return LayerOutcome::Taken,
            HostEvent::Key(_) | HostEvent::Paste(_) | HostEvent::Mouse(_) => self.arming.allows(Instant::now()),
            _ => return LayerOutcome::Taken,
        };
        if !self.is_open(app) {
            return Self::done(app);
        }
        let mut tried = self.modal.clone();
        match tried.update(event, app.area) {
            ModalOutcome::Taken => {
                self.modal = tried;
                LayerOutcome::Taken
            }
            _ if !may_answer => LayerOutcome::Taken,
            ModalOutcome::Answered(index) => match ANSWERS.get(index) {
                Some((_, _, answer)) => self.answer(app, *answer),
                None => LayerOutcome::Taken,
            },
            ModalOutcome::Cancelled => {
                app.trust.postponed.insert(self.question.id.clone());
                app.trust.wanted = None;
                app.toast(Sign::Blocked, "postponed: it is listed under \"Needs you\"");
                Self::done(app)
            }
        }
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &InterfaceState) -> Option<CanvasCursor> {
        self.arming.drawn(Instant::now());
        self.modal.draw(canvas, area, &app.skin)
    }

    fn is_modal(&self) -> bool {
        true
    }
}

/// Who wants to start what, as a sentence.
fn wish(app: &InterfaceState, question: &TrustQuestion) -> String {
    let subject = &question.subject;
    let asker = question.asked_by.and_then(|id| app.sessions.get(id)).map(|item| item.name.clone());
    let who = match (asker, question.asked_by) {
        (Some(name), _) => format!("{name} wants"),
        (None, Some(_)) => "An agent wants".to_owned(),
        (None, None) => "You want".to_owned(),
    };
    match subject.kind {
        SubjectKind::Program => format!("{who} to run a command of its own."),
        SubjectKind::StartSet => format!("{who} to open the {}.", thing(subject)),
        _ => format!("{who} to start the {}.", thing(subject)),
    }
}

/// `command preset dev`, `command make`.
fn thing(subject: &Subject) -> String {
    let name = spelled(&subject.name);
    match subject.kind {
        SubjectKind::Program => format!("command {name}"),
        SubjectKind::StartSet => format!("start set {name}"),
        kind => format!("{} preset {name}", kind.as_str()),
    }
}

fn body(app: &InterfaceState, question: &TrustQuestion) -> Vec<StyledLine> {
    let (plain, muted) = (app.skin.style(SkinRole::Modal), app.skin.style(SkinRole::Muted));
    let warning = app.skin.style(SkinRole::Warning);
    let subject = &question.subject;
    let name = spelled(&subject.name);
    let mut lines = vec![vec![Span::new(wish(app, question), plain)]];
    if subject.of_project {
        lines.push(vec![Span::new("It comes with this project, not from your own folder.", warning)]);
    }
    if subject.overrides {
        lines.push(vec![Span::new(format!("It replaces your own {name}."), warning)]);
    }
    if let Some(changes) = &question.changes {
        lines.push(vec![]);
        lines.push(vec![Span::new("Changed since you allowed it:", warning)]);
        lines.extend(
            changes.iter().take(MAX_CHANGES).map(|change| vec![Span::new(format!("  {}", spelled(change)), plain)]),
        );
        if changes.len() > MAX_CHANGES {
            lines.push(vec![Span::new(format!("  and {} more", changes.len() - MAX_CHANGES), muted)]);
        }
    }
    lines.push(vec![]);
    let facts = fact_lines(&subject.facts);
    lines.extend(
        facts.iter().map(|(label, text)| vec![Span::new(label.clone(), muted), Span::new(text.clone(), plain)]),
    );
    if facts.iter().any(|(label, text)| label.contains("${") || text.contains("${")) {
        let legend =
            "${command} is patterm, ${folder} a folder for this start only, ${connect} the agent's connect file.";
        lines.push(vec![Span::new(legend, muted)]);
    }
    lines.push(vec![]);
    lines.push(vec![Span::new("Esc: decide later", muted)]);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_on_their_way_answer_nothing() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut arming = Arming::default();
        assert!(!arming.allows(at(0)), "it is not even drawn");
        arming.drawn(at(10));
        arming.drawn(at(400));
        assert!(!arming.allows(at(400)), "it has just appeared");
        assert!(!arming.allows(at(600)), "somebody is typing");
        assert!(!arming.allows(at(800)) && !arming.allows(at(1000)), "and goes on");
        assert!(arming.allows(at(1300)), "a pause, and then a key");
        let mut fresh = Arming::default();
        fresh.drawn(at(0));
        assert!(fresh.allows(at(500)), "nobody typed");
    }
}
