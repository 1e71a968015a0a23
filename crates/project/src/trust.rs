//! Trust: which presets the human has allowed to run here, and the pending questions.
//!
//! A preset is identified by its kind, its name and the hash of its content: an edited one asks again and shows what
//! changed. The settings decide whether command lines composed by agents are asked for (`free_commands.rs`). How
//! questions are shown is not known here; the agents that asked are told the answer.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use engine::{Clock, SessionId};
use notify::RecommendedWatcher;
use ops::{ErrorKind, OpError};
use tokio::sync::{broadcast, mpsc};

mod grants;
mod subject;

pub use grants::{Grant, Grants, TrustError};
pub(crate) use subject::Key;
pub use subject::{Subject, SubjectKind};

use crate::{
    events::ProjectEvent,
    file_lock_turn::in_turn,
    folder,
    project::{lock, random_id},
};

/// A question for the human.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustQuestion {
    pub id: String,
    pub subject: Subject,
    /// What changed since the human last allowed it; `None` the first time.
    pub changes: Option<Vec<String>>,
    /// The agent that first wanted to start it; `None` for an operator.
    pub asked_by: Option<SessionId>,
    /// All agents that wait for the answer.
    pub askers: Vec<SessionId>,
    pub asked_at: SystemTime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HumanAnswer {
    /// For a single start.
    Once,
    /// Until patterm ends.
    Run,
    /// Permanently, while its content is the same.
    Always,
    /// Denied in this run.
    Deny,
}

/// The trust of one project. Cheap to clone.
#[derive(Clone, Debug)]
pub struct ProjectTrust {
    inner: Arc<TrustShared>,
}

#[derive(Debug)]
struct TrustShared {
    grants: Grants,
    state: Mutex<TrustState>,
    events: broadcast::Sender<ProjectEvent>,
    answers: mpsc::UnboundedSender<TrustAnswer>,
    clock: Clock,
}

/// The answer to an agent's question, for that agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TrustAnswer {
    pub(crate) asker: SessionId,
    pub(crate) sentence: String,
}

#[derive(Debug, Default)]
struct TrustState {
    questions: Vec<TrustQuestion>,
    /// Allowed for one start that has not happened yet.
    once: Vec<Key>,
    /// Allowed until patterm ends.
    run: Vec<Key>,
    denied: Vec<Key>,
    /// What each session was started from.
    started: HashMap<SessionId, StartedSubject>,
    /// Programs that agents started with command lines of their own, by session.
    free: HashMap<SessionId, String>,
}

#[derive(Clone, Debug)]
struct StartedSubject {
    key: Key,
    /// Present for a command line, which no file contains.
    subject: Option<Subject>,
}

/// Maximum pending questions: an agent that keeps asking must not bury the first ones.
const MAX_QUESTIONS: usize = 64;
const PATIENCE: Duration = Duration::from_secs(10);

impl ProjectTrust {
    /// `answers` receives what agents are to be told.
    pub(crate) fn new(
        grants: Grants,
        events: broadcast::Sender<ProjectEvent>,
        answers: mpsc::UnboundedSender<TrustAnswer>,
        clock: Clock,
    ) -> Self {
        ProjectTrust { inner: Arc::new(TrustShared { grants, state: Mutex::default(), events, answers, clock }) }
    }

    pub fn grants(&self) -> &Grants {
        &self.inner.grants
    }

    /// Whether `asked_by` (`None`: an operator) may start this now. If not, the human is asked, and the error says so.
    pub fn authorise(&self, subject: &Subject, asked_by: Option<SessionId>) -> Result<(), OpError> {
        let key = Key::of(subject);
        if key.needs_no_word(asked_by) {
            return Ok(());
        }
        // An unreadable file grants nothing.
        let granted = self.inner.grants.holds(key.kind, &key.name, &key.standing);
        if matches!(granted, Ok(true)) || self.holds_in_run(&key) || self.take_once(&key) {
            return Ok(());
        }
        let what = format!("{} is not trusted in this project", key.described());
        if let Err(error) = granted {
            return Err(OpError::new(ErrorKind::NeedsTrust, format!("{what}: {error}"))
                .with_hint("tell the human: trust.json has to be mended first"));
        }
        if lock(&self.inner.state).denied.iter().any(|denied| denied.hash == key.hash && denied.stands_with(&key)) {
            return Err(OpError::new(ErrorKind::NeedsTrust, format!("{what}: the human denied it"))
                .with_hint("do without it, or tell the human why it is needed"));
        }
        if !self.ask(subject, asked_by) {
            let message = format!("{what}, and the human was not asked: {MAX_QUESTIONS} questions wait already");
            return Err(OpError::new(ErrorKind::NeedsTrust, message)
                .with_hint("go on with something else, and try again when the human has answered some of them"));
        }
        Err(OpError::new(ErrorKind::NeedsTrust, what).with_hint(
            "the human has been asked, and a [system] line tells you the answer; go on with something else until then",
        ))
    }

