//! Everyone who is not let in, with the status code and the page they get.

use serde_json::json;
use web::{AccessRights, CoordinatorFleet, NamedCoordinator, StartError, WebServer, WebSettings};

use crate::stage::{Answer, Login, Stage};

#[track_caller]
fn refused(answer: &Answer, status: u16, said: &str) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert!(answer.body.contains(said) && answer.body.starts_with("<!doctype html>"), "{answer:?}");
    let policy = answer.header("content-security-policy").unwrap();
    assert!(
        policy.contains("default-src 'none'") && !policy.contains("inline") && !policy.contains("eval"),
        "{policy}"
    );
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
}

#[tokio::test]
async fn wrong_names_and_origins_are_refused_on_every_route() {
    let stage = Stage::new().await;
    let cookie = stage.log_in(AccessRights::Full).await.cookie;
    let (host, origin) = (stage.host(), stage.origin());
    let link = stage.link(AccessRights::Full);
    for path in ["/", "/whoami", "/ws", "/style.css", "/nowhere", link.as_str()] {
        let wrong = format!("evil.example:{}", stage.address.port());
        refused(&stage.request("GET", path, &[("Host", &wrong), ("Cookie", &cookie)]).await, 421, "that name");
        refused(&stage.request("GET", path, &[("Cookie", &cookie)]).await, 421, "that name");
        for foreign in ["http://evil.example", "null", &format!("https://{host}")] {
            let headers = [("Host", host.as_str()), ("Origin", foreign), ("Cookie", cookie.as_str())];
            refused(&stage.request("GET", path, &headers).await, 403, "another site");
        }
    }
    // None of that used the link up.
    assert_eq!(stage.get(&link, "").await.status, 200);
    let own = [("Host", host.as_str()), ("Origin", origin.as_str()), ("Cookie", cookie.as_str())];
    assert_eq!(stage.request("GET", "/", &own).await.status, 200);
}

#[tokio::test]
async fn without_a_login_there_is_nothing_to_see() {
    let stage = Stage::new().await;
    for cookie in ["", "vtr_web=x", &format!("vtr_web_{}=guess", stage.address.port())] {
        refused(&stage.get("/", cookie).await, 401, "not logged in");
        refused(&stage.get("/whoami", cookie).await, 401, "not logged in");
    }
    refused(&stage.get("/login", "").await, 401, "no token");
    refused(&stage.get("/login?token=", "").await, 401, "no token");
    refused(&stage.get("/login?token=guess", "").await, 401, "unknown");
    refused(&stage.get("/nowhere", "").await, 404, "not found");
    refused(&stage.get("/a/b", "").await, 404, "not found");
    refused(&stage.request("POST", "/", &[("Host", &stage.host())]).await, 405, "method is not allowed");
    // The refusals' own style needs no login.
    assert_eq!(stage.get("/style.css", "").await.status, 200);
}

#[tokio::test]
async fn a_link_is_good_once_and_its_cookie_is_strict() {
    let stage = Stage::new().await;
    let link = stage.link(AccessRights::Full);
    let head = stage.request("HEAD", &link, &[("Host", &stage.host())]).await;
    assert_eq!(head.status, 405, "a preview must not use the link up");
    let answer = stage.get(&link, "").await;
    let cookie = answer.header("set-cookie").unwrap();
    assert!(cookie.starts_with(&format!("vtr_web_{}=", stage.address.port())), "{cookie}");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && cookie.contains("Path=/"), "{cookie}");
    assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
    refused(&stage.get(&link, "").await, 401, "already been used");
    let login = Login::read(&answer);
    // The browser that used it is led to the page, and the key is not told again.
    let again = stage.get(&link, &login.cookie).await;
    assert!(again.status == 303 && !again.body.contains(&login.key), "{again:?}");
    assert_eq!(stage.whoami(&login.cookie, &login.key).await.body, "full");
    let reader = stage.log_in(AccessRights::ReadOnly).await;
    assert_eq!(stage.whoami(&reader.cookie, &reader.key).await.body, "read-only");
}

