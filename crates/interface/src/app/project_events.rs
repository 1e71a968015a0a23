//! Dispatches the project's events to the parts that they concern.

use project::ProjectEvent;

use super::{attention, model::InterfaceState, scratchpads, trust_prompt};

pub(super) fn heard(app: &mut InterfaceState, event: ProjectEvent) {
    app.dirty = true;
    match event {
        ProjectEvent::Attention { session, reason, caller } => attention::asked(app, session, reason, caller),
        ProjectEvent::PromptsChanged { session } => attention::asks_otherwise(app, session),
        ProjectEvent::VersionNote { session: _, note } => app.toast(tui::Sign::Unseen, note),
        ProjectEvent::Select { session, caller } => attention::advised(app, session, caller),
        ProjectEvent::TrustPending => trust_prompt::pending(app),
        ProjectEvent::TrustChanged => trust_prompt::changed(app),
        ProjectEvent::ScratchpadsChanged => scratchpads::changed(app),
        // The palette reads presets when it is opened.
        ProjectEvent::HookReported { .. } | ProjectEvent::PresetsChanged => {}
    }
}

/// Some events were missed: everything that may be waiting is checked again.
pub(super) fn missed(app: &mut InterfaceState) {
    trust_prompt::pending(app);
    scratchpads::changed(app);
    app.stale = true;
}
