//! The operations on sessions as an MCP server on standard input and output, to try with clients:
//! `claude mcp add try -- cargo run -p mcp --example serve`.
//!
//! With `--socket PATH` it serves the first connection to that socket instead, and with
//! `--pump PATH` it is the other end of one.

use std::{env, process::ExitCode, time::Duration};

use engine::{Engine, EngineOptions};
use mcp::{ServerInfo, WireProtocol};
use ops::{Caller, NoHost, SessionContext};
use tokio::{
    io::{AsyncRead, AsyncWrite, join, stdin, stdout},
    net::{UnixListener, UnixStream},
};

type Failure = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        [] => serve(join(stdin(), stdout())).await,
        ["--socket", path] => serve_socket(path).await,
        ["--pump", path] => pump(path).await,
        _ => Err("usage: serve [--socket PATH | --pump PATH]".into()),
    };
    let failed = done.is_err();
    if let Err(error) = done {
        complain(&error.to_string());
    }
    // A read of standard input can't be cancelled, and would hold the runtime.
    std::process::exit(i32::from(failed))
}

#[allow(clippy::print_stderr, reason = "standard error is no part of the protocol")]
fn complain(text: &str) {
    eprintln!("serve: {text}");
}

async fn serve(stream: impl AsyncRead + AsyncWrite) -> Result<(), Failure> {
    let engine = Engine::new(EngineOptions { base_env: env::vars_os().collect(), ..EngineOptions::default() });
    let info = ServerInfo {
        name: "mcp-example".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        instructions: "Sessions in terminals: start one with spawn_process.".into(),
        ..ServerInfo::default()
    };
    let context = SessionContext::new(engine.clone(), NoHost);
    let served = mcp::serve(stream, context, Caller::operator(), info).await;
    engine.shutdown(Duration::from_millis(500)).await;
    Ok(served?)
}

async fn serve_socket(path: &str) -> Result<(), Failure> {
    let listener = UnixListener::bind(path)?;
    let (stream, _) = listener.accept().await?;
    std::fs::remove_file(path)?;
    match mcp::sniff(stream, Duration::from_secs(30)).await? {
        (WireProtocol::Json, stream) => serve(stream).await,
        (WireProtocol::Http2, _) => Err("a gRPC client called; there is none here".into()),
    }
}

async fn pump(path: &str) -> Result<(), Failure> {
    let socket = UnixStream::connect(path).await?;
    match mcp::pump(stdin(), stdout(), socket).await? {
        mcp::PumpEnd::Client => Ok(()),
        mcp::PumpEnd::Server => Err("the server has closed the connection".into()),
    }
}
