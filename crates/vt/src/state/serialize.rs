//! The screen as a stream that redraws it.

use super::State;

impl State {
    pub(crate) fn serialize(&self) -> Vec<u8> {
        Vec::new()
    }
}
