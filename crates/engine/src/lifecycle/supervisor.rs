//! Propagates the end of a session to its children.

use std::sync::{Arc, Weak};

use tokio::sync::mpsc;

use crate::engine::EngineInner;
use crate::lifecycle::StopRequest;
use crate::names::SessionId;
use crate::session::Session;

/// Stops the children of every session that ended. Their own children follow when they end.
///
/// Runs while a sender of ends exists; it does not keep an engine alive.
pub(crate) async fn run(engine: Weak<EngineInner>, mut ended: mpsc::UnboundedReceiver<SessionId>) {
    while let Some(parent) = ended.recv().await {
        let Some(engine) = engine.upgrade() else { return };
        for child in engine.directory.children_of(parent) {
            let child = Session::new(Arc::clone(&engine), child);
            // Each has its own grace period: one that ignores TERM does not delay the others.
            tokio::spawn(async move { child.stop(StopRequest::default()).await });
        }
    }
}
