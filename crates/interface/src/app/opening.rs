//! Several tabs at once: those of the last run, asked for at the start or taken from the palette, and the project's start
//! set. Opening them is the project's.

use ops::{ErrorKind, OpError};
use project::{
    OpenedTabs, Project, RecordedProgram, RecordedTab, RunLayout, TabOutcome, settings::LastRunChoice,
    start_set::START_SET,
};
use tui::{
    Sign, SkinRole, Span,
    widgets::{Modal, StyledLine},
};

use super::{model::InterfaceState, question, trust_prompt};
use crate::spelled::spelled;

/// Tabs that are listed; the rest are counted.
const MAX_LISTED: usize = 20;
/// Characters of a command line.
const MAX_COMMAND: usize = 60;

/// At the start: what the settings say becomes of the last run's tabs. `faults` is what is wrong with their record.
pub(super) fn offer(app: &mut InterfaceState, faults: Vec<String>) {
    faults.into_iter().for_each(|fault| app.toast(Sign::Blocked, fault));
    let tabs = app.project.as_ref().map(Project::last_tabs).unwrap_or_default();
    if tabs.is_empty() {
        return;
    }
    match app.settings.last_run {
        LastRunChoice::Ask => ask(app, &tabs),
        LastRunChoice::Always => open(app),
        LastRunChoice::Never => {}
    }
}

/// Tells the project how the tabs are arranged, for a later run.
pub(super) fn note_layout(app: &InterfaceState) {
    if let Some(project) = &app.project {
        project.note_layout(app.sessions.layout());
    }
}

/// Whether there is anything to open.
pub(super) fn is_there(app: &InterfaceState) -> bool {
    app.project.as_ref().is_some_and(|project| !project.last_tabs().is_empty())
}

/// Opens all of them.
pub(super) fn open(app: &mut InterfaceState) {
    let (Some(project), loop_tasks) = (app.project.clone(), app.loop_tasks()) else { return };
    app.tasks.spawn(async move {
        let opened = project.open_last_tabs().await;
        let _ = loop_tasks.send(Box::new(move |app: &mut InterfaceState| told(app, opened)));
    });
}

fn ask(app: &mut InterfaceState, tabs: &[RecordedTab]) {
    let modal = Modal::new("Open last run's tabs?", body(app, tabs)).answer('o', "open them").answer('n', "not now");
    question::ask(app, modal, 0, open);
}

fn body(app: &InterfaceState, tabs: &[RecordedTab]) -> Vec<StyledLine> {
    let (plain, muted) = (app.skin.style(SkinRole::Modal), app.skin.style(SkinRole::Muted));
    let mut lines = Vec::new();
    for tab in tabs.iter().take(MAX_LISTED) {
        lines.push(vec![Span::new(spelled(&tab.name), plain), Span::new(format!("  {}", what(&tab.program)), muted)]);
    }
    if tabs.len() > MAX_LISTED {
        lines.push(vec![Span::new(format!("and {} more", tabs.len() - MAX_LISTED), muted)]);
    }
    lines.push(vec![]);
    lines.push(vec![Span::new("Nothing is typed, and no command is run. Later: \"Open last run's tabs\".", muted)]);
    lines
}

/// What a tab will be.
fn what(program: &RecordedProgram) -> String {
    let cut = |text: &str| text.chars().take(MAX_COMMAND).collect::<String>();
    match program {
        RecordedProgram::Agent { preset, conversation: Some(_) } => {
            format!("{}, goes on with its conversation", spelled(preset))
        }
        RecordedProgram::Agent { preset, conversation: None } => {
            format!("{}, begins a new conversation", spelled(preset))
        }
        RecordedProgram::Preset { name } => format!("command preset {}, waits for Enter", spelled(name)),
        RecordedProgram::Command { argv } => format!("{}, waits for Enter", cut(&spelled(&argv.join(" ")))),
        RecordedProgram::Terminal => "terminal".to_owned(),
    }
}

/// Opens the project's start set; the person is asked first, unless they have allowed it as it is.
pub(super) fn open_start_set(app: &mut InterfaceState) {
    let (Some(project), loop_tasks) = (app.project.clone(), app.loop_tasks()) else { return };
    app.tasks.spawn(async move {
        let opened = project.open_start_set().await;
        let _ = loop_tasks.send(Box::new(move |app: &mut InterfaceState| match opened {
            Ok(tabs) => told(app, OpenedTabs { tabs, layout: RunLayout::default() }),
            Err(error) if error.kind == ErrorKind::NeedsTrust => {
                trust_prompt::wanted(app, START_SET.to_owned(), &error, open_start_set);
            }
            Err(error) => app.complain(&error),
        }));
    });
}

/// What a question about the tab calls what it starts.
fn preset_of(tab: &RecordedTab) -> String {
    match &tab.program {
        RecordedProgram::Agent { preset: name, .. } | RecordedProgram::Preset { name } => name.clone(),
        RecordedProgram::Command { .. } | RecordedProgram::Terminal => String::new(),
    }
}

fn told(app: &mut InterfaceState, opened: OpenedTabs) {
    let OpenedTabs { tabs, layout } = opened;
    // First the sessions become tabs, and then they know the tabs that they were brought to.
    app.refresh();
    let in_sight = app.sessions.arrange(&layout);
    app.refresh();
    let first = || tabs.iter().find_map(|one| one.outcome.as_ref().ok().map(|tab| tab.session));
    if let Some(shown) = in_sight.or_else(first) {
        app.show(shown);
        app.focus = super::model::KeyboardFocus::Pane;
    }
    for TabOutcome { tab, outcome } in tabs {
        let name = if tab.name.is_empty() { spelled(&preset_of(&tab)) } else { spelled(&tab.name) };
        match outcome {
            Ok(tab) => {
                if let Some(note) = tab.note {
                    app.toast(Sign::Unseen, format!("{name}: {note}"));
                }
            }
            Err(error) if error.kind == ErrorKind::NeedsTrust => {
                // The others are opened with it, or asked for in their turn.
                trust_prompt::wanted(app, preset_of(&tab), &error, open);
            }
            Err(error) => app.complain(&OpError { message: format!("{name}: {}", error.message), ..error }),
        }
    }
}
