//! The form of a run record: JSON, written by patterm alone, and read as if anybody had written it.
//!
//! Values of variables are never in it. What can't be read is told and left out; the rest counts.

use std::path::PathBuf;

use agents::ConversationId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::run_layout::RunLayout;

/// The form that this patterm writes. A higher number is a newer patterm's.
const VERSION: u64 = 1;
/// Maximum bytes of a record. What does not fit is not recorded.
pub(super) const MAX_RECORD_BYTES: usize = 1 << 20;
/// Room for what stands around the tabs.
const AROUND_TABS: usize = 4 << 10;
/// Maximum bytes of the layout: all tabs that fit, with dozens of panes in some. A larger one is not recorded.
const MAX_LAYOUT_BYTES: usize = 128 << 10;
/// Maximum tabs: more are no screen that somebody comes back to.
const MAX_TABS: usize = 256;
/// Maximum faults that are told: a damaged file must not bury the rest.
const MAX_FAULTS: usize = 8;

/// What the tabs of a run were.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RunRecord {
    /// In the order of the tabs.
    pub tabs: Vec<RecordedTab>,
    /// How they were arranged, by their places in `tabs`.
    pub layout: RunLayout<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RecordedTab {
    pub name: String,
    /// Where it was. `None`: in the project's folder.
    pub folder: Option<PathBuf>,
    pub program: RecordedProgram,
}

#[derive(Clone, Debug, PartialEq)]
pub enum RecordedProgram {
    Agent {
        preset: String,
        conversation: Option<ConversationId>,
    },
    /// A command preset.
    Preset {
        name: String,
    },
    /// A command line that somebody gave.
    Command {
        argv: Vec<String>,
    },
    /// A shell.
    Terminal,
}

/// A record, and what of the file had no effect.
#[derive(Debug, Default)]
pub(super) struct ParsedRecord {
    pub(super) record: RunRecord,
    pub(super) faults: Vec<String>,
}

/// A tab on disk.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct TabText {
    name: String,
    /// `agent`, `command` or `terminal`.
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    preset: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    argv: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<PathBuf>,
    /// Written by nobody we know.
    #[serde(flatten)]
    unknown: Map<String, Value>,
}

impl RunRecord {
    /// The text of the file, the same for the same record.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut left = MAX_RECORD_BYTES - AROUND_TABS - MAX_LAYOUT_BYTES;
        let (mut tabs, mut places) = (Vec::new(), Vec::new());
        for (place, tab) in self.tabs.iter().enumerate().take(MAX_TABS) {
            let value = serde_json::to_value(TabText::of(tab)).unwrap_or_default();
            let size = indented_size(&value);
            match left.checked_sub(size) {
                Some(less) if !value.is_null() => {
                    left = less;
                    tabs.push(value);
                    places.push(place);
                }
                _ => tracing::warn!(name = tab.name, "a tab has no room in the record of this run"),
            }
        }
        let mut record = json!({ "version": VERSION, "tabs": tabs });
        let layout = self.layout_value(&places);
        if layout.as_ref().is_some_and(|layout| indented_size(layout) <= MAX_LAYOUT_BYTES) {
            record["layout"] = layout.into();
        } else if layout.is_some() {
            tracing::warn!("the layout has no room in the record of this run");
        }
        let mut bytes = serde_json::to_vec_pretty(&record).expect("a JSON value can be written");
        bytes.push(b'\n');
        bytes
    }

    /// The layout of the tabs at these places, which are all that is written of them.
    fn layout_value(&self, places: &[usize]) -> Option<Value> {
        let mut layout = self.layout.mapped(|place| places.binary_search(&place).ok());
        layout.limit();
        let is_empty = layout.tabs.is_empty();
        serde_json::to_value(layout).ok().filter(|_| !is_empty)
    }

    pub(super) fn parse(bytes: &[u8]) -> ParsedRecord {
        let mut parsed = ParsedRecord::default();
        let mut fields = match serde_json::from_slice(bytes) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) => return parsed.useless("it is no JSON object"),
            Err(error) => return parsed.useless(&format!("it is damaged ({error})")),
        };
        match fields.remove("version").and_then(|version| version.as_u64()) {
            Some(VERSION) => {}
            Some(version) if version > VERSION => {
                return parsed.useless(&format!("a newer patterm has written it (form {version})"));
            }
            _ => return parsed.useless("it has no version that is known"),
        }
        let layout = fields.remove("layout").filter(|layout| !layout.is_null());
        let tabs = match fields.remove("tabs") {
            Some(Value::Array(tabs)) => tabs,
            _ => return parsed.useless("it has no list of tabs"),
        };
        parsed.ignore("the record", &fields);
        if tabs.len() > MAX_TABS {
            parsed.fault(format!("{} tabs are in the record, the first {MAX_TABS} count", tabs.len()));
        }
        let places: Vec<Option<usize>> =
            (1..).zip(tabs.into_iter().take(MAX_TABS)).map(|(number, tab)| parsed.take(number, tab)).collect();
        if let Some(layout) = layout {
            parsed.take_layout(layout, &places);
        }
        parsed
    }
}

