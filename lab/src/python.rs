//! Our Python programs in `tools/`, which exchange JSON lines over standard input and output. Bytes are passed as
//! strings of the characters U+0000 to U+00FF.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use anyhow::{Context, Result, bail};
use serde::{Serialize, de::DeserializeOwned};

pub(crate) struct PythonTool {
    name: String,
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl PythonTool {
    /// Starts `script` with `arguments`; its standard error is shown unchanged.
    pub(crate) fn start(python: &Path, script: &Path, configure: impl FnOnce(&mut Command)) -> Result<Self> {
        let name = script.display().to_string();
        let mut command = Command::new(python);
        // -B: the suites it imports are in folders that we should not fill with __pycache__.
        command.arg("-B").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
        configure(&mut command);
        let mut child =
            command.spawn().with_context(|| format!("cannot run {}; give another with --python", python.display()))?;
        let input = child.stdin.take();
        let output = child.stdout.take().context("the child was started with a pipe")?;
        Ok(PythonTool { name, child, input, output: BufReader::new(output) })
    }

    pub(crate) fn send(&mut self, message: &impl Serialize) -> Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        let input = self.input.as_mut().context("the tool's input is open until it ends")?;
        input.write_all(&line).with_context(|| format!("{} stopped listening", self.name))
    }

    /// The next message, or `None` when the tool has closed its output.
    pub(crate) fn receive<T: DeserializeOwned>(&mut self) -> Result<Option<T>> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let message = serde_json::from_str(&line).with_context(|| format!("{} said {line:?}", self.name))?;
        Ok(Some(message))
    }

    pub(crate) fn ask<T: DeserializeOwned>(&mut self, message: &impl Serialize) -> Result<T> {
        self.send(message)?;
        match self.receive()? {
            Some(answer) => Ok(answer),
            None => bail!("{} ended without an answer: {}", self.name, self.child.wait()?),
        }
    }

    /// Waits for the end of a tool that is done.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.input = None;
        let status = self.child.wait()?;
        if !status.success() {
            bail!("{} failed: {status}", self.name);
        }
        Ok(())
    }
}

impl Drop for PythonTool {
    fn drop(&mut self) {
        // End of input ends all our tools; one that hangs must not outlive us.
        self.input = None;
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

pub(crate) fn to_text(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

/// `None` if a character is not a byte.
pub(crate) fn to_bytes(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|character| u8::try_from(u32::from(character)).ok()).collect()
}
