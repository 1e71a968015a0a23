//! `vtr web`

use std::{
    fs::OpenOptions,
    io::{self, Write},
    net::{Ipv4Addr, SocketAddr},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
};

use fleet::{ClientConfig, coordinators};
use program::{Exit, Failure, Outcome};
use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    signal::unix::{SignalKind, signal},
};
use web::{AccessRights, CoordinatorFleet, LinkMaker, StartError, TlsFiles, WebServer, WebSettings};

use crate::{cli::GlobalFlags, invocation::Invocation, server, surroundings::Surroundings};

/// Show sessions in a browser
///
/// Serves a page that shows the sessions of all coordinators live, and prints a link to it. A link logs in one browser,
/// once; press Enter for another link. Without --listen, the page is on port 7780 of this machine only, or on any free
/// port.
#[derive(Debug, clap::Args)]
pub(crate) struct WebArgs {
    /// Where to listen; addresses that other machines can reach require --tls-cert and --tls-key
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// A host name that browsers use, besides the address itself; can be repeated
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// The certificate and its chain, as PEM
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The certificate's key, as PEM
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Read-only: nobody can type, or start or end anything
    #[arg(long)]
    read_only: bool,
    /// Open the page in this machine's browser
    #[arg(long)]
    open: bool,
    /// The folder with the recordings to play [default: the folder that coordinators record to]
    #[arg(long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    recordings: Option<PathBuf>,
}

const USUAL: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7780);
const ANY_FREE: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// The coordinators that every command finds, looked up again each time.
struct CoordinatorLookup {
    everywhere: GlobalFlags,
    config: ClientConfig,
    surroundings: Surroundings,
}

impl CoordinatorFleet for CoordinatorLookup {
    fn coordinators(&self) -> Vec<web::NamedCoordinator> {
        let known = coordinators::known(self.everywhere.socket.as_deref(), &self.config, &self.surroundings);
        let one = |one: coordinators::Coordinator| web::NamedCoordinator {
            name: one.name,
            endpoint: one.endpoint,
            timeout: one.timeout,
        };
        known.unwrap_or_default().into_iter().map(one).collect()
    }
}

impl WebArgs {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        // Report a bad config now instead of showing an empty page.
        invocation.coordinators()?;
        let surroundings = &invocation.surroundings;
        let fleet = Arc::new(CoordinatorLookup {
            everywhere: invocation.everywhere.clone(),
            config: invocation.config.clone(),
            surroundings: surroundings.clone(),
        });
        let absolute = |path: PathBuf| surroundings.working_dir.join(path);
        let settings = WebSettings {
            listen: self.listen.unwrap_or(USUAL),
            hosts: self.host,
            tls: self
                .tls_cert
                .zip(self.tls_key)
                .map(|(certificate, key)| TlsFiles { certificate: absolute(certificate), key: absolute(key) }),
            read_only: self.read_only,
            recordings: Some(self.recordings.map_or_else(|| recordings_folder(surroundings), absolute)),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let started = match WebServer::start(settings.clone(), fleet.clone()).await {
            Err(StartError::Taken { .. }) if self.listen.is_none() => {
                WebServer::start(WebSettings { listen: ANY_FREE, ..settings }, fleet).await
            }
            started => started,
        };
        let server = started.map_err(|error| failure(&error))?;
        let links = server.links();
        // Before anything is printed: whoever reads it may stop us at once.
        let (mut interrupted, mut terminated) = match (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
        {
            (Ok(interrupted), Ok(terminated)) => (interrupted, terminated),
            (Err(error), _) | (_, Err(error)) => return Err(Failure::system("listening for signals", &error)),
        };
        let link = new_link(&links)?;
        let reply = json!({ "link": link, "address": server.address().to_string(), "read_only": self.read_only });
        invocation.output.answer(&reply, format!("Open {link}"))?;
        let doorway = self.open.then(|| open(&invocation.surroundings, server.address(), &links)).transpose()?;
        if invocation.output.terminal && !invocation.output.json {
            invocation.output.line("Press Enter for another link, Ctrl-C to end.")?;
        }
        let ended = tokio::select! {
            () = server.run() => Ok(()),
            failed = more_links(&links, invocation) => failed,
            _ = interrupted.recv() => Ok(()),
            _ = terminated.recv() => Ok(()),
        };
        if let Some(doorway) = doorway {
            let _ = std::fs::remove_file(doorway);
        }
        ended.map(|()| Exit::Done)
    }
}

/// The folder that a coordinator of this machine records to, by its config.
fn recordings_folder(surroundings: &Surroundings) -> PathBuf {
    let decided = server::settings::ServeSettings::decide(server::settings::ServeFlags::default(), surroundings);
    // `vtr serve` reports a bad config; here the default is used.
    decided.map_or_else(|_| surroundings.state_dir.join("recordings"), |settings| settings.record_folder)
}

fn failure(error: &StartError) -> Failure {
    match error {
        StartError::NeedsTls(_) | StartError::Tls(_) => Failure::usage(error.to_string()),
        StartError::Taken { .. } | StartError::Bind { .. } => Failure::new(Exit::Refused, "system", error.to_string()),
    }
}

fn new_link(links: &LinkMaker) -> Result<String, Failure> {
    links.new_link(AccessRights::Full).map_err(|error| Failure::new(Exit::Refused, "system", error.to_string()))
}

/// Prints a new link for every Enter, if there is a terminal.
async fn more_links(links: &LinkMaker, invocation: &mut Invocation) -> Result<(), Failure> {
    if invocation.output.terminal && !invocation.output.json {
        let mut lines = BufReader::new(tokio::io::stdin()).lines();
        while let Ok(Some(_)) = lines.next_line().await {
            let link = new_link(links)?;
            // A link that could not be printed does not end the pages that others use.
            let _ = invocation.output.line(format!("Open {link}"));
        }
    }
    std::future::pending().await
}

/// Lets the desktop open a private file that redirects to the page. Passing the link itself would show it to every user
/// of the machine, in the process list, before the browser could use it up.
fn open(surroundings: &Surroundings, address: SocketAddr, links: &LinkMaker) -> Result<PathBuf, Failure> {
    let folder = surroundings.runtime_dir.as_ref().unwrap_or(&surroundings.state_dir);
    let file = folder.join(format!("vtr-web-{}.html", address.port()));
    let page = format!(
        "<!doctype html><meta charset=utf-8><meta http-equiv=refresh content=\"0;url={}\"><title>vtr</title>\n",
        new_link(links)?
    );
    write_private(&file, &page).map_err(|error| Failure::system(format!("writing {}", file.display()), &error))?;
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let started = tokio::process::Command::new(opener)
        .arg(&file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    started.map_err(|error| Failure::system(format!("opening a browser with {opener}"), &error))?;
    Ok(file)
}

fn write_private(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?.write_all(text.as_bytes())
}
