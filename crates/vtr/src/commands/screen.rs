//! `vtr screen`

use fleet::SessionAddress;
use grpc::proto::{CellRun, GetScreenRequest, GetScreenResponse, ScreenFormat, ScreenRow};
use program::{CleanText, Exit, Outcome};
use serde_json::{Value, json};
use vt::{LineBuilder, Size, Style};

use crate::{
    ansi,
    invocation::Invocation,
    output::{CellPaint, Output},
};

/// Print a session's screen
///
/// On a terminal, the cursor is drawn too. Blank rows at the bottom are left out.
#[derive(Debug, clap::Args)]
pub(crate) struct ScreenArgs {
    #[arg(value_name = "SESSION")]
    session: SessionAddress,
    /// Include colours and styles as escape sequences, and leave out the heading
    #[arg(long, conflicts_with_all = ["cells", "json"])]
    ansi: bool,
    /// Print JSON with the character, colours and attributes of every cell
    #[arg(long)]
    cells: bool,
}

impl ScreenArgs {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let target = invocation.target(&self.session).await?;
        // Runs hold the same information as cells in a fraction of the bytes, so any screen fits into an answer, even
        // on a slow connection.
        let request = GetScreenRequest { name: target.session.clone(), format: ScreenFormat::Runs.into() };
        let answer = target.client.vtr().get_screen(request).await.map_err(|status| target.failure(&status))?;
        let screen = answer.into_inner();
        let output = &mut invocation.output;
        if self.ansi {
            output.lines(ansi::screen(&screen))?;
        } else if self.cells || output.json {
            output.object(&to_json(&screen, &target.coordinator.name, self.cells))?;
        } else {
            output.lines(for_people(&screen, output))?;
        }
        Ok(Exit::Done)
    }
}

fn for_people(screen: &GetScreenResponse, output: &Output) -> Vec<CleanText> {
    let heading = format!("Screen: {} ({}x{})", screen.name, screen.cols, screen.rows);
    let mut lines = vec![output.painted(CellPaint::Bold, &heading)];
    let cursor_shown = output.terminal && screen.cursor_visible;
    let cursor_row = if screen.cursor_visible { usize::try_from(screen.cursor_y).unwrap_or_default() } else { 0 };
    let last = screen.screen_rows.iter().rposition(|row| !row.text().is_empty()).unwrap_or_default();
    for (number, row) in screen.screen_rows.iter().enumerate().take(last.max(cursor_row) + 1) {
        lines.push(if cursor_shown && number == cursor_row {
            with_cursor(row, screen, output)
        } else {
            row.text().into()
        });
    }
    lines
}

fn with_cursor(row: &ScreenRow, screen: &GetScreenResponse, output: &Output) -> CleanText {
    let cursor = usize::try_from(screen.cursor_x).unwrap_or_default();
    let mut cells = cells(row, screen.cols);
    let drawn = cells.iter().rposition(|cell| cell.text != " ").map_or(0, |last| last + 1).max(cursor + 1);
    cells.truncate(drawn);
    let mut line = CleanText::default();
    for (column, cell) in cells.iter().enumerate() {
        line = line.with(match cell.text.as_str() {
            " " if column == cursor => "█".into(),
            text if column == cursor && output.color => output.painted(CellPaint::Cursor, text),
            text => text.into(),
        });
    }
    line
}

/// One column.
#[derive(Clone, Debug)]
struct ScreenCell<'a> {
    /// A space for a blank cell; empty for the second column of a wide character.
    text: String,
    /// The run that holds its style; `None` where nothing was written.
    run: Option<&'a CellRun>,
}

/// Every column of a row.
fn cells(row: &ScreenRow, cols: i32) -> Vec<ScreenCell<'_>> {
    let cols = usize::try_from(cols).unwrap_or_default().min(Size::MAX.cols.into());
    let mut cells = Vec::with_capacity(cols);
    // The builder checks the widths that a run claims.
    let mut builder = LineBuilder::new();
    for run in &row.runs {
        builder.push(&run.text, run.cols, fleet::cell_shape(run), Style::default(), "");
        let line = builder.finish(false);
        for cell in line.cells() {
            let text = cell.text.to_owned();
            cells.push(ScreenCell { text, run: Some(run) });
            cells.extend((1..cell.width).map(|_| ScreenCell { text: String::new(), run: Some(run) }));
        }
        if cells.len() >= cols {
            break;
        }
    }
    cells.resize(cols, ScreenCell { text: " ".into(), run: None });
    cells
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
        let rows =
            screen.screen_rows.iter().map(|row| cells(row, screen.cols).iter().map(cell_json).collect::<Vec<_>>());
        reply["cells"] = rows.collect::<Vec<_>>().into();
    }
    reply
}

/// Colours are `#rrggbb`, or null for the default colour.
fn cell_json(cell: &ScreenCell<'_>) -> Value {
    let color = |color: Option<u32>| color.map(|color| format!("#{:06x}", color & 0x00ff_ffff));
    let bits = cell.run.map_or(0, |run| run.attributes);
    let attributes = ansi::ATTRIBUTES.iter().filter(|attribute| bits & attribute.bit != 0);
    json!({
        "char": cell.text,
        "fg": color(cell.run.and_then(|run| run.fg_color)),
        "bg": color(cell.run.and_then(|run| run.bg_color)),
        "attributes": attributes.map(|attribute| attribute.name).collect::<Vec<_>>(),
    })
}
