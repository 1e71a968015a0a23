//! A small interface on the real parts: tabs, a pane that shows a recording, a tree, a palette, a question, copy mode
//! and help. Run it with the path of a recording and how much of it to show:
//! `cargo run -p tui --example demo -- fixtures/recordings/programs/vim.raw 13614`. Tests run it inside our own engine.

use std::{
    env, fs,
    io::{self, Write},
    os::fd::AsFd,
    process::ExitCode,
    time::{Duration, Instant},
};

use tui::{
    Canvas, CanvasCursor, CanvasWriter, CopyMode, CopyOutcome, Document, HostDecoder, HostEvent, KeySequence, Keymap,
    KeymapOutcome, Layer, LayerOutcome, LayerStack, PaneView, Rect, Sign, Skin, SkinRole, Span,
    host::{ColorHints, HostModes, HostTerminal, MouseTracking},
    widgets::{
        FuzzyList, HelpEntry, HelpTable, ListEntry, ListOutcome, Modal, ModalOutcome, TabBar, TabHit, TabLabel, Toast,
        TreeItem, TreeView, diff_lines, draw_status_line, draw_toasts,
    },
};
use vt::{Frame, Position, Size, Terminal, TerminalOptions};

const RAIL_COLS: u16 = 24;

struct App {
    skin: Skin,
    keymap: Keymap,
    tabs: Vec<TabLabel>,
    items: Vec<TreeItem>,
    active: usize,
    frame: Frame,
    last_key: String,
    area: Rect,
    done: bool,
}

const COMMANDS: [(&str, &str); 5] = [
    ("copy", "Look back and copy"),
    ("trust", "Ask for trust"),
    ("help", "Help"),
    ("panic", "Panic, to see the terminal put back"),
    ("quit", "Quit"),
];

fn panes(area: Rect) -> (Rect, Rect, Rect, Rect) {
    let (tabs, rest) = area.split_top(1);
    let (rest, status) = rest.split_bottom(1);
    let (pane, rail) = rest.split_right(RAIL_COLS);
    (tabs, pane, rail, status)
}

fn run(command: &str, app: &mut App) -> LayerOutcome<App> {
    match command {
        "quit" => app.done = true,
        "panic" => panic!("asked to"),
        "help" => return LayerOutcome::Open(Box::new(Help)),
        "copy" => {
            let (_, pane, _, _) = panes(app.area);
            let document = Document::new([], None, &app.frame);
            return LayerOutcome::Open(Box::new(Copy(CopyMode::new(document, app.frame.cursor.position, pane.rows))));
        }
        "trust" => {
            let mut body = vec![vec![Span::new("make test", app.skin.style(SkinRole::Code))], Vec::new()];
            body.extend(diff_lines("argv: make", "argv: make test", &app.skin));
            let modal =
                Modal::new("Run this command?", body).answer('d', "deny").answer('o', "once").answer('a', "always");
            return LayerOutcome::Open(Box::new(Question(modal)));
        }
        _ => {}
    }
    LayerOutcome::Taken
}

struct Base(KeySequence);

impl Layer<App> for Base {
    fn update(&mut self, event: &HostEvent, app: &mut App) -> LayerOutcome<App> {
        match event {
            HostEvent::Key(key) => {
                for press in self.0.press(&app.keymap, key, Instant::now()) {
                    match press {
                        KeymapOutcome::Command(id) if id == "palette" => {
                            return LayerOutcome::Open(Box::new(Palette::new(app)));
                        }
                        KeymapOutcome::Command(id) => return run(&id, app),
                        KeymapOutcome::Key(key) => app.last_key = key.to_string(),
                        KeymapOutcome::Unbound(keys) => app.last_key = format!("{keys}, which is not bound"),
                    }
                }
            }
            HostEvent::Paste(text) => app.last_key = format!("pasted {} characters", text.chars().count()),
            HostEvent::Mouse(mouse) => {
                let (tabs, _, _, _) = panes(app.area);
                let bar = TabBar { tabs: &app.tabs, active: app.active };
                match bar.hit(tabs, Position { row: mouse.row, col: mouse.col }, &app.skin) {
                    Some(TabHit::Tab(index)) => app.active = index,
                    Some(TabHit::New) => return LayerOutcome::Open(Box::new(Palette::new(app))),
                    None => return LayerOutcome::Passed,
                }
            }
            _ => return LayerOutcome::Passed,
        }
        LayerOutcome::Taken
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &App) -> Option<CanvasCursor> {
        let (tabs, pane, rail, status) = panes(area);
        TabBar { tabs: &app.tabs, active: app.active }.draw(canvas, tabs, &app.skin);
        TreeView { items: &app.items, focused: Some(0), cursor: None }.draw(canvas, rail, &app.skin);
        let muted = app.skin.style(SkinRole::Muted);
        let left = [Span::new(format!(" {}", app.last_key), muted)];
        draw_status_line(canvas, status, &left, &[Span::new("ctrl+k palette ", muted)], &app.skin);
        PaneView::frame(&app.frame).draw(canvas, pane, 1)
    }
}

