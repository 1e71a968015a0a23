//! Performs the [`AttachAction`]s that layers queued: requests to coordinators, and changes of what is shown.

use fleet::{LinkNumber, coordinators};
use tui::{Sign, host::copy_to_clipboard};

use super::{AttachEnd, AttachLoop, StalePart};
use crate::attach::{
    app::AttachAction,
    errands::{self, BackgroundCall, ChangeCall},
};

/// How to ask for facts about the shown session, or for changes to it.
pub(super) struct ShownHandle<Way> {
    pub(super) way: Way,
    pub(super) link: LinkNumber,
    pub(super) id: String,
    name: String,
}

impl AttachLoop {
    fn errand(&self, place: usize) -> Option<BackgroundCall> {
        let member = self.app.roster.member(place)?;
        let (coordinator, client) = (member.coordinator.clone(), member.client.clone());
        Some(BackgroundCall { coordinator, client, news: self.teller.clone() })
    }

    pub(super) fn errand_here(&self) -> Option<ShownHandle<BackgroundCall>> {
        let shown = self.app.shown.as_ref()?;
        let way = self.errand(shown.session.coordinator)?;
        Some(ShownHandle { way, link: shown.link.number, id: shown.session.id.clone(), name: shown.name.clone() })
    }

    /// `None`, with a notice, when attached read-only.
    fn order(&mut self, place: usize) -> Option<ChangeCall> {
        let errand = self.errand(place)?;
        if !self.app.may_change() {
            return None;
        }
        Some(ChangeCall::of(errand))
    }

    fn order_here(&mut self) -> Option<ShownHandle<ChangeCall>> {
        let ShownHandle { link, id, name, .. } = self.errand_here()?;
        let way = self.order(self.app.shown.as_ref()?.session.coordinator)?;
        Some(ShownHandle { way, link, id, name })
    }

    /// Performs the queued actions.
    pub(super) fn perform(&mut self) {
        for action in std::mem::take(&mut self.app.actions) {
            self.stale = StalePart::All;
            match action {
                AttachAction::Detach => self.end = Some(AttachEnd::Left(self.last_words())),
                AttachAction::Show(wanted) => {
                    if let Some(session) = self.app.roster.find(&wanted).cloned() {
                        self.show(wanted.coordinator, &session);
                    }
                }
                AttachAction::Beside(by) => {
                    let current = self.app.shown.as_ref().map(|shown| shown.session.clone());
                    match self.app.roster.beside(current.as_ref(), by) {
                        Some(next) if Some(&next) != current.as_ref() => {
                            self.app.actions.push(AttachAction::Show(next))
                        }
                        _ => self.app.notice("there is no other session", Sign::Idle),
                    }
                }
                AttachAction::Unseen => {
                    let members = self.app.roster.members().iter().enumerate();
                    let there = members.filter_map(|(place, member)| Some((place, member.client.clone()?))).collect();
                    errands::versions(there, self.teller.clone());
                }
                AttachAction::Preview(wanted) => self.preview(wanted),
                AttachAction::LookBack(why) => {
                    if self.looking_back.replace(why).is_none()
                        && let Some(here) = self.errand_here()
                    {
                        here.way.history(here.link, here.id);
                    }
                }
                AttachAction::Kill(signal) => {
                    if let Some(here) = self.order_here() {
                        here.way.kill(here.link, here.id, signal);
                    }
                }
                AttachAction::Remove => {
                    if let Some(here) = self.order_here() {
                        here.way.remove(here.id, here.name);
                    }
                }
                AttachAction::Rename(new_name) => {
                    if let Some(here) = self.order_here() {
                        here.way.rename(here.id, new_name);
                    }
                }
                AttachAction::Create { place, name } => {
                    if let Some(order) = self.order(place) {
                        order.create(place, name, self.app.pane().size());
                    }
                }
                AttachAction::ToggleRecording => {
                    let recording = self.app.shown.as_ref().is_some_and(|shown| shown.info.recording);
                    if let Some(here) = self.order_here() {
                        here.way.record(here.id, !recording);
                    }
                }
                AttachAction::Copy(text) => self.copy(&text),
                AttachAction::LookForCoordinators => {
                    if let Ok(known) = coordinators::known(self.socket.as_deref(), &self.config, &self.surroundings) {
                        self.app.roster.watch(&known, &[]);
                    }
                }
            }
        }
        if !self.app.actions.is_empty() {
            self.perform();
        }
    }

    fn copy(&mut self, text: &str) {
        match copy_to_clipboard(text) {
            Some(bytes) => {
                let _ = self.host.write(&bytes);
                self.app.notice(format!("copied {} characters", text.chars().count()), Sign::Running);
            }
            None => self.app.notice("too long for the clipboard: select less", Sign::Failed),
        }
    }
}
