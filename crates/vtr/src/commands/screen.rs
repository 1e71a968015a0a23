//! `vtr screen`

use grpc::proto::{Cell, GetScreenRequest, GetScreenResponse, ScreenFormat};
use serde_json::{Value, json};

use crate::{
    ansi,
    coordinators::Address,
    failure::{Exit, Outcome},
    invocation::Invocation,
    output::{Output, Paint},
};

/// Show what a session's screen shows
///
/// On a terminal the cursor is drawn too. Blank rows at the bottom are left out.
#[derive(Debug, clap::Args)]
pub(crate) struct Screen {
    #[arg(value_name = "SESSION")]
    session: Address,
    /// With colours and styles as escape sequences, and without a heading
    #[arg(long, conflicts_with_all = ["cells", "json"])]
    ansi: bool,
    /// As JSON with the character, colours and attributes of every cell
    #[arg(long)]
    cells: bool,
}

impl Screen {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let target = invocation.target(&self.session).await?;
        let format = if self.ansi { ScreenFormat::Runs } else { ScreenFormat::Cells };
        let request = GetScreenRequest { name: target.session.clone(), format: format.into() };
        let answer = target.client.vtr().get_screen(request).await.map_err(|status| target.failure(&status))?;
        let screen = answer.into_inner();
        let output = &mut invocation.output;
        if self.ansi {
            output.bytes(ansi::screen(&screen).as_bytes())?;
        } else if self.cells || output.json {
            output.object(&to_json(&screen, &target.coordinator.name, self.cells))?;
        } else {
            output.bytes(for_people(&screen, output).as_bytes())?;
        }
        Ok(Exit::Done)
    }
}

fn for_people(screen: &GetScreenResponse, output: &Output) -> String {
    let heading = format!("Screen: {} ({}x{})", screen.name, screen.cols, screen.rows);
    let mut text = format!("{}\n", output.painted(Paint::Bold, &heading));
    let cursor_shown = output.terminal && screen.cursor_visible;
    let cursor_row = if screen.cursor_visible { usize::try_from(screen.cursor_y).unwrap_or_default() } else { 0 };
    let last = screen.screen_rows.iter().rposition(|row| !row.text().is_empty()).unwrap_or_default();
    for (number, row) in screen.screen_rows.iter().enumerate().take(last.max(cursor_row) + 1) {
        if !cursor_shown || number != cursor_row {
            text.push_str(&row.text());
            text.push('\n');
            continue;
        }
        let cursor = usize::try_from(screen.cursor_x).unwrap_or_default();
        let drawn: String = row
            .cells
            .iter()
            .enumerate()
            .map(|(column, cell)| match cell.text {
                " " if column == cursor => "█".into(),
                text if column == cursor && output.color => format!("\x1b[7m{text}\x1b[0m"),
                text => text.to_owned(),
            })
            .collect();
        text.push_str(drawn.trim_end_matches(' '));
        text.push('\n');
    }
    text
}

fn to_json(screen: &GetScreenResponse, coordinator: &str, with_cells: bool) -> Value {
    let lines: Vec<String> = screen.screen_rows.iter().map(|row| row.text()).collect();
    let mut reply = json!({
        "coordinator": coordinator,
        "name": screen.name,
        "id": screen.id,
        "cols": screen.cols,
        "rows": screen.rows,
        "cursor": { "x": screen.cursor_x, "y": screen.cursor_y, "visible": screen.cursor_visible },
        "alternate_screen": screen.alternate_screen,
        "version": screen.version,
        "lines": lines,
    });
    if with_cells {
        let rows = screen.screen_rows.iter().map(|row| row.cells.iter().map(cell_json).collect::<Vec<_>>());
        reply["cells"] = rows.collect::<Vec<_>>().into();
    }
    reply
}

/// Colours are `#rrggbb`, or null for the default one.
fn cell_json(cell: Cell<'_>) -> Value {
    let color = |color: i32| if color < 0 { Value::Null } else { format!("#{color:06x}").into() };
    let attributes = ansi::ATTRIBUTES.iter().filter(|attribute| cell.attributes & attribute.bit != 0);
    json!({
        "char": cell.text,
        "fg": color(cell.fg_color),
        "bg": color(cell.bg_color),
        "attributes": attributes.map(|attribute| attribute.name).collect::<Vec<_>>(),
    })
}
