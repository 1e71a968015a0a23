//! Commands for the pane in sight: who drives it, and what its keys mean.

use engine::{Input, Owner};

use super::{CommandSection, ScreenCommand, with_live_session, with_session};
use crate::app::{
    history, input,
    look_back::{self, LookBackManner},
    model::InterfaceState,
    ownership, pass_through,
};

pub(super) const COMMANDS: &[ScreenCommand] = &[
    ScreenCommand {
        id: "take-control",
        title: "Take input control",
        section: CommandSection::Pane,
        keys: &[],
        when: |app| app.sessions.focused().is_some_and(|item| !item.has_ended() && item.owner == Owner::Orchestrator),
        run: take_control,
    },
    ScreenCommand {
        id: "release-control",
        title: "Release control to orchestrator",
        section: CommandSection::Pane,
        keys: &[],
        when: |app| app.sessions.focused().is_some_and(|item| item.parent.is_some() && item.owner == Owner::User),
        run: ownership::release,
    },
    ScreenCommand {
        id: "send-palette-key",
        title: "Send the palette's key to the program",
        section: CommandSection::Pane,
        keys: &[],
        when: with_live_session,
        run: send_palette_key,
    },
    ScreenCommand {
        id: "pass-through",
        title: "Pass all keys through to this program",
        section: CommandSection::Pane,
        keys: &[],
        when: with_live_session,
        run: pass_through::begin,
    },
    ScreenCommand {
        id: "copy-mode",
        title: "Look back and copy",
        section: CommandSection::Pane,
        keys: &[],
        when: with_session,
        run: |app| look_back::begin(app, LookBackManner::Keys),
    },
    ScreenCommand {
        id: "search-history",
        title: "Search this session's history",
        section: CommandSection::Pane,
        keys: &[],
        when: with_session,
        run: look_back::search,
    },
    ScreenCommand {
        id: "edit-history",
        title: "Open this session's history in your editor",
        section: CommandSection::Pane,
        keys: &[],
        when: with_session,
        run: history::edit,
    },
    ScreenCommand {
        id: "copy-screen",
        title: "Copy everything on this screen",
        section: CommandSection::Pane,
        keys: &[],
        when: with_session,
        run: |app| {
            if let Some(text) = app.session().map(|session| session.screen_text()) {
                look_back::copy(app, text);
            }
        },
    },
    ScreenCommand {
        id: "paste-copied",
        title: "Paste what was copied",
        section: CommandSection::Pane,
        keys: &[],
        when: |app| with_live_session(app) && !app.copied.is_empty(),
        run: |app| {
            input::send(app, Input::Paste(app.copied.clone()));
        },
    },
];

fn take_control(app: &mut InterfaceState) {
    let Some(session) = app.session().cloned() else { return };
    // Typing nothing takes control and changes nothing else.
    let _ = session.send(Input::Text(String::new()));
    app.toast(tui::Sign::Idle, "you have control of this pane");
}

/// Sends the first key of the palette's binding, as the program would get it without us.
fn send_palette_key(app: &mut InterfaceState) {
    let keys = app.keymap.keys_of(super::PALETTE).unwrap_or_default();
    let Some(key) = keys.split_whitespace().next().and_then(|key| key.parse().ok()) else { return };
    if let Some(session) = app.session().cloned() {
        ownership::typing(app, &session);
        let _ = session.send(Input::Key(key));
    }
}
