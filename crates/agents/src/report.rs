//! A report of a wrong state: a session's recent output, the states that were told, and the votes behind them, in one
//! file that people can send and that the replay test can read directly.
//!
//! Text that could identify the person is masked before anything is cut, with the same number of characters, so the
//! picture stays the same. It still shows someone's work, so they are told to read it before they send it.

use std::time::{Duration, Instant};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use thiserror::Error;
use vt::ProgressReport;

use crate::preset::AgentPreset;
use crate::state::{Behaviour, Explanation, OutputTime, Player, State, StateWatch};
use crate::version::CliVersion;

mod redaction;

pub use redaction::Redaction;

/// Version of the file's layout.
const FORMAT: u32 = 1;
/// Maximum size of a file to read.
pub const MAX_REPORT_BYTES: usize = 8 << 20;

/// The inputs of a report, besides the session.
#[derive(Clone, Copy, Debug)]
pub struct ReportRequest<'a> {
    pub preset: &'a AgentPreset,
    pub version: Option<&'a CliVersion>,
    /// How much of the past it covers.
    pub within: Duration,
    /// The state according to the person.
    pub should_be: Option<State>,
    /// Our own program's version.
    pub patterm: &'a str,
    pub redaction: &'a Redaction,
}

/// The file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateReport {
    format: u32,
    patterm: String,
    /// Name of the preset.
    pub agent: String,
    /// Version of the CLI, if known.
    #[serde(default)]
    pub version: Option<String>,
    rules_version: u64,
    cols: u16,
    rows: u16,
    /// Redraws the screen as it was at the beginning. Base64, like `output`.
    screen: String,
    output: String,
    /// The reads of `output`: the time in seconds after the beginning, and the offset of each.
    reads: Vec<(f64, usize)>,
    /// The time of the report, in seconds after the beginning.
    ended: f64,
    /// The last hook event, if the agent has hooks.
    #[serde(default)]
    hook: Option<ReportedHook>,
    /// The states that were told.
    pub state: State,
    #[serde(default)]
    detail: String,
    votes: Vec<Value>,
    /// The state at the end, according to the person.
    #[serde(default)]
    pub should_be: Option<State>,
    /// The preset's rules for states, as they were used.
    rules: Value,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct ReportedHook {
    name: String,
    detail: String,
    /// In seconds after the beginning; negative before it.
    at: f64,
}

#[derive(Debug, Error)]
pub enum ReportError {
    #[error("it is not a report of patterm ({0}): use a file that `patterm report` wrote")]
    NoReport(String),
    #[error("its format is {0}, and this program reads {FORMAT}: update patterm")]
    Format(u32),
}

impl StateReport {
    pub fn of(watch: &StateWatch, request: ReportRequest<'_>) -> Self {
        let explanation = watch.explain();
        let past = watch.past();
        let ReportRequest { preset, redaction, .. } = request;
        let mut bytes = past.raw.bytes;
        redaction.mask(&mut bytes);
        let beginning = past.now.checked_sub(request.within).unwrap_or(past.now);
        // Offsets count from the first byte that is kept.
        let within = |time: &OutputTime| Some((time.at, usize::try_from(time.end.checked_sub(past.raw.offset)?).ok()?));
        let ends: Vec<(Instant, usize)> = past.times.iter().filter_map(within).collect();
        let before = ends.iter().take_while(|(at, _)| *at < beginning).last().map_or(0, |(_, end)| *end);
        let start = before.min(bytes.len());
        let mut reads = Vec::new();
        let mut begin = start;
        for (at, end) in ends.into_iter().filter(|(at, end)| *at >= beginning && *end <= bytes.len()) {
            if end > begin {
                reads.push((at.saturating_duration_since(beginning).as_secs_f64(), begin - start));
                begin = end;
            }
        }
        if begin < bytes.len() {
            // Output since the watch's last look.
            reads.push((past.now.saturating_duration_since(beginning).as_secs_f64(), begin - start));
        }
        let hook = past.hook.map(|hook| ReportedHook {
            name: redaction.masked(&hook.name),
            detail: redaction.masked(&hook.detail),
            at: match hook.at.checked_duration_since(beginning) {
                Some(after) => after.as_secs_f64(),
                None => -beginning.saturating_duration_since(hook.at).as_secs_f64(),
            },
        });
        StateReport {
            format: FORMAT,
            patterm: request.patterm.to_owned(),
            agent: preset.name.clone(),
            version: request.version.map(|version| version.version.to_string()),
            rules_version: preset.rules_version,
            cols: past.size.cols,
            rows: past.size.rows,
            screen: STANDARD.encode(screen_after(&bytes[..start], past.size)),
            output: STANDARD.encode(&bytes[start..]),
            reads,
            ended: past.now.saturating_duration_since(beginning).as_secs_f64(),
            hook,
            state: explanation.status.state,
            detail: redaction.masked(&explanation.status.detail),
            votes: votes(&explanation, redaction),
            should_be: request.should_be,
            rules: rules_of(preset),
        }
    }

