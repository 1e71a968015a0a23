//! What the tests stand on: a fake in a session of an engine, and waits that give their reason.

use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::{
    Engine, EngineOptions, ExitStatus, Input, Kind, NewSession, Origin, Pattern, PatternScope, RunEnding, Session,
    WaitOutcome, WaitRequest,
};
use fake::AgentMake;
use tempfile::TempDir;
use testkit::DEADLINE;

pub(crate) const SIZE: vt::Size = vt::Size::new(120, 40);
/// Exists everywhere, and its name never changes a picture.
const FOLDER: &str = "/usr";

pub(crate) struct Fake {
    engine: Engine,
    pub(crate) session: Session,
    /// For scripts and logs.
    pub(crate) folder: TempDir,
}

/// A fake that is about to start.
pub(crate) struct Cast {
    make: AgentMake,
    script: String,
    story: Option<&'static str>,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    folder: TempDir,
    size: vt::Size,
    working_dir: PathBuf,
}

/// `script` is the inside of the script's object.
pub(crate) fn cast(make: AgentMake, script: &str) -> Cast {
    Cast {
        make,
        script: format!("{{ {script} }}"),
        story: None,
        arguments: Vec::new(),
        environment: Vec::new(),
        folder: TempDir::new().unwrap(),
        size: SIZE,
        working_dir: FOLDER.into(),
    }
}

impl Cast {
    pub(crate) fn with(mut self, arguments: &[&str]) -> Self {
        self.arguments.extend(arguments.iter().map(|word| (*word).to_owned()));
        self
    }

