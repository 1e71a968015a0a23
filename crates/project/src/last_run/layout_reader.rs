//! Reads the layout of a run record, as if anybody had written it. What can't be used is told and left out: the tabs
//! themselves come back without it.

use std::collections::HashSet;

use serde_json::Value;

use super::{
    record::ParsedRecord,
    run_layout::{LayoutAxis, MAX_DEPTH, PaneLayout, PanesLayout, RunLayout, SplitLayout, TabLayout},
};

impl ParsedRecord {
    /// `places`: for each tab of the file its place among those that can be used.
    pub(super) fn take_layout(&mut self, layout: Value, places: &[Option<usize>]) {
        let Value::Object(mut fields) = layout else { return self.layout_fault("it is no JSON object") };
        let Some(Value::Array(tabs)) = fields.remove("tabs") else {
            return self.layout_fault("it has no list of tabs");
        };
        self.ignore("the layout", &fields);
        let mut free: HashSet<usize> = (0..places.len()).collect();
        let mut read = RunLayout::default();
        for (index, mut tab) in tabs.into_iter().enumerate() {
            let number = index + 1;
            let panes_of_tab = tab.as_object_mut().and_then(|tab| tab.remove("panes"));
            let Ok(mut tab) = serde_json::from_value::<TabLayout<usize>>(tab) else {
                self.layout_fault(&format!("its tab {number} is damaged"));
                continue;
            };
            tab.panes = panes_of_tab.as_ref().and_then(panes);
            if panes_of_tab.is_some() && tab.panes.is_none() {
                self.layout_fault(&format!("the panes of its tab {number} are damaged, or split too deep"));
            }
            let (tab, odd) = checked(tab, &mut free);
            if odd {
                self.layout_fault(&format!("its tab {number} names a place that is not among the tabs, or one twice"));
            }
            read.tabs.push(tab);
        }
        self.record.layout = read.mapped(|place| *places.get(place)?);
    }

    fn layout_fault(&mut self, why: &str) {
        self.fault(format!(
            "the last run's layout can't be used as a whole, and what is wrong in it is left out: {why}"
        ));
    }
}

fn panes(value: &Value) -> Option<PanesLayout<usize>> {
    let pinned = value["pinned"].as_array().map(Vec::as_slice).unwrap_or_default();
    Some(PanesLayout {
        tree: pane_tree(&value["tree"], MAX_DEPTH)?,
        focused: place(&value["focused"])?,
        pinned: pinned.iter().filter_map(place).collect(),
        zoomed: value["zoomed"].as_bool().unwrap_or_default(),
    })
}

/// Read by hand: serde copies the rest of such a tree for each of its levels, and there may be many of them.
fn pane_tree(value: &Value, depth: usize) -> Option<PaneLayout<usize>> {
    let Some(parts) = value["parts"].as_array() else { return place(value).map(PaneLayout::Pane) };
    let [first, second] = parts.as_slice() else { return None };
    let depth = depth.checked_sub(1)?;
    let axis = match value["axis"].as_str()? {
        "columns" => LayoutAxis::Columns,
        "rows" => LayoutAxis::Rows,
        _ => return None,
    };
    let share = u32::try_from(value["share"].as_u64()?).ok()?;
    let parts = [pane_tree(first, depth)?, pane_tree(second, depth)?];
    Some(PaneLayout::Split(Box::new(SplitLayout { axis, share, parts })))
}