    /// Whether the program of this session may be started again.
    pub(crate) fn authorise_again(
        &self,
        session: SessionId,
        asked_by: Option<SessionId>,
        subject: impl FnOnce(SubjectKind, &str) -> Option<Subject>,
    ) -> Result<(), OpError> {
        let Some(started) = lock(&self.inner.state).started.get(&session).cloned() else { return Ok(()) };
        let key = started.key;
        if key.needs_no_word(asked_by) || self.holds(&key) || self.holds_in_run(&key) || self.take_once(&key) {
            return Ok(());
        }
        if let Some(subject) = started.subject {
            return self.authorise(&subject, asked_by);
        }
        // The session runs what it was started with. If the preset has changed, allowing it says nothing about that.
        match subject(key.kind, &key.name).filter(|subject| subject.hash == key.hash) {
            Some(subject) => self.authorise(&subject, asked_by),
            None => {
                let message = format!("{} has changed since session {session} started", key.described());
                Err(OpError::new(ErrorKind::NeedsTrust, message).with_hint("close the session and spawn a new one"))
            }
        }
    }

    pub(crate) fn started(&self, session: SessionId, key: Key) {
        lock(&self.inner.state).started.insert(session, StartedSubject { key, subject: None });
    }

    /// An agent has started `program` with a command line of its own. `subject` is what the human had to allow.
    pub(crate) fn started_freely(&self, session: SessionId, program: String, subject: Option<Subject>) {
        let mut state = lock(&self.inner.state);
        state.free.insert(session, program);
        if let Some(subject) = subject {
            state.started.insert(session, StartedSubject { key: Key::of(&subject), subject: Some(subject) });
        }
    }

    /// The program that an agent started in this session with a command line of its own.
    pub fn free_program(&self, session: SessionId) -> Option<String> {
        lock(&self.inner.state).free.get(&session).cloned()
    }

    /// The command preset that this session was started from, if it was.
    pub fn command_preset(&self, session: SessionId) -> Option<String> {
        let state = lock(&self.inner.state);
        let key = &state.started.get(&session)?.key;
        (key.kind == SubjectKind::Command).then(|| key.name.clone())
    }

    /// Whether it is recorded what this session was started from.
    pub(crate) fn knows(&self, session: SessionId) -> bool {
        let state = lock(&self.inner.state);
        state.started.contains_key(&session) || state.free.contains_key(&session)
    }

    pub(crate) fn forget(&self, session: SessionId) {
        let mut state = lock(&self.inner.state);
        state.started.remove(&session);
        state.free.remove(&session);
    }

    /// Whether the human has permanently allowed what this session runs; `None` if no permission is needed.
    pub fn of_session(&self, session: SessionId) -> Option<bool> {
        let key = lock(&self.inner.state).started.get(&session)?.key.clone();
        (key.kind == SubjectKind::Command || key.of_project).then(|| self.holds(&key))
    }

    fn holds(&self, key: &Key) -> bool {
        self.inner.grants.holds(key.kind, &key.name, &key.standing).unwrap_or(false)
    }

    fn holds_in_run(&self, key: &Key) -> bool {
        lock(&self.inner.state).run.iter().any(|allowed| allowed.stands_with(key))
    }

    fn take_once(&self, key: &Key) -> bool {
        let mut state = lock(&self.inner.state);
        let found = state.once.iter().position(|once| once == key);
        found.map(|at| state.once.swap_remove(at)).is_some()
    }

