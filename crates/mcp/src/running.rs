//! The requests of one connection that are in progress.

use std::{collections::HashMap, time::Duration};

use tokio::task::{self, AbortHandle, JoinError, JoinSet};

use crate::{era::ProtocolEra, message::RequestId, outbox::ReservedReply, progress::ProgressLine};

#[derive(Debug)]
pub(crate) struct RunningRequests {
    limit: usize,
    tasks: JoinSet<ReservedReply>,
    requests: HashMap<RequestId, RequestHandle>,
    of_task: HashMap<task::Id, RequestId>,
}

#[derive(Debug)]
struct RequestHandle {
    era: ProtocolEra,
    /// `None`: nothing runs, and the request stays open until it is cancelled.
    task: Option<AbortHandle>,
    progress: Option<ProgressLine>,
}

/// A request that has finished.
#[derive(Debug)]
pub(crate) enum FinishedRequest {
    Replied(ReservedReply),
    Panicked(RequestId, ProtocolEra),
}

impl RunningRequests {
    pub(crate) fn new(limit: usize) -> Self {
        RunningRequests { limit, tasks: JoinSet::new(), requests: HashMap::new(), of_task: HashMap::new() }
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    pub(crate) fn contains(&self, id: &RequestId) -> bool {
        self.requests.contains_key(id)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.requests.len() >= self.limit
    }

    pub(crate) fn start(
        &mut self,
        id: RequestId,
        era: ProtocolEra,
        progress: Option<ProgressLine>,
        reply: impl Future<Output = ReservedReply> + Send + 'static,
    ) {
        let task = self.tasks.spawn(reply);
        self.of_task.insert(task.id(), id.clone());
        self.requests.insert(id, RequestHandle { era, task: Some(task), progress });
    }

    pub(crate) fn keep_open(&mut self, id: RequestId, era: ProtocolEra) {
        self.requests.insert(id, RequestHandle { era, task: None, progress: None });
    }

    /// Drops the request's future. Nothing more is sent for it, even if it has just finished.
    pub(crate) fn cancel(&mut self, id: &RequestId) -> bool {
        let Some(handle) = self.requests.remove(id) else { return false };
        handle.close_progress();
        if let Some(task) = handle.task {
            self.of_task.remove(&task.id());
            task.abort();
        }
        true
    }

    /// Waits for the next request to finish; pending while there is none.
    pub(crate) async fn finished(&mut self) -> FinishedRequest {
        loop {
            match self.tasks.join_next_with_id().await {
                Some(ended) => {
                    if let Some(finished) = self.take_finished(ended) {
                        return finished;
                    }
                }
                None => std::future::pending().await,
            }
        }
    }

    fn take_finished(&mut self, ended: Result<(task::Id, ReservedReply), JoinError>) -> Option<FinishedRequest> {
        let task = match &ended {
            Ok((task, _)) => *task,
            Err(error) => error.id(),
        };
        // A cancelled request is no longer known.
        let id = self.of_task.remove(&task)?;
        let handle = self.requests.remove(&id)?;
        handle.close_progress();
        Some(match ended {
            Ok((_, reply)) => FinishedRequest::Replied(reply),
            Err(_) => FinishedRequest::Panicked(id, handle.era),
        })
    }

    /// Cancels all requests, and waits until their futures are dropped, within limits.
    pub(crate) async fn cancel_all(&mut self) {
        /// Operations yield far more often than this; one that doesn't must not hold up the connection.
        const PATIENCE: Duration = Duration::from_secs(1);
        for handle in self.requests.values() {
            handle.close_progress();
        }
        self.requests.clear();
        self.of_task.clear();
        let _ = tokio::time::timeout(PATIENCE, self.tasks.shutdown()).await;
    }
}

impl RequestHandle {
    fn close_progress(&self) {
        if let Some(progress) = &self.progress {
            progress.close();
        }
    }
}