fn place(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

/// A tab in which each place counts once: among the roots if it is still `free`, and among the panes if it is one of the
/// roots. The other value says whether anything was left out.
fn checked(mut tab: TabLayout<usize>, free: &mut HashSet<usize>) -> (TabLayout<usize>, bool) {
    let mut odd = false;
    let mut roots = Vec::new();
    for place in tab.roots {
        match free.remove(&place) {
            true => roots.push(place),
            false => odd = true,
        }
    }
    tab.panes = tab.panes.and_then(|mut panes| {
        let mut hidden: HashSet<usize> = roots.iter().copied().collect();
        let mut once = |place| {
            let counts = hidden.remove(&place);
            odd |= !counts;
            counts.then_some(place)
        };
        panes.tree = panes.tree.mapped(&mut once)?;
        let mut pinned = HashSet::new();
        panes.pinned.retain(|place| pinned.insert(*place));
        Some(panes)
    });
    (TabLayout { roots, ..tab }, odd)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::last_run::{
        record::RunRecord,
        run_layout::{LayoutAxis, PaneLayout, PanesLayout, WHOLE_SHARE},
    };

    /// A record of four shells, the third of which can't be read.
    fn parsed(layout: &Value) -> ParsedRecord {
        let shell = |name: &str| json!({ "name": name, "kind": "terminal" });
        let tabs = [shell("a"), shell("b"), json!("c"), shell("d")];
        let mut parsed =
            RunRecord::parse(json!({ "version": 1, "tabs": tabs, "layout": layout }).to_string().as_bytes());
        assert_eq!(parsed.record.tabs.len(), 3, "the tabs come back, whatever the layout says");
        parsed.faults.retain(|fault| fault.contains("layout"));
        parsed
    }

    fn panes(layout: &RunLayout<usize>) -> &PanesLayout<usize> {
        layout.tabs[0].panes.as_ref().unwrap()
    }

    #[test]
    fn places_are_those_of_the_tabs_that_count() {
        let tree = json!({ "axis": "columns", "share": 4000, "parts": [
            0, { "axis": "rows", "share": 5000, "parts": [2, 3] }
        ] });
        let parsed = parsed(&json!({ "tabs": [
            { "roots": [0, 2, 3], "panes": { "tree": tree, "focused": 3, "pinned": [0, 2] } },
            { "roots": [1], "in_sight": true },
        ] }));
        assert_eq!(parsed.faults, Vec::<String>::new(), "the tab that can't be read has its own");
        let [first, second] = parsed.record.layout.tabs.as_slice() else { panic!("{:?}", parsed.record) };
        assert_eq!((&first.roots, &second.roots, second.in_sight), (&vec![0, 2], &vec![1], true));
        let panes = panes(&parsed.record.layout);
        let PaneLayout::Split(split) = &panes.tree else { panic!("{panes:?}") };
        assert_eq!((split.axis, split.share), (LayoutAxis::Columns, 4000));
        assert_eq!(split.parts, [PaneLayout::Pane(0), PaneLayout::Pane(2)], "its pane has closed");
        assert_eq!((panes.focused, &panes.pinned), (2, &vec![0]));
    }

    #[test]
    fn what_can_not_be_used_is_told_and_the_rest_counts() {
        let over = 1_u64 << 40;
        for (layout, told) in [
            (json!([]), "no JSON object"),
            (json!({}), "no list of tabs"),
            (json!({ "tabs": {} }), "no list of tabs"),
            (json!({ "tabs": [], "colour": 1 }), "'colour' in the layout"),
            (json!({ "tabs": [7] }), "tab 1 is damaged"),
            (json!({ "tabs": [{}] }), "tab 1 is damaged"),
            (json!({ "tabs": [{ "roots": [-1] }] }), "tab 1 is damaged"),
            (json!({ "tabs": [{ "roots": [over] }] }), "tab 1 names a place"),
            (json!({ "tabs": [{ "roots": [4] }] }), "tab 1 names a place"),
            (json!({ "tabs": [{ "roots": [0] }, { "roots": [1, 0] }] }), "tab 2 names a place"),
            (json!({ "tabs": [{ "roots": [0], "panes": { "tree": 1, "focused": 1 } }] }), "tab 1 names a place"),
            (
                json!({ "tabs": [{ "roots": [0], "panes": { "tree": [0], "focused": 0 } }] }),
                "panes of its tab 1 are damaged",
            ),
        ] {
            let parsed = parsed(&layout);
            assert!(parsed.faults.len() == 1 && parsed.faults[0].contains(told), "{layout}: {:?}", parsed.faults);
            let places = parsed.record.layout.tabs.iter().flat_map(|tab| &tab.roots);
            assert!(places.clone().count() <= 2 && places.clone().all(|place| *place < 3), "{layout}");
        }
    }

    #[test]
    fn a_place_counts_once_and_a_share_has_its_limits() {
        let split = |share: u64, first: Value, second: Value| json!({ "axis": "rows", "share": share, "parts": [first, second] });
        let tree = split(99_999, json!(0), split(0, json!(0), json!(1)));
        let parsed = parsed(&json!({ "tabs": [
            { "roots": [0, 0, 1], "panes": { "tree": tree, "focused": 9, "pinned": [1, 1, 5], "zoomed": true } },
        ] }));
        assert_eq!(parsed.faults.len(), 1, "{:?}", parsed.faults);
        assert_eq!(parsed.record.layout.tabs[0].roots, [0, 1]);
        let panes = panes(&parsed.record.layout);
        let PaneLayout::Split(split) = &panes.tree else { panic!("{panes:?}") };
        assert_eq!((split.share, &split.parts), (WHOLE_SHARE, &[PaneLayout::Pane(0), PaneLayout::Pane(1)]));
        assert_eq!((panes.focused, panes.zoomed, &panes.pinned), (0, false, &vec![1]));
    }

    #[test]
    fn panes_that_are_split_too_deep_come_back_as_one() {
        for (depth, told) in [(32, false), (33, true)] {
            let tabs = vec![json!({ "name": "t", "kind": "terminal" }); depth + 1];
            let beside = |inner, place| json!({ "axis": "rows", "share": 5000, "parts": [inner, place] });
            let tree = (1..=depth).fold(json!(0), beside);
            let roots: Vec<usize> = (0..=depth).collect();
            let layout = json!({ "tabs": [{ "roots": roots, "panes": { "tree": tree, "focused": 0 } }] });
            let text = json!({ "version": 1, "tabs": tabs, "layout": layout }).to_string();
            let ParsedRecord { record, faults } = RunRecord::parse(text.as_bytes());
            assert_eq!(faults.iter().any(|fault| fault.contains("too deep")), told, "{depth}: {faults:?}");
            assert_eq!((&record.layout.tabs[0].roots, record.layout.tabs[0].panes.is_none()), (&roots, told));
        }
    }
}