    /// Whether the question is pending now: there may be too many.
    fn ask(&self, subject: &Subject, asked_by: Option<SessionId>) -> bool {
        let is_preset = subject.kind != SubjectKind::Program;
        let before = self.inner.grants.latest(subject.kind, &subject.name).ok().flatten().filter(|_| is_preset);
        let changes = before.map(|before| changes(&before.content, &subject.content));
        {
            let mut state = lock(&self.inner.state);
            let key = Key::of(subject);
            if let Some(same) = state.questions.iter_mut().find(|one| Key::of(&one.subject) == key) {
                same.askers.extend(asked_by.filter(|asker| !same.askers.contains(asker)));
                return true;
            }
            // An older content of the same preset can't be started any more, so its question is dropped. The agents
            // that asked it wait for the answer to this one.
            let is_older =
                |one: &mut TrustQuestion| is_preset && (one.subject.kind, &one.subject.name) == (key.kind, &key.name);
            let older = state.questions.extract_if(.., is_older);
            let mut askers: Vec<SessionId> = older.flat_map(|one| one.askers).collect();
            if state.questions.len() >= MAX_QUESTIONS {
                return false;
            }
            askers.extend(asked_by.filter(|asker| !askers.contains(asker)));
            state.questions.push(TrustQuestion {
                id: random_id("q_"),
                subject: subject.clone(),
                changes,
                asked_by,
                askers,
                asked_at: self.inner.clock.system_now(),
            });
        }
        self.tell(ProjectEvent::TrustPending);
        true
    }

    /// Pending questions, oldest first.
    pub fn questions(&self) -> Vec<TrustQuestion> {
        lock(&self.inner.state).questions.clone()
    }

    pub async fn answer(&self, id: &str, answer: HumanAnswer) -> Result<(), TrustError> {
        let find = |state: &TrustState| state.questions.iter().position(|question| question.id == id);
        let no_question = || TrustError::NoQuestion { id: id.chars().take(64).collect() };
        if answer == HumanAnswer::Always {
            let subject = {
                let state = lock(&self.inner.state);
                let at = find(&state).ok_or_else(no_question)?;
                state.questions[at].subject.clone()
            };
            // The question stays until the answer is on disk: a full disk must not lose it.
            self.grant(subject).await?;
            return Ok(());
        }
        let answered = {
            let mut state = lock(&self.inner.state);
            let at = find(&state).ok_or_else(no_question)?;
            let question = state.questions.remove(at);
            let key = Key::of(&question.subject);
            let mut answered = vec![question];
            match answer {
                HumanAnswer::Once => state.once.push(key),
                HumanAnswer::Run => {
                    answered.extend(state.questions.extract_if(.., |one| Key::of(&one.subject).stands_with(&key)));
                    state.run.push(key);
                }
                HumanAnswer::Deny => state.denied.push(key),
                HumanAnswer::Always => {}
            }
            answered
        };
        self.tell_askers(&answered, answer);
        self.tell(ProjectEvent::TrustChanged);
        Ok(())
    }

    /// Allows a preset permanently, whether it was asked for or not.
    pub async fn grant(&self, subject: Subject) -> Result<(), TrustError> {
        let inner = self.inner.clone();
        let at = inner.clock.system_now();
        let done = in_turn(PATIENCE, move |turn| inner.grants.grant(turn, &subject, at)).await;
        done.unwrap_or_else(|| Err(given_up()))?;
        self.look_again();
        Ok(())
    }

    /// Revokes every content of a preset; returns how many there were.
    pub async fn revoke(&self, kind: Option<SubjectKind>, preset: String) -> Result<usize, TrustError> {
        let inner = self.inner.clone();
        let done = in_turn(PATIENCE, move |turn| inner.grants.revoke(turn, kind, &preset)).await;
        let taken = done.unwrap_or_else(|| Err(given_up()))?;
        self.look_again();
        Ok(taken)
    }

    /// After trust.json may have changed: questions that are answered by it are dropped.
    fn look_again(&self) {
        let Ok(grants) = self.inner.grants.all() else { return };
        let allowed = |subject: &Subject| {
            let same = |grant: &Grant| {
                (grant.kind, &grant.preset, &grant.hash) == (subject.kind, &subject.name, &subject.standing)
            };
            grants.iter().any(same)
        };
        let answered: Vec<TrustQuestion> =
            lock(&self.inner.state).questions.extract_if(.., |question| allowed(&question.subject)).collect();
        self.tell_askers(&answered, HumanAnswer::Always);
        self.tell(ProjectEvent::TrustChanged);
    }

