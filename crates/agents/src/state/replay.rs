//! Applies the same rules to a recording: bytes, sizes and times instead of a live session.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::ChildFacts;
use vt::{Size, Terminal};

use super::behaviour::Behaviour;
use super::observation::{HookEvent, Observation, RunPhase};
use super::pictures;
use super::prompt::Prompt;
use super::tracker::{StateLook, Tracker};
use super::vocabulary::{Source, State};

/// A child's output.
#[derive(Clone, Copy, Debug)]
pub struct Recording<'a> {
    pub bytes: &'a [u8],
    pub size: Size,
    pub timing: &'a Timing,
    /// In their order.
    pub hooks: &'a [RecordedHook],
}

/// Events that the agent's hooks or plugin reported meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedHook {
    /// The number of bytes printed before it.
    pub offset: usize,
    /// After the start.
    pub at: Duration,
    pub name: String,
    pub detail: String,
}

/// The times of the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Timing {
    /// Unknown: every picture counts as settled, long after the previous one.
    Settled,
    /// Reads in order: the offset of each, and its time after the start.
    Reads(Vec<(usize, Duration)>),
}

/// One change of the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayedState {
    /// The number of bytes printed so far.
    pub offset: usize,
    /// Time after the start; `None` if times are unknown.
    pub at: Option<Duration>,
    pub state: State,
    pub source: Option<Source>,
    pub detail: String,
}

/// Longer than any rule waits.
const SETTLED_PAUSE: Duration = Duration::from_secs(600);
/// How long a replay continues after the last byte: rules may still be waiting for silence.
const TAIL: Duration = Duration::from_secs(10);
/// The same as in the engine.
const SYNCHRONIZED_UPDATE_LIMIT: Duration = Duration::from_millis(150);

/// Every change of the state, starting with the first look.
pub fn replay(recording: Recording<'_>, behaviour: &Behaviour) -> Vec<ReplayedState> {
    let settled: Vec<(usize, Duration)>;
    let (reads, timed) = match recording.timing {
        Timing::Reads(reads) => (reads.as_slice(), true),
        Timing::Settled => {
            let ends = pictures::ends(recording.bytes);
            let begins = std::iter::once(0).chain(ends).filter(|begin| *begin < recording.bytes.len());
            settled = begins.zip(0..).map(|(begin, index)| (begin, SETTLED_PAUSE * index)).collect();
            (settled.as_slice(), false)
        }
    };
    let mut player = Player::new(recording.size, behaviour, timed);
    let mut hooks = recording.hooks.iter().peekable();
    for (index, (offset, at)) in reads.iter().enumerate() {
        let end = reads.get(index + 1).map_or(recording.bytes.len(), |(next, _)| *next);
        while let Some(hook) = hooks.next_if(|hook| hook.offset <= *offset) {
            let heard = if timed { hook.at.min(*at) } else { at.saturating_sub(SETTLED_PAUSE / 2) };
            player.hear(&hook.name, &hook.detail, heard);
        }
        player.pass_time(*at);
        player.read(recording.bytes.get(*offset..end).unwrap_or_default(), *at);
    }
    let mut last = reads.last().map_or(Duration::ZERO, |(_, at)| *at);
    for hook in hooks {
        last = if timed { hook.at.max(last) } else { last + SETTLED_PAUSE };
        player.hear(&hook.name, &hook.detail, last);
    }
    player.pass_time(last + TAIL);
    player.timeline
}

/// The pending decision after the last byte.
pub fn prompt_at_end(recording: Recording<'_>, behaviour: &Behaviour) -> Option<Prompt> {
    let mut player = Player::new(recording.size, behaviour, false);
    player.read(recording.bytes, Duration::ZERO);
    player.last.and_then(|look| look.prompt)
}

impl Timing {
    /// Parses lines of JSON with `t` (seconds) and `off` (bytes); lines without `n` contain other events and are
    /// skipped. `None` if no line records output.
    pub fn from_jsonl(text: &str) -> Option<Self> {
        let read = |line: &str| {
            let line: serde_json::Value = serde_json::from_str(line).ok()?;
            line.get("n")?;
            let at = Duration::try_from_secs_f64(line.get("t")?.as_f64()?).ok()?;
            Some((usize::try_from(line.get("off")?.as_u64()?).ok()?, at))
        };
        let mut reads: Vec<_> = text.lines().filter_map(read).collect();
        // A damaged or hostile file must not make time or the stream run backwards.
        reads.dedup_by(|later, earlier| later.0 <= earlier.0 || later.1 < earlier.1);
        (!reads.is_empty()).then_some(Timing::Reads(reads))
    }
}

