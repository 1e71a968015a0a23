//! The inbox on the screen: what waits as its items, and answers carried out as operations.
//!
//! An answer goes to the session as `send_input` with the digest of the prompt that was drawn, so it is compared with the
//! screen once more, as every answer is.

use std::time::Instant;

use crate::inbox::{ChoiceEffect, InboxAnswer, InboxChoice, InboxItem, InboxOutcome, InboxText};
use agents::{preset::DecisionKind, state};
use project::WaitingAgent;
use serde_json::json;
use tui::{Canvas, CanvasCursor, HostEvent, Layer, LayerOutcome, Rect, Sign};
use vt::input::KeyEventKind;

use super::{
    attention::{self, WaitingItem, WaitingReason},
    commands::WAITING,
    frame::minutes,
    model::InterfaceState,
    pass_through, trust_prompt,
};
use crate::spelled::spelled;

/// Before the id of a question of trust.
const TRUST: &str = "trust/";
/// Before the id of a session.
const SESSION: &str = "session/";

/// Opens it, if there is anything in it.
pub(super) fn open(app: &mut InterfaceState) {
    let items = items(app);
    if items.is_empty() {
        return app.toast(Sign::Idle, "nothing needs you");
    }
    app.attention.inbox.open(items, Instant::now());
    app.open(InboxLayer { over: false });
}

/// What waits now.
fn items(app: &InterfaceState) -> Vec<InboxItem> {
    let trust = trust_prompt::waiting(app).into_iter().map(|(id, wish)| InboxItem {
        digest: id.clone(),
        id: format!("{TRUST}{id}"),
        who: "trust".to_owned(),
        summary: wish,
        ..InboxItem::default()
    });
    trust.chain(attention::waiting(app).into_iter().map(|one| item(app, one))).collect()
}

fn item(app: &InterfaceState, one: WaitingItem) -> InboxItem {
    let since = one.since.map(|since| minutes(since.elapsed())).unwrap_or_default();
    let base = InboxItem {
        id: format!("{SESSION}{}", one.session),
        who: one.name,
        since,
        digest: one.reason.clone(),
        summary: one.reason,
        ..InboxItem::default()
    };
    match one.why {
        WaitingReason::Requested => InboxItem { detail: vec![InboxText::Claim(spelled(&base.summary))], ..base },
        WaitingReason::Draft => {
            let how = "It is typed once you have sent or cleared what you began to type there.";
            InboxItem { detail: vec![InboxText::Note(how.to_owned())], ..base }
        }
        WaitingReason::Blocked => match app.waiting_agent(one.session) {
            Some(waiting) => asked(base, waiting),
            None => base,
        },
    }
}

/// What an agent asks, with its answers.
fn asked(base: InboxItem, waiting: WaitingAgent) -> InboxItem {
    let kind = waiting.status.kind.unwrap_or(DecisionKind::Permission);
    let Some(prompt) = waiting.prompt else {
        let detail = vec![
            InboxText::Note(spelled(&waiting.status.detail)),
            InboxText::Note("What it asks can't be read from its screen: open it.".to_owned()),
        ];
        return InboxItem { detail, ..base };
    };
    let mut detail = vec![InboxText::Note(match (kind, &prompt.tool) {
        (DecisionKind::Permission, Some(tool)) => format!("Asks for your permission ({}):", spelled(tool)),
        (DecisionKind::Permission, None) => "Asks for your permission:".to_owned(),
        (DecisionKind::Question, _) => "Asks you:".to_owned(),
        (DecisionKind::Dialog, _) => "Shows a dialog of its own:".to_owned(),
    })];
    let quoted = prompt.question.iter().chain(&prompt.command);
    detail.extend(quoted.flat_map(|text| text.lines()).map(|line| InboxText::Quote(spelled(line))));
    detail.extend(prompt.reason.as_deref().map(|reason| InboxText::Claim(spelled(reason))));
    // A dialog says more than what is read of it, and what is not read whole nobody should allow.
    let is_read = prompt.complete && (prompt.command.is_some() || prompt.question.is_some());
    let answerable = is_read && kind != DecisionKind::Dialog;
    if !is_read {
        let warning = "This may not be all of it: open it, and read it there before you allow it.";
        detail.push(InboxText::Warning(warning.to_owned()));
    }
    let choices = prompt.choices.iter().map(|choice| {
        let effect = match choice.effect {
            state::Effect::AllowOnce => ChoiceEffect::AllowOnce,
            state::Effect::Deny => ChoiceEffect::Deny,
            state::Effect::Other => ChoiceEffect::Other,
        };
        let key = choice.key.clone().or_else(|| choice.selected.then(|| "enter".to_owned()));
        let sends = key.filter(|_| answerable || (effect == ChoiceEffect::Deny && kind != DecisionKind::Dialog));
        InboxChoice { label: spelled(&choice.label), effect, sends }
    });
    let deny = (kind != DecisionKind::Dialog).then(|| "esc".to_owned());
    InboxItem { detail, choices: choices.collect(), deny, digest: prompt.digest.clone(), ..base }
}