impl ParsedRecord {
    pub(super) fn useless(mut self, why: &str) -> Self {
        self.record = RunRecord::default();
        self.fault(format!("the last run's tabs can't be opened again: their record can't be used, {why}"));
        self
    }

    pub(super) fn fault(&mut self, what: String) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(what);
        }
    }

    pub(super) fn ignore(&mut self, place: &str, unknown: &Map<String, Value>) {
        for name in unknown.keys() {
            let name: String = name.chars().filter(|one| !one.is_control()).take(64).collect();
            self.fault(format!("the last run's tabs: '{name}' in {place} is not known here and has no effect"));
        }
    }

    /// The tab's place, if it can be used.
    fn take(&mut self, number: usize, tab: Value) -> Option<usize> {
        let told = serde_json::from_value::<TabText>(tab).map_err(|error| error.to_string());
        let place = format!("tab {number}");
        if let Ok(text) = &told {
            self.ignore(&place, &text.unknown);
        }
        match told.and_then(TabText::into_tab) {
            Ok(tab) => {
                self.record.tabs.push(tab);
                Some(self.record.tabs.len() - 1)
            }
            Err(why) => {
                self.fault(format!("the last run's tabs: {place} is left out: {why}"));
                None
            }
        }
    }
}

/// Bytes at most of a part of the record: indented, each word has a line of its own.
fn indented_size(value: &Value) -> usize {
    serde_json::to_vec_pretty(value).map_or(0, |text| 2 * text.len())
}

impl TabText {
    fn of(tab: &RecordedTab) -> Self {
        let text = TabText { name: tab.name.clone(), folder: tab.folder.clone(), ..TabText::default() };
        match tab.program.clone() {
            RecordedProgram::Agent { preset, conversation } => TabText {
                kind: "agent".into(),
                preset: Some(preset),
                conversation: conversation.map(String::from),
                ..text
            },
            RecordedProgram::Preset { name } => TabText { kind: "command".into(), preset: Some(name), ..text },
            RecordedProgram::Command { argv } => TabText { kind: "command".into(), argv, ..text },
            RecordedProgram::Terminal => TabText { kind: "terminal".into(), ..text },
        }
    }

