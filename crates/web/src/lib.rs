//! The web face: sessions of any number of coordinators in a browser.
//!
//! It speaks HTTP and one WebSocket a page to browsers, and gRPC to coordinators; screens travel as row diffs, keys as
//! key events, and recordings are replayed here, so that the page in `page/` draws and never parses an escape sequence.
//! Who may come in is decided in `guard` (which names and origins) and `access` (links and logins).
//!
//! It knows no configuration, command line, home folder or environment: the program passes a [`CoordinatorFleet`] and [`WebSettings`].

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
