//! Trust: which presets the human has allowed to run here, and the questions that wait for an answer.
//!
//! A preset is known by its kind, its name and the hash of its content: an edited one asks again and shows what
//! changed. A command line that an agent composes itself asks nothing: the agent's own client asked for it.
//! Who shows the questions, and how, is not known here.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use agents::RunFact;
use engine::{Clock, Kind, SessionId};
use notify::RecommendedWatcher;
use ops::{ErrorKind, OpError};
use tokio::sync::broadcast;

mod grants;

pub use grants::{Grant, Grants, TrustError};

use crate::{
    events::ProjectEvent,
    folder,
    project::{lock, random_id},
    turn::in_turn,
};

/// A preset as the human judges it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    pub kind: Kind,
    pub name: String,
    /// It came with the project, not from the human's own folder.
    pub of_project: bool,
    /// It takes the place of the human's own preset of that name.
    pub overrides: bool,
    pub hash: String,
    /// The same for the same content; of the values of variables it holds only hashes.
    pub content: String,
    /// Everything that it would run, set, write or allow.
    pub facts: Vec<RunFact>,
}

/// Something waits for the human.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub id: String,
    pub subject: Subject,
    /// What changed since the human allowed it last; `None` when this is the first time.
    pub changes: Option<Vec<String>>,
    /// The agent that wants to start it; none for an operator.
    pub asked_by: Option<SessionId>,
    pub asked_at: SystemTime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// For one start.
    Once,
    /// For good, as long as it stays as it is.
    Always,
    /// Not in this run.
    Deny,
}

/// What is trusted in one project. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Trust {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    grants: Grants,
    state: Mutex<State>,
    events: broadcast::Sender<ProjectEvent>,
    clock: Clock,
}

#[derive(Debug, Default)]
struct State {
    questions: Vec<Question>,
    /// Allowed for one start that has not come yet.
    once: Vec<Key>,
    denied: Vec<Key>,
    /// What sessions were started from.
    started: HashMap<SessionId, Key>,
}

/// What trust is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    pub(crate) hash: String,
    pub(crate) of_project: bool,
}

/// Questions that wait at a time: an agent that asks for ever more shall not bury the first ones.
const MAX_QUESTIONS: usize = 64;
const PATIENCE: Duration = Duration::from_secs(10);

impl Trust {
    pub(crate) fn new(grants: Grants, events: broadcast::Sender<ProjectEvent>, clock: Clock) -> Self {
        Trust { inner: Arc::new(Inner { grants, state: Mutex::default(), events, clock }) }
    }

    pub fn grants(&self) -> &Grants {
        &self.inner.grants
    }

    /// May `asked_by` (none: an operator) start this now? If not, the human is asked, and the error says so.
    pub fn authorise(&self, subject: &Subject, asked_by: Option<SessionId>) -> Result<(), OpError> {
        let key = Key::of(subject);
        if key.needs_no_word(asked_by) {
            return Ok(());
        }
        // What can't be read grants nothing.
        let granted = self.inner.grants.holds(key.kind, &key.name, &key.hash);
        if matches!(granted, Ok(true)) || self.take_once(&key) {
            return Ok(());
        }
        let what = format!("the {} preset '{}' is not trusted in this project", key.kind, key.name);
        if let Err(error) = granted {
            return Err(OpError::new(ErrorKind::NeedsTrust, format!("{what}: {error}"))
                .with_hint("tell the human: trust.json has to be mended first"));
        }
        if lock(&self.inner.state).denied.contains(&key) {
            return Err(OpError::new(ErrorKind::NeedsTrust, format!("{what}: the human denied it"))
                .with_hint("do without it, or tell the human why it is needed"));
        }
        self.ask(subject, asked_by);
        Err(OpError::new(ErrorKind::NeedsTrust, what).with_hint(
            "the human has been asked; try again once it is allowed, and go on with something else until then",
        ))
    }

    /// May what runs in this session be started again?
    pub(crate) fn authorise_again(
        &self,
        session: SessionId,
        asked_by: Option<SessionId>,
        subject: impl FnOnce(Kind, &str) -> Option<Subject>,
    ) -> Result<(), OpError> {
        let Some(key) = lock(&self.inner.state).started.get(&session).cloned() else { return Ok(()) };
        if key.needs_no_word(asked_by) || self.holds(&key) || self.take_once(&key) {
            return Ok(());
        }
        // The session runs what it was started with. If the preset is another by now, a yes to it says nothing of that.
        match subject(key.kind, &key.name).filter(|subject| subject.hash == key.hash) {
            Some(subject) => self.authorise(&subject, asked_by),
            None => {
                let message =
                    format!("the {} preset '{}' has changed since session {session} started", key.kind, key.name);
                Err(OpError::new(ErrorKind::NeedsTrust, message).with_hint("close the session and spawn a new one"))
            }
        }
    }

