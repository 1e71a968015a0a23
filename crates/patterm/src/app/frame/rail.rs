//! The rail: the tree of the tab in sight, and the scratchpads below it.

use std::time::Instant;

use project::settings::Side;
use tui::{
    Canvas, Rect, Role, Sign, Span,
    widgets::{TreeItem, TreeView},
};

use super::status::minutes;
use crate::app::{
    model::{App, Focus},
    scratchpads,
    sessions::Item,
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
    pub(crate) fn of(rail: Rect, app: &App) -> Self {
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

/// The tree of the tab in sight, as it is drawn.
pub(crate) fn tree_items(app: &App) -> Vec<TreeItem> {
    let Some(tab) = app.sessions.tab() else { return Vec::new() };
    let now = Instant::now();
    let item = |item: &Item| TreeItem {
        // `$` and the program: an agent started it with a command line of its own.
        label: match app.project.trust().free_program(item.id) {
            Some(program) => format!("{} $ {}", item.name, crate::spelled::spelled(&program)),
            None => item.name.clone(),
        },
        detail: match item.has_ended() {
            true => item.word(),
            false if item.held_back() > 0 => format!("{} held back", item.held_back()),
            false => match item.waiting_prompts() {
                Some((count, _)) => format!("{count} queued"),
                None => minutes(now.saturating_duration_since(item.since())),
            },
        },
        sign: if item.attention { Sign::Blocked } else { item.sign() },
        depth: item.depth,
        attention: item.attention,
    };
    app.sessions.tree(tab).map(item).collect()
}

/// The row of the tree where arrows and Enter are; none while they are elsewhere.
pub(crate) fn tree_cursor(app: &App, items: usize) -> Option<usize> {
    let last = (items + app.scratchpads.len()).saturating_sub(1);
    Some(app.rail.cursor.min(last)).filter(|cursor| app.focus == Focus::Rail && *cursor < items)
}

pub(super) fn draw(canvas: &mut Canvas, area: Rect, app: &App) {
    let places = RailPlaces::of(area, app);
    let here = app.focus == Focus::Rail;
    let plain = app.skin.style(Role::Text);
    let border = app.skin.style(if here { Role::BorderFocused } else { Role::Border });
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
    let heading = app.skin.style(if here { Role::Accent } else { Role::Muted });
    canvas.draw_line(places.heading, 0, &[Span::new("Sessions", heading)], plain);
    let items = tree_items(app);
    let tab = app.sessions.tab();
    let focused = tab.and_then(|tab| {
        app.sessions.tree(tab).position(|item| Some(item.id) == app.session().map(engine::Session::id))
    });
    let cursor = tree_cursor(app, items.len());
    TreeView { items: &items, focused, cursor }.draw(canvas, places.tree, &app.skin);
    scratchpads::draw_rail(canvas, places.scratchpads, app);
}
