//! Requests of the program in sight that go beyond its screen: the bell, the clipboard.

use std::time::Instant;

use engine::SessionEvent;
use project::settings::Osc52;
use tui::{Sign, host::copy_to_clipboard};
use vt::Effect;

use super::{
    attention,
    model::{HostOrder, InterfaceState},
};

pub(super) fn heard(app: &mut InterfaceState, event: SessionEvent) {
    match event {
        SessionEvent::Child(Effect::Bell) => attention::ring(app, Instant::now()),
        SessionEvent::Child(Effect::Clipboard { data, .. }) => wants_clipboard(app, &data),
        SessionEvent::Owner(_) | SessionEvent::Status(_) => app.stale = true,
        SessionEvent::Child(_) => {}
    }
}

/// Only if the settings allow it, only from the focused pane, and never without a notice.
fn wants_clipboard(app: &mut InterfaceState, data: &[u8]) {
    let allowed = app.settings.osc52 == Osc52::Focused && app.host_focused;
    let text = String::from_utf8_lossy(data);
    match copy_to_clipboard(&text).filter(|_| allowed) {
        Some(bytes) => {
            app.errand(HostOrder::Say(bytes));
            app.toast(Sign::Idle, "the program copied to your clipboard");
        }
        None if allowed => app.toast(Sign::Blocked, "the program's copy is too long for the clipboard"),
        None => app.toast(Sign::Blocked, "the program wants your clipboard: \"osc52\" in config.json allows it"),
    }
}
