//! Progress notifications of one call, under the token that its client chose.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::{
    message::{MessageRefusal, notification},
    outbox::MessageOutbox,
};

#[derive(Clone, Debug)]
pub(crate) struct ProgressLine(Arc<ProgressShared>);

#[derive(Debug)]
struct ProgressShared {
    token: Value,
    outbox: MessageOutbox,
    state: Mutex<ProgressState>,
}

#[derive(Debug, Default)]
struct ProgressState {
    /// Set once the reply or a cancellation forbids further notifications.
    closed: bool,
    /// The value of the last notification: it must increase, and no total is known.
    told: u64,
}

impl ProgressLine {
    pub(crate) fn asked_for(
        meta: Option<&serde_json::Map<String, Value>>,
        outbox: &MessageOutbox,
    ) -> Result<Option<Self>, MessageRefusal> {
        let Some(token) = meta.and_then(|meta| meta.get("progressToken")) else { return Ok(None) };
        if !(token.is_string() || token.is_i64() || token.is_u64()) {
            return Err(MessageRefusal::invalid_params("`progressToken` must be a string or a whole number"));
        }
        Ok(Some(ProgressLine(Arc::new(ProgressShared {
            token: token.clone(),
            outbox: outbox.clone(),
            state: Mutex::default(),
        }))))
    }

    pub(crate) fn tell(&self, what: &str) {
        // The lock is held while the message is queued, so that nothing can be queued after `close`.
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return;
        }
        state.told += 1;
        let params = json!({ "progressToken": self.0.token, "progress": state.told, "message": what });
        self.0.outbox.hint(&notification("notifications/progress", params));
    }

    pub(crate) fn close(&self) {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
    }
}
