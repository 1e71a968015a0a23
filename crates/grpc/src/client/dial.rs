//! Opens byte streams to a coordinator, before HTTP/2 uses them, so that failures keep their type.

use std::{
    io,
    pin::Pin,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf},
    net::UnixStream,
    process::{Child, ChildStdin, ChildStdout, Command},
    sync::watch,
    time::{Instant, timeout_at},
};

use super::{ConnectError, Endpoint};

pub(super) enum DialledStream {
    Socket(UnixStream),
    Command { stdin: ChildStdin, stdout: ChildStdout, child: Arc<CommandBridge> },
}

/// The command behind a stream. Killed when the last reference is dropped.
pub(super) struct CommandBridge {
    command: Endpoint,
    child: Mutex<Option<Child>>,
    stderr: watch::Receiver<Stderr>,
    /// The first bytes that it printed where the protocol should be.
    first: Mutex<Vec<u8>>,
}

#[derive(Default)]
struct Stderr {
    /// The first bytes of its standard error.
    text: Vec<u8>,
    closed: bool,
}

/// Bytes kept of a command's standard error.
const STDERR_BYTES: usize = 4 << 10;
/// Bytes shown of the output in place of the protocol.
const FIRST_BYTES: usize = 200;
/// A command that fails closes its output a moment before it can be waited for.
const EXIT_PATIENCE: Duration = Duration::from_secs(1);

pub(super) async fn dial(endpoint: &Endpoint) -> Result<DialledStream, ConnectError> {
    match endpoint {
        Endpoint::Socket(path) => match UnixStream::connect(path).await {
            Ok(stream) => Ok(DialledStream::Socket(stream)),
            Err(source) => Err(ConnectError::socket(path.clone(), source)),
        },
        Endpoint::Command(argv) => {
            start(argv).map_err(|source| ConnectError::CommandNotStarted { command: endpoint.clone(), source })
        }
    }
}

fn start(argv: &[String]) -> io::Result<DialledStream> {
    let (program, arguments) =
        argv.split_first().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it is empty"))?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let (Some(stdin), Some(stdout), Some(mut errors)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(io::Error::other("it has no streams"));
    };
    let (heard, stderr) = watch::channel(Stderr::default());
    tokio::spawn(async move {
        let mut piece = [0; 1024];
        // Read to the end, or the command would block on a full pipe.
        while let Ok(count @ 1..) = errors.read(&mut piece).await {
            heard.send_modify(|stderr| {
                let room = STDERR_BYTES.saturating_sub(stderr.text.len());
                stderr.text.extend_from_slice(&piece[..count.min(room)]);
            });
        }
        heard.send_modify(|stderr| stderr.closed = true);
    });
    let command = Endpoint::Command(argv.to_vec());
    Ok(DialledStream::Command {
        stdin,
        stdout,
        child: Arc::new(CommandBridge { command, child: Mutex::new(Some(child)), stderr, first: Mutex::default() }),
    })
}

impl DialledStream {
    /// For commands: tells why it failed.
    pub(super) fn complaints(&self) -> Option<Arc<CommandBridge>> {
        match self {
            DialledStream::Socket(_) => None,
            DialledStream::Command { child, .. } => Some(child.clone()),
        }
    }
}

impl CommandBridge {
    /// The command's failure, if it failed.
    pub(super) async fn failure(&self, deadline: Instant) -> Option<ConnectError> {
        if let Some(said) = self.chatter() {
            return Some(ConnectError::Chatter { command: self.command.clone(), said });
        }
        let deadline = deadline.min(Instant::now() + EXIT_PATIENCE);
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let status = timeout_at(deadline, child.wait()).await.ok()?.ok()?;
        let mut stderr = self.stderr.clone();
        let _ = timeout_at(deadline, stderr.wait_for(|stderr| stderr.closed)).await;
        let text = String::from_utf8_lossy(&stderr.borrow().text).trim().to_owned();
        let stderr = if text.is_empty() { "it said nothing".to_owned() } else { text };
        Some(ConnectError::CommandFailed { command: self.command.clone(), status: status.to_string(), stderr })
    }
}

impl CommandBridge {
    fn heard(&self, bytes: &[u8]) {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        let room = FIRST_BYTES.saturating_sub(first.len());
        first.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// Text before the protocol. HTTP/2 starts with the length of a frame, which is never in the range of letters.
    fn chatter(&self) -> Option<String> {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        let begins_a_frame = first.first().is_none_or(|byte| *byte == 0);
        let text = String::from_utf8_lossy(&first).replace(|c: char| c.is_control(), " ").trim().to_owned();
        (!begins_a_frame && !text.is_empty()).then_some(text)
    }
}

impl AsyncRead for DialledStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            DialledStream::Socket(stream) => Pin::new(stream).poll_read(cx, buf),
            DialledStream::Command { stdout, child, .. } => {
                let before = buf.filled().len();
                ready!(Pin::new(stdout).poll_read(cx, buf))?;
                child.heard(&buf.filled()[before..]);
                Poll::Ready(Ok(()))
            }
        }
    }
}

impl AsyncWrite for DialledStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            DialledStream::Socket(stream) => Pin::new(stream).poll_write(cx, bytes),
            DialledStream::Command { stdin, .. } => Pin::new(stdin).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            DialledStream::Socket(stream) => Pin::new(stream).poll_flush(cx),
            DialledStream::Command { stdin, .. } => Pin::new(stdin).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            DialledStream::Socket(stream) => Pin::new(stream).poll_shutdown(cx),
            DialledStream::Command { stdin, .. } => {
                ready!(Pin::new(stdin).poll_shutdown(cx))?;
                Poll::Ready(Ok(()))
            }
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            DialledStream::Socket(stream) => Pin::new(stream).poll_write_vectored(cx, bufs),
            DialledStream::Command { stdin, .. } => Pin::new(stdin).poll_write_vectored(cx, bufs),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            DialledStream::Socket(stream) => stream.is_write_vectored(),
            DialledStream::Command { stdin, .. } => stdin.is_write_vectored(),
        }
    }
}
