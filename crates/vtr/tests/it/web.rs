//! `vtr web`, as far as a program without a browser can check it; the page itself is tested in crates/web/tests.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    os::unix::fs::PermissionsExt,
    process::{Command, Stdio},
};

use rustix::process::Signal;
use serde_json::Value;
use testkit::wait_until_some;

use crate::stage::{Stage, TestChild};

struct Serving {
    process: TestChild,
    said: Value,
}

impl Serving {
    fn start(stage: &Stage, flags: &[&str]) -> Self {
        Self::of(stage.bare().args(["web", "--json"]).args(flags))
    }

    fn of(command: &mut Command) -> Self {
        let mut process = TestChild::start(command.stdin(Stdio::null()).stdout(Stdio::piped()));
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} in {line:?}"));
        Serving { process, said }
    }

    /// The first line of an answer.
    fn get(&self, path: &str) -> String {
        let address = self.said["address"].as_str().unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.lines().next().unwrap().to_owned()
    }

    /// Ends it like a person's Ctrl-C.
    fn end(mut self) {
        self.process.signal(Signal::INT);
        let status = self.process.ended();
        assert!(status.success(), "{status}");
    }
}

#[test]
fn it_prints_a_link_that_logs_in_once() {
    let stage = Stage::new();
    let web = Serving::start(&stage, &["--listen", "127.0.0.1:0"]);
    let link = web.said["link"].as_str().unwrap();
    let path = link.strip_prefix(&format!("http://{}", web.said["address"].as_str().unwrap())).unwrap();
    assert_eq!(web.get("/"), "HTTP/1.1 401 Unauthorized");
    assert_eq!(web.get(path), "HTTP/1.1 200 OK");
    assert_eq!(web.get(path), "HTTP/1.1 401 Unauthorized");
    web.end();
}

#[test]
fn other_machines_need_tls() {
    let stage = Stage::empty();
    stage.vtr(&["web", "--listen", "0.0.0.0:0"]).failed(2, &["--tls-cert", "ssh -L"]);
    stage.vtr(&["web", "--listen", "127.0.0.1:0", "--tls-cert", "cert.pem"]).failed(2, &["--tls-key"]);
    let flags = ["web", "--listen", "127.0.0.1:0", "--tls-cert", "no.pem", "--tls-key", "no.pem"];
    stage.vtr(&flags).failed(2, &["certificate", "no.pem"]);
}

#[test]
fn a_browser_is_opened_without_showing_the_link_to_others() {
    let stage = Stage::new();
    let tools = stage.path("tools");
    std::fs::create_dir(&tools).unwrap();
    let opener = tools.join(if cfg!(target_os = "macos") { "open" } else { "xdg-open" });
    let told = stage.path("told");
    // Renamed at the end, so that a reader always finds the whole file.
    let script = format!("#!/bin/sh\nprintf '%s' \"$1\" >'{0}.part' && mv '{0}.part' '{0}'\n", told.display());
    std::fs::write(&opener, script).unwrap();
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = stage.bare();
    command.args(["web", "--json", "--open", "--listen", "127.0.0.1:0"]);
    let web = Serving::of(command.env("PATH", format!("{}:/usr/bin:/bin", tools.display())));
    let file = wait_until_some("the browser is told", || std::fs::read_to_string(&told).ok());
    assert!(!file.contains("token"), "{file}");
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let page = std::fs::read_to_string(&file).unwrap();
    let path = page.split("url=").nth(1).unwrap().split('"').next().unwrap();
    let path = path.strip_prefix(&format!("http://{}", web.said["address"].as_str().unwrap())).unwrap();
    assert_eq!(web.get(path), "HTTP/1.1 200 OK");
    web.end();
    assert!(!std::path::Path::new(&file).exists());
}
