//! How long calls take over a Unix socket, on one connection: `cargo run --release -p grpc --example latency`.
//!
//! Server and client are threads of this process with a runtime each, so a call pays for its whole way:
//! conversion, HTTP/2, the kernel, and both wake-ups.
#![allow(clippy::print_stdout, reason = "it talks to a person")]

use std::{
    error::Error,
    path::PathBuf,
    sync::mpsc,
    time::{Duration, Instant},
};

use engine::{Engine, EngineOptions};
use grpc::{
    client::{self, CoordinatorClient, Endpoint},
    proto::*,
    server::{GrpcServer, ServerAbout},
};
use ops::{Caller, NoHost, SessionContext};
use tokio::net::UnixListener;

type Result<T, E = Box<dyn Error + Send + Sync>> = std::result::Result<T, E>;

const CALLS: usize = 2000;
const COLS: i32 = 120;
const ROWS: i32 = 40;

fn main() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let socket = folder.path().join("vtr.sock");
    let (ready, is_ready) = mpsc::channel();
    let (stop, stopped) = tokio::sync::oneshot::channel();
    let served = socket.clone();
    let server = std::thread::spawn(move || server_runtime()?.block_on(serve(served, ready, stopped)));
    is_ready.recv()?;
    // As a command's: a client that waits for one answer at a time needs no second thread.
    let client = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let measured = client.block_on(measure(socket));
    let _ = stop.send(());
    server.join().map_err(|_| "the server panicked")??;
    measured
}

fn server_runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()
}

async fn serve(socket: PathBuf, ready: mpsc::Sender<()>, stopped: tokio::sync::oneshot::Receiver<()>) -> Result<()> {
    let engine = Engine::new(EngineOptions { base_env: std::env::vars_os().collect(), ..EngineOptions::default() });
    let context = SessionContext::new(engine.clone(), NoHost);
    let about = ServerAbout { program: "latency".into(), version: "0".into() };
    let server = GrpcServer::new(context, Caller::operator(), about);
    let listener = UnixListener::bind(socket)?;
    ready.send(())?;
    let accept = async {
        while let Ok((stream, _)) = listener.accept().await {
            let server = server.clone();
            tokio::spawn(async move { server.serve_connection(stream, std::future::pending()).await });
        }
    };
    tokio::select! {
        () = accept => {}
        _ = stopped => {}
    }
    engine.shutdown(Duration::ZERO).await;
    Ok(())
}

async fn measure(socket: PathBuf) -> Result<()> {
    let client = client::connect(&Endpoint::Socket(socket)).await?;
    println!("{:34} {:>9} {:>9} {:>9}", format!("{CALLS} calls each, {COLS}x{ROWS}"), "p50 us", "p99 us", "max us");
    spawn(&client, "echo", "stty -echo; echo ready; exec cat").await?;
    spawn(&client, "full", "for i in $(seq 60); do printf '%0119d\\n' $i; done; exec sleep 1000").await?;
    spawn(&client, "flood", "exec yes \"$(printf '%0100d' 7)\"").await?;
    wait_until_shown(&client, "echo", "ready").await?;
    wait_until_shown(&client, "full", "00060").await?;
    version(&client).await?;
    screens(&client, "GetScreen, cells, idle", "full", ScreenFormat::Cells).await?;
    screens(&client, "GetScreen, runs, idle", "full", ScreenFormat::Runs).await?;
    screens(&client, "GetScreen, cells, flooding", "flood", ScreenFormat::Cells).await?;
    screens(&client, "GetScreen, runs, flooding", "flood", ScreenFormat::Runs).await?;
    client.vtr().remove(RemoveRequest { name: "flood".into() }).await?;
    echo(&client).await
}

async fn spawn(client: &CoordinatorClient, name: &str, command: &str) -> Result<()> {
    let argv = ["/bin/sh", "-c", command].map(str::to_owned).to_vec();
    let request = SpawnRequest { name: name.into(), argv, cols: COLS, rows: ROWS, ..Default::default() };
    client.vtr().spawn(request).await?;
    Ok(())
}

async fn wait_until_shown(client: &CoordinatorClient, name: &str, pattern: &str) -> Result<()> {
    let scope = WaitScope::Scrollback.into();
    let request = WaitForRequest { name: name.into(), pattern: pattern.into(), scope, ..Default::default() };
    if client.vtr().wait_for(request).await?.into_inner().matched { Ok(()) } else { Err("it never showed".into()) }
}

async fn version(client: &CoordinatorClient) -> Result<()> {
    let mut vtr = client.vtr();
    let mut times = Vec::with_capacity(CALLS);
    for _ in 0..CALLS {
        let start = Instant::now();
        vtr.version(VersionRequest {}).await?;
        times.push(start.elapsed());
    }
    print("Version (an empty call)", times);
    Ok(())
}

async fn screens(client: &CoordinatorClient, what: &str, name: &str, format: ScreenFormat) -> Result<()> {
    let mut vtr = client.vtr();
    let mut times = Vec::with_capacity(CALLS);
    for _ in 0..CALLS {
        let start = Instant::now();
        let screen = vtr.get_screen(GetScreenRequest { name: name.into(), format: format.into() }).await?.into_inner();
        times.push(start.elapsed());
        if screen.screen_rows.len() != ROWS as usize {
            return Err("a screen of another size".into());
        }
    }
    print(what, times);
    Ok(())
}

/// Wait and send go side by side on one connection: the time is from the sending to the wait's answer.
async fn echo(client: &CoordinatorClient) -> Result<()> {
    let mut times = Vec::with_capacity(CALLS);
    let mut vtr = client.vtr();
    for number in 0..CALLS {
        let (pattern, text) = (format!("^mark {number}$"), format!("mark {number}\n"));
        let wait =
            WaitForRequest { name: "echo".into(), pattern, scope: WaitScope::Scrollback.into(), ..Default::default() };
        let send = SendTextRequest { name: "echo".into(), text, ..Default::default() };
        let start = Instant::now();
        vtr.send_text(send).await?;
        if !vtr.wait_for(wait).await?.into_inner().matched {
            return Err("no echo".into());
        }
        times.push(start.elapsed());
    }
    print("SendText, then WaitFor its echo", times);
    Ok(())
}

fn print(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let micros = |at: usize| times[at].as_secs_f64() * 1e6;
    println!(
        "{what:34} {:9.0} {:9.0} {:9.0}",
        micros(times.len() / 2),
        micros(times.len() * 99 / 100),
        micros(times.len() - 1)
    );
}