    pub(crate) fn started(&self, session: SessionId, key: Key) {
        lock(&self.inner.state).started.insert(session, key);
    }

    pub(crate) fn forget(&self, session: SessionId) {
        lock(&self.inner.state).started.remove(&session);
    }

    /// Whether the human has allowed what this session runs for good; `None` when that needs nobody's word.
    pub fn of_session(&self, session: SessionId) -> Option<bool> {
        let key = lock(&self.inner.state).started.get(&session).cloned()?;
        (key.kind == Kind::Command || key.of_project).then(|| self.holds(&key))
    }

    fn holds(&self, key: &Key) -> bool {
        self.inner.grants.holds(key.kind, &key.name, &key.hash).unwrap_or(false)
    }

    fn take_once(&self, key: &Key) -> bool {
        let mut state = lock(&self.inner.state);
        let found = state.once.iter().position(|once| once == key);
        found.map(|at| state.once.swap_remove(at)).is_some()
    }

    fn ask(&self, subject: &Subject, asked_by: Option<SessionId>) {
        let before = self.inner.grants.latest(subject.kind, &subject.name).ok().flatten();
        let changes = before.map(|before| changes(&before.content, &subject.content));
        {
            let mut state = lock(&self.inner.state);
            let key = Key::of(subject);
            if state.questions.len() >= MAX_QUESTIONS || state.questions.iter().any(|one| Key::of(&one.subject) == key)
            {
                return;
            }
            // An older content of the same preset can't be started any more: nobody needs to judge it.
            state.questions.retain(|one| (one.subject.kind, &one.subject.name) != (key.kind, &key.name));
            state.questions.push(Question {
                id: random_id("q_"),
                subject: subject.clone(),
                changes,
                asked_by,
                asked_at: self.inner.clock.system_now(),
            });
        }
        self.tell(ProjectEvent::TrustPending);
    }

    /// What waits for the human, oldest first.
    pub fn questions(&self) -> Vec<Question> {
        lock(&self.inner.state).questions.clone()
    }

    pub async fn answer(&self, id: &str, answer: Answer) -> Result<(), TrustError> {
        let find = |state: &State| state.questions.iter().position(|question| question.id == id);
        let no_question = || TrustError::NoQuestion { id: id.chars().take(64).collect() };
        if answer == Answer::Always {
            let subject = {
                let state = lock(&self.inner.state);
                let at = find(&state).ok_or_else(no_question)?;
                state.questions[at].subject.clone()
            };
            // The question waits until it is on disk: a full disk must not lose it.
            self.grant(subject).await?;
            return Ok(());
        }
        {
            let mut state = lock(&self.inner.state);
            let at = find(&state).ok_or_else(no_question)?;
            let key = Key::of(&state.questions.remove(at).subject);
            match answer {
                Answer::Once => state.once.push(key),
                Answer::Deny => state.denied.push(key),
                Answer::Always => {}
            }
        }
        self.tell(ProjectEvent::TrustChanged);
        Ok(())
    }

    /// Allows a preset for good, asked for or not.
    pub async fn grant(&self, subject: Subject) -> Result<(), TrustError> {
        let inner = self.inner.clone();
        let at = inner.clock.system_now();
        let done = in_turn(PATIENCE, move |turn| inner.grants.grant(turn, &subject, at)).await;
        done.unwrap_or_else(|| Err(given_up()))?;
        self.look_again();
        Ok(())
    }

    /// Takes back every content of a preset. How many there were.
    pub async fn revoke(&self, kind: Option<Kind>, preset: String) -> Result<usize, TrustError> {
        let inner = self.inner.clone();
        let done = in_turn(PATIENCE, move |turn| inner.grants.revoke(turn, kind, &preset)).await;
        let taken = done.unwrap_or_else(|| Err(given_up()))?;
        self.look_again();
        Ok(taken)
    }

    /// After trust.json may have changed: what is allowed by now waits no longer.
    fn look_again(&self) {
        let Ok(grants) = self.inner.grants.all() else { return };
        let allowed = |subject: &Subject| {
            let same = |grant: &Grant| {
                (grant.kind, &grant.preset, &grant.hash) == (subject.kind, &subject.name, &subject.hash)
            };
            grants.iter().any(same)
        };
        lock(&self.inner.state).questions.retain(|question| !allowed(&question.subject));
        self.tell(ProjectEvent::TrustChanged);
    }

