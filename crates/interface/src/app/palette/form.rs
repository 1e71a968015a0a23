//! An operation's arguments, one step after the other: what it needs is asked for, the rest is offered.
//!
//! What is asked comes from the operation's schema, so that an operation in the table needs nothing here.

use engine::SessionId;
use ops::{CallEffects, Context, OpError};
use serde_json::{Map, Value};
use tui::{
    Canvas, CanvasCursor, HostEvent, Layer, LayerOutcome, Rect, Sign, SkinRole, Span,
    widgets::{EditorOutcome, FuzzyList, InputOutcome, LineInput, ListEntry, ListOutcome, TextEditor, cut},
};

use super::{frame, place_for, schema};
use crate::app::{closing, model::InterfaceState, sessions::SessionItem, start, text_view};
use schema::{ArgumentField, ArgumentInput, LineKind};

/// What is on the screen at one step.
enum FormStep {
    /// A choice of values.
    List(FuzzyList, Vec<Value>),
    Line(LineInput, LineKind),
    Text(TextEditor),
    /// Nothing more is needed: run, or give one of these.
    Offer(FuzzyList, Vec<usize>),
}

/// Arguments under way.
pub(crate) struct OperationForm {
    operation: &'static str,
    title: String,
    effects: CallEffects,
    fields: Vec<ArgumentField>,
    given: Map<String, Value>,
    /// Fields answered so far, in order: Escape goes back.
    answered: Vec<usize>,
    /// The field that is asked for; none while the rest is offered.
    asked: Option<usize>,
    step: FormStep,
    complaint: Option<String>,
}

/// Asks for what an operation needs, and runs it.
pub(super) fn open(app: &mut InterfaceState, operation: &'static str) {
    let Some(context) = app.project.clone() else { return };
    let Some(entry) = context.table().get(operation) else { return };
    let mut form = OperationForm {
        operation,
        title: schema::title(operation),
        effects: entry.traits.effects,
        fields: schema::fields(entry.args_schema().as_value()),
        given: Map::new(),
        answered: Vec::new(),
        asked: None,
        step: FormStep::Line(LineInput::default(), LineKind::Text),
        complaint: None,
    };
    if form.fields.is_empty() {
        form.run(app);
        return;
    }
    form.go_on(app);
    app.open(form);
}

impl OperationForm {
    /// To the next field that is needed, or to the offer of the others.
    fn go_on(&mut self, app: &InterfaceState) {
        let missing = |field: &ArgumentField| field.required && !self.given.contains_key(&field.name);
        match self.fields.iter().position(missing) {
            Some(index) => self.ask(index, app),
            None => {
                self.asked = None;
                let open: Vec<usize> = (0..self.fields.len())
                    .filter(|index| !self.given.contains_key(&self.fields[*index].name))
                    .collect();
                let mut entries = vec![ListEntry::new("Run it now")];
                entries.extend(open.iter().map(|index| {
                    let field = &self.fields[*index];
                    ListEntry { detail: field.about.clone(), ..ListEntry::new(format!("{}…", field.label())) }
                }));
                self.step = FormStep::Offer(FuzzyList::new(entries), open);
            }
        }
    }

    fn ask(&mut self, index: usize, app: &InterfaceState) {
        self.asked = Some(index);
        self.step = match &self.fields[index].asked {
            ArgumentInput::Session => {
                let (entries, values) = sessions(app);
                FormStep::List(FuzzyList::new(entries), values)
            }
            ArgumentInput::Choice(choices) => {
                let entries = choices
                    .iter()
                    .map(|choice| ListEntry::new(choice.as_str().map_or_else(|| choice.to_string(), str::to_owned)));
                FormStep::List(FuzzyList::new(entries.collect()), choices.clone())
            }
            ArgumentInput::Line(kind) => FormStep::Line(LineInput::default(), *kind),
            ArgumentInput::Text => FormStep::Text(TextEditor::default()),
        };
    }

