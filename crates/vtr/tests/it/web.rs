//! `vtr web`, as far as a program without a browser can tell; the page itself is tested in crates/web/tests.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    os::unix::fs::PermissionsExt,
    process::{Child, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use testkit::wait_until_some;

use crate::stage::Stage;

struct Serving {
    process: Child,
    said: Value,
}

impl Serving {
    fn start(stage: &Stage, flags: &[&str]) -> Self {
        let mut process = stage
            .bare()
            .args(["web", "--json"])
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
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

    /// Ends as a person's Ctrl-C would end it.
    fn end(mut self) {
        kill_process(Pid::from_child(&self.process), Signal::INT).unwrap();
        let status = wait_until_some("vtr web has ended", || self.process.try_wait().unwrap());
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
    // Renamed at the end, so that whoever finds it finds all of it.
    let script = format!("#!/bin/sh\nprintf '%s' \"$1\" >'{0}.part' && mv '{0}.part' '{0}'\n", told.display());
    std::fs::write(&opener, script).unwrap();
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut process = stage
        .bare()
        .args(["web", "--json", "--open", "--listen", "127.0.0.1:0"])
        .env("PATH", format!("{}:/usr/bin:/bin", tools.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let web = Serving { process, said: serde_json::from_str(&line).unwrap() };
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
