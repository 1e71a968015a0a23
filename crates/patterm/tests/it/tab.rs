//! A tab with an agent at its root, and two clients for it: the person, and the agent itself.

use crate::{
    client::Client,
    stage::{Headless, Stage},
};

pub(crate) struct Tab {
    pub(crate) human: Client,
    /// Connected as the lead, besides the fake itself.
    pub(crate) as_lead: Client,
    /// The session at the root.
    pub(crate) lead: String,
    // Dropped last, in this order: the server, and its folder.
    pub(crate) patterm: Headless,
    _stage: Stage,
}

impl Tab {
    /// All CLIs are fakes that do as they are told; the lead is a claude.
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
