//! The surroundings of one test: folders of its own, optionally a headless patterm, and nothing of the machine's.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
    process::{ChildStdout, Command, ExitStatus, Stdio},
};

use rustix::process::Signal;
use serde_json::Value;
pub(crate) use testkit::{FinishedCommand, TestChild, run};

use crate::client::Client;

pub(crate) const PATTERM: &str = env!("CARGO_BIN_EXE_patterm");

pub(crate) struct Stage {
    root: tempfile::TempDir,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["home", "project", "run", "config/patterm", "data", "state", "tmp"] {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(root.path().join(folder)).unwrap();
        }
        Stage { root }
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.path().join(relative)
    }

    /// Lets other users enter as far as the run folder.
    pub(crate) fn open_to_others(&self) {
        for folder in ["", "run"] {
            fs::set_permissions(self.path(folder), fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    /// `patterm` in an environment of its own.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(PATTERM);
        command
            .env_clear()
            .env("PATH", format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap()))
            .env("HOME", self.path("home"))
            .env("SHELL", "/bin/sh")
            .env("PS1", "$ ")
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_DATA_HOME", self.path("data"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("XDG_RUNTIME_DIR", self.path("run"))
            .env("TMPDIR", self.path("tmp"))
            .current_dir(self.path("project"))
            .args(words);
        command
    }

    #[track_caller]
    pub(crate) fn patterm(&self, words: &[&str]) -> FinishedCommand {
        run(&mut self.command(words))
    }

    #[track_caller]
    pub(crate) fn headless(&self, flags: &[&str]) -> Headless {
        Headless::start(&mut self.command(&[&["--headless"], flags].concat()))
    }

    /// Puts a program called `make` on the path of sessions: a fake of it that plays `story`, at twenty times the
    /// speed.
    pub(crate) fn install_fake(&self, make: &str, story: &str) {
        self.install_program(make, &format!("exec '{PATTERM}' fake-agent {make} --story {story} --fast \"$@\""));
    }

    /// All three CLIs as fakes that answer their prompts.
    pub(crate) fn install_fakes(&self) {
        ["claude", "codex", "opencode"].into_iter().for_each(|make| self.install_fake(make, "echo"));
    }

    /// Like [`Stage::install_fake`], with the test's own script.
    pub(crate) fn install_scripted(&self, make: &str, script: &str) {
        let file = self.path(&format!("{make}.json"));
        fs::write(&file, script).unwrap();
        let line = format!("exec '{PATTERM}' fake-agent {make} --script '{}' --fast \"$@\"", file.display());
        self.install_program(make, &line);
    }

    /// Puts a shell script on the path of sessions.
    pub(crate) fn install_program(&self, name: &str, lines: &str) {
        fs::create_dir_all(self.path("bin")).unwrap();
        let program = self.path("bin").join(name);
        fs::write(&program, format!("#!/bin/sh\n{lines}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The user's config.json.
    pub(crate) fn write_config(&self, text: &str) {
        fs::write(self.path("config/patterm/config.json"), text).unwrap();
    }

    /// vtr's config, which names coordinators.
    pub(crate) fn write_vtr_config(&self, text: &str) {
        fs::create_dir_all(self.path("config/vtr")).unwrap();
        fs::write(self.path("config/vtr/config.toml"), text).unwrap();
    }

    /// A preset that came with the project.
    pub(crate) fn write_project_preset(&self, name: &str, text: &str) {
        let folder = self.path("project/.patterm/presets/processes");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{name}.json")), text).unwrap();
    }

    /// The content of one of the project's scratchpads, as a person would find it.
    #[track_caller]
    pub(crate) fn scratchpad(&self, name: &str) -> String {
        let projects: Vec<_> = fs::read_dir(self.path("data/patterm/projects")).unwrap().flatten().collect();
        assert_eq!(projects.len(), 1, "{projects:?}");
        fs::read_to_string(projects[0].path().join("scratchpads").join(name)).unwrap()
    }

    /// All files in the folder of sockets.
    pub(crate) fn left_in_run(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path("run/patterm")) else { return Vec::new() };
        entries.flatten().map(|entry| entry.file_name().into_string().unwrap()).collect()
    }
}

/// A patterm without a screen, as a child of the test.
pub(crate) struct Headless {
    pub(crate) process: TestChild,
    pub(crate) hello: Value,
    stdout: BufReader<ChildStdout>,
}

impl Headless {
    #[track_caller]
    pub(crate) fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = TestChild::start(command);
        let mut stdout = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let hello = serde_json::from_str(&line).unwrap_or_else(|error| {
            let mut said = String::new();
            let _ = process.kill();
            process.stderr.take().unwrap().read_to_string(&mut said).unwrap();
            panic!("{error} in {line:?}; {said}")
        });
        Headless { process, hello, stdout }
    }

    pub(crate) fn pid(&self) -> i32 {
        i32::try_from(self.process.id()).unwrap()
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.hello["socket"].as_str().unwrap().into()
    }

    /// The operator's connect file.
    pub(crate) fn connect_file(&self) -> PathBuf {
        self.hello["connect"].as_str().unwrap().into()
    }

    pub(crate) fn token(&self) -> String {
        token_in(&self.connect_file())
    }

    /// A client behind `patterm mcp-stdio`, as the operator.
    #[track_caller]
    pub(crate) fn operator(&self) -> Client {
        Client::behind_proxy(&self.connect_file())
    }

    /// Connect files of the agents that were started, in that order.
    pub(crate) fn agents(&self) -> Vec<PathBuf> {
        let folder = self.connect_file().parent().unwrap().to_owned();
        let files = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
        let mut agents: Vec<(u32, PathBuf)> = files
            .filter_map(|file| {
                let number = file.file_stem()?.to_str()?.strip_prefix("agent-")?.parse().ok()?;
                Some((number, file))
            })
            .collect();
        agents.sort();
        agents.into_iter().map(|(_, file)| file).collect()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        self.process.signal(signal);
    }

    #[track_caller]
    pub(crate) fn wait(&mut self) -> ExitStatus {
        self.process.ended()
    }

    /// Its standard output after the first line, and its standard error, until its end.
    #[track_caller]
    pub(crate) fn end(mut self, signal: Signal) -> (ExitStatus, String, String) {
        self.signal(signal);
        let status = self.wait();
        let (mut out, mut err) = (String::new(), String::new());
        self.stdout.read_to_string(&mut out).unwrap();
        self.process.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        (status, out, err)
    }
}

impl Drop for Headless {
    fn drop(&mut self) {
        if self.process.try_wait().unwrap().is_none() {
            let status = self.process.end();
            if !std::thread::panicking() {
                assert!(status.success(), "patterm ended with {status}");
            }
        }
    }
}

pub(crate) fn token_in(connect_file: &Path) -> String {
    let value: Value = serde_json::from_str(&fs::read_to_string(connect_file).unwrap()).unwrap();
    value["token"].as_str().unwrap().to_owned()
}

/// Whether a process has ended, reaped or not.
pub(crate) fn is_gone(pid: i64) -> bool {
    match fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z')),
        Err(_) => true,
    }
}

/// How often the threads of a process have gone to sleep so far: each time something wakes one, it goes back to sleep.
pub(crate) fn sleeps(pid: i32) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
    let statuses = tasks.filter_map(|task| fs::read_to_string(task.path().join("status")).ok());
    let counts = statuses.filter_map(|status| {
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
        line.trim().parse::<u64>().ok()
    });
    counts.sum()
}