    /// Takes an answer. Where nothing is left to be given, that was the last step.
    fn answer(&mut self, value: Value, app: &mut InterfaceState) -> LayerOutcome<InterfaceState> {
        let Some(index) = self.asked else { return LayerOutcome::Taken };
        self.given.insert(self.fields[index].name.clone(), value);
        self.answered.push(index);
        self.complaint = None;
        if self.fields.iter().all(|field| self.given.contains_key(&field.name)) {
            self.run(app);
            return LayerOutcome::Close;
        }
        self.go_on(app);
        LayerOutcome::Taken
    }

    /// One step back; false at the first.
    fn go_back(&mut self, app: &InterfaceState) -> bool {
        self.complaint = None;
        if self.asked.is_some_and(|index| !self.fields[index].required) {
            self.go_on(app);
            return true;
        }
        let Some(index) = self.answered.pop() else { return false };
        self.given.remove(&self.fields[index].name);
        self.ask(index, app);
        true
    }

    fn run(&self, app: &mut InterfaceState) {
        let (operation, title, effects) = (self.operation, self.title.clone(), self.effects);
        let arguments = Value::Object(self.given.clone());
        let ended = arguments["process_id"].as_str().and_then(|id| id.parse::<SessionId>().ok());
        let run = move |app: &mut InterfaceState| {
            app.call(operation, arguments, move |app, outcome| concluded(app, operation, &title, effects, outcome));
        };
        match ended.filter(|id| closing::needs_word(app, operation, *id)) {
            Some(id) => closing::ask(app, operation, id, run),
            None => run(app),
        }
    }

    /// Where one is: the operation, what was given, what is asked.
    fn breadcrumb(&self, app: &InterfaceState) -> String {
        let mut parts = vec![self.title.trim_end_matches('…').to_owned()];
        let more = app.skin.glyphs.more();
        let short = |value: &Value| cut(&value.as_str().map_or_else(|| value.to_string(), str::to_owned), 20, more);
        let given = |index: &usize| {
            let (field, value) = (&self.fields[*index], self.given.get(&self.fields[*index].name)?);
            // A session is known to people by its name.
            let named = app.sessions.items().iter().find(|item| Some(item.id.to_string().as_str()) == value.as_str());
            Some(match named {
                Some(item) if field.asked == ArgumentInput::Session => item.name.clone(),
                _ => short(value),
            })
        };
        parts.extend(self.answered.iter().filter_map(given));
        parts.extend(self.asked.map(|index| self.fields[index].label()));
        parts.join(" › ")
    }

    fn place(&self, area: Rect) -> Rect {
        let rows = match &self.step {
            FormStep::List(list, _) | FormStep::Offer(list, _) => list.len() + 1,
            FormStep::Line(..) => 1,
            FormStep::Text(_) => 8,
        };
        // Below: what is asked, or what is wrong with the answer.
        place_for(area, rows + 1)
    }
}

/// All sessions to choose from, the one in sight first.
fn sessions(app: &InterfaceState) -> (Vec<ListEntry>, Vec<Value>) {
    let here = app.session_id();
    let entry = |item: &SessionItem| ListEntry {
        detail: item.word(),
        sign: Some(item.sign()),
        recent: u64::from(Some(item.id) == here),
        ..ListEntry::new(item.name.clone())
    };
    app.sessions.items().iter().map(|item| (entry(item), Value::from(item.id.to_string()))).unzip()
}

/// What came of it, as far as it is to be seen.
fn concluded(
    app: &mut InterfaceState,
    operation: &str,
    title: &str,
    effects: CallEffects,
    outcome: Result<Value, OpError>,
) {
    match outcome {
        Ok(reply) if effects == CallEffects::ReadOnly => {
            let text = serde_json::to_string_pretty(&reply).unwrap_or_default();
            text_view::open(app, title.trim_end_matches('…'), &text);
        }
        // A session that was started comes in sight.
        Ok(reply) if operation.starts_with("spawn") => start::show_started(app, Ok(reply)),
        Ok(_) => app.toast(Sign::Idle, format!("{}: done", title.trim_end_matches('…'))),
        Err(error) => app.complain(&error),
    }
}