    /// Watches for grants by other processes. The folder has to exist.
    pub(crate) fn watch(&self) -> notify::Result<RecommendedWatcher> {
        let trust = Arc::downgrade(&self.inner);
        folder::watch(self.inner.grants.folder(), move |name| {
            if (name.is_empty() || Grants::is_file(name))
                && let Some(inner) = trust.upgrade()
            {
                ProjectTrust { inner }.look_again();
            }
        })
    }

    /// Otherwise an agent that ended its turn over a question would wait for ever.
    fn tell_askers(&self, answered: &[TrustQuestion], answer: HumanAnswer) {
        for question in answered {
            let what = question.subject.described();
            let sentence = match answer {
                HumanAnswer::Once => format!("The human allowed {what} for one start: try again."),
                HumanAnswer::Run => format!("The human allowed {what} for this run: try again."),
                HumanAnswer::Always => format!("The human allowed {what} for good: try again."),
                HumanAnswer::Deny => format!("The human denied {what}: do without it, or say why it is needed."),
            };
            for asker in &question.askers {
                // Having no listener is no error.
                let _ = self.inner.answers.send(TrustAnswer { asker: *asker, sentence: sentence.clone() });
            }
        }
    }

    fn tell(&self, event: ProjectEvent) {
        // Having no listener is no error.
        let _ = self.inner.events.send(event);
    }
}

fn given_up() -> TrustError {
    TrustError::Locked { seconds: PATIENCE.as_secs() }
}

/// The differences between two contents as [`Subject`]s and [`Grant`]s contain them, for people.
pub fn changes(before: &str, after: &str) -> Vec<String> {
    use agents::preset::PresetContent;
    match (PresetContent::from_canonical(before), PresetContent::from_canonical(after)) {
        (Some(before), Some(after)) => {
            // Older files contain values.
            let before = before.without_values();
            after.changes_since(&before).iter().map(ToString::to_string).collect()
        }
        // Only our own canonical form is stored, so this file was edited by hand.
        _ => vec!["what was allowed before can't be read".to_owned()],
    }
}

