//! A client in tmux's control mode: commands go in, answers come in blocks, with notifications between them.

use std::{
    io::{BufRead, BufReader, Write},
    process::{ChildStdin, ChildStdout, Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::own_process::EndedProcess;

pub(super) struct Control {
    // Dropped first: closing it ends the client.
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    line: Vec<u8>,
    _process: EndedProcess,
}

impl Control {
    /// `tmux` is already told which server to use.
    pub(super) fn attach(mut tmux: Command) -> Result<Self> {
        let mut process = tmux
            .args(["-C", "attach-session", "-t", "base"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("starting tmux -C")?;
        let stdin = process.stdin.take().context("it was asked for")?;
        let stdout = BufReader::new(process.stdout.take().context("it was asked for")?);
        let mut control = Control { stdin, stdout, line: Vec::new(), _process: EndedProcess(process) };
        // Attaching has an answer of its own.
        control.answer(&mut |_| ())?;
        Ok(control)
    }

    /// The output of a command.
    pub(super) fn run(&mut self, command: &str) -> Result<Vec<u8>> {
        self.send(command)?;
        self.answer(&mut |_| ()).with_context(|| format!("tmux: {command}"))
    }

    /// Sends all commands, then reads their answers.
    pub(super) fn run_all(&mut self, commands: &[String]) -> Result<()> {
        self.send(&commands.join("\n"))?;
        for command in commands {
            self.answer(&mut |_| ()).with_context(|| format!("tmux: {command}"))?;
        }
        Ok(())
    }

    /// Sends a command; returns when it is answered and the later output of watched panes contains `text`.
    pub(super) fn run_and_see(&mut self, command: &str, text: &[u8]) -> Result<()> {
        let mut printed = Vec::new();
        self.send(command)?;
        self.answer(&mut |line| printed.extend_from_slice(output_of(line)))?;
        while !printed.windows(text.len()).any(|part| part == text) {
            self.next_line()?;
            printed.extend_from_slice(output_of(&self.line));
        }
        Ok(())
    }

    /// Waits for a notification that starts with this text.
    pub(super) fn notification(&mut self, start: &[u8]) -> Result<()> {
        loop {
            self.next_line()?;
            if self.line.starts_with(start) {
                return Ok(());
            }
        }
    }

    fn send(&mut self, command: &str) -> Result<()> {
        // In one write, like any client that cares about latency.
        self.stdin.write_all(format!("{command}\n").as_bytes()).context("writing to tmux -C")
    }

    /// The next block; notifications before it go to `between`.
    fn answer(&mut self, between: &mut dyn FnMut(&[u8])) -> Result<Vec<u8>> {
        loop {
            self.next_line()?;
            if self.line.starts_with(b"%begin ") {
                break;
            }
            between(&self.line);
        }
        let mut answer = Vec::new();
        loop {
            self.next_line()?;
            if self.line.starts_with(b"%end ") {
                return Ok(answer);
            }
            if self.line.starts_with(b"%error ") {
                bail!("{}", String::from_utf8_lossy(&answer).trim());
            }
            answer.extend_from_slice(&self.line);
        }
    }

    fn next_line(&mut self) -> Result<()> {
        self.line.clear();
        if self.stdout.read_until(b'\n', &mut self.line)? == 0 {
            bail!("the tmux client has ended");
        }
        Ok(())
    }
}

/// The text of `%output %PANE TEXT`.
fn output_of(line: &[u8]) -> &[u8] {
    let Some(rest) = line.strip_prefix(b"%output ") else { return b"" };
    let text = rest.iter().position(|byte| *byte == b' ').map_or(rest.len(), |at| at + 1);
    rest[text..].strip_suffix(b"\n").unwrap_or(&rest[text..])
}
