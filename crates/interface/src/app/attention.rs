//! What needs the human: agents that ask for something or are stuck. They are shown and counted, and never get in the
//! way.
//!
//! Nothing here changes what is in sight while the person types, and no caller can make more noise than its share.

use std::{
    collections::{HashMap, HashSet},
    time::{Duration, Instant},
};

use agents::{State as AgentState, preset::DecisionKind};
use engine::{SessionId, Status};
use tui::{Sign, host::notify};
use vt::{BlockedKind, StatusRecord};

use super::{
    commands::{CommandSection, ScreenCommand, WAITING, always},
    frame::ago,
    inbox,
    model::{HostOrder, InterfaceState},
    news::ProgramCall,
    palette::{Palette, PaletteEntry},
    sessions::SessionItem,
    trust_prompt,
};

/// For this long after a key, what is in sight stays.
const HANDS_OFF: Duration = Duration::from_secs(3);
/// How many requests one caller may make at once, and how long until it may make another one.
const BURST: u32 = 3;
const REFILL: Duration = Duration::from_secs(10);
/// How many characters of a reason are shown.
const MAX_REASON: usize = 200;

/// What needs the human.
#[derive(Debug, Default)]
pub(crate) struct AttentionState {
    asks: Vec<Ask>,
    /// By caller; none is an operator.
    shares: HashMap<Option<SessionId>, CallerShare>,
    /// Sessions of which it was said that a draft holds messages back.
    told_of_drafts: HashSet<SessionId>,
    /// The list of it, as the person has it open.
    pub(super) inbox: crate::inbox::Inbox,
}

#[derive(Clone, Debug)]
struct Ask {
    session: SessionId,
    reason: String,
    why: WaitingReason,
    since: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitingReason {
    /// An agent called for the human.
    Requested,
    /// The agent there waits for a decision.
    Blocked,
    /// Messages for it wait for what the person has begun to type there.
    Draft,
}

/// The rest of a caller's share.
#[derive(Clone, Copy, Debug)]
struct CallerShare {
    left: u32,
    since: Instant,
}

impl CallerShare {
    fn full(now: Instant) -> Self {
        CallerShare { left: BURST, since: now }
    }

    fn take(&mut self, now: Instant) -> bool {
        let periods = now.saturating_duration_since(self.since).as_nanos() / REFILL.as_nanos();
        if periods > 0 {
            self.left = BURST.min(self.left.saturating_add(u32::try_from(periods).unwrap_or(BURST)));
            self.since = now;
        }
        let granted = self.left > 0;
        self.left = self.left.saturating_sub(1);
        granted
    }
}

impl AttentionState {
    fn may(&mut self, caller: Option<SessionId>, now: Instant) -> bool {
        self.shares.entry(caller).or_insert_with(|| CallerShare::full(now)).take(now)
    }

