//! The coordinator: `vtr serve`. It owns the engine and one socket, on which gRPC and MCP are told apart by their first
//! bytes. It adds nothing to what the operations do.

pub(crate) mod daemon;
pub(crate) mod folder;
pub(crate) mod group;
pub(crate) mod host;
pub(crate) mod log;
pub(crate) mod lost;
pub(crate) mod roll;
pub(crate) mod run;
pub(crate) mod settings;
pub(crate) mod stop;
