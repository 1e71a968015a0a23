//! Commands for patterm itself: palette, rail, quitting.

use tui::Sign;

use super::{CommandSection, PALETTE, QUIT, ScreenCommand, always, with_session};
use crate::app::{
    frame::key_name,
    help,
    model::{HostOrder, InterfaceState},
    palette, quitting, themes,
};

/// Columns per step of resizing the rail.
const RAIL_STEP: u16 = 4;
/// The rail's allowed widths in columns, the same as in the settings.
pub(crate) const RAIL_LIMITS: (u16, u16) = (12, 120);

pub(super) const COMMANDS: &[ScreenCommand] = &[
    ScreenCommand {
        id: PALETTE,
        title: "Command palette",
        section: CommandSection::Program,
        keys: &["ctrl-k"],
        when: always,
        run: palette::open,
    },
    ScreenCommand {
        id: "rail",
        title: "Show or hide the rail",
        section: CommandSection::Program,
        keys: &[],
        when: with_session,
        run: |app| {
            app.rail.visible = !app.rail.visible;
            if app.rail.visible {
                rail_is_there(app);
            }
        },
    },
    ScreenCommand {
        id: "rail-wider",
        title: "Make the rail wider",
        section: CommandSection::Program,
        keys: &[],
        when: with_session,
        run: |app| {
            if rail_is_there(app) {
                app.rail.cols = (app.rail.cols + RAIL_STEP).min(RAIL_LIMITS.1);
            }
        },
    },
    ScreenCommand {
        id: "rail-narrower",
        title: "Make the rail narrower",
        section: CommandSection::Program,
        keys: &[],
        when: with_session,
        run: |app| {
            if rail_is_there(app) {
                app.rail.cols = app.rail.cols.saturating_sub(RAIL_STEP).max(RAIL_LIMITS.0);
            }
        },
    },
    ScreenCommand {
        id: "redraw",
        title: "Redraw screen",
        section: CommandSection::Program,
        keys: &[],
        when: always,
        run: |app| app.errand(HostOrder::Redraw),
    },
    ScreenCommand {
        id: "suspend",
        title: "Suspend patterm (its sessions pause too)",
        section: CommandSection::Program,
        keys: &[],
        when: always,
        run: |app| app.errand(HostOrder::Suspend),
    },
    ScreenCommand {
        id: "help",
        title: "Help",
        section: CommandSection::Program,
        keys: &[],
        when: always,
        run: help::open,
    },
    ScreenCommand {
        id: "mouse",
        title: "Mouse: on/off",
        section: CommandSection::Program,
        keys: &[],
        when: always,
        run: |app| {
            app.mouse = !app.mouse;
            app.errand(HostOrder::Mouse(app.mouse));
            let text = match app.mouse {
                true => "mouse on: clicks and the wheel are patterm's",
                false => "mouse off: clicks and the wheel are your terminal's",
            };
            app.toast(Sign::Idle, text);
        },
    },
    ScreenCommand {
        id: "theme",
        title: "Theme…",
        section: CommandSection::Program,
        keys: &[],
        when: always,
        run: themes::open,
    },
    ScreenCommand {
        id: QUIT,
        title: "Quit",
        section: CommandSection::Program,
        keys: &[],
        when: always,
        run: quitting::ask,
    },
];

/// Whether the rail is on the screen; if not, a notice says why.
pub(super) fn rail_is_there(app: &mut InterfaceState) -> bool {
    let there = app.places().rail.is_some();
    if !there && app.rail.visible {
        let key = app.keymap.keys_of("rail-focus").map_or("\"Go to the rail\"".to_owned(), |keys| key_name(&keys));
        app.toast(Sign::Unknown, format!("the terminal is too narrow to keep the rail in sight: {key} calls it"));
    } else if !there {
        app.toast(Sign::Unknown, "the rail is hidden: \"Show or hide the rail\" brings it back");
    }
    there
}
