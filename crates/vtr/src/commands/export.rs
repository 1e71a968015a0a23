//! `vtr export`

use std::{
    fs::OpenOptions,
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use cast::EventData;
use serde_json::json;

use crate::{
    failure::{Exit, Failure, Outcome},
    invocation::Invocation,
    replay::{Reel, Tape, parse_clock},
};

/// Write a recording in another form
///
/// v2 and v3 are asciicast; txt is what was printed, as text; svg and html are a picture of the screen at one moment.
#[derive(Debug, clap::Args)]
pub(crate) struct Export {
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// The form [default: as the output's name ends]
    #[arg(long, value_enum)]
    format: Option<Form>,
    /// Where to write [default: standard output]
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Write over a file that is there
    #[arg(long, requires = "output")]
    force: bool,
    /// The moment of a picture or text, as in 90s or 1:30 [default: the end]
    #[arg(long, value_name = "TIME", value_parser = parse_clock)]
    at: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    V2,
    V3,
    Txt,
    Svg,
    Html,
    Gif,
}

impl Form {
    fn of(path: &Path) -> Option<Self> {
        Some(match path.extension()?.to_str()? {
            "cast" => Form::V3,
            "txt" => Form::Txt,
            "svg" => Form::Svg,
            "html" | "htm" => Form::Html,
            "gif" => Form::Gif,
            _ => return None,
        })
    }
}

impl Export {
    pub(crate) fn run(self, invocation: &mut Invocation) -> Outcome {
        let form = self.format.or_else(|| self.output.as_deref().and_then(Form::of));
        let form =
            form.ok_or_else(|| Failure::usage("no form is named").with_hint("give --format v2, v3, txt, svg or html"))?;
        if form == Form::Gif {
            return Err(Failure::new(
                Exit::Refused,
                "unsupported",
                "GIF is not written: it would need a font and a rasteriser inside this program",
            )
            .with_hint("export v2 and let `agg` draw it, or take svg for a still"));
        }
        let tape = Tape::load(&self.file)?;
        if tape.cut {
            invocation.output.warn("the recording was cut off: its recorder did not end well");
        }
        let bytes = match form {
            Form::V2 => as_cast(&tape, cast::Format::V2)?,
            Form::V3 => as_cast(&tape, cast::Format::V3)?,
            Form::Txt | Form::Svg | Form::Html | Form::Gif => self.as_still(form, tape),
        };
        let Some(path) = &self.output else {
            invocation.output.bytes(&bytes)?;
            return Ok(Exit::Done);
        };
        write(path, &bytes, self.force)?;
        let reply = json!({ "file": path.display().to_string(), "bytes": bytes.len() });
        invocation.output.answer(&reply, format!("{} ({} bytes)", path.display(), bytes.len()))?;
        Ok(Exit::Done)
    }

    fn as_still(&self, form: Form, tape: Tape) -> Vec<u8> {
        let title = tape.header.title.clone();
        let mut reel = Reel::new(Arc::new(tape));
        match self.at {
            Some(time) => reel.go_to(time),
            None => reel.go_to_end(),
        }
        let terminal = reel.terminal();
        let options = picture::Options { cursor: false, title };
        match form {
            Form::Svg => picture::svg(&terminal.frame(), &options).into_bytes(),
            Form::Html => picture::html(&terminal.frame(), &options).into_bytes(),
            _ => {
                let mut text = String::new();
                match terminal.alternate_screen() {
                    // A full-screen program has no lines that go by: its screen is all there is.
                    true => terminal.grid_text(&mut text),
                    false => terminal.lines_text(terminal.lines(), &mut text),
                }
                let kept = text.trim_end_matches('\n').len();
                text.truncate(kept);
                text.push('\n');
                text.into_bytes()
            }
        }
    }
}

fn as_cast(tape: &Tape, format: cast::Format) -> Result<Vec<u8>, Failure> {
    let mut writer = cast::Writer::new(Vec::new(), format, &tape.header)?;
    for event in &tape.events {
        match &event.data {
            EventData::Output(text) => writer.output(event.time, text.as_bytes())?,
            EventData::Input(text) => writer.input(event.time, text.as_bytes())?,
            EventData::Resize { cols, rows } => writer.resize(event.time, *cols, *rows)?,
            EventData::Marker(label) => writer.marker(event.time, label)?,
            EventData::Exit(status) => writer.exit(event.time, *status)?,
            // Of a format that is yet to come: it can't be said what another one calls it.
            EventData::Other { .. } => {}
        }
    }
    writer.finish(tape.length())?;
    Ok(writer.into_sink())
}

fn write(path: &Path, bytes: &[u8], force: bool) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.write(true);
    match force {
        true => options.create(true).truncate(true),
        false => options.create_new(true),
    };
    let mut file = options.open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Failure::new(Exit::Refused, "already_exists", format!("{} is there already", path.display()))
                .with_hint("choose another file, or give --force")
        }
        _ => Failure::system(format_args!("writing {}", path.display()), &error),
    })?;
    file.write_all(bytes).map_err(|error| Failure::system(format_args!("writing {}", path.display()), &error))
}
