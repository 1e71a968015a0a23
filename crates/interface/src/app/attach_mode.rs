//! How `vtr attach` uses the interface: on coordinators alone, with a leader key, and without a frame if the person
//! wants none.

use std::path::PathBuf;

use fleet::Coordinator;
use grpc::{client::CoordinatorClient, proto::Session};
use project::{
    Settings,
    settings::{StatusLine, StatusPart},
};
use tui::{
    Sign, SkinRole, Span,
    widgets::{StyledLine, Toast},
};
use vt::input::KeyEvent;

use crate::layout::PaneTree;

use super::{
    commands::{self, CommandSection, ScreenCommand},
    input,
    leader::{LeaderKeys, SEND_LEADER},
    model::InterfaceState,
    recordings, remote_sessions,
    sessions::SessionItem,
    sources::SourceConnection,
};

/// What `vtr attach` was asked for.
#[derive(Debug)]
pub struct AttachWishes {
    pub keys: LeaderKeys,
    /// The only coordinator, if the command line names one.
    pub socket: Option<PathBuf>,
    /// The coordinators that exist, and connections to some of them.
    pub known: Vec<Coordinator>,
    pub clients: Vec<(Coordinator, CoordinatorClient)>,
    /// What to show first; without one, the person chooses.
    pub session: Option<(Coordinator, Session)>,
    pub read_only: bool,
    pub no_resize: bool,
    pub framed: bool,
    /// Report the sessions' work to the host terminal, if it supports that.
    pub reports: bool,
}

/// Why attaching ended.
#[derive(Debug)]
pub enum AttachEnd {
    /// The person left; the text says what becomes of the session.
    Left(String),
    /// A signal, by its name.
    Signal(&'static str),
    TerminalGone,
    /// There was nothing to choose from: each coordinator, and why it did not answer.
    NobodyAnswered(Vec<(String, String)>),
}

/// The state that only `vtr attach` has.
#[derive(Debug)]
pub(crate) struct AttachMode {
    pub(super) leader: KeyEvent,
    /// Whether there is anything around the panes.
    pub(super) framed: bool,
    /// What ends it, besides the person.
    pub(super) end: Option<AttachEnd>,
}

pub(super) const COMMANDS: &[ScreenCommand] = &[
    ScreenCommand {
        id: "next-remote",
        title: "Next session of all coordinators",
        section: CommandSection::Tabs,
        keys: &[],
        when: |app| app.attach.is_some(),
        run: |app| remote_sessions::beside(app, 1),
    },
    ScreenCommand {
        id: "previous-remote",
        title: "Previous session of all coordinators",
        section: CommandSection::Tabs,
        keys: &[],
        when: |app| app.attach.is_some(),
        run: |app| remote_sessions::beside(app, -1),
    },
    ScreenCommand {
        id: "unseen-remote",
        title: "Next session with output that you have not seen",
        section: CommandSection::Tabs,
        keys: &[],
        when: |app| app.attach.is_some(),
        run: remote_sessions::unseen,
    },
    ScreenCommand {
        id: "toggle-recording",
        title: "Start or stop recording this session",
        section: CommandSection::Recordings,
        keys: &[],
        when: |app| app.attach.is_some() && app.session().is_some(),
        run: recordings::toggle,
    },
    ScreenCommand {
        id: "hide-frame",
        title: "Hide or show the frame",
        section: CommandSection::Windows,
        keys: &[],
        when: |app| app.attach.is_some(),
        run: |app| {
            if let Some(attach) = &mut app.attach {
                attach.framed = !attach.framed;
            }
        },
    },
    ScreenCommand {
        id: SEND_LEADER,
        title: "Send the leader key to the program",
        section: CommandSection::Pane,
        keys: &[],
        when: |app| app.attach.is_some(),
        run: |app| {
            if let Some(leader) = app.attach.as_ref().map(|attach| attach.leader.clone()) {
                input::to_pane(app, &leader);
            }
        },
    },
];

/// The settings, which have no file of their own: vtr's `[attach]` has the few that matter.
pub(super) fn settings() -> Settings {
    let mut settings = Settings::default();
    // One calls it: most attach to a single session.
    settings.rail.visible = false;
    settings.status_line = StatusLine {
        left: vec![StatusPart::Control, StatusPart::Program, StatusPart::Folder],
        right: vec![StatusPart::Recording, StatusPart::Size, StatusPart::Clock, StatusPart::Waiting, StatusPart::Keys],
    };
    settings
}

/// After the leader: the keys that one needs first.
pub(super) fn leader_hints(app: &InterfaceState) -> StyledLine {
    const FIRST: [(&str, &str); 4] =
        [(commands::QUIT, "leave"), ("open-remote", "sessions"), ("next-remote", "next"), ("help", "help")];
    if app.attach.is_none() {
        return Vec::new();
    }
    let (key, word) = (app.skin.style(SkinRole::KeyName), app.skin.style(SkinRole::Muted));
    let hint = |(id, does): (&str, &str)| {
        let keys = app.keymap.keys_of(id)?;
        let last = keys.rsplit(' ').next()?.to_owned();
        Some([Span::new(format!("  {last}"), key), Span::new(format!(" {does}"), word)])
    };
    FIRST.into_iter().filter_map(hint).flatten().collect()
}

/// Whether there is nothing around the panes.
pub(super) fn is_frameless(app: &InterfaceState) -> bool {
    app.attach.as_ref().is_some_and(|attach| !attach.framed)
}

/// The session that is all there is to see.
pub(super) fn only_session(app: &InterfaceState) -> Option<&SessionItem> {
    let is_alone = app.sessions.items().len() == 1 && app.sessions.panes().is_some_and(PaneTree::is_single);
    app.sessions.focused().filter(|_| app.attach.is_some() && is_alone && app.grid.is_none())
}

/// Without a frame: what must not be overlooked all the same.
pub(super) fn badge(app: &InterfaceState) -> Option<Toast> {
    let item = app.sessions.focused().filter(|item| is_frameless(app) && item.has_trouble())?;
    let text = match item.connection() {
        Some(SourceConnection::Lost(why)) => format!("LOST: {why}"),
        Some(SourceConnection::Gone(why)) => format!("GONE: {why}"),
        _ => item.word(),
    };
    Some(Toast { text, sign: Sign::Exited })
}

/// Nothing is shown, and no coordinator answers: there is nothing to choose from.
pub(super) fn end_if_nobody_answers(app: &mut InterfaceState) {
    let Some(attach) = &mut app.attach else { return };
    if app.sessions.is_empty() && app.remote.nobody_answered() {
        attach.end = Some(AttachEnd::NobodyAnswered(app.remote.silences()));
        app.done = true;
    }
}

/// What the person reads after leaving.
pub(super) fn last_words(app: &InterfaceState) -> String {
    let Some(item) = app.sessions.focused() else { return "[left]".to_owned() };
    let name = &item.name;
    match item.connection() {
        Some(SourceConnection::Gone(_)) => format!("[{name} is gone]"),
        _ if item.has_ended() => format!("[{name} {}]", item.word().replace("EXITED", "exited")),
        _ => format!("[detached from {name}]"),
    }
}
