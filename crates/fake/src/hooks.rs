//! Runs the commands that the CLI was configured with: claude's hooks, and codex's `notify`.
//!
//! They run one after the other on a thread of their own, so their order is that of the events, and a slow one does not
//! stop the drawing. Their output is dropped.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long the last hooks may run when the fake ends.
const PATIENCE: Duration = Duration::from_secs(3);

/// A command and its standard input.
struct Job {
    command: Vec<OsString>,
    input: String,
}

pub(crate) struct HookRunner {
    /// The `hooks` of claude's settings.
    configured: Value,
    notify: Vec<OsString>,
    conversation: String,
    working_dir: PathBuf,
    jobs: Option<Sender<Job>>,
    worker: Option<JoinHandle<()>>,
}

impl HookRunner {
    pub(crate) fn new(
        settings: Option<&Value>,
        notify: Vec<OsString>,
        conversation: String,
        environment: Vec<(OsString, OsString)>,
        working_dir: PathBuf,
    ) -> Self {
        let configured = settings.map(|settings| settings["hooks"].clone()).unwrap_or_default();
        let (jobs, queue) = mpsc::channel();
        let folder = working_dir.clone();
        let worker = std::thread::spawn(move || work(&queue, &environment, &folder));
        HookRunner { configured, notify, conversation, working_dir, jobs: Some(jobs), worker: Some(worker) }
    }

    /// Runs the commands configured for `event`; `details` are its own fields.
    pub(crate) fn fire(&self, event: &str, details: Value) {
        let tool = details["tool_name"].as_str().unwrap_or_default();
        let groups = self.configured[event].as_array().into_iter().flatten();
        let fitting = groups.filter(|group| fits(group["matcher"].as_str().unwrap_or_default(), tool));
        for hook in fitting.flat_map(|group| group["hooks"].as_array().into_iter().flatten()) {
            let Some(command) = hook["command"].as_str() else { continue };
            let mut input = json!({
                "session_id": self.conversation,
                "transcript_path": "",
                "cwd": self.working_dir.to_string_lossy(),
                "hook_event_name": event,
            });
            if let (Some(input), Value::Object(details)) = (input.as_object_mut(), details.clone()) {
                input.extend(details);
            }
            self.run(["sh", "-c", command].map(OsString::from).to_vec(), input.to_string());
        }
    }

    /// codex's program for a finished turn.
    pub(crate) fn turn_is_done(&self, last_message: &str, prompt: &str) {
        if self.notify.is_empty() {
            return;
        }
        let told = json!({
            "type": "agent-turn-complete",
            "turn-id": "fake-turn",
            "cwd": self.working_dir.to_string_lossy(),
            "input-messages": [prompt],
            "last-assistant-message": last_message,
        });
        let mut command = self.notify.clone();
        command.push(told.to_string().into());
        self.run(command, String::new());
    }

    fn run(&self, command: Vec<OsString>, input: String) {
        if let Some(jobs) = &self.jobs {
            // The worker ends only when the sender does.
            let _ = jobs.send(Job { command, input });
        }
    }
}

impl Drop for HookRunner {
    /// Waits for the remaining ones, up to a limit.
    fn drop(&mut self) {
        self.jobs = None;
        let start = Instant::now();
        let Some(worker) = self.worker.take() else { return };
        while !worker.is_finished() && start.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// claude's matchers are patterns for the whole name; an empty one and `*` match everything.
fn fits(matcher: &str, tool: &str) -> bool {
    if matcher.is_empty() || matcher == "*" {
        return true;
    }
    regex::Regex::new(&format!("^(?:{matcher})$")).is_ok_and(|pattern| pattern.is_match(tool))
}

fn work(queue: &Receiver<Job>, environment: &[(OsString, OsString)], folder: &PathBuf) {
    for job in queue {
        let [program, arguments @ ..] = &job.command[..] else { continue };
        let started = Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(environment.iter().map(|(key, value)| (key, value)))
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        // A hook that can't be started is a configuration error; the real CLI continues too.
        let Ok(mut child) = started else { continue };
        if let Some(mut input) = child.stdin.take() {
            let _ = input.write_all(job.input.as_bytes());
        }
        let _ = child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matchers_are_whole_names() {
        assert!(fits("", "Bash") && fits("*", "Bash") && fits("Bash|Edit", "Edit"));
        assert!(fits("mcp__.*", "mcp__patterm__whoami"));
        assert!(!fits("Ba", "Bash"));
    }
}
