//! `patterm mcp-stdio`: the MCP server that an agent's CLI starts. It authenticates and copies bytes; it starts no
//! thread and no runtime, reads no configuration, and ends with its standard input or with its server.

use std::{
    ffi::OsString,
    io::{self, Write},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
};

use program::Exit;

use crate::run::connect_file::ConnectFile;

const USAGE: &str = "usage: patterm mcp-stdio --connect FILE | --socket PATH --identity TOKEN";

pub(crate) fn run(words: &[OsString]) -> Exit {
    match relay(words) {
        Ok(()) => Exit::Done,
        Err((exit, message)) => {
            // The client shows it, or keeps it in its log.
            let _ = writeln!(io::stderr(), "patterm mcp-stdio: {message}");
            exit
        }
    }
}

fn relay(words: &[OsString]) -> Result<(), (Exit, String)> {
    let way_in = way_in(words).map_err(|message| (Exit::Usage, message))?;
    let socket = UnixStream::connect(&way_in.socket).map_err(|error| {
        let socket = way_in.socket.display();
        (Exit::Unreachable, format!("patterm can't be reached at {socket} ({error}): has it ended?"))
    })?;
    let greeting = mcp::greeting(&way_in.token);
    match mcp::relay(io::stdin(), io::stdout(), &socket, greeting.as_bytes()) {
        // A client that breaks off in the middle of a message is treated like one that closed.
        Ok(_) | Err(mcp::PumpError::Client(_)) => Ok(()),
        Err(error) => Err((Exit::Unreachable, error.to_string())),
    }
}

/// Parsed by hand: two flags are not worth a parser that is larger than the relay itself.
fn way_in(words: &[OsString]) -> Result<ConnectFile, String> {
    let (mut socket, mut identity, mut connect) = (None, None, None);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.to_str().ok_or(USAGE)?;
        let (flag, inline) = match text.split_once('=') {
            Some((flag, value)) => (flag, Some(OsString::from(value))),
            None => (text, None),
        };
        let place = match flag {
            "--socket" => &mut socket,
            "--identity" => &mut identity,
            "--connect" => &mut connect,
            _ => return Err(USAGE.into()),
        };
        let value = inline.or_else(|| words.next().cloned()).ok_or(USAGE)?;
        *place = Some(value);
    }
    match (socket, identity, connect) {
        (None, None, Some(file)) => ConnectFile::read(Path::new(&file)),
        (Some(socket), Some(identity), None) => {
            let token = identity.into_string().map_err(|_| "the identity is not a token of patterm")?;
            Ok(ConnectFile { socket: PathBuf::from(socket), token })
        }
        _ => Err(USAGE.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn one_way_in_or_the_other() {
        let expected = ConnectFile { socket: "/s".into(), token: "t".into() };
        assert_eq!(way_in(&words("--socket /s --identity t")), Ok(expected.clone()));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("c.json");
        std::fs::write(&file, expected.to_text()).unwrap();
        assert_eq!(way_in(&words(&format!("--connect={}", file.display()))), Ok(expected));
        for wrong in ["", "--socket /s", "--identity t", "--connect", "--connect a --socket b", "--wrong x", "x"] {
            assert_eq!(way_in(&words(wrong)), Err(USAGE.into()), "{wrong}");
        }
        assert!(way_in(&words("--connect /nonexistent/x")).unwrap_err().contains("can't be read"));
        std::fs::write(&file, "{}").unwrap();
        assert!(way_in(&words(&format!("--connect {}", file.display()))).unwrap_err().contains("not a connect file"));
    }
}