    /// Hears of grants that other processes write. The folder has to exist.
    pub(crate) fn watch(&self) -> notify::Result<RecommendedWatcher> {
        let trust = Arc::downgrade(&self.inner);
        folder::watch(self.inner.grants.folder(), move |name| {
            if (name.is_empty() || Grants::is_file(name))
                && let Some(inner) = trust.upgrade()
            {
                Trust { inner }.look_again();
            }
        })
    }

    fn tell(&self, event: ProjectEvent) {
        // Nobody listening is no error.
        let _ = self.inner.events.send(event);
    }
}

impl Key {
    pub(crate) fn of(subject: &Subject) -> Self {
        Key {
            kind: subject.kind,
            name: subject.name.clone(),
            hash: subject.hash.clone(),
            of_project: subject.of_project,
        }
    }

    /// The human's own agents are theirs to use, and what the human starts out of their own folder is their word.
    fn needs_no_word(&self, asked_by: Option<SessionId>) -> bool {
        !self.of_project && (self.kind == Kind::Agent || asked_by.is_none())
    }
}

fn given_up() -> TrustError {
    TrustError::Locked { seconds: PATIENCE.as_secs() }
}

/// What changed between two contents as [`Subject`]s and [`Grant`]s hold them, for people.
pub fn changes(before: &str, after: &str) -> Vec<String> {
    use agents::preset::Content;
    match (Content::from_canonical(before), Content::from_canonical(after)) {
        (Some(before), Some(after)) => {
            // Older files hold values.
            let before = before.without_values();
            after.changes_since(&before).iter().map(ToString::to_string).collect()
        }
        // Only what we wrote ourselves is kept, so this is a file that was edited by hand.
        _ => vec!["what was allowed before can't be read".to_owned()],
    }
}

#[cfg(test)]
impl Subject {
    pub(crate) fn for_test(kind: Kind, name: &str, content: &str) -> Self {
        use sha2::{Digest, Sha256};
        Subject {
            kind,
            name: name.to_owned(),
            of_project: false,
            hash: crate::layout::hex(&Sha256::digest(content)),
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
        trust: Trust,
        events: broadcast::Receiver<ProjectEvent>,
        root: tempfile::TempDir,
        agent: Option<SessionId>,
    }

    fn stage() -> Stage {
        let root = tempfile::tempdir().unwrap();
        let (sender, events) = broadcast::channel(64);
        let trust = Trust::new(Grants::new(root.path().to_owned()), sender, Clock::real());
        Stage { trust, events, root, agent: Some("p_000001".parse().unwrap()) }
    }

    fn dev(content: &str) -> Subject {
        Subject::for_test(Kind::Command, "dev", content)
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
        trust.answer(&question.id, Answer::Always).await.unwrap();
        assert_eq!((trust.questions().len(), stage.events.recv().await.unwrap()), (0, ProjectEvent::TrustChanged));
        trust.authorise(&dev("one"), stage.agent).unwrap();
        refused(trust.authorise(&dev("two"), stage.agent));
        let [question] = &trust.questions()[..] else { panic!("{:?}", trust.questions()) };
        assert_eq!(question.changes, Some(vec!["name: \"one\" → \"two\"".to_owned()]));
        // Edited once more before anyone answered: only what can still be started waits.
        refused(trust.authorise(&dev("three"), stage.agent));
        assert_eq!(trust.questions().len(), 1);
        assert!(matches!(trust.answer(&question.id, Answer::Once).await, Err(TrustError::NoQuestion { .. })));
    }

    #[tokio::test]
    async fn once_is_one_start_and_a_denial_holds() {
        let stage = stage();
        let trust = &stage.trust;
        refused(trust.authorise(&dev("one"), stage.agent));
        trust.answer(&trust.questions()[0].id, Answer::Once).await.unwrap();
        trust.authorise(&dev("one"), stage.agent).unwrap();
        refused(trust.authorise(&dev("one"), stage.agent));
        trust.answer(&trust.questions()[0].id, Answer::Deny).await.unwrap();
        assert!(refused(trust.authorise(&dev("one"), stage.agent)).contains("denied"));
        assert_eq!(trust.questions(), []);
        // A grant, from wherever, is a newer word.
        trust.grant(dev("one")).await.unwrap();
        trust.authorise(&dev("one"), stage.agent).unwrap();
    }

    #[tokio::test]
    async fn whose_presets_need_a_word() {
        let stage = stage();
        let trust = &stage.trust;
        let own_agent = Subject::for_test(Kind::Agent, "claude", "x");
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
        other.grant(&crate::Turn::default(), &dev("one"), SystemTime::now()).unwrap();
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
        let same = |_: Kind, _: &str| Some(dev("one"));
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
