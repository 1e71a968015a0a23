//! The web face: sessions of any number of coordinators in a browser.
//!
//! It speaks HTTP and one WebSocket per page to browsers, and gRPC to coordinators. Screens are sent as row diffs and
//! keys as key events, and recordings are replayed on the server, so the page in `page/` only draws and never parses an
//! escape sequence. `guard` checks host names and origins, and `access` checks links and logins.
//!
//! It knows no configuration, command line, home folder or environment: the program passes a [`CoordinatorFleet`] and
//! [`WebSettings`].

mod access;
mod assets;
mod attachment;
mod budget;
mod connections;
mod directory;
mod frame;
mod from_page;
mod guard;
mod listener;
mod message;
mod recordings;
mod refusal;
mod requests;
mod routes;
mod server;
mod socket;

pub use access::AccessRights;
pub use directory::{CoordinatorFleet, NamedCoordinator};
pub use listener::TlsError;
pub use server::{LinkMaker, NoRandomness, StartError, TlsFiles, WebServer, WebSettings};
