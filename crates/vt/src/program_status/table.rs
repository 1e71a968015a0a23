//! The records of one terminal: replaced, cleared and dropped as the protocol says.

use std::sync::Arc;

use super::{StatusChange, StatusRecord};
use crate::effect::Effect;

#[derive(Debug, Default)]
pub(crate) struct StatusTable {
    /// Least recently updated first: that one has to go when there are too many.
    records: Vec<Arc<StatusRecord>>,
}

impl StatusTable {
    pub(crate) fn records(&self) -> &[Arc<StatusRecord>] {
        &self.records
    }

    pub(crate) fn set(&mut self, record: StatusRecord, effects: &mut Vec<Effect>) {
        if let Some(index) = self.records.iter().position(|known| known.id == record.id) {
            self.records.remove(index);
        } else if self.records.len() >= StatusRecord::MAX_RECORDS {
            let oldest = self.records.remove(0);
            effects.push(Effect::ProgramStatus(StatusChange::Removed(oldest.id.clone())));
        }
        let record = Arc::new(record);
        self.records.push(Arc::clone(&record));
        effects.push(Effect::ProgramStatus(StatusChange::Set(record)));
    }

    /// Removes the record with this id and all below it; with an empty id, every record.
    pub(crate) fn clear(&mut self, id: &str, effects: &mut Vec<Effect>) {
        self.retain(effects, |record| !record.is_within(id));
    }

    /// Who reported has ended, or a shell asks for the next command: what was going on no longer does, results stay.
    pub(crate) fn end_program(&mut self, effects: &mut Vec<Effect>) {
        self.retain(effects, |record| record.state.outlives_program());
    }

    fn retain(&mut self, effects: &mut Vec<Effect>, keep: impl Fn(&StatusRecord) -> bool) {
        self.records.retain(|record| {
            let keep = keep(record);
            if !keep {
                effects.push(Effect::ProgramStatus(StatusChange::Removed(record.id.clone())));
            }
            keep
        });
    }
}