/// Hook events, from the lines of the same file with `hook`.
pub fn hooks_from_jsonl(text: &str) -> Vec<RecordedHook> {
    let hook = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).ok()?;
        let text = |key: &str| line.get(key).and_then(serde_json::Value::as_str).map(str::to_owned);
        Some(RecordedHook {
            offset: usize::try_from(line.get("off")?.as_u64()?).ok()?,
            at: Duration::try_from_secs_f64(line.get("t")?.as_f64()?).ok()?,
            name: text("hook")?,
            detail: text("detail").unwrap_or_default(),
        })
    };
    let mut hooks: Vec<_> = text.lines().filter_map(hook).collect();
    hooks.dedup_by(|later, earlier| later.offset < earlier.offset || later.at < earlier.at);
    hooks
}

/// The times of input, from the lines of the same file with `send`.
pub fn typed_from_jsonl(text: &str) -> Vec<Duration> {
    let typed = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).ok()?;
        line.get("send")?;
        Duration::try_from_secs_f64(line.get("t")?.as_f64()?).ok()
    };
    let mut typed: Vec<_> = text.lines().filter_map(typed).collect();
    typed.sort();
    typed
}

/// Feeds a terminal and a tracker from a recording.
pub(crate) struct Player {
    terminal: Terminal,
    facts: ChildFacts,
    tracker: Tracker,
    start: Instant,
    timed: bool,
    offset: usize,
    last_output: Duration,
    look_again: Option<Instant>,
    /// The start of the synchronized update in progress.
    update: Option<(u64, Duration)>,
    timeline: Vec<ReplayedState>,
    hook: Option<HookEvent>,
    last: Option<StateLook>,
}

impl Player {
    pub(crate) fn new(size: Size, behaviour: &Behaviour, timed: bool) -> Self {
        let mut player = Player {
            terminal: Terminal::new(vt::TerminalOptions { size, ..vt::TerminalOptions::default() }),
            facts: ChildFacts::default(),
            tracker: Tracker::new(Arc::new(behaviour.clone())),
            start: Instant::now(),
            timed,
            offset: 0,
            last_output: Duration::ZERO,
            look_again: None,
            update: None,
            timeline: Vec::new(),
            hook: None,
            last: None,
        };
        player.look(Duration::ZERO);
        player
    }

    /// Feeds a hook event.
    pub(crate) fn hear(&mut self, name: &str, detail: &str, at: Duration) {
        self.pass_time(at);
        self.hook = Some(HookEvent::new(name, detail, self.start + at));
        self.look(at);
    }

    pub(crate) fn state_at(&mut self, at: Duration) -> State {
        self.pass_time(at);
        self.look(at);
        self.last.as_ref().map_or(State::Unknown, |look| look.state)
    }

    pub(crate) fn read(&mut self, bytes: &[u8], at: Duration) {
        self.terminal.feed(bytes);
        self.offset += bytes.len();
        self.last_output = at;
        for effect in self.terminal.take_effects() {
            self.facts.note(&effect, self.start + at, self.offset as u64);
        }
        self.update = match (self.terminal.synchronized_update(), self.update) {
            (Some(number), Some((known, began))) if known == number => Some((number, began)),
            (Some(number), _) => Some((number, at)),
            (None, _) => None,
        };
        self.look(at);
    }

    /// Looks again whenever time alone may have changed something.
    pub(crate) fn pass_time(&mut self, until: Duration) {
        if self.timed
            && let Some((_, began)) = self.update
            && began + SYNCHRONIZED_UPDATE_LIMIT < until
        {
            self.terminal.expire_synchronized_update();
            self.update = None;
            self.look(began + SYNCHRONIZED_UPDATE_LIMIT);
        }
        while let Some(again) = self.look_again {
            let again = again.saturating_duration_since(self.start);
            if again >= until {
                break;
            }
            self.look(again);
        }
    }

    fn look(&mut self, at: Duration) {
        let mut grid = String::new();
        self.terminal.grid_text(&mut grid);
        let rows = self.tracker.behaviour().looks_at_colours(&grid).then(|| self.terminal.frame().rows);
        let now = self.start + at;
        let observation = Observation {
            phase: RunPhase::Running,
            run: 1,
            last_output: self.start + self.last_output,
            facts: &self.facts,
            grid: &grid,
            rows: rows.as_deref(),
            alternate_screen: self.terminal.alternate_screen(),
            cols: self.terminal.size().cols,
            tty: None,
            hook: self.hook.as_ref(),
            tools_listed: None,
            prompt_sent: None,
        };
        let look = self.tracker.look(&observation, now);
        // A rule that asks for a look in the past would block the replay for ever.
        self.look_again = look.look_again.filter(|again| *again > now);
        self.note(&look, at);
        self.last = Some(look);
    }

    fn note(&mut self, look: &StateLook, at: Duration) {
        let state = look.state;
        if self.timeline.last().is_some_and(|last| last.state == state) {
            return;
        }
        let evidence = look.because.as_ref();
        self.timeline.push(ReplayedState {
            offset: self.offset,
            at: self.timed.then_some(at),
            state,
            source: evidence.map(|evidence| evidence.source),
            detail: evidence.map_or_else(String::new, |evidence| evidence.detail.clone()),
        });
    }
}