    /// The newest reason of a session counts.
    fn note(&mut self, session: SessionId, reason: String, why: WaitingReason) {
        let ask = Ask { session, reason, why, since: Instant::now() };
        self.asks.retain(|old| old.session != ask.session);
        self.asks.push(ask);
    }
}

pub(super) const COMMANDS: &[ScreenCommand] = &[
    ScreenCommand {
        id: WAITING,
        title: "Needs you…",
        section: CommandSection::Attention,
        keys: &["alt-a"],
        when: always,
        run: inbox::open,
    },
    ScreenCommand {
        id: "waiting-prompts",
        title: "Waiting prompts…",
        section: CommandSection::Attention,
        keys: &[],
        when: always,
        run: list_prompts,
    },
    ScreenCommand {
        id: "next-waiting",
        title: "Jump to the next that needs you",
        section: CommandSection::Attention,
        keys: &["alt-shift-a"],
        when: always,
        run: next,
    },
];

/// An agent asks for the human.
pub(super) fn asked(app: &mut InterfaceState, session: SessionId, reason: String, caller: Option<SessionId>) {
    let reason = one_line(&reason);
    app.attention.note(session, reason.clone(), WaitingReason::Requested);
    alert(app, session, &reason, caller);
}

/// An agent's state has changed.
pub(super) fn state_moved(app: &mut InterfaceState, session: SessionId, before: AgentState) {
    let now = app.sessions.get(session).and_then(SessionItem::state);
    match now {
        Some(AgentState::Blocked) if before != AgentState::Blocked => {
            let reason = question(app, session);
            app.attention.note(session, reason.clone(), WaitingReason::Blocked);
            alert(app, session, &reason, Some(session));
        }
        Some(AgentState::Blocked) => {}
        _ => waits_no_longer(app, session),
    }
}

/// A program that is not an agent began or stopped reporting that it waits for the person.
pub(super) fn reported(app: &mut InterfaceState, session: SessionId, waits: bool) {
    if !waits {
        return waits_no_longer(app, session);
    }
    let reason = question(app, session);
    app.attention.note(session, reason.clone(), WaitingReason::Blocked);
    alert(app, session, &reason, Some(session));
}

fn waits_no_longer(app: &mut InterfaceState, session: SessionId) {
    app.attention.asks.retain(|ask| ask.session != session || ask.why != WaitingReason::Blocked);
    let asked = app.attention.asks.iter().any(|ask| ask.session == session);
    if let Some(item) = app.sessions.get_mut(session).filter(|_| !asked) {
        item.attention = false;
    }
}

/// An agent's question has become readable, or has changed.
pub(super) fn asks_otherwise(app: &mut InterfaceState, session: SessionId) {
    let reason = question(app, session);
    let blocked = |ask: &&mut Ask| ask.session == session && ask.why == WaitingReason::Blocked;
    if let Some(ask) = app.attention.asks.iter_mut().find(blocked) {
        ask.reason = reason;
    }
}

/// Messages for an agent may be held back by the person's draft: shows one notice about it.
pub(super) fn held_back(app: &mut InterfaceState, session: SessionId) {
    let held = app.sessions.get(session).filter(|item| item.held_back() > 0).map(held_text);
    match held {
        Some(text) if app.attention.told_of_drafts.insert(session) => app.toast(Sign::Blocked, text),
        Some(_) => {}
        None => drop(app.attention.told_of_drafts.remove(&session)),
    }
}

fn held_text(item: &SessionItem) -> String {
    match item.held_back() {
        1 => format!("1 message for {} waits for your draft", item.name),
        count => format!("{count} messages for {} wait for your draft", item.name),
    }
}

/// A program's reported question, as one line.
fn reported_question(record: &StatusRecord) -> String {
    let needs = record.kind.map_or("you", |kind| match kind {
        BlockedKind::Permission => "your permission",
        BlockedKind::Question => "an answer",
        BlockedKind::Auth => "a login",
    });
    match &record.msg {
        Some(msg) => format!("waits for {needs}: {}", one_line(msg)),
        None => format!("waits for {needs}"),
    }
}

/// What the program in a session waits for, as one line.
fn question(app: &InterfaceState, session: SessionId) -> String {
    let item = app.sessions.get(session).filter(|item| item.says_blocked());
    if let Some(record) = item.and_then(SessionItem::leading_report) {
        return reported_question(record);
    }
    let Some(waiting) = app.waiting_agent(session) else { return "waits for a decision".to_owned() };
    let says = match waiting.status.kind {
        Some(DecisionKind::Question) => "asks you",
        Some(DecisionKind::Dialog) => "shows a dialog",
        Some(DecisionKind::Permission) | None => "waits for a decision",
    };
    let asked = waiting.prompt.and_then(|prompt| match (prompt.question, prompt.tool, prompt.command) {
        (Some(question), ..) => Some(question),
        (None, Some(tool), Some(command)) => Some(format!("{tool}: {command}")),
        (None, ..) => None,
    });
    match one_line(&asked.unwrap_or(waiting.status.detail)) {
        detail if detail.is_empty() => says.to_owned(),
        detail => format!("{says}: {detail}"),
    }
}

/// Shows a notice, as far as the caller's share allows. The entry blinks in any case.
fn alert(app: &mut InterfaceState, session: SessionId, reason: &str, caller: Option<SessionId>) {
    let now = Instant::now();
    app.dirty = true;
    let in_sight = app.session_id() == Some(session) && app.host_focused;
    let Some(item) = app.sessions.get_mut(session) else { return };
    item.attention |= !in_sight;
    let name = item.name.clone();
    if in_sight {
        app.attention.asks.retain(|ask| ask.session != session || ask.why == WaitingReason::Blocked);
    }
    if !app.attention.may(caller, now) {
        return;
    }
    let settings = app.settings.attention.clone();
    let blocked_here = in_sight && app.attention.asks.iter().any(|ask| ask.session == session);
    if !blocked_here {
        app.toast(Sign::Blocked, format!("{name}: {reason}"));
    }
    if settings.bell && !in_sight {
        ring(app, now);
    }
    if !app.host_focused {
        let bytes = notify(app.program(), &format!("{name}: {reason}"), app.host_version.as_deref());
        app.errand(HostOrder::Say(bytes));
    }
    if settings.auto_focus && !hands_on(app, now) {
        app.show(session);
    }
}

/// A program out of sight rang the bell or sent a notification: passed on once, until somebody has looked.
pub(super) fn rang(app: &mut InterfaceState, session: SessionId, call: ProgramCall) {
    let in_sight = app.session_id() == Some(session);
    let Some(item) = app.sessions.get_mut(session).filter(|_| !in_sight) else { return };
    (item.rang, item.unseen, item.bells) = (true, true, None);
    app.dirty = true;
    let text = match call {
        ProgramCall::Bell => format!("{} rang the bell", item.name),
        ProgramCall::Notice(said) => format!("{}: {}", item.name, one_line(&said)),
    };
    tell_news(app, session, text);
}

/// A program has ended: one that had run for long and was out of sight is news.
pub(super) fn ended(app: &mut InterfaceState, session: SessionId, ran_for: Duration) {
    let least = Duration::from_secs(app.settings.attention.long_command_seconds.into());
    let in_sight = app.host_focused && app.session_id() == Some(session);
    // One that was stopped is no news to whoever stopped it.
    let by_itself = |item: &&SessionItem| matches!(item.status, Status::Exited | Status::Errored);
    let Some(item) = app.sessions.get(session).filter(by_itself) else { return };
    if in_sight || least.is_zero() || ran_for < least {
        return;
    }
    tell_news(app, session, format!("{} ended after {}: {}", item.name, ago(ran_for), item.word()));
}

/// Tells what is worth a look, as far as the session's share goes.
fn tell_news(app: &mut InterfaceState, session: SessionId, text: String) {
    let now = Instant::now();
    if !app.attention.may(Some(session), now) {
        return;
    }
    if app.settings.attention.bell {
        ring(app, now);
    }
    if !app.host_focused {
        app.errand(HostOrder::Say(notify(app.program(), &text, app.host_version.as_deref())));
    }
    app.toast(Sign::Unseen, text);
}

/// Rings the bell; all callers share one limit.
pub(super) fn ring(app: &mut InterfaceState, now: Instant) {
    if let Some(bytes) = app.bells.ring(now) {
        app.errand(HostOrder::Say(bytes.to_vec()));
    }
}

/// An agent asks for a session to be shown.
pub(super) fn advised(app: &mut InterfaceState, session: SessionId, caller: Option<SessionId>) {
    let now = Instant::now();
    if app.session_id() == Some(session) || !app.attention.may(caller, now) {
        return;
    }
    if !hands_on(app, now) {
        return app.show(session);
    }
    let name_of = |id: SessionId| app.sessions.get(id).map(|item| item.name.clone());
    let Some(shown) = name_of(session) else { return };
    let who = caller.and_then(name_of).unwrap_or_else(|| "an agent".to_owned());
    let text = match caller == Some(session) {
        true => format!("{who} asks you to look at it"),
        false => format!("{who} suggests looking at {shown}"),
    };
    app.toast(Sign::Unseen, text);
}

fn hands_on(app: &InterfaceState, now: Instant) -> bool {
    app.last_input.is_some_and(|last| now.saturating_duration_since(last) < HANDS_OFF)
}

/// The human is looking at this session now.
pub(super) fn looked_at(app: &mut InterfaceState, session: SessionId) {
    if !app.host_focused {
        return;
    }
    app.attention.asks.retain(|ask| ask.session != session || ask.why == WaitingReason::Blocked);
    if let Some(item) = app.sessions.get_mut(session) {
        app.dirty |= item.attention;
        item.attention = false;
    }
}

/// The window has the focus again: the session in sight counts as seen.
pub(super) fn came_back(app: &mut InterfaceState) {
    if let Some(id) = app.session_id() {
        looked_at(app, id);
    }
}

/// One thing that waits.
#[derive(Debug)]
pub(super) struct WaitingItem {
    pub(super) session: SessionId,
    pub(super) name: String,
    pub(super) reason: String,
    pub(super) why: WaitingReason,
    pub(super) since: Option<Instant>,
}

/// In the order they came. What is gone waits no longer.
pub(super) fn waiting(app: &InterfaceState) -> Vec<WaitingItem> {
    let named = |ask: &Ask| {
        let item = app.sessions.get(ask.session)?;
        Some(WaitingItem {
            session: ask.session,
            name: item.name.clone(),
            reason: ask.reason.clone(),
            why: ask.why,
            since: Some(ask.since),
        })
    };
    let held = app.sessions.items().iter().filter(|item| item.held_back() > 0).map(|item| WaitingItem {
        session: item.id,
        name: item.name.clone(),
        reason: held_text(item),
        why: WaitingReason::Draft,
        since: None,
    });
    app.attention.asks.iter().filter_map(named).chain(held).collect()
}

/// How many items need the person.
pub(super) fn count(app: &InterfaceState) -> usize {
    trust_prompt::count(app) + waiting(app).len()
}

/// The item that has waited longest, as one line.
pub(super) fn first(app: &InterfaceState) -> Option<String> {
    let trust = (trust_prompt::count(app) > 0).then(|| "something asks whether it may run".to_owned());
    trust.or_else(|| waiting(app).first().map(|one| format!("{}: {}", one.name, one.reason)))
}

/// Lists what was sent to agents and can't be typed yet, with why.
fn list_prompts(app: &mut InterfaceState) {
    match waiting_prompts(app).is_empty() {
        true => app.toast(Sign::Idle, "no prompt waits"),
        false => app.open(Palette::following("waiting prompts", waiting_prompts, app)),
    }
}

fn waiting_prompts(app: &InterfaceState) -> Vec<PaletteEntry> {
    let entry = |item: &SessionItem| {
        let (id, (count, reason)) = (item.id, item.waiting_prompts()?);
        let prompts = if count == 1 { "1 prompt".to_owned() } else { format!("{count} prompts") };
        let text = format!("{}: {prompts}", item.name);
        let mut entry =
            PaletteEntry::new(format!("prompts/{id}"), text, move |app| app.show(id)).detail(one_line(&reason));
        entry.list.sign = Some(item.sign());
        Some(entry)
    };
    app.sessions.items().iter().filter_map(entry).collect()
}

fn next(app: &mut InterfaceState) {
    let waiting: Vec<SessionId> = waiting(app).into_iter().map(|one| one.session).collect();
    let here = app.session_id();
    let after = waiting.iter().position(|id| Some(*id) == here).map_or(0, |at| at + 1);
    let next = waiting.iter().cycle().skip(after).take(waiting.len()).find(|id| Some(**id) != here);
    match next {
        Some(id) => app.show(*id),
        None if trust_prompt::ask_again(app) => {}
        None => app.toast(Sign::Idle, "nothing else needs you"),
    }
}

/// An agent's text, as one line of limited length.
fn one_line(text: &str) -> String {
    let shown = text.chars().filter(|c| !vt::is_bidi_control(*c));
    let words: String = shown.map(|c| if c.is_control() { ' ' } else { c }).take(MAX_REASON).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_has_its_share_and_no_more() {
        let now = Instant::now();
        let mut state = AttentionState::default();
        let (one, other) = (Some("p_000001".parse().unwrap()), Some("p_000002".parse().unwrap()));
        assert_eq!([state.may(one, now); 1], [true]);
        assert!(state.may(one, now) && state.may(one, now));
        assert!(!state.may(one, now), "that was its share");
        assert!(state.may(other, now), "another's share is its own");
        let later = now + REFILL;
        assert!(state.may(one, later) && !state.may(one, later), "one more after a while");
        let much_later = later + REFILL * 1000;
        assert_eq!(
            (0..5).filter(|_| state.may(one, much_later)).count(),
            BURST as usize,
            "never more than a full share"
        );
    }

    #[test]
    fn a_reason_is_one_short_line() {
        assert_eq!(one_line("a\n\x1b[31m b\tc"), "a [31m b c");
        assert_eq!(one_line(&"x".repeat(1000)).len(), MAX_REASON);
    }
}
