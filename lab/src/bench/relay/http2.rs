//! Bytes passed on in gRPC's way: each read is a message on a bidirectional stream.

use std::{
    os::{
        fd::{AsFd, BorrowedFd},
        unix::net::UnixStream,
    },
    thread,
};

use anyhow::{Context, Result, ensure};
use h2::{RecvStream, SendStream};
use http::{Request, Response};
use rustix::{fs::OFlags, io::Errno};
use tokio::io::{Interest, unix::AsyncFd};

use super::Vigil;

type Bytes = std::io::Cursor<Vec<u8>>;

/// gRPC's framing: not compressed, and the length in four bytes.
const PREFIX: usize = 5;

pub(super) fn near(input: &impl AsFd, output: &impl AsFd, line: UnixStream, vigil: Vigil) -> Result<()> {
    runtime()?.block_on(async {
        let (mut client, connection) = h2::client::Builder::new().handshake::<_, Bytes>(stream(line)?).await?;
        let request = Request::post("http://localhost/relay").header("content-type", "application/grpc").body(())?;
        let stream = async {
            let (answer, sender) = client.send_request(request, false)?;
            hand_on(input.as_fd(), output.as_fd(), sender, answer.await?.into_body(), vigil).await
        };
        tokio::select! {
            handed_on = stream => handed_on,
            ended = connection => Ok(ended?),
        }
    })
}

pub(super) fn far(pty: &pty::Pty, line: UnixStream, vigil: Vigil) -> Result<()> {
    runtime()?.block_on(async {
        let mut connection = h2::server::Builder::new().handshake::<_, Bytes>(stream(line)?).await?;
        let (request, mut answer) = connection.accept().await.context("the near end called nothing")??;
        let sender = answer.send_response(Response::new(()), false)?;
        tokio::select! {
            handed_on = hand_on(pty.as_fd(), pty.as_fd(), sender, request.into_body(), vigil) => handed_on,
            // Drives the connection; the near end makes only one call.
            _ = connection.accept() => Ok(()),
        }
    })
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?)
}

fn stream(line: UnixStream) -> Result<tokio::net::UnixStream> {
    line.set_nonblocking(true)?;
    Ok(tokio::net::UnixStream::from_std(line)?)
}

/// Until one side ends.
async fn hand_on(
    input: BorrowedFd<'_>,
    output: BorrowedFd<'_>,
    mut sender: SendStream<Bytes>,
    mut receiver: RecvStream,
    mut vigil: Vigil,
) -> Result<()> {
    rustix::fs::fcntl_setfl(input, rustix::fs::fcntl_getfl(input)? | OFlags::NONBLOCK)?;
    #[expect(
        deprecated,
        reason = "its successor wants a promise that a BorrowedFd keeps by itself: to stay open and the same"
    )]
    let input = AsyncFd::with_interest(input, Interest::READABLE)?;
    let mut buffer = [0; 4096];
    loop {
        tokio::select! {
            count = read(&input, &mut buffer) => {
                let Some(count) = count else { return Ok(()) };
                let mut message = vec![0];
                message.extend(u32::try_from(count)?.to_be_bytes());
                message.extend(&buffer[..count]);
                sender.send_data(Bytes::new(message), false)?;
            }
            message = receiver.data() => {
                let Some(message) = message else { return Ok(()) };
                let message = message?;
                receiver.flow_control().release_capacity(message.len())?;
                let bytes = &message[PREFIX..];
                ensure!(rustix::io::write(output, bytes)? == bytes.len(), "the other side took only a part");
            }
            () = stay_awake(&vigil) => continue,
        }
        vigil.passed();
    }
}

async fn read(from: &AsyncFd<BorrowedFd<'_>>, buffer: &mut [u8]) -> Option<usize> {
    loop {
        let mut ready = from.readable().await.ok()?;
        match rustix::io::read(from.get_ref(), &mut *buffer) {
            Err(Errno::AGAIN) => ready.clear_ready(),
            // A terminal that hung up reports this as an error.
            Ok(0) | Err(_) => return None,
            Ok(count) => return Some(count),
        }
    }
}

/// Makes the runtime poll continuously; sleeps for ever while nobody waits for an echo.
async fn stay_awake(vigil: &Vigil) {
    if !vigil.lasts() {
        std::future::pending::<()>().await;
    }
    thread::yield_now();
    tokio::task::yield_now().await;
}
