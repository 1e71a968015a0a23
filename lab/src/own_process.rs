//! Programs that a measurement starts: with their own environment, and ended with it.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
};

/// A process of ours, ended with TERM when it is dropped.
pub(crate) struct EndedProcess(pub(crate) Child);

impl EndedProcess {
    pub(crate) fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for EndedProcess {
    fn drop(&mut self) {
        let pid = i32::try_from(self.0.id()).ok().and_then(rustix::process::Pid::from_raw);
        if let Some(pid) = pid
            && matches!(self.0.try_wait(), Ok(None))
        {
            // Not reaped yet, so the process id still belongs to this process.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        }
        let _ = self.0.wait();
    }
}

/// The same environment everywhere, with nothing of the user's.
pub(crate) fn bare_command(program: impl AsRef<std::ffi::OsStr>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("HOME", folder)
        .env("SHELL", "/bin/sh")
        .env("LANG", "C.UTF-8")
        .current_dir(folder)
        .stdin(Stdio::null());
    command
}
