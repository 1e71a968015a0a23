//! `vtr export`

use std::{
    fs::OpenOptions,
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use replay::{export, parse_clock};
use serde_json::json;

use crate::{
    failure::{Exit, Failure, Outcome},
    invocation::Invocation,
    playback,
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
    #[value(hide = true)]
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
        let form = match form {
            Form::V2 => replay::Export::V2,
            Form::V3 => replay::Export::V3,
            Form::Txt => replay::Export::Text,
            Form::Svg => replay::Export::Svg,
            Form::Html => replay::Export::Html,
            Form::Gif => {
                return Err(Failure::new(
                    Exit::Refused,
                    "unsupported",
                    "GIF is not written: it would need a font and a rasteriser inside this program",
                )
                .with_hint("export v2 and let `agg` draw it, or take svg for a still"));
            }
        };
        let tape = playback::load(&self.file, &mut invocation.output)?;
        let bytes = export(Arc::new(tape), form, self.at);
        let Some(path) = &self.output else {
            invocation.output.verbatim(&bytes)?;
            return Ok(Exit::Done);
        };
        write(path, &bytes, self.force)?;
        let reply = json!({ "file": path.display().to_string(), "bytes": bytes.len() });
        invocation.output.answer(&reply, format!("{} ({} bytes)", path.display(), bytes.len()))?;
        Ok(Exit::Done)
    }
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