struct Palette(FuzzyList);

impl Palette {
    fn new(app: &App) -> Self {
        let entry = |&(id, text): &(&str, &str)| {
            let mut entry = ListEntry::new(text);
            entry.keys = app.keymap.keys_of(id).unwrap_or_default();
            entry
        };
        Palette(FuzzyList::new(COMMANDS.iter().map(entry).collect()))
    }

    fn place(area: Rect) -> Rect {
        let width = area.cols.saturating_sub(8).min(56);
        let mut place = area.centered(width, 9);
        place.row = area.row + 2.min(area.rows);
        place.intersect(area)
    }
}

impl Layer<App> for Palette {
    fn update(&mut self, event: &HostEvent, app: &mut App) -> LayerOutcome<App> {
        match self.0.update(event, Self::place(app.area).inner(1, 1)) {
            ListOutcome::Cancelled => LayerOutcome::Close,
            ListOutcome::Chosen(index) => match run(COMMANDS[index].0, app) {
                LayerOutcome::Open(layer) => LayerOutcome::Replace(layer),
                _ => LayerOutcome::Close,
            },
            ListOutcome::Taken | ListOutcome::Passed => LayerOutcome::Taken,
        }
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &App) -> Option<CanvasCursor> {
        let place = Self::place(area);
        let title = [Span::new(" palette ", app.skin.style(SkinRole::Heading))];
        canvas.draw_box(place, app.skin.glyphs.box_lines(), app.skin.style(SkinRole::BorderFocused), &title);
        self.0.draw(canvas, place.inner(1, 1), "> ", &app.skin)
    }

    fn is_modal(&self) -> bool {
        true
    }
}

struct Question(Modal);

impl Layer<App> for Question {
    fn update(&mut self, event: &HostEvent, app: &mut App) -> LayerOutcome<App> {
        match self.0.update(event, app.area) {
            ModalOutcome::Taken => LayerOutcome::Taken,
            ModalOutcome::Answered(answer) => {
                app.last_key = format!("answer {answer}");
                LayerOutcome::Close
            }
            ModalOutcome::Cancelled => LayerOutcome::Close,
        }
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &App) -> Option<CanvasCursor> {
        self.0.draw(canvas, area, &app.skin);
        None
    }

    fn is_modal(&self) -> bool {
        true
    }
}

struct Copy(CopyMode);

impl Layer<App> for Copy {
    fn update(&mut self, event: &HostEvent, app: &mut App) -> LayerOutcome<App> {
        let (_, pane, _, _) = panes(app.area);
        match self.0.update(event, pane) {
            CopyOutcome::Passed | CopyOutcome::Taken => LayerOutcome::Taken,
            CopyOutcome::Copied(text) => {
                app.last_key = format!("copied {text:?}");
                LayerOutcome::Close
            }
            CopyOutcome::Closed => LayerOutcome::Close,
        }
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &App) -> Option<CanvasCursor> {
        let (_, pane, _, status) = panes(area);
        let marks = self.0.marks(&app.skin);
        let cursor = self.0.view(&marks).draw(canvas, pane, 2);
        let right = [Span::new(self.0.status(), app.skin.style(SkinRole::Accent))];
        match self.0.prompt() {
            Some((_, input)) => input.draw(canvas, status, app.skin.style(SkinRole::Input)),
            None => {
                draw_status_line(canvas, status, &[], &right, &app.skin);
                cursor
            }
        }
    }
}

struct Help;