    pub fn parse(text: &str) -> Result<Self, ReportError> {
        if text.len() > MAX_REPORT_BYTES {
            return Err(ReportError::NoReport(format!("{} bytes are too many", text.len())));
        }
        let report: StateReport =
            serde_json::from_str(text).map_err(|error| ReportError::NoReport(error.to_string()))?;
        if report.format != FORMAT {
            return Err(ReportError::Format(report.format));
        }
        Ok(report)
    }

    /// The file's text, formatted because people read it before they send it.
    pub fn to_text(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and texts are plain JSON") + "\n"
    }

    /// The state at the end by these rules.
    pub fn replay(&self, behaviour: &Behaviour) -> Result<State, ReportError> {
        let decode = |text: &str| STANDARD.decode(text).map_err(|error| ReportError::NoReport(error.to_string()));
        let (screen, output) = (decode(&self.screen)?, decode(&self.output)?);
        let seconds = |at: f64| Duration::try_from_secs_f64(at.clamp(0.0, 1e6)).unwrap_or_default();
        let mut player = Player::new(vt::Size::new(self.cols, self.rows), behaviour, true);
        player.read(&screen, Duration::ZERO);
        let mut hook = self.hook.as_ref();
        for (index, (at, offset)) in self.reads.iter().enumerate() {
            let end = self.reads.get(index + 1).map_or(output.len(), |(_, next)| *next);
            if let Some(due) = hook.take_if(|hook| hook.at <= *at) {
                player.hear(&due.name, &due.detail, seconds(due.at));
            }
            player.pass_time(seconds(*at));
            player.read(output.get(*offset..end).unwrap_or_default(), seconds(*at));
        }
        if let Some(due) = hook {
            player.hear(&due.name, &due.detail, seconds(due.at));
        }
        Ok(player.state_at(seconds(self.ended)))
    }
}

/// Bytes that redraw the screen and repeat the reports of the given bytes.
fn screen_after(bytes: &[u8], size: vt::Size) -> Vec<u8> {
    let mut terminal = vt::Terminal::new(vt::TerminalOptions { size, ..vt::TerminalOptions::default() });
    let mut facts = engine::ChildFacts::default();
    for part in bytes.chunks(64 << 10) {
        terminal.feed(part);
        for effect in terminal.take_effects() {
            facts.note(&effect, Instant::now(), 0);
        }
    }
    let mut said = String::new();
    if let Some(progress) = &facts.progress {
        let (kind, percent) = match progress.value {
            ProgressReport::Clear => (0, 0),
            ProgressReport::Percent(percent) => (1, percent),
            ProgressReport::Error(percent) => (2, percent.unwrap_or_default()),
            ProgressReport::Indeterminate => (3, 0),
            ProgressReport::Paused(percent) => (4, percent.unwrap_or_default()),
        };
        said += &format!("\x1b]9;4;{kind};{percent}\x1b\\");
    }
    let mut out = said.into_bytes();
    // The screen comes last, since the stream may continue in the middle of a sequence.
    out.extend(terminal.serialize());
    out
}

fn votes(explanation: &Explanation, redaction: &Redaction) -> Vec<Value> {
    let vote = |vote: &crate::state::CountedVote| {
        json!({
            "rule": vote.evidence.rule, "source": vote.evidence.source, "state": State::from(vote.evidence.vote),
            "standing": vote.standing.as_str(), "detail": redaction.masked(&vote.evidence.detail),
        })
    };
    explanation.votes.iter().map(vote).collect()
}

/// Without the fields on what is run, set or allowed: those are private.
fn rules_of(preset: &AgentPreset) -> Value {
    json!({
        "regions": preset.regions, "rules": preset.rules, "prompts": preset.prompts,
        "ready_signal": preset.ready_signal, "submit": preset.submit,
    })
}
