//! Messages from a page over the WebSocket, as JSON. They are untrusted, so they are parsed into these types only.
//! `page/types.d.ts` is the other side. This file uses nothing else of the crate, since a fuzz target includes it.

use serde::Deserialize;

/// A view of the page: one session or recording. The page chooses the number.
pub(crate) type ViewId = u32;

#[derive(Debug, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case")]
pub(crate) enum FromPage {
    /// Opens a view of a session, by id or else by name.
    Watch {
        view: ViewId,
        coordinator: String,
        session: String,
        #[serde(default)]
        name: String,
        /// Minimum milliseconds between two frames.
        pace: u32,
    },
    /// Opens a view of a recording.
    Play {
        view: ViewId,
        recording: String,
    },
    Close {
        view: ViewId,
    },
    Pace {
        view: ViewId,
        pace: u32,
    },
    /// The view's size in cells; absent if the view must not resize the session.
    Size {
        view: ViewId,
        cols: i32,
        rows: i32,
    },
    /// A frame was drawn.
    Ack {
        view: ViewId,
        version: u64,
    },
    /// Asks for a recording's frame at a time.
    At {
        view: ViewId,
        ms: u64,
    },
    Key {
        view: ViewId,
        #[serde(default)]
        key: String,
        #[serde(default)]
        text: String,
        /// As in the proto's KeyAction.
        #[serde(default)]
        action: i32,
    },
    Paste {
        view: ViewId,
        text: String,
    },
    Mouse {
        view: ViewId,
        /// As in the proto.
        action: i32,
        button: i32,
        x: i32,
        y: i32,
        #[serde(default)]
        modifiers: u32,
    },
    Focus {
        view: ViewId,
        gained: bool,
    },
    Ask {
        number: u32,
        #[serde(flatten)]
        ask: PageRequest,
    },
    Ping {},
}

/// A request that is answered once.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub(crate) enum PageRequest {
    Spawn {
        coordinator: String,
        #[serde(default)]
        name: String,
        #[serde(default)]
        command: String,
        #[serde(default)]
        working_dir: String,
        #[serde(default)]
        cols: i32,
        #[serde(default)]
        rows: i32,
    },
    Kill {
        coordinator: String,
        session: String,
        signal: String,
    },
    Remove {
        coordinator: String,
        session: String,
    },
    Rename {
        coordinator: String,
        session: String,
        name: String,
    },
    /// `start`, `stop` or `status`.
    Record {
        coordinator: String,
        session: String,
        action: String,
    },
    /// The history with its styles, and the screen; with `before`, only lines before that one, to page back further.
    History {
        coordinator: String,
        session: String,
        #[serde(default)]
        before: Option<u64>,
    },
    Recordings {},
    Share {
        may_type: bool,
    },
    /// Ends this login, also in the browser's other tabs.
    LogOut {},
}

impl PageRequest {
    /// Whether it changes nothing; its answer may be large.
    pub(crate) fn only_looks(&self) -> bool {
        matches!(self, PageRequest::History { .. } | PageRequest::Recordings {})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pages_say_is_read() {
        let read = |text: &str| serde_json::from_str::<FromPage>(text);
        let ask = read(r#"{"t":"ask","number":3,"ask":"kill","coordinator":"a","session":"p_1","signal":"TERM"}"#);
        assert!(matches!(ask.unwrap(), FromPage::Ask { number: 3, ask: PageRequest::Kill { .. } }));
        assert!(matches!(read(r#"{"t":"key","view":1,"key":"ctrl+c"}"#).unwrap(), FromPage::Key { action: 0, .. }));
        assert!(matches!(read(r#"{"t":"ping"}"#).unwrap(), FromPage::Ping {}));
        for wrong in [r#"{"t":"key"}"#, r#"{"t":"what"}"#, "[]", r#"{"t":"ask","number":1,"ask":"format"}"#] {
            read(wrong).unwrap_err();
        }
    }
}