    pub(crate) fn in_environment(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Instead of the script.
    pub(crate) fn in_story(mut self, name: &'static str) -> Self {
        self.story = Some(name);
        self
    }

    pub(crate) fn sized(mut self, cols: u16, rows: u16) -> Self {
        self.size = vt::Size::new(cols, rows);
        self
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Told of the tiny server in the way of its make.
    pub(crate) fn with_server(self, server: &[&str]) -> Self {
        let mut command = vec![example("tiny-mcp-server").to_str().unwrap().to_owned()];
        command.extend(server.iter().map(|word| (*word).to_owned()));
        let (program, rest) = (&command[0], serde_json(&command[1..]));
        match self.make {
            AgentMake::Claude => {
                let config =
                    format!(r#"{{"mcpServers":{{"tiny":{{"type":"stdio","command":"{program}","args":{rest}}}}}}}"#);
                let path = self.file("mcp.json");
                std::fs::write(&path, config).unwrap();
                let path = path.to_str().unwrap().to_owned();
                self.with(&["--mcp-config", &path, "--strict-mcp-config"])
            }
            AgentMake::Codex => {
                let program = format!("mcp_servers.tiny.command=\"{program}\"");
                let rest = format!("mcp_servers.tiny.args={rest}");
                self.with(&["-c", &program, "-c", &rest])
            }
            AgentMake::Opencode => {
                let config = format!(r#"{{"mcp":{{"tiny":{{"type":"local","command":{}}}}}}}"#, serde_json(&command));
                self.in_environment("OPENCODE_CONFIG_CONTENT", &config)
            }
        }
    }

    /// Its tools may be called without a question.
    pub(crate) fn approved(self) -> Self {
        match self.make {
            AgentMake::Claude => self.with(&["--allowedTools", "mcp__tiny"]),
            AgentMake::Codex => self.with(&["-c", "mcp_servers.tiny.default_tools_approval_mode=\"approve\""]),
            AgentMake::Opencode => self,
        }
    }

    pub(crate) async fn start(self) -> Fake {
        let script = self.file("script.json");
        std::fs::write(&script, &self.script).unwrap();
        let mut argv = vec![env!("CARGO_BIN_EXE_fake-agent").to_owned(), self.make.name().into()];
        match self.story {
            Some(name) => argv.extend(["--story".into(), name.into()]),
            None => argv.extend(["--script".into(), script.to_str().unwrap().into()]),
        }
        argv.push("--fast".into());
        argv.extend(self.arguments);
        let options = EngineOptions {
            base_env: vec![("PATH".into(), "/usr/bin:/bin".into()), ("SECRET_OF_TEST".into(), "x".into())],
            grace: DEADLINE,
            ..EngineOptions::default()
        };
        let engine = Engine::new(options);
        let mut new = NewSession::new(Kind::Agent, argv);
        new.size = self.size;
        new.working_dir = Some(self.working_dir);
        new.env = self.environment.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let session = engine.spawn(new).await.unwrap();
        Fake { engine, session, folder: self.folder }
    }

    /// Up to its prompt box.
    pub(crate) async fn open(self) -> Fake {
        let pattern = prompt_box(self.make);
        let fake = self.start().await;
        fake.sees(pattern).await;
        fake
    }
}

/// What the prompt box looks like, as the presets for the real CLIs describe it.
pub(crate) fn prompt_box(make: AgentMake) -> &'static str {
    match make {
        AgentMake::Claude => r"(?m)^─{20,}\n❯[^\n]*\n(?:  [^\n]*\n)*─{20,}",
        AgentMake::Codex => r"(?m)^› [^\n]*\n(?:  [^\n]*\n)*\s*\n?  \S[^\n]* · [~/]",
        AgentMake::Opencode => r"(?m)^\s*┃\s{2}\S+ · [^\n]+\n\s*╹▀{10,}",
    }
}

fn serde_json(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
    format!("[{}]", quoted.join(","))
}

/// Built by `cargo test` beside the tests.
pub(crate) fn example(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_fake-agent")).parent().unwrap().join("examples").join(name);
    assert!(path.exists(), "{} is missing: build it with `cargo build -p fake --examples`", path.display());
    path
}

impl Fake {
    /// Waits until the grid matches, and gives it.
    pub(crate) async fn sees(&self, pattern: &str) -> String {
        let request =
            WaitRequest { pattern: Pattern::new(pattern).unwrap(), scope: PatternScope::Grid, timeout: DEADLINE };
        match self.session.wait_for_pattern(request).await {
            WaitOutcome::Matched(_) => self.grid(),
            other => panic!("the grid never matches {pattern:?}: {other:?}\n{}", self.grid()),
        }
    }

    /// Waits until a line of history or screen matches.
    pub(crate) async fn prints(&self, pattern: &str) -> String {
        let request =
            WaitRequest { pattern: Pattern::new(pattern).unwrap(), scope: PatternScope::Scrollback, timeout: DEADLINE };
        match self.session.wait_for_pattern(request).await {
            WaitOutcome::Matched(found) => found.text,
            other => panic!("no line matches {pattern:?}: {other:?}\n{}", self.grid()),
        }
    }

    /// Waits until `holds` says so of the session.
    pub(crate) async fn until(&self, reason: &str, mut holds: impl FnMut(&Session) -> bool) {
        let mut pulse = self.session.pulse();
        let wait = async {
            while !holds(&self.session) {
                pulse.changed().await.unwrap();
            }
        };
        if tokio::time::timeout(DEADLINE, wait).await.is_err() {
            panic!("waited {DEADLINE:?} in vain until {reason}\n{}", self.grid());
        }
    }

    pub(crate) fn grid(&self) -> String {
        self.session.grid_text().1
    }

    pub(crate) fn title(&self) -> String {
        self.session.info().title
    }

    /// The latest state of its own that it reported, as `state=idle`.
    pub(crate) fn reported(&self) -> String {
        let facts = self.session.facts();
        let Some(record) = facts.leading_record().map(|seen| &seen.value) else { return String::new() };
        let mut words = format!("state={}", record.state.as_str());
        if let Some(app) = &record.app {
            words.push_str(&format!(":app={app}"));
        }
        if let Some(kind) = record.kind {
            words.push_str(&format!(":kind={}", kind.as_str()));
        }
        words
    }

    pub(crate) fn paste(&self, text: &str) {
        self.send(Input::Paste(text.into()));
    }

    pub(crate) fn key(&self, name: &str) {
        self.send(Input::Key(name.parse().unwrap()));
    }

    pub(crate) fn bytes(&self, bytes: &[u8]) {
        self.send(Input::Bytes(bytes.to_vec()));
    }

    fn send(&self, input: Input) {
        self.session.send(input, Origin::Human).unwrap();
    }

    /// Pastes, sees it in the box, and presses Enter: what a careful sender does.
    pub(crate) async fn prompt(&self, text: &str) {
        self.paste(text);
        self.until("the paste is drawn", |session| session.grid_text().1.contains(text.lines().next().unwrap())).await;
        self.key("enter");
    }

    pub(crate) async fn exit(&self) -> Option<ExitStatus> {
        let ended = self.session.wait_for_exit(DEADLINE).await;
        let (_, ending) = ended.unwrap_or_else(|| panic!("it does not end:\n{}", self.grid()));
        ending.and_then(|RunEnding { exit, .. }| exit)
    }

    /// The text of a file in its folder, as soon as it holds `word`.
    pub(crate) async fn file_with(&self, name: &str, word: &str) -> String {
        let path = self.folder.path().join(name);
        let wait = async {
            loop {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                if text.contains(word) {
                    return text;
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        let waited = tokio::time::timeout(DEADLINE, wait).await;
        waited.unwrap_or_else(|_| {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            panic!("{name} never holds {word:?}:\n{text}\n{}", self.grid())
        })
    }

    pub(crate) async fn close(self) {
        let shutdown = self.engine.shutdown(Duration::ZERO);
        tokio::time::timeout(DEADLINE, shutdown).await.expect("the engine shuts down");
    }
}
