//! Keeps the interface's state current: the engine's sessions, agents' states, sizes, colours.

use engine::{Kind, SessionId};
use ops::Context;
use project::settings::Signs;
use tokio::sync::watch;
use tui::{ColorScheme, GlyphSet, Skin};
use vt::Size;

use super::{
    attention, editor, look_back,
    model::{InterfaceState, KeyboardFocus},
    sources::SessionHandle,
};

impl InterfaceState {
    /// Refreshes the list of sessions, and follows the states of new agents.
    pub(super) fn refresh(&mut self) {
        self.stale = false;
        self.dirty = true;
        // What a refresh spawns must run with the other tasks, not in our loop.
        let tasks = self.tasks.clone();
        let _entered = tasks.enter();
        let project = self.project.clone();
        let found = self.sessions.refresh(self.remote.handles(), |session| {
            let project = project.as_ref()?;
            let agent = project.engine().get(session.id()).ok().filter(|session| session.kind() == Kind::Agent)?;
            Some(project.crew().standing(&agent))
        });
        for id in found.new {
            let Some(item) = self.sessions.get(id) else { continue };
            item.session.set_theme(&self.theme);
            if let Some(standing) = item.standing.clone() {
                self.follow(id, standing);
            }
        }
        for (id, asks) in found.asks {
            attention::reported(self, id, asks);
        }
        for (id, ran_for) in found.ended {
            attention::ended(self, id, ran_for);
        }
        if found.moved {
            self.focus = KeyboardFocus::Pane;
            self.pass_through = None;
            if let Some(id) = self.session_id() {
                attention::looked_at(self, id);
            }
        }
        let alive: Vec<SessionId> = self.sessions.items().iter().map(|item| item.id).collect();
        self.sizes.retain(|id, _| alive.contains(id));
        self.looking.retain(|id, _| alive.contains(id));
        editor::tidy(self);
        self.watch_for_news();
    }

    /// Reports every change of an agent's state to the loop.
    fn follow(&self, id: SessionId, mut standing: watch::Receiver<project::AgentStanding>) {
        let loop_tasks = self.loop_tasks();
        self.tasks.spawn(async move {
            let mut before = standing.borrow_and_update().shown_state();
            while standing.changed().await.is_ok() {
                let old = std::mem::replace(&mut before, standing.borrow_and_update().shown_state());
                let told = loop_tasks.send(Box::new(move |app: &mut InterfaceState| app.agent_moved(id, old)));
                if told.is_err() {
                    return;
                }
            }
            // The session is gone; or it was seen before its preset was known, and from now on is watched by that
            // preset.
            let _ = loop_tasks.send(Box::new(move |app: &mut InterfaceState| {
                let Some(project) = app.project.clone() else { return };
                let tasks = app.tasks.clone();
                let _entered = tasks.enter();
                let Ok(session) = project.engine().get(id) else { return };
                let Some(item) = app.sessions.get_mut(id).filter(|_| session.name().is_some()) else { return };
                let renewed = project.crew().standing(&session);
                item.standing = Some(renewed.clone());
                app.agent_moved(id, before);
                app.follow(id, renewed);
            }));
        });
    }

    fn agent_moved(&mut self, id: SessionId, before: agents::State) {
        self.sessions.state_moved(id, before);
        attention::state_moved(self, id, before);
        attention::held_back(self, id);
        self.dirty = true;
    }

    /// Gives a session a size, unless we did so before; returns whether it was resized.
    pub(super) fn fit(&mut self, session: &SessionHandle, size: Size) -> bool {
        if self.sizes.get(&session.id()) == Some(&size) || size.cols == 0 || size.rows == 0 {
            return false;
        }
        let fitted = session.resize(size);
        // An ended session keeps its size; one that is just being started is tried again when it runs.
        if fitted || session.status().has_ended() {
            self.sizes.insert(session.id(), size);
            look_back::resized(self, session, size.rows);
        }
        fitted
    }

    /// Draws the frame in the theme in use, which may go with the host's scheme.
    pub(super) fn dress(&mut self, host: Option<ColorScheme>) {
        self.host_scheme = host.or(self.host_scheme);
        let glyphs = match self.settings.signs {
            Signs::Unicode => GlyphSet::Unicode,
            Signs::Ascii => GlyphSet::Ascii,
        };
        self.skin = Skin { styles: self.themes.styles(self.host_scheme.unwrap_or_default()), glyphs };
        self.dirty = true;
    }
}
