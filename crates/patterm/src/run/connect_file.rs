//! The connect file: where to connect, and as whom. It is a secret, so it has mode 0600 from the moment it exists.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

/// The size limit; our own files have a few hundred bytes.
const FILE_LIMIT: u64 = 64 * 1024;

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ConnectFile {
    pub(crate) socket: PathBuf,
    pub(crate) token: String,
}

impl ConnectFile {
    pub(crate) fn to_text(&self) -> String {
        // The path is UTF-8: `socket` was checked when it was created.
        json!({ "socket": self.socket.to_string_lossy(), "token": self.token }).to_string() + "\n"
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let field = |name: &str| value.get(name)?.as_str().map(str::to_owned);
        Some(ConnectFile { socket: field("socket")?.into(), token: field("token")? })
    }

    /// The error text is for whoever started us.
    pub(crate) fn read(file: &Path) -> Result<Self, String> {
        let mut text = String::new();
        let read = File::open(file).and_then(|opened| opened.take(FILE_LIMIT).read_to_string(&mut text));
        let shown = file.display();
        read.map_err(|error| format!("the connect file {shown} can't be read ({error}): has patterm ended?"))?;
        ConnectFile::parse(&text).ok_or_else(|| format!("{shown} is not a connect file of patterm"))
    }

    /// Creates the file; an existing one is an error.
    pub(crate) fn write(&self, file: &Path) -> io::Result<()> {
        let mut opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?;
        opened.write_all(self.to_text().as_bytes())
    }
}

/// Leaves out the token.
impl std::fmt::Debug for ConnectFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConnectFile").field("socket", &self.socket).finish_non_exhaustive()
    }
}
