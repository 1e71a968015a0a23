//! tmux's side: a server on a socket of its own, without any user configuration, and one control client.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

use super::{
    control::Control,
    pair::{COLS, HISTORY, ROWS},
};
use crate::own_process::{EndedProcess, bare_command};

pub(super) struct Server {
    // Dropped in this order: the client before the server.
    pub(super) control: Control,
    process: EndedProcess,
    socket: PathBuf,
    folder: PathBuf,
}

/// How long a server may take to start, and a pane to show something.
const PATIENCE: Duration = Duration::from_secs(120);

impl Server {
    pub(super) fn start(folder: &Path) -> Result<Self> {
        let socket = folder.join("tmux.sock");
        // -D: a child of ours, not a daemon that would outlive us.
        let process = base(folder, &socket)
            .arg("-D")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("starting tmux (Debian: apt-get install tmux)")?;
        let process = EndedProcess(process);
        let start = Instant::now();
        while !socket.exists() {
            if start.elapsed() > PATIENCE {
                bail!("the tmux server never made its socket");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let (history, size) = (HISTORY.to_string(), format!("{COLS}x{ROWS}"));
        let words = ["set-option", "-g", "history-limit", &history, ";", "set-option", "-g", "default-size", &size];
        let words = [&words[..], &[";", "new-session", "-d", "-s", "base", "sleep", "100000"]].concat();
        let output = base(folder, &socket).args(words).output()?;
        if !output.status.success() {
            bail!("tmux new-session: {}", String::from_utf8_lossy(&output.stderr));
        }
        let control = Control::attach(base(folder, &socket))?;
        Ok(Server { control, process, socket, folder: folder.into() })
    }

    pub(super) fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// `tmux` for this server.
    pub(super) fn command(&self, words: &[&str]) -> Command {
        let mut command = base(&self.folder, &self.socket);
        command.args(words);
        command
    }

    /// A session of its own, whose output the control client does not see.
    pub(super) fn spawn(&mut self, name: &str, argv: &[&str]) -> Result<()> {
        self.control.run(&new_session(name, argv))?;
        Ok(())
    }

    /// Sends all requests before the first answer.
    pub(super) fn spawn_all(&mut self, names: &[String], argv: &[&str]) -> Result<()> {
        self.control.run_all(&names.iter().map(|name| new_session(name, argv)).collect::<Vec<_>>())
    }

    /// A window of the session that the control client is attached to: its output comes as notifications.
    pub(super) fn spawn_watched(&mut self, name: &str, argv: &[&str]) -> Result<()> {
        self.control.run(&format!("new-window -d -t base: -n {name} {}", command_line(argv)))?;
        Ok(())
    }

    pub(super) fn remove(&mut self, name: &str) -> Result<()> {
        self.control.run(&format!("kill-session -t {name}"))?;
        Ok(())
    }

    /// Waits until the visible pane contains the text. Polls, because tmux can't wait for text.
    pub(super) fn see(&mut self, target: &str, text: &str) -> Result<()> {
        let start = Instant::now();
        loop {
            let shown = self.control.run(&format!("capture-pane -p -t {target}"))?;
            if String::from_utf8_lossy(&shown).contains(text) {
                return Ok(());
            }
            if start.elapsed() > PATIENCE {
                bail!("{target} never showed {text:?}");
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits until a window of another session has gone.
    pub(super) fn see_end(&mut self) -> Result<()> {
        self.control.notification(b"%unlinked-window-close")
    }
}

fn base(folder: &Path, socket: &Path) -> Command {
    let mut command = bare_command("tmux", folder);
    command.args(["-u", "-f", "/dev/null", "-S"]).arg(socket);
    command
}

fn new_session(name: &str, argv: &[&str]) -> String {
    format!("new-session -d -s {name} {}", command_line(argv))
}

fn command_line(argv: &[&str]) -> String {
    argv.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// Quotes for tmux's own parser of command lines.
pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
