//! The routes: the page and its files, the login, and the WebSocket.

use std::sync::Arc;

use axum::{
    Router,
    extract::{
        Path, RawQuery, State,
        ws::{WebSocketUpgrade, rejection::WebSocketUpgradeRejection},
    },
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware,
    response::{IntoResponse, Redirect, Response},
    routing::get,
};
use program::HttpScheme;

use crate::{
    access::{AccessRights, LoggedInVisitor},
    assets,
    guard::stand_guard,
    recordings,
    refusal::PageRefusal,
    server::WebState,
    socket,
};

pub(crate) fn router(inner: Arc<WebState>) -> Router {
    let guard = inner.guard.clone();
    Router::new()
        .route("/", get(index))
        .route("/login", get(login))
        .route("/whoami", get(whoami))
        .route("/ws", get(open_socket))
        .route("/recordings/{name}", get(recording))
        .route("/{file}", get(asset))
        .fallback(|| async { PageRefusal::NotFound })
        .method_not_allowed_fallback(|| async { PageRefusal::WrongMethod })
        .with_state(inner)
        .layer(middleware::from_fn_with_state(guard, stand_guard))
}

/// The page itself contains no user data: content comes over the WebSocket, which requires both halves of the login.
async fn index(State(inner): State<Arc<WebState>>, headers: HeaderMap) -> Response {
    if inner.knows_browser(&headers) {
        assets::respond(&assets::INDEX)
    } else {
        PageRefusal::NotLoggedIn.into_response()
    }
}

/// The files contain no user data, and refusal pages need the stylesheet: no login is required.
async fn asset(Path(file): Path<String>) -> Response {
    match assets::find(&file) {
        Some(asset) => assets::respond(asset),
        None => PageRefusal::NotFound.into_response(),
    }
}

/// Downloads a recording.
async fn recording(State(inner): State<Arc<WebState>>, Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some(visitor) = inner.visitor(&headers) else { return PageRefusal::NotLoggedIn.into_response() };
    let Some(folder) = &inner.recordings else { return PageRefusal::NotFound.into_response() };
    let Some(taken) = visitor.budget.answer_now() else { return PageRefusal::TooManyAnswers.into_response() };
    match recordings::download(folder, &name, taken).await {
        Some(body) => ([(header::CONTENT_TYPE, "application/x-asciicast")], body).into_response(),
        None => PageRefusal::NotFound.into_response(),
    }
}

/// Tells a page that can't connect whether its login is valid and within budget: browsers don't show pages the status
/// code of a refused WebSocket.
async fn whoami(State(inner): State<Arc<WebState>>, headers: HeaderMap) -> Response {
    match inner.visitor(&headers) {
        None => PageRefusal::NotLoggedIn.into_response(),
        Some(visitor) if visitor.budget.page().is_none() => PageRefusal::TooMany.into_response(),
        Some(LoggedInVisitor { rights: AccessRights::Full, .. }) => "full".into_response(),
        Some(LoggedInVisitor { rights: AccessRights::ReadOnly, .. }) => "read-only".into_response(),
    }
}

/// Turns a link's token into a login. The answer is a page that stores the key and then navigates, not a redirect: if
/// the link was on another site, a redirect would still count as cross-site, and the strict cookie would not be sent.
async fn login(
    State(inner): State<Arc<WebState>>,
    method: Method,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    // A HEAD request, as link previews send, must not use up the token.
    if method != Method::GET {
        return PageRefusal::WrongMethod.into_response();
    }
    let query = query.unwrap_or_default();
    let token = query.split('&').find_map(|pair| pair.strip_prefix("token=")).unwrap_or_default();
    if token.is_empty() {
        return PageRefusal::NoToken.into_response();
    }
    let login = match inner.access.redeem(token) {
        Ok(login) => login,
        // The same browser again, from its history.
        Err(_) if inner.knows_browser(&headers) => return Redirect::to("/").into_response(),
        Err(why) => return PageRefusal::Token(why).into_response(),
    };
    let secure = if inner.scheme == HttpScheme::Https { "; Secure" } else { "" };
    let cookie = format!("{}={}; Path=/; HttpOnly; SameSite=Strict{secure}", inner.cookie_name, login.cookie);
    let Ok(cookie) = HeaderValue::from_str(&cookie) else { return PageRefusal::Failed.into_response() };
    // A key consists of letters, digits, - and _: no HTML special characters.
    let page = format!(
        "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
         <meta name=key content=\"{}\"><title>vtr</title><link rel=icon href=/icon.svg><link rel=stylesheet href=/style.css>\
         <script type=module src=/login.js></script><body class=plain><main><h1>You are logged in.</h1>\
         <p id=next><a href=/>To the sessions</a></p><noscript>This page needs JavaScript: allow it for this \
         address, and open a new link.</noscript></main></body></html>\n",
        login.key,
    );
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    (StatusCode::OK, [(header::SET_COOKIE, cookie), (header::CONTENT_TYPE, html)], page).into_response()
}

async fn open_socket(
    State(inner): State<Arc<WebState>>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    // The guard has already checked the header if there is one.
    if !headers.contains_key(header::ORIGIN) {
        return PageRefusal::NoOrigin.into_response();
    }
    let Some(visitor) = inner.visitor(&headers) else { return PageRefusal::NotLoggedIn.into_response() };
    let Ok(upgrade) = upgrade else { return PageRefusal::NoWebSocket.into_response() };
    let Some(place) = visitor.budget.page() else { return PageRefusal::TooMany.into_response() };
    // Of the protocols that the page offers, select the one that is not the secret.
    let upgrade = upgrade.protocols([socket::PROTOCOL]);
    let most = socket::max_message_bytes(visitor.rights);
    upgrade.max_message_size(most).max_frame_size(most).on_upgrade(move |socket| async move {
        socket::serve(socket, visitor, inner).await;
        drop(place);
    })
}
