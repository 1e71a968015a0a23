//! A tab with an agent at its root, and who drives it: the person, and the agent itself.

use crate::{
    client::Client,
    stage::{Headless, Stage},
};

pub(crate) struct Tab {
    pub(crate) human: Client,
    /// Connected as the lead, beside the fake itself.
    pub(crate) as_lead: Client,
    /// The session at the root.
    pub(crate) lead: String,
    // Dropped last, in this order: who serves, and where.
    pub(crate) patterm: Headless,
    _stage: Stage,
}

impl Tab {
    /// All makes are fakes that do as they are told; the lead is a claude.
    #[track_caller]
    pub(crate) fn new() -> Self {
        let stage = Stage::new();
        stage.install_fakes();
        let patterm = stage.headless(&[]);
        let mut human = patterm.operator();
        let lead = human.spawn_agent("claude", "lead", "");
        let as_lead = Client::behind_proxy(&patterm.agents()[0]);
        Tab { human, as_lead, lead, patterm, _stage: stage }
    }
}
