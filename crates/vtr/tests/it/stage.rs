//! The surroundings of one test: a folder, optionally coordinators, and a way to run `vtr` without anything of the
//! machine's.

use std::{
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{ChildStdout, Command, ExitStatus, Stdio},
};

use serde_json::Value;
use testkit::wait_until_some;
pub(crate) use testkit::{FinishedCommand, TestChild, run};

pub(crate) const VTR: &str = env!("CARGO_BIN_EXE_vtr");

/// A coordinator in the foreground, as a child of the test.
pub(crate) struct Server {
    pub(crate) process: TestChild,
    pub(crate) socket: PathBuf,
    _stdout: BufReader<ChildStdout>,
}

impl Server {
    pub(crate) fn pid(&self) -> i32 {
        i32::try_from(self.process.id()).unwrap()
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        self.process.signal(signal);
    }

    #[track_caller]
    pub(crate) fn wait(&mut self) -> ExitStatus {
        self.process.ended()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.process.try_wait().unwrap().is_none() {
            let status = self.process.end();
            if !std::thread::panicking() {
                assert!(status.success(), "the coordinator ended with {status}");
            }
        }
    }
}

pub(crate) struct Stage {
    // Dropped in this order: a coordinator writes into the folder until it ends.
    servers: Vec<Server>,
    root: tempfile::TempDir,
}

impl Stage {
    /// No coordinator yet.
    pub(crate) fn empty() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["home", "run", "config/vtr", "state"] {
            std::fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        Stage { servers: Vec::new(), root }
    }

    /// One coordinator, `a.sock`, with a shell that has a fixed prompt.
    pub(crate) fn new() -> Self {
        let mut stage = Self::empty();
        stage.serve("a", &[]);
        stage
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.path().join(relative)
    }

    /// Runs `vtr serve` on `NAME.sock` and waits until it listens.
    pub(crate) fn serve(&mut self, name: &str, flags: &[&str]) -> &mut Server {
        let server = self.start(name, flags);
        self.servers.push(server);
        self.servers.last_mut().unwrap()
    }

    pub(crate) fn start(&self, name: &str, flags: &[&str]) -> Server {
        let socket = self.path(&format!("run/{name}.sock"));
        let mut command = self.bare();
        command.args(["serve", "--shell", "/bin/sh", "--socket"]).arg(&socket).args(flags);
        let mut process = TestChild::start(command.stdout(Stdio::piped()).stderr(self.log(name)));
        let mut stdout = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert!(line.contains("listening"), "{line:?}; {}", std::fs::read_to_string(self.log_path(name)).unwrap());
        Server { process, socket, _stdout: stdout }
    }

    /// Starts another one in place of the first, which has ended.
    pub(crate) fn restart(&mut self) {
        self.servers[0] = self.start("a", &[]);
    }

    pub(crate) fn log_path(&self, name: &str) -> PathBuf {
        self.path(&format!("{}.log", name.replace('/', "-")))
    }

    fn log(&self, name: &str) -> std::fs::File {
        std::fs::OpenOptions::new().create(true).append(true).open(self.log_path(name)).unwrap()
    }

    pub(crate) fn socket(&self) -> &Path {
        &self.servers[0].socket
    }

    pub(crate) fn server(&mut self) -> &mut Server {
        &mut self.servers[0]
    }

    /// `vtr` in an environment of its own that names no coordinator.
    pub(crate) fn bare(&self) -> Command {
        let mut command = Command::new(VTR);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.path("home"))
            .env("SHELL", "/bin/sh")
            .env("PS1", "$ ")
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("XDG_RUNTIME_DIR", self.path("run"))
            .env("TMPDIR", self.root.path())
            .stdin(Stdio::null())
            .current_dir(self.root.path());
        command
    }

    /// `vtr` for the first coordinator.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.bare();
        if let Some(server) = self.servers.first() {
            command.env("VTR_SOCKET", &server.socket);
        }
        command.args(words);
        command
    }

    #[track_caller]
    pub(crate) fn vtr(&self, words: &[&str]) -> FinishedCommand {
        run(&mut self.command(words))
    }

    /// With `text` as standard input.
    #[track_caller]
    pub(crate) fn vtr_reading(&self, words: &[&str], text: &str) -> FinishedCommand {
        let mut child = start_piped(self.command(words).stdin(Stdio::piped()));
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        FinishedCommand::of(child)
    }

    /// `vtr` that only finds the coordinators of the config file.
    #[track_caller]
    pub(crate) fn by_config(&self, words: &[&str]) -> FinishedCommand {
        run(self.bare().args(words))
    }

    pub(crate) fn write_config(&self, text: &str) {
        std::fs::write(self.path("config/vtr/config.toml"), text).unwrap();
    }

    /// Starts `cat` under a name: it echoes, and runs until it is ended.
    #[track_caller]
    pub(crate) fn spawn_cat(&self, name: &str) {
        assert_eq!(self.vtr(&["spawn", name, "--", "cat"]).ok(), format!("{name}\n"));
    }

    /// Waits until the session has printed something that matches.
    #[track_caller]
    pub(crate) fn see(&self, session: &str, pattern: &str) -> String {
        self.vtr(&["wait", session, pattern, "--scope", "scrollback", "--timeout", "60s"]).ok()
    }

    /// Waits until the session has ended.
    #[track_caller]
    pub(crate) fn see_end(&self, session: &str) -> Value {
        wait_until_some("the session has ended", || {
            let info = self.vtr(&["info", session, "--json"]).json();
            (info["status"] == "exited").then_some(info)
        })
    }
}

/// Starts it in the background, keeping its output for [`FinishedCommand::of`].
#[track_caller]
pub(crate) fn start_piped(command: &mut Command) -> TestChild {
    TestChild::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))
}

pub(crate) fn read_all(mut from: impl Read) -> String {
    let mut text = String::new();
    from.read_to_string(&mut text).unwrap();
    text
}

/// Whether a process has ended, reaped or not.
pub(crate) fn is_gone(pid: i32) -> bool {
    match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z')),
        Err(_) => true,
    }
}
