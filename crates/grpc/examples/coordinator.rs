//! A bare coordinator for trying clients against: `cargo run -p grpc --example coordinator -- SOCKET`.
#![allow(clippy::print_stdout, reason = "it talks to a person")]

use std::{error::Error, path::PathBuf, time::Duration};

use engine::{Engine, EngineOptions};
use grpc::server::{GrpcServer, ServerAbout};
use ops::{Caller, NoHost, SessionContext};
use tokio::net::UnixListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let socket = PathBuf::from(std::env::args_os().nth(1).ok_or("say which socket to listen on")?);
    let engine = Engine::new(EngineOptions { base_env: std::env::vars_os().collect(), ..EngineOptions::default() });
    let context = SessionContext::new(engine.clone(), NoHost);
    let about = ServerAbout { program: "coordinator".into(), version: env!("CARGO_PKG_VERSION").into() };
    let server = GrpcServer::new(context, Caller::operator(), about);
    let listener = UnixListener::bind(&socket)?;
    println!("listening on {}; end it with Enter", socket.display());
    let accepting = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let server = server.clone();
            // A connection that breaks is that client's business.
            tokio::spawn(async move { server.serve_connection(stream, std::future::pending()).await });
        }
    });
    tokio::task::spawn_blocking(|| std::io::stdin().read_line(&mut String::new())).await??;
    accepting.abort();
    engine.shutdown(Duration::from_secs(1)).await;
    std::fs::remove_file(socket)?;
    Ok(())
}