    fn into_tab(self) -> Result<RecordedTab, String> {
        let TabText { name, kind, preset, conversation, argv, folder, unknown: _ } = self;
        let program = match (kind.as_str(), preset) {
            ("agent", Some(preset)) => {
                RecordedProgram::Agent { preset, conversation: conversation.map(ConversationId::try_from).transpose()? }
            }
            ("agent", None) => return Err("the agent's preset is missing".into()),
            ("command", Some(name)) => RecordedProgram::Preset { name },
            ("command", None) if argv.is_empty() => return Err("the command is missing".into()),
            ("command", None) => RecordedProgram::Command { argv },
            ("terminal", _) => RecordedProgram::Terminal,
            _ => return Err("it is neither agent, command nor terminal".into()),
        };
        Ok(RecordedTab { name, folder, program })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::last_run::run_layout::{LayoutAxis, PaneLayout, PanesLayout, SplitLayout, TabLayout};

    fn alone(place: usize) -> TabLayout<usize> {
        TabLayout { roots: vec![place], panes: None, in_sight: false }
    }

    fn tab(name: &str, program: RecordedProgram) -> RecordedTab {
        RecordedTab { name: name.into(), folder: Some("/src".into()), program }
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let conversation = ConversationId::new("0199-ab");
        let tabs = vec![
            tab("lead", RecordedProgram::Agent { preset: "claude".into(), conversation }),
            tab("new", RecordedProgram::Agent { preset: "codex".into(), conversation: None }),
            tab("dev", RecordedProgram::Preset { name: "dev".into() }),
            tab("build", RecordedProgram::Command { argv: vec!["sh".into(), "-lc".into(), "make \u{1b}[31m".into()] }),
            RecordedTab { name: "sh".into(), folder: None, program: RecordedProgram::Terminal },
        ];
        let parts = [PaneLayout::Pane(2), PaneLayout::Pane(4)];
        let tree = PaneLayout::Split(Box::new(SplitLayout { axis: LayoutAxis::Rows, share: 3_333, parts }));
        let panes = PanesLayout { tree, focused: 4, pinned: vec![2], zoomed: true };
        let together = TabLayout { roots: vec![2, 3, 4], panes: Some(panes), in_sight: true };
        let record = RunRecord { tabs, layout: RunLayout { tabs: vec![alone(0), alone(1), together] } };
        let parsed = RunRecord::parse(&record.to_bytes());
        assert_eq!((parsed.record, parsed.faults), (record, Vec::<String>::new()));
    }

    #[test]
    fn a_record_without_a_layout_has_tabs() {
        let text = json!({ "version": 1, "tabs": [{ "name": "a", "kind": "terminal" }] }).to_string();
        let parsed = RunRecord::parse(text.as_bytes());
        assert_eq!((parsed.record.tabs.len(), parsed.faults.len()), (1, 0));
        assert_eq!(parsed.record.layout, RunLayout::default());
        assert!(!String::from_utf8(parsed.record.to_bytes()).unwrap().contains("layout"));
    }

    #[test]
    fn damage_and_newer_forms_are_told() {
        for (text, why) in [
            ("", "damaged"),
            ("{\"version\": 1, \"ta", "damaged"),
            ("[]", "no JSON object"),
            ("{\"tabs\": []}", "no version"),
            ("{\"version\": \"1\", \"tabs\": []}", "no version"),
            ("{\"version\": 2, \"tabs\": []}", "a newer patterm"),
            ("{\"version\": 1}", "no list of tabs"),
            ("{\"version\": 1, \"tabs\": {}}", "no list of tabs"),
        ] {
            let parsed = RunRecord::parse(text.as_bytes());
            assert_eq!(parsed.record, RunRecord::default(), "{text}");
            assert!(parsed.faults.len() == 1 && parsed.faults[0].contains(why), "{text}: {:?}", parsed.faults);
        }
    }

    #[test]
    fn what_is_odd_in_it_is_told_and_the_rest_counts() {
        let text = json!({ "version": 1, "colour\n": 1, "tabs": [
            { "name": "a", "kind": "terminal", "zoom": true },
            { "name": "b", "kind": "agent" },
            { "name": "c", "kind": "agent", "preset": "claude", "conversation": "--dangerous" },
            { "name": "d", "kind": "command", "argv": "make" },
            { "name": "e", "kind": "command" },
            { "name": "f", "kind": "window" },
            "g",
            { "name": "h", "kind": "command", "argv": ["make"] },
        ] });
        let parsed = RunRecord::parse(text.to_string().as_bytes());
        let names: Vec<&str> = parsed.record.tabs.iter().map(|tab| tab.name.as_str()).collect();
        assert_eq!(names, ["a", "h"]);
        assert_eq!(parsed.faults.len(), 8, "{:#?}", parsed.faults);
        for told in ["'colour' in the record", "'zoom' in tab 1", "tab 2", "tab 3", "tab 4", "tab 5", "tab 6", "tab 7"]
        {
            assert!(parsed.faults.iter().any(|fault| fault.contains(told)), "{told}: {:#?}", parsed.faults);
        }
    }

    #[test]
    fn a_record_stays_within_its_limits() {
        let long = |index: usize| {
            let argv = vec!["x".repeat(40_000), "\u{1}".repeat(2_000)];
            tab(&format!("t{index}"), RecordedProgram::Command { argv })
        };
        let mut tabs: Vec<RecordedTab> = (0..100).map(long).collect();
        tabs.push(tab("last", RecordedProgram::Terminal));
        let layout = RunLayout { tabs: (0..101).map(alone).collect() };
        let bytes = RunRecord { tabs, layout }.to_bytes();
        assert!(bytes.len() <= MAX_RECORD_BYTES, "{}", bytes.len());
        let RunRecord { tabs, layout } = RunRecord::parse(&bytes).record;
        assert_eq!((tabs.len() < 100, tabs.last().unwrap().name.as_str()), (true, "last"));
        assert_eq!(layout.tabs, (0..tabs.len()).map(alone).collect::<Vec<_>>(), "places are those that are written");
        let many = RunRecord {
            tabs: (0..300).map(|_| tab("t", RecordedProgram::Terminal)).collect(),
            layout: RunLayout { tabs: (0..300).map(alone).collect() },
        };
        let parsed = RunRecord::parse(&many.to_bytes());
        assert_eq!((parsed.record.tabs.len(), parsed.record.layout.tabs.len()), (MAX_TABS, MAX_TABS));
        assert_eq!(parsed.faults, Vec::<String>::new());
    }

    #[test]
    fn a_layout_without_room_is_not_written_and_the_tabs_are() {
        let tabs: Vec<RecordedTab> = (0..MAX_TABS).map(|_| tab("t", RecordedProgram::Terminal)).collect();
        let tree = |depth: usize| {
            (1..=depth).fold(PaneLayout::Pane(0), |inner, place| {
                let parts = [inner, PaneLayout::Pane(place)];
                PaneLayout::Split(Box::new(SplitLayout { axis: LayoutAxis::Rows, share: 5_000, parts }))
            })
        };
        for (depth, kept) in [(20, true), (100, false)] {
            let panes = PanesLayout { tree: tree(depth), focused: 0, pinned: Vec::new(), zoomed: false };
            let roots = (0..MAX_TABS).collect();
            let together = TabLayout { roots, panes: Some(panes), in_sight: false };
            let record = RunRecord { tabs: tabs.clone(), layout: RunLayout { tabs: vec![together] } };
            let parsed = RunRecord::parse(&record.to_bytes());
            assert_eq!((parsed.record.tabs.len(), parsed.faults), (MAX_TABS, Vec::<String>::new()));
            assert_eq!(parsed.record.layout.tabs[0].panes.is_some(), kept, "{depth}");
        }
    }
}
