//! Refusals shown in the browser: a status code and a plain page that says what to do.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};

use crate::access::NotRedeemed;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageRefusal {
    /// The Host header names another host.
    WrongHost,
    /// The request comes from another site.
    WrongOrigin,
    /// A WebSocket without an Origin: no page opened it.
    NoOrigin,
    NotLoggedIn,
    NoToken,
    Token(NotRedeemed),
    NotFound,
    WrongMethod,
    NoWebSocket,
    TooMany,
    /// Too many downloads, or too many look-ups of the login's pages.
    TooManyAnswers,
    Failed,
}

impl PageRefusal {
    fn status(self) -> StatusCode {
        match self {
            PageRefusal::WrongHost => StatusCode::MISDIRECTED_REQUEST,
            PageRefusal::WrongOrigin | PageRefusal::NoOrigin => StatusCode::FORBIDDEN,
            PageRefusal::NotLoggedIn | PageRefusal::NoToken | PageRefusal::Token(_) => StatusCode::UNAUTHORIZED,
            PageRefusal::NotFound => StatusCode::NOT_FOUND,
            PageRefusal::WrongMethod => StatusCode::METHOD_NOT_ALLOWED,
            PageRefusal::NoWebSocket => StatusCode::UPGRADE_REQUIRED,
            PageRefusal::TooMany | PageRefusal::TooManyAnswers => StatusCode::SERVICE_UNAVAILABLE,
            PageRefusal::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// What happened, and what to do next.
    fn text(self) -> (&'static str, &'static str) {
        const NEW_LINK: &str = "Ask the person who runs vtr web for a new link, or press Enter in its terminal.";
        match self {
            PageRefusal::WrongHost => (
                "This server does not answer to that name.",
                "Use the address that vtr web printed, or start it with --host NAME.",
            ),
            PageRefusal::WrongOrigin => {
                ("This request came from another site.", "Open the address in a tab of its own instead.")
            }
            PageRefusal::NoOrigin => (
                "This connection was not opened by the page.",
                "Programs use the coordinator's socket: see vtr --help.",
            ),
            PageRefusal::NotLoggedIn => {
                ("You are not logged in.", "Open the link that vtr web printed; each works for one browser.")
            }
            PageRefusal::NoToken => {
                ("This link has no token.", "Copy the whole link that vtr web printed, up to its last character.")
            }
            PageRefusal::Token(NotRedeemed::Unknown) => ("This link is unknown.", NEW_LINK),
            PageRefusal::Token(NotRedeemed::Used) => ("This link has already been used.", NEW_LINK),
            PageRefusal::Token(NotRedeemed::TooOld) => ("This link is too old.", NEW_LINK),
            PageRefusal::NotFound => ("Page not found.", "The sessions are at /"),
            PageRefusal::WrongMethod => ("This method is not allowed.", "Use GET."),
            PageRefusal::NoWebSocket => ("This address is for the page's own connection.", "Open / instead."),
            PageRefusal::TooMany => ("Too many pages are open.", "Close some of them, and try again."),
            PageRefusal::TooManyAnswers => {
                ("Too many downloads at the moment.", "Wait until one has finished, and try again.")
            }
            PageRefusal::Failed => ("Something went wrong.", "Try again; the output of vtr web may say more."),
        }
    }
}

impl IntoResponse for PageRefusal {
    fn into_response(self) -> Response {
        let (what, next) = self.text();
        let status = self.status();
        // The texts are constants without HTML special characters.
        let page = format!(
            "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
             <title>{number} {what}</title><link rel=icon href=/icon.svg><link rel=stylesheet href=/style.css>\
             <body class=plain><main><p class=code>{number}</p><h1>{what}</h1><p>{next}</p></main></body></html>\n",
            number = status.as_u16(),
        );
        let html = HeaderValue::from_static("text/html; charset=utf-8");
        (status, [(header::CONTENT_TYPE, html)], page).into_response()
    }
}
