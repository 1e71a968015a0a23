//! What the tests stand on: a coordinator, a web server, and a browser of few words.

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use engine::{Engine, EngineOptions, Session};
use futures_util::{SinkExt, StreamExt};
use grpc::{
    client::{self, Endpoint},
    proto::SpawnRequest,
    server::{GrpcServer as Coordinating, ServerAbout},
};
use ops::{Caller, NoHost, SessionContext};
use serde_json::{Value, json};
use testkit::{DEADLINE, Script, soon};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpStream, UnixListener},
    task::JoinHandle,
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{self, Message, client::IntoClientRequest},
};
use web::{AccessRights, CoordinatorFleet, LinkMaker, NamedCoordinator, WebServer, WebSettings};

/// An engine behind a socket; ends like a coordinator that is killed.
pub(crate) struct Coordinated {
    pub(crate) engine: Engine,
    socket: PathBuf,
    accepting: JoinHandle<()>,
}

impl Coordinated {
    pub(crate) fn at(socket: PathBuf) -> Self {
        let engine = Engine::new(EngineOptions {
            base_env: vec![("PATH".into(), "/usr/bin:/bin".into())],
            grace: DEADLINE,
            ..EngineOptions::default()
        });
        let _ = std::fs::remove_file(&socket);
        let listener = UnixListener::bind(&socket).unwrap();
        let context = SessionContext::new(engine.clone(), NoHost);
        let server = Coordinating::new(
            context,
            Caller::operator(),
            ServerAbout { program: "stage".into(), version: "1".into() },
        );
        let accepting = tokio::spawn(async move {
            // Dropped with the task, and every connection with them.
            let mut connections = tokio::task::JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let server = server.clone();
                connections.spawn(async move { server.serve_connection(stream, std::future::pending()).await });
            }
        });
        Coordinated { engine, socket, accepting }
    }

    pub(crate) async fn spawn(&self, name: &str, script: Script) -> Session {
        let argv = script.argv().into_iter().map(|word| word.into_string().unwrap()).collect();
        let client = client::connect(&Endpoint::Socket(self.socket.clone())).await.unwrap();
        let request = SpawnRequest { name: name.into(), argv, ..SpawnRequest::default() };
        let session = client.vtr().spawn(request).await.unwrap().into_inner().session.unwrap();
        self.engine.find(&session.id).unwrap()
    }

    pub(crate) async fn kill(self) {
        self.accepting.abort();
        soon("the engine has shut down", self.engine.shutdown(Duration::ZERO)).await;
    }
}