#[cfg(test)]
impl Subject {
    pub(crate) fn for_test(kind: SubjectKind, name: &str, content: &str) -> Self {
        use sha2::{Digest, Sha256};
        let hash = crate::layout::hex(&Sha256::digest(content));
        Subject {
            kind,
            name: name.to_owned(),
            of_project: false,
            standing: hash.clone(),
            hash,
            tree: None,
            content: format!("{{\"name\":\"{content}\"}}"),
            overrides: false,
            facts: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Stage {
        trust: ProjectTrust,
        events: broadcast::Receiver<ProjectEvent>,
        answers: mpsc::UnboundedReceiver<TrustAnswer>,
        root: tempfile::TempDir,
        agent: Option<SessionId>,
    }

    fn stage() -> Stage {
        let root = tempfile::tempdir().unwrap();
        let (sender, events) = broadcast::channel(64);
        let (teller, answers) = mpsc::unbounded_channel();
        let trust = ProjectTrust::new(Grants::new(root.path().to_owned()), sender, teller, Clock::real());
        Stage { trust, events, answers, root, agent: Some("p_000001".parse().unwrap()) }
    }

    fn dev(content: &str) -> Subject {
        Subject::for_test(SubjectKind::Command, "dev", content)
    }

    fn refused(result: Result<(), OpError>) -> String {
        let error = result.unwrap_err();
        assert!(error.kind == ErrorKind::NeedsTrust && !error.hint.is_empty(), "{error:?}");
        error.message
    }

    #[tokio::test]
    async fn a_command_preset_asks_once_for_good_and_again_after_an_edit() {
        let mut stage = stage();
        let trust = stage.trust.clone();
        refused(trust.authorise(&dev("one"), stage.agent));
        refused(trust.authorise(&dev("one"), stage.agent));
        assert_eq!(stage.events.recv().await.unwrap(), ProjectEvent::TrustPending);
        assert!(stage.events.try_recv().is_err(), "the same question is asked once");
        let [question] = &trust.questions()[..] else { panic!("{:?}", trust.questions()) };
        assert_eq!((&question.changes, question.asked_by), (&None, stage.agent));
        trust.answer(&question.id, HumanAnswer::Always).await.unwrap();
        assert_eq!((trust.questions().len(), stage.events.recv().await.unwrap()), (0, ProjectEvent::TrustChanged));
        trust.authorise(&dev("one"), stage.agent).unwrap();
        refused(trust.authorise(&dev("two"), stage.agent));
        let [question] = &trust.questions()[..] else { panic!("{:?}", trust.questions()) };
        assert_eq!(question.changes, Some(vec!["name: \"one\" → \"two\"".to_owned()]));
        // Edited again before anyone answered: only what can still be started is asked.
        refused(trust.authorise(&dev("three"), stage.agent));
        assert_eq!(trust.questions().len(), 1);
        assert!(matches!(trust.answer(&question.id, HumanAnswer::Once).await, Err(TrustError::NoQuestion { .. })));
    }

    #[tokio::test]
    async fn once_is_one_start_and_a_denial_holds() {
        let stage = stage();
        let trust = &stage.trust;
        refused(trust.authorise(&dev("one"), stage.agent));
        trust.answer(&trust.questions()[0].id, HumanAnswer::Once).await.unwrap();
        trust.authorise(&dev("one"), stage.agent).unwrap();
        refused(trust.authorise(&dev("one"), stage.agent));
        trust.answer(&trust.questions()[0].id, HumanAnswer::Deny).await.unwrap();
        assert!(refused(trust.authorise(&dev("one"), stage.agent)).contains("denied"));
        assert_eq!(trust.questions(), []);
        // A grant from anywhere is newer.
        trust.grant(dev("one")).await.unwrap();
        trust.authorise(&dev("one"), stage.agent).unwrap();
    }

    /// A command line as given by an agent.
    fn composed(tree: Option<SessionId>, line: &str) -> Subject {
        let subject = Subject::for_test(SubjectKind::Program, "sh", line);
        Subject { standing: "sh and its tree".to_owned(), tree, ..subject }
    }

    #[tokio::test]
    async fn a_command_line_is_allowed_by_itself_and_a_program_for_longer() {
        let mut stage = stage();
        let trust = stage.trust.clone();
        let agent = stage.agent;
        refused(trust.authorise(&composed(agent, "ls"), agent));
        refused(trust.authorise(&composed(agent, "rm"), agent));
        let [ls, rm] = &trust.questions()[..] else { panic!("{:?}", trust.questions()) };
        trust.answer(&ls.id, HumanAnswer::Once).await.unwrap();
        assert!(stage.answers.recv().await.unwrap().sentence.contains("the command 'sh' for one start"));
        refused(trust.authorise(&composed(agent, "rm"), agent));
        trust.authorise(&composed(agent, "ls"), agent).unwrap();
        refused(trust.authorise(&composed(agent, "ls"), agent));
        trust.answer(&rm.id, HumanAnswer::Deny).await.unwrap();
        assert!(stage.answers.recv().await.unwrap().sentence.contains("denied"));
        assert!(refused(trust.authorise(&composed(agent, "rm"), agent)).contains("denied"));
        // In this run: any command line of the program, in this tab.
        trust.answer(&trust.questions()[0].id, HumanAnswer::Run).await.unwrap();
        trust.authorise(&composed(agent, "anything"), agent).unwrap();
        let other = Some("p_000002".parse().unwrap());
        refused(trust.authorise(&composed(other, "anything"), other));
        // Permanently: in every tab of the same lead.
        trust.answer(&trust.questions()[0].id, HumanAnswer::Always).await.unwrap();
        trust.authorise(&composed(other, "anything"), other).unwrap();
        let again = "p_00000b".parse().unwrap();
        trust.started_freely(again, "sh".to_owned(), Some(composed(other, "ls")));
        trust.authorise_again(again, other, |_, _| None).unwrap();
        trust.revoke(None, "sh".into()).await.unwrap();
        refused(trust.authorise_again(again, other, |_, _| None));
        assert_eq!(trust.free_program(again).as_deref(), Some("sh"));
    }

    #[tokio::test]
    async fn every_agent_that_asked_is_told() {
        let mut stage = stage();
        let other = Some("p_000002".parse().unwrap());
        for asker in [stage.agent, other, other, None] {
            refused(stage.trust.authorise(&Subject { of_project: true, ..dev("one") }, asker));
        }
        stage.trust.grant(dev("one")).await.unwrap();
        for asker in [stage.agent, other] {
            let told = stage.answers.recv().await.unwrap();
            assert_eq!((Some(told.asker), told.sentence.contains("for good")), (asker, true), "{told:?}");
        }
        assert!(stage.answers.try_recv().is_err());
    }

    #[tokio::test]
    async fn an_agent_that_asked_before_an_edit_is_told_too() {
        let mut stage = stage();
        let other = Some("p_000002".parse().unwrap());
        refused(stage.trust.authorise(&dev("one"), stage.agent));
        refused(stage.trust.authorise(&dev("two"), other));
        refused(stage.trust.authorise(&dev("three"), stage.agent));
        let [question] = &stage.trust.questions()[..] else { panic!("{:?}", stage.trust.questions()) };
        stage.trust.answer(&question.id, HumanAnswer::Deny).await.unwrap();
        for asker in [stage.agent, other] {
            let told = stage.answers.recv().await.unwrap();
            assert_eq!((Some(told.asker), told.sentence.contains("denied")), (asker, true), "{told:?}");
        }
        assert!(stage.answers.try_recv().is_err());
    }

    #[tokio::test]
    async fn nobody_is_said_to_have_been_asked_when_too_much_waits() {
        let stage = stage();
        let (trust, agent) = (&stage.trust, stage.agent);
        refused(trust.authorise(&dev("one"), agent));
        for number in 1..MAX_QUESTIONS {
            refused(trust.authorise(&composed(agent, &number.to_string()), agent));
        }
        let error = trust.authorise(&composed(agent, "more"), agent).unwrap_err();
        assert!(error.message.contains("was not asked") && error.hint.contains("try again when"), "{error:?}");
        // An edited preset replaces the older question.
        assert!(!refused(trust.authorise(&dev("two"), agent)).contains("not asked"));
        let questions = trust.questions();
        assert_eq!((questions.len(), questions.last().map(|one| &one.subject)), (MAX_QUESTIONS, Some(&dev("two"))));
    }

    #[tokio::test]
    async fn whose_presets_need_a_word() {
        let stage = stage();
        let trust = &stage.trust;
        let own_agent = Subject::for_test(SubjectKind::Agent, "claude", "x");
        trust.authorise(&own_agent, stage.agent).unwrap();
        trust.authorise(&own_agent, None).unwrap();
        trust.authorise(&dev("one"), None).unwrap();
        for subject in [own_agent, dev("one")] {
            let of_project = Subject { of_project: true, ..subject };
            refused(trust.authorise(&of_project, stage.agent));
            refused(trust.authorise(&of_project, None));
        }
    }

    #[tokio::test]
    async fn a_grant_of_another_process_unblocks() {
        let mut stage = stage();
        let _watcher = stage.trust.watch().unwrap();
        refused(stage.trust.authorise(&dev("one"), stage.agent));
        assert_eq!(stage.events.recv().await.unwrap(), ProjectEvent::TrustPending);
        let other = Grants::new(stage.root.path().to_owned());
        other.grant(&crate::FileLockTurn::default(), &dev("one"), SystemTime::now()).unwrap();
        let changed = tokio::time::timeout(testkit::DEADLINE, stage.events.recv()).await;
        assert_eq!(changed.expect("the watch tells of the grant").unwrap(), ProjectEvent::TrustChanged);
        assert_eq!(stage.trust.questions(), []);
        stage.trust.authorise(&dev("one"), stage.agent).unwrap();
    }

    #[tokio::test]
    async fn what_runs_again_is_asked_for_again() {
        let stage = stage();
        let trust = &stage.trust;
        let session = "p_00000a".parse().unwrap();
        let same = |_: SubjectKind, _: &str| Some(dev("one"));
        trust.authorise_again(session, stage.agent, same).unwrap();
        trust.grant(dev("one")).await.unwrap();
        trust.started(session, Key::of(&dev("one")));
        assert_eq!(trust.of_session(session), Some(true));
        trust.authorise_again(session, stage.agent, same).unwrap();
        trust.revoke(None, "dev".into()).await.unwrap();
        assert_eq!(trust.of_session(session), Some(false));
        refused(trust.authorise_again(session, stage.agent, same));
        assert_eq!(trust.questions().len(), 1);
        assert!(refused(trust.authorise_again(session, stage.agent, |_, _| Some(dev("two")))).contains("changed"));
        refused(trust.authorise_again(session, stage.agent, |_, _| None));
        trust.forget(session);
        trust.authorise_again(session, stage.agent, same).unwrap();
    }
}
