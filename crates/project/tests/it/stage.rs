//! What the tests stand on: a project in a folder of its own, agents that are scripted children, and calls.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use agents::delivery::{DeliveryFailure, DeliveryOutcome, DeliveryTicket, QueueRefusal};
use engine::{Clock, Engine, EngineOptions, Input, Kind, NewSession, Origin, Session};
use ops::{Call, Caller, Context, ErrorKind, OpError, Role};
use project::{Deliver, Identities, NoIdentities, Project, ProjectEvent, ProjectOptions, Settings};
use serde_json::Value;
use testkit::{DEADLINE, Script};
pub(crate) use testkit::{line, soon, until};
use tokio::sync::broadcast;

pub(crate) struct Stage {
    pub(crate) project: Project,
    pub(crate) events: broadcast::Receiver<ProjectEvent>,
    pub(crate) told: Told,
    root: tempfile::TempDir,
}

/// What was delivered, to whom, in order; each also reaches its target.
#[derive(Clone, Default)]
pub(crate) struct Told {
    texts: Arc<Mutex<Vec<(engine::SessionId, String)>>>,
    moved: Arc<tokio::sync::Notify>,
}

impl Deliver for Told {
    /// Typed at once, with Enter, verified by nothing.
    fn deliver(&self, target: &Session, text: String, origin: Origin) -> Result<DeliveryTicket, QueueRefusal> {
        let number = {
            let mut texts = self.texts.lock().unwrap();
            texts.push((target.id(), text.clone()));
            texts.len() as u64
        };
        self.moved.notify_waiters();
        let outcome = match target.send(Input::Text(format!("{text}\n")), origin) {
            Ok(_) => DeliveryOutcome::Submitted { verified_by: "nothing".into() },
            Err(error) => DeliveryOutcome::Failed(DeliveryFailure::NotTyped { message: error.to_string() }),
        };
        Ok(DeliveryTicket::of_settled(target, number, outcome))
    }
}

impl Told {
    pub(crate) fn all(&self, target: &Session) -> Vec<String> {
        let texts = self.texts.lock().unwrap();
        texts.iter().filter(|(id, _)| *id == target.id()).map(|(_, text)| text.clone()).collect()
    }

    /// The texts to `target`, as soon as there are `count` of them.
    pub(crate) async fn count(&self, target: &Session, count: usize) -> Vec<String> {
        soon(&format!("{count} texts reach {}", target.id()), async {
            loop {
                let moved = self.moved.notified();
                tokio::pin!(moved);
                moved.as_mut().enable();
                let all = self.all(target);
                if all.len() >= count {
                    return all;
                }
                moved.await;
            }
        })
        .await
    }
}

pub(crate) struct Setting {
    pub(crate) clock: Clock,
    pub(crate) settings: Settings,
    /// Texts are typed at once and kept in [`Stage::told`]; otherwise by verified delivery.
    pub(crate) told: bool,
    pub(crate) identities: Arc<dyn Identities>,
}

impl Default for Setting {
    fn default() -> Self {
        let (clock, settings) = (Clock::real(), Settings::default());
        Setting { clock, settings, told: true, identities: Arc::new(NoIdentities) }
    }
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::with(Setting::default())
    }

    pub(crate) fn with(setting: Setting) -> Self {
        let root = tempfile::tempdir().unwrap();
        let engine = Engine::new(EngineOptions {
            base_env: vec![("PATH".into(), "/usr/bin:/bin".into())],
            // Nothing here waits for a grace to run out.
            grace: DEADLINE,
            clock: setting.clock,
            ..EngineOptions::default()
        });
        let told = Told::default();
        for folder in ["project", "data", "config", "run"] {
            std::fs::create_dir(root.path().join(folder)).unwrap();
        }
        let project = Project::open(ProjectOptions {
            engine,
            project_dir: root.path().join("project"),
            data_dir: root.path().join("data"),
            config_dir: root.path().join("config"),
            run_dir: root.path().join("run"),
            settings: setting.settings,
            identities: setting.identities,
            deliver: setting.told.then(|| Arc::new(told.clone()) as Arc<dyn Deliver>),
            program: testkit::child_path().to_owned(),
            home: root.path().join("home"),
            search_path: "/usr/bin:/bin".into(),
            cache_dir: root.path().join("home/.cache"),
            default_size: ops::Size::default(),
            redaction: agents::report::Redaction::default(),
            version: "test".into(),
        })
        .unwrap();
        Stage { events: project.events(), project, told, root }
    }

    pub(crate) fn engine(&self) -> &Engine {
        self.project.engine()
    }

    pub(crate) fn pads(&self) -> PathBuf {
        self.project.layout().scratchpads()
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    /// An operator's call.
    pub(crate) async fn json(&self, name: &str, args: Value) -> Result<Value, OpError> {
        self.json_as(&Caller::operator(), name, args).await
    }

    pub(crate) async fn json_as(&self, caller: &Caller, name: &str, args: Value) -> Result<Value, OpError> {
        let entry = self.project.table().get(name).unwrap_or_else(|| panic!("there is no {name}"));
        let answer = soon(name, entry.run(Call::new(self.project.clone(), caller.clone()), args)).await;
        // What is answered is in the reference.
        if let Err(error) = &answer {
            let declared = entry.errors.contains(&error.kind) || ErrorKind::OF_ANY.contains(&error.kind);
            assert!(declared, "{name} does not declare {error:?}");
        }
        answer
    }

    /// The kind of error of a call that must fail. Its message and hint must say something.
    pub(crate) async fn refusal(&self, caller: &Caller, name: &str, args: Value) -> ErrorKind {
        let error = self.json_as(caller, name, args.clone()).await.expect_err(&format!("{name} {args}"));
        assert!(!error.message.is_empty() && !error.hint.is_empty(), "{name}: {error:?}");
        error.kind
    }

    pub(crate) async fn spawn(&self, kind: Kind, parent: Option<&Session>, script: Script) -> Session {
        self.engine()
            .spawn(NewSession {
                parent: parent.map(Session::id),
                origin: parent.map_or(Origin::Human, |parent| Origin::Agent(parent.id())),
                ..NewSession::new(kind, script.argv())
            })
            .await
            .unwrap()
    }

    /// A session that an agent runs in, and the agent as a caller. It shows what it is told.
    pub(crate) async fn agent(&self, parent: Option<&Session>) -> (Session, Caller) {
        let session = self.spawn(Kind::Agent, parent, Script::new().cat()).await;
        let role = if parent.is_some() { Role::SubAgent } else { Role::Orchestrator };
        let caller = Caller { role, session: Some(session.id()) };
        (session, caller)
    }

    /// The next event that is none of files.
    pub(crate) async fn event(&mut self) -> ProjectEvent {
        loop {
            let event = soon("an event comes", self.events.recv()).await.unwrap();
            if event != ProjectEvent::ScratchpadsChanged {
                return event;
            }
        }
    }

    pub(crate) async fn close(self) {
        soon("the project is closed", self.project.close()).await;
        soon("the engine has shut down", self.engine().shutdown(Duration::ZERO)).await;
    }
}

pub(crate) fn id(session: &Session) -> String {
    session.id().to_string()
}