impl Layer<App> for Help {
    fn update(&mut self, event: &HostEvent, _: &mut App) -> LayerOutcome<App> {
        if matches!(event, HostEvent::Key(_)) { LayerOutcome::Close } else { LayerOutcome::Taken }
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &App) -> Option<CanvasCursor> {
        let (_, pane, _, _) = panes(area);
        let entry = |(keys, id): (String, &str)| HelpEntry { section: "Keys".into(), keys, text: id.into() };
        let table = HelpTable { entries: app.keymap.iter().map(entry).collect() };
        table.draw(canvas, pane, "", 0, &app.skin);
        let toast = Toast { text: "any key closes".into(), sign: Sign::Idle };
        draw_toasts(canvas, pane, &[toast], None, &app.skin);
        None
    }

    fn is_modal(&self) -> bool {
        true
    }
}

fn app(recording: &[u8], size: Size, skin: Skin) -> App {
    let area = Rect::of(size);
    let (_, pane, _, _) = panes(area);
    let mut terminal = Terminal::new(TerminalOptions { size: pane.size(), ..TerminalOptions::default() });
    terminal.feed(recording);
    let tab = |title: &str, sign| TabLabel { title: title.into(), sign, attention: sign == Sign::Blocked };
    let item = |label: &str, depth, sign| TreeItem {
        label: label.into(),
        detail: String::new(),
        state: String::new(),
        about: String::new(),
        sign,
        depth,
        attention: false,
    };
    App {
        skin,
        keymap: Keymap::from_table([("ctrl-k", "palette"), ("ctrl-q", "quit"), ("f1", "help")])
            .expect("the table is ours"),
        tabs: vec![tab("claude-1", Sign::Working), tab("codex-1", Sign::Blocked)],
        items: vec![
            item("claude-1", 0, Sign::Working),
            item("codex-2", 1, Sign::Idle),
            item("tests", 2, Sign::Failed),
            item("server", 1, Sign::Running),
        ],
        active: 0,
        frame: terminal.frame(),
        last_key: String::new(),
        area,
        done: false,
    }
}

fn main() -> ExitCode {
    match show() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "demo: {error}");
            ExitCode::FAILURE
        }
    }
}

fn show() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = env::args_os().skip(1);
    let mut recording = fs::read(arguments.next().ok_or("give the path of a recording, and how many bytes of it")?)?;
    if let Some(bytes) = arguments.next() {
        recording.truncate(bytes.to_string_lossy().parse()?);
    }
    let (input, output) = (io::stdin().as_fd().try_clone_to_owned()?, io::stdout().as_fd().try_clone_to_owned()?);
    let mut host = HostTerminal::open(input, output)?;
    let restorer = host.restorer();
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        restorer.restore();
        before(info);
    }));
    host.enter(HostModes { mouse: MouseTracking::Off, ..HostModes::default() })?;
    let mut decoder = HostDecoder::new();
    let mut events = Vec::new();
    let mut probe = host.probe(&mut decoder, Duration::from_millis(500), &mut events)?;
    let known = probe.abilities().clone();
    host.change(known.modes(MouseTracking::Drag))?;
    let (term, color_term) = (env::var("TERM").unwrap_or_default(), env::var("COLORTERM").unwrap_or_default());
    let hints = ColorHints { term: &term, color_term: &color_term, no_color: env::var_os("NO_COLOR").is_some() };
    let mut writer = CanvasWriter::new(known.writer_options(hints));
    let mut canvas = Canvas::new(host.size()?);
    let mut app = app(&recording, canvas.size(), Skin::new(known.color_scheme()));
    let mut layers = LayerStack::default();
    layers.push(Box::new(Base(KeySequence::new(Duration::from_millis(500)))));
    let mut buffer = [0; 4096];
    let mut whole = Instant::now();
    while !app.done {
        for event in events.drain(..) {
            if !probe.take(&event) {
                layers.update(&event, &mut app);
            }
        }
        if app.done {
            break;
        }
        let size = host.size()?;
        if size != canvas.size() {
            canvas.resize(size);
            app.area = Rect::of(size);
        }
        // A program would hear of a new size by a signal; a look now and then will do here. A size that came and went
        // between two looks has cost the host cells, so all is drawn anew now and then.
        if whole.elapsed() > Duration::from_secs(1) {
            writer.forget();
            whole = Instant::now();
        }
        layers.render(&mut canvas, &app);
        host.write(writer.frame(&canvas))?;
        let wait = decoder.wait().unwrap_or(Duration::from_millis(50));
        if host.wait_for_input(Some(wait))? {
            match host.read(&mut buffer)? {
                0 => break,
                count => decoder.feed(&buffer[..count], &mut events),
            }
        } else if decoder.wait().is_some() {
            decoder.expire(&mut events);
        }
    }
    Ok(())
}
