//! Processes output after it was read: ring, screen, replies, pulse.

use std::time::Instant;

use crate::fair_lock::lock;
use crate::io::run::ProgramRun;
use crate::notices::EngineEvent;
use crate::session::shared::SessionShared;

/// Bytes parsed each time the screen is locked: a reader of a flooding session waits for one such piece at most.
const LOCKED_BYTES: usize = 16 << 10;

/// Processes `bytes`, which follow the ones before. The caller is responsible for the late pulse.
pub(crate) fn absorb(shared: &SessionShared, run: &ProgramRun, bytes: &[u8]) {
    let now = shared.clock.now();
    lock(&shared.ring).append(bytes);
    let mut replies = Vec::new();
    let (mut version, mut offset, mut update_due, mut reported) = (0, 0, None, false);
    for part in bytes.chunks(LOCKED_BYTES) {
        let mut screen = shared.screen.lock();
        screen.feed(part, now, &mut replies);
        (version, offset, update_due) = (screen.version(), screen.offset(), screen.update_due());
        reported |= screen.take_reported();
    }
    run.set_update_due(update_due);
    shared.note_output(now);
    shared.publish_output(version, offset);
    if reported {
        shared.notices.tell(EngineEvent::Reported(shared.id));
    }
    if !replies.is_empty() {
        // A child that sends queries without reading the replies loses them: the queue is bounded.
        let _ = run.type_bytes(&replies);
    }
}

/// Ends a synchronized update that has lasted too long.
pub(crate) fn expire_update(shared: &SessionShared, run: &ProgramRun, now: Instant) {
    let (expired, version, offset, update_due) = {
        let mut screen = shared.screen.lock();
        (screen.expire_update(now), screen.version(), screen.offset(), screen.update_due())
    };
    run.set_update_due(update_due);
    if expired {
        shared.publish(version, offset);
    }
}
