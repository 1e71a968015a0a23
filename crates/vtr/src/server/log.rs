//! A coordinator's log: on standard error, which in the background is a file of bounded size. A line that can't be
//! written is dropped.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use program::LogStream;
use tracing_subscriber::fmt::MakeWriter;

use super::folder;

/// Beyond this size the file is renamed to FILE.1, replacing an older one, and a new file begins.
const MOST_BYTES: u64 = 4 << 20;

/// In the foreground: to the standard error we inherited.
pub(crate) fn to_stderr() {
    install(|| LogStream);
}

/// In the background: `file` is our standard error already, so a panic's message goes there as well.
pub(crate) fn to_file(file: &Path) {
    install(BoundedLog::new(file, MOST_BYTES));
}

fn install(writer: impl for<'a> MakeWriter<'a> + Send + Sync + 'static) {
    let subscriber = tracing_subscriber::fmt().with_writer(writer).with_ansi(false).with_target(false);
    // Reporting the failure would write to the same standard error, and panic when that fails.
    let subscriber = subscriber.log_internal_errors(false).finish();
    // Fails only if a subscriber is already set, and this is the first.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

/// Writes to standard error, and replaces its file when that is full.
struct BoundedLog {
    file: PathBuf,
    most: u64,
    bytes: Mutex<u64>,
}

impl BoundedLog {
    fn new(file: &Path, most: u64) -> Self {
        let bytes = file.metadata().map_or(0, |file| file.len());
        BoundedLog { file: file.into(), most, bytes: Mutex::new(bytes) }
    }

    /// Returns whether the file is full, so that the next line has to go to a new one.
    fn count(&self, more: usize) -> bool {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        *bytes += more as u64;
        let full = *bytes > self.most;
        if full {
            *bytes = more as u64;
        }
        full
    }

    /// If anything fails here, the log stays in the old file: too long is better than none.
    fn begin_anew(&self) -> io::Result<()> {
        let mut old = self.file.clone().into_os_string();
        old.push(".1");
        std::fs::rename(&self.file, old)?;
        let fresh = folder::open_log(&self.file)?;
        rustix::stdio::dup2_stderr(&fresh)?;
        Ok(())
    }
}

impl Write for &BoundedLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.count(bytes.len()) {
            let _ = self.begin_anew();
        }
        LogStream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        LogStream.flush()
    }
}

impl<'a> MakeWriter<'a> for BoundedLog {
    type Writer = &'a BoundedLog;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_file_is_put_aside_once() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("x.log");
        std::fs::write(&file, "12345").unwrap();
        let log = BoundedLog::new(&file, 10);
        assert!(!log.count(5), "what was there counts, and it fits");
        assert!(log.count(1));
        assert!(!log.count(9), "the line that did not fit is the first of the new file");
        assert!(log.count(1));
    }
}