pub(crate) struct Stage {
    pub(crate) address: SocketAddr,
    pub(crate) links: LinkMaker,
    pub(crate) folder: tempfile::TempDir,
    serving: JoinHandle<()>,
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Stage {
    /// A web server for a coordinator at `a.sock`, whether there is one or not.
    pub(crate) async fn new() -> Self {
        Self::with(false).await
    }

    pub(crate) async fn with(read_only: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let coordinator = NamedCoordinator {
            name: "a".into(),
            endpoint: Endpoint::Socket(folder.path().join("a.sock")),
            timeout: DEADLINE,
        };
        Self::start(folder, Arc::new(vec![coordinator]), read_only).await
    }

    pub(crate) async fn of(fleet: Arc<dyn CoordinatorFleet>) -> Self {
        Self::start(tempfile::tempdir().unwrap(), fleet, false).await
    }

    async fn start(folder: tempfile::TempDir, fleet: Arc<dyn CoordinatorFleet>, read_only: bool) -> Self {
        let settings = WebSettings {
            listen: "127.0.0.1:0".parse().unwrap(),
            hosts: Vec::new(),
            tls: None,
            read_only,
            recordings: Some(folder.path().join("recordings")),
            version: "1.2.3".into(),
        };
        let server = WebServer::start(settings, fleet).await.unwrap();
        let (address, links) = (server.address(), server.links());
        Stage { address, links, folder, serving: tokio::spawn(server.run()) }
    }

    pub(crate) fn coordinate(&self) -> Coordinated {
        Coordinated::at(self.folder.path().join("a.sock"))
    }

    pub(crate) fn host(&self) -> String {
        self.address.to_string()
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// One request with exactly these headers; status and the whole answer.
    pub(crate) async fn request(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let lines: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        stream
            .write_all(format!("{method} {path} HTTP/1.1\r\n{lines}Connection: close\r\n\r\n").as_bytes())
            .await
            .unwrap();
        let mut text = Vec::new();
        soon("the server has answered and closed", stream.read_to_end(&mut text)).await.unwrap();
        Answer::read(&String::from_utf8(text).unwrap())
    }

    pub(crate) async fn get(&self, path: &str, cookie: &str) -> Answer {
        self.request("GET", path, &[("Host", &self.host()), ("Cookie", cookie)]).await
    }

    /// The path of a fresh link.
    pub(crate) fn link(&self, rights: AccessRights) -> String {
        let link = self.links.new_link(rights).unwrap();
        link.strip_prefix(&self.origin()).unwrap().to_owned()
    }

    pub(crate) async fn log_in(&self, rights: AccessRights) -> Login {
        Login::read(&self.get(&self.link(rights), "").await)
    }

    /// What the server calls someone with this cookie and this key.
    pub(crate) async fn whoami(&self, cookie: &str, key: &str) -> Answer {
        let key = format!("Bearer {key}");
        self.request("GET", "/whoami", &[("Host", &self.host()), ("Cookie", cookie), ("Authorization", &key)]).await
    }

    pub(crate) async fn page(&self, rights: AccessRights) -> Page {
        self.page_of(&self.log_in(rights).await).await.unwrap()
    }

    /// A page of a login, or the status that it is refused with.
    pub(crate) async fn page_of(&self, login: &Login) -> Result<Page, u16> {
        let mut request = format!("ws://{}/ws", self.address).into_client_request().unwrap();
        request.headers_mut().insert("Origin", self.origin().parse().unwrap());
        request.headers_mut().insert("Cookie", login.cookie.parse().unwrap());
        request.headers_mut().insert("Sec-WebSocket-Protocol", format!("vtr, key.{}", login.key).parse().unwrap());
        let stream = TcpStream::connect(self.address).await.unwrap();
        match tokio_tungstenite::client_async(request, stream).await {
            Ok((socket, _)) => Ok(Page { socket, rows: Vec::new() }),
            Err(tungstenite::Error::Http(refusal)) => Err(refusal.status().as_u16()),
            Err(error) => panic!("{error}"),
        }
    }
}

/// What a browser keeps of a link: the cookie as it is sent, and the key that the page shows.
#[derive(Debug)]
pub(crate) struct Login {
    pub(crate) cookie: String,
    pub(crate) key: String,
}

impl Login {
    pub(crate) fn read(answer: &Answer) -> Self {
        assert_eq!(answer.status, 200, "{answer:?}");
        let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        let key = answer.body.split("<meta name=key content=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        Login { cookie, key }
    }
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    fn read(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers =
            lines.map(|line| line.split_once(": ").unwrap()).map(|(name, value)| (name.to_lowercase(), value.into()));
        Answer { status, headers: headers.collect(), body: body.to_owned() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

/// A page's side of the WebSocket, with the rows of its one view.
pub(crate) struct Page {
    socket: WebSocketStream<TcpStream>,
    rows: Vec<String>,
}

impl Page {
    pub(crate) async fn say(&mut self, message: Value) {
        self.socket.send(Message::text(message.to_string())).await.unwrap();
    }

    pub(crate) async fn hear(&mut self) -> Value {
        loop {
            let message =
                soon("the server has said something", self.socket.next()).await.expect("an open socket").unwrap();
            if let Message::Text(text) = message {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }

    /// Frames are applied and acknowledged on the way.
    pub(crate) async fn until(&mut self, reason: &str, mut done: impl FnMut(&Value, &[String]) -> bool) -> Value {
        soon(reason, async {
            loop {
                let message = self.hear().await;
                if message["t"] == "frame" {
                    self.draw(&message);
                    if message["at"].is_null() {
                        self.say(json!({ "t": "ack", "view": message["view"], "version": message["version"] })).await;
                    }
                }
                if done(&message, &self.rows) {
                    return message;
                }
            }
        })
        .await
    }

    fn draw(&mut self, frame: &Value) {
        if frame["whole"] == true {
            self.rows = vec![String::new(); usize::try_from(frame["rows"].as_u64().unwrap()).unwrap()];
        }
        for line in frame["lines"].as_array().unwrap() {
            let text: String =
                line[2].as_array().unwrap().iter().map(|run| run.as_str().or(run[0].as_str()).unwrap()).collect();
            self.rows[usize::try_from(line[0].as_u64().unwrap()).unwrap()] = text.trim_end().to_owned();
        }
    }

    pub(crate) async fn shows(&mut self, text: &str) {
        if self.rows.iter().any(|row| row.contains(text)) {
            return;
        }
        self.until(&format!("the page shows {text:?}"), |_, rows| rows.iter().any(|row| row.contains(text))).await;
    }

    /// The first rows.
    pub(crate) async fn shows_rows(&mut self, expected: &[&str]) {
        let same =
            |rows: &[String]| rows.len() >= expected.len() && rows.iter().zip(expected).all(|(row, text)| row == text);
        if !same(&self.rows) {
            self.until(&format!("the page shows {expected:?}"), |_, rows| same(rows)).await;
        }
    }

    pub(crate) async fn until_closed(&mut self) {
        soon("the server has closed the connection", async {
            while let Some(Ok(message)) = self.socket.next().await {
                if matches!(message, Message::Close(_)) {
                    return;
                }
            }
        })
        .await;
    }

    pub(crate) fn rows(&self) -> &[String] {
        &self.rows
    }

    pub(crate) async fn close(mut self) {
        let _ = self.socket.close(None).await;
    }
}
