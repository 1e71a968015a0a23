//! Exporting a recording: asks for the format and the file.

use std::{io, sync::Arc};

use replay::{ExportForm, ExportOutcome};
use tui::Sign;

use super::{beside, size, with_tape};
use crate::app::{
    line_prompt,
    model::InterfaceState,
    palette::{Palette, PaletteEntry},
};

pub(super) fn ask_form(app: &mut InterfaceState, name: &str) {
    let entries = ExportForm::ALL.map(|form| {
        let (text, detail) = match form {
            ExportForm::V3 => ("asciicast, version 3", "for asciinema 3 and its player"),
            ExportForm::V2 => ("asciicast, version 2", "for older players"),
            ExportForm::Text => ("text", "what was printed, up to the end"),
            ExportForm::Svg => ("SVG picture", "the screen at the end"),
            ExportForm::Html => ("HTML page", "the screen at the end"),
        };
        let name = name.to_owned();
        PaletteEntry::new(format!("export/{text}"), text, move |app| ask_file(app, &name, form)).detail(detail)
    });
    app.open(Palette::new("export as", entries.into()));
}

fn ask_file(app: &mut InterfaceState, name: &str, form: ExportForm) {
    let stem = name.trim_end_matches(".cast");
    let version = if form == ExportForm::V2 { "-v2" } else { "" };
    let file = format!("{stem}{version}.{}", form.extension());
    let name = name.to_owned();
    line_prompt::ask(app, "file, from the project's folder", &file, move |app, file| {
        if file.is_empty() {
            return Err("a file needs a name".to_owned());
        }
        let (path, file) = (app.surroundings.working_dir.join(file), file.to_owned());
        with_tape(app, &name, move |app, _, tape| {
            let write = move || replay::export_file(Arc::new(tape), form, None, &path, false);
            beside(app, write, move |app, written| match written {
                Ok(ExportOutcome { bytes, left_out }) => {
                    app.toast(Sign::Idle, format!("{file} is written, {}", size(bytes)));
                    left_out.into_iter().for_each(|words| app.toast(Sign::Blocked, words));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    app.toast(Sign::Failed, format!("{file} exists already: choose another name"));
                }
                Err(error) => app.toast(Sign::Failed, format!("{file} can't be written: {error}")),
            });
        });
        Ok(())
    });
}
