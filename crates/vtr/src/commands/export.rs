//! `vtr export`

use std::{
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use program::{Exit, Failure, Outcome};
use replay::{ExportOutcome, export, export_file, parse_clock};
use serde_json::json;

use crate::{invocation::Invocation, playback};

/// Write a recording in another form
///
/// v2 and v3 are asciicast; txt is all that was printed, as text; svg and html are a picture of the screen at one
/// moment. A file is for your eyes only (0600), and one that can't be written whole is not left behind.
#[derive(Debug, clap::Args)]
pub(crate) struct ExportArgs {
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// The form [default: as the output's name ends]
    #[arg(long, value_enum)]
    format: Option<ExportFormArg>,
    /// Where to write [default: standard output]
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Write over a file that is there
    #[arg(long, requires = "output")]
    force: bool,
    /// The moment of a picture, or up to which text is written, as in 90s or 1:30 [default: the end]
    #[arg(long, value_name = "TIME", value_parser = parse_clock)]
    at: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum ExportFormArg {
    V2,
    V3,
    Txt,
    Svg,
    Html,
    #[value(hide = true)]
    Gif,
}

impl ExportFormArg {
    fn of(path: &Path) -> Option<Self> {
        Some(match path.extension()?.to_str()? {
            "cast" => ExportFormArg::V3,
            "txt" => ExportFormArg::Txt,
            "svg" => ExportFormArg::Svg,
            "html" | "htm" => ExportFormArg::Html,
            "gif" => ExportFormArg::Gif,
            _ => return None,
        })
    }
}

impl ExportArgs {
    pub(crate) fn run(self, invocation: &mut Invocation) -> Outcome {
        let form = self.format.or_else(|| self.output.as_deref().and_then(ExportFormArg::of));
        let form =
            form.ok_or_else(|| Failure::usage("no form is named").with_hint("give --format v2, v3, txt, svg or html"))?;
        let form = match form {
            ExportFormArg::V2 => replay::ExportForm::V2,
            ExportFormArg::V3 => replay::ExportForm::V3,
            ExportFormArg::Txt => replay::ExportForm::Text,
            ExportFormArg::Svg => replay::ExportForm::Svg,
            ExportFormArg::Html => replay::ExportForm::Html,
            ExportFormArg::Gif => {
                return Err(Failure::new(
                    Exit::Refused,
                    "unsupported",
                    "GIF is not written: it would need a font and a rasteriser inside this program",
                )
                .with_hint("export v2 and let `agg` draw it, or take svg for a still"));
            }
        };
        let tape = Arc::new(playback::load(&self.file, &mut invocation.output)?);
        let Some(path) = &self.output else {
            let mut stdout = BufWriter::new(std::io::stdout().lock());
            let left_out = export(tape, form, self.at, &mut stdout)?;
            stdout.flush()?;
            drop(stdout);
            left_out.into_iter().for_each(|words| invocation.output.warn(words));
            return Ok(Exit::Done);
        };
        let written = export_file(tape, form, self.at, path, self.force).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                Failure::new(Exit::Refused, "already_exists", format!("{} is there already", path.display()))
                    .with_hint("choose another file, or give --force")
            }
            _ => Failure::system(format_args!("writing {}", path.display()), &error),
        })?;
        let ExportOutcome { bytes, left_out } = written;
        left_out.into_iter().for_each(|words| invocation.output.warn(words));
        let reply = json!({ "file": path.display().to_string(), "bytes": bytes });
        invocation.output.answer(&reply, format!("{} ({bytes} bytes)", path.display()))?;
        Ok(Exit::Done)
    }
}
