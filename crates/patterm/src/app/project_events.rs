//! What the project says without having been asked, each to the part that it is for.

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
        // The palette reads them when it is opened.
        ProjectEvent::HookReported { .. } | ProjectEvent::PresetsChanged => {}
    }
}

/// Some were missed: everything that waits is looked at again.
pub(super) fn missed(app: &mut InterfaceState) {
    trust_prompt::pending(app);
    scratchpads::changed(app);
    app.stale = true;
}
