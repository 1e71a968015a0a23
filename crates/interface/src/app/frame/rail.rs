//! The rail: the tree of the tab in sight, and the scratchpads below it.

use std::{cmp::Reverse, time::Instant};

use engine::{AgedReport, Kind, SessionId};
use project::{Project, settings::Side};
use tui::{
    Canvas, Rect, Sign, SkinRole, Span,
    widgets::{TreeItem, TreeView},
};

use super::status::minutes;
use crate::app::{
    model::{InterfaceState, KeyboardFocus},
    scratchpads,
    sessions::{SessionItem, sign_of},
};

/// Where the parts of the rail are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RailPlaces {
    pub(crate) line: Rect,
    pub(crate) heading: Rect,
    pub(crate) tree: Rect,
    pub(crate) scratchpads: Rect,
}

impl RailPlaces {
    pub(crate) fn of(rail: Rect, app: &InterfaceState) -> Self {
        let (line, inside) = match app.rail.side {
            Side::Right => rail.split_left(1),
            Side::Left => {
                let (inside, line) = rail.split_right(1);
                (line, inside)
            }
        };
        let inside = inside.inner(1, 0);
        let (heading, rest) = inside.split_top(1);
        let rows = scratchpads::rail_rows(app, rest.rows).min(rest.rows.saturating_sub(1));
        let (tree, scratchpads) = rest.split_bottom(rows);
        RailPlaces { line, heading, tree, scratchpads }
    }
}

/// Parts of its work that a program's row has below it: those that matter most.
const MAX_PARTS: usize = 8;

/// The tree of the tab in sight, as it is drawn: sessions, and below each what its program reports of parts of its work.
/// A row shows the session it belongs to.
pub(crate) fn tree_rows(app: &InterfaceState) -> Vec<(SessionId, TreeItem)> {
    let Some(tab) = app.sessions.tab() else { return Vec::new() };
    let now = Instant::now();
    let item = |item: &SessionItem| TreeItem {
        // `$` and the program: an agent started it with a command line of its own.
        label: match app.project.as_ref().and_then(|project| project.trust().free_program(item.id)) {
            Some(program) => format!("{} $ {}", item.name, crate::spelled::spelled(&program)),
            None => item.name.clone(),
        },
        detail: match item.has_ended() {
            true => item.word(),
            false if item.held_back() > 0 => format!("{} held back", item.held_back()),
            false => match item.waiting_prompts() {
                Some((count, _)) => format!("{count} queued"),
                None => match item.leading_report().and_then(|record| record.progress) {
                    Some(percent) => format!("{percent}%"),
                    None => minutes(now.saturating_duration_since(item.since())),
                },
            },
        },
        // How it ended, and what waits for it, are said already.
        state: match item.has_ended() || item.held_back() > 0 || item.waiting_prompts().is_some() {
            true => String::new(),
            false => item.word(),
        },
        about: app.skin.glyphs.text(&about(item, app)).into_owned(),
        sign: if item.attention { Sign::Blocked } else { item.sign() },
        depth: item.depth,
        attention: item.attention,
    };
    app.sessions
        .tree(tab)
        .flat_map(|session| std::iter::once(item(session)).chain(parts(session)).map(|row| (session.id, row)))
        .collect()
}

/// Whose program it is, what the program calls its work, and where it runs if that is not the project's folder.
fn about(item: &SessionItem, app: &InterfaceState) -> String {
    let title = item.session.title();
    // CLIs animate a sign in front of their titles.
    let title = title.trim_start_matches(|c: char| !c.is_alphanumeric() && !"~/.$\"'([".contains(c));
    let home = app.project.as_ref().map(Project::project_dir);
    let elsewhere = item.folder.as_deref().filter(|folder| Some(*folder) != home);
    let folder = elsewhere.and_then(|folder| folder.file_name()).map(|name| name.to_string_lossy());
    let vendor =
        Some(item.program.as_str()).filter(|program| item.kind == Kind::Agent && !item.name.starts_with(*program));
    let title = Some(title).filter(|title| *title != item.name && Some(*title) != vendor);
    let words = [vendor, title, folder.as_deref()];
    words.into_iter().flatten().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" · ")
}

fn parts(item: &SessionItem) -> Vec<TreeItem> {
    let mut parts: Vec<&AgedReport> = item.reports.iter().filter(|report| !report.record.id.is_empty()).collect();
    parts.sort_by_key(|report| Reverse(report.record.rank()));
    parts.truncate(MAX_PARTS);
    parts.sort_by(|one, other| one.record.id.cmp(&other.record.id));
    let row = |report: &&AgedReport| {
        let record = &report.record;
        let last = record.id.rsplit('/').next().unwrap_or_default();
        TreeItem {
            label: record.title.clone().unwrap_or_else(|| last.to_owned()),
            detail: record.progress.map(|percent| format!("{percent}%")).unwrap_or_default(),
            state: String::new(),
            about: String::new(),
            sign: sign_of(record.state),
            depth: item.depth + 1 + record.id.matches('/').count(),
            attention: false,
        }
    };
    parts.iter().map(row).collect()
}

/// The row of the tree where arrows and Enter are; none while they are elsewhere.
pub(crate) fn tree_cursor(app: &InterfaceState, items: usize) -> Option<usize> {
    let last = (items + app.scratchpads.len()).saturating_sub(1);
    Some(app.rail.cursor.min(last)).filter(|cursor| app.focus == KeyboardFocus::Rail && *cursor < items)
}

pub(super) fn draw(canvas: &mut Canvas, area: Rect, app: &InterfaceState) {
    let places = RailPlaces::of(area, app);
    let here = app.focus == KeyboardFocus::Rail;
    let plain = app.skin.style(SkinRole::Text);
    let border = app.skin.style(if here { SkinRole::BorderFocused } else { SkinRole::Border });
    let edge = app.skin.glyphs.box_lines().vertical;
    canvas.fill(Rect { cols: area.cols, ..area.line(0) }, plain);
    for row in 0..area.rows {
        // The whole row, so that the margins are blank.
        let (line, inside) = (places.line, area.line(row));
        if app.rail.side == Side::Right {
            canvas.draw_line(inside, 0, &[Span::new(edge.to_string(), border)], plain);
        } else {
            canvas.draw_line(inside, 0, &[], plain);
            canvas.draw_char(line, inside.row, line.col, edge, border);
        }
    }
    let heading = app.skin.style(if here { SkinRole::Accent } else { SkinRole::Muted });
    canvas.draw_line(places.heading, 0, &[Span::new("Sessions", heading)], plain);
    let rows = tree_rows(app);
    let shown = app.session_id();
    let focused = rows.iter().position(|(id, _)| Some(*id) == shown);
    let items: Vec<TreeItem> = rows.into_iter().map(|(_, item)| item).collect();
    let cursor = tree_cursor(app, items.len());
    TreeView { items: &items, focused, cursor }.draw(canvas, places.tree, &app.skin);
    scratchpads::draw_rail(canvas, places.scratchpads, app);
}