impl Layer<InterfaceState> for OperationForm {
    fn update(&mut self, event: &HostEvent, app: &mut InterfaceState) -> LayerOutcome<InterfaceState> {
        app.dirty = true;
        let place = self.place(app.area);
        let (inside, _) = place.inner(1, 1).split_bottom(1);
        let mut chosen = None;
        let cancelled = match &mut self.step {
            FormStep::List(list, _) | FormStep::Offer(list, _) => match list.update(event, inside) {
                ListOutcome::Chosen(index) => {
                    chosen = Some(index);
                    false
                }
                ListOutcome::Cancelled => true,
                ListOutcome::Taken | ListOutcome::Passed => false,
            },
            FormStep::Line(input, kind) => match event {
                HostEvent::Key(key) => match input.update(key) {
                    InputOutcome::Submitted => {
                        match kind.read(input.text()) {
                            Ok(value) => return self.answer(value, app),
                            Err(complaint) => self.complaint = Some(complaint),
                        }
                        false
                    }
                    InputOutcome::Cancelled => true,
                    _ => false,
                },
                HostEvent::Paste(text) => {
                    input.insert(text);
                    false
                }
                _ => false,
            },
            FormStep::Text(editor) => match editor.update(event) {
                EditorOutcome::Submitted => {
                    let text = editor.text();
                    return self.answer(text.into(), app);
                }
                EditorOutcome::Cancelled => true,
                _ => false,
            },
        };
        if cancelled {
            return if self.go_back(app) { LayerOutcome::Taken } else { LayerOutcome::Close };
        }
        let Some(index) = chosen else { return LayerOutcome::Taken };
        let offered = match &self.step {
            FormStep::List(_, values) => Err(values[index].clone()),
            FormStep::Offer(_, open) => Ok(index.checked_sub(1).map(|index| open[index])),
            FormStep::Line(..) | FormStep::Text(_) => return LayerOutcome::Taken,
        };
        match offered {
            Err(value) => return self.answer(value, app),
            Ok(Some(field)) => self.ask(field, app),
            Ok(None) => {
                self.run(app);
                return LayerOutcome::Close;
            }
        }
        LayerOutcome::Taken
    }

    fn refresh(&mut self, app: &mut InterfaceState) {
        let chooses = self.asked.is_some_and(|index| self.fields[index].asked == ArgumentInput::Session);
        if let FormStep::List(list, values) = &mut self.step
            && chooses
        {
            let (entries, sessions) = sessions(app);
            list.set_entries(entries);
            *values = sessions;
        }
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &InterfaceState) -> Option<CanvasCursor> {
        let place = self.place(area);
        frame(canvas, place, &self.breadcrumb(app), app);
        let (inside, below) = place.inner(1, 1).split_bottom(1);
        let cursor = match &self.step {
            FormStep::List(list, _) | FormStep::Offer(list, _) => list.draw(canvas, inside, "> ", &app.skin),
            FormStep::Line(input, _) => {
                let (prompt, line) = inside.split_left(2);
                canvas.draw_line(
                    prompt,
                    0,
                    &[Span::new("> ", app.skin.style(SkinRole::Accent))],
                    app.skin.style(SkinRole::Text),
                );
                input.draw(canvas, line, app.skin.style(SkinRole::Input))
            }
            FormStep::Text(editor) => editor.draw(canvas, inside, app.skin.style(SkinRole::Input)),
        };
        let about = match (&self.complaint, self.asked) {
            (Some(complaint), _) => Span::new(complaint.as_str(), app.skin.style(SkinRole::Bad)),
            (None, Some(index)) => Span::new(self.fields[index].about.as_str(), app.skin.style(SkinRole::Muted)),
            (None, None) => Span::new("Enter runs it, Esc goes back", app.skin.style(SkinRole::Muted)),
        };
        canvas.draw_line(below, 0, &[about], app.skin.style(SkinRole::Text));
        cursor
    }

    fn is_modal(&self) -> bool {
        true
    }
}