/// The session that an item is about.
fn session_of(app: &InterfaceState, id: &str) -> Option<engine::SessionId> {
    let id = id.strip_prefix(SESSION)?.parse().ok()?;
    app.sessions.get(id).map(|item| item.id)
}

fn go_to(app: &mut InterfaceState, id: &str) {
    match (id.strip_prefix(TRUST), session_of(app, id)) {
        (Some(question), _) => trust_prompt::ask_by_id(app, question),
        (None, Some(session)) => app.show(session),
        (None, None) => {}
    }
}

/// Presses the key, if the prompt is still the one that was read.
fn answer(app: &mut InterfaceState, answer: InboxAnswer) {
    let Some(session) = session_of(app, &answer.id) else { return };
    let arguments = json!({
        "process_id": session.to_string(),
        "kind": "key",
        "key": answer.sends,
        "prompt_digest": answer.digest,
    });
    app.call("send_input", arguments, move |app, outcome| {
        if let Err(error) = outcome {
            app.attention.inbox.not_taken(&answer.id);
            app.complain(&error);
        }
    });
}

struct InboxLayer {
    /// All that waited is answered or gone.
    over: bool,
}

impl Layer<InterfaceState> for InboxLayer {
    fn update(&mut self, event: &HostEvent, app: &mut InterfaceState) -> LayerOutcome<InterfaceState> {
        app.dirty = true;
        if app.attention.inbox.is_empty() {
            return LayerOutcome::GivesWay;
        }
        let now = Instant::now();
        // The key that opened it goes on to the next one.
        if let HostEvent::Key(key) = event
            && key.kind != KeyEventKind::Release
            && pass_through::is_key_of(app, key, WAITING)
        {
            app.attention.inbox.next(now);
            return LayerOutcome::Taken;
        }
        let area = app.area;
        match app.attention.inbox.update(event, area, now) {
            InboxOutcome::Taken => LayerOutcome::Taken,
            InboxOutcome::Closed => LayerOutcome::Close,
            InboxOutcome::Open(id) => {
                go_to(app, &id);
                LayerOutcome::Close
            }
            InboxOutcome::Answered(given) => {
                answer(app, given);
                if app.attention.inbox.is_empty() { LayerOutcome::Close } else { LayerOutcome::Taken }
            }
        }
    }

    fn refresh(&mut self, app: &mut InterfaceState) {
        let items = items(app);
        app.attention.inbox.set_items(items, Instant::now());
        self.over = app.attention.inbox.is_empty();
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &InterfaceState) -> Option<CanvasCursor> {
        if !app.attention.inbox.is_empty() {
            app.attention.inbox.draw(canvas, area, &app.skin);
        }
        None
    }

    fn is_modal(&self) -> bool {
        true
    }
}