#[tokio::test]
async fn a_cookie_that_went_to_another_port_opens_nothing() {
    let stage = Stage::new().await;
    let login = stage.log_in(AccessRights::Full).await;
    let other = stage.log_in(AccessRights::ReadOnly).await;
    refused(&stage.get("/whoami", &login.cookie).await, 401, "not logged in");
    for key in ["", "guess", &other.key, login.cookie.split('=').nth(1).unwrap()] {
        refused(&stage.whoami(&login.cookie, key).await, 401, "not logged in");
        let stolen = Login { cookie: login.cookie.clone(), key: key.to_owned() };
        assert_eq!(stage.page_of(&stolen).await.err(), Some(401), "{key}");
    }
    // All it gets is the page without anything in it.
    assert!(!stage.get("/", &login.cookie).await.body.contains(&login.key));
    // Nor is the key of use to whoever can't have the cookie.
    refused(&stage.whoami("", &login.key).await, 401, "not logged in");
    assert_eq!(stage.page_of(&login).await.unwrap().hear().await["t"], "hello");
}

#[tokio::test]
async fn logging_out_ends_every_page_of_the_login() {
    let stage = Stage::new().await;
    let login = stage.log_in(AccessRights::ReadOnly).await;
    let mut pages = [stage.page_of(&login).await.unwrap(), stage.page_of(&login).await.unwrap()];
    let mut owner = stage.page(AccessRights::Full).await;
    pages[0].say(json!({ "t": "ask", "number": 1, "ask": "log_out" })).await;
    for page in &mut pages {
        page.until_closed().await;
    }
    assert_eq!(stage.page_of(&login).await.err(), Some(401));
    refused(&stage.get("/", &login.cookie).await, 401, "not logged in");
    owner.say(json!({ "t": "ping" })).await;
    owner.until("another login goes on", |message, _| message["t"] == "pong").await;
}

#[tokio::test]
async fn the_websocket_needs_an_origin_and_a_login() {
    let stage = Stage::new().await;
    let Login { cookie, key } = stage.log_in(AccessRights::Full).await;
    let (host, origin) = (stage.host(), stage.origin());
    let upgrade = [
        ("Host", host.as_str()),
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    let with = |more: &[(&'static str, String)]| {
        let mut headers: Vec<(&str, String)> =
            upgrade.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        headers.extend(more.iter().cloned());
        headers
    };
    for (more, status, said) in [
        (vec![("Cookie", cookie.clone())], 403, "not opened by the page"),
        (vec![("Cookie", cookie.clone()), ("Origin", "http://evil.example".to_owned())], 403, "another site"),
        (vec![("Origin", origin.clone())], 401, "not logged in"),
        (vec![("Origin", origin.clone()), ("Cookie", cookie.clone())], 401, "not logged in"),
    ] {
        let headers = with(&more);
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        refused(&stage.request("GET", "/ws", &headers).await, status, said);
    }
    let key = format!("Bearer {key}");
    let plain = [
        ("Host", host.as_str()),
        ("Origin", origin.as_str()),
        ("Cookie", cookie.as_str()),
        ("Authorization", key.as_str()),
    ];
    refused(&stage.request("GET", "/ws", &plain).await, 426, "own connection");
}

#[tokio::test]
async fn other_machines_only_with_tls() {
    let fleet = || -> std::sync::Arc<dyn CoordinatorFleet> { std::sync::Arc::new(Vec::<NamedCoordinator>::new()) };
    let settings = WebSettings {
        listen: "0.0.0.0:0".parse().unwrap(),
        hosts: Vec::new(),
        tls: None,
        read_only: false,
        recordings: None,
        version: String::new(),
    };
    let error = WebServer::start(settings.clone(), fleet()).await.unwrap_err();
    assert!(matches!(error, StartError::NeedsTls(_)) && error.to_string().contains("--tls-cert"), "{error}");
    let missing = web::TlsFiles { certificate: "/nowhere/cert.pem".into(), key: "/nowhere/key.pem".into() };
    let error = WebServer::start(WebSettings { tls: Some(missing), ..settings.clone() }, fleet()).await.unwrap_err();
    assert!(matches!(error, StartError::Tls(_)), "{error}");
    let first = WebServer::start(WebSettings { listen: "127.0.0.1:0".parse().unwrap(), ..settings.clone() }, fleet())
        .await
        .unwrap();
    let error = WebServer::start(WebSettings { listen: first.address(), ..settings }, fleet()).await.unwrap_err();
    assert!(matches!(error, StartError::Taken { .. }), "{error}");
}
